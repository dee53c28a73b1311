/// \file
/// What the packers share: counting the views of one stream, and copying them together.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/extend/buffer.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/extend/packer.h"
#include "sheaf/minibatch.h"
#include "sheaf/types.h"

#include "packer/padding.h"

namespace sheaf::internal {

/// Throws: std::bad_alloc where the product does not fit: no memory has that many bytes.
[[nodiscard]] std::int64_t product(std::int64_t a, std::int64_t b);

/// The product, or the largest number there is: of what is only estimated.
[[nodiscard]] std::int64_t most_product(std::int64_t a, std::int64_t b) noexcept;

/// A buffer of `count` values of `value_size` bytes, not initialised.
///
/// Pre:    neither is negative.
/// Throws: what `memory` throws; std::bad_alloc where the size does not fit.
/// Cost:   one allocation of exactly that size; none where it is 0.
[[nodiscard]] Buffer allocate(std::int64_t count, std::int64_t value_size,
                              std::pmr::memory_resource& memory);

/// The sizes of one stream's arrays.
struct Sizes {
  std::int64_t sample_count = 0;      // S
  std::int64_t sample_count_max = 0;  // T
  std::int64_t value_count = 0;       // V
  bool is_absent_somewhere = false;
  bool has_equal_values = true;  // whether every sequence has as many values as the first one
  bool has_strides = false;      // whether samples of some sequence do not lie back to back

  /// Returns whether every one of N sequences has exactly one sample.
  [[nodiscard]] bool has_one_each(std::int64_t sequence_count) const noexcept {
    return sample_count_max == 1 && sample_count == sequence_count;
  }
};

[[nodiscard]] Sizes measure(std::span<const SequenceView> views) noexcept;

/// A batch with what all layouts have: counts, `row_shape`, `lengths` and `presence`.
[[nodiscard]] StreamBatch begin_batch(Layout layout, const Stream& stream,
                                      std::span<const SequenceView> views, const Sizes& sizes,
                                      std::pmr::memory_resource& memory);

/// Bytes of the samples of a dense stream of fixed shape, per sample.
///
/// Pre: the shape is fixed.
[[nodiscard]] std::int64_t sample_size_bytes(const Stream& stream) noexcept;

/// Fills an array from front to back with pieces of memory and padding. Pieces that follow each
/// other where they come from are copied as one: neighbours of one chunk are, and a call of memcpy
/// costs as much as dozens of bytes.
class RunCopier {
 public:
  explicit RunCopier(std::byte* out) noexcept : out_(out) {}
  RunCopier(const RunCopier&) = delete;
  RunCopier& operator=(const RunCopier&) = delete;
  ~RunCopier() { flush(); }

  /// Lifetime: the piece is read until this object is destroyed.
  void append(const std::byte* piece, std::int64_t size_bytes) noexcept {
    if (size_bytes == 0) return;
    if (piece != run_ + run_size_) {
      flush();
      run_ = piece;
    }
    run_size_ += size_bytes;
  }

  /// Pre: the size is that of a whole number of values.
  void append_padding(const PadFill& fill, std::int64_t size_bytes) noexcept;

 private:
  void flush() noexcept {
    if (run_size_ == 0) return;
    copy_run();
    out_ += run_size_;
    run_size_ = 0;
  }

  // A sample of one or two values is copied with two moves: a call of memcpy takes as long as
  // everything else that there is to do for a short sequence.
  void copy_run() noexcept {
    if (run_size_ > 16) {
      std::memcpy(out_, run_, static_cast<std::size_t>(run_size_));
    } else if (run_size_ >= 8) {
      copy_ends<std::uint64_t>();
    } else if (run_size_ >= 4) {
      copy_ends<std::uint32_t>();
    } else if (run_size_ >= 2) {
      copy_ends<std::uint16_t>();
    } else {
      *out_ = *run_;
    }
  }

  // Pre: sizeof(Word) <= run_size_ <= 2 * sizeof(Word).
  template <typename Word>
  void copy_ends() noexcept {
    const std::int64_t last = run_size_ - static_cast<std::int64_t>(sizeof(Word));
    Word first_word;
    Word last_word;
    std::memcpy(&first_word, run_, sizeof(Word));
    std::memcpy(&last_word, run_ + last, sizeof(Word));
    std::memcpy(out_, &first_word, sizeof(Word));
    std::memcpy(out_ + last, &last_word, sizeof(Word));
  }

