/// \file
/// Sequences side by side.

#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <string_view>
#include <vector>

#include "sheaf/extend/chunk.h"
#include "sheaf/minibatch.h"
#include "sheaf/types.h"

namespace sheaf {

/// Sequences to be packed: keys, and a view for each stream. Refers to chunks and minibatches, owns
/// no values.
///
/// Lifetime: what was added must outlive the list.
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

  /// The texts of the keys, one for each sequence; empty where keys are numbers.
  [[nodiscard]] std::span<const std::string_view> key_texts() const noexcept { return key_texts_; }

  /// Where sequences were cut, the part of each; empty where all are whole.
  [[nodiscard]] std::span<const SequenceSlice> slices() const noexcept { return slices_; }

  /// The slot of each, where the order has given them slots; empty where it has not.
  [[nodiscard]] std::span<const std::int64_t> slots() const noexcept { return slots_; }

  /// The views of one stream, one for each sequence.
  [[nodiscard]] std::span<const SequenceView> views(std::int64_t stream) const noexcept {
    return views_[static_cast<std::size_t>(stream)];
  }

  /// Append a sequence of a chunk whose streams are this list's.
  ///
  /// Pre: not a hole of the chunk.
  void add(const SequenceKey& key, const Chunk& chunk, std::int64_t sequence);

  /// Append some samples of it: those that its streams have of [slice.first, slice.first +
  /// slice.count).
  void add(const SequenceKey& key, const Chunk& chunk, std::int64_t sequence, SampleRange slice);

  /// The same, with the slot that it lies in.
  ///
  /// Pre: so has every sequence of the list.
  void add(const SequenceKey& key, const Chunk& chunk, std::int64_t sequence, SampleRange slice,
           std::int64_t slot);

  /// Append a sequence that was delivered before.
  ///
  /// Throws: ConfigError where the minibatch has other streams, or is packed or truncated: samples
  /// of
  ///         a sequence do not lie together there.
  void add(const Minibatch& minibatch, std::int64_t sequence);

 private:
  template <typename ViewOf>
  void append(const SequenceKey& key, std::string_view text, const SequenceSlice* slice,
              const ViewOf& view_of);

  [[nodiscard]] SequenceSlice whole_slice(std::size_t sequence) const noexcept;

  std::shared_ptr<const std::vector<Stream>> streams_;
  std::vector<SequenceKey> keys_;
  std::vector<std::string_view> key_texts_;       // empty where keys are numbers
  std::vector<SequenceSlice> slices_;             // empty where sequences are whole
  std::vector<std::int64_t> slots_;               // empty where there are none
  std::vector<std::vector<SequenceView>> views_;  // [stream][sequence]
};

/// Lays sequences side by side. Pure, without state: also of use outside a reader.
///
/// Threads: all calls are safe from any number of threads.
class Packer {
 public:
  virtual ~Packer() = default;

  /// What options and positions call it: "padded".
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;

  /// Check that streams can be packed this way, before any data is read.
  ///
  /// Throws: ConfigError that names the stream and a packing that can.
  virtual void check(std::span<const Stream> streams) const = 0;

  /// Pack. No sequence at all gives a minibatch of none.
  ///
  /// Order:    that of the list.
  /// Lifetime: the result owns its memory, which comes from `memory`; the sequences may end.
  /// Throws:   ConfigError, as check, and for a sequence that cannot be laid this way; what
  /// `memory`
  ///           throws.
  [[nodiscard]] virtual Minibatch pack(
      const SequenceList& sequences,
      std::pmr::memory_resource& memory = default_memory()) const = 0;

  /// Rows of a stream whose sequences have so many samples: what the reader plans memory by. Unless
  /// a packer says otherwise, every sequence takes as many as the longest.
  ///
  /// Pre: none is negative.
  [[nodiscard]] virtual std::int64_t row_count(std::span<const std::int64_t> sample_counts) const;
};

/// Every sequence padded with zeros to the longest of its stream: arrays of [N, T, sample shape].
/// Takes streams of fixed shape.
[[nodiscard]] std::unique_ptr<Packer> padded_packer();

/// Nothing padded: samples back to back, with offsets. Takes streams of any shape.
[[nodiscard]] std::unique_ptr<Packer> ragged_packer();

/// CNTK's layout: T steps of P parallel slots, one column for each. A sequence goes into the first
/// slot with room left behind what is there, else into a new one. Takes streams of fixed shape.
///
/// With row_samples, T is that in every stream, and slots are filled by best fit, longest first:
/// the longest sequence that has none yet, of several the first, goes into the slot whose room left
/// is the least that suffices, of several the first, else into a new one. In a slot, sequences
/// follow each other in the order of the minibatch. Each stream is placed by its own lengths and
/// nothing else; so where a sequence has as many labels as tokens, and all sequences do, labels lie
/// where their tokens do. A sequence longer than row_samples is a ConfigError of pack(). The packer
/// is called "packed/512" then.
///
/// Cost:   pack() is linear in what it writes, and N log N for N sequences.
/// Throws: ConfigError: row_samples is none of 0 (none) to 1'000'000'000.
[[nodiscard]] std::unique_ptr<Packer> packed_packer(std::int64_t row_samples = 0);

/// One sample a sequence, no time axis: arrays of [N, sample shape]. A sequence of more or fewer
/// samples, or without the stream, is a ConfigError of pack(). Takes streams of fixed shape.
[[nodiscard]] std::unique_ptr<Packer> frames_packer();

/// Pieces of sequences in a fixed number of slots, `length` steps long: truncated backpropagation
/// through time. The order must have cut the sequences: see OrderOptions::truncation_length. All
/// streams of a sequence must have equally many samples, or pack() throws a ConfigError. Takes
/// streams of fixed shape.
///
/// Throws: ConfigError: slot_count or length below 1.
[[nodiscard]] std::unique_ptr<Packer> truncated_packer(std::int64_t slot_count,
                                                       std::int64_t length);

/// The packer of a layout.
///
/// Throws: ConfigError for `truncated`, which needs to know more.
[[nodiscard]] std::unique_ptr<Packer> make_packer(Layout layout);

}  // namespace sheaf
