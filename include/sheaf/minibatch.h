/// \file
/// A minibatch: the arrays that one training step consumes.
///
///     // Three sequences with 2, 1 and 3 samples of one value, padded to [3, 3].
///     sheaf::StreamBatch batch = {.layout = sheaf::Layout::padded,
///                                 .sequence_count = 3,
///                                 .sample_count = 6,
///                                 .sample_count_max = 3};
///     std::cout << batch.row_count() << " rows; sample 2 of sequence 2 is row "
///               << batch.row(2, 2) << '\n';

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sheaf/extend/buffer.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/position.h"
#include "sheaf/types.h"

namespace sheaf {

/// How the sequences of a minibatch lie side by side in its arrays.
///
/// padded:    every sequence is padded with zeros to the longest one.
/// ragged:    samples lie back to back; offsets say where each sequence begins.
/// packed: short sequences follow one another in parallel slots, as in CNTK. A stream with
///            Stream::keeps_together is laid out as `padded`.
/// frames: each sequence has one sample or lacks the stream; the arrays have no time axis.
/// truncated: pieces of sequences in a fixed number of slots, for truncated backpropagation through
///            time.
enum class Layout : std::uint8_t { padded, ragged, packed, frames, truncated };

/// Returns "padded", "ragged", "packed", "frames" or "truncated".
[[nodiscard]] std::string_view to_string(Layout layout) noexcept;

/// The side of the padding in the layout `padded`. With `left`, all sequences end at the same index
/// of the time axis, as text generation needs.
enum class PadSide : std::uint8_t { right, left };

/// Returns "right" or "left".
[[nodiscard]] std::string_view to_string(PadSide side) noexcept;

/// A whole number, or a number with a fraction.
using PadValue = std::variant<std::int64_t, double>;

/// The values of an array where there is no sample, and the length that `padded` pads to.
///
///     const sheaf::Padding padding = {.pad_values = {{"tokens", 50256}, {"labels", -100}},
///                                     .pad_multiple = 8};
///     const auto packer = sheaf::padded_packer(padding);
struct Padding {
  /// For each stream, the value of array rows without a sample, and of the padding around a sample
  /// of variable shape. Streams that are not listed get zeros. A sparse or opaque stream in this
  /// map is an error. A whole number must be a value of the stream's element type. A fraction
  /// becomes the nearest value, as in a text file. `ragged` has no padding and refuses this option.
  std::map<std::string, PadValue, std::less<>> pad_values = {};

  /// This option and the two below are for `padded` only.
  PadSide pad_side = PadSide::right;

  /// Rounds T up to a multiple of this number.
  std::optional<std::int64_t> pad_multiple = {};

  /// Sets T to this number, in every stream and every minibatch. pack() throws a ConfigError for a
  /// longer sequence. Cannot be combined with pad_multiple.
  std::optional<std::int64_t> pad_length = {};

  friend bool operator==(const Padding&, const Padding&) = default;
};

/// One stream of a minibatch. N is the number of sequences. In this stream, T is the number of
/// samples of the longest sequence, S is the number of all samples, and V is the number of stored
/// values. In `packed` with row_samples, T is row_samples. In `padded`, Padding may make T larger.
/// In `packed`, P is the number of parallel slots. The rows of the arrays are:
///
/// | Layout   | Rows  | Row of sample t of sequence i                       |
/// |----------|-------|-----------------------------------------------------|
/// | `padded` | N x T | i * T + t; padded on the left: (i + 1) * T - L + t, |
/// |          |       | where sequence i has L samples                      |
/// | `ragged` | S     | sequence_offsets[i] + t                             |
/// | `packed` | T x P | (begins[i] + t) * P + slots[i]: CNTK's column       |
/// | `frames` | N     | i; a sequence has one sample, or lacks the stream   |
/// | `truncated` | T x P | as packed; T is the truncation length, P is fixed |
///
/// A row without a sample has zeros, or the value of Padding::pad_values. In a sparse stream, the
/// row has no entries.
///
/// A stream is *variable* if its sample shape is not fixed. In `ragged`, the values of a variable
/// stream lie back to back. In `padded`, each row of `values` has the largest extents in the
/// minibatch. A sample starts at index 0 of every axis, and zeros fill the rest. `packed`, `frames`
/// and `truncated` take a variable stream only if all samples of the minibatch have the same shape.
/// `row_shape` is the shape of one row of `values`.
///
/// An *opaque* stream has the element type `bytes` and the shape [*]. The bytes of its samples lie
/// back to back in every layout, in the order of the rows. `row_offsets` says where each row
/// begins. A row without a sample has no bytes.
///
/// In `truncated`, a minibatch has pieces of sequences: the next samples of each slot. The next
/// minibatch continues each unfinished sequence at the start of the same slot. Minibatch::slices()
/// says which samples a piece has. Reset the recurrent state of a slot when `first` is 0.
///
/// In `packed`, a sequence without samples takes no space, and its `slots` and `begins` are 0.
///
/// | Buffer             | Holds                              | In                    |
/// |--------------------|------------------------------------|-----------------------|
/// | `values`           | rows x row_shape                   | dense, unless below   |
/// | `values`           | V values                           | sparse, opaque, and   |
/// |                    |                                    | variable in ragged    |
/// | `indices`          | V of the stream's index_type       | sparse                |
/// | `row_offsets`      | rows + 1 int64, in values (CSR)    | sparse, opaque, and   |
/// |                    |                                    | variable in ragged    |
/// | `extents`          | rows x rank int64, 0 if there is   | variable; opaque only |
/// |                    | no sample                          | in ragged             |
/// | `lengths`          | N int64: samples of each sequence  | all                   |
/// | `sequence_offsets` | N + 1 int64, in rows               | ragged                |
/// | `slots`            | N int64: the slot, 0 .. P-1        | packed, truncated     |
/// | `begins`           | N int64: the step of the first     | packed, truncated     |
/// |                    | sample, 0 .. T-1                   |                       |
/// | `mask`             | rows uint8, 1 if there is a        | padded, packed,       |
/// |                    | sample                             | truncated             |
/// | `presence`         | N uint8, 0 if the stream is        | if one is absent      |
/// |                    | absent from a sequence             |                       |
///
/// Every other buffer is empty.
struct StreamBatch {
  Layout layout = Layout::padded;     // of this stream
  std::int64_t sequence_count = 0;    // N
  std::int64_t sample_count = 0;      // S
  std::int64_t sample_count_max = 0;  // T
  std::int64_t slot_count = 0;        // P; 0 except in packed and truncated
  PadSide pad_side = PadSide::right;  // the side of the padding in `padded`

