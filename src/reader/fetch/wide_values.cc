#include "reader/fetch/wide_values.h"

#include <string>
#include <utility>

#include "sheaf/extend/buffer.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kOffsetSize = sizeof(std::int64_t);

Buffer buffer_of_size(std::int64_t size_bytes,
                      std::pmr::memory_resource& memory = default_memory()) {
  Buffer buffer(memory);
  buffer.reserve(size_bytes);
  buffer.resize(size_bytes);
  return buffer;
}

}  // namespace

WideValues::WideValues(std::span<const Stream> streams) : streams_(streams), last_(streams.size()) {
  of_streams_.resize(streams.size());
  for (std::size_t s = 0; s < streams.size(); ++s) {
    const bool is_sparse = streams[s].storage == Storage::sparse;
    of_streams_[s].value_size = element_size(streams[s].element_type);
    of_streams_[s].index_size = is_sparse ? element_size(streams[s].index_type) : 0;
  }
}

void WideValues::clear() noexcept {
  chunks_.clear();
  sequences_.clear();
  for (OfStream& stream : of_streams_) {
    stream.sample_count = stream.value_count = 0;
    stream.all_have_one = stream.all_have_equal = stream.all_are_present = true;
    stream.stored.clear();
  }
}

void WideValues::add_stored(const HeldChunk& chunk, std::int64_t number,
                            const HeldChunk::StoredSequence& stored) {
  chunk.prefetch_values(number, stored);  // the values arrive before they are widened
  OfStream& stream = of_streams_[static_cast<std::size_t>(number)];
  stream.sample_count += stored.sample_count;
  stream.value_count += stored.value_count;
  stream.all_have_one &= stored.sample_count == 1;
  stream.all_are_present &= stored.is_present;
  stream.stored.push_back(stored);
  stream.all_have_equal &= stored.sample_count == stream.stored.front().sample_count;
}

void WideValues::add(const HeldChunk& chunk, std::int64_t first, std::int64_t count) {
  chunks_.insert(chunks_.end(), static_cast<std::size_t>(count), &chunk);
  for (std::int64_t i = first; i < first + count; ++i) sequences_.push_back(i);
  for (std::int64_t s = 0; s < std::ssize(of_streams_); ++s) {
    for (std::int64_t i = first; i < first + count; ++i) {
      add_stored(chunk, s, chunk.stored_sequence(s, i, {0, SampleRange::kAll}));
    }
  }
}

std::span<const HeldChunk::StoredSequence> WideValues::add(const HeldChunk& chunk,
                                                           std::int64_t sequence,
                                                           const SampleRange& range) {
  chunks_.push_back(&chunk);
  sequences_.push_back(sequence);
  for (std::int64_t s = 0; s < std::ssize(of_streams_); ++s) {
    HeldChunk::StoredSequence& stored = last_[static_cast<std::size_t>(s)];
    stored = chunk.stored_sequence(s, sequence, range);
    add_stored(chunk, s, stored);
  }
  return last_;
}

Chunk WideValues::take(std::pmr::memory_resource& memory) {
  std::vector<Column> columns;
  columns.reserve(of_streams_.size());
  for (const OfStream& stream : of_streams_) {
    columns.push_back(widened(std::ssize(columns), stream, memory));
  }
  Chunk chunk(streams_, size(), std::move(columns));
  if (std::vector<std::string> texts = key_texts(); !texts.empty()) {
    chunk.set_key_texts(std::move(texts));
  }
  clear();
  return chunk;
}

// All keys of a data set have texts, or none has.
std::vector<std::string> WideValues::key_texts() const {
  std::vector<std::string> texts;
  if (chunks_.empty() || !chunks_[0]->rows().has_key_texts()) return texts;
  texts.reserve(chunks_.size());
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    texts.emplace_back(chunks_[i]->rows().key_text(sequences_[i]));
  }
  return texts;
}

Column WideValues::widened(std::int64_t number, const OfStream& stream,
                           std::pmr::memory_resource& memory) const {
  const bool is_sparse = stream.index_size > 0;
  std::pmr::memory_resource& from = is_even(number) ? memory : default_memory();
  Column column;
  column.values = buffer_of_size(stream.value_count * stream.value_size, from);
  column.indices = buffer_of_size(stream.value_count * stream.index_size, from);
  if (is_sparse) {
    column.sample_offsets = buffer_of_size((stream.sample_count + 1) * kOffsetSize);
    column.sample_offsets.as_mutable<std::int64_t>()[0] = 0;
  }
  if (!stream.all_have_one) {
    column.sequence_offsets = buffer_of_size((size() + 1) * kOffsetSize);
    std::int64_t* end = column.sequence_offsets.as_mutable<std::int64_t>().data();
    *end = 0;
    for (const HeldChunk::StoredSequence& stored : stream.stored) {
      end[1] = end[0] + stored.sample_count;
      ++end;
    }
  }
  if (!stream.all_are_present) {
    column.presence.reserve(size());
    for (const HeldChunk::StoredSequence& stored : stream.stored) {
      column.presence.push_back(std::uint8_t{stored.is_present});
    }
  }
  std::byte* values = column.values.mutable_data();
  std::byte* indices = column.indices.mutable_data();
  std::int64_t* ends =
      is_sparse ? column.sample_offsets.as_mutable<std::int64_t>().data() + 1 : nullptr;
  std::int64_t value_count = 0;
  for (std::size_t i = 0; i < stream.stored.size(); ++i) {
    const HeldChunk::StoredSequence& stored = stream.stored[i];
    chunks_[i]->widen(number, stored, values, indices, ends, value_count);
    values += stored.value_count * stream.value_size;
    value_count += stored.value_count;
    if (!is_sparse) continue;
    indices += stored.value_count * stream.index_size;
    ends += stored.sample_count;
  }
  return column;
}

}  // namespace sheaf::internal
