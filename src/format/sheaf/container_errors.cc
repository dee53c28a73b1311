#include "format/sheaf/container_errors.h"

#include <utility>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"

namespace sheaf::container {

void throw_damaged(const ByteSource& source, std::int64_t byte_offset,
                   const internal::ErrorKind& kind, std::string found) {
  throw DataError({{.path = std::string(source.name()),
                    .byte_offset = byte_offset,
                    .code = std::string(kind.code),
                    .expected = std::string(kind.expected),
                    .found = std::move(found)}});
}

}  // namespace sheaf::container
