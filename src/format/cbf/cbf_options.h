// Options of CBF.

#pragma once

#include <array>
#include <string_view>

#include "sheaf/extend/format.h"

namespace sheaf::cbf {

inline constexpr std::array<std::string_view, 2> kLengthsValues = {"check", "trust"};
inline constexpr std::array<std::string_view, 2> kChecksValues = {"off", "on"};
inline constexpr std::array<std::string_view, 2> kChunksValues = {"exact", "cntk"};
inline constexpr std::array<std::string_view, 2> kMissingValues = {"write", "refuse"};
inline constexpr std::array<std::string_view, 2> kNamesValues = {"ascii", "utf-8"};

inline constexpr FormatOption kLengthsOption = {
    "cbf.lengths", kLengthsValues, "whether stored lengths are held against the streams"};
inline constexpr FormatOption kChecksOption = {
    "cbf.checks", kChecksValues, "whether hashes of all chunks are written behind the data"};
inline constexpr FormatOption kChunksOption = {
    "cbf.chunks", kChunksValues, "whether chunk sizes are exact, or estimated as CNTK did"};
inline constexpr FormatOption kMissingOption = {"cbf.missing", kMissingValues,
                                                "whether sequences may lack a stream"};
inline constexpr FormatOption kNamesOption = {"cbf.names", kNamesValues,
                                              "which characters names of streams may have"};

inline constexpr std::array kReadOptions = {kLengthsOption};
inline constexpr std::array kWriteOptions = {kChecksOption, kChunksOption, kMissingOption,
                                             kNamesOption};

}  // namespace sheaf::cbf
