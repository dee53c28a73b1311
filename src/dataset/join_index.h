// Finds the sequences of several data sets that belong together.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/index.h"
#include "sheaf/extend/join.h"
#include "sheaf/extend/named_data.h"
#include "sheaf/extend/packed_ints.h"

#include "core/cut_lengths.h"
#include "dataset/key_matcher.h"
#include "dataset/member_locations.h"
#include "dataset/recent_cache.h"
#include "io/temporary_file.h"

namespace sheaf::internal {

/// The sequences of one joined chunk.
struct JoinedSequences {
  static constexpr std::int64_t kAbsent = -1;

  SequenceTable table;
  std::vector<PackedInts> numbers;  // [member][sequence]: number within the member, or kAbsent

  [[nodiscard]] std::int64_t size_bytes() const noexcept;
};

/// The index of a join. It is complete from the start.
class JoinIndex final : public Index, public CutLengths {
 public:
  /// `defining_member` has the stream that defines the minibatch size, or is -1 if there is none.
  /// `compared` says which members JoinOptions::lengths compares. Empty means none.
  ///
  /// Lifetime: `members` must outlive the object.
  /// Throws:   DataError, IoError as join().
  JoinIndex(std::span<const NamedData> members, const JoinOptions& options,
            std::int64_t defining_member, std::vector<bool> compared = {});
  ~JoinIndex() override;

  [[nodiscard]] std::optional<ChunkInfo> chunk(ChunkIndex chunk) const override;
  [[nodiscard]] std::shared_ptr<const SequenceTable> sequences(ChunkIndex chunk) const override;
  [[nodiscard]] std::int64_t memory_bytes() const override;

  /// Divides the bytes of all members' files among the chunks by their sizes.
  [[nodiscard]] std::int64_t stored_size_bytes(ChunkIndex chunk) const override;

  /// Returns the measure of the members that declare costs. The cost of a joined sequence is the
  /// sum of their costs.
  [[nodiscard]] CostMeasure cost_measure() const override { return measure_; }
  [[nodiscard]] bool reads_parts() const noexcept override { return reads_parts_; }
  [[nodiscard]] bool can_be_cut() const noexcept override {
    return options_.lengths != Lengths::at_least && all_can_be_cut(members_);
  }

  /// If the stream that counts samples is not compared, a sequence is as long as the streams that
  /// are. A sequence that one of the members calls wrong is wrong.
  [[nodiscard]] bool has_cut_lengths() const noexcept override;
  [[nodiscard]] std::optional<std::int64_t> cut_length(ChunkIndex chunk,
                                                       std::int64_t sequence) const override;

  /// Pre: the chunk exists.
  [[nodiscard]] std::shared_ptr<const JoinedSequences> rows(ChunkIndex chunk) const;

  /// Returns the numbering of the sequences of a member.
  [[nodiscard]] const SequenceNumbers& numbers(std::int64_t member) const noexcept {
    return numbers_[static_cast<std::size_t>(member)];
  }

  /// Returns whether a member has another order, and is small enough to be held in memory.
  [[nodiscard]] bool is_held(std::int64_t member) const noexcept {
    return is_held_[static_cast<std::size_t>(member)];
  }

  /// Returns warnings about the sequences that were left out.
  [[nodiscard]] const std::vector<Diagnostic>& warnings() const noexcept { return warnings_; }

 private:
  struct Entry {
    ChunkInfo info;
    std::shared_ptr<const JoinedSequences> rows;  // null: kept in the file
    std::int64_t file_offset = 0;
    std::int64_t file_size = 0;
  };
  class Builder;
  class Matches;

  void count_sequences(std::int64_t member);
  void add_keys(std::int64_t member, KeyMatcher& matcher) const;
  void choose_held(const std::vector<bool>& are_in_order);
  void check_keys(KeyMatcher& matcher) const;
  void add(const ChunkInfo& info, JoinedSequences rows);
  [[nodiscard]] std::string encoded(const JoinedSequences& rows) const;
  [[nodiscard]] JoinedSequences decoded(std::span<const std::byte> bytes, std::int64_t count) const;

  const std::span<const NamedData> members_;
  const JoinOptions options_;
  const std::int64_t defining_member_;
  const std::vector<bool> compared_;  // [member]
  const bool counts_apart_;           // whether the defining member is not compared, and others are
  const std::vector<const CutLengths*> lengths_;  // [member]; null: the numbers of samples
  const CostMeasure measure_;
  const bool reads_parts_;
  std::vector<bool> has_costs_;              // [member]
  std::vector<SequenceNumbers> numbers_;     // [member]
  std::vector<std::int64_t> decoded_bytes_;  // [member]
  std::vector<std::int64_t> source_bytes_;   // [member]: sizes of all chunks
  std::vector<std::int64_t> stored_bytes_;   // [member]: of these chunks in the files
  std::vector<bool> is_held_;                // [member]
  std::int64_t held_bytes_ = 0;              // of the held members
  std::vector<Entry> entries_;
  std::int64_t resident_bytes_ = 0;
  std::unique_ptr<TemporaryFile> file_;
  std::int64_t file_size_ = 0;
  mutable RecentCache<JoinedSequences> cache_;  // of chunks in the file
  std::vector<Diagnostic> warnings_;
};

}  // namespace sheaf::internal
