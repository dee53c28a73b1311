// This format opens folders, but the laws use single files. So there is no option set for the laws.
// image_folder_deserializer_test.cc reads folders in memory and on disk.

#include <cstdint>
#include <string>
#include <string_view>

#include "conformance/format_under_test.h"

namespace sheaf::conformance {

FormatUnderTest image_folder_under_test();

FormatUnderTest image_folder_under_test() {
  return {.name = "image_folder",
          .option_sets = {},
          .generate = [](std::uint64_t, const FormatOptions&) { return std::string(); },
          .reference = [](std::string_view, const FormatOptions&) { return ReferenceResult(); },
          .has_text_keys = true};
}

}  // namespace sheaf::conformance