  /// The shape of one row of `values`:
  /// - the sample shape, if it is fixed;
  /// - in a variable stream, the largest extents among the samples of the minibatch, or 0 if there
  ///   is no sample;
  /// - the sample shape with Shape::kVariable, if `values` is not divided into equal rows: in an
  ///   opaque stream, and in a variable stream of `ragged`.
  Shape row_shape = {};

  Buffer values = {};
  Buffer indices = {};
  Buffer row_offsets = {};
  Buffer extents = {};
  Buffer lengths = {};
  Buffer sequence_offsets = {};
  Buffer slots = {};
  Buffer begins = {};
  Buffer mask = {};
  Buffer presence = {};

  /// Returns the number of rows of the arrays, as in the table above.
  [[nodiscard]] std::int64_t row_count() const noexcept;

  /// Returns the number of the array row that has a sample.
  ///
  /// Pre: 0 <= sequence < sequence_count, and the sequence has more than `sample` samples.
  [[nodiscard]] std::int64_t row(std::int64_t sequence, std::int64_t sample) const noexcept;

  /// Returns how much memory the buffers take.
  [[nodiscard]] std::int64_t memory_bytes() const noexcept;
};

/// The part of a sequence that a minibatch has: samples [first, first + count) of
/// `sequence_sample_count` samples.
struct SequenceSlice {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t sequence_sample_count = 0;

  friend bool operator==(const SequenceSlice&, const SequenceSlice&) = default;
};

/// One sample of a minibatch. Values have the type Stream::element_type, and indices the type
/// Stream::index_type. `value_count` is in values, not in bytes.
///
/// If `padded` has padded a sample of variable shape, `values` is the whole padded row, of shape
/// StreamBatch::row_shape. `extents` are the extents of the sample, which starts at index 0 of
/// every axis.
///
/// Lifetime: as long as the minibatch.
struct SampleView {
  const std::byte* values = nullptr;
  const std::byte* indices = nullptr;  // null if dense
  std::int64_t value_count = 0;
  const std::int64_t* extents = nullptr;  // [rank]; null if StreamBatch::extents is empty
};

/// The arrays of one step, the keys of the sequences, and the position after the step. A minibatch
/// owns its memory and is move-only. Moving a minibatch keeps views and spans valid; they then
/// refer to the new owner.
class Minibatch {
 public:
  /// Pre:    `batches` are in the order of `streams`, and have one sequence for each key.
  ///         `key_texts` is empty, or has one text for each key.
  /// Throws: InternalError if the numbers of streams or sequences differ.
  /// Cost:   copies all texts to one block of memory.
  Minibatch(std::shared_ptr<const std::vector<Stream>> streams, std::vector<StreamBatch> batches,
            std::vector<SequenceKey> keys, std::span<const std::string_view> key_texts = {});
  Minibatch(std::shared_ptr<const std::vector<Stream>> streams, std::vector<StreamBatch> batches,
            std::vector<SequenceKey> keys, const std::vector<std::string>& key_texts);

  Minibatch(Minibatch&&) noexcept = default;
  Minibatch& operator=(Minibatch&&) noexcept = default;
  Minibatch(const Minibatch&) = delete;
  Minibatch& operator=(const Minibatch&) = delete;
  ~Minibatch() = default;

