#include "format/cbf/cbf_errors.h"

#include <utility>

#include "sheaf/error.h"

#include "base/text.h"

namespace sheaf::cbf {

Diagnostic wrong_at(const ByteSource& source, std::int64_t byte_offset, const ErrorKind& kind,
                    std::string found, std::string hint) {
  Diagnostic diagnostic;
  diagnostic.path = source.name();
  diagnostic.byte_offset = byte_offset;
  diagnostic.code = kind.code;
  diagnostic.expected = kind.expected;
  diagnostic.found = std::move(found);
  diagnostic.hint = std::move(hint);
  return diagnostic;
}

Diagnostic wrong_at(const ByteSource& source, const WrongNumber& wrong,
                    const ErrorLocation& location) {
  std::string expected(wrong.kind->expected);
  std::string found = std::to_string(wrong.found);
  if (wrong.kind == &kBlockCut) {
    found = wrong.found < 0 ? std::string() : formatted("{} samples, ", wrong.found);
    if (wrong.entries >= 0) found += formatted("{} entries, ", wrong.entries);
    found += formatted("{} bytes left", wrong.limit);
  } else if (wrong.kind == &kSlack) {
    found = formatted("{} more bytes", wrong.found);
  } else if (wrong.kind == &kHash) {
    found = "others";
  } else if (wrong.kind == &kIndexRange) {
    expected += formatted(" {}", wrong.limit);
  } else if (wrong.kind == &kSampleEntries) {
    expected += wrong.found < 0 ? std::string(" of 0 or more")
                                : formatted(" that add up to {}", wrong.limit);
  } else if (wrong.kind == &kMissingStream) {
    found = "none";
  }
  found += formatted(" (chunk {}", location.chunk);
  found += location.sequence >= 0 ? formatted(", sequence {} of it)", location.sequence) : ")";
  Diagnostic diagnostic = wrong_at(source, wrong.byte_offset, *wrong.kind, std::move(found));
  diagnostic.expected = std::move(expected);
  diagnostic.stream = location.stream;
  return diagnostic;
}

void throw_wrong(const ByteSource& source, std::int64_t byte_offset, const ErrorKind& kind,
                 std::string found, std::string hint) {
  throw DataError({wrong_at(source, byte_offset, kind, std::move(found), std::move(hint))});
}

}  // namespace sheaf::cbf
