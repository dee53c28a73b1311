// A map names other files, and an input of the laws is one file. So there is no set of options
// to run the laws with; image_map_deserializer_test.cc reads maps from memory, and the fuzz
// target does.

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
