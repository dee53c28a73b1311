#include "format/cbf/cbf_read_ahead.h"

#include <algorithm>
#include <utility>

namespace sheaf::cbf {
namespace {

std::shared_ptr<const Buffer> read_bytes(const ByteSource& source, std::int64_t offset,
                                         std::int64_t size_bytes) {
  Buffer buffer;
  buffer.reserve(size_bytes);
  buffer.resize(size_bytes);
  source.read_at(offset, {buffer.mutable_data(), static_cast<std::size_t>(size_bytes)});
  return std::make_shared<const Buffer>(std::move(buffer));
}

SharedBytes part_of(const std::shared_ptr<const Buffer>& bytes, std::int64_t begin,
                    std::int64_t size) {
  return {std::span(bytes->data() + begin, static_cast<std::size_t>(size)), bytes};
}

}  // namespace

SharedBytes ReadAhead::read(std::int64_t offset, std::int64_t size_bytes) const {
  const std::int64_t end = offset + size_bytes;
  if (size_bytes <= piece_size() / 4) {
    const std::scoped_lock lock(mutex_);
    for (const Piece& piece : pieces_) {
      if (offset >= piece.offset && end <= piece.offset + piece.bytes->size_bytes()) {
        last_end_ = std::max(last_end_, end);
        return part_of(piece.bytes, offset - piece.offset, size_bytes);
      }
    }
    // Reads that are less than a piece apart still count as in order.
    const bool is_next = last_end_ >= 0 && offset >= last_end_ && offset - last_end_ < piece_size();
    last_end_ = end;
    if (is_next) {
      // Keep the lock while reading, because the caller of the next range needs this piece, too.
      auto bytes = read_bytes(source_, offset, std::min(piece_size(), end_offset_ - offset));
      if (pieces_.size() == kPiecesMax) pieces_.pop_front();
      pieces_.push_back({offset, bytes});
      ++piece_count_;
      return part_of(bytes, 0, size_bytes);
    }
  }
  return part_of(read_bytes(source_, offset, size_bytes), 0, size_bytes);
}

std::int64_t ReadAhead::piece_count() const {
  const std::scoped_lock lock(mutex_);
  return piece_count_;
}

}  // namespace sheaf::cbf
