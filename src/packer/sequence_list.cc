#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/packer.h"

#include "base/text.h"

namespace sheaf {
namespace {

/// Those of the samples [slice.first, slice.first + slice.count) that the view has. A view cut to
/// nothing is still present: the stream has samples, just not here.
SequenceView cut(const SequenceView& view, const Stream& stream, SampleRange slice) {
  const std::int64_t first = std::min(slice.first, view.sample_count);
  SequenceView result = view;
  result.sample_count = std::min(slice.count, view.sample_count - first);
  if (view.sample_count == 0) return result;

  std::int64_t first_value = 0;
  if (view.sample_offsets == nullptr) {
    const std::int64_t sample_size = stream.sample_shape.size();
    first_value = first * sample_size;
    result.value_count = result.sample_count * sample_size;
  } else {
    result.sample_offsets += first;
    first_value = result.sample_offsets[0] - view.sample_offsets[0];
    result.value_count = result.sample_offsets[result.sample_count] - result.sample_offsets[0];
  }
  result.values += first_value * element_size(stream.element_type);
  if (result.indices != nullptr) result.indices += first_value * element_size(stream.index_type);
  if (result.extents != nullptr) result.extents += first * stream.sample_shape.rank();
  return result;
}

std::string listed(std::span<const Stream> streams) {
  std::string text;
  for (const Stream& stream : streams) text += (text.empty() ? "" : ", ") + to_string(stream);
  return text.empty() ? "none" : text;
}

template <typename T>
void make_room(std::vector<T>& list) {
  if (list.size() == list.capacity()) list.reserve(std::max<std::size_t>(16, 2 * list.size()));
}

/// Append a key and the view `view_of(stream)` of each stream: all of them, or none where memory
/// ends.
template <typename ViewOf>
void append(std::vector<SequenceKey>& keys, std::vector<std::vector<SequenceView>>& views,
            const SequenceKey& key, const ViewOf& view_of) {
  make_room(keys);
  for (std::vector<SequenceView>& of_stream : views) make_room(of_stream);
  keys.push_back(key);
  for (std::size_t i = 0; i < views.size(); ++i) {
    views[i].push_back(view_of(static_cast<std::int64_t>(i)));
  }
}

}  // namespace

SequenceList::SequenceList(std::shared_ptr<const std::vector<Stream>> streams)
    : streams_(std::move(streams)), views_(streams_->size()) {}

void SequenceList::add(const SequenceKey& key, const Chunk& chunk, std::int64_t sequence) {
  assert(chunk.stream_count() == std::ssize(views_));
  assert(!chunk.is_hole(sequence));
  append(keys_, views_, key, [&](std::int64_t stream) { return chunk.view(stream, sequence); });
}

void SequenceList::add(const SequenceKey& key, const Chunk& chunk, std::int64_t sequence,
                       SampleRange slice) {
  assert(chunk.stream_count() == std::ssize(views_));
  assert(!chunk.is_hole(sequence));
  assert(slice.first >= 0 && slice.count >= 0);
  append(keys_, views_, key, [&](std::int64_t stream) {
    return cut(chunk.view(stream, sequence), (*streams_)[static_cast<std::size_t>(stream)], slice);
  });
}

void SequenceList::add(const Minibatch& minibatch, std::int64_t sequence) {
  assert(sequence >= 0 && sequence < minibatch.sequence_count());
  const std::span<const Stream> streams = minibatch.streams();
  if (streams.data() != streams_->data() && !std::ranges::equal(streams, *streams_)) {
    throw ConfigError(
        formatted("the minibatch's streams are not those of the list: {}; the list "
                  "takes {}",
                  listed(streams), listed(*streams_)));
  }
  const SequenceKey& key = minibatch.keys()[static_cast<std::size_t>(sequence)];
  append(keys_, views_, key, [&](std::int64_t stream) { return minibatch.view(stream, sequence); });
}

}  // namespace sheaf
