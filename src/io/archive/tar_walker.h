// Walks over the headers of a tar archive.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "sheaf/extend/archive.h"
#include "sheaf/extend/byte_source.h"

namespace sheaf::internal {

/// Thrown if the bytes are no valid tar archive. Has the offset.
class TarDamage final : public std::exception {
 public:
  TarDamage(std::int64_t offset_bytes, std::string why)
      : offset_bytes_(offset_bytes), why_(std::move(why)) {}

  [[nodiscard]] const char* what() const noexcept override { return why_.c_str(); }
  [[nodiscard]] std::int64_t offset_bytes() const noexcept { return offset_bytes_; }
  [[nodiscard]] const std::string& why() const noexcept { return why_; }

 private:
  std::int64_t offset_bytes_;
  std::string why_;
};

/// A regular file in a tar archive.
struct TarEntry {
  ArchiveEntry entry;
  std::int64_t begin_bytes = 0;  // offset of the first header that describes the entry

  /// Returns the end of the bytes of the entry, without the padding behind them.
  [[nodiscard]] std::int64_t end_bytes() const noexcept {
    return entry.offset_bytes + entry.size_bytes;
  }
};

/// Walks from header to header, without reading the bytes of entries.
class TarWalker {
 public:
  /// The range of bytes to walk over. Offsets count from the start of the source.
  struct Part {
    std::int64_t begin_bytes = 0;  // offset of a header
    std::int64_t end_bytes = 0;    // end of the bytes of an entry, or of its padding
  };

  /// Walks over a whole archive. The end mark must be present, and only zeros may follow it. A read
  /// has at most `read_size_bytes`, or 64 KiB if that is less.
  ///
  /// Lifetime: `source` must outlive the object, also for the constructor below.
  explicit TarWalker(const ByteSource& source, std::int64_t read_size_bytes = kReadBytesMax);

  /// Walks over a part of the archive.
  TarWalker(const ByteSource& source, Part part);

  /// Returns the next regular file, or nothing at the end. Passes over folders, links and devices.
  ///
  /// Throws: TarDamage; IoError.
  [[nodiscard]] std::optional<TarEntry> next();

  /// Returns the number of links so far, hard or symbolic, and the name of the first.
  [[nodiscard]] std::int64_t link_count() const noexcept { return link_count_; }
  [[nodiscard]] const std::string& first_link() const noexcept { return first_link_; }

 private:
  static constexpr std::int64_t kBlockBytes = 512;
  static constexpr std::int64_t kReadBytesMax = std::int64_t{64} << 10;
  using Block = std::array<char, kBlockBytes>;

  /// The facts about an entry that the headers before it state.
  struct Described {
    std::optional<std::string> name;
    std::optional<std::int64_t> size;
    std::optional<std::int64_t> begin_bytes;
  };

  [[noreturn]] void fail(std::string_view why) const;
  [[nodiscard]] bool is_at_end() const noexcept { return is_part_ && offset_ >= end_; }
  void read(std::int64_t offset_bytes, std::span<char> into) const;
  void read_block(Block& block) const;
  [[nodiscard]] std::int64_t octal(std::string_view digits) const;
  [[nodiscard]] std::int64_t number(const Block& block, std::size_t at, std::size_t size) const;
  void check(const Block& block) const;
  [[nodiscard]] std::string text(std::int64_t size) const;
  void describe(std::string_view records);
  [[nodiscard]] std::int64_t described_size(std::string_view digits) const;
  [[nodiscard]] std::optional<TarEntry> entry_of(const Block& block, char type, std::int64_t size);
  void check_end() const;

  const ByteSource& source_;
  const bool is_part_;
  const std::int64_t end_;
  const std::int64_t read_size_bytes_;
  std::int64_t offset_ = 0;  // offset of the next header
  bool has_ended_ = false;
  std::int64_t link_count_ = 0;
  std::string first_link_;
  Described next_;
};

}  // namespace sheaf::internal
