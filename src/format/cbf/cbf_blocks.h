// Walks over the blocks of one stream of a chunk, and takes their samples.

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

/// The sizes of one block, from its counts.
struct Block {
  std::int64_t size_bytes = 0;
  std::int64_t sample_count = 0;
  std::int64_t value_count = 0;      // as stored
  std::optional<WrongNumber> wrong;  // offset from the block's start; nothing else counts then
};

/// Measures the block that begins at `bytes`. `room` bytes are left in the chunk.
///
/// Pre: the counts can be read, or the whole room if that is less.
[[nodiscard]] Block measure_block(const FileStream& stream, const std::byte* bytes,
                                  std::int64_t room) noexcept;

/// The result of a walk over consecutive blocks.
struct Blocks {
  const std::byte* end = nullptr;  // after the last block
  std::int64_t sample_count = 0;
  std::int64_t value_count = 0;
  std::optional<WrongNumber> wrong;  // in the block that begins at `end`
  std::int64_t wrong_block = 0;      // its number
};

/// Walks over `count` blocks. The walk ends at a count that leads past `limit`.
[[nodiscard]] Blocks walk_blocks(const FileStream& stream, const std::byte* begin,
                                 const std::byte* limit, std::int64_t count) noexcept;

/// Builds a column from the blocks of one stream, sequence after sequence. The column borrows the
/// bytes of the blocks. It owns values and indices only if they have another type than in the file.
class ColumnBuilder {
 public:
  /// The totals of all blocks to be appended.
  struct Totals {
    std::int64_t sequence_count = 0;
    std::int64_t sample_count = 0;
    std::int64_t value_count = 0;
  };

  /// A wrong number, as an offset into the bytes, and the number of its sequence.
  struct Wrong {
    WrongNumber number;
    std::int64_t sequence = 0;
  };

  /// `bytes` are the bytes that were read.
  ///
  /// Lifetime: the streams must outlive the builder.
  ColumnBuilder(const FileStream& file, const Stream& stream, bool allows_missing,
                std::span<const std::byte> bytes, const Totals& totals);

  /// Appends blocks. Notes a block with an error inside, and appends no samples for it.
  ///
  /// Pre: the blocks lie in the bytes, and walk_blocks() reached the end of all of them.
  /// Returns: the end of the last block.
  const std::byte* append(const std::byte* begin, std::int64_t count);

  /// Appends sequences without samples.
  void append_nothing(std::int64_t count);

  /// Returns the errors so far, in the order of the sequences.
  [[nodiscard]] const std::vector<Wrong>& wrong() const noexcept { return wrong_; }

  /// Returns the column, in which `holes` have no samples. `owner` keeps the bytes alive.
  ///
  /// Pre: all blocks are appended; the builder is not used afterwards.
  [[nodiscard]] Column finish(const std::shared_ptr<const void>& owner,
                              std::span<const std::int64_t> holes);

 private:
  const std::byte* append_dense(const std::byte* at, std::int64_t count);
  const std::byte* append_sparse(const std::byte* at, std::int64_t count);
  bool append_counts(const std::byte* counts, std::int64_t samples, std::int64_t entries);
  bool append_entries(const std::byte* block, std::int64_t samples, std::int64_t entries);
  void end_sequence(std::int64_t samples, bool is_present);
  void note(const ErrorKind& kind, const std::byte* at, std::int64_t found, std::int64_t limit);
  void location_values(const std::byte* values, std::int64_t count);
  void location_indices(const std::byte* indices, std::int64_t count);
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
  bool has_one_entry_each_ = true;  // sample offsets count up from 0 then, and are not written
  bool has_absent_ = false;
  Column column_;
  std::vector<Wrong> wrong_;
};

}  // namespace sheaf::cbf
