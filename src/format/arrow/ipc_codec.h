// Decompresses buffers of record batches.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "sheaf/extend/buffer.h"

#include "format/arrow/ipc_message.h"

namespace sheaf::arrow {

/// Decompresses buffers, one after the other.
///
/// Threads: one thread at a time.
class IpcDecompressor {
 public:
  explicit IpcDecompressor(IpcCodec codec);
  ~IpcDecompressor();
  IpcDecompressor(const IpcDecompressor&) = delete;
  IpcDecompressor& operator=(const IpcDecompressor&) = delete;

  /// Fills `into` with the `size_bytes` bytes to which `bytes` decompress. Returns an error text,
  /// or an empty text on success.
  ///
  /// Throws: std::bad_alloc.
  /// Cost:   memory in proportion to the decompressed bytes, whatever `size_bytes` claims.
  [[nodiscard]] std::string decompress(std::span<const std::byte> bytes, std::int64_t size_bytes,
                                       Buffer& into);

 private:
  struct Contexts;

  IpcCodec codec_;
  std::unique_ptr<Contexts> contexts_;
};

}  // namespace sheaf::arrow
