/// \file
/// Transforms for tests. test_functions() lists their names.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"
#include "sheaf/extend/transform.h"

#include "transform/gather.h"

namespace sheaf::testing {

/// Fills the requested range of a dense f32 stream with `change(value)` for each value.
template <typename Change>
void change_values(const TransformInput& input, TransformOutput& output, const Change& change) {
  const std::int64_t size = input.streams[0].sample_shape.size();
  float* const out = output.dense<float>(0, input.range.count);
  const std::int64_t first = (input.range.first - input.firsts[0]) * size;
  for (std::int64_t i = 0; i < input.range.count * size; ++i) {
    float value = 0;
    std::memcpy(&value, input.views[0].values + (first + i) * 4, sizeof(float));
    out[i] = change(value);
  }
}

/// Keeps every second sample of dense f32 streams, beginning with the first. Changes sample counts.
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

/// Adds one random number to every value of a sequence. Takes a dense f32 stream.
class Noise final : public Transform {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "noise"; }
  [[nodiscard]] std::string options() const override { return ""; }
  [[nodiscard]] bool is_random() const noexcept override { return true; }
  [[nodiscard]] std::vector<Stream> outputs(std::span<const Stream> inputs) const override {
    return {inputs.begin(), inputs.end()};
  }
  void apply(const TransformInput& input, TransformOutput& output) const override {
    KeyedGenerator generator = input.sequence.generator();
    const auto noise = static_cast<float>(generator.below(1'000'000));
    change_values(input, output, [&](float value) { return value + noise; });
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

/// Adds the number of sequences in the batch to every value. Takes dense f32 streams.
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
      change_values(input, outputs[s], [&](float value) {
        return batch_ == Batch::step ? value + static_cast<float>(inputs.size()) : -value;
      });
    }
  }

 private:
  Batch batch_;
};

/// Reports an error for each key that is a multiple of 7, and a warning for each key one above.
class Doubts final : public Transform {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "doubts"; }
  [[nodiscard]] std::string options() const override { return ""; }
  [[nodiscard]] std::vector<Stream> outputs(std::span<const Stream> inputs) const override {
    return {inputs.begin(), inputs.end()};
  }
  void apply(const TransformInput& input, TransformOutput& output) const override {
    const std::uint64_t key = input.sequence.name.key.low;
    Diagnostic diagnostic = {.byte_offset = 4, .code = "test-doubt"};
    diagnostic.expected = "another key";
    diagnostic.found = std::to_string(key);
    if (key % 7 == 0) throw DataError({diagnostic});
    if (key % 7 == 1) output.warn(diagnostic);
    internal::gather(input, output, 0, 0, [&](std::int64_t i) { return input.range.first + i; });
  }
};

/// Reports the same errors as Doubts, but with leave_out(), for one kind of batch.
class LeavesOut final : public Transform {
 public:
  explicit LeavesOut(Batch batch) : batch_(batch) {}

  [[nodiscard]] std::string_view name() const noexcept override { return "leaves_out"; }
  [[nodiscard]] std::string options() const override { return ""; }
  [[nodiscard]] Batch batch() const noexcept override { return batch_; }
  [[nodiscard]] std::vector<Stream> outputs(std::span<const Stream> inputs) const override {
    return {inputs.begin(), inputs.end()};
  }
  void apply(const TransformInput& input, TransformOutput& output) const override {
    try {
      doubts_.apply(input, output);
    } catch (const DataError& error) {
      output.leave_out(error.diagnostics().front());
    }
  }

 private:
  const Doubts doubts_;
  const Batch batch_;
};

