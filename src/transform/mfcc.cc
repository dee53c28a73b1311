// Computes mel cepstra of audio, as Kaldi's compute-mfcc-feats does.
//
// The compiler must not fuse a product and a sum into one operation: src/CMakeLists.txt prevents
// it.

#include <array>
#include <cmath>

#include "sheaf/error.h"

#include "base/text.h"
#include "transform/audio_features.h"
#include "transform/fixed_math.h"
#include "transform/option_values.h"
#include "transform/types.h"

namespace sheaf::internal {
namespace {

constexpr std::array kMfccOptions = joined_rows(
    audio_option_rows("true"),
    std::array<TransformOption, 2>{
        {{.name = "num_ceps", .default_text = "13", .help = "cepstra, at most num_mel_bins"},
         {.name = "cepstral_lifter", .default_text = "22", .help = "0: cepstra are not scaled"}}});

struct CepstraOptions {
  std::int64_t count = 13;
  double lifter = 22;
};

/// Returns the lifter factor of cepstrum number `row`.
double lifter_factor(const CepstraOptions& cepstra, std::int64_t row) noexcept {
  if (cepstra.lifter == 0) return 1;
  return 1 + 0.5 * cepstra.lifter * fixed_sin(static_cast<double>(row) / (2 * cepstra.lifter));
}

/// Returns the factors of a discrete cosine transform, with liftering: [cepstra, mel bins].
std::vector<double> cepstra_cosines(const AudioOptions& options, const CepstraOptions& cepstra) {
  const auto bin_count = static_cast<double>(options.num_mel_bins);
  std::vector<double> cosines;
  for (std::int64_t row = 0; row < cepstra.count; ++row) {
    double factor = std::sqrt((row == 0 ? 1 : 2) / bin_count) * lifter_factor(cepstra, row);
    // In HTK, cepstrum 0 is larger.
    if (row == 0 && options.htk_compat && !options.use_energy) factor *= std::sqrt(2.0);
    for (std::int64_t b = 0; b < options.num_mel_bins; ++b) {
      const double turns = (static_cast<double>(b) + 0.5) * static_cast<double>(row);
      cosines.push_back(factor * fixed_cos(turns / (2 * bin_count)));
    }
  }
  return cosines;
}

std::shared_ptr<const Transform> make_mfcc(const TransformRequest& request) {
  constexpr double kLifterMax = 1e6;
  const OptionValues values(mfcc_transform(), request);
  const AudioOptions options = audio_options(values);
  const CepstraOptions cepstra = {.count = values.integer("num_ceps", 1, options.num_mel_bins),
                                  .lifter = values.number("cepstral_lifter", 0, kLifterMax)};
  FeatureRows rows{.cosines = cepstra_cosines(options, cepstra)};
  // Cepstrum 0, or the energy in place of it, comes first. In HTK, it comes last.
  const std::int64_t first = options.htk_compat ? cepstra.count - 1 : 0;
  for (std::int64_t row = 0; row < cepstra.count; ++row) {
    rows.columns.emplace_back(row == 0 ? first : row - (options.htk_compat ? 1 : 0));
  }
  if (options.use_energy) {
    rows.columns[0].reset();
    rows.columns.emplace_back(first);
  }
  const std::string text = formatted("{},num_ceps={},cepstral_lifter={}", to_string(options),
                                     cepstra.count, cepstra.lifter);
  return std::make_shared<const AudioFeatures>(mfcc_transform().name, text, options,
                                               std::move(rows));
}

}  // namespace

const TransformType& mfcc_transform() noexcept {
  static constexpr TransformType kType = {
      .name = "mfcc",
      .description = "mel cepstra of audio, as Kaldi makes them",
      .use = TransformUse::each,
      .options = kMfccOptions,
      .make = make_mfcc};
  return kType;
}

}  // namespace sheaf::internal
