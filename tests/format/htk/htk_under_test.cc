// A list of HTK files names other files, but the laws use single files. So there is no option set
// for the laws. htk_deserializer_test.cc reads lists and files from memory.

#include <cstdint>
#include <string>
#include <string_view>

#include "conformance/format_under_test.h"

namespace sheaf::conformance {

FormatUnderTest htk_under_test();

FormatUnderTest htk_under_test() {
  return {.name = "htk",
          .option_sets = {},
          .generate = [](std::uint64_t, const FormatOptions&) { return std::string(); },
          .reference = [](std::string_view, const FormatOptions&) { return ReferenceResult(); },
          .has_text_keys = true};
}

}  // namespace sheaf::conformance
