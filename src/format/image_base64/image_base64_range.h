// Reads a range of the sequences of a chunk.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/buffer.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/chunk.h"

#include "core/error_kind.h"
#include "format/image_base64/image_base64_lines.h"
#include "format/image_base64/image_base64_scanner.h"
#include "format/images/image_columns.h"
#include "format/text/row_range.h"
#include "format/text/scanned_index.h"

namespace sheaf::image_base64 {

/// Reads one range of a chunk. Can be used once. The range counts views, so it may contain only
/// some views of the first and the last line.
class RangeReader {
 public:
  /// Pre:      as Deserializer::read().
  /// Lifetime: all arguments must outlive the reader.
  RangeReader(const ByteSource& source, const Schema& schema, const internal::ScannedIndex& index,
              const ChunkRange& range, Diagnostics& diagnostics);

  /// Throws: IoError, also if the file has changed since it was indexed.
  [[nodiscard]] Chunk read();

 private:
  void take_line();
  void take_label(internal::ImageSequence& sequence);
  void take_image(internal::ImageSequence& sequence);
  void check_key();
  void add_views(internal::ImageSequence sequence);

  /// Records an error of the line. `text` is the wrong part of the row.
  void fail(const internal::ErrorKind& kind, const Stream* stream, std::string_view text,
            std::string expected, std::string found, std::string hint = {});
  [[nodiscard]] const Stream* stream_of(std::optional<std::size_t> number) const;

  const ByteSource& source_;
  const Schema& schema_;
  const internal::ScannedIndex& index_;
  const ChunkRange range_;
  Diagnostics& diagnostics_;
  internal::RowRange rows_;
  internal::DiagnosticWriter errors_;

  std::vector<internal::ImageSequence> sequences_;
  std::vector<std::string> key_texts_;
  Buffer images_;
  std::int64_t images_end_ = 0;

  // Members about the current line.
  Row row_;
  Line line_;
  std::vector<Diagnostic> wrong_;
};

}  // namespace sheaf::image_base64
