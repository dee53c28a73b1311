#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/extend/packer.h"

#include "base/prefetch.h"
#include "base/text.h"

namespace sheaf {
namespace {

constexpr std::int64_t kLongRun = 4;  // in sequences; longer runs need no prefetching

std::string listed(std::span<const Stream> streams) {
  std::string text;
  for (const Stream& stream : streams) text += (text.empty() ? "" : ", ") + to_string(stream);
  return text.empty() ? "none" : text;
}

// Returns whether a key is a text, with an empty `text` for a number. The empty text is a key, too.
bool is_text_key(const SequenceKey& key, std::string_view text) noexcept {
  return !text.empty() || (key.high != 0 && key == key_of_text(""));
}

// Returns the text of a key. Returns nothing if keys are numbers.
std::optional<std::string_view> text_in(const Chunk& chunk, std::int64_t sequence) {
  if (!chunk.has_key_texts()) return std::nullopt;
  return chunk.key_text(sequence);
}

template <typename T>
void make_room(std::vector<T>& list) {
  if (list.size() == list.capacity()) list.reserve(std::max<std::size_t>(16, 2 * list.size()));
}

}  // namespace

SequenceList::SequenceList(std::shared_ptr<const std::vector<Stream>> streams)
    : streams_(std::move(streams)) {
  of_streams_.reserve(streams_->size());
  for (const Stream& stream : *streams_) {
    of_streams_.push_back({.views = {},
                           .value_size = element_size(stream.element_type),
                           .index_size = element_size(stream.index_type),
                           .offered = {}});
  }
}

void SequenceList::reserve(std::int64_t sequence_count) {
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(0, sequence_count));
  keys_.reserve(count);
  for (OfStream& of_stream : of_streams_) of_stream.views.reserve(count);
}

// Appends everything, or nothing if memory runs out. Numeric keys have no texts, and whole
// sequences have no slices, so these lists stay empty until the first text or slice.
template <typename ViewOf>
void SequenceList::append(const SequenceKey& key, std::optional<std::string_view> text,
                          const SequenceSlice* slice, const ViewOf& view_of) {
  make_room(keys_);
  for (OfStream& of_stream : of_streams_) make_room(of_stream.views);
  const bool has_slices = slice != nullptr || !slices_.empty();
  if (has_slices && slices_.capacity() < keys_.capacity()) slices_.reserve(keys_.capacity());
  if (text || !key_texts_.empty()) {
    if (key_texts_.capacity() < keys_.capacity()) key_texts_.reserve(keys_.capacity());
    if (key_texts_.size() < keys_.size()) key_texts_.resize(keys_.size());
    key_texts_.push_back(text.value_or(std::string_view()));
  }
  keys_.push_back(key);
  std::int64_t stream = 0;
  for (OfStream& of_stream : of_streams_) {
    const SequenceView& view = of_stream.views.emplace_back(view_of(stream++));
    prefetch_values(std::span(&view, 1), of_stream);
  }
  if (!has_slices) return;
  fill_slices(keys_.size() - (slice != nullptr ? 1 : 0));
  if (slice != nullptr) slices_.push_back(*slice);
}

// Adds slices for whole sequences, up to sequence number `end`.
void SequenceList::fill_slices(std::size_t end) {
  while (slices_.size() < end) slices_.push_back(whole_slice(slices_.size()));
}

SequenceSlice SequenceList::whole_slice(std::size_t sequence) const noexcept {
  SequenceSlice slice;
  for (const OfStream& of_stream : of_streams_) {
    slice.count = std::max(slice.count, of_stream.views[sequence].sample_count);
  }
  slice.sequence_sample_count = slice.count;
  return slice;
}

void SequenceList::add(const SequenceKey& key, const Chunk& chunk, std::int64_t sequence) {
  assert(chunk.stream_count() == std::ssize(of_streams_));
  assert(!chunk.is_hole(sequence));
  append(key, text_in(chunk, sequence), nullptr,
         [&](std::int64_t stream) { return chunk.view(stream, sequence); });
}

