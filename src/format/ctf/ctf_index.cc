#include "format/ctf/ctf_index.h"

#include <iterator>
#include <utility>

#include "format/ctf/ctf_errors.h"
#include "format/ctf/ctf_parser.h"
#include "format/ctf/ctf_rows.h"
#include "format/ctf/ctf_scanner.h"

namespace sheaf::ctf {

namespace {

/// Scans a block. Also decodes the block if the index keeps all its sequences and none is wrong.
internal::ScannedBlock read_block(const ByteSource& source, const Schema& schema, KeyMode mode,
                                  const CtfIndex& index, ScanPart part, bool decodes) {
  if (decodes && schema.defining_stream < 0 && !schema.allows_missing) {
    internal::ScannedBlock block(source);
    part.block = &block;
    Diagnostics diagnostics(0);
    Chunk chunk = Parser(source, schema, mode, index, part, diagnostics).parse();
    if (diagnostics.entries().empty()) {
      keep_decoded(schema, std::move(chunk), block);
      return block;
    }
  }
  internal::ScannedBlock block(source);
  part.block = &block;
  static_cast<void>(make_scanner(source, schema, mode, part)->next());
  return block;
}

}  // namespace

CtfIndex::CtfIndex(std::shared_ptr<const ByteSource> source, const Schema& schema,
                   const Beginning& beginning, const IndexOptions& options, FileSystem& files,
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
                    .blocks = blocks_of(*source, schema, beginning.mode),
                    .stream_count = std::ssize(schema.streams),
                    .may_repeat_keys = beginning.mode != KeyMode::lines && !schema.is_cntk,
                    .may_drop = schema.defining_stream >= 0,
                    .options = options,
                    .files = &files,
                    .identity = identity,
                    .found = std::move(found),
                    .warning_code = kIndexFileCode}),
      source_(std::move(source)),
      schema_(schema) {}

// Under CNTK's rules, all rows before a sequence decide where it begins, so blocks cannot be
// scanned separately.
std::optional<internal::BlockFormat> CtfIndex::blocks_of(const ByteSource& source,
                                                         const Schema& schema, KeyMode mode) const {
  if (schema.is_cntk) return std::nullopt;
  using internal::BlockFormat;
  BlockFormat blocks;
  blocks.schema = &schema;
  if (mode == KeyMode::lines) blocks.key_numbers = BlockFormat::Numbers::rows;
  blocks.find_start = [&source, &schema, mode](std::int64_t from, std::int64_t to) {
    return find_start(source, schema, mode, from, to);
  };
  blocks.read = [this, &source, &schema, mode](const ScanPart& part, bool decodes) {
    return read_block(source, schema, mode, *this, part, decodes);
  };
  return blocks;
}

FirstLocation CtfIndex::first_location_of(const SequenceKey& key) const {
  const internal::SequenceLocation location = first_location(key);
  FirstLocation first{.line = location.line, .text = {}};
  if (schema_.has_text_keys) {
    RowReader rows(*source_, location.offset, source_->size(), location.line,
                   schema_.read_size_bytes);
    Row row;
    if (rows.next(row)) first.text = lex_head(row, true).id_text();
  }
  return first;
}

}  // namespace sheaf::ctf
