// Reads buffers of one body together, and decompresses them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sheaf/extend/buffer.h"
#include "sheaf/extend/byte_source.h"

#include "format/arrow/ipc_codec.h"
#include "format/arrow/ipc_message.h"

namespace sheaf::arrow {

/// Bytes that were read, and their owner.
struct ReadBytes {
  const std::byte* data = nullptr;  // aligned as requested; never null
  std::int64_t size = 0;
  std::shared_ptr<const void> owner = nullptr;  // null if there are no bytes
};

/// Returns 64 zero bytes that live as long as the process. They are the buffers of arrays without
/// values.
[[nodiscard]] const std::byte* no_values() noexcept;

/// Collects reads, and then makes them together. Reads that lie close become one.
class BufferReads {
 public:
  /// Pre: the body lies within the file.
  BufferReads(const ByteSource& file, std::int64_t body_offset, IpcCodec codec)
      : file_(file), body_offset_(body_offset), codec_(codec) {}

  /// A read request.
  struct Wish {
    IpcPair buffer = {};         // from the metadata
    std::int64_t begin = 0;      // offset in the buffer; 0 for a compressed buffer
    std::int64_t size = 0;       // whole size for a compressed buffer
    std::int64_t least = 0;      // smallest decompressed size of the buffer
    std::int64_t alignment = 1;  // of the result: a power of 2, at most 64
  };

  /// Requests a part of a buffer, or the whole of a compressed buffer. Returns a number for read().
  ///
  /// Pre:    the part lies in the buffer, unless the buffer is compressed.
  /// Throws: DataError if the buffer is smaller than it must be.
  std::size_t want(const Wish& wish);

  /// Makes all reads requested since the last call.
  ///
  /// Throws: IoError; DataError if a compressed buffer is damaged.
  void run();

  /// Pre: run() was called after want().
  [[nodiscard]] const ReadBytes& read(std::size_t number) const noexcept { return done_[number]; }

  [[nodiscard]] bool is_compressed() const noexcept { return codec_ != IpcCodec::none; }

  /// Returns the offset of a buffer in the file.
  [[nodiscard]] std::int64_t offset_of(const IpcPair& buffer) const noexcept {
    return body_offset_ + buffer.first;
  }

 private:
  struct Block;

  [[nodiscard]] std::vector<Block> merged() const;
  [[nodiscard]] ReadBytes aligned(ReadBytes bytes, std::int64_t alignment) const;
  [[nodiscard]] ReadBytes decompressed(const Wish& wish, const ReadBytes& bytes);

  const ByteSource& file_;
  const std::int64_t body_offset_;
  const IpcCodec codec_;
  std::vector<Wish> wishes_;
  std::vector<ReadBytes> done_;  // of the finished requests
  std::unique_ptr<IpcDecompressor> decompressor_;
};

}  // namespace sheaf::arrow
