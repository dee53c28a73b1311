// The rules are those of Kaldi's feature-window.

#include "transform/audio_frames.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/saturated.h"
#include "transform/fixed_math.h"

namespace sheaf::internal {

std::int64_t FrameGrid::frame_count(std::int64_t sample_count) const noexcept {
  assert(sample_count >= 0 && size >= 2 && shift >= 1);
  if (snip_edges) return sample_count < size ? 0 : 1 + (sample_count - size) / shift;
  // (sample_count + shift / 2) / shift, written so that the sum cannot overflow.
  return sample_count / shift + (sample_count % shift + shift / 2) / shift;
}

std::int64_t FrameGrid::first_sample(std::int64_t frame) const noexcept {
  const std::int64_t first = saturated_product(frame, shift);
  return snip_edges ? first : first + (shift / 2 - size / 2);
}

SampleRange FrameGrid::samples_of(const SampleRange& frames,
                                  std::int64_t sample_count) const noexcept {
  const std::int64_t first = first_sample(frames.first);
  const std::int64_t last = first_sample(frames.first + frames.count - 1);
  const std::int64_t end = last > 0 ? saturated_sum(last, size) : last + size;
  std::int64_t begin = std::max<std::int64_t>(first, 0);
  std::int64_t stop = std::min(end, sample_count);
  if (first < 0) stop = std::max(stop, std::min(sample_count, -first));
  if (end > sample_count)
    begin = std::max<std::int64_t>(0, std::min(begin, sample_count - (end - sample_count)));
  return {begin, stop - begin};
}

std::int64_t mirrored(std::int64_t index, std::int64_t sample_count) noexcept {
  assert(sample_count > 0);
  if (index >= 0 && index < sample_count) return index;
  std::int64_t rest = index % (2 * sample_count);
  if (rest < 0) rest += 2 * sample_count;
  return rest < sample_count ? rest : 2 * sample_count - 1 - rest;
}

std::vector<double> window_factors(WindowKind kind, std::int64_t size) {
  assert(size >= 2);
  constexpr double kPoveyPower = 0.85;
  std::vector<double> factors;
  for (std::int64_t i = 0; i < size; ++i) {
    // The second half mirrors the first one.
    const double turns =
        static_cast<double>(std::min(i, size - 1 - i)) / static_cast<double>(size - 1);
    const double cosine = fixed_cos(turns);
    switch (kind) {
      case WindowKind::povey:
        factors.push_back(fixed_pow(0.5 - 0.5 * cosine, kPoveyPower));
        break;
      case WindowKind::hamming:
        factors.push_back(0.54 - 0.46 * cosine);
        break;
      case WindowKind::hanning:
        factors.push_back(0.5 - 0.5 * cosine);
        break;
      case WindowKind::rectangular:
        factors.push_back(1);
        break;
      case WindowKind::blackman:
        factors.push_back(0.42 - 0.5 * cosine + 0.08 * fixed_cos(2 * turns));
        break;
    }
  }
  return factors;
}

// The Box-Muller method: the length comes from one number, the direction from the other.
double SampleNoise::at(std::int64_t sample) noexcept {
  if (sample != next_) {
    generator_ = start_;
    generator_.skip(2 * static_cast<std::uint64_t>(sample));
  }
  next_ = sample + 1;
  const double above_0 = 1 - generator_.uniform();
  const double turns = generator_.uniform();
  return std::sqrt(-2 * fixed_log(above_0)) * fixed_cos(turns);
}

}  // namespace sheaf::internal
