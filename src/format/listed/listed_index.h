// The sequences of a list: their keys, lengths and locations.

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

/// The locations of a chunk's lines in the list.
struct ChunkLines {
  std::shared_ptr<const SequenceTable> table;
  PackedInts offsets;          // of the line of each sequence
  std::int64_t end_bytes = 0;  // end of the last of these lines

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
/// The sequences lie in an imaginary source, where the bytes of all sequences follow each other.
/// The location of a sequence is a file, counted from 0 in the order of the list, and an offset in
/// the file. A file that is named again after other files gets another number.
///
/// A format derives from this class, defines what its lines mean, and calls build() at the end of
/// its constructor.
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

  /// Calls `visit` with the path of each file that the list names, in the form of the list. Calls
  /// `visit` once for consecutive lines that name the same file. Reads the list.
  ///
  /// Throws: IoError; the exceptions of `visit`.
  void visit_paths(const std::function<void(std::string_view path)>& visit) const;

  /// Returns the warnings about the list and the index file.
  [[nodiscard]] std::vector<Diagnostic> warnings() const;

 protected:
  using TakeEntry = std::function<bool(const ListEntry& entry, std::string_view path)>;

  struct ListParts {
    std::shared_ptr<const ByteSource> list;
    IndexOptions index;
    Context context;
    std::string identity;  // everything that the index depends on besides the list
    ListErrors errors;
    std::int64_t chunk_size_bytes = 0;          // 0: chunks by samples, as in CNTK
    std::int64_t read_size_bytes = 0;           // of the list
    std::optional<std::int64_t> samples_max{};  // longer sequences are left out
    bool has_text_keys = true;
    std::int64_t text_growth = 0;  // largest growth of a key over its line
  };

  explicit ListedIndex(ListParts parts);

  /// Reads the index file, or scans the list.
  ///
  /// Throws: DataError if the list has no sequence; IoError; the exceptions of the functions below.
  void build();

  /// Passes the lines that are not blank to `take` until it returns false. Returns whether it took
  /// all lines.
  [[nodiscard]] virtual bool scan(const TakeEntry& take) const = 0;

  /// Takes the common properties of all files, such as the dim, from the file of the first
  /// sequence.
  ///
  /// Throws: DataError, IoError, ConfigError if the file is wrong.
  virtual void set_first_file(std::string_view line, std::int64_t line_number,
                              std::int64_t offset) = 0;
  virtual void forget_first_file() = 0;

  /// Finds the counts of entries whose lines do not tell them, and other facts that only the files
  /// tell. Returns whether all files could be read. A sequence of an unreadable file has no
  /// samples.
  [[nodiscard]] virtual bool read_counts(std::span<ListEntry* const> entries) = 0;

  /// Returns the bytes of a sequence in the imaginary source.
  [[nodiscard]] virtual std::int64_t stored_bytes(const ListEntry& entry) const = 0;

  /// Returns the offset of a sequence in its file.
  [[nodiscard]] virtual std::int64_t location_bytes(const ListEntry& entry) const = 0;

  /// Returns the largest memory of the values of `sample_count` samples, which take `stored_bytes`
  /// in the imaginary source.
  [[nodiscard]] virtual std::int64_t decoded_bytes(std::int64_t sample_count,
                                                   std::int64_t stored_bytes) const = 0;

  /// Returns the path of the file that a line names, in the form that source_name() shows.
  [[nodiscard]] virtual std::string path_of(std::string_view line) const = 0;

  /// Returns the numbers that an index file keeps about the first file. None is negative.
  [[nodiscard]] virtual std::vector<std::int64_t> first_numbers() const = 0;

  /// Compares the first file with the numbers of an index file. Returns a description of the
  /// difference, or an empty text if they agree.
  [[nodiscard]] virtual std::string difference(std::span<const std::int64_t> numbers) const = 0;

  /// The number of entries whose files are read together.
  static constexpr std::int64_t kRoundSize = 64;

  /// Calls `read` with kRoundSize entries at a time, or fewer at the end, on the threads of the
  /// executor. Returns whether all calls returned true.
  ///
  /// Throws: the exceptions of `read`.
  [[nodiscard]] bool read_in_rounds(
      std::span<ListEntry* const> entries,
      const std::function<bool(std::span<ListEntry* const> round)>& read) const;

  [[nodiscard]] const ByteSource& list() const noexcept { return *parts_.list; }
  [[nodiscard]] const Context& context() const noexcept { return parts_.context; }

  /// Returns bytes of the list.
  [[nodiscard]] std::string text_at(std::int64_t offset, std::int64_t size) const;

 private:
  class ChunkMaker;

  /// The number of sequences that are left out for the same reason, and the location of the first.
  struct LeftOut {
    std::int64_t count = 0;
    std::int64_t line = 0;
    std::int64_t offset_bytes = 0;

    /// Counts a sequence. Its line is counted from 0.
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
  mutable std::vector<std::shared_ptr<const ChunkLines>> lines_;  // under the mutex, as the next
  mutable std::int64_t lines_bytes_ = 0;
};

}  // namespace sheaf::internal
