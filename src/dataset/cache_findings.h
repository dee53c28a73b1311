/// \file
/// The warnings that a cache gives at the end of a run.

#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"

#include "dataset/cache_trial.h"

namespace sheaf::internal {

/// Collects the problems of a cache, each kind once. A problem never changes the delivered data.
///
/// Threads: all calls are safe from any number of threads.
class CacheFindings {
 public:
  explicit CacheFindings(std::string folder) : folder_(std::move(folder)) {}

  /// Notes that the cache is slower than decoding, for whole units or for parts of units.
  void note_slow(const CacheTrial::Times& times, bool is_of_parts);

  /// Notes that a file cannot be read.
  void note_damage(std::string_view why);

  /// Notes that a unit could not be written, so the run writes no more units.
  void note_failure(std::string_view why);

  /// Notes that the limit kept a unit out of the cache.
  void note_full(std::int64_t limit_bytes);

  /// Notes that the memory limit is too small to write a unit.
  void note_memory(std::int64_t needed_bytes, std::int64_t share_bytes);

  /// Notes that the data cannot tell whether their files have changed.
  void note_unknown_times();

  /// Notes that no unit can keep a stream, because its sequences state the lengths of others.
  void note_stream(std::string_view stream);

  /// Returns the warnings, in the order above.
  [[nodiscard]] std::vector<Diagnostic> warnings() const;

 private:
  [[nodiscard]] Diagnostic warning(std::string_view code, std::string_view expected,
                                   std::string found, std::string_view hint) const;
  void note(std::optional<Diagnostic>& location, Diagnostic diagnostic);

  const std::string folder_;
  mutable std::mutex mutex_;
  std::int64_t damaged_count_ = 0;  // under the mutex, as all members below
  std::string first_damage_;
  std::optional<Diagnostic> slow_;
  std::optional<Diagnostic> slow_parts_;
  std::optional<Diagnostic> failure_;
  std::optional<Diagnostic> full_;
  std::optional<Diagnostic> memory_;
  std::optional<Diagnostic> unknown_times_;
  std::optional<Diagnostic> stream_;
};

}  // namespace sheaf::internal
