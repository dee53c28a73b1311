// A manifest names other files, but the laws use single files. So there is no option set for the
// laws. manifest_deserializer_test.cc and the fuzz target read manifests from memory.

#include <string>
#include <string_view>

#include "conformance/format_under_test.h"

namespace sheaf::conformance {

FormatUnderTest manifest_under_test();

FormatUnderTest manifest_under_test() {
  return {.name = "manifest",
          .option_sets = {},
          .generate = [](std::uint64_t, const FormatOptions&) { return std::string(); },
          .reference = [](std::string_view, const FormatOptions&) { return ReferenceResult(); },
          .has_text_keys = true,
          .holds_any_streams = false};
}

}  // namespace sheaf::conformance
