#include "format/ctf/ctf_index.h"

#include <utility>

#include "format/ctf/ctf_errors.h"
#include "format/ctf/ctf_rows.h"
#include "format/ctf/ctf_scanner.h"

namespace sheaf::ctf {

CtfIndex::CtfIndex(std::shared_ptr<const ByteSource> source, const Schema& schema,
                   const Beginning& beginning, const IndexOptions& options,
                   const internal::IndexIdentity& identity, std::optional<FoundStreams> found)
    : ScannedIndex({.source = source,
                    .rows = {.begin = beginning.offset,
                             .end = source->size(),
                             .first_line = beginning.line,
                             .first_column = beginning.column,
                             .chunk_size_bytes = schema.chunk_size_bytes},
                    .make_scanner =
                        [source, &schema, mode = beginning.mode](const ScanPart& part) {
                          return make_scanner(*source, schema, mode, part);
                        },
                    .may_repeat_keys = beginning.mode != KeyMode::lines && !schema.is_cntk,
                    .options = options,
                    .identity = identity,
                    .found = std::move(found),
                    .warning_code = kIndexFileCode}),
      source_(std::move(source)),
      schema_(schema) {}

FirstPlace CtfIndex::first_place_of(const SequenceKey& key) const {
  const internal::SequencePlace place = first_place(key);
  FirstPlace first{.line = place.line, .text = {}};
  if (schema_.has_text_keys) {
    RowReader rows(*source_, place.offset, source_->size(), place.line, schema_.read_size_bytes);
    Row row;
    if (rows.next(row)) first.text = lex_head(row, true).id_text();
  }
  return first;
}

}  // namespace sheaf::ctf
