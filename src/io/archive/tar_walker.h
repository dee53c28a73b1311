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

/// The bytes from an offset on are not what a tar archive has there.
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

/// A regular file of a tar archive.
struct TarEntry {
  ArchiveEntry entry;
  std::int64_t begin_bytes = 0;  // of the first header that describes the entry

  /// Returns where the bytes of the entry end, without the padding behind them.
  [[nodiscard]] std::int64_t end_bytes() const noexcept {
    return entry.offset_bytes + entry.size_bytes;
  }
};

/// Goes from header to header. Reads no bytes of entries.
class TarWalker {
 public:
  /// Which bytes of the source to walk over. Offsets count from the start of the source.
  struct Part {
    std::int64_t begin_bytes = 0;  // of a header
    std::int64_t end_bytes = 0;    // at the end of the bytes of an entry, or of their padding
  };

  /// Walks over a whole archive: the end mark must be there, and nothing but zeros behind the mark.
  /// A read has at most `read_size_bytes`, or 64 KiB where that is less.
  ///
  /// Lifetime: `source` must outlive the object, here and below.
  explicit TarWalker(const ByteSource& source, std::int64_t read_size_bytes = kReadBytesMax);

  /// Walks over some entries.
  TarWalker(const ByteSource& source, Part part);

  /// Returns the next regular file; nothing at the end. Folders, links and devices are passed over.
  ///
  /// Throws: TarDamage; IoError.
  [[nodiscard]] std::optional<TarEntry> next();

 private:
  static constexpr std::int64_t kBlockBytes = 512;
  static constexpr std::int64_t kReadBytesMax = std::int64_t{64} << 10;
  using Block = std::array<char, kBlockBytes>;

  /// What headers in front of an entry say of it.
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
  std::int64_t offset_ = 0;  // of the header under way
  bool has_ended_ = false;
  Described next_;
};

}  // namespace sheaf::internal
