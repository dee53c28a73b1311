/// \file
/// Sequences of every kind of stream, and picks of their samples.

#pragma once

#include <cstdint>
#include <vector>

#include "transform/run_transform.h"

namespace sheaf {

/// Returns a sequence of `sample_count` samples of each kind of stream: dense, sparse with indices
/// of both types, and of variable shape. No two samples are equal; sample t of a sparse or variable
/// stream has t % 3 values.
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

/// Returns the samples of a sequence with these numbers.
inline TestSequence picked(const TestSequence& sequence, const std::vector<std::int64_t>& numbers) {
  TestSequence result{.stream = sequence.stream};
  for (const std::int64_t number : numbers) {
    const auto i = static_cast<std::size_t>(number);
    result.samples.push_back(sequence.samples[i]);
    if (!sequence.indices.empty()) result.indices.push_back(sequence.indices[i]);
  }
  return result;
}

}  // namespace sheaf
