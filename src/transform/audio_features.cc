// The compiler must not fuse a product and a sum into one operation, since the bytes would then
// differ between machines. src/CMakeLists.txt prevents it.

#include "transform/audio_features.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <utility>

#include "sheaf/error.h"

#include "base/text.h"
#include "base/unaligned.h"
#include "transform/stream_checks.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kMelBinsMax = 4096;

// The number of frames gathered at a time: a multiple of the lanes of every kernel.
constexpr std::int64_t kBlockFrames = 16;
static_assert(kBlockFrames % kFrameLanesMax == 0);

FrameGrid frame_grid(const AudioOptions& options) {
  const auto samples_of = [&](double milliseconds) {
    return static_cast<std::int64_t>(static_cast<double>(options.sample_rate) * milliseconds /
                                     1000);
  };
  const FrameGrid grid = {.size = samples_of(options.frame_length_ms),
                          .shift = samples_of(options.frame_shift_ms),
                          .snip_edges = options.snip_edges};
  if (grid.size < 2 || grid.size > kFrameSizeMax) {
    throw ConfigError(formatted("frame_length_ms must make frames of 2 to {} samples: got {}",
                                kFrameSizeMax, grid.size));
  }
  if (grid.shift < 1 || grid.shift > kFrameSizeMax) {
    throw ConfigError(formatted("frame_shift_ms must be from 1 to {} samples: got {}",
                                kFrameSizeMax, grid.shift));
  }
  return grid;
}

std::int64_t fft_size(const AudioOptions& options, std::int64_t frame_size) {
  const auto rounded =
      static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(frame_size)));
  if (options.round_to_power_of_two || rounded == frame_size) return rounded;
  if (frame_size > kDirectFftSizeMax) {
    throw ConfigError(
        formatted("round_to_power_of_two=false takes frames of at most {} samples: got {}",
                  kDirectFftSizeMax, frame_size));
  }
  return frame_size;
}

/// The working memory for the frames of a sequence. It is separate from the output, which lives
/// until the minibatch is packed.
struct Workspace {
  struct alignas(64) Lanes {
    std::array<double, kFrameLanesMax> values;
  };

  explicit Workspace(const MelProgram& program)
      : signal(static_cast<std::size_t>(program.size + (kBlockFrames - 1) * program.shift)),
        rows(static_cast<std::size_t>(kFrameLanesMax * (program.row_count + 1))),
        lanes(static_cast<std::size_t>(program.scratch_size() / kFrameLanesMax)) {}

  [[nodiscard]] double* scratch() noexcept { return reinterpret_cast<double*>(lanes.data()); }

  std::vector<double> signal;
  std::vector<double> rows;
  std::vector<Lanes> lanes;
};

}  // namespace

AudioOptions audio_options(const OptionValues& values) {
  constexpr std::int64_t kRateMax = 10'000'000;
  constexpr double kMillisecondsMax = 100'000;
  constexpr double kFactorMax = 1e6;
  AudioOptions options{.sample_rate = values.integer("sample_rate", 1, kRateMax),
                       .frame_length_ms = values.number("frame_length_ms", 0, kMillisecondsMax),
                       .frame_shift_ms = values.number("frame_shift_ms", 0, kMillisecondsMax),
                       .num_mel_bins = values.integer("num_mel_bins", 1, kMelBinsMax),
                       .low_freq = values.number("low_freq", 0, kRateMax),
                       .high_freq = values.number("high_freq", -double{kRateMax}, kRateMax),
                       .preemphasis = values.number("preemphasis", 0, 1),
                       .window = static_cast<WindowKind>(values.choice("window", kWindowNames)),
                       .snip_edges = values.flag("snip_edges"),
                       .remove_dc_offset = values.flag("remove_dc_offset"),
                       .round_to_power_of_two = values.flag("round_to_power_of_two"),
                       .use_energy = values.flag("use_energy"),
                       .raw_energy = values.flag("raw_energy"),
                       .energy_floor = values.number("energy_floor", 0, kAudioSampleMax),
                       .htk_compat = values.flag("htk_compat"),
                       .dither = values.number("dither", 0, kFactorMax),
                       .scale = values.number("scale", 1 / kFactorMax, kFactorMax)};
  if (values.has("channel")) {
    options.channel = values.integer("channel", 0, kSampleValuesMax - 1);
  }
  return options;
}

std::string to_string(const AudioOptions& options) {
  std::string text = formatted(
      "sample_rate={},frame_length_ms={},frame_shift_ms={},num_mel_bins={},low_freq={},"
      "high_freq={},preemphasis={},window={},snip_edges={},remove_dc_offset={},"
      "round_to_power_of_two={},use_energy={},raw_energy={},energy_floor={},htk_compat={},"
      "dither={},scale={}",
      options.sample_rate, options.frame_length_ms, options.frame_shift_ms, options.num_mel_bins,
      options.low_freq, options.high_freq, options.preemphasis,
      kWindowNames[static_cast<std::size_t>(options.window)], options.snip_edges,
      options.remove_dc_offset, options.round_to_power_of_two, options.use_energy,
      options.raw_energy, options.energy_floor, options.htk_compat, options.dither, options.scale);
  if (options.channel) text += formatted(",channel={}", *options.channel);
  return text;
}

