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
          .has_text_keys = true};
}

}  // namespace sheaf::conformance
