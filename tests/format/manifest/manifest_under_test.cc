// A manifest names other files, and an input of the laws is one file. So there is no set of options
// to run the laws with; manifest_deserializer_test.cc reads manifests from memory, and the fuzz
// target does.

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