void SequenceList::add(std::span<const SequenceKey> keys, const Chunk& chunk, std::int64_t first) {
  const ChunkRun run{&chunk, first, std::ssize(keys)};
  add(keys, std::span(&run, 1));
}

// Appends everything, or nothing if memory runs out.
void SequenceList::add(std::span<const SequenceKey> keys, std::span<const ChunkRun> runs) {
  assert(slices_.empty());
  const std::size_t before = keys_.size();
  const std::size_t end = before + keys.size();
  make_room_for(end);
  const bool has_texts = !key_texts_.empty() || std::ranges::any_of(runs, [](const ChunkRun& run) {
    return run.count > 0 && run.chunk->has_key_texts();
  });
  if (has_texts) {
    key_texts_.reserve(end);
    key_texts_.resize(before);
    for (const ChunkRun& run : runs) {
      for (std::int64_t i = 0; i < run.count; ++i) {
        key_texts_.push_back(run.chunk->key_text(run.first + i));
      }
    }
  }
  keys_.insert(keys_.end(), keys.begin(), keys.end());
  // Scattered sequences are not in the processor's caches. Prefetched values arrive before they are
  // copied.
  const bool is_scattered = std::ssize(keys) <= kLongRun * std::ssize(runs);
  for (std::size_t s = 0; s < of_streams_.size(); ++s) {
    OfStream& of_stream = of_streams_[s];
    of_stream.views.resize(end);
    SequenceView* out = of_stream.views.data() + before;
    for (const ChunkRun& run : runs) {
      run.chunk->write_views(static_cast<std::int64_t>(s), run.first, run.count, out);
      if (is_scattered) {
        prefetch_values({out, static_cast<std::size_t>(run.count)}, of_stream);
      }
      out += run.count;
    }
    assert(out == of_stream.views.data() + end);
  }
}

// Appends everything, or nothing if memory runs out.
void SequenceList::add(std::span<const SequenceKey> keys, std::span<const std::string_view> texts,
                       std::span<const SequenceView> views, std::span<const SequenceSlice> slices,
                       std::span<const std::int64_t> slots) {
  const std::size_t stream_count = of_streams_.size();
  assert(texts.size() == keys.size());
  assert(views.size() == keys.size() * stream_count);
  assert(slices.empty() || slices.size() == keys.size());
  assert(slots.empty() || slots.size() == keys.size());
  const std::size_t before = keys_.size();
  const std::size_t end = before + keys.size();
  const bool has_slices = !slices.empty() || !slices_.empty();
  bool has_texts = !key_texts_.empty();
  for (std::size_t i = 0; i < keys.size() && !has_texts; ++i) {
    has_texts = is_text_key(keys[i], texts[i]);
  }
  make_room_for(end);
  if (has_texts) key_texts_.reserve(keys_.capacity());
  if (has_slices) slices_.reserve(keys_.capacity());
  if (!slots.empty()) slots_.reserve(keys_.capacity());

  if (has_texts) {
    key_texts_.resize(before);
    key_texts_.insert(key_texts_.end(), texts.begin(), texts.end());
  }
  keys_.insert(keys_.end(), keys.begin(), keys.end());
  for (std::size_t s = 0; s < stream_count; ++s) {
    OfStream& of_stream = of_streams_[s];
    for (std::size_t i = s; i < views.size(); i += stream_count) {
      of_stream.views.push_back(views[i]);
    }
    prefetch_values(std::span(of_stream.views).subspan(before), of_stream);
  }
  if (has_slices) {
    fill_slices(slices.empty() ? end : before);
    slices_.insert(slices_.end(), slices.begin(), slices.end());
  }
  slots_.insert(slots_.end(), slots.begin(), slots.end());
}

// Grows the lists geometrically.
void SequenceList::make_room_for(std::size_t sequence_count) {
  const bool has_room = sequence_count <= keys_.capacity() &&
                        std::ranges::all_of(of_streams_, [&](const OfStream& of_stream) {
                          return sequence_count <= of_stream.views.capacity();
                        });
  if (!has_room) {
    reserve(static_cast<std::int64_t>(std::max(sequence_count, 2 * keys_.size())));
  }
}

