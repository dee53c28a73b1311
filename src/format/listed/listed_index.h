// The sequences of a list: their keys, lengths and places.

#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/context.h"
#include "sheaf/extend/index.h"
#include "sheaf/extend/index_file.h"
#include "sheaf/extend/packed_ints.h"

#include "core/error_kind.h"
#include "format/listed/list_entry.h"
#include "index/index_file_keeper.h"

namespace sheaf::internal {

/// Where the lines of a chunk stand in the list.
struct ChunkLines {
  std::shared_ptr<const SequenceTable> table;
  PackedInts offsets;          // of the line of each sequence
  std::int64_t end_bytes = 0;  // of the last of these lines

  [[nodiscard]] std::int64_t size_bytes() const;
};

/// The errors of lists, in the words of a format.
struct ListErrors {
  ErrorKind no_sequence;
  ErrorKind repeated_key;
  ErrorKind too_long;
  ErrorKind index_file;
};

/// The chunks of a list whose lines name sequences in other files. A line with a fault is a
/// sequence without samples.
///
/// Sequences lie in an imagined source, in which the bytes of all sequences follow each other. A
/// place is a file, counted from 0 in the order of the list, and an offset there. A file that is
/// named again after other files has another number.
///
/// A format derives from the class, says what its lines mean, and calls build() at the end of its
/// constructor.
///
/// Cost:    about 35 bytes for each sequence, and 8 for each file.
/// Threads: as Index.
class ListedIndex : public Index {
 public:
  [[nodiscard]] std::optional<ChunkInfo> chunk(ChunkIndex chunk) const override;
  [[nodiscard]] std::shared_ptr<const SequenceTable> sequences(ChunkIndex chunk) const override;
  [[nodiscard]] std::string source_name(std::int64_t source) const override;
  [[nodiscard]] std::int64_t memory_bytes() const override;

  /// Pre: the chunk exists.
  [[nodiscard]] std::shared_ptr<const ChunkLines> lines(ChunkIndex chunk) const;

  /// Calls `visit` with the path of each file that the list names, as the list has it; once for
  /// lines that name the same file one after the other. Reads the list.
  ///
  /// Throws: IoError; what `visit` throws.
  void visit_paths(const std::function<void(std::string_view path)>& visit) const;

  /// Returns the warnings about the list and the index file.
  [[nodiscard]] std::vector<Diagnostic> warnings() const;

 protected:
  using TakeEntry = std::function<bool(const ListEntry& entry, std::string_view path)>;

  struct ListParts {
    std::shared_ptr<const ByteSource> list;
    IndexOptions index;
    Context context;
    std::string identity;  // what the index depends on besides the list
    ListErrors errors;
    std::int64_t chunk_size_bytes = 0;          // 0: chunks by samples, as CNTK
    std::int64_t read_size_bytes = 0;           // of the list
    std::optional<std::int64_t> samples_max{};  // longer sequences are left out
    bool has_text_keys = true;
    std::int64_t text_growth = 0;  // of a key at most, over the line
  };

  explicit ListedIndex(ListParts parts);

  /// Reads the index file, or scans the list.
  ///
  /// Throws: DataError where the list has no sequence; IoError; what the functions below throw.
  void build();

  /// Goes over the lines that are not blank, until `take` returns false. Returns whether all lines
  /// were taken.
  [[nodiscard]] virtual bool scan(const TakeEntry& take) const = 0;

  /// Takes what all files have in common from the file of the first sequence, such as the dim.
  ///
  /// Throws: DataError, IoError, ConfigError where the file is wrong.
  virtual void set_first_file(std::string_view line, std::int64_t line_number,
                              std::int64_t offset) = 0;
  virtual void forget_first_file() = 0;

  /// Finds the counts, and what else only the files know, of entries whose lines do not say how
  /// many samples there are. Returns whether all files could be read; a sequence of another file
  /// has no sample.
  [[nodiscard]] virtual bool read_counts(std::span<ListEntry* const> entries) = 0;

