/// \file
/// Where the frames of an audio signal lie, and what is done to the samples of a frame first: as
/// Kaldi's feature-window.

#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sheaf/extend/keyed_generator.h"
#include "sheaf/extend/transform.h"

namespace sheaf::internal {

/// The most samples of a frame, and from one frame to the next.
inline constexpr std::int64_t kFrameSizeMax = 65'536;

/// Samples lie between -kAudioSampleMax and kAudioSampleMax, so that an f32 holds every power.
inline constexpr double kAudioSampleMax = 1e13;

/// The places of frames: `size` samples, `shift` samples apart.
struct FrameGrid {
  std::int64_t size = 400;
  std::int64_t shift = 160;
  bool snip_edges = true;  // no frame goes beyond the signal; false: beyond, the signal is mirrored

  /// Returns how many frames a signal of `sample_count` samples has.
  ///
  /// Pre: sample_count >= 0; size >= 2; shift >= 1. Likewise below.
  [[nodiscard]] std::int64_t frame_count(std::int64_t sample_count) const noexcept;

  /// Returns the first sample of a frame, which may be below 0.
  [[nodiscard]] std::int64_t first_sample(std::int64_t frame) const noexcept;

  /// Returns the samples of a signal that frames need, mirrored ones at their own places.
  ///
  /// Pre: the range is not empty, and lies in the frames of a signal of `sample_count` samples.
  [[nodiscard]] SampleRange samples_of(const SampleRange& frames,
                                       std::int64_t sample_count) const noexcept;
};

/// Returns the sample that stands at `place`, where a signal of `sample_count` samples is mirrored
/// at both ends, as often as needed: -1 is 0, and `sample_count` is the last one.
///
/// Pre: sample_count > 0.
[[nodiscard]] std::int64_t mirrored(std::int64_t place, std::int64_t sample_count) noexcept;

enum class WindowKind : std::uint8_t { povey, hamming, hanning, rectangular, blackman };

/// The names of the kinds, in their order.
inline constexpr std::array<std::string_view, 5> kWindowNames = {"povey", "hamming", "hanning",
                                                                 "rectangular", "blackman"};

/// Returns the factors of a window: the first and the last one are equal.
///
/// Pre: size >= 2.
[[nodiscard]] std::vector<double> window_factors(WindowKind kind, std::int64_t size);

/// Returns standard normal numbers, one for each sample of a signal. The number of sample i is made
/// of the numbers 2i and 2i + 1 of the generator: slices of a signal have the numbers of the whole.
class SampleNoise {
 public:
  explicit SampleNoise(const KeyedGenerator& generator) noexcept
      : start_(generator), generator_(generator) {}

  /// Cost: least where `sample` is the one after that of the call before.
  [[nodiscard]] double at(std::int64_t sample) noexcept;

 private:
  KeyedGenerator start_;
  KeyedGenerator generator_;
  std::int64_t next_ = 0;  // the sample whose numbers come next
};

}  // namespace sheaf::internal
