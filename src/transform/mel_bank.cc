#include "transform/mel_bank.h"

#include <cstddef>

#include "sheaf/error.h"

#include "base/text.h"
#include "transform/fixed_math.h"

namespace sheaf::internal {

double mel_of(double frequency) noexcept { return 1127 * fixed_log(1 + frequency / 700); }

MelBank::MelBank(const MelBankOptions& options) {
  const double limit = options.sample_rate / 2;
  const double high = options.high_freq > 0 ? options.high_freq : limit + options.high_freq;
  if (!(options.low_freq >= 0 && options.low_freq < high && high <= limit)) {
    throw ConfigError(
        formatted("low_freq must lie below high_freq, and both from 0 to {}, half the sample rate: "
                  "got {} and {}",
                  limit, options.low_freq, high));
  }
  const double width = options.sample_rate / static_cast<double>(options.fft_size);
  const double mel_low = mel_of(options.low_freq);
  const double step = (mel_of(high) - mel_low) / static_cast<double>(options.bin_count + 1);
  std::vector<double> mels;  // of the bins of the spectrum
  for (std::int64_t k = 0; k < options.fft_size / 2; ++k) {
    mels.push_back(mel_of(width * static_cast<double>(k)));
  }
  std::size_t first = 0;
  for (std::int64_t b = 0; b < options.bin_count; ++b) {
    const double left = mel_low + static_cast<double>(b) * step;
    const double center = mel_low + static_cast<double>(b + 1) * step;
    const double right = mel_low + static_cast<double>(b + 2) * step;
    while (first < mels.size() && mels[first] <= left) ++first;
    MelTriangle triangle{.first = static_cast<std::int64_t>(first)};
    for (std::size_t k = first; k < mels.size() && mels[k] < right; ++k, ++triangle.count) {
      weights_.push_back(mels[k] <= center ? (mels[k] - left) / (center - left)
                                           : (right - mels[k]) / (right - center));
    }
    if (triangle.count == 0) {
      throw ConfigError(
          formatted("num_mel_bins={} is too many: no frequency of a spectrum of {} samples lies in "
                    "bin {}",
                    options.bin_count, options.fft_size, b));
    }
    triangles_.push_back(triangle);
  }
}

}  // namespace sheaf::internal
