#include "format/audio/audio_options.h"

#include <charconv>
#include <limits>
#include <system_error>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"

#include "base/text.h"

namespace sheaf::internal {

std::optional<std::int64_t> sample_rate_of(const FormatOption& option,
                                           const std::map<std::string, std::string>& given) {
  const std::string_view text = value_of(option, given);
  if (text == kSampleRateValues.front()) return std::nullopt;
  std::uint32_t rate = 0;
  const char* const end = text.data() + text.size();
  const auto [next, error] = std::from_chars(text.data(), end, rate);
  if (error != std::errc() || next != end || rate == 0) {
    throw ConfigError(formatted("{}: expected a number of samples a second from 1 to {}, found {}",
                                option.name, std::numeric_limits<std::uint32_t>::max(),
                                quoted(text)));
  }
  return rate;
}

SampleScale sample_scale_of(const FormatOption& option,
                            const std::map<std::string, std::string>& given) {
  return value_of(option, given) == kSampleScaleValues.back() ? SampleScale::int16
                                                              : SampleScale::unit;
}

}  // namespace sheaf::internal
