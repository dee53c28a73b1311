#include "format/listed/list_scan.h"

namespace sheaf::internal {

Diagnostic location_in_list(const ByteSource& list, const ErrorKind& kind, std::int64_t line,
                            std::int64_t offset) {
  Diagnostic diagnostic;
  diagnostic.path = list.name();
  diagnostic.line = line;
  diagnostic.byte_offset = offset;
  diagnostic.code = kind.code;
  diagnostic.expected = kind.expected;
  return diagnostic;
}

}  // namespace sheaf::internal
