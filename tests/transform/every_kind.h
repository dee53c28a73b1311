/// \file
/// Sequences with every kind of stream, and selections of their samples.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "transform/run_transform.h"

namespace sheaf {

/// Returns a sequence of `sample_count` samples with each kind of stream: dense, sparse with both
/// index types, and of variable shape. All samples differ. Sample t of a sparse or variable stream
/// has t % 3 values.
inline std::vector<TestSequence> every_kind(std::int64_t sample_count) {
  std::vector<TestSequence> all = {
      {.stream = {.name = "f32", .sample_shape = Shape{2, 3}}},
      {.stream = {.name = "i64", .element_type = ElementType::i64}},
      {.stream = {.name = "sparse", .sample_shape = Shape{9}, .storage = Storage::sparse}},
      {.stream = {.name = "wide",
                  .element_type = ElementType::f64,
                  .sample_shape = Shape{std::int64_t{1} << 35},
                  .storage = Storage::sparse,
                  .index_type = ElementType::i64}},
      {.stream = {.name = "u16", .element_type = ElementType::u16, .sample_shape = Shape{2}}},
      {.stream = {.name = "bf16", .element_type = ElementType::bf16}},
      {.stream = {.name = "bytes",
                  .element_type = ElementType::bytes,
                  .sample_shape = Shape{Shape::kVariable}}}};
  for (TestSequence& sequence : all) {
    const Stream& stream = sequence.stream;
    const bool is_sparse = stream.storage == Storage::sparse;
    for (std::int64_t t = 0; t < sample_count; ++t) {
      const bool is_dense = !is_sparse && stream.sample_shape.is_fixed();
      const std::int64_t size = is_dense ? stream.sample_shape.size() : t % 3;
      std::vector<double>& values = sequence.samples.emplace_back();
      for (std::int64_t v = 0; v < size; ++v) {
        values.push_back(static_cast<double>((t * 7 + v + 1) % 251));
      }
      if (!is_sparse) continue;
      std::vector<std::int64_t>& indices = sequence.indices.emplace_back();
      for (std::int64_t v = 0; v < size; ++v) {
        indices.push_back(stream.sample_shape.size() - 1 - v * 4 - t % 4);
      }
    }
  }
  return all;
}

/// Returns the samples of a sequence with the given numbers.
inline TestSequence picked(const TestSequence& sequence, const std::vector<std::int64_t>& numbers) {
  TestSequence result{.stream = sequence.stream};
  for (const std::int64_t number : numbers) {
    const auto i = static_cast<std::size_t>(number);
    result.samples.push_back(sequence.samples[i]);
    if (!sequence.indices.empty()) result.indices.push_back(sequence.indices[i]);
  }
  return result;
}

/// Applies a transform of one stream to a view that starts at sample `first` of a sequence, and
/// returns `range`. The view may have more samples than Transform::reads() asks for.
///
/// Lifetime: as long as `memory` and the view.
inline SequenceView run_on_view(const Transform& transform, const Stream& stream,
                                const SequenceView& view, std::int64_t first, SampleRange range,
                                std::pmr::memory_resource& memory) {
  const std::vector<Stream> streams = {stream};
  const std::vector<Stream> made = transform.outputs(streams);
  const std::vector<std::int64_t> counts = {first + view.sample_count};
  const std::vector<std::int64_t> firsts = {first};
  const std::vector<SequenceView> views = {view};
  const TransformedSequence sequence = {.sample_counts = counts};
  std::vector<SequenceView> results(1);
  TransformOutput output(made, results, memory);
  transform.apply(
      {.sequence = sequence, .streams = streams, .views = views, .firsts = firsts, .range = range},
      output);
  return results[0];
}

/// A sparse stream whose view lies inside larger arrays, so its offsets do not start at 0.
struct SparseInside {
  Stream stream = {.name = "words", .sample_shape = Shape{3}, .storage = Storage::sparse};
  std::vector<float> values = {9, 1, 2, 3};
  std::vector<std::int32_t> indices = {0, 1, 2, 0};
  std::vector<std::int64_t> sample_offsets = {5, 6, 8, 8, 9};

  [[nodiscard]] SequenceView view() const {
    return {.values = reinterpret_cast<const std::byte*>(values.data()),
            .indices = reinterpret_cast<const std::byte*>(indices.data()),
            .sample_offsets = sample_offsets.data(),
            .sample_count = 4,
            .value_count = 4};
  }
};

}  // namespace sheaf
