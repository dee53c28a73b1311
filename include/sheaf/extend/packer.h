/// \file
/// Lays sequences side by side in minibatches.

#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sheaf/extend/chunk.h"
#include "sheaf/minibatch.h"
#include "sheaf/types.h"

namespace sheaf {

/// Consecutive sequences of a chunk, by their numbers within the chunk.
struct ChunkRun {
  const Chunk* chunk = nullptr;
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// Sequences to pack: keys, and a view for each stream. A list refers to chunks and minibatches,
/// and owns no values.
///
/// Lifetime: the chunks and minibatches must outlive the list.
class SequenceList {
 public:
  explicit SequenceList(std::shared_ptr<const std::vector<Stream>> streams);

  [[nodiscard]] const std::shared_ptr<const std::vector<Stream>>& streams() const noexcept {
    return streams_;
  }
  [[nodiscard]] std::int64_t size() const noexcept {
    return static_cast<std::int64_t>(keys_.size());
  }
  [[nodiscard]] std::span<const SequenceKey> keys() const noexcept { return keys_; }

  /// Returns the texts of the keys, one for each sequence; nothing where keys are numbers.
  [[nodiscard]] std::span<const std::string_view> key_texts() const noexcept { return key_texts_; }

  /// Returns the part of each sequence; nothing where all sequences are whole.
  [[nodiscard]] std::span<const SequenceSlice> slices() const noexcept { return slices_; }

  /// Returns the slot of each sequence; nothing where the order gives no slots.
  [[nodiscard]] std::span<const std::int64_t> slots() const noexcept { return slots_; }

  /// Returns the views of one stream, one for each sequence.
  [[nodiscard]] std::span<const SequenceView> views(std::int64_t stream) const noexcept {
    return of_streams_[static_cast<std::size_t>(stream)].views;
  }

  /// Makes room for so many sequences in all.
  void reserve(std::int64_t sequence_count);

  /// Appends a sequence of a chunk that has the streams of the list.
  ///
  /// Pre: the sequence is not a hole of the chunk.
  void add(const SequenceKey& key, const Chunk& chunk, std::int64_t sequence);

  /// Appends consecutive sequences of a chunk, one for each key, from sequence number `first` on.
  ///
  /// Pre: as above; the list has no slices.
  void add(std::span<const SequenceKey> keys, const Chunk& chunk, std::int64_t first);

  /// Appends consecutive sequences of one chunk after the other, in all one for each key: faster
  /// than one call for each run.
  ///
  /// Pre: as above, for each run.
  void add(std::span<const SequenceKey> keys, std::span<const ChunkRun> runs);

  /// Takes out all sequences. The list keeps its memory for the next ones.
  void clear() noexcept;

  /// Appends a part of a sequence: the samples [slice.first, slice.first + slice.count) of each
  /// stream. The part ends where the stream ends. A count of SampleRange::kAll takes the whole
  /// sequence.
  void add(const SequenceKey& key, const Chunk& chunk, std::int64_t sequence, SampleRange slice);

  /// Appends a part of a sequence for a given slot.
  ///
  /// Pre: every sequence of the list has a slot.
  void add(const SequenceKey& key, const Chunk& chunk, std::int64_t sequence, SampleRange slice,
           std::int64_t slot);

  /// Appends a sequence by a view of each stream. `text` is the text of the key; empty where keys
  /// are numbers.
  ///
  /// Pre:      every sequence of the list has a slice and a slot, or none has.
  /// Lifetime: the text and the views must outlive the list.
  void add(const SequenceKey& key, std::string_view text, std::span<const SequenceView> views,
           const std::optional<SequenceSlice>& slice = {},
           const std::optional<std::int64_t>& slot = {});

  /// Appends several sequences, one for each key: faster than one call for each. `views` has a view
  /// of each stream of the first sequence, then of the second, and so on. `texts` has one text for
  /// each key. `slices` and `slots` have one for each sequence, or nothing.
  ///
  /// Pre:      as above.
  /// Lifetime: what the texts and the views refer to must outlive the list.
  void add(std::span<const SequenceKey> keys, std::span<const std::string_view> texts,
           std::span<const SequenceView> views, std::span<const SequenceSlice> slices = {},
           std::span<const std::int64_t> slots = {});

  /// Puts a view in place of that of one stream of a sequence: of as many samples and values.
  ///
  /// Pre:      the list has the stream and the sequence.
  /// Lifetime: what the view refers to must outlive the list.
  void set_view(std::int64_t stream, std::int64_t sequence, const SequenceView& view) noexcept {
    of_streams_[static_cast<std::size_t>(stream)].views[static_cast<std::size_t>(sequence)] = view;
  }

  /// Appends a sequence of a minibatch.
  ///
  /// Throws: ConfigError where the minibatch has other streams, and where samples of a sequence do
  ///         not lie together: see Minibatch::has_views().
  void add(const Minibatch& minibatch, std::int64_t sequence);

 private:
  struct OfStream {
    std::vector<SequenceView> views;  // [sequence]
    std::int64_t value_size = 0;      // in bytes, here and below
    std::int64_t index_size = 0;
  };

  template <typename ViewOf>
  void append(const SequenceKey& key, std::string_view text, const SequenceSlice* slice,
              const ViewOf& view_of);

  void make_room_for(std::size_t sequence_count);
  void fill_slices(std::size_t end);
  static void prefetch_values(std::span<const SequenceView> views,
                              const OfStream& of_stream) noexcept;
  [[nodiscard]] SequenceSlice whole_slice(std::size_t sequence) const noexcept;

