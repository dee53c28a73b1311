#include "user/user_columns.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "user/user_buffers.h"

namespace sheaf::python {
namespace {

template <typename T>
std::span<const T> as(const std::shared_ptr<const Loan>& loan) {
  const std::span<const std::byte> bytes = loan->bytes();
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

Buffer borrowed(const std::shared_ptr<const Loan>& loan) {
  return loan->bytes().empty() ? Buffer() : Buffer::borrow(loan->bytes(), loan);
}

/// Checks an answer and makes columns of it.
class Maker {
 public:
  Maker(const UserCall& call, std::span<const Stream> streams, const std::string& name)
      : call_(call),
        streams_(streams),
        name_(name),
        rows_(call.table->sequences(call.range.chunk)),
        count_(call.range.count) {}

  UserChunk make();

 private:
  [[nodiscard]] std::int64_t table_count(std::int64_t i) const {
    return rows_->sample_count(call_.range.first + i);
  }
  [[nodiscard]] std::int64_t length(std::size_t stream, std::int64_t i) const {
    const auto& lengths = call_.streams[stream].lengths;
    return lengths ? as<std::int64_t>(lengths)[static_cast<std::size_t>(i)] : table_count(i);
  }
  void add_error(std::int64_t i, const Stream* stream, const char* code, std::string expected,
                 std::string found);
  void check_lengths();
  template <typename Index>
  void check_indices(std::size_t stream, std::span<const Index> indices);
  [[nodiscard]] bool all_have_one(std::size_t stream) const;
  [[nodiscard]] Column column(std::size_t stream) const;
  [[nodiscard]] Buffer indices_of(std::size_t stream) const;
  [[nodiscard]] Column without_holes(std::size_t stream, const Column& column,
                                     std::span<const std::int64_t> holes) const;

  const UserCall& call_;
  const std::span<const Stream> streams_;
  const std::string& name_;
  const std::shared_ptr<const SequenceTable> rows_;
  const std::int64_t count_;
  std::map<std::int64_t, std::vector<Diagnostic>> errors_;  // errors by sequence
};

void Maker::add_error(std::int64_t i, const Stream* stream, const char* code, std::string expected,
                      std::string found) {
  const ChunkIndex chunk = call_.range.chunk;
  Diagnostic& error = errors_[i].emplace_back();
  error.path = name_ + ": chunk " + std::to_string(static_cast<std::int64_t>(chunk));
  error.byte_offset = Diagnostic::kNoOffset;
  error.sequence_key = call_.table->key_words(chunk, call_.range.first + i);
  if (stream != nullptr) error.stream = stream->name;
  error.code = code;
  error.expected = std::move(expected);
  error.found = std::move(found);
}

// Checks that sequences have the lengths in the table of the chunk, which the order has used.
void Maker::check_lengths() {
  std::optional<std::size_t> defining;
  bool are_given = false;
  for (std::size_t s = 0; s < streams_.size(); ++s) {
    if (streams_[s].defines_minibatch_size) defining = s;
    are_given = are_given || call_.streams[s].lengths != nullptr;
  }
  if (!are_given) return;
  for (std::int64_t i = 0; i < count_; ++i) {
    std::size_t longest = defining.value_or(0);
    for (std::size_t s = 0; !defining && s < streams_.size(); ++s) {
      if (length(s, i) > length(longest, i)) longest = s;
    }
    if (length(longest, i) == table_count(i) || errors_.contains(i)) continue;
    add_error(i, &streams_[longest], "python-length",
              std::to_string(table_count(i)) + " samples, as chunks() has it",
              std::to_string(length(longest, i)));
  }
}

// Checks that the indices of each sample rise and are below dim.
template <typename Index>
void Maker::check_indices(std::size_t stream, std::span<const Index> indices) {
  const std::int64_t dim = streams_[stream].sample_shape.size();
  const std::span<const std::int64_t> samples =
      as<std::int64_t>(call_.streams[stream].sample_offsets);
  std::int64_t sample = 0;
  for (std::int64_t i = 0; i < count_; ++i) {
    const std::int64_t end = sample + length(stream, i);
    bool is_right = true;
    for (; sample < end; ++sample) {
      std::int64_t least = 0;
      for (auto k = static_cast<std::size_t>(samples[static_cast<std::size_t>(sample)]);
           is_right && k < static_cast<std::size_t>(samples[static_cast<std::size_t>(sample) + 1]);
           ++k) {
        const std::int64_t index = indices[k];
        is_right = index >= least && index < dim;
        least = index + 1;
        if (is_right) continue;
        const bool is_outside = index < 0 || index >= dim;
        add_error(i, &streams_[stream], "python-index",
                  is_outside ? "an index below " + std::to_string(dim)
                             : "indices that rise within a sample",
                  is_outside ? std::to_string(index)
                             : std::to_string(index) + " behind " + std::to_string(indices[k - 1]));
      }
    }
  }
}

bool Maker::all_have_one(std::size_t stream) const {
  for (std::int64_t i = 0; i < count_; ++i) {
    if (length(stream, i) != 1) return false;
  }
  return true;
}

// Returns the indices in the type of the stream.
Buffer Maker::indices_of(std::size_t stream) const {
  const UserArrays& arrays = call_.streams[stream];
  const bool wants_long = streams_[stream].index_type == ElementType::i64;
  if (wants_long == arrays.has_long_indices) return borrowed(arrays.indices);
  Buffer cast;
  if (wants_long) {
    for (const std::int32_t index : as<std::int32_t>(arrays.indices)) {
      cast.push_back(std::int64_t{index});
    }
  } else {
    for (const std::int64_t index : as<std::int64_t>(arrays.indices)) {
      cast.push_back(static_cast<std::int32_t>(index));
    }
  }
  return cast;
}

Column Maker::column(std::size_t stream) const {
  const UserArrays& arrays = call_.streams[stream];
  Column column;
  column.values = borrowed(arrays.values);
  if (arrays.indices) column.indices = indices_of(stream);
  if (arrays.sample_offsets) column.sample_offsets = borrowed(arrays.sample_offsets);
  if (arrays.extents) column.extents = borrowed(arrays.extents);
  if (arrays.presence) column.presence = borrowed(arrays.presence);
  if (!all_have_one(stream)) {
    column.sequence_offsets = offsets_of(count_, [&](std::int64_t i) { return length(stream, i); });
  }
  return column;
}

// Returns a copy of a column without the samples of holes.
Column Maker::without_holes(std::size_t stream, const Column& column,
                            std::span<const std::int64_t> holes) const {
  const Stream& its = streams_[stream];
  const std::int64_t value_size = element_size(its.element_type);
  const bool is_sparse = its.storage == Storage::sparse;
  const bool has_offsets = has_sample_offsets(its);
  const std::int64_t extents_size = its.sample_shape.rank() * kOffsetSize;
  Column kept;
  if (has_offsets) kept.sample_offsets.push_back(std::int64_t{0});
  std::int64_t values = 0;
  std::int64_t sample = 0;
  const auto append = [](Buffer& into, const Buffer& from, std::int64_t begin, std::int64_t end) {
    const std::int64_t old = into.size_bytes();
    into.resize(old + end - begin);
    if (end > begin) {
      std::memcpy(into.mutable_data() + old, from.data() + begin,
                  static_cast<std::size_t>(end - begin));
    }
  };
  const auto offsets = column.sample_offsets.as<std::int64_t>();
  const auto value_of = [&](std::int64_t s) {
    return has_offsets ? offsets[static_cast<std::size_t>(s)] : s * its.sample_shape.size();
  };
  for (std::int64_t i = 0; i < count_; ++i) {
    const std::int64_t end = sample + length(stream, i);
    if (!std::ranges::binary_search(holes, i)) {
      append(kept.values, column.values, value_of(sample) * value_size, value_of(end) * value_size);
      if (is_sparse) {
        const std::int64_t index_size = element_size(its.index_type);
        append(kept.indices, column.indices, value_of(sample) * index_size,
               value_of(end) * index_size);
      }
      if (has_offsets && !is_sparse) {
        append(kept.extents, column.extents, sample * extents_size, end * extents_size);
      }
      for (std::int64_t s = sample; has_offsets && s < end; ++s) {
        values += value_of(s + 1) - value_of(s);
        kept.sample_offsets.push_back(values);
      }
    }
    sample = end;
  }
  kept.sequence_offsets = offsets_of(count_, [&](std::int64_t i) {
    return std::ranges::binary_search(holes, i) ? 0 : length(stream, i);
  });
  if (!column.presence.empty()) kept.presence = copy_of(column.presence.as<std::byte>());
  return kept;
}

UserChunk Maker::make() {
  for (const BadSequence& bad : call_.bad) {
    add_error(bad.sequence, nullptr, "python-bad", "a sequence that can be read", bad.reason);
  }
  check_lengths();
  for (std::size_t s = 0; s < streams_.size(); ++s) {
    const UserArrays& arrays = call_.streams[s];
    if (!arrays.indices) continue;
    if (arrays.has_long_indices) {
      check_indices(s, as<std::int64_t>(arrays.indices));
    } else {
      check_indices(s, as<std::int32_t>(arrays.indices));
    }
  }
  std::vector<std::int64_t> holes;
  std::vector<UserChunk::Error> errors;
  for (auto& [i, found] : errors_) {
    holes.push_back(i);
    for (Diagnostic& diagnostic : found) errors.push_back({i, std::move(diagnostic)});
  }
  std::vector<Column> columns;
  for (std::size_t s = 0; s < streams_.size(); ++s) {
    Column all = column(s);
    columns.push_back(holes.empty() ? std::move(all) : without_holes(s, all, holes));
  }
  return {call_.range.first, Chunk(streams_, count_, std::move(columns), std::move(holes)),
          std::move(errors)};
}

}  // namespace

UserChunk user_chunk(const UserCall& call, std::span<const Stream> streams,
                     const std::string& name) {
  return Maker(call, streams, name).make();
}

}  // namespace sheaf::python
