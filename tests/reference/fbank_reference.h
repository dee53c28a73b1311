/// \file
/// Mel features of audio by Kaldi's formulas, frame by frame and bin by bin. Slow: in double
/// precision, with the functions of the C++ library.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

namespace sheaf::conformance {

struct FbankReferenceOptions {
  double rate = 16'000;
  std::int64_t size = 400;
  std::int64_t shift = 160;
  std::int64_t fft_size = 512;
  std::int64_t bins = 23;
  double low = 20;
  double high = 8000;
  double preemphasis = 0.97;
  std::string window = "povey";
  bool snip_edges = true;
  bool remove_dc_offset = true;
  bool raw_energy = true;
  bool use_power = true;
  bool use_log = true;
  std::int64_t ceps = 13;
  double lifter = 22;
};

/// A frame: its mel bins, its cepstra, and the logarithm of its energy.
struct ReferenceFrame {
  std::vector<double> mels;
  std::vector<double> ceps;
  double energy;
};

inline double reference_window(const std::string& name, double turns) {
  const double cosine = std::cos(2 * std::numbers::pi * turns);
  if (name == "povey") return std::pow(0.5 - 0.5 * cosine, 0.85);
  if (name == "hamming") return 0.54 - 0.46 * cosine;
  if (name == "hanning") return 0.5 - 0.5 * cosine;
  if (name == "blackman") {
    return 0.42 - 0.5 * cosine + 0.08 * std::cos(4 * std::numbers::pi * turns);
  }
  return 1;
}

inline std::vector<double> reference_magnitudes(const std::vector<double>& samples,
                                                std::int64_t fft_size) {
  std::vector<double> magnitudes;
  for (std::int64_t k = 0; k < fft_size / 2; ++k) {
    double real = 0;
    double imaginary = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const auto turn = static_cast<double>(static_cast<std::int64_t>(i) * k % fft_size);
      const double angle = 2 * std::numbers::pi * turn / static_cast<double>(fft_size);
      real += samples[i] * std::cos(angle);
      imaginary -= samples[i] * std::sin(angle);
    }
    magnitudes.push_back(std::hypot(real, imaginary));
  }
  return magnitudes;
}

inline double reference_mel(double frequency) { return 1127 * std::log(1 + frequency / 700); }

inline ReferenceFrame reference_frame(std::vector<double> x, const FbankReferenceOptions& options) {
  constexpr double kLeast = 1.1920928955078125e-07;
  const auto energy_of = [&] {
    double sum = 0;
    for (const double value : x) sum += value * value;
    return std::log(std::max(sum, kLeast));
  };
  ReferenceFrame frame{};
  const auto size = static_cast<double>(x.size());
  if (options.remove_dc_offset) {
    double sum = 0;
    for (const double value : x) sum += value;
    for (double& value : x) value -= sum / size;
  }
  if (options.raw_energy) frame.energy = energy_of();
  for (std::size_t i = x.size(); i-- > 0;) x[i] -= options.preemphasis * x[i == 0 ? 0 : i - 1];
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] *= reference_window(options.window, static_cast<double>(i) / (size - 1));
  }
  if (!options.raw_energy) frame.energy = energy_of();
  const std::vector<double> magnitudes = reference_magnitudes(x, options.fft_size);
  const double low = reference_mel(options.low);
  const double step = (reference_mel(options.high) - low) / static_cast<double>(options.bins + 1);
  for (std::int64_t b = 0; b < options.bins; ++b) {
    double sum = 0;
    for (std::size_t k = 0; k < magnitudes.size(); ++k) {
      const double frequency =
          static_cast<double>(k) * options.rate / static_cast<double>(options.fft_size);
      const double location = (reference_mel(frequency) - low) / step - static_cast<double>(b);
      const double weight = std::max(0.0, std::min(location, 2 - location));
      sum += weight * (options.use_power ? magnitudes[k] * magnitudes[k] : magnitudes[k]);
    }
    frame.mels.push_back(options.use_log ? std::log(std::max(sum, kLeast)) : sum);
  }
  const auto bins = static_cast<double>(options.bins);
  for (std::int64_t c = 0; c < options.ceps; ++c) {
    double sum = 0;
    const auto row = static_cast<double>(c);
    for (std::size_t b = 0; b < frame.mels.size(); ++b) {
      sum +=
          frame.mels[b] * std::cos(std::numbers::pi / bins * (static_cast<double>(b) + 0.5) * row);
    }
    const double lifted =
        options.lifter == 0
            ? 1
            : 1 + options.lifter / 2 * std::sin(std::numbers::pi * row / options.lifter);
    frame.ceps.push_back(sum * std::sqrt((c == 0 ? 1 : 2) / bins) * lifted);
  }
  return frame;
}

/// Returns the frames of a signal.
inline std::vector<ReferenceFrame> reference_frames(const std::vector<double>& signal,
                                                    const FbankReferenceOptions& options) {
  const std::int64_t count = std::ssize(signal);
  std::vector<ReferenceFrame> frames;
  for (std::int64_t f = 0;; ++f) {
    const std::int64_t first =
        f * options.shift + (options.snip_edges ? 0 : options.shift / 2 - options.size / 2);
    if (options.snip_edges ? first + options.size > count
                           : f >= (count + options.shift / 2) / options.shift) {
      return frames;
    }
    std::vector<double> samples;
    for (std::int64_t i = first; i < first + options.size; ++i) {
      std::int64_t at = i;
      while (at < 0 || at >= count) at = at < 0 ? -at - 1 : 2 * count - 1 - at;
      samples.push_back(signal[static_cast<std::size_t>(at)]);
    }
    frames.push_back(reference_frame(std::move(samples), options));
  }
}

}  // namespace sheaf::conformance
