/// \file
/// Applies a transform to sequences that a test writes down.

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

/// One stream of one sequence: each sample is its values, and its indices where sparse. An element
/// type other than f32 is cast from the numbers. Streams of variable shape have rank 1.
struct TestSequence {
  Stream stream = {};
  std::vector<std::vector<double>> samples = {};
  std::vector<std::vector<std::int64_t>> indices = {};

  friend bool operator==(const TestSequence&, const TestSequence&) = default;
};

/// Which sequence it is.
struct TestPlace {
  std::uint64_t seed = 0;
  std::int64_t sweep = 0;
  std::uint64_t key = 0;
  std::string_view key_text = {};  // in place of the number, unless it is empty
};

/// Applies a transform to whole sequences, one of each stream, and returns `range` of each stream
/// made. The transform gets no more samples than Transform::reads_of() named.
std::vector<TestSequence> run_transform(const Transform& transform,
                                        const std::vector<TestSequence>& inputs, SampleRange range,
                                        const TestPlace& place = {});

/// Returns all samples of each stream made.
std::vector<TestSequence> run_transform(const Transform& transform,
                                        const std::vector<TestSequence>& inputs,
                                        const TestPlace& place = {});

/// Expects that each range of the result is that part of the whole result.
void expect_slices(const Transform& transform, const std::vector<TestSequence>& inputs,
                   const TestPlace& place = {});

/// Makes a transform of the library: make_type("context", {{"left", "5"}}). `files` has the text of
/// each file.
std::shared_ptr<const Transform> make_type(std::string_view type,
                                           const std::map<std::string, std::string>& options = {},
                                           const std::map<std::string, std::string>& files = {});

/// Returns a dense f32 stream "x" of `dim` values a sample: sample t has t*dim, t*dim + 1, ...
TestSequence counting(std::int64_t sample_count, std::int64_t dim);

/// Returns a dense stream "x" of numbers from -1 to 1, others for each seed.
TestSequence random_values(std::int64_t sample_count, std::int64_t dim, std::uint64_t seed = 0,
                           ElementType type = ElementType::f32);

/// Returns a dense f32 stream "x" of one value a sample.
TestSequence scalars(const std::vector<double>& values);

}  // namespace sheaf
