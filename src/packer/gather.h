/// \file
/// Functions that the packers share, for measuring and copying the views of one stream.

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

/// Returns the product.
///
/// Throws: std::bad_alloc if the product overflows: no memory has that many bytes.
[[nodiscard]] std::int64_t product(std::int64_t a, std::int64_t b);

/// Returns the product, or the largest int64 if the product overflows. For estimates.
[[nodiscard]] std::int64_t most_product(std::int64_t a, std::int64_t b) noexcept;

/// Returns a buffer of `count` values of `value_size` bytes, not initialised.
///
/// Pre:    neither number is negative.
/// Throws: what `memory` throws; std::bad_alloc if the size overflows.
/// Cost:   one allocation of exactly that size; none if the size is 0.
[[nodiscard]] Buffer allocate(std::int64_t count, std::int64_t value_size,
                              std::pmr::memory_resource& memory);

/// The sizes of one stream's arrays.
struct Sizes {
  std::int64_t sample_count = 0;      // S
  std::int64_t sample_count_max = 0;  // T
  std::int64_t value_count = 0;       // V
  bool is_absent_somewhere = false;
  bool has_equal_values = true;  // whether all sequences have the same number of values
  bool has_strides = false;      // whether a sequence has samples that do not lie back to back

  /// Returns whether every one of N sequences has exactly one sample.
  [[nodiscard]] bool has_one_each(std::int64_t sequence_count) const noexcept {
    return sample_count_max == 1 && sample_count == sequence_count;
  }
};

[[nodiscard]] Sizes measure(std::span<const SequenceView> views) noexcept;

/// Returns a batch with the fields that all layouts have: counts, `row_shape`, `lengths` and
/// `presence`.
[[nodiscard]] StreamBatch begin_batch(Layout layout, const Stream& stream,
                                      std::span<const SequenceView> views, const Sizes& sizes,
                                      std::pmr::memory_resource& memory);

/// Returns the size of a sample of a dense stream of fixed shape, in bytes.
///
/// Pre: the shape is fixed.
[[nodiscard]] std::int64_t sample_size_bytes(const Stream& stream) noexcept;

/// Fills an array from front to back with blocks of bytes and padding. Blocks that are adjacent in
/// memory, such as neighbouring sequences of a chunk, are copied together, because a call of memcpy
/// costs as much as copying dozens of bytes.
class RunCopier {
 public:
  explicit RunCopier(std::byte* out) noexcept : out_(out) {}
  RunCopier(const RunCopier&) = delete;
  RunCopier& operator=(const RunCopier&) = delete;
  ~RunCopier() { flush(); }

  /// Lifetime: the bytes must stay valid until this object is destroyed.
  void append(const std::byte* piece, std::int64_t size_bytes) noexcept {
    if (size_bytes == 0) return;
    if (piece != run_ + run_size_) {
      flush();
      run_ = piece;
    }
    run_size_ += size_bytes;
  }

  /// Pre: the size is a multiple of the size of a value.
  void append_padding(const PadFill& fill, std::int64_t size_bytes) noexcept;

 private:
  void flush() noexcept {
    if (run_size_ == 0) return;
    copy_run();
    out_ += run_size_;
    run_size_ = 0;
  }

  // Copies a sample of one or two values with two moves, because a call of memcpy would take as
  // long as all other work for a short sequence.
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

/// Appends the samples of a dense view of fixed shape, with or without a sample_stride.
void append_samples(const SequenceView& view, std::int64_t sample_size_bytes,
                    RunCopier& copier) noexcept;

/// Copies the first `size_bytes` bytes of one array of each view, back to back. Returns false and
/// copies nothing if the size is not one of a few small sizes. Use RunCopier for other sizes.
///
/// Pre: `array` is SequenceView::values or indices; each view has `size_bytes` bytes there; `out`
///      has room for all views.
[[nodiscard]] bool copy_few_bytes_each(std::span<const SequenceView> views,
                                       const std::byte* SequenceView::*array,
                                       std::int64_t size_bytes, std::byte* out) noexcept;

/// Where the arrays of one stream come from: from a memory resource, and from arrays that the list
/// of sequences offers.
struct StreamMemory {
  std::pmr::memory_resource& resource;
  SequenceList::Arrays offered{};

