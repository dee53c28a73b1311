/// \file
/// A transform that calls a Python function.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/extend/buffer.h"
#include "sheaf/extend/transform.h"

#include "user/user_calls.h"

namespace sheaf::python {

/// The input of a function: sequences as arrays, which the user may keep.
struct FunctionInput {
  /// The samples of one stream, with all sequences back to back.
  struct Arrays {
    Buffer values;
    Buffer indices;         // only for sparse streams
    Buffer sample_offsets;  // int64, from 0; only for sparse streams and variable shapes
    Buffer extents;         // int64, the shape of each sample; only for variable shapes
    Buffer lengths;         // int64, samples of each sequence
    Buffer presence;        // uint8, of each sequence
  };

  std::vector<Stream> streams;
  std::vector<Arrays> arrays;                   // by stream
  std::vector<KeyedGenerator::Key> generators;  // by sequence
};

/// Calls a Python function on the thread of the function, with the sequences that one thread of the
/// library prepares, or with all sequences of a step.
///
/// The function gets whole sequences. Samples outside the requested range are cut off afterwards.
/// The streams of the function have as many samples as the first stream that it reads, or a fixed
/// number.
///
/// Threads: as Transform. Call without the GIL.
class UserFunction final : public Transform {
 public:
  struct Options {
    std::string name;
    std::string version;                           // changes whenever the function does
    std::optional<std::vector<Stream>> streams;    // output streams; empty: as the input
    std::optional<std::int64_t> samples;           // of each sequence; empty: as the first stream
    std::vector<std::optional<Shape>> shapes_max;  // by stream; empty: no stream has one
    bool takes_steps = false;
    bool is_random = false;
  };

  UserFunction(std::shared_ptr<const Kept> description, Options options)
      : description_(std::move(description)), options_(std::move(options)) {}

  [[nodiscard]] std::string_view name() const noexcept override { return options_.name; }
  [[nodiscard]] std::string options() const override;
  [[nodiscard]] bool is_random() const noexcept override { return options_.is_random; }
  [[nodiscard]] std::vector<Stream> outputs(std::span<const Stream> inputs) const override;
  [[nodiscard]] std::int64_t sample_count(std::int64_t sample_count) const noexcept override {
    return options_.samples.value_or(sample_count);
  }
  [[nodiscard]] bool keeps_counts() const noexcept override { return !options_.samples; }
  [[nodiscard]] std::optional<Shape> shape_max(std::size_t i) const override {
    return i < options_.shapes_max.size() ? options_.shapes_max[i] : std::nullopt;
  }
  [[nodiscard]] SampleRange reads(const SampleRange& range,
                                  const TransformedSequence& sequence) const override;
  void apply(const TransformInput& input, TransformOutput& output) const override {
    apply_many({&input, 1}, {&output, 1});
  }
  [[nodiscard]] Batch batch() const noexcept override {
    return options_.takes_steps ? Batch::step : Batch::any;
  }
  void apply_many(std::span<const TransformInput> inputs,
                  std::span<TransformOutput> outputs) const override;

  [[nodiscard]] const UserCalls& calls() const noexcept { return *description_->calls; }

 private:
  void call_with(std::span<const TransformInput> inputs, std::span<TransformOutput> outputs) const;
  [[nodiscard]] std::int64_t made_bytes(const TransformInput& input,
                                        const TransformOutput& output) const;
  [[nodiscard]] std::shared_ptr<const UserTable> table_of(
      std::span<const TransformInput> inputs) const;

  const std::shared_ptr<const Kept> description_;
  const Options options_;
};

}  // namespace sheaf::python
