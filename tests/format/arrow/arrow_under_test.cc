// The bytes of the format are a binary table of tables, which no short string is. So there is no
// set of options to run the laws with; testdata/arrow has files of pyarrow, the fuzz target reads
// what grows out of them, and python/tests/test_arrow_files.py compares random tables.

#include <string>
#include <string_view>

#include "conformance/format_under_test.h"

namespace sheaf::conformance {

FormatUnderTest arrow_under_test();

FormatUnderTest arrow_under_test() {
  return {.name = "arrow",
          .option_sets = {},
          .generate = [](std::uint64_t, const FormatOptions&) { return std::string(); },
          .reference = [](std::string_view, const FormatOptions&) { return ReferenceResult(); },
          .holds_any_streams = false};
}

}  // namespace sheaf::conformance
