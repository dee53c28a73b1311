// A table of contents names archives, but the laws use single files. So there is no option set for
// the laws. lattice_deserializer_test.cc reads tables and archives from memory. The laws of
// serializers make up bytes that are not lattices, so lattice_serializer_test.cc tests writing.

#include <cstdint>
#include <string>
#include <string_view>

#include "conformance/format_under_test.h"

namespace sheaf::conformance {

FormatUnderTest lattice_under_test();

FormatUnderTest lattice_under_test() {
  return {.name = "lattice",
          .option_sets = {},
          .generate = [](std::uint64_t, const FormatOptions&) { return std::string(); },
          .reference = [](std::string_view, const FormatOptions&) { return ReferenceResult(); },
          .holds_any_streams = false};
}

}  // namespace sheaf::conformance
