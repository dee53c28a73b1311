/// \file
/// Applies a transform to sequences written down in tests.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <memory_resource>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/extend/transform.h"

namespace sheaf {

/// One stream of one sequence. Each sample has values, and indices if sparse. Values are cast to
/// the element type. Streams of variable shape have rank 1.
struct TestSequence {
  Stream stream = {};
  std::vector<std::vector<double>> samples = {};
  std::vector<std::vector<std::int64_t>> indices = {};

  friend bool operator==(const TestSequence&, const TestSequence&) = default;
};

/// Identifies a sequence.
struct TestName {
  std::uint64_t seed = 0;
  std::int64_t sweep = 0;
  std::uint64_t key = 0;
  std::string_view key_text = {};  // replaces the number unless empty
};

/// Applies a transform to whole sequences, one for each stream. Returns `range` of each resulting
/// stream. The transform gets only the samples that Transform::reads_of() asks for.
std::vector<TestSequence> run_transform(const Transform& transform,
                                        const std::vector<TestSequence>& inputs, SampleRange range,
                                        const TestName& name = {});

/// Returns all samples of each resulting stream.
std::vector<TestSequence> run_transform(const Transform& transform,
                                        const std::vector<TestSequence>& inputs,
                                        const TestName& name = {});

/// Expects that any range of the result equals that part of the whole result.
void expect_slices(const Transform& transform, const std::vector<TestSequence>& inputs,
                   const TestName& name = {});

/// Makes a transform of the library: make_type("context", {{"left", "5"}}). `files` maps file names
/// to texts.
std::shared_ptr<const Transform> make_type(std::string_view type,
                                           const std::map<std::string, std::string>& options = {},
                                           const std::map<std::string, std::string>& files = {});

/// Returns a dense f32 stream "x" of `dim` values for each sample: sample t has t*dim, t*dim + 1,
/// ...
TestSequence counting(std::int64_t sample_count, std::int64_t dim);

/// Returns a dense stream "x" of numbers from -1 to 1 that depend on the seed.
TestSequence random_values(std::int64_t sample_count, std::int64_t dim, std::uint64_t seed = 0,
                           ElementType type = ElementType::f32);

/// Returns a dense f32 stream "x" of one value for each sample.
TestSequence scalars(const std::vector<double>& values);

}  // namespace sheaf