  std::shared_ptr<const std::vector<Stream>> streams_;
  std::vector<SequenceKey> keys_;
  std::vector<std::string_view> key_texts_;  // empty where keys are numbers
  std::vector<SequenceSlice> slices_;        // empty where sequences are whole
  std::vector<std::int64_t> slots_;          // empty where there are none
  std::vector<OfStream> of_streams_;
};

/// Lays sequences side by side. A packer has no state, and is of use outside a reader, too.
///
/// Threads: all calls are safe from any number of threads.
class Packer {
 public:
  virtual ~Packer() = default;

  /// Returns the name in options and positions: "padded".
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;

  /// Checks that streams can be packed this way, before any data are read.
  ///
  /// Throws: ConfigError that names the stream and a packing that takes the stream.
  virtual void check(std::span<const Stream> streams) const = 0;

  /// Packs sequences. An empty list gives an empty minibatch.
  ///
  /// Order:    the order of the list.
  /// Lifetime: the result owns its memory, which comes from `memory`.
  /// Throws:   ConfigError, as check, and for a sequence that cannot be laid this way; what
  ///           `memory` throws.
  [[nodiscard]] virtual Minibatch pack(
      const SequenceList& sequences,
      std::pmr::memory_resource& memory = default_memory()) const = 0;

  /// Returns how many rows a stream takes whose sequences have these numbers of samples. The reader
  /// plans memory by the result. By default every sequence takes as many rows as the longest one.
  ///
  /// Pre: no number is negative.
  [[nodiscard]] virtual std::int64_t row_count(std::span<const std::int64_t> sample_counts) const;

  /// Returns the same of one stream, where the packer lays out some streams otherwise. By default
  /// what row_count() returns.
  ///
  /// Pre: as row_count().
  [[nodiscard]] virtual std::int64_t stream_row_count(
      const Stream& stream, std::span<const std::int64_t> sample_counts) const;

  /// Returns whether pack() pads every sample of a variable stream to the largest extents of the
  /// minibatch. The reader plans memory by the result. The default is false.
  [[nodiscard]] virtual bool pads_shapes() const noexcept { return false; }

  /// Returns whether pack() takes views with a SequenceView::sample_stride. Transforms may then
  /// leave samples that overlap where they are. The default is false.
  [[nodiscard]] virtual bool takes_strides() const noexcept { return false; }
};

/// Returns a packer that pads every sequence with zeros to the longest one: arrays of
/// [N, T, sample shape]. In a variable stream, the packer also pads every extent to the largest
/// one. `padding` chooses other values than zeros, the side of the padding, and the length of rows.
/// The name of the packer carries these choices: "padded/left/multiple=8/labels=-100".
///
/// Throws: ConfigError where pad_multiple or pad_length is not 1 to 1'000'000'000, where both are
///         given, and for a value that is not finite.
[[nodiscard]] std::unique_ptr<Packer> padded_packer(const Padding& padding = {});

/// Returns a packer that puts samples back to back, with offsets and without padding. Takes streams
/// of any shape.
[[nodiscard]] std::unique_ptr<Packer> ragged_packer();

/// Returns a packer of CNTK's layout: T steps of P parallel slots. A sequence goes into the first
/// slot with enough room behind the sequences that are there, else into a new slot. Takes variable
/// streams where all samples of a minibatch have the same shape: pack() throws a ConfigError that
/// names two sequences whose shapes differ.
///
/// With `row_samples`, T is `row_samples` in every stream, and best fit fills the slots, longest
/// sequence first: each sequence goes into the slot with the least room that suffices, else into a
/// new slot. Of equal sequences and of equal slots, the first counts. In a slot, sequences follow
/// each other in the order of the minibatch. The lengths of a stream alone place its sequences:
/// where every sequence has as many labels as tokens, the labels lie where the tokens lie. pack()
/// throws a ConfigError for a sequence longer than `row_samples`. The name of the packer is then
/// "packed/512".
///
/// Cost:   pack() is linear in what it writes, and N log N for N sequences.
/// Throws: ConfigError where row_samples is not 1 to 1'000'000'000, and where `padding` has more
///         than pad_values.
[[nodiscard]] std::unique_ptr<Packer> packed_packer(std::optional<std::int64_t> row_samples = {},
                                                    const Padding& padding = {});

/// Returns a packer for sequences of one sample, without a time axis: arrays of [N, sample shape].
/// A sequence that lacks a stream has a row of zeros in it, or of pad_values. pack() throws a
/// ConfigError for a sequence with another number of samples. Takes variable streams, and
/// `padding`, as packed_packer() does.
[[nodiscard]] std::unique_ptr<Packer> frames_packer(const Padding& padding = {});

/// Returns a packer for truncated backpropagation through time: pieces of sequences in a fixed
/// number of slots, `length` steps long. The order must cut the sequences: see
/// OrderOptions::truncation_length. pack() throws a ConfigError where the streams of a sequence
/// have different numbers of samples; a stream may be absent. Takes variable streams as
/// packed_packer() does, and `padding`, too.
///
/// Throws: ConfigError where slot_count or length is below 1; as packed_packer().
[[nodiscard]] std::unique_ptr<Packer> truncated_packer(std::int64_t slot_count, std::int64_t length,
                                                       const Padding& padding = {});

/// Returns the packer of a layout.
///
/// Throws: ConfigError for `truncated`, which needs a number of slots and a length.
[[nodiscard]] std::unique_ptr<Packer> make_packer(Layout layout);

}  // namespace sheaf
