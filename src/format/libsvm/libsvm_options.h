// Options of LibSVM.

#pragma once

#include <array>
#include <string_view>

#include "sheaf/extend/format.h"

namespace sheaf::libsvm {

inline constexpr std::array<std::string_view, 2> kBaseValues = {"1", "0"};
inline constexpr FormatOption kBaseOption = {"libsvm.base", kBaseValues,
                                             "the first index that a row can have"};
inline constexpr std::array<std::string_view, 3> kQidValues = {"all", "none", "drop"};
inline constexpr FormatOption kQidOption = {
    "libsvm.qid", kQidValues,
    "all: each row has the key of its sequence; none: keys are the numbers of rows, and not "
    "written; drop: keys are not written"};
inline constexpr std::array kReadOptions = {kBaseOption};
inline constexpr std::array kWriteOptions = {kBaseOption, kQidOption};

}  // namespace sheaf::libsvm
