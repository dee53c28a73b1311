/// \file
/// What one training step consumes.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/buffer.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/position.h"
#include "sheaf/types.h"

namespace sheaf {

/// How the sequences of a minibatch lie side by side.
enum class Layout : std::uint8_t { padded, ragged, packed, frames, truncated };

/// "padded", "ragged", "packed", "frames" or "truncated".
[[nodiscard]] std::string_view to_string(Layout layout) noexcept;

/// One stream of a minibatch. Let N be the sequences; in this stream, T the samples of the longest
/// (in `packed` with row_samples, that number), S the samples of all, V the stored values; in
/// `packed`, P the parallel slots. *Rows* are
///
/// | Layout   | Rows  | Row of sample t of sequence i                       |
/// |----------|-------|-----------------------------------------------------|
/// | `padded` | N x T | i * T + t                                           |
/// | `ragged` | S     | sequence_offsets[i] + t                             |
/// | `packed` | T x P | (begins[i] + t) * P + slots[i]: CNTK's column       |
/// | `frames` | N     | i; every sequence has one sample                    |
/// | `truncated` | T x P | as packed; T is the truncation length, P is fixed |
///
/// A row without a sample is zero, or without entries where sparse. A stream is *variable* where
/// its sample shape is not fixed; `ragged` alone takes those.
///
/// In `truncated`, sequences are pieces: the next samples of each slot, one sequence after the
/// other. What is left of a sequence comes first in its slot in the next minibatch;
/// Minibatch::slices() says which samples these are, so a recurrent state is to be reset where
/// first is 0.
///
/// In `packed`, a sequence without samples, absent or not, takes no room: its slot and begin are 0.
///
/// | Buffer             | Holds                              | In                    |
/// |--------------------|------------------------------------|-----------------------|
/// | `values`           | dense: rows x sample shape         | dense, fixed shape    |
/// |                    | else V values                      | sparse, variable      |
/// | `indices`          | V of the stream's index_type       | sparse                |
/// | `row_offsets`      | rows + 1 int64, in values (CSR)    | sparse, variable      |
/// | `extents`          | S x rank int64                     | variable              |
/// | `lengths`          | N int64: samples of each sequence  | all                   |
/// | `sequence_offsets` | N + 1 int64, in rows               | ragged                |
/// | `slots`            | N int64: its slot, 0 .. P-1        | packed, truncated     |
/// | `begins`           | N int64: the step of its first     | packed, truncated     |
/// |                    | sample, 0 .. T-1                   |                       |
/// | `mask`             | rows uint8, 1 where a sample is    | padded, packed,       |
/// |                    |                                    | truncated             |
/// | `presence`         | N uint8, 0 where the stream is     | where one is absent   |
/// |                    | absent from a sequence             |                       |
///
/// A buffer that is not named for a case is empty.
struct StreamBatch {
  Layout layout = Layout::padded;
  std::int64_t sequence_count = 0;    // N
  std::int64_t sample_count = 0;      // S
  std::int64_t sample_count_max = 0;  // T
  std::int64_t slot_count = 0;        // P; 0 but in packed and truncated
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

  /// Rows, as above.
  [[nodiscard]] std::int64_t row_count() const noexcept;

  /// The row of a sample.
  ///
  /// Pre: 0 <= sequence < sequence_count and 0 <= sample < its length.
  [[nodiscard]] std::int64_t row(std::int64_t sequence, std::int64_t sample) const noexcept;

  [[nodiscard]] std::int64_t memory_bytes() const noexcept;
};

/// The part of a sequence that a minibatch has: samples [first, first + count) of
/// sequence_sample_count.
struct SequenceSlice {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t sequence_sample_count = 0;

