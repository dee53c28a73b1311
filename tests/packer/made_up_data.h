/// \file
/// Data for the tests of packers: as plain values, as a chunk, and back from views.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <memory_resource>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include "sheaf/extend/chunk.h"
#include "sheaf/extend/packer.h"
#include "sheaf/minibatch.h"
#include "sheaf/types.h"

namespace sheaf::testing {

using Bytes = std::vector<std::byte>;
using Streams = std::shared_ptr<const std::vector<Stream>>;

/// One sample as plain values.
struct PlainSample {
  Bytes values;
  Bytes indices;
  std::vector<std::int64_t> extents;

  friend bool operator==(const PlainSample&, const PlainSample&) = default;
};

/// One stream of a sequence, or nothing if the stream is absent.
using PlainSequence = std::optional<std::vector<PlainSample>>;

/// Sequences as plain values: [stream][sequence].
struct PlainData {
  Streams streams;
  std::vector<SequenceKey> keys;
  std::vector<std::vector<PlainSequence>> sequences;
};

template <typename T>
Buffer to_buffer(const std::vector<T>& values) {
  Buffer buffer;
  for (const T& value : values) buffer.push_back(value);
  return buffer;
}

template <typename T>
std::vector<T> to_vector(const Buffer& buffer) {
  const auto values = buffer.as<T>();
  return {values.begin(), values.end()};
}

inline void append(Bytes& all, const Bytes& more) {
  all.insert(all.end(), more.begin(), more.end());
}

inline Column to_column(const Stream& stream, const std::vector<PlainSequence>& sequences) {
  Bytes values;
  Bytes indices;
  std::vector<std::int64_t> sample_offsets = {0};
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> sequence_offsets = {0};
  std::vector<std::uint8_t> presence;
  bool is_absent_somewhere = false;
  bool has_one_sample_each = true;
  for (const PlainSequence& sequence : sequences) {
    presence.push_back(sequence ? 1 : 0);
    is_absent_somewhere |= !sequence;
    for (const PlainSample& sample : sequence.value_or(std::vector<PlainSample>{})) {
      append(values, sample.values);
      append(indices, sample.indices);
      sample_offsets.push_back(std::ssize(values) / element_size(stream.element_type));
      extents.insert(extents.end(), sample.extents.begin(), sample.extents.end());
    }
    has_one_sample_each &= sequence && sequence->size() == 1;
    sequence_offsets.push_back(std::ssize(sample_offsets) - 1);
  }
  const bool is_fixed = stream.sample_shape.is_fixed();
  Column column;
  column.values = to_buffer(values);
  column.indices = to_buffer(indices);
  if (stream.storage == Storage::sparse || !is_fixed) {
    column.sample_offsets = to_buffer(sample_offsets);
  }
  if (!is_fixed) column.extents = to_buffer(extents);
  if (!has_one_sample_each) column.sequence_offsets = to_buffer(sequence_offsets);
  if (is_absent_somewhere) column.presence = to_buffer(presence);
  return column;
}

inline Chunk to_chunk(const PlainData& data) {
  std::vector<Column> columns;
  for (std::size_t i = 0; i < data.sequences.size(); ++i) {
    columns.push_back(to_column((*data.streams)[i], data.sequences[i]));
  }
  return {*data.streams, std::ssize(data.keys), std::move(columns)};
}

/// Returns the content of a view, sample by sample.
inline PlainSequence to_plain(const Stream& stream, const SequenceView& view) {
  if (!view.is_present) return {};
  const std::int64_t value_size = element_size(stream.element_type);
  const std::int64_t index_size =
      stream.storage == Storage::sparse ? element_size(stream.index_type) : 0;
  std::vector<PlainSample> samples;
  std::int64_t first = 0;
  for (std::int64_t i = 0; i < view.sample_count; ++i) {
    const std::int64_t count = view.sample_offsets == nullptr
                                   ? stream.sample_shape.size()
                                   : view.sample_offsets[i + 1] - view.sample_offsets[i];
    PlainSample sample;
    if (count > 0) {
      sample.values.assign(view.values + first * value_size,
                           view.values + (first + count) * value_size);
    }
    if (count > 0 && index_size > 0) {
      sample.indices.assign(view.indices + first * index_size,
                            view.indices + (first + count) * index_size);
    }
    if (view.extents != nullptr) {
      const std::int64_t rank = stream.sample_shape.rank();
      sample.extents.assign(view.extents + i * rank, view.extents + (i + 1) * rank);
    } else if (!stream.sample_shape.is_fixed()) {  // of a sample of bytes, the extent is their
                                                   // number
      sample.extents = {count};
    }
    samples.push_back(std::move(sample));
    first += count;
  }
  RC_ASSERT(first == view.value_count);
  return samples;
}

inline PlainData to_plain(const SequenceList& list) {
  PlainData data = {
      .streams = list.streams(), .keys = {list.keys().begin(), list.keys().end()}, .sequences = {}};
  for (std::size_t i = 0; i < list.streams()->size(); ++i) {
    data.sequences.emplace_back();
    for (const SequenceView& view : list.views(static_cast<std::int64_t>(i))) {
      data.sequences.back().push_back(to_plain((*list.streams())[i], view));
    }
  }
  return data;
}

inline PlainData to_plain(const Minibatch& minibatch, const Streams& streams) {
  SequenceList list(streams);
  for (std::int64_t i = 0; i < minibatch.sequence_count(); ++i) list.add(minibatch, i);
  return to_plain(list);
}

/// Returns whether samples of variable shape are padded to one shape in the array.
inline bool is_padded_shape(const Stream& stream, const StreamBatch& batch) {
  return batch.row_offsets.empty() && !stream.sample_shape.is_fixed();
}

/// Returns the values of a sample in the corner of an array row, by their indices along every axis.
inline Bytes corner_of(const std::byte* row, const Stream& stream, const StreamBatch& batch,
                       const std::vector<std::int64_t>& extents) {
  const auto size = static_cast<std::size_t>(element_size(stream.element_type));
  std::int64_t count = 1;
  for (const std::int64_t extent : extents) count *= extent;
  Bytes values;
  for (std::int64_t number = 0; number < count; ++number) {
    std::int64_t rest = number;
    std::int64_t index = 0;
    std::int64_t step = 1;
    for (std::size_t axis = extents.size(); axis-- > 0;) {
      index += rest % extents[axis] * step;
      rest /= extents[axis];
      step *= batch.row_shape.extents()[axis];
    }
    const std::byte* const value = row + static_cast<std::size_t>(index) * size;
    values.insert(values.end(), value, value + size);
  }
  return values;
}

/// Returns the content of a minibatch of any layout, sample by sample.
inline PlainData to_plain_by_sample(const Minibatch& minibatch, const Streams& streams) {
  PlainData data = {.streams = streams,
                    .keys = {minibatch.keys().begin(), minibatch.keys().end()},
                    .sequences = {}};
  for (std::int64_t i = 0; i < std::ssize(*streams); ++i) {
    const Stream& stream = (*streams)[static_cast<std::size_t>(i)];
    const StreamBatch& batch = minibatch.batch(i);
    data.sequences.emplace_back();
    for (std::int64_t n = 0; n < minibatch.sequence_count(); ++n) {
      PlainSequence& sequence = data.sequences.back().emplace_back();
      const auto at = static_cast<std::size_t>(n);
      if (!batch.presence.empty() && batch.presence.as<std::uint8_t>()[at] == 0) continue;
      sequence.emplace();
      for (std::int64_t t = 0; t < batch.lengths.as<std::int64_t>()[at]; ++t) {
        const SampleView view = minibatch.sample(i, n, t);
        PlainSample& sample = sequence->emplace_back();
        if (is_padded_shape(stream, batch)) {
          sample.extents.assign(view.extents, view.extents + stream.sample_shape.rank());
          sample.values = corner_of(view.values, stream, batch, sample.extents);
          continue;
        }
        const auto bytes = [&](const std::byte* from, ElementType type) {
          const std::int64_t size = view.value_count * element_size(type);
          return size == 0 ? Bytes() : Bytes(from, from + size);
        };
        sample.values = bytes(view.values, stream.element_type);
        if (stream.storage == Storage::sparse) {
          sample.indices = bytes(view.indices, stream.index_type);
        } else {
          RC_ASSERT(view.indices == nullptr);
        }
        if (view.extents != nullptr) {
          sample.extents.assign(view.extents, view.extents + stream.sample_shape.rank());
        } else if (!stream.sample_shape.is_fixed()) {  // of a sample of bytes, the extent is their
                                                       // number
          sample.extents = {view.value_count};
        }
      }
    }
  }
  return data;
}

inline bool operator==(const PlainData& a, const PlainData& b) {
  return *a.streams == *b.streams && a.keys == b.keys && a.sequences == b.sequences;
}

/// Returns all arrays of a minibatch as bytes, and the numbers beside them.
inline std::vector<Bytes> to_arrays(const Minibatch& minibatch) {
  std::vector<Bytes> arrays;
  for (std::int64_t i = 0; i < std::ssize(minibatch.streams()); ++i) {
    const StreamBatch& batch = minibatch.batch(i);
    for (const Buffer* buffer :
         {&batch.values, &batch.indices, &batch.row_offsets, &batch.extents, &batch.lengths,
          &batch.sequence_offsets, &batch.slots, &batch.begins, &batch.mask, &batch.presence}) {
      arrays.emplace_back(buffer->data(), buffer->data() + buffer->size_bytes());
    }
    for (const std::int64_t number :
         {batch.sequence_count, batch.sample_count, batch.sample_count_max, batch.slot_count}) {
      Bytes bytes(sizeof(number));
      std::memcpy(bytes.data(), &number, sizeof(number));
      arrays.push_back(bytes);
    }
    const auto row_shape = std::as_bytes(batch.row_shape.extents());
    arrays.emplace_back(row_shape.begin(), row_shape.end());
  }
  for (const SequenceKey& key : minibatch.keys()) {
    Bytes bytes(sizeof(key));
    std::memcpy(bytes.data(), &key, sizeof(key));
    arrays.push_back(bytes);
  }
  return arrays;
}

/// Returns a list of all sequences of a chunk.
inline SequenceList to_list(const PlainData& data, const Chunk& chunk) {
  SequenceList list(data.streams);
  for (std::size_t i = 0; i < data.keys.size(); ++i) {
    list.add(data.keys[i], chunk, static_cast<std::int64_t>(i));
  }
  return list;
}

// Random data.

/// Returns numbers of [first, last), uniformly in all runs of a property. By default, the first
/// runs would only have small numbers.
template <typename T>
rc::Gen<T> any_of(T first, T last) {
  return rc::gen::resize(rc::kNominalSize, rc::gen::inRange<T>(first, last));
}

/// Returns one or more streams of any kind, with or without variable shape.
inline Streams random_streams(bool with_variable = true) {
  std::vector<Stream> kinds = {
      {.name = "scalar", .element_type = ElementType::u8, .sample_shape = {}},
      {.name = "vector", .element_type = ElementType::f32, .sample_shape = {3}},
      {.name = "matrix", .element_type = ElementType::f64, .sample_shape = {2, 2}},
      {.name = "narrow",
       .element_type = ElementType::f32,
       .sample_shape = {9},
       .storage = Storage::sparse,
       .index_type = ElementType::i32},
      {.name = "wide",
       .element_type = ElementType::f64,
       .sample_shape = {9},
       .storage = Storage::sparse,
       .index_type = ElementType::i64},
      {.name = "blob", .element_type = ElementType::bytes, .sample_shape = {Shape::kVariable}},
  };
  if (with_variable) {
    kinds.push_back({.name = "image",
                     .element_type = ElementType::i32,
                     .sample_shape = {Shape::kVariable, 2, Shape::kVariable}});
    kinds.push_back(
        {.name = "line", .element_type = ElementType::f16, .sample_shape = {Shape::kVariable}});
  }
  auto streams = std::make_shared<std::vector<Stream>>();
  for (const Stream& kind : kinds) {
    if (*rc::gen::arbitrary<bool>()) streams->push_back(kind);
  }
  if (streams->empty()) streams->push_back(*rc::gen::elementOf(kinds));
  return streams;
}

/// Returns the extents of one sample. Extents that vary are random.
inline std::vector<std::int64_t> random_extents(const Stream& stream) {
  std::vector<std::int64_t> extents;
  for (const std::int64_t extent : stream.sample_shape.extents()) {
    extents.push_back(extent == Shape::kVariable ? *any_of<std::int64_t>(0, 4) : extent);
  }
  return extents;
}

inline PlainSample random_sample(const Stream& stream, const std::vector<std::int64_t>& extents) {
  PlainSample sample;
  std::int64_t value_count = 1;
  if (stream.storage == Storage::sparse) {
    value_count = *any_of<std::int64_t>(0, 4);
  } else {
    for (const std::int64_t extent : extents) value_count *= extent;
    if (!stream.sample_shape.is_fixed()) sample.extents = extents;
  }
  const auto byte =
      rc::gen::map(any_of(1, 256), [](int value) { return static_cast<std::byte>(value); });
  const auto size = [&](ElementType type) {
    return static_cast<std::size_t>(value_count * element_size(type));
  };
  sample.values = *rc::gen::container<Bytes>(size(stream.element_type), byte);
  if (stream.storage == Storage::sparse) {
    sample.indices = *rc::gen::container<Bytes>(size(stream.index_type), byte);
  }
  return sample;
}

/// Returns sequences of all streams, present or absent. The number of samples is random or the
/// same, and 1 for `frames`. Samples of variable shape have any shape if the layout supports this,
/// and otherwise one shape in each stream.
inline PlainData random_data(const Streams& streams, Layout layout = Layout::ragged) {
  const bool in_frames = layout == Layout::frames;
  const bool is_any_shape = layout == Layout::ragged || layout == Layout::padded;
  const auto sequence_count = *any_of<std::int64_t>(0, 6);
  PlainData data = {.streams = streams, .keys = {}, .sequences = {}};
  for (std::int64_t i = 0; i < sequence_count; ++i) {
    data.keys.push_back({*rc::gen::arbitrary<std::uint64_t>(), *rc::gen::arbitrary<bool>()});
  }
  for (const Stream& stream : *streams) {
    data.sequences.emplace_back();
    const bool is_equal = *rc::gen::arbitrary<bool>();
    const bool is_opaque = stream.element_type == ElementType::bytes;
    const std::vector<std::int64_t> extents = random_extents(stream);
    const auto equal_count = in_frames ? 1 : *any_of<std::int64_t>(1, 3);
    for (std::int64_t i = 0; i < sequence_count; ++i) {
      PlainSequence& sequence = data.sequences.back().emplace_back();
      if (!is_equal && *any_of(0, 4) == 0) continue;  // absent
      sequence.emplace();
      const auto count = is_equal || in_frames ? equal_count : *any_of<std::int64_t>(0, 4);
      for (std::int64_t j = 0; j < count; ++j) {
        sequence->push_back(
            random_sample(stream, is_any_shape || is_opaque ? random_extents(stream) : extents));
      }
    }
  }
  return data;
}

// Fixed data for tables.

/// Returns three sequences of a dense stream "x" [2] and a sparse stream "y" [9]. "x" has 2, 0 and
/// 1 samples and is absent in the second sequence. "y" has 1, 2 and 0 samples.
inline Minibatch small_minibatch(Layout layout, std::pmr::memory_resource& memory) {
  const auto streams = std::make_shared<std::vector<Stream>>(std::vector<Stream>{
      {.name = "x", .element_type = ElementType::f32, .sample_shape = {2}},
      {.name = "y",
       .element_type = ElementType::f64,
       .sample_shape = {9},
       .storage = Storage::sparse,
       .index_type = ElementType::i32},
  });
  std::vector<Column> columns(2);
  columns[0].values = to_buffer<float>({1, 2, 3, 4, 5, 6});
  columns[0].sequence_offsets = to_buffer<std::int64_t>({0, 2, 2, 3});
  columns[0].presence = to_buffer<std::uint8_t>({1, 0, 1});
  columns[1].values = to_buffer<double>({.1, .2, .3, .4});
  columns[1].indices = to_buffer<std::int32_t>({1, 2, 0, 8});
  columns[1].sample_offsets = to_buffer<std::int64_t>({0, 2, 2, 4});
  columns[1].sequence_offsets = to_buffer<std::int64_t>({0, 1, 3, 3});
  const Chunk chunk(*streams, 3, std::move(columns));
  SequenceList list(streams);
  for (std::int64_t i = 0; i < 3; ++i) list.add({static_cast<std::uint64_t>(10 + i), 0}, chunk, i);
  return make_packer(layout)->pack(list, memory);
}

inline Minibatch small_minibatch(Layout layout) {
  return small_minibatch(layout, *std::pmr::new_delete_resource());
}

}  // namespace sheaf::testing
