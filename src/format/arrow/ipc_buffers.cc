#include "format/arrow/ipc_buffers.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "base/text.h"
#include "base/unaligned.h"
#include "format/arrow/arrow_errors.h"

namespace sheaf::arrow {
namespace {

// Reads with a smaller gap become one read while that read is small. A large block would keep the
// memory of all of its buffers alive for a single buffer.
constexpr std::int64_t kGapMax = 4096;
constexpr std::int64_t kMergedMax = std::int64_t{256} << 10;

// A compressed buffer begins with its decompressed size, or with -1 if it is stored uncompressed.
constexpr std::int64_t kSizeBytes = 8;

// Returns the largest compression ratio that the format allows. A block of zstd takes at least 4
// bytes and gives up to 128 KiB. A byte of lz4 gives up to 255 bytes.
std::int64_t ratio_max(IpcCodec codec) noexcept {
  return codec == IpcCodec::zstd ? std::int64_t{32} << 10 : 255;
}

}  // namespace

const std::byte* no_values() noexcept {
  alignas(Buffer::kAlignment) static constexpr std::byte kZeros[64] = {};
  return kZeros;
}

// Bytes of the file in one read.
struct BufferReads::Block {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::vector<std::size_t> wishes = {};
};

std::size_t BufferReads::want(const Wish& wish) {
  if (!is_compressed() && wish.buffer.second < wish.least) {
    fail(file_, kBuffer, wish.buffer.location,
         formatted("{} bytes, where the array needs {}", wish.buffer.second, wish.least));
  }
  wishes_.push_back(wish);
  return wishes_.size() - 1;
}

std::vector<BufferReads::Block> BufferReads::merged() const {
  std::vector<std::size_t> order;
  for (std::size_t i = done_.size(); i < wishes_.size(); ++i) {
    if (wishes_[i].size > 0) order.push_back(i);
  }
  const auto begin_of = [&](std::size_t i) {
    return offset_of(wishes_[i].buffer) + wishes_[i].begin;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return begin_of(a) < begin_of(b); });
  std::vector<Block> blocks;
  for (const std::size_t i : order) {
    const std::int64_t begin = begin_of(i);
    const std::int64_t end = begin + wishes_[i].size;
    const bool overlaps = !blocks.empty() && begin < blocks.back().end;
    const bool is_close = !blocks.empty() && begin - blocks.back().end <= kGapMax &&
                          end - blocks.back().begin <= kMergedMax;
    if (!overlaps && !is_close) blocks.push_back({.begin = begin, .end = end});
    blocks.back().end = std::max(blocks.back().end, end);
    blocks.back().wishes.push_back(i);
  }
  return blocks;
}

// A block of one buffer is aligned in memory. In a block of several buffers, each buffer has the
// same alignment as in the file.
void BufferReads::run() {
  const std::vector<Block> blocks = merged();
  done_.resize(wishes_.size(), {.data = no_values()});
  std::vector<std::shared_ptr<Buffer>> buffers;
  std::vector<ByteSource::Request> requests;
  for (const Block& block : blocks) {
    const std::int64_t alignment = Buffer::kAlignment;
    const std::int64_t skipped = block.wishes.size() == 1 ? 0 : block.begin % alignment;
    const std::int64_t size = block.end - block.begin;
    auto buffer = std::make_shared<Buffer>();
    buffer->reserve(skipped + size);
    buffer->resize(skipped + size);
    requests.push_back(
        {block.begin, {buffer->mutable_data() + skipped, static_cast<std::size_t>(size)}});
    buffers.push_back(std::move(buffer));
  }
  file_.read_many(requests);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    for (const std::size_t i : blocks[b].wishes) {
      const Wish& wish = wishes_[i];
      const std::int64_t at = offset_of(wish.buffer) + wish.begin - blocks[b].begin;
      const ReadBytes bytes{
          .data = requests[b].into.data() + at, .size = wish.size, .owner = buffers[b]};
      done_[i] = aligned(is_compressed() ? decompressed(wish, bytes) : bytes, wish.alignment);
    }
  }
  if (!is_compressed()) return;
  for (std::size_t i = 0; i < wishes_.size(); ++i) {
    if (done_[i].size >= wishes_[i].least) continue;
    fail(file_, kBuffer, wishes_[i].buffer.location,
         formatted("{} bytes decompressed, where the array needs {}", done_[i].size,
                   wishes_[i].least));
  }
}

ReadBytes BufferReads::aligned(ReadBytes bytes, std::int64_t alignment) const {
  const auto address = reinterpret_cast<std::uintptr_t>(bytes.data);
  if (address % static_cast<std::uintptr_t>(alignment) == 0) return bytes;
  auto copy = std::make_shared<Buffer>();
  copy->resize(bytes.size);
  std::memcpy(copy->mutable_data(), bytes.data, static_cast<std::size_t>(bytes.size));
  const std::byte* const data = copy->data();
  return {.data = data, .size = bytes.size, .owner = std::move(copy)};
}

ReadBytes BufferReads::decompressed(const Wish& wish, const ReadBytes& bytes) {
  const auto fail_here = [&](std::string found) {
    fail(file_, kCompression, offset_of(wish.buffer), std::move(found));
  };
  if (bytes.size < kSizeBytes) fail_here(formatted("a buffer of {} bytes", bytes.size));
  const auto size = internal::load<std::int64_t>(bytes.data);
  const std::int64_t compressed = bytes.size - kSizeBytes;
  if (size == -1) {
    if (compressed == 0) return {.data = no_values()};
    return {.data = bytes.data + kSizeBytes, .size = compressed, .owner = bytes.owner};
  }
  if (size < 0 || size / ratio_max(codec_) > compressed) {
    fail_here(formatted("{} bytes before compression, and {} behind it", size, compressed));
  }
  if (size == 0) return {.data = no_values()};
  if (!decompressor_) decompressor_ = std::make_unique<IpcDecompressor>(codec_);
  auto buffer = std::make_shared<Buffer>();
  const std::string error = decompressor_->decompress(
      {bytes.data + kSizeBytes, static_cast<std::size_t>(compressed)}, size, *buffer);
  if (!error.empty()) fail_here(error);
  const std::byte* const data = buffer->data();
  return {.data = data, .size = size, .owner = std::move(buffer)};
}

}  // namespace sheaf::arrow
