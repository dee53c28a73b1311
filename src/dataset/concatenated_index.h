// The indexes of several data sets, one after the other, as one.

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

#include "dataset/recent_cache.h"

namespace sheaf::internal {

/// A chunk of a member.
struct MemberChunk {
  std::int64_t member = 0;
  ChunkIndex chunk{};
};

/// Becomes known as its members do, in their order.
///
/// Threads: as Index.
class ConcatenatedIndex final : public Index {
 public:
  /// Lifetime: `members` must outlive it.
  ConcatenatedIndex(std::span<const NamedData> members, const ConcatenateOptions& options);
  ~ConcatenatedIndex() override;

  [[nodiscard]] std::optional<ChunkInfo> chunk(ChunkIndex chunk) const override;
  [[nodiscard]] std::shared_ptr<const SequenceTable> sequences(ChunkIndex chunk) const override;

  /// Asks all members where there are few, and else those that became known since the last call and
  /// kMembersAsked of the others in turn: what the others take may be that of some calls ago.
  [[nodiscard]] std::int64_t memory_bytes() const override;

  static constexpr std::size_t kMembersAsked = 64;

  /// What all members declare.
  [[nodiscard]] CostMeasure cost_measure() const override { return measure_; }
  [[nodiscard]] bool reads_parts() const noexcept override { return reads_parts_; }
  [[nodiscard]] const Mixture* mixture() const noexcept override {
    return mixture_ ? &*mixture_ : nullptr;
  }
  [[nodiscard]] std::vector<std::int64_t> member_ends() const override;
  [[nodiscard]] std::int64_t chunk_cost(ChunkIndex chunk) const override;

  /// Where a chunk is; nothing where there is none.
  ///
  /// Throws: as chunk().
  [[nodiscard]] std::optional<MemberChunk> find(ChunkIndex chunk) const;

 private:
  /// What is counted before the chunks of a member.
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

  // Order of locking: look_mutex_, then state_mutex_. Members are asked under the former at most.
  mutable std::mutex look_mutex_;
  mutable ChunkIndex next_chunk_{};              // of the member under way; under look_mutex_
  mutable std::unique_ptr<KeysOfFiles> keys_;    // under look_mutex_; null: none were checked
  mutable std::int64_t checked_count_ = 0;       // chunks whose keys were seen; under look_mutex_
  mutable std::optional<ChunkIndex> unchecked_;  // the first that has to wait; under look_mutex_
  mutable bool is_all_found_ = false;            // under look_mutex_
  mutable bool is_through_ = false;              // all is told of; under look_mutex_
  mutable std::exception_ptr error_;             // under look_mutex_

  mutable std::mutex state_mutex_;
  mutable std::vector<Start> starts_;          // [member], of those begun; here and below under
  mutable std::int64_t found_count_ = 0;       // state_mutex_
  mutable std::int64_t known_count_ = 0;       // chunks that may be told of
  mutable std::int64_t end_offset_bytes_ = 0;  // of the last chunk
  mutable std::vector<std::int64_t> ends_;     // [chunk]: sequences up to there, if numbered
  mutable std::int64_t key_bytes_ = 0;
  mutable RecentCache<SequenceTable> numbered_;  // tables

  mutable std::mutex memory_mutex_;
  mutable std::vector<std::int64_t> member_bytes_;  // [member] when last asked; under memory_mutex_
  mutable std::int64_t member_bytes_sum_ = 0;       // here and below
  mutable std::size_t begun_count_ = 1;             // members begun, at the last call
  mutable std::size_t next_member_ = 0;             // to be asked in turn
};

}  // namespace sheaf::internal
