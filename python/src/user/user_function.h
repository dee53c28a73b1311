/// \file
/// A transform that a function of Python makes.

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

/// The sequences that a function is called with, as arrays that a user may keep.
struct FunctionInput {
  /// The samples of one stream, of all sequences one after the other.
  struct Arrays {
    Buffer values;
    Buffer indices;         // sparse streams alone
    Buffer sample_offsets;  // int64, from 0 on; sparse streams and variable shapes alone
    Buffer extents;         // int64, the shape of each sample; variable shapes alone
    Buffer lengths;         // int64, samples of each sequence
    Buffer presence;        // uint8, of each sequence
  };

  std::vector<Stream> streams;
  std::vector<Arrays> arrays;                   // of the streams
  std::vector<KeyedGenerator::Key> generators;  // of the sequences
};

/// Calls a function of Python, on the thread of the function, with all sequences that one thread of
/// the library prepares, or with those of a step.
///
/// The function gets whole sequences; what is not asked for is cut off. The streams that the
/// function makes have as many samples as the first stream that it reads, or a number of their own.
///
/// Threads: as Transform; called without the GIL.
class UserFunction final : public Transform {
 public:
  struct Options {
    std::string name;
    std::string version;                           // changes where the function does
    std::optional<std::vector<Stream>> streams;    // that it makes; empty: those that it reads
    std::optional<std::int64_t> samples;           // of each sequence; empty: as the first stream
    std::vector<std::optional<Shape>> shapes_max;  // of the streams; empty: no stream has one
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
