// The bytes of the format are a binary table of tables, which no short string is. So there is no
// set of options to run the laws of reading with; testdata/arrow has files of pyarrow, the fuzz
// target reads what grows out of them, and python/tests/test_arrow_files.py compares random tables.
// Files that are written are read by the laws of serializers.

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
          .keeps_empty_streams = true};
}

}  // namespace sheaf::conformance