  /// Returns how many bytes a sequence has in the imagined source.
  [[nodiscard]] virtual std::int64_t stored_bytes(const ListEntry& entry) const = 0;

  /// Returns where a sequence begins in its file.
  [[nodiscard]] virtual std::int64_t place_bytes(const ListEntry& entry) const = 0;

  /// Returns how much memory the values of so many samples take at most, which have `stored_bytes`
  /// in the imagined source.
  [[nodiscard]] virtual std::int64_t decoded_bytes(std::int64_t sample_count,
                                                   std::int64_t stored_bytes) const = 0;

  /// Returns the path of the file that a line names, as source_name() shows the path.
  [[nodiscard]] virtual std::string path_of(std::string_view line) const = 0;

  /// Returns what an index file keeps of the first file, as numbers that are not negative.
  [[nodiscard]] virtual std::vector<std::int64_t> first_numbers() const = 0;

  /// Compares the first file with the numbers of an index file. Returns an empty text where they
  /// agree, else what differs.
  [[nodiscard]] virtual std::string difference(std::span<const std::int64_t> numbers) const = 0;

  /// Entries whose files are read together.
  static constexpr std::int64_t kRoundSize = 64;

  /// Calls `read` with kRoundSize entries at a time, and with fewer at the end, on the threads of
  /// the executor. Returns whether all calls returned true.
  ///
  /// Throws: what `read` throws.
  [[nodiscard]] bool read_in_rounds(
      std::span<ListEntry* const> entries,
      const std::function<bool(std::span<ListEntry* const> round)>& read) const;

  [[nodiscard]] const ByteSource& list() const noexcept { return *parts_.list; }
  [[nodiscard]] const Context& context() const noexcept { return parts_.context; }

  /// Returns bytes of the list.
  [[nodiscard]] std::string text_at(std::int64_t offset, std::int64_t size) const;

 private:
  class ChunkMaker;

  /// How many sequences are left out for a reason, and where the first of them stands.
  struct LeftOut {
    std::int64_t count = 0;
    std::int64_t line = 0;
    std::int64_t offset_bytes = 0;

    /// Counts a sequence, whose line is counted from 0.
    void add(std::int64_t line_index, std::int64_t offset) noexcept {
      if (count++ > 0) return;
      line = line_index + 1;
      offset_bytes = offset;
    }
  };

  [[nodiscard]] IndexFileKeeper::Parts keeper_parts() const;
  [[nodiscard]] std::string fault_of(const IndexFile& file);
  [[nodiscard]] bool scan_in_order();
  [[nodiscard]] bool try_first_file(const ListEntry& entry);
  void set_first_file_of(const ListEntry& entry);
  [[nodiscard]] bool is_worth_a_file(std::int64_t read_count) const;
  void scan_whole();
  void leave_out(std::deque<ListEntry>& entries);
  void add_chunk(ChunkInfo info, SequenceTable::Builder& table, PackedInts::Builder& offsets,
                 std::int64_t end_bytes);
  [[nodiscard]] IndexRecord record_of(const ChunkInfo& info, const ChunkLines& lines) const;
  [[nodiscard]] std::shared_ptr<const ChunkLines> lines_of(const IndexRecord& record) const;
  [[nodiscard]] std::string notes() const;
  [[nodiscard]] std::optional<std::vector<std::int64_t>> take_notes(std::string_view notes);
  [[nodiscard]] Diagnostic warning_of(const ErrorKind& kind, const LeftOut& left_out,
                                      std::string found) const;

  const ListParts parts_;
  IndexFileKeeper keeper_;
  LeftOut repeated_;
  LeftOut long_;

  std::vector<ChunkInfo> chunks_;  // of a scan
  mutable std::mutex mutex_;
  mutable std::vector<std::shared_ptr<const ChunkLines>> lines_;  // under the mutex, as below
  mutable std::int64_t lines_bytes_ = 0;
};

}  // namespace sheaf::internal