AudioFeatures::AudioFeatures(std::string_view name, std::string text, const AudioOptions& options,
                             FeatureRows rows)
    : name_(name),
      text_(std::move(text)),
      options_(options),
      grid_(frame_grid(options)),
      window_(window_factors(options.window, grid_.size)),
      fft_(fft_size(options, grid_.size)),
      bank_({.sample_rate = static_cast<double>(options.sample_rate),
             .fft_size = fft_.tables().size,
             .bin_count = options.num_mel_bins,
             .low_freq = options.low_freq,
             .high_freq = options.high_freq}),
      rows_(std::move(rows)),
      column_count_(std::ranges::count_if(rows_.columns,
                                          [](const auto& column) { return column.has_value(); })) {
  const EnergyKind energy = options.raw_energy ? EnergyKind::raw : EnergyKind::windowed;
  program_ = {.size = grid_.size,
              .shift = grid_.shift,
              .removes_dc_offset = options.remove_dc_offset,
              .preemphasis = options.preemphasis,
              .window = window_.data(),
              .fft = fft_.tables(),
              .takes_power = rows_.takes_power,
              .bin_count = options.num_mel_bins,
              .triangles = bank_.triangles().data(),
              .weights = bank_.weights().data(),
              .takes_log = rows_.takes_log,
              .energy = options.use_energy ? energy : EnergyKind::none,
              .energy_floor = std::max(options.energy_floor, kLeastEnergy),
              .row_count = std::ssize(rows_.columns) - (options.use_energy ? 1 : 0),
              .cosines = rows_.cosines.empty() ? nullptr : rows_.cosines.data()};
}

std::vector<Stream> AudioFeatures::outputs(std::span<const Stream> inputs) const {
  const Stream& audio = inputs[0];
  require_dense_fixed(audio);
  require_floating(audio);
  if (audio.sample_shape.rank() > 1) {
    refuse_stream(audio, "have one number a sample, or one for each channel");
  }
  const std::int64_t channel_count = audio.sample_shape.size();
  if (channel_count != 1 && !options_.channel) {
    throw ConfigError(formatted("stream \"{}\" has {} channels: channel is needed, from 0 to {}",
                                audio.name, channel_count, channel_count - 1));
  }
  if (options_.channel && *options_.channel >= channel_count) {
    throw ConfigError(formatted("stream \"{}\": channel must be from 0 to {}: got {}", audio.name,
                                channel_count - 1, *options_.channel));
  }
  Stream made = audio;
  made.element_type = ElementType::f32;
  made.sample_shape = Shape{column_count_};
  return {made};
}

std::int64_t AudioFeatures::sample_count(std::int64_t sample_count) const noexcept {
  return grid_.frame_count(sample_count);
}

SampleRange AudioFeatures::reads(const SampleRange& range,
                                 const TransformedSequence& sequence) const {
  return grid_.samples_of(range, sequence.sample_counts[0]);
}

void AudioFeatures::apply(const TransformInput& input, TransformOutput& output) const {
  if (input.streams[0].element_type == ElementType::f32) {
    apply_to<float>(input, output);
  } else {
    apply_to<double>(input, output);
  }
}

template <typename T>
void AudioFeatures::apply_to(const TransformInput& input, TransformOutput& output) const {
  const std::int64_t channel_count = input.streams[0].sample_shape.size();
  const std::int64_t channel = options_.channel.value_or(0);
  const std::int64_t sample_count = input.sequence.sample_counts[0];
  SampleNoise noise(input.sequence.generator());
  const auto sample_at = [&](std::int64_t index) {
    const std::int64_t sample = mirrored(index, sample_count);
    const std::int64_t at = (sample - input.firsts[0]) * channel_count + channel;
    const double value = double{load<T>(input.views[0].values, at)} * options_.scale;
    if (!(std::abs(value) <= kAudioSampleMax)) {
      throw ConfigError(
          formatted("stream \"{}\": sample {} is {}; times scale, samples must be from -{} to {}",
                    input.streams[0].name, sample, load<T>(input.views[0].values, at),
                    kAudioSampleMax, kAudioSampleMax));
    }
    return options_.dither == 0 ? value : value + options_.dither * noise.at(sample);
  };
  const MelKernel& kernel = mel_kernel();
  Workspace work(program_);
  float* out = output.dense<float>(0, input.range.count);
  for (std::int64_t done = 0; done < input.range.count; done += kBlockFrames) {
    const std::int64_t block = std::min(kBlockFrames, input.range.count - done);
    const std::int64_t first = grid_.first_sample(input.range.first + done);
    const std::int64_t size = grid_.size + (block - 1) * grid_.shift;
    for (std::int64_t i = 0; i < size; ++i) {
      work.signal[static_cast<std::size_t>(i)] = sample_at(first + i);
    }
    for (std::int64_t frame = 0; frame < block; frame += kernel.lanes) {
      const std::int64_t count = std::min(kernel.lanes, block - frame);
      kernel.compute(program_, work.signal.data() + frame * grid_.shift, count, work.scratch(),
                     work.rows.data());
      put_rows(work.rows.data(), count, out);
      out += count * column_count_;
    }
  }
}

void AudioFeatures::put_rows(const double* rows, std::int64_t frame_count,
                             float* out) const noexcept {
  for (const std::optional<std::int64_t>& column : rows_.columns) {
    for (std::int64_t i = 0; column && i < frame_count; ++i) {
      out[i * column_count_ + *column] = static_cast<float>(rows[i]);
    }
    rows += frame_count;
  }
}

}  // namespace sheaf::internal
