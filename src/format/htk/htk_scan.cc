#include "format/htk/htk_scan.h"

namespace sheaf::htk {

Diagnostic place_of(const ByteSource& list, const ErrorKind& kind, std::int64_t line,
                    std::int64_t offset) {
  Diagnostic diagnostic;
  diagnostic.path = list.name();
  diagnostic.line = line;
  diagnostic.byte_offset = offset;
  diagnostic.code = kind.code;
  diagnostic.expected = kind.expected;
  return diagnostic;
}

}  // namespace sheaf::htk
