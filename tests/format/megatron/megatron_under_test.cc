// A list names another file, and an input of the laws is one file. So there is no set of options to
// run the laws with; megatron_deserializer_test.cc reads files from memory, the fuzz target does,
// and python/tests/test_megatron.py compares runs.

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
