// Combines the indexes of several data sets, one after the other, into one index.

#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "sheaf/extend/concatenate.h"
#include "sheaf/extend/index.h"
#include "sheaf/extend/named_data.h"

#include "core/cut_lengths.h"
#include "dataset/recent_cache.h"

namespace sheaf::internal {

/// The number of a chunk in its member.
struct MemberChunk {
  std::int64_t member = 0;
  ChunkIndex chunk{};
};

/// Grows as the members' indexes become known, in order.
///
/// Threads: as Index.
class ConcatenatedIndex final : public Index, public CutLengths {
 public:
  /// Lifetime: `members` must outlive the object.
  ConcatenatedIndex(std::span<const NamedData> members, const ConcatenateOptions& options);
  ~ConcatenatedIndex() override;

  [[nodiscard]] std::optional<ChunkInfo> chunk(ChunkIndex chunk) const override;
  [[nodiscard]] std::shared_ptr<const SequenceTable> sequences(ChunkIndex chunk) const override;
  [[nodiscard]] std::int64_t stored_size_bytes(ChunkIndex chunk) const override;

  /// Asks every member if there are few. If there are many, asks the members that became known
  /// since the last call, and kMembersAsked others in turn. So the sizes of the remaining members
  /// may be a few calls old.
  [[nodiscard]] std::int64_t memory_bytes() const override;

  static constexpr std::size_t kMembersAsked = 64;

  /// Returns the measure that all members declare.
  [[nodiscard]] CostMeasure cost_measure() const override { return measure_; }
  [[nodiscard]] bool reads_parts() const noexcept override { return reads_parts_; }
  [[nodiscard]] bool can_be_cut() const noexcept override;
  [[nodiscard]] const Mixture* mixture() const noexcept override {
    return mixture_ ? &*mixture_ : nullptr;
  }
  [[nodiscard]] std::vector<std::int64_t> member_ends() const override;
  [[nodiscard]] std::int64_t chunk_cost(ChunkIndex chunk) const override;
  [[nodiscard]] bool has_cut_lengths() const noexcept override;
  [[nodiscard]] std::optional<std::int64_t> cut_length(ChunkIndex chunk,
                                                       std::int64_t sequence) const override;

  /// Returns the member of a chunk, and the chunk's number there. Returns nothing if there is no
  /// such chunk.
  ///
  /// Throws: as chunk().
  [[nodiscard]] std::optional<MemberChunk> find(ChunkIndex chunk) const;

 private:
  /// The counts before the chunks of a member.
  struct Start {
    std::int64_t chunk = 0;
    std::int64_t offset_bytes = 0;
  };
  class KeysOfFiles;

  [[nodiscard]] std::optional<MemberChunk> known(ChunkIndex chunk) const;
  [[nodiscard]] MemberChunk locate(ChunkIndex chunk) const;
  [[nodiscard]] std::shared_ptr<const SequenceTable> table(ChunkIndex chunk) const;
  [[nodiscard]] bool find_next() const;
  template <typename Check>
  void check_keys(const Check& check) const;
  void check_next() const;
  [[nodiscard]] bool look_on() const;
  void tell_of(std::int64_t count) const;
  [[nodiscard]] std::int64_t bytes_of_members() const;

  const std::span<const NamedData> members_;
  const ConcatenateOptions options_;
  const CostMeasure measure_;
  const bool reads_parts_;
  const std::optional<Mixture> mixture_;

  // Order of locking: look_mutex_, then state_mutex_. A call to a member holds at most look_mutex_.
  mutable std::mutex look_mutex_;
  mutable ChunkIndex next_chunk_{};              // of the current member; under look_mutex_
  mutable std::unique_ptr<KeysOfFiles> keys_;    // null before the first check; under look_mutex_
  mutable std::int64_t checked_count_ = 0;       // chunks with checked keys; under look_mutex_
  mutable std::optional<ChunkIndex> unchecked_;  // first with a late answer; under look_mutex_
  mutable bool is_all_found_ = false;            // under look_mutex_
  mutable bool is_through_ = false;              // all chunks are known; under look_mutex_
  mutable std::exception_ptr error_;             // under look_mutex_

  mutable std::mutex state_mutex_;
  mutable std::vector<Start> starts_;          // [member] begun; under state_mutex_, as the
  mutable std::int64_t found_count_ = 0;       // members below
  mutable std::int64_t known_count_ = 0;       // chunks that callers may know
  mutable std::int64_t end_offset_bytes_ = 0;  // of the last chunk
  mutable std::vector<std::int64_t> ends_;     // [chunk]: sequences up to its end, if numbered
  mutable std::int64_t key_bytes_ = 0;
  mutable RecentCache<SequenceTable> numbered_;  // tables

  mutable std::mutex memory_mutex_;
  // [member] at the last call; under memory_mutex_,.
  mutable std::vector<std::int64_t> member_bytes_;
  mutable std::int64_t member_bytes_sum_ = 0;  // as the members below
  mutable std::size_t begun_count_ = 1;        // members begun at the last call
  mutable std::size_t next_member_ = 0;        // next one to ask in turn
};

}  // namespace sheaf::internal
