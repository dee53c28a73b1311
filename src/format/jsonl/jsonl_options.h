// Options of JSON Lines.

#pragma once

#include <array>
#include <string_view>

#include "sheaf/extend/format.h"

namespace sheaf::jsonl {

inline constexpr std::array<std::string_view, 2> kKeyValues = {"", "FIELD"};
inline constexpr FormatOption kKeyOption = {"jsonl.key", kKeyValues,
                                            "the field that has the key of a sequence; none: keys "
                                            "are the numbers of lines, from 0",
                                            /*takes_any=*/true};
inline constexpr std::array<std::string_view, 2> kFieldsValues = {"", "A,B"};
inline constexpr FormatOption kFieldsOption = {
    "jsonl.fields", kFieldsValues,
    "the fields that are streams, where no streams are declared; none: all that can be",
    /*takes_any=*/true};
inline constexpr std::array kReadOptions = {kKeyOption, kFieldsOption};
inline constexpr std::array<std::string_view, 2> kWrittenKeyValues = {"key", "FIELD"};
inline constexpr FormatOption kWrittenKeyOption = {
    "jsonl.key", kWrittenKeyValues, "the field that the key of a sequence is written to",
    /*takes_any=*/true};
inline constexpr std::array<std::string_view, 3> kWrittenKeysValues = {"all", "none", "drop"};
inline constexpr FormatOption kWrittenKeysOption = {
    "jsonl.keys", kWrittenKeysValues,
    "all: each line has the key of its sequence; none: keys are the numbers of lines, and not "
    "written; drop: keys are not written"};
inline constexpr std::array kWriteOptions = {kWrittenKeyOption, kWrittenKeysOption};

}  // namespace sheaf::jsonl
