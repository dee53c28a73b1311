// Computes mel energies of audio, as Kaldi's compute-fbank-feats does.

#include <array>

#include "base/text.h"
#include "transform/audio_features.h"
#include "transform/option_values.h"
#include "transform/types.h"

namespace sheaf::internal {
namespace {

constexpr std::array kFbankOptions = joined_rows(
    audio_option_rows("false"),
    std::array<TransformOption, 2>{
        {{.name = "use_power", .default_text = "true", .help = "false: magnitudes, not powers"},
         {.name = "use_log_fbank", .default_text = "true", .help = "false: no logarithm"}}});

std::shared_ptr<const Transform> make_fbank(const TransformRequest& request) {
  const OptionValues values(fbank_transform(), request);
  const AudioOptions options = audio_options(values);
  FeatureRows rows{.takes_power = values.flag("use_power"),
                   .takes_log = values.flag("use_log_fbank")};
  const std::int64_t shift = options.use_energy && !options.htk_compat ? 1 : 0;
  for (std::int64_t b = 0; b < options.num_mel_bins; ++b) rows.columns.emplace_back(b + shift);
  if (options.use_energy) rows.columns.emplace_back(shift == 1 ? 0 : options.num_mel_bins);
  const std::string text = formatted("{},use_power={},use_log_fbank={}", to_string(options),
                                     rows.takes_power, rows.takes_log);
  return std::make_shared<const AudioFeatures>(fbank_transform().name, text, options,
                                               std::move(rows));
}

}  // namespace

const TransformType& fbank_transform() noexcept {
  static constexpr TransformType kType = {
      .name = "fbank",
      .description = "log-mel frames of audio, as Kaldi makes them",
      .use = TransformUse::each,
      .options = kFbankOptions,
      .make = make_fbank};
  return kType;
}

}  // namespace sheaf::internal
