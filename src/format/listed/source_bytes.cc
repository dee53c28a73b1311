#include "format/listed/source_bytes.h"

#include <algorithm>

#include "sheaf/extend/interruption.h"

namespace sheaf::internal {

void append_requests(std::int64_t offset, std::span<std::byte> into, std::int64_t read_size_bytes,
                     std::vector<ByteSource::Request>& requests) {
  while (!into.empty()) {
    const auto piece = into.first(std::min(into.size(), static_cast<std::size_t>(read_size_bytes)));
    requests.push_back({offset, piece});
    offset += std::ssize(piece);
    into = into.subspan(piece.size());
  }
}

void read_bytes(const ByteSource& source, std::int64_t offset, std::span<std::byte> into,
                std::int64_t read_size_bytes) {
  while (!into.empty()) {
    check_interruption();
    const auto piece = into.first(std::min(into.size(), static_cast<std::size_t>(read_size_bytes)));
    source.read_at(offset, piece);
    offset += std::ssize(piece);
    into = into.subspan(piece.size());
  }
}

}  // namespace sheaf::internal
