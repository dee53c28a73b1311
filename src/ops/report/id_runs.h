// Finds the longest run of sequences that begin with the same id.

#pragma once

#include <cstdint>

namespace sheaf::internal {

/// Consecutive sequences that begin with the same id.
struct IdRun {
  std::int64_t id = 0;
  std::int64_t first = 0;  // number of the first sequence
  std::int64_t count = 0;
};

/// Measures runs in constant memory. Parts of the data are measured alone, and then joined in
/// order.
class IdRuns {
 public:
  /// Adds the next sequence.
  void add(std::int64_t id, std::int64_t sequence) noexcept {
    if (sequences_ > 0 && last_.id == id) {
      ++last_.count;
    } else {
      is_single_ = sequences_ == 0;
      last_ = {.id = id, .first = sequence, .count = 1};
    }
    if (is_single_) first_ = last_;
    keep_longest(last_);
    ++sequences_;
  }

  /// Adds the runs of the sequences that follow. Adds `offset` to their sequence numbers.
  void append(const IdRuns& next, std::int64_t offset) noexcept;

  /// Returns the first of the longest runs. Its count is 0 if no sequence was added.
  [[nodiscard]] const IdRun& longest() const noexcept { return longest_; }

  /// Returns how many sequences were added.
  [[nodiscard]] std::int64_t sequences() const noexcept { return sequences_; }

 private:
  void keep_longest(const IdRun& run) noexcept {
    if (run.count > longest_.count) longest_ = run;
  }

  IdRun first_;
  IdRun last_;
  IdRun longest_;
  bool is_single_ = true;  // whether the first run is also the last run
  std::int64_t sequences_ = 0;
};

}  // namespace sheaf::internal
