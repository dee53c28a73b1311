#include "options/suggest.h"

#include "sheaf/extend/nearest.h"

namespace sheaf::cli {

std::string suggestion(std::string_view typed, std::span<const std::string> known) {
  const std::string name = nearest_name(typed, known);
  return name.empty() ? "" : "; did you mean " + name + "?";
}

}  // namespace sheaf::cli
