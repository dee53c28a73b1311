// The bytes of an archive entry as a source.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sheaf/extend/byte_source.h"

#include "io/archive/stored_entry.h"

namespace sheaf::internal {

/// A part of another source, with given bytes before and after it.
class PartSource final : public ByteSource {
 public:
  struct Part {
    std::int64_t begin = 0;
    std::int64_t size = 0;
    std::string before = {};
    std::string after = {};
    std::int64_t stored_size = -1;  // as the archive lists the entry; -1: all bytes of the part
  };

  /// Pre: the part lies in the source.
  PartSource(std::shared_ptr<const ByteSource> source, std::string name, Part part);

  [[nodiscard]] std::string_view name() const noexcept override { return name_; }
  [[nodiscard]] std::int64_t modified_ns() const noexcept override {
    return source_->modified_ns();
  }
  [[nodiscard]] std::int64_t size() const noexcept override {
    return std::ssize(part_.before) + part_.size + std::ssize(part_.after);
  }
  [[nodiscard]] std::int64_t stored_size_bytes() const noexcept override {
    return part_.stored_size < 0 ? size() : part_.stored_size;
  }
  [[nodiscard]] bool has_fast_random_access() const noexcept override {
    return source_->has_fast_random_access();
  }
  void read_at(std::int64_t offset, std::span<std::byte> into) const override;

 private:
  const std::shared_ptr<const ByteSource> source_;
  const std::string name_;
  const Part part_;
};

/// Opens an entry that its archive stores uncompressed.
[[nodiscard]] std::shared_ptr<const ByteSource> open_tar_entry(
    std::shared_ptr<const ByteSource> archive, const StoredEntry& entry, std::string name);

/// Opens an entry of a zip. Reads the whole entry and verifies its checksum.
///
/// Throws: IoError if the entry is damaged, encrypted, or compressed by another method than
///         deflate.
[[nodiscard]] std::shared_ptr<const ByteSource> open_zip_entry(
    std::shared_ptr<const ByteSource> archive, const StoredEntry& entry, std::string name);

}  // namespace sheaf::internal
