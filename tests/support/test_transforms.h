/// \file
/// Transforms of tests, as functions of the names "halve", "noise", "fails", "negate", "crowd".

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/extend/transform.h"

#include "transform/gather.h"

namespace sheaf::testing {

/// Every second sample of dense f32 streams, from the first one on: changes counts.
class Halve final : public Transform {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "halve"; }
  [[nodiscard]] std::string options() const override { return "every=2"; }
  [[nodiscard]] std::vector<Stream> outputs(std::span<const Stream> inputs) const override {
    return {inputs.begin(), inputs.end()};
  }
  [[nodiscard]] std::int64_t sample_count(std::int64_t count) const noexcept override {
    return (count + 1) / 2;
  }
  [[nodiscard]] bool keeps_counts() const noexcept override { return false; }
  [[nodiscard]] SampleRange reads(const SampleRange& range,
                                  const TransformedSequence& /*sequence*/) const override {
    return {2 * range.first, 2 * range.count - 1};
  }
  void apply(const TransformInput& input, TransformOutput& output) const override {
    for (std::size_t s = 0; s < input.views.size(); ++s) {
      internal::gather(input, output, s, s,
                       [&](std::int64_t i) { return 2 * (input.range.first + i); });
    }
  }
};

/// Adds one random number to every value of a sequence: a dense f32 stream.
class Noise final : public Transform {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "noise"; }
  [[nodiscard]] std::string options() const override { return ""; }
  [[nodiscard]] bool is_random() const noexcept override { return true; }
  [[nodiscard]] std::vector<Stream> outputs(std::span<const Stream> inputs) const override {
    return {inputs.begin(), inputs.end()};
  }
  void apply(const TransformInput& input, TransformOutput& output) const override {
    const std::int64_t size = input.streams[0].sample_shape.size();
    float* const out = output.dense<float>(0, input.range.count);
    KeyedGenerator generator = input.sequence.generator();
    const auto noise = static_cast<float>(generator.below(1'000'000));
    const std::int64_t first = (input.range.first - input.firsts[0]) * size;
    for (std::int64_t i = 0; i < input.range.count * size; ++i) {
      float value = 0;
      std::memcpy(&value, input.views[0].values + (first + i) * 4, sizeof(float));
      out[i] = value + noise;
    }
  }
};

/// Fails for each sequence whose key is a multiple of 7.
class Fails final : public Transform {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "fails"; }
  [[nodiscard]] std::string options() const override { return ""; }
  [[nodiscard]] std::vector<Stream> outputs(std::span<const Stream> inputs) const override {
    return {inputs.begin(), inputs.end()};
  }
  void apply(const TransformInput& input, TransformOutput& output) const override {
    if (input.sequence.name.key.low % 7 == 0) throw ConfigError("this cannot be");
    internal::gather(input, output, 0, 0, [&](std::int64_t i) { return input.range.first + i; });
  }
};

/// Adds the number of sequences of the batch to every value: dense f32 streams.
class Crowd final : public Transform {
 public:
  explicit Crowd(Batch batch) : batch_(batch) {}
  [[nodiscard]] std::string_view name() const noexcept override { return "crowd"; }
  [[nodiscard]] std::string options() const override { return ""; }
  [[nodiscard]] Batch batch() const noexcept override { return batch_; }
  [[nodiscard]] std::vector<Stream> outputs(std::span<const Stream> inputs) const override {
    return {inputs.begin(), inputs.end()};
  }
  void apply(const TransformInput& input, TransformOutput& output) const override {
    apply_many({&input, 1}, {&output, 1});
  }
  void apply_many(std::span<const TransformInput> inputs,
                  std::span<TransformOutput> outputs) const override {
    for (std::size_t s = 0; s < inputs.size(); ++s) {
      const TransformInput& input = inputs[s];
      if (input.sequence.name.key.low % 7 == 3) throw ConfigError("no threes");
      const std::int64_t size = input.streams[0].sample_shape.size();
      float* const out = outputs[s].dense<float>(0, input.range.count);
      const std::int64_t first = (input.range.first - input.firsts[0]) * size;
      for (std::int64_t i = 0; i < input.range.count * size; ++i) {
        float value = 0;
        std::memcpy(&value, input.views[0].values + (first + i) * 4, sizeof(float));
        out[i] = batch_ == Batch::step ? value + static_cast<float>(inputs.size()) : -value;
      }
    }
  }

 private:
  Batch batch_;
};

/// All of them, for OpenContext::functions.
inline const std::map<std::string, std::shared_ptr<const Transform>>& test_functions() {
  static const std::map<std::string, std::shared_ptr<const Transform>> kFunctions = {
      {"halve", std::make_shared<const Halve>()},
      {"noise", std::make_shared<const Noise>()},
      {"fails", std::make_shared<const Fails>()},
      {"negate", std::make_shared<const Crowd>(Transform::Batch::any)},
      {"crowd", std::make_shared<const Crowd>(Transform::Batch::step)}};
  return kFunctions;
}

}  // namespace sheaf::testing
