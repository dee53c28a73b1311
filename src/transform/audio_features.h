/// \file
/// The common parts of the transforms fbank and mfcc: their options, and the computation of mel
/// bins from frames of an audio stream.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/transform.h"

#include "transform/audio_frames.h"
#include "transform/mel_bank.h"
#include "transform/mel_kernel.h"
#include "transform/option_values.h"
#include "transform/real_fft.h"

namespace sheaf::internal {

/// The common options of fbank and mfcc. Names and defaults are Kaldi's, except that there is no
/// dither.
struct AudioOptions {
  std::int64_t sample_rate = 16'000;
  double frame_length_ms = 25;
  double frame_shift_ms = 10;
  std::int64_t num_mel_bins = 23;
  double low_freq = 20;
  double high_freq = 0;
  double preemphasis = 0.97;
  WindowKind window = WindowKind::povey;
  bool snip_edges = true;
  bool remove_dc_offset = true;
  bool round_to_power_of_two = true;
  bool use_energy = false;
  bool raw_energy = true;
  double energy_floor = 0;
  bool htk_compat = false;
  double dither = 0;
  double scale = 1;
  std::optional<std::int64_t> channel = {};
};

/// Returns the table of the common options. `use_energy` is the default of the option of that name.
[[nodiscard]] constexpr std::array<TransformOption, 18> audio_option_rows(
    std::string_view use_energy) noexcept {
  return {{
      {.name = "sample_rate", .default_text = "16000", .help = "samples a second"},
      {.name = "frame_length_ms", .default_text = "25", .help = "milliseconds of a frame"},
      {.name = "frame_shift_ms", .default_text = "10", .help = "from one frame to the next"},
      {.name = "num_mel_bins", .default_text = "23", .help = "triangles on the mel scale"},
      {.name = "low_freq", .default_text = "20", .help = "hertz, where the lowest triangle starts"},
      {.name = "high_freq",
       .default_text = "0",
       .help = "hertz, where the highest one ends; 0 or less: below half the sample rate"},
      {.name = "preemphasis", .default_text = "0.97", .help = "the share of the sample before"},
      {.name = "window",
       .default_text = "povey",
       .help = "povey, hamming, hanning, rectangular or blackman"},
      {.name = "snip_edges",
       .default_text = "true",
       .help = "false: a frame every shift, the signal mirrored at its ends"},
      {.name = "remove_dc_offset", .default_text = "true", .help = "subtracts a frame's mean"},
      {.name = "round_to_power_of_two",
       .default_text = "true",
       .help = "false: a spectrum of the frame's own length"},
      {.name = "use_energy", .default_text = use_energy, .help = "gives the energy, too"},
      {.name = "raw_energy",
       .default_text = "true",
       .help = "false: the energy after preemphasis and window"},
      {.name = "energy_floor", .default_text = "0", .help = "the least energy"},
      {.name = "htk_compat", .default_text = "false", .help = "true: the energy comes last"},
      {.name = "dither", .default_text = "0", .help = "the deviation of noise added to samples"},
      {.name = "scale", .default_text = "1", .help = "what samples are multiplied by"},
      {.name = "channel", .help = "which channel of several to take, from 0"},
  }};
}

/// Concatenates two tables of options.
template <std::size_t kCommon, std::size_t kOwn>
[[nodiscard]] constexpr std::array<TransformOption, kCommon + kOwn> joined_rows(
    const std::array<TransformOption, kCommon>& common,
    const std::array<TransformOption, kOwn>& own) noexcept {
  std::array<TransformOption, kCommon + kOwn> all{};
  for (std::size_t i = 0; i < kCommon; ++i) all[i] = common[i];
  for (std::size_t i = 0; i < kOwn; ++i) all[kCommon + i] = own[i];
  return all;
}

/// Throws: ConfigError that names an option and its valid values.
[[nodiscard]] AudioOptions audio_options(const OptionValues& values);

/// Returns the text of the options that a position carries.
[[nodiscard]] std::string to_string(const AudioOptions& options);

/// Describes how features are made from mel bins, in addition to the common options. A feature is
/// one value of a frame for which the kernel writes a row.
struct FeatureRows {
  bool takes_power = true;
  bool takes_log = true;
  std::vector<double> cosines = {};  // [rows, mel bins]; empty: each mel bin is a row

  /// The column of each row, and of the energy behind the rows. Nothing means that the row is left
  /// out.
  std::vector<std::optional<std::int64_t>> columns = {};
};

/// Makes the features of an audio stream, frame by frame.
class AudioFeatures final : public Transform {
 public:
  /// Pre:    `rows.columns` has each column from 0 on exactly once, and has an entry for the energy
  ///         if that is used.
  /// Throws: ConfigError for options that do not go together.
  AudioFeatures(std::string_view name, std::string text, const AudioOptions& options,
                FeatureRows rows);

  [[nodiscard]] std::string_view name() const noexcept override { return name_; }
  [[nodiscard]] std::string options() const override { return text_; }
  [[nodiscard]] bool is_random() const noexcept override { return options_.dither != 0; }
  [[nodiscard]] std::vector<Stream> outputs(std::span<const Stream> inputs) const override;
  [[nodiscard]] std::int64_t sample_count(std::int64_t sample_count) const noexcept override;
  [[nodiscard]] bool keeps_counts() const noexcept override { return false; }
  [[nodiscard]] SampleRange reads(const SampleRange& range,
                                  const TransformedSequence& sequence) const override;
  void apply(const TransformInput& input, TransformOutput& output) const override;

 private:
  template <typename T>
  void apply_to(const TransformInput& input, TransformOutput& output) const;
  void put_rows(const double* rows, std::int64_t frame_count, float* out) const noexcept;

  std::string_view name_;
  std::string text_;
  AudioOptions options_;
  FrameGrid grid_;
  std::vector<double> window_;
  RealFft fft_;
  MelBank bank_;
  FeatureRows rows_;
  std::int64_t column_count_;
  MelProgram program_;
};

}  // namespace sheaf::internal
