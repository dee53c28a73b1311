#define FMT_HEADER_ONLY
#include "base/text.h"

#include <fmt/format.h>

namespace sheaf {

std::string format_arguments(fmt::string_view pattern, fmt::format_args arguments) {
  return fmt::vformat(pattern, arguments);
}

}  // namespace sheaf