  // Implicit, for packers that copy.
  operator std::pmr::memory_resource&() const noexcept { return resource; }  // NOLINT
};

/// Returns the stored values of a stream, back to back.
[[nodiscard]] Buffer gather_values(const Stream& stream, std::span<const SequenceView> views,
                                   const Sizes& sizes, const StreamMemory& memory);

/// Returns the indices of a sparse stream, back to back.
[[nodiscard]] Buffer gather_indices(const Stream& stream, std::span<const SequenceView> views,
                                    const Sizes& sizes, const StreamMemory& memory);

/// Writes the end offset of each sample of a view. The values of the view begin at offset `begin`.
///
/// Pre: `out` has room for view.sample_count numbers; the view has sample_offsets or no samples.
void write_sample_ends(const SequenceView& view, std::int64_t begin, std::int64_t* out) noexcept;

/// Writes the row offsets of `row_count` array rows with `value_count` values each: 0, and the end
/// of each row.
///
/// Pre: `out` has room for row_count + 1 numbers.
void write_even_row_offsets(std::int64_t row_count, std::int64_t value_count,
                            std::int64_t* out) noexcept;

/// Returns the row offsets in CSR form of samples that lie back to back: the first value of each
/// sample, and the number of all values at the end.
[[nodiscard]] Buffer gather_row_offsets(std::span<const SequenceView> views, const Sizes& sizes,
                                        std::pmr::memory_resource& memory);

/// Which streams have a fixed length: all, or only streams without Stream::keeps_together.
enum class FixedLengthStreams : std::uint8_t { all, apart };

/// Checks that no sequence is longer than `row_length`. `option` is the name of the option that
/// sets this length.
///
/// Throws: ConfigError for the first sequence that does not fit.
void check_row_length(const SequenceList& sequences, std::int64_t row_length,
                      std::string_view option, FixedLengthStreams which = FixedLengthStreams::all);

/// Returns the name of a sequence in messages: its key, or the text of its key in quotes.
[[nodiscard]] std::string key_of(const SequenceList& sequences, std::int64_t i);

/// Throws: ConfigError that names the first sparse stream whose sample shape is not fixed.
void check_shapes(Layout layout, std::span<const Stream> streams);

/// Lets emplace_back() construct a batch in place from the result of a function, because a batch is
/// large to move.
template <typename Make>
struct MadeInPlace {
  const Make& make;

  operator StreamBatch() const { return make(); }  // NOLINT: its only purpose is the conversion
};
template <typename Make>
MadeInPlace(const Make&) -> MadeInPlace<Make>;

/// Packs every stream of a list with `pack_stream(stream, views, memory)`.
template <typename PackStream>
[[nodiscard]] Minibatch pack_streams(const SequenceList& sequences,
                                     std::pmr::memory_resource& memory,
                                     const PackStream& pack_stream) {
  const std::vector<Stream>& streams = *sequences.streams();
  std::vector<StreamBatch> batches;
  batches.reserve(streams.size());
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const auto stream = static_cast<std::int64_t>(i);
    const StreamMemory from{memory, sequences.offered(stream)};
    batches.emplace_back(
        MadeInPlace{[&] { return pack_stream(streams[i], sequences.views(stream), from); }});
  }
  const std::span<const SequenceKey> keys = sequences.keys();
  Minibatch minibatch(sequences.streams(), std::move(batches), {keys.begin(), keys.end()},
                      sequences.key_texts());
  minibatch.set_slices({sequences.slices().begin(), sequences.slices().end()});
  return minibatch;
}

}  // namespace sheaf::internal
