// The utterances of a list: their keys, lengths and places.

#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/context.h"
#include "sheaf/extend/index.h"
#include "sheaf/extend/index_file.h"
#include "sheaf/extend/packed_ints.h"

#include "format/htk/htk_files.h"
#include "format/htk/htk_list.h"
#include "format/htk/htk_options.h"
#include "format/htk/htk_scan.h"
#include "index/index_file_keeper.h"

namespace sheaf::htk {

/// Where the lines of a chunk stand in the list.
struct ChunkLines {
  std::shared_ptr<const SequenceTable> table;
  PackedInts offsets;          // of the line of each sequence
  std::int64_t end_bytes = 0;  // of the last of these lines

  [[nodiscard]] std::int64_t size_bytes() const;
};

/// The chunks of a list. A line with a fault is a sequence without samples.
///
/// Sequences lie in an imagined source of frames back to back, of four bytes a value. A place is a
/// file, counted from 0 in the order of the list, and where the frames would begin behind a plain
/// header. A file that is named again after other files has another number.
///
/// Cost:    about 35 bytes for each utterance, and 8 for each file.
/// Threads: as Index.
class HtkIndex final : public Index {
 public:
  struct Parts {
    std::shared_ptr<const ByteSource> list;
    ListRules rules;
    const ReadOptions* options = nullptr;
    IndexOptions index;
    Context context;
    ParameterFiles* files = nullptr;
  };

  /// Reads the index file, or scans the list. Reads the headers of files whose lines do not say how
  /// many frames they have, with the threads of the executor.
  ///
  /// Throws: DataError where the file is no list, or has no utterance; IoError.
  explicit HtkIndex(Parts parts);

  [[nodiscard]] std::optional<ChunkInfo> chunk(ChunkIndex chunk) const override;
  [[nodiscard]] std::shared_ptr<const SequenceTable> sequences(ChunkIndex chunk) const override;
  [[nodiscard]] std::string source_name(std::int64_t source) const override;
  [[nodiscard]] std::int64_t memory_bytes() const override;

  /// Pre: the chunk exists.
  [[nodiscard]] std::shared_ptr<const ChunkLines> lines(ChunkIndex chunk) const;

  /// Returns the dim of the files: of the stream, or of the first file.
  [[nodiscard]] std::int64_t dim() const noexcept { return dim_; }

  /// Returns the header of the first utterance's file; nothing where that is no good.
  [[nodiscard]] const std::optional<Header>& first_header() const noexcept { return first_header_; }

  /// Calls `visit` with the path of each file that the list names, as the list has it; once for
  /// lines that name the same file one after the other. Reads the list.
  ///
  /// Throws: IoError; what `visit` throws.
  void visit_paths(const std::function<void(std::string_view path)>& visit) const;

  /// Returns the warnings about the list and the index file.
  [[nodiscard]] std::vector<Diagnostic> warnings() const;

 private:
  class ChunkMaker;

  /// How many utterances are left out for a reason, and where the first of them stands.
  struct LeftOut {
    std::int64_t count = 0;
    std::int64_t line = 0;
    std::int64_t offset_bytes = 0;

    /// Counts an utterance, whose line is counted from 0.
    void add(std::int64_t line_index, std::int64_t offset) noexcept {
      if (count++ > 0) return;
      line = line_index + 1;
      offset_bytes = offset;
    }
  };

  /// How many lengths were read from headers, and whether a header could not be read.
  struct Lengths {
    std::int64_t count = 0;
    bool has_missed = false;
  };

  [[nodiscard]] internal::IndexFileKeeper::Parts keeper_parts() const;
  [[nodiscard]] std::string fault_of(const internal::IndexFile& file);
  void check_is_list() const;
  void set_first_file(std::string_view line, std::int64_t line_number, std::int64_t offset);
  void scan();
  template <typename Take>
  bool scan_list(const Take& take) const;
  [[nodiscard]] bool scan_in_order();
  [[nodiscard]] bool try_first_file(const ListEntry& entry);
  [[nodiscard]] bool is_worth_a_file(std::int64_t probed_count) const;
  void scan_whole();
  [[nodiscard]] Lengths read_lengths(std::deque<ListEntry>& entries);
  void add_chunk(ChunkInfo info, SequenceTable::Builder& table, PackedInts::Builder& offsets,
                 std::int64_t end_bytes);
  [[nodiscard]] std::int64_t decoded_bytes(std::int64_t frames, std::int64_t line_bytes) const;
  [[nodiscard]] internal::IndexRecord record_of(const ChunkInfo& info,
                                                const ChunkLines& lines) const;
  [[nodiscard]] std::shared_ptr<const ChunkLines> lines_of(
      const internal::IndexRecord& record) const;
  [[nodiscard]] std::string notes() const;
  [[nodiscard]] bool take_notes(std::string_view notes);
  [[nodiscard]] Diagnostic warning_of(const ErrorKind& kind, const LeftOut& left_out,
                                      std::string found) const;
  [[nodiscard]] std::string text_at(std::int64_t offset, std::int64_t size) const;

  const Parts parts_;
  internal::IndexFileKeeper keeper_;
  std::int64_t dim_ = 0;
  std::optional<Header> first_header_;
  LeftOut repeated_;
  LeftOut long_;

  std::vector<ChunkInfo> chunks_;  // of a scan
  mutable std::mutex mutex_;
  mutable std::vector<std::shared_ptr<const ChunkLines>> lines_;  // under the mutex, as below
  mutable std::int64_t lines_bytes_ = 0;
};

}  // namespace sheaf::htk
