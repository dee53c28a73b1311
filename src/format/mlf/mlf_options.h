// Options of master label files.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sheaf/extend/format.h"

namespace sheaf::mlf {

inline constexpr std::array<std::string_view, 3> kUnitValues = {"auto", "htk", "frames"};
inline constexpr std::array<std::string_view, 2> kAsValues = {"one_hot", "ids"};
inline constexpr std::array<std::string_view, 2> kTruthValues = {"false", "true"};
inline constexpr FormatOption kUnitOption = {
    "mlf.time_unit", kUnitValues,
    "htk: times in 100 ns; frames: frame numbers; auto: by the length of each range"};
inline constexpr FormatOption kAsOption = {
    "mlf.as", kAsValues, "one_hot: a sparse sample with a 1 for each frame; ids: a whole number"};
inline constexpr FormatOption kBoundariesOption = {
    "mlf.phone_boundaries", kTruthValues, "whether the first frame of each range has the value 2"};
inline constexpr std::array<std::string_view, 2> kStatesValues = {"", "FILE"};
inline constexpr FormatOption kStatesOption = {
    .name = "mlf.states",
    .values = kStatesValues,
    .help = "the state list, a name a line; without one, labels are ids",
    .takes_any = true,
    .is_path = true};
inline constexpr std::array<std::string_view, 2> kGapValues = {"error", "STATE"};
inline constexpr FormatOption kGapOption = {
    "mlf.gap", kGapValues,
    "the state of frames without a range (the id, where there is no state list)", true};
inline constexpr std::array<std::string_view, 2> kPeriodValues = {"100000", "COUNT"};
inline constexpr FormatOption kPeriodOption = {"mlf.frame_period", kPeriodValues,
                                               "how many 100 ns a frame lasts", true};
inline constexpr std::array<std::string_view, 2> kFramesValues = {"4194304", "COUNT"};
inline constexpr FormatOption kFramesOption = {"mlf.frames_max", kFramesValues,
                                               "how many frames an utterance may have", true};
inline constexpr std::array kReadOptions = {kUnitOption,  kPeriodOption, kStatesOption,
                                            kAsOption,    kGapOption,    kBoundariesOption,
                                            kFramesOption};

inline constexpr std::array kWriteOptions = {kPeriodOption, kStatesOption};

/// The checked options for writing.
struct WriteOptions {
  std::int64_t frame_period = 0;  // in 100 ns
  std::string states_path;        // empty if labels are ids
};

/// Throws: ConfigError that names the option.
[[nodiscard]] WriteOptions write_options_of(const SerializerOptions& options);

/// The checked options for reading.
struct Options {
  enum class Unit : std::uint8_t { automatic, htk, frames };

  Unit unit = Unit::automatic;
  std::int64_t frame_period = 0;  // in 100 ns
  std::int64_t frames_max = 0;
  std::string states_path;         // empty if labels are ids
  std::optional<std::string> gap;  // the label for gaps; nothing if gaps are errors
  bool marks_boundaries = false;
  bool gives_ids = false;
  bool is_cntk = false;
  bool has_text_keys = true;

  /// Returns whether the times of a range count in 100 ns. `length` is the length of the range.
  [[nodiscard]] bool is_htk(double length) const noexcept {
    switch (unit) {
      case Unit::htk:
        return true;
      case Unit::frames:
        return false;
      case Unit::automatic:
        break;
    }
    return length >= static_cast<double>(frame_period - 1);
  }
};

/// Throws: ConfigError that names the option.
[[nodiscard]] Options parse_options(const FormatOptions& options);

}  // namespace sheaf::mlf
