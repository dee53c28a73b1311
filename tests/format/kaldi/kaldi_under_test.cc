// A list of objects names other files, but the laws use single files. So there is no option set for
// the laws. kaldi_deserializer_test.cc reads archives and lists from memory,
// kaldi_serializer_test.cc writes them, and the fuzz target does both.

#include <string>
#include <string_view>

#include "conformance/format_under_test.h"

namespace sheaf::conformance {

FormatUnderTest kaldi_under_test();

FormatUnderTest kaldi_under_test() {
  return {.name = "kaldi",
          .option_sets = {},
          .generate = [](std::uint64_t, const FormatOptions&) { return std::string(); },
          .reference = [](std::string_view, const FormatOptions&) { return ReferenceResult(); },
          .has_text_keys = true,
          .holds_any_streams = false};
}

}  // namespace sheaf::conformance