void SequenceList::prefetch_values(std::span<const SequenceView> views,
                                   const OfStream& of_stream) noexcept {
  for (const SequenceView& view : views) {
    internal::prefetch(view.values, view.value_count * of_stream.value_size);
    if (view.indices != nullptr) {
      internal::prefetch(view.indices, view.value_count * of_stream.index_size);
    }
  }
}

void SequenceList::clear() noexcept {
  keys_.clear();
  key_texts_.clear();
  slices_.clear();
  slots_.clear();
  costs_.clear();
  for (OfStream& of_stream : of_streams_) {
    of_stream.views.clear();
    of_stream.offered = {};
  }
}

void SequenceList::add(const SequenceKey& key, const Chunk& chunk, std::int64_t sequence,
                       SampleRange slice) {
  assert(chunk.stream_count() == std::ssize(of_streams_));
  assert(!chunk.is_hole(sequence));
  assert(slice.first >= 0 && slice.count >= 0);
  SequenceSlice part{slice.first, slice.count, 0};
  for (std::int64_t stream = 0; stream < chunk.stream_count(); ++stream) {
    part.sequence_sample_count =
        std::max(part.sequence_sample_count, chunk.view(stream, sequence).sample_count);
  }
  if (slice.count == SampleRange::kAll) part.count = part.sequence_sample_count;
  append(key, text_in(chunk, sequence), &part, [&](std::int64_t stream) {
    return part_of_view(chunk.view(stream, sequence), (*streams_)[static_cast<std::size_t>(stream)],
                        slice);
  });
}

void SequenceList::add(const SequenceKey& key, const Chunk& chunk, std::int64_t sequence,
                       SampleRange slice, std::int64_t slot) {
  make_room(slots_);
  add(key, chunk, sequence, slice);
  slots_.push_back(slot);
}

void SequenceList::add(const SequenceKey& key, std::string_view text,
                       std::span<const SequenceView> views,
                       const std::optional<SequenceSlice>& slice,
                       const std::optional<std::int64_t>& slot) {
  assert(views.size() == of_streams_.size());
  if (slot) make_room(slots_);
  const bool has_text = is_text_key(key, text);
  append(key, has_text ? std::optional(text) : std::nullopt, slice ? &*slice : nullptr,
         [&](std::int64_t stream) { return views[static_cast<std::size_t>(stream)]; });
  if (slot) slots_.push_back(*slot);
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
  for (std::int64_t i = 0; i < std::ssize(streams); ++i) {
    if (minibatch.has_views(i)) continue;
    const Layout layout = minibatch.batch(i).layout;
    const bool has_slots = layout == Layout::packed || layout == Layout::truncated;
    throw ConfigError(formatted(
        "a `{}` minibatch {}cannot be packed again: samples of a sequence do not lie together "
        "there; deliver `ragged` ones to pack them later",
        to_string(layout),
        has_slots ? ""
                  : formatted("whose stream \"{}\" has samples of variable shape ",
                              streams[static_cast<std::size_t>(i)].name)));
  }
  const SequenceKey& key = minibatch.keys()[static_cast<std::size_t>(sequence)];
  const std::span<const std::string_view> texts = minibatch.key_texts();
  const std::span<const SequenceSlice> slices = minibatch.slices();
  const std::span<const std::int64_t> costs = minibatch.costs();
  if (!costs.empty()) make_room(costs_);
  append(key,
         texts.empty() ? std::nullopt : std::optional(texts[static_cast<std::size_t>(sequence)]),
         slices.empty() ? nullptr : &slices[static_cast<std::size_t>(sequence)],
         [&](std::int64_t stream) { return minibatch.view(stream, sequence); });
  if (!costs.empty()) costs_.push_back(costs[static_cast<std::size_t>(sequence)]);
}

}  // namespace sheaf
