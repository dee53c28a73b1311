#include "format/recognition.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/text.h"

namespace sheaf::internal {

std::string first_bytes(const ByteSource& source) {
  std::string bytes(static_cast<std::size_t>(std::min(source.size(), kRecognizedBytes)), '\0');
  source.read_at(0, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

std::string recognized_hint(std::string_view bytes, std::span<const Format> formats) {
  for (const Recognition least : {Recognition::certain, Recognition::possible}) {
    std::string names;
    for (const Format& format : formats) {
      if (format.recognize == nullptr || format.recognize(bytes) < least) continue;
      names += formatted("{}{} ({})", names.empty() ? "" : " or ", format.name, format.description);
    }
    if (names.empty()) continue;
    return formatted("; its first bytes {} {}",
                     least == Recognition::certain ? "are those of" : "look like", names);
  }
  return {};
}

}  // namespace sheaf::internal
