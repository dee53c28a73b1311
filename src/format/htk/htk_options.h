// Options of HTK lists.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sheaf/extend/format.h"

namespace sheaf::htk {

inline constexpr std::array<std::string_view, 3> kAsValues = {"values", "ids", "one_hot"};
inline constexpr FormatOption kAsOption = {
    "htk.as", kAsValues,
    "what a frame of one value is: the value, a label as a number, or a label as a one-hot sample"};
inline constexpr std::array<std::string_view, 2> kPrefixValues = {"", "FOLDER"};
inline constexpr FormatOption kPrefixOption = {
    "htk.prefix", kPrefixValues, "the folder that the paths of the list begin in", true};
inline constexpr std::array<std::string_view, 2> kMaxFramesValues = {"unlimited", "COUNT"};
inline constexpr FormatOption kMaxFramesOption = {"htk.max_frames", kMaxFramesValues,
                                                  "utterances of more frames are left out", true};
inline constexpr std::array<std::string_view, 2> kLayoutValues = {"archive", "files"};
inline constexpr FormatOption kLayoutOption = {
    "htk.layout", kLayoutValues,
    "where frames go: into one file beside the list, or into a file for each utterance"};
inline constexpr std::array<std::string_view, 2> kPeriodValues = {"100000", "UNITS"};
inline constexpr FormatOption kPeriodOption = {"htk.period", kPeriodValues,
                                               "how many 100 ns a frame lasts", true};
inline constexpr std::array<std::string_view, 2> kKindValues = {"USER", "KIND"};
inline constexpr FormatOption kKindOption = {
    "htk.kind", kKindValues, "the parameter kind in the headers, such as MFCC_E_D_A", true};
inline constexpr std::array kWriteOptions = {kLayoutOption, kPeriodOption, kKindOption};

inline constexpr std::array kReadOptions = {kAsOption, kPrefixOption, kMaxFramesOption};

/// The sample that a frame of a file becomes.
enum class Labels : std::uint8_t { values, ids, one_hot };

/// The checked options of a list.
struct ReadOptions {
  Labels as = Labels::values;
  std::string prefix;  // ends with a slash, or is empty
  std::optional<std::int64_t> frames_max;

  // An undeclared stream has the name of the list.
  Stream stream;
  std::optional<std::int64_t> dim;  // declared dim of the files; nothing if it must be found

  std::int64_t chunk_size_bytes = 0;  // 0: chunks by frames, as in CNTK
  std::int64_t read_size_bytes = 0;
  bool allows_last_minus_1 = true;
  bool has_text_keys = true;
};

/// The checked options for writing.
struct WriteOptions {
  bool has_archive = true;  // one file for all utterances
  std::uint32_t period = 100'000;
  std::uint16_t kind = 9;
};

/// Checks the options for writing.
///
/// Throws: ConfigError.
[[nodiscard]] WriteOptions write_options_of(const SerializerOptions& options);

/// Checks the options.
///
/// Throws: ConfigError.
[[nodiscard]] ReadOptions read_options_of(const FormatOptions& options, std::string_view list_name);

/// Returns the name of a list without folder and extension: "feats" for "a/feats.scp".
[[nodiscard]] std::string stem_of(std::string_view list_name);

}  // namespace sheaf::htk
