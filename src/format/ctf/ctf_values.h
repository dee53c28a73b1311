// Finds the ends of values in CTF.

#pragma once

#include "format/ctf/ctf_rows.h"

namespace sheaf::ctf {

[[nodiscard]] inline bool ends_value(const char* p, const char* end) noexcept {
  return p == end || is_blank(*p) || *p == '|';
}

}  // namespace sheaf::ctf
