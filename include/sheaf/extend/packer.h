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

#include "sheaf/extend/buffer.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/minibatch.h"
#include "sheaf/types.h"

namespace sheaf {

/// Consecutive sequences of a chunk, by number within the chunk.
struct ChunkRun {
  const Chunk* chunk = nullptr;
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// Sequences to pack: keys, and a view for each stream. A list refers to values in chunks and
/// minibatches, and owns none.
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

  /// Returns the texts of the keys, one for each sequence. Empty if keys are numbers.
  [[nodiscard]] std::span<const std::string_view> key_texts() const noexcept { return key_texts_; }

  /// Returns the part of each sequence. Empty if all sequences are whole.
  [[nodiscard]] std::span<const SequenceSlice> slices() const noexcept { return slices_; }

  /// Returns the slot of each sequence. Empty if the order does not assign slots.
  [[nodiscard]] std::span<const std::int64_t> slots() const noexcept { return slots_; }

  /// Returns the declared costs of the sequences that were added from minibatches with costs.
  [[nodiscard]] std::span<const std::int64_t> costs() const noexcept { return costs_; }

  /// Returns the views of one stream, one for each sequence.
  [[nodiscard]] std::span<const SequenceView> views(std::int64_t stream) const noexcept {
    return of_streams_[static_cast<std::size_t>(stream)].views;
  }

  /// Makes room for `sequence_count` sequences in all.
  void reserve(std::int64_t sequence_count);

  /// Appends a sequence of a chunk that has the same streams as the list.
  ///
  /// Pre: the sequence is not a hole of the chunk.
  void add(const SequenceKey& key, const Chunk& chunk, std::int64_t sequence);

  /// Appends consecutive sequences of a chunk, one for each key, from sequence number `first` on.
  ///
  /// Pre: as above; the list has no slices.
  void add(std::span<const SequenceKey> keys, const Chunk& chunk, std::int64_t first);

  /// Appends the sequences of several runs, in all one for each key. This is faster than one call
  /// for each run.
  ///
  /// Pre: as above, for each run.
  void add(std::span<const SequenceKey> keys, std::span<const ChunkRun> runs);

  /// Removes all sequences. The list keeps its memory for later sequences.
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

  /// Appends a sequence by a view of each stream. `text` is the text of the key, or empty if keys
  /// are numbers. An empty `text` with the key key_of_text("") is a text.
  ///
  /// Pre:      either every sequence of the list has a slice and a slot, or none has.
  /// Lifetime: the text and the views must outlive the list.
  void add(const SequenceKey& key, std::string_view text, std::span<const SequenceView> views,
           const std::optional<SequenceSlice>& slice = {},
           const std::optional<std::int64_t>& slot = {});

  /// Appends several sequences, one for each key. This is faster than one call for each sequence.
  /// `views` has a view of each stream of the first sequence, then of the second, and so on.
  /// `texts` has one text for each key. `slices` and `slots` have one element for each sequence, or
  /// are empty.
  ///
  /// Pre:      as above.
  /// Lifetime: the data of the texts and the views must outlive the list.
  void add(std::span<const SequenceKey> keys, std::span<const std::string_view> texts,
           std::span<const SequenceView> views, std::span<const SequenceSlice> slices = {},
           std::span<const std::int64_t> slots = {});

  /// Replaces the view of one stream of a sequence. The new view must have the same numbers of
  /// samples and values.
  ///
  /// Pre:      the list has the stream and the sequence.
  /// Lifetime: the data of the view must outlive the list.
  void set_view(std::int64_t stream, std::int64_t sequence, const SequenceView& view) noexcept {
    of_streams_[static_cast<std::size_t>(stream)].views[static_cast<std::size_t>(sequence)] = view;
  }

  /// Arrays of one stream. Null: there is no such array.
  struct Arrays {
    Buffer* values = nullptr;
    Buffer* indices = nullptr;
  };

  /// Offers arrays in which the values and the indices of all sequences of a stream lie back to
  /// back, in the order of the list. pack() may move them into the minibatch, and then copies
  /// nothing. The offer ends with clear().
  ///
  /// Pre:      the list has the stream and all its sequences; the arrays own their memory.
  /// Lifetime: the arrays must outlive the list.
  void offer(std::int64_t stream, const Arrays& arrays) noexcept {
    of_streams_[static_cast<std::size_t>(stream)].offered = arrays;
  }

  /// Returns the arrays that were offered for a stream.
  [[nodiscard]] const Arrays& offered(std::int64_t stream) const noexcept {
    return of_streams_[static_cast<std::size_t>(stream)].offered;
  }

  /// Appends a sequence of a minibatch, and its cost if the minibatch has costs.
  ///
  /// Throws: ConfigError if the minibatch has different streams, or if the samples of a sequence do
  ///         not lie together (Minibatch::has_views()).
  void add(const Minibatch& minibatch, std::int64_t sequence);

 private:
  struct OfStream {
    std::vector<SequenceView> views;  // [sequence]
    std::int64_t value_size = 0;      // in bytes, here and below
    std::int64_t index_size = 0;
    Arrays offered;
  };

  template <typename ViewOf>
  void append(const SequenceKey& key, std::optional<std::string_view> text,
              const SequenceSlice* slice, const ViewOf& view_of);

  void make_room_for(std::size_t sequence_count);
  void fill_slices(std::size_t end);
  static void prefetch_values(std::span<const SequenceView> views,
                              const OfStream& of_stream) noexcept;
  [[nodiscard]] SequenceSlice whole_slice(std::size_t sequence) const noexcept;

