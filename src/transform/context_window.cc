// Widens each sample by its neighbours.
//
// The neighbours of a sample lie next to it in memory, so the result is a part of the input. A
// single sample is never copied, and several samples are copied only if the caller takes no
// overlapping parts. If neighbours are missing at an end of the sequence, the samples are copied
// once, with the first or the last sample repeated.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory_resource>

#include "base/text.h"
#include "transform/option_values.h"
#include "transform/stream_checks.h"
#include "transform/types.h"

namespace sheaf::internal {
namespace {

class ContextWindow final : public Transform {
 public:
  ContextWindow(std::int64_t left, std::int64_t right) noexcept : left_(left), right_(right) {}

  [[nodiscard]] std::string_view name() const noexcept override { return context_transform().name; }
  [[nodiscard]] std::string options() const override {
    return formatted("left={},right={}", left_, right_);
  }

  [[nodiscard]] std::vector<Stream> outputs(std::span<const Stream> inputs) const override {
    require_dense_fixed(inputs[0]);
    Stream made = inputs[0];
    made.sample_shape = widened_shape(inputs[0], left_ + 1 + right_);
    return {made};
  }

  [[nodiscard]] SampleRange reads(const SampleRange& range,
                                  const TransformedSequence& sequence) const override {
    static_cast<void>(sequence);
    return {range.first - left_, left_ + range.count + right_};
  }

  void apply(const TransformInput& input, TransformOutput& output) const override {
    const Stream& stream = input.streams[0];
    if (left_ == 0 && right_ == 0) {  // the samples stay as they are
      output.set(0, part_of_view(input.views[0], stream,
                                 {input.range.first - input.firsts[0], input.range.count}));
      return;
    }
    const std::int64_t size = stream.sample_shape.size() * element_size(stream.element_type);
    const std::int64_t count = input.range.count;
    const bool takes_pieces = count == 1 || (output.takes_strides() && size <= kStrideMax);
    if (takes_pieces) {
      const std::int64_t width = left_ + 1 + right_;
      output.set(0, {.values = with_neighbours(input, size, output.memory()),
                     .sample_count = count,
                     .value_count = count * width * stream.sample_shape.size(),
                     .sample_stride = count == 1 ? 0 : static_cast<std::int32_t>(size)});
      return;
    }
    std::byte* out = output.dense_bytes(0, count);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t sample = input.range.first + i;
      out = put(input, size, sample - left_, sample + right_, out);
    }
  }

 private:
  static constexpr std::int64_t kStrideMax = std::numeric_limits<std::int32_t>::max();

  // Writes the samples from `first` to `last`. Missing samples are replaced by the first or the
  // last sample of the sequence. Returns the end of the output.
  static std::byte* put(const TransformInput& input, std::int64_t size, std::int64_t first,
                        std::int64_t last, std::byte* out) noexcept {
    const std::int64_t last_of_all = input.sequence.sample_counts[0] - 1;
    const auto append = [&](std::int64_t begin, std::int64_t end) {
      const auto bytes = static_cast<std::size_t>((end - begin) * size);
      std::memcpy(out, input.views[0].values + (begin - input.firsts[0]) * size, bytes);
      out += bytes;
    };
    for (std::int64_t t = first; t < 0; ++t) append(0, 1);
    append(std::max<std::int64_t>(0, first), std::min(last_of_all, last) + 1);
    for (std::int64_t t = last; t > last_of_all; --t) append(last_of_all, last_of_all + 1);
    return out;
  }

  // Returns the address at which the samples of the range lie back to back with all their
  // neighbours.
  [[nodiscard]] const std::byte* with_neighbours(const TransformInput& input, std::int64_t size,
                                                 std::pmr::memory_resource& memory) const {
    const std::int64_t first = input.range.first - left_;
    const std::int64_t last = input.range.first + input.range.count - 1 + right_;
    if (first >= 0 && last < input.sequence.sample_counts[0]) {
      return input.views[0].values + (first - input.firsts[0]) * size;
    }
    const auto bytes = static_cast<std::size_t>((last - first + 1) * size);
    auto* const samples = static_cast<std::byte*>(memory.allocate(bytes, kAlignment));
    put(input, size, first, last, samples);
    return samples;
  }

  static constexpr std::size_t kAlignment = 64;

  std::int64_t left_;
  std::int64_t right_;
};

constexpr std::int64_t kNeighboursMax = 1'000'000;

constexpr TransformOption kContextOptions[] = {
    {.name = "left", .default_text = "0", .help = "samples before each sample"},
    {.name = "right", .default_text = "0", .help = "samples after each sample"},
    {.name = "dim", .help = "values of a sample made, in place of left and right"},
};

// Returns how many samples before and after, equally many, give samples of `dim` values.
std::int64_t inferred_side(std::int64_t dim, std::span<const Stream> streams) {
  if (streams.empty()) throw ConfigError("dim needs a stream whose samples are widened");
  require_dense_fixed(streams[0]);
  const std::int64_t size = streams[0].sample_shape.size();
  if (size > 0 && dim % size == 0 && dim / size % 2 == 1) return dim / size / 2;
  throw ConfigError(
      formatted("dim must be an odd multiple of {}, the values of a sample of stream {}: got {}",
                size, quoted(std::string_view(streams[0].name)), dim));
}

std::shared_ptr<const Transform> make_context(const TransformRequest& request) {
  const OptionValues options(context_transform(), request);
  if (!options.has("dim")) {
    return std::make_shared<const ContextWindow>(options.integer("left", 0, kNeighboursMax),
                                                 options.integer("right", 0, kNeighboursMax));
  }
  if (options.has("left") || options.has("right")) {
    throw ConfigError("dim stands in place of left and right: leave it out, or leave them out");
  }
  const std::int64_t side =
      inferred_side(options.integer("dim", 1, kSampleValuesMax), request.streams);
  if (side > kNeighboursMax) {
    throw ConfigError(
        formatted("dim would take {} samples before and after each sample; at most "
                  "{} are possible",
                  side, kNeighboursMax));
  }
  return std::make_shared<const ContextWindow>(side, side);
}

}  // namespace

const TransformType& context_transform() noexcept {
  static constexpr TransformType kType = {
      .name = "context",
      .description = "each sample joined with the samples before and after",
      .use = TransformUse::each,
      .options = kContextOptions,
      .make = make_context};
  return kType;
}

}  // namespace sheaf::internal
