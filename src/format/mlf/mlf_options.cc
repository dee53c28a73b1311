#include "format/mlf/mlf_options.h"

#include <charconv>
#include <map>
#include <string>
#include <system_error>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"

#include "base/text.h"
#include "format/text/text_format.h"

namespace sheaf::mlf {
namespace {

constexpr std::int64_t kPeriodMax = std::int64_t{1} << 30;

std::int64_t whole_option(const FormatOption& option,
                          const std::map<std::string, std::string>& extra, std::int64_t max) {
  const std::string_view text = value_of(option, extra);
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [next, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && next == end && number >= 1 && number <= max) return number;
  throw ConfigError(formatted("{}: expected a whole number from 1 to {}, found {}", option.name,
                              max, quoted(text)));
}

}  // namespace

WriteOptions write_options_of(const SerializerOptions& options) {
  check_format_options("mlf", kWriteOptions, options.extra, "for writing");
  return {.frame_period = whole_option(kPeriodOption, options.extra, kPeriodMax),
          .states_path = std::string(value_of(kStatesOption, options.extra))};
}

Options parse_options(const FormatOptions& options) {
  constexpr std::int64_t kFramesMax = std::int64_t{1} << 31;
  internal::check_text_options(options);
  check_format_options("mlf", kReadOptions, options.extra);
  if (options.skip_sequence_ids) {
    throw ConfigError("skip_sequence_ids: the utterances of an MLF have names, which are the keys");
  }
  Options own;
  own.is_cntk = options.compatibility == Compatibility::cntk;
  own.has_text_keys = options.keys.value_or(KeyType::text) == KeyType::text;
  const std::string_view unit = value_of(kUnitOption, options.extra);
  if (unit == "htk") own.unit = Options::Unit::htk;
  if (unit == "frames") own.unit = Options::Unit::frames;
  own.frame_period = whole_option(kPeriodOption, options.extra, kPeriodMax);
  own.frames_max = whole_option(kFramesOption, options.extra, kFramesMax);
  own.states_path = value_of(kStatesOption, options.extra);
  own.gives_ids = value_of(kAsOption, options.extra) == "ids";
  own.marks_boundaries = value_of(kBoundariesOption, options.extra) == "true";
  const std::string_view gap = value_of(kGapOption, options.extra);
  if (gap != kGapValues.front()) own.gap = gap;
  if (own.gives_ids && own.marks_boundaries) {
    throw ConfigError("mlf.phone_boundaries: only one-hot labels (mlf.as=one_hot) mark them");
  }
  return own;
}

}  // namespace sheaf::mlf
