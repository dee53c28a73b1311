// Options of CTF.

#pragma once

#include <array>
#include <string_view>

#include "sheaf/extend/format.h"

namespace sheaf::ctf {

inline constexpr std::array<std::string_view, 3> kIdsValues = {"all", "first", "none"};
inline constexpr FormatOption kIdsOption = {"ctf.ids", kIdsValues,
                                            "which rows of a sequence get its id"};
inline constexpr std::array kWriteOptions = {kIdsOption};

}  // namespace sheaf::ctf
