// The blocks of one stream of a chunk: walking over them, and taking their samples.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sheaf/extend/chunk.h"
#include "sheaf/types.h"

#include "format/cbf/cbf_errors.h"
#include "format/cbf/cbf_file.h"

namespace sheaf::cbf {

/// One block, as its counts say.
struct Block {
  std::int64_t size_bytes = 0;
  std::int64_t sample_count = 0;
  std::int64_t value_count = 0;      // stored values
  std::optional<WrongNumber> wrong;  // from the block's beginning; then there is nothing else
};

/// Measure the block that begins at `bytes`, of which `room` are left in the chunk.
///
/// Pre: the counts, or all of the room where that is less, can be read.
[[nodiscard]] Block measure_block(const FileStream& stream, const std::byte* bytes,
                                  std::int64_t room) noexcept;

/// Some blocks that follow one another.
struct Blocks {
  const std::byte* end = nullptr;  // behind the last one
  std::int64_t sample_count = 0;
  std::int64_t value_count = 0;
  std::optional<WrongNumber> wrong;  // in the block that begins at `end`
  std::int64_t wrong_block = 0;      // its number
};

/// Walk over `count` blocks. Trusts nothing: a count that leads out of the bytes ends the walk.
[[nodiscard]] Blocks walk_blocks(const FileStream& stream, const std::byte* begin,
                                 const std::byte* limit, std::int64_t count) noexcept;

/// The blocks of one stream, sequence after sequence, as a column that borrows their bytes, but
/// owns values and indices that have another type than in the file.
class ColumnBuilder {
 public:
  /// What is to come.
  struct Totals {
    std::int64_t sequence_count = 0;
    std::int64_t sample_count = 0;
    std::int64_t value_count = 0;
  };

  /// A number that is wrong, as an offset into the bytes, and the number of its sequence.
  struct Wrong {
    WrongNumber number;
    std::int64_t sequence = 0;
  };

  /// `bytes` are those that were read.
  ///
  /// Lifetime: the streams must outlive it.
  ColumnBuilder(const FileStream& file, const Stream& stream, bool allows_missing,
                std::span<const std::byte> bytes, const Totals& totals);

  /// Append blocks; one that is wrong in itself is noted, and has no samples.
  ///
  /// Pre: they lie in the bytes, and walk_blocks() came to the end of all of them.
  /// Returns: behind the last one.
  const std::byte* append(const std::byte* begin, std::int64_t count);

  /// Append sequences without samples.
  void append_nothing(std::int64_t count);

  /// What was wrong so far, in the order of the sequences.
  [[nodiscard]] const std::vector<Wrong>& wrong() const noexcept { return wrong_; }

  /// The column, in which `holes` have no samples. `owner` keeps the bytes alive.
  ///
  /// Pre: all that was to come has come, and nobody uses the builder afterwards.
  [[nodiscard]] Column finish(const std::shared_ptr<const void>& owner,
                              std::span<const std::int64_t> holes);

 private:
  const std::byte* append_dense(const std::byte* at, std::int64_t count);
  const std::byte* append_sparse(const std::byte* at, std::int64_t count);
  bool append_counts(const std::byte* counts, std::int64_t samples, std::int64_t entries);
  bool append_entries(const std::byte* block, std::int64_t samples, std::int64_t entries);
  void end_sequence(std::int64_t samples, bool is_present);
  void note(const ErrorKind& kind, const std::byte* at, std::int64_t found, std::int64_t limit);
  void place_values(const std::byte* values, std::int64_t count);
  void place_indices(const std::byte* indices, std::int64_t count);
  void write_sample_offsets();
  void remove_samples(std::span<const std::int64_t> holes);

  const FileStream& file_;
  const Stream& stream_;
  const bool allows_missing_;
  const bool converts_values_;
  const bool converts_indices_;
  const std::span<const std::byte> bytes_;
  const std::int64_t sample_count_max_;
  std::int64_t sequence_ = 0;
  std::int64_t samples_ = 0;
  std::int64_t entries_ = 0;  // of sparse streams
  bool has_one_sample_each_ = true;
  bool has_one_entry_each_ = true;  // then sample offsets just count, and are not written
  bool has_absent_ = false;
  Column column_;
  std::vector<Wrong> wrong_;
};

}  // namespace sheaf::cbf
