// The fuzz target of specs. Any text is read or refused with a reason. An accepted spec is written
// as JSON that reads back as the same spec. Parts of an input may be repeated (expand.h).

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "sheaf/error.h"
#include "sheaf/spec.h"

#include "expand.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace sheaf {
namespace {

void check_input(std::string_view bytes) {
  Spec spec;
  try {
    spec = parse_spec(bytes, "s.json", "/folder");
  } catch (const ConfigError&) {
    return;
  }
  const std::string written = to_json(spec);
  const std::string again = to_json(parse_spec(written, "written.json"));
  if (again == written) return;
  std::fprintf(stderr, "a spec is written otherwise when it was read back:\n%s---\n%s\n",
               written.c_str(), again.c_str());
  std::abort();
}

}  // namespace
}  // namespace sheaf

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sheaf::check_input(
      sheaf::fuzz::expand(std::string_view(reinterpret_cast<const char*>(data), size)));
  return 0;
}
