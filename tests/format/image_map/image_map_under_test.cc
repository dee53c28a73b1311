// A map names other files, but the laws use single files. So there is no option set for the laws.
// image_map_deserializer_test.cc and the fuzz target read maps from memory.

#include <string>
#include <string_view>

#include "conformance/format_under_test.h"

namespace sheaf::conformance {

FormatUnderTest image_map_under_test();

FormatUnderTest image_map_under_test() {
  return {.name = "image_map",
          .option_sets = {},
          .generate = [](std::uint64_t, const FormatOptions&) { return std::string(); },
          .reference = [](std::string_view, const FormatOptions&) { return ReferenceResult(); },
          .has_text_keys = true,
          .holds_any_streams = false};
}

}  // namespace sheaf::conformance
