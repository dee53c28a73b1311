// Turns lines of a master label file into labels of frames.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/chunk.h"

#include "format/mlf/mlf_frames.h"
#include "format/mlf/mlf_lines.h"
#include "format/mlf/mlf_options.h"
#include "format/mlf/mlf_ranges.h"
#include "format/mlf/mlf_states.h"
#include "format/text/row_range.h"
#include "format/text/scanned_index.h"

namespace sheaf::mlf {

/// The rules for reading labels.
struct Reading {
  const internal::TextSchema& schema;
  const Options& options;
  const States* states = nullptr;  // null if labels are ids
  std::int64_t gap_id = -1;        // -1 if gaps are errors
};

/// Parses one range of a chunk, for one call of Deserializer::read().
class MlfParser {
 public:
  /// Pre:      as Deserializer::read().
  /// Lifetime: all arguments, and the objects that `reading` refers to, must outlive the parser.
  MlfParser(const ByteSource& source, const Reading& reading, const internal::ScannedIndex& index,
            const ChunkRange& range, Diagnostics& diagnostics);

  /// Throws: IoError, also if the file has changed since it was indexed.
  [[nodiscard]] Chunk parse();

 private:
  void begin_sequence();
  void end_sequence(bool is_cut);
  void read_range();
  void read_plain_ranges();
  bool check_start(const Times& times);
  [[nodiscard]] std::int64_t read_label(const Times& times);
  void add_run(std::int64_t count, std::int64_t id);

  void fail(const ErrorKind& kind, const char* location, const char* end, std::string expected);
  void fail_sequence(const ErrorKind& kind, std::string found);
  [[nodiscard]] Severity severity() const noexcept;
  [[nodiscard]] std::string_view key_text() const noexcept;
  [[nodiscard]] Chunk finish();

  const Reading reading_;
  const Stream& stream_;
  std::int64_t dim_;
  internal::RowRange range_;
  internal::DiagnosticWriter errors_;
  LineSplitter lines_;
  PlainRanges plain_;
  FrameWriter frames_;
  std::vector<std::int64_t> holes_;
  std::vector<std::string> key_texts_;

  // Members about the current sequence.
  Row row_;
  bool is_bad_ = false;
  bool knows_frame_ = true;  // false if the times of the previous line could not be parsed
  std::int64_t next_frame_ = 0;
  std::vector<Run> runs_;
};

}  // namespace sheaf::mlf