  std::shared_ptr<const std::vector<Stream>> streams_;
  std::vector<SequenceKey> keys_;
  std::vector<std::string_view> key_texts_;  // empty if keys are numbers
  std::vector<SequenceSlice> slices_;        // empty if sequences are whole
  std::vector<std::int64_t> slots_;          // may be empty
  std::vector<std::int64_t> costs_;          // may be empty
  std::vector<OfStream> of_streams_;
};

/// Lays sequences side by side. A packer has no state, and can also be used without a reader.
///
/// Threads: all calls are safe from any number of threads.
class Packer {
 public:
  virtual ~Packer() = default;

  /// Returns the name in options and positions: "padded".
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;

  /// Checks that streams can be packed this way, before any data are read.
  ///
  /// Throws: ConfigError that names the stream and a packing that supports the stream.
  virtual void check(std::span<const Stream> streams) const = 0;

  /// Packs sequences. An empty list gives an empty minibatch.
  ///
  /// Order:    the order of the list.
  /// Lifetime: the result owns its memory, which comes from `memory`.
  /// Throws:   ConfigError as check(), and for a sequence that this layout cannot hold; what
  ///           `memory` throws.
  [[nodiscard]] virtual Minibatch pack(
      const SequenceList& sequences,
      std::pmr::memory_resource& memory = default_memory()) const = 0;

  /// Returns how many array rows a stream takes whose sequences have these numbers of samples. The
  /// reader uses the result to plan memory. By default, every sequence takes as many rows as the
  /// longest one.
  ///
  /// Pre: no number is negative.
  [[nodiscard]] virtual std::int64_t row_count(std::span<const std::int64_t> sample_counts) const;

  /// Returns the same for a given stream. Override this if the packer lays out some streams
  /// differently. By default, returns row_count().
  ///
  /// Pre: as row_count().
  [[nodiscard]] virtual std::int64_t stream_row_count(
      const Stream& stream, std::span<const std::int64_t> sample_counts) const;

  /// Returns whether pack() pads every sample of a variable stream to the largest extents of the
  /// minibatch. The reader uses the result to plan memory. The default is false.
  [[nodiscard]] virtual bool pads_shapes() const noexcept { return false; }

  /// Returns whether pack() takes views with a SequenceView::sample_stride. Transforms may then
  /// return overlapping samples without copying them. The default is false.
  [[nodiscard]] virtual bool takes_strides() const noexcept { return false; }

  /// Returns whether pack() takes arrays that a list offers (SequenceList::offer()) where it can.
  /// The reader then writes values that it must convert anyway into such arrays, in the memory of
  /// the minibatch. The default is false.
  [[nodiscard]] virtual bool takes_arrays() const noexcept { return false; }
};

/// Returns a packer that pads every sequence with zeros to the longest one: arrays of [N, T, sample
/// shape]. In a variable stream, the packer also pads every extent to the largest one. `padding`
/// can set values other than zeros, the side of the padding, and T. The name of the packer has
/// these choices: "padded/left/multiple=8/labels=-100".
///
/// Throws: ConfigError if pad_multiple or pad_length is not in 1 .. 1'000'000'000, if both are
///         given, or for a value that is not finite.
[[nodiscard]] std::unique_ptr<Packer> padded_packer(const Padding& padding = {});

/// Returns a packer that lays samples back to back, with offsets and without padding. Takes streams
/// of any shape.
[[nodiscard]] std::unique_ptr<Packer> ragged_packer();

/// Returns a packer of CNTK's layout: T steps of P parallel slots. A sequence goes into the first
/// slot that has enough room after its last sequence, or else into a new slot. In a variable
/// stream, all samples of a minibatch must have the same shape. Otherwise, pack() throws a
/// ConfigError that names two sequences whose shapes differ.
///
/// With `row_samples`, T is `row_samples` in every stream, and best fit fills the slots, longest
/// sequence first. Each sequence goes into the slot with the least sufficient room, or else into a
/// new slot. Among equal sequences or slots, the first one is taken. In a slot, sequences follow
/// each other in the order of the minibatch. The layout of a stream depends only on the lengths of
/// its sequences. So if every sequence has as many labels as tokens, labels and tokens have the
/// same layout. pack() throws a ConfigError for a sequence longer than `row_samples`. The name of
/// the packer is then "packed/512".
///
/// Cost:   pack() is linear in the size of the arrays, and N log N for N sequences.
/// Throws: ConfigError if row_samples is not in 1 .. 1'000'000'000, or if `padding` has more than
///         pad_values.
[[nodiscard]] std::unique_ptr<Packer> packed_packer(std::optional<std::int64_t> row_samples = {},
                                                    const Padding& padding = {});

/// Returns a packer for sequences of one sample, without a time axis: arrays of [N, sample shape].
/// If a sequence lacks a stream, its array row has zeros, or the value of pad_values. pack() throws
/// a ConfigError for a sequence with several samples. Variable streams and `padding` as in
/// packed_packer().
[[nodiscard]] std::unique_ptr<Packer> frames_packer(const Padding& padding = {});

/// Returns a packer for truncated backpropagation through time. It lays pieces of sequences in a
/// fixed number of slots of `length` steps. The order must cut the sequences
/// (OrderOptions::truncation_length). pack() throws a ConfigError if the streams of a sequence have
/// different numbers of samples; a stream may be absent. Variable streams and `padding` as in
/// packed_packer().
///
/// Throws: ConfigError if slot_count or length is below 1. Also as packed_packer().
[[nodiscard]] std::unique_ptr<Packer> truncated_packer(std::int64_t slot_count, std::int64_t length,
                                                       const Padding& padding = {});

/// Returns the packer of a layout.
///
/// Throws: ConfigError for `truncated`, which needs a slot count and a length.
[[nodiscard]] std::unique_ptr<Packer> make_packer(Layout layout);

}  // namespace sheaf
