#include "reader/fetch/wide_values.h"

#include <algorithm>

namespace sheaf::internal {

WideValues::WideValues(std::span<const Stream> streams) : views_(streams.size()) {
  of_streams_.reserve(streams.size());
  for (const Stream& stream : streams) {
    const bool is_sparse = stream.storage == Storage::sparse;
    of_streams_.push_back({.value_size = element_size(stream.element_type),
                           .index_size = is_sparse ? element_size(stream.index_type) : 0});
  }
}

void WideValues::clear() noexcept {
  for (OfStream& stream : of_streams_) {
    stream.sample_count = stream.value_count = 0;
    stream.items.clear();
  }
  size_ = 0;
}

std::span<const SequenceView> WideValues::add(const HeldChunk& chunk, std::int64_t sequence,
                                              const SampleRange& range) {
  whole_count_ = 0;
  for (std::size_t s = 0; s < of_streams_.size(); ++s) {
    OfStream& stream = of_streams_[s];
    const auto number = static_cast<std::int64_t>(s);
    const HeldChunk::Place place = chunk.place_of(number, sequence, range);
    chunk.prefetch_values(number, place);  // by the time that they are widened, they have come
    whole_count_ = std::max(whole_count_, place.whole_count);
    stream.sample_count += place.sample_count;
    stream.value_count += place.value_count;
    SequenceView& view = views_[s];
    view = {};
    view.sample_count = place.sample_count;
    view.value_count = place.value_count;
    view.is_present = place.is_present;
    stream.items.push_back({&chunk, place, view});
  }
  ++size_;
  return views_;
}

void WideValues::widen() {
  constexpr std::int64_t kOffsetSize = sizeof(std::int64_t);
  const auto resize = [](Buffer& buffer, std::int64_t size_bytes) {
    buffer.resize(0);  // nothing of it has to be kept
    buffer.resize(size_bytes);
  };
  for (std::size_t s = 0; s < of_streams_.size(); ++s) {
    OfStream& stream = of_streams_[s];
    const bool is_sparse = stream.index_size > 0;
    resize(stream.values, stream.value_count * stream.value_size);
    resize(stream.indices, stream.value_count * stream.index_size);
    resize(stream.sample_offsets, is_sparse ? (stream.sample_count + size_) * kOffsetSize : 0);
    std::byte* values = stream.values.mutable_data();
    std::byte* indices = stream.indices.mutable_data();
    std::int64_t* offsets = stream.sample_offsets.as_mutable<std::int64_t>().data();
    for (Item& item : stream.items) {
      item.chunk->widen(static_cast<std::int64_t>(s), item.place, values, indices, offsets);
      item.view.values = values;
      values += item.place.value_count * stream.value_size;
      if (!is_sparse) continue;
      item.view.indices = indices;
      item.view.sample_offsets = offsets;
      indices += item.place.value_count * stream.index_size;
      offsets += item.place.sample_count + 1;
    }
  }
}

}  // namespace sheaf::internal
