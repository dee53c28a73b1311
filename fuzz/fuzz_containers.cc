// The fuzz target of merging containers. The library merges any file, or refuses it with a reason.
// Merging a merged container changes nothing. A merged container can replace its part in a merge.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/extend/byte_sink.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/format.h"

#include "format/sheaf/container_merge.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace sheaf {
namespace {

constexpr std::size_t kControlBytes = 8;  // unused; mutate_sheaf.cc keeps them for fuzz_format.cc

[[noreturn]] void fail(const char* law) {
  std::fprintf(stderr, "%s\n", law);
  std::abort();
}

// Returns the container that is made of these files. Returns nothing if the library refuses them.
std::optional<std::string> merged(const std::vector<std::string>& files) {
  std::string bytes;
  PartsRequest request{.sink = memory_sink(bytes, "merged.sheaf")};
  for (const std::string& file : files) request.parts.push_back(memory_source(file, "part.sheaf"));
  try {
    container::merge_containers(std::move(request));
  } catch (const DataError&) {
    return std::nullopt;
  }
  return bytes;
}

void check_input(const std::string& file) {
  const std::optional<std::string> once = merged({file});
  const std::optional<std::string> twice = merged({file, file});
  if (once.has_value() != twice.has_value()) fail("a file is refused beside itself alone");
  if (!once) return;
  if (merged({*once}) != once) fail("merging a merged container changes it");
  if (merged({*once, *once}) != twice) fail("a merged container differs from its part");
}

}  // namespace
}  // namespace sheaf

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < sheaf::kControlBytes) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  sheaf::check_input(std::string(bytes.substr(sheaf::kControlBytes)));
  return 0;
}