  std::byte* out_;
  const std::byte* run_ = nullptr;
  std::int64_t run_size_ = 0;
};

/// Appends the samples of a dense view of fixed shape, wherever they lie.
void append_samples(const SequenceView& view, std::int64_t sample_size_bytes,
                    RunCopier& copier) noexcept;

/// Copies the first `size_bytes` bytes of one array of each view, back to back. Returns false, and
/// copies nothing, where the size is not that of one to a few values: RunCopier is for those.
///
/// Pre: `array` is SequenceView::values or indices; each view has so many bytes there; `out` has
///      room for all.
[[nodiscard]] bool copy_few_bytes_each(std::span<const SequenceView> views,
                                       const std::byte* SequenceView::*array,
                                       std::int64_t size_bytes, std::byte* out) noexcept;

/// The stored values of a stream, back to back.
[[nodiscard]] Buffer gather_values(const Stream& stream, std::span<const SequenceView> views,
                                   const Sizes& sizes, std::pmr::memory_resource& memory);

/// The indices of a sparse stream, back to back.
[[nodiscard]] Buffer gather_indices(const Stream& stream, std::span<const SequenceView> views,
                                    const Sizes& sizes, std::pmr::memory_resource& memory);

/// Write where each sample of a view ends, the view's values beginning at `begin`.
///
/// Pre: `out` has room for view.sample_count numbers; the view has sample_offsets or no samples.
void write_sample_ends(const SequenceView& view, std::int64_t begin, std::int64_t* out) noexcept;

/// Writes the row offsets of `row_count` rows that have as many values each: 0, and where each row
/// ends.
///
/// Pre: `out` has room for row_count + 1 numbers.
void write_even_row_offsets(std::int64_t row_count, std::int64_t value_count,
                            std::int64_t* out) noexcept;

/// CSR over samples that lie back to back: where the values of each begin, and behind the last one
/// the number of values.
[[nodiscard]] Buffer gather_row_offsets(std::span<const SequenceView> views, const Sizes& sizes,
                                        std::pmr::memory_resource& memory);

/// Which streams have rows of a given length: all, or those that do not keep together.
enum class RowStreams : std::uint8_t { all, apart };

/// Checks that no sequence is longer than a row. `option` is the option that says how long a row
/// is.
///
/// Throws: ConfigError for the first sequence that does not fit.
void check_row_length(const SequenceList& sequences, std::int64_t row_length,
                      std::string_view option, RowStreams which = RowStreams::all);

/// What errors call a sequence of a list: its key, or the text of it in quotes.
[[nodiscard]] std::string key_of(const SequenceList& sequences, std::int64_t i);

/// Throws: ConfigError that names the first sparse stream whose sample shape is not fixed.
void check_shapes(Layout layout, std::span<const Stream> streams);

/// Becomes what a function returns, where a list makes its element: a batch is large to move.
template <typename Make>
struct MadeInPlace {
  const Make& make;

  operator StreamBatch() const { return make(); }  // NOLINT: to be converted is all that it is for
};
template <typename Make>
MadeInPlace(const Make&) -> MadeInPlace<Make>;

/// Pack every stream of a list with `pack_stream(stream, views, memory)`.
template <typename PackStream>
[[nodiscard]] Minibatch pack_streams(const SequenceList& sequences,
                                     std::pmr::memory_resource& memory,
                                     const PackStream& pack_stream) {
  const std::vector<Stream>& streams = *sequences.streams();
  std::vector<StreamBatch> batches;
  batches.reserve(streams.size());
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const auto views = sequences.views(static_cast<std::int64_t>(i));
    batches.emplace_back(MadeInPlace{[&] { return pack_stream(streams[i], views, memory); }});
  }
  const std::span<const SequenceKey> keys = sequences.keys();
  Minibatch minibatch(sequences.streams(), std::move(batches), {keys.begin(), keys.end()},
                      sequences.key_texts());
  minibatch.set_slices({sequences.slices().begin(), sequences.slices().end()});
  return minibatch;
}

}  // namespace sheaf::internal
