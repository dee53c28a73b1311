// Options that formats of recordings have in common, each under a name of its own.

#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "sheaf/extend/format.h"

#include "format/audio/pcm.h"

namespace sheaf::internal {

/// The values of an option that says the sample rate of all recordings.
inline constexpr std::array<std::string_view, 2> kSampleRateValues = {"first", "RATE"};

/// The values of an option that says the range of the delivered values.
inline constexpr std::array<std::string_view, 2> kSampleScaleValues = {"unit", "int16"};

/// Returns the samples a second that an option with kSampleRateValues gives; nothing for "first".
///
/// Throws: ConfigError that names the option, for anything but a number from 1 to 2^32-1.
[[nodiscard]] std::optional<std::int64_t> sample_rate_of(
    const FormatOption& option, const std::map<std::string, std::string>& given);

/// Returns the scale that an option with kSampleScaleValues gives.
///
/// Throws: ConfigError as value_of().
[[nodiscard]] SampleScale sample_scale_of(const FormatOption& option,
                                          const std::map<std::string, std::string>& given);

}  // namespace sheaf::internal
