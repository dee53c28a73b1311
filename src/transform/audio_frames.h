/// \file
/// Locates the frames of an audio signal, and prepares the samples of a frame: as Kaldi's
/// feature-window.

#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sheaf/extend/keyed_generator.h"
#include "sheaf/extend/transform.h"

namespace sheaf::internal {

/// The largest number of samples of a frame, and the largest shift between frames.
inline constexpr std::int64_t kFrameSizeMax = 65'536;

/// The limit of the absolute value of samples. An f32 holds every power of such samples.
inline constexpr double kAudioSampleMax = 1e13;

/// A grid of frames. Each has `size` samples, and starts `shift` samples after the one before.
struct FrameGrid {
  std::int64_t size = 400;
  std::int64_t shift = 160;
  bool snip_edges = true;  // frames stay within the signal; false: the signal is mirrored

  /// Returns how many frames a signal of `sample_count` samples has.
  ///
  /// Pre: sample_count >= 0; size >= 2; shift >= 1. Likewise below.
  [[nodiscard]] std::int64_t frame_count(std::int64_t sample_count) const noexcept;

  /// Returns the first sample of a frame, which may be below 0.
  [[nodiscard]] std::int64_t first_sample(std::int64_t frame) const noexcept;

  /// Returns the samples of a signal that frames need, including the samples that are read through
  /// mirroring.
  ///
  /// Pre: the range is not empty, and lies in the frames of a signal of `sample_count` samples.
  [[nodiscard]] SampleRange samples_of(const SampleRange& frames,
                                       std::int64_t sample_count) const noexcept;
};

/// Returns the sample to read for `index`, in a signal that is mirrored at both ends as often
/// as needed. For example, index -1 reads sample 0, and index `sample_count` reads the last sample.
///
/// Pre: sample_count > 0.
[[nodiscard]] std::int64_t mirrored(std::int64_t index, std::int64_t sample_count) noexcept;

enum class WindowKind : std::uint8_t { povey, hamming, hanning, rectangular, blackman };

/// The names of the window kinds, in the order of the enumerators.
inline constexpr std::array<std::string_view, 5> kWindowNames = {"povey", "hamming", "hanning",
                                                                 "rectangular", "blackman"};

/// Returns the factors of a window. The first and the last factor are equal.
///
/// Pre: size >= 2.
[[nodiscard]] std::vector<double> window_factors(WindowKind kind, std::int64_t size);

/// Returns standard normal numbers, one for each sample of a signal. The number of sample i comes
/// from the numbers 2i and 2i + 1 of the generator, so a slice of a signal gets the same numbers as
/// the whole.
class SampleNoise {
 public:
  explicit SampleNoise(const KeyedGenerator& generator) noexcept
      : start_(generator), generator_(generator) {}

  /// Cost: least if `sample` follows the sample of the previous call.
  [[nodiscard]] double at(std::int64_t sample) noexcept;

 private:
  KeyedGenerator start_;
  KeyedGenerator generator_;
  std::int64_t next_ = 0;  // sample whose numbers the generator gives next
};

}  // namespace sheaf::internal