  friend bool operator==(const SequenceSlice&, const SequenceSlice&) = default;
};

/// One sample of a minibatch.
///
/// Lifetime: as long as the minibatch.
struct SampleView {
  const std::byte* values = nullptr;
  const std::byte* indices = nullptr;  // null where dense
  std::int64_t value_count = 0;
};

/// The arrays of one step, the keys of its sequences and the position after it. Owns its memory.
/// Move-only; moving keeps views valid.
class Minibatch {
 public:
  /// Pre:    `batches` are in the order of `streams`, with as many sequences as there are keys.
  ///         `key_texts` are empty, or one for each key.
  /// Throws: InternalError where the numbers of streams or sequences differ.
  Minibatch(std::shared_ptr<const std::vector<Stream>> streams, std::vector<StreamBatch> batches,
            std::vector<SequenceKey> keys, std::vector<std::string> key_texts = {});

  Minibatch(Minibatch&&) noexcept = default;
  Minibatch& operator=(Minibatch&&) noexcept = default;
  Minibatch(const Minibatch&) = delete;
  Minibatch& operator=(const Minibatch&) = delete;
  ~Minibatch() = default;

  [[nodiscard]] std::span<const Stream> streams() const noexcept { return *streams_; }
  [[nodiscard]] std::int64_t sequence_count() const noexcept {
    return static_cast<std::int64_t>(keys_.size());
  }

  /// The largest number of samples that any one stream has in it.
  [[nodiscard]] std::int64_t sample_count() const noexcept;

  /// Rows of that stream, with and without a sample; of several streams with so many samples, the
  /// largest number.
  [[nodiscard]] std::int64_t row_count() const noexcept;

  /// Names of the sequences, in the order of delivery: results are written back under them.
  [[nodiscard]] std::span<const SequenceKey> keys() const noexcept { return keys_; }

  /// The texts of the keys; empty where keys are numbers.
  [[nodiscard]] std::span<const std::string> key_texts() const noexcept { return key_texts_; }

  /// Where the order cuts sequences, the part of each that is in here; empty where all are whole.
  [[nodiscard]] std::span<const SequenceSlice> slices() const noexcept { return slices_; }

  /// Throws: InternalError where there are some, but not one for each sequence.
  void set_slices(std::vector<SequenceSlice> slices);

  /// Pre: 0 <= i < streams().size().
  [[nodiscard]] const StreamBatch& batch(std::int64_t i) const noexcept {
    return batches_[static_cast<std::size_t>(i)];
  }

  /// Throws: ConfigError where no stream has this name; lists those there are.
  [[nodiscard]] const StreamBatch& batch(std::string_view stream) const;
  [[nodiscard]] std::int64_t stream_index(std::string_view stream) const;

  /// One sample, in any layout.
  ///
  /// Pre:      0 <= stream < streams().size(), 0 <= sequence < sequence_count(), and the sequence
  ///           has the sample in this stream.
  /// Lifetime: as long as the minibatch, moved or not.
  [[nodiscard]] SampleView sample(std::int64_t stream, std::int64_t sequence,
                                  std::int64_t sample) const noexcept;

  /// One stream of one sequence, to be packed again.
  ///
  /// Pre:      0 <= stream < streams().size() and 0 <= sequence < sequence_count(); the layout is
  ///           not `packed` or `truncated`, where samples of a sequence do not lie together.
  /// Lifetime: as long as the minibatch, moved or not.
  [[nodiscard]] SequenceView view(std::int64_t stream, std::int64_t sequence) const noexcept;

  [[nodiscard]] std::int64_t memory_bytes() const noexcept;

  // Set by the Reader; a minibatch packed by hand has none of it.
  bool ends_sweep = false;      // the last sequence of a sweep is in it
  bool ends_epoch = false;      // the epoch is over with it
  std::int64_t hole_count = 0;  // sequences left out because their data are wrong
  Position position;            // after it

 private:
  std::shared_ptr<const std::vector<Stream>> streams_;
  std::vector<StreamBatch> batches_;
  std::vector<SequenceKey> keys_;
  std::vector<std::string> key_texts_;
  std::vector<SequenceSlice> slices_;
};

}  // namespace sheaf
