#include "bind/minibatch_state.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/ndarray.h>

#include "sheaf/error.h"
#include "sheaf/position.h"

#include "text.h"

namespace nb = nanobind;

namespace sheaf::python {
namespace {

constexpr int kVersion = 4;  // version of the state
constexpr std::size_t kFieldCount = 11;

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

constexpr std::array kBuffers = {
    &StreamBatch::values,   &StreamBatch::indices, &StreamBatch::row_offsets,
    &StreamBatch::extents,  &StreamBatch::lengths, &StreamBatch::sequence_offsets,
    &StreamBatch::slots,    &StreamBatch::begins,  &StreamBatch::mask,
    &StreamBatch::presence,
};

nb::object array_of(const void* data, std::size_t size_bytes, nb::handle owner) {
  static std::byte nothing[Buffer::kAlignment];  // the memory of an empty array
  auto* const start = size_bytes == 0 ? nothing : const_cast<void*>(data);
  return nb::cast(nb::ndarray<nb::numpy, std::uint8_t>(start, {size_bytes}, owner));
}

template <typename T>
nb::object array_of(std::span<const T> values, nb::handle owner) {
  return array_of(values.data(), values.size_bytes(), owner);
}

template <typename T>
std::vector<T> values_of(nb::handle array) {
  const auto bytes = nb::cast<Bytes>(array);
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

Buffer buffer_of(nb::handle array) {
  const auto bytes = nb::cast<Bytes>(array);
  Buffer buffer;
  buffer.resize(static_cast<std::int64_t>(bytes.size()));
  if (bytes.size() > 0) std::memcpy(buffer.mutable_data(), bytes.data(), bytes.size());
  return buffer;
}

nb::tuple tuple_of(const Shape& shape) {
  nb::list extents;
  for (const std::int64_t extent : shape.extents()) extents.append(extent);
  return nb::tuple(extents);
}

std::vector<std::int64_t> extents_of(nb::handle state) {
  std::vector<std::int64_t> extents;
  for (nb::handle extent : state) extents.push_back(nb::cast<std::int64_t>(extent));
  return extents;
}

// Returns the shape of the rows in a state. Its extents may be variable or 0.
Shape row_shape_of(nb::handle state) {
  const std::vector<std::int64_t> extents = extents_of(state);
  const bool is_fixed = std::ranges::find(extents, Shape::kVariable) == extents.end();
  return is_fixed ? Shape::of_samples(extents) : Shape(extents);
}

nb::tuple tuple_of(const Stream& stream) {
  return nb::make_tuple(to_text(stream.name), static_cast<int>(stream.element_type),
                        tuple_of(stream.sample_shape), static_cast<int>(stream.storage),
                        static_cast<int>(stream.index_type), stream.defines_minibatch_size,
                        stream.keeps_together, stream.describes_others);
}

Stream stream_of(nb::handle state) {
  return {.name = nb::cast<std::string>(state[0]),
          .element_type = static_cast<ElementType>(nb::cast<int>(state[1])),
          .sample_shape = Shape(extents_of(state[2])),
          .storage = static_cast<Storage>(nb::cast<int>(state[3])),
          .index_type = static_cast<ElementType>(nb::cast<int>(state[4])),
          .defines_minibatch_size = nb::cast<bool>(state[5]),
          .keeps_together = nb::cast<bool>(state[6]),
          .describes_others = nb::cast<bool>(state[7])};
}

nb::tuple tuple_of(const StreamBatch& batch, nb::handle owner) {
  nb::list buffers;
  for (const auto buffer : kBuffers) {
    buffers.append(array_of((batch.*buffer).as<std::byte>(), owner));
  }
  return nb::make_tuple(static_cast<int>(batch.layout), batch.sequence_count, batch.sample_count,
                        batch.sample_count_max, batch.slot_count, buffers,
                        tuple_of(batch.row_shape), static_cast<int>(batch.pad_side));
}

StreamBatch batch_of(nb::handle state) {
  StreamBatch batch{.layout = static_cast<Layout>(nb::cast<int>(state[0])),
                    .sequence_count = nb::cast<std::int64_t>(state[1]),
                    .sample_count = nb::cast<std::int64_t>(state[2]),
                    .sample_count_max = nb::cast<std::int64_t>(state[3]),
                    .slot_count = nb::cast<std::int64_t>(state[4]),
                    .pad_side = static_cast<PadSide>(nb::cast<int>(state[7])),
                    .row_shape = row_shape_of(state[6])};
  for (std::size_t i = 0; i < kBuffers.size(); ++i) {
    batch.*kBuffers[i] = buffer_of(state[5][i]);
  }
  return batch;
}

}  // namespace

nb::tuple state_of(nb::handle_t<Minibatch> minibatch, std::optional<std::int64_t> stream) {
  const auto& self = nb::cast<const Minibatch&>(minibatch);
  const auto count = static_cast<std::int64_t>(self.streams().size());
  nb::list streams;
  nb::list batches;
  for (std::int64_t i = stream.value_or(0); i < (stream ? *stream + 1 : count); ++i) {
    streams.append(tuple_of(self.streams()[static_cast<std::size_t>(i)]));
    batches.append(tuple_of(self.batch(i), minibatch));
  }
  nb::list key_texts;
  for (const std::string_view text : self.key_texts()) key_texts.append(to_text(text));
  const nb::object position =
      self.position.run ? nb::object(to_text(to_json(self.position))) : nb::none();
  return nb::make_tuple(kVersion, streams, batches, array_of(self.keys(), minibatch), key_texts,
                        array_of(self.slices(), minibatch), self.ends_sweep, self.ends_epoch,
                        self.hole_count, position, array_of(self.members(), minibatch));
}

Minibatch minibatch_of(const nb::tuple& state) {
  if (state.size() != kFieldCount || nb::cast<int>(state[0]) != kVersion) {
    throw ConfigError("the pickled minibatch is of another version of sheaf");
  }
  auto streams = std::make_shared<std::vector<Stream>>();
  for (nb::handle stream : state[1]) streams->push_back(stream_of(stream));
  std::vector<StreamBatch> batches;
  for (nb::handle batch : state[2]) batches.push_back(batch_of(batch));
  std::vector<std::string> key_texts;
  for (nb::handle text : state[4]) key_texts.push_back(nb::cast<std::string>(text));
  Minibatch minibatch(std::move(streams), std::move(batches), values_of<SequenceKey>(state[3]),
                      std::move(key_texts));
  if (auto slices = values_of<SequenceSlice>(state[5]); !slices.empty()) {
    minibatch.set_slices(std::move(slices));
  }
  minibatch.ends_sweep = nb::cast<bool>(state[6]);
  minibatch.ends_epoch = nb::cast<bool>(state[7]);
  minibatch.hole_count = nb::cast<std::int64_t>(state[8]);
  if (!state[9].is_none()) {
    minibatch.position = position_from_json(nb::cast<std::string>(state[9]));
  }
  minibatch.set_members(values_of<std::int64_t>(state[10]));
  return minibatch;
}

}  // namespace sheaf::python
