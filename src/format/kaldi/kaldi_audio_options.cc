#include "format/kaldi/kaldi_audio_options.h"

#include <algorithm>
#include <utility>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"

#include "base/text.h"

namespace sheaf::kaldi {
namespace {}  // namespace

bool has_audio_options(const FormatOptions& options) {
  return std::ranges::any_of(kAudioOptions, [&](const FormatOption& option) {
    return options.extra.contains(std::string(option.name));
  });
}

AudioOptions audio_options_of(const FormatOptions& options, ReadOptions common) {
  const auto refuse = [&](std::string_view why) {
    throw ConfigError(formatted("stream \"{}\": {}", common.name, why));
  };
  if (common.as != As::values) {
    refuse(formatted("kaldi.as={}: the objects are recordings",
                     kAsValues[static_cast<std::size_t>(common.as)]));
  }
  if (options.extra.contains(std::string(kLengthsOption.name))) {
    refuse("kaldi.lengths: recordings tell their own lengths");
  }
  if (common.storage.value_or(Storage::dense) != Storage::dense) {
    refuse("samples of recordings are dense");
  }
  if (common.type.value_or(ElementType::f32) != ElementType::f32) {
    refuse(formatted(
        "samples of recordings are read as f32, not {}; the transform cast gives other types",
        to_string(*common.type)));
  }
  AudioOptions result;
  if (common.shape) result.channel_count = common.shape->size();
  result.rate = internal::sample_rate_of(kRateOption, options.extra);
  result.scale = internal::sample_scale_of(kScaleOption, options.extra);
  result.segments_path = value_of(kSegmentsOption, options.extra);
  result.common = std::move(common);
  return result;
}

}  // namespace sheaf::kaldi
