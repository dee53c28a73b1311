#include "options/suggest.h"

#include <algorithm>
#include <iterator>

#include "sheaf/extend/nearest.h"

namespace sheaf::cli {

namespace {

// The name of an option in Python or another program, and our name.
struct Foreign {
  std::string_view name;
  std::string_view own;
};

constexpr Foreign kForeign[] = {
    {"--batch-size", "--minibatch-size"},
    {"--batch_size", "--minibatch-size"},
    {"--num-threads", "--threads"},
    {"--num-workers", "--threads"},
    {"--rank", "--worker"},
    {"--world-size", "--worker"},
    {"--window", "--window-chunks"},
    {"--shuffle", "--order"},
};

}  // namespace

std::string suggestion(std::string_view typed, std::span<const std::string> known) {
  std::string name = nearest_name(typed, known);
  const auto* const foreign = std::ranges::find(kForeign, typed, &Foreign::name);
  if (foreign != std::end(kForeign) && std::ranges::find(known, foreign->own) != known.end()) {
    name = foreign->own;
  }
  return name.empty() ? "" : "; did you mean " + name + "?";
}

}  // namespace sheaf::cli
