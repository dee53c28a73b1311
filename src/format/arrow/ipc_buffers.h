// Reads buffers of one body: several at once, and decompressed.

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

/// Bytes that were read, and who owns them.
struct ReadBytes {
  const std::byte* data = nullptr;  // aligned as was wanted; never null
  std::int64_t size = 0;
  std::shared_ptr<const void> owner = nullptr;  // null for no bytes
};

/// Returns 64 zero bytes that live as long as the process: buffers of arrays without values.
[[nodiscard]] const std::byte* no_values() noexcept;

/// Reads that are collected, and then made together. Those that lie close become one.
class BufferReads {
 public:
  /// Pre: the body lies within the file.
  BufferReads(const ByteSource& file, std::int64_t body_offset, IpcCodec codec)
      : file_(file), body_offset_(body_offset), codec_(codec) {}

  /// What is read.
  struct Wish {
    IpcPair buffer = {};         // as the metadata have it
    std::int64_t begin = 0;      // within the buffer; 0 for a compressed one
    std::int64_t size = 0;       // all of a compressed buffer
    std::int64_t least = 0;      // what the buffer has at least, decompressed
    std::int64_t alignment = 1;  // of the result: a power of 2, at most 64
  };

  /// Asks for a part of a buffer, or for all of a compressed one. Returns a number for read().
  ///
  /// Pre:    the part lies within the buffer, where the buffer is not compressed.
  /// Throws: DataError where the buffer has not the bytes that it must have.
  std::size_t want(const Wish& wish);

  /// Reads all that was asked for since the last call.
  ///
  /// Throws: IoError; DataError where a compressed buffer is damaged.
  void run();

  /// Pre: run() was called after want().
  [[nodiscard]] const ReadBytes& read(std::size_t number) const noexcept { return done_[number]; }

  [[nodiscard]] bool is_compressed() const noexcept { return codec_ != IpcCodec::none; }

  /// Returns where in the file a buffer begins.
  [[nodiscard]] std::int64_t place_of(const IpcPair& buffer) const noexcept {
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
  std::vector<ReadBytes> done_;  // of the first wishes
  std::unique_ptr<IpcDecompressor> decompressor_;
};

}  // namespace sheaf::arrow
