// A list names another file, but the laws use single files. So there is no option set for the laws.
// megatron_deserializer_test.cc and the fuzz target read files from memory, and
// python/tests/test_megatron.py compares runs.

#include <string>
#include <string_view>

#include "conformance/format_under_test.h"

namespace sheaf::conformance {

FormatUnderTest megatron_under_test();

FormatUnderTest megatron_under_test() {
  return {.name = "megatron",
          .option_sets = {},
          .generate = [](std::uint64_t, const FormatOptions&) { return std::string(); },
          .reference = [](std::string_view, const FormatOptions&) { return ReferenceResult(); },
          .holds_any_streams = false};
}

}  // namespace sheaf::conformance
