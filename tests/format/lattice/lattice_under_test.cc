// A table of contents names archives, and an input of the laws is one file. So there is no set of
// options to run the laws with; lattice_deserializer_test.cc reads tables and archives from memory.
// Only opaque bytes can be lattices, and only such as are one; lattice_serializer_test.cc writes.

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