  [[nodiscard]] std::span<const Stream> streams() const noexcept { return *streams_; }
  [[nodiscard]] std::int64_t sequence_count() const noexcept {
    return static_cast<std::int64_t>(keys_.size());
  }

  /// Returns the number of samples of the stream with the most samples in this minibatch.
  /// OrderOptions::minibatch_size counts differently: see OrderOptions.
  [[nodiscard]] std::int64_t sample_count() const noexcept;

  /// Returns the number of array rows of the same stream, with and without a sample. Of several
  /// streams with equally many samples, returns the number of the one with the most rows.
  [[nodiscard]] std::int64_t row_count() const noexcept;

  /// Returns the keys of the sequences, in the order of delivery.
  [[nodiscard]] std::span<const SequenceKey> keys() const noexcept { return keys_; }

  /// Returns the texts of the keys. Empty if keys are numbers.
  ///
  /// Lifetime: as long as the minibatch, also after the minibatch is moved.
  [[nodiscard]] std::span<const std::string_view> key_texts() const noexcept { return key_texts_; }

  /// Returns the part of each sequence that the minibatch has. Empty if the options of the order
  /// never cut sequences. With LongSequences::split, whole sequences have a slice, too.
  [[nodiscard]] std::span<const SequenceSlice> slices() const noexcept { return slices_; }

  /// Sets the part of each sequence. A Reader that cuts sequences calls this.
  ///
  /// Throws: InternalError unless `slices` is empty or has one slice for each sequence.
  void set_slices(std::vector<SequenceSlice> slices);

  /// Returns, for each sequence, the number of the mixture's member that the sequence comes from.
  /// Empty if the data are not a mixture.
  [[nodiscard]] std::span<const std::int64_t> members() const noexcept { return members_; }

  /// Sets the member of each sequence. The Reader calls this for mixtures.
  ///
  /// Throws: InternalError unless `members` is empty or has one number for each sequence.
  void set_members(std::vector<std::int64_t> members);

  /// Returns the declared cost of each sequence, as Counts::costs(). Empty unless the reader has
  /// RunOptions::notes_costs and the data declare costs.
  [[nodiscard]] std::span<const std::int64_t> costs() const noexcept { return costs_; }

  /// Sets the cost of each sequence. The Reader calls this.
  ///
  /// Throws: InternalError unless `costs` is empty or has one number for each sequence.
  void set_costs(std::vector<std::int64_t> costs);

  /// Returns the arrays of stream number `i`.
  ///
  /// Pre: 0 <= i < streams().size().
  [[nodiscard]] const StreamBatch& batch(std::int64_t i) const noexcept {
    return batches_[static_cast<std::size_t>(i)];
  }

  /// Returns the arrays, or the number, of the stream with this name.
  ///
  /// Throws: ConfigError if no stream has this name. The message lists the streams.
  [[nodiscard]] const StreamBatch& batch(std::string_view stream) const;
  [[nodiscard]] std::int64_t stream_index(std::string_view stream) const;

  /// Returns one sample, in any layout.
  ///
  /// Pre:      0 <= stream < streams().size(), 0 <= sequence < sequence_count(), and the sequence
  ///           has the sample in this stream.
  /// Lifetime: as long as the minibatch, also after the minibatch is moved.
  [[nodiscard]] SampleView sample(std::int64_t stream, std::int64_t sequence,
                                  std::int64_t sample) const noexcept;

  /// Returns one stream of one sequence, for packing the sequence again.
  ///
  /// Pre:      0 <= stream < streams().size() and 0 <= sequence < sequence_count();
  ///           has_views(stream).
  /// Lifetime: as long as the minibatch, also after the minibatch is moved.
  [[nodiscard]] SequenceView view(std::int64_t stream, std::int64_t sequence) const noexcept;

  /// Returns whether the samples of each sequence lie together in a stream, as view() requires.
  /// Returns false for `packed`, for `truncated`, and for a variable stream whose samples lie in
  /// padded rows.
  ///
  /// Pre: 0 <= stream < streams().size().
  [[nodiscard]] bool has_views(std::int64_t stream) const noexcept;

  /// Returns how much memory the arrays and keys take.
  [[nodiscard]] std::int64_t memory_bytes() const noexcept;

  // The Reader sets these fields.
  bool ends_sweep = false;      // whether the minibatch has the last sequence of a sweep
  bool ends_epoch = false;      // whether the epoch ends with the minibatch
  std::int64_t hole_count = 0;  // sequences left out because their data are wrong
  Position position;            // the position after the minibatch

 private:
  std::shared_ptr<const std::vector<Stream>> streams_;
  std::vector<StreamBatch> batches_;
  std::vector<SequenceKey> keys_;
  std::vector<std::string_view> key_texts_;
  Buffer text_block_;  // the bytes of key_texts_
  std::vector<SequenceSlice> slices_;
  std::vector<std::int64_t> members_;
  std::vector<std::int64_t> costs_;
};

}  // namespace sheaf
