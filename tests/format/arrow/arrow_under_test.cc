// An Arrow file is binary tables of tables, and no short string is valid. So there are no option
// sets for the laws of reading. Other tests cover reading: testdata/arrow has files of pyarrow, the
// fuzz target changes these files, and python/tests/test_arrow_files.py compares random tables. The
// laws of serializers cover writing.

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
