// The fuzz target of reports and notes of parts. Any text is merged or refused with a reason. An
// accepted note is written as a note with the same meaning.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/merge.h"

#include "expand.h"
#include "ops/part_note.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace sheaf {
namespace {

void check_input(const std::string& text) {
  try {
    static_cast<void>(merge_reports(std::vector<NamedReport>{{"a", text}}));
  } catch (const ConfigError&) {  // most texts are not reports
  }
  const std::optional<internal::PartNote> note = internal::part_note_of(text);
  if (!note) return;
  const std::optional<internal::PartNote> other =
      internal::part_note_of(internal::with_file(text, "other"));
  if (!other || other->file != "other" || other->part != note->part) std::abort();
}

}  // namespace
}  // namespace sheaf

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sheaf::check_input(
      sheaf::fuzz::expand(std::string_view(reinterpret_cast<const char*>(data), size)));
  return 0;
}
