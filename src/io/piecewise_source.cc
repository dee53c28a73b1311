#include "io/piecewise_source.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace sheaf::internal {

PiecewiseSource::PiecewiseSource(std::shared_ptr<const ByteSource> source,
                                 std::int64_t read_size_bytes)
    : source_(std::move(source)), read_size_(read_size_bytes) {}

void PiecewiseSource::read_at(std::int64_t offset, std::span<std::byte> into) const {
  while (!into.empty()) {
    const auto piece = into.first(std::min(into.size(), static_cast<std::size_t>(read_size_)));
    source_->read_at(offset, piece);
    offset += std::ssize(piece);
    into = into.subspan(piece.size());
  }
}

void PiecewiseSource::read_many(std::span<const Request> requests) const {
  std::vector<Request> pieces;
  for (Request request : requests) {
    while (!request.into.empty()) {
      const std::size_t size = std::min(request.into.size(), static_cast<std::size_t>(read_size_));
      pieces.push_back({request.offset, request.into.first(size)});
      request.offset += static_cast<std::int64_t>(size);
      request.into = request.into.subspan(size);
    }
  }
  source_->read_many(pieces);
}

}  // namespace sheaf::internal
