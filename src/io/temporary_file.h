// Bytes that are put aside on disk.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace sheaf::internal {

/// A file without a name in the folder of temporary files (the one that TMPDIR names, or /tmp). It
/// is gone with this object, or with the process, however that ends.
class TemporaryFile {
 public:
  /// Throws: IoError with the system's reason, as all calls.
  TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();

  void write_at(std::int64_t offset, std::span<const std::byte> bytes);

  /// Pre: all these bytes were written.
  void read_at(std::int64_t offset, std::span<std::byte> into) const;

 private:
  std::string folder_;
  int descriptor_ = -1;
};

}  // namespace sheaf::internal
