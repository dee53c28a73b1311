// Keeps bytes in a temporary file.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace sheaf::internal {

/// A file without a name in the folder for temporary files ($TMPDIR or /tmp). The system removes it
/// with this object, or at the end of the process, however that ends.
class TemporaryFile {
 public:
  /// Throws: IoError with the system's reason, as all calls.
  TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();

  void write_at(std::int64_t offset, std::span<const std::byte> bytes);

  /// Pre: all these bytes have been written.
  void read_at(std::int64_t offset, std::span<std::byte> into) const;

 private:
  std::string folder_;
  int descriptor_ = -1;
};

}  // namespace sheaf::internal
