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
/// Threads: one at a time.
class IpcDecompressor {
 public:
  explicit IpcDecompressor(IpcCodec codec);
  ~IpcDecompressor();
  IpcDecompressor(const IpcDecompressor&) = delete;
  IpcDecompressor& operator=(const IpcDecompressor&) = delete;

  /// Fills `into` with the `size_bytes` to which `bytes` decompress. Returns what is wrong with
  /// them; nothing where all is right.
  ///
  /// Throws: std::bad_alloc.
  /// Cost:   memory grows with the bytes that there are, not with what `size_bytes` claims.
  [[nodiscard]] std::string decompress(std::span<const std::byte> bytes, std::int64_t size_bytes,
                                       Buffer& into);

 private:
  struct Contexts;

  IpcCodec codec_;
  std::unique_ptr<Contexts> contexts_;
};

}  // namespace sheaf::arrow