/// Adds a number drawn in the order of the plan to every value of a dense f32 stream. Draws one
/// number if the first value of the sequence is even, and two otherwise. The drawn number is 1000
/// times the number of the sequence in its minibatch, plus how many numbers were drawn there
/// before.
class Ordered final : public Transform {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "ordered"; }
  [[nodiscard]] std::string options() const override { return ""; }
  [[nodiscard]] bool is_random() const noexcept override { return true; }
  [[nodiscard]] std::vector<Stream> outputs(std::span<const Stream> inputs) const override {
    return {inputs.begin(), inputs.end()};
  }
  [[nodiscard]] std::unique_ptr<OrderedDraws> ordered_draws(
      std::span<const std::int64_t> state) const override {
    return std::make_unique<Draws>(state);
  }
  void apply(const TransformInput& input, TransformOutput& output) const override {
    const auto drawn = static_cast<float>(input.sequence.drawn.back());
    change_values(input, output, [&](float value) { return value + drawn; });
  }

 private:
  class Draws final : public OrderedDraws {
   public:
    explicit Draws(std::span<const std::int64_t> state) : counts_(state.begin(), state.end()) {}
    void draw(std::int64_t sequence, std::span<const SequenceView> views,
              std::vector<double>& numbers) override {
      if (views[0].value_count == 0) return;
      float value = 0;
      std::memcpy(&value, views[0].values, sizeof(float));
      const auto entry = static_cast<std::size_t>(sequence);
      if (entry >= counts_.size()) counts_.resize(entry + 1);
      for (int i = 0; i <= static_cast<int>(value) % 2; ++i) {
        numbers.push_back(static_cast<double>(1000 * sequence + counts_[entry]++));
      }
    }
    [[nodiscard]] std::vector<std::int64_t> state() const override { return counts_; }

   private:
    std::vector<std::int64_t> counts_;
  };
};

/// Adds a number to every value of a dense f32 stream. Two such transforms merge into one.
class Adds final : public Transform {
 public:
  explicit Adds(float number, bool merges = true) : number_(number), merges_(merges) {}
  [[nodiscard]] std::string_view name() const noexcept override { return "adds"; }
  [[nodiscard]] std::string options() const override { return std::to_string(number_); }
  [[nodiscard]] std::vector<Stream> outputs(std::span<const Stream> inputs) const override {
    return {inputs.begin(), inputs.end()};
  }
  [[nodiscard]] std::shared_ptr<const Transform> then(
      const std::shared_ptr<const Transform>& next, std::string_view /*own_name*/,
      std::string_view /*next_name*/) const override {
    const auto* const other = dynamic_cast<const Adds*>(next.get());
    if (other == nullptr || !merges_) return nullptr;
    return std::make_shared<const Adds>(number_ + other->number_);
  }
  void apply(const TransformInput& input, TransformOutput& output) const override {
    change_values(input, output, [&](float value) { return value + number_; });
    ++applied_count;
  }

  mutable std::atomic<int> applied_count = 0;

 private:
  float number_;
  bool merges_;
};

/// Returns all of them, for OpenContext::functions.
inline const std::map<std::string, std::shared_ptr<const Transform>>& test_functions() {
  static const std::map<std::string, std::shared_ptr<const Transform>> kFunctions = {
      {"halve", std::make_shared<const Halve>()},
      {"noise", std::make_shared<const Noise>()},
      {"fails", std::make_shared<const Fails>()},
      {"doubts", std::make_shared<const Doubts>()},
      {"leaves_out", std::make_shared<const LeavesOut>(Transform::Batch::one)},
      {"leaves_out_any", std::make_shared<const LeavesOut>(Transform::Batch::any)},
      {"leaves_out_step", std::make_shared<const LeavesOut>(Transform::Batch::step)},
      {"ordered", std::make_shared<const Ordered>()},
      {"add_1", std::make_shared<const Adds>(1.0F)},
      {"add_2", std::make_shared<const Adds>(2.0F)},
      {"negate", std::make_shared<const Crowd>(Transform::Batch::any)},
      {"crowd", std::make_shared<const Crowd>(Transform::Batch::step)}};
  return kFunctions;
}

}  // namespace sheaf::testing
