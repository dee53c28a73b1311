#include "dataset/cache_findings.h"

#include <utility>

#include "base/text.h"

namespace sheaf::internal {

void CacheFindings::note_slow(const CacheTrial::Times& times, bool is_of_parts) {
  constexpr double kMilliseconds = 1e3;
  const std::string found = formatted(
      "{:.2f} ms for a {} from the cache, and {:.2f} ms from the data, as the median of {} {}; the "
      "cache is not used{}",
      times.cache_seconds * kMilliseconds, is_of_parts ? "part of a unit" : "unit",
      times.source_seconds * kMilliseconds, times.unit_count, is_of_parts ? "parts" : "units",
      is_of_parts ? " for parts" : "");
  note(is_of_parts ? slow_parts_ : slow_,
       warning("cache-slow", "units that come faster from the cache than from the data", found,
               is_of_parts ? "leave the cache out for these data in this order"
                           : "leave the cache out for these data"));
}

void CacheFindings::note_damage(std::string_view why) {
  const std::scoped_lock lock(mutex_);
  if (damaged_count_++ == 0) first_damage_ = why;
}

void CacheFindings::note_failure(std::string_view why) {
  note(failure_, warning("cache-write", "a cache that can be written", std::string(why),
                         "the data are delivered all the same; no more units are written"));
}

void CacheFindings::note_full(std::int64_t limit_bytes) {
  note(full_, warning("cache-full", "room for all units of the run",
                      formatted("more units than fit {} bytes", limit_bytes),
                      "the units beyond are decoded in each sweep; a larger cache_limit "
                      "(--cache-limit) makes room"));
}

void CacheFindings::note_memory(std::int64_t needed_bytes, std::int64_t share_bytes) {
  note(memory_, warning("cache-memory", "memory to write a unit",
                        formatted("{} bytes are needed, and the memory limit leaves {}",
                                  needed_bytes, share_bytes),
                        "such units are decoded in each sweep; a larger memory limit helps"));
}

void CacheFindings::note_unknown_times() {
  note(unknown_times_,
       warning("cache-times", "files that say when they were changed", "no time",
               "the cache is not used, since nothing would tell that a file was changed"));
}

void CacheFindings::note_stream(std::string_view stream) {
  Diagnostic diagnostic = warning(
      "cache-stream", "streams that a cache can keep",
      "sequences that state the lengths of other streams, as lattices do; the cache is not used",
      "leave the cache out for these data");
  diagnostic.stream = stream;
  note(stream_, std::move(diagnostic));
}

std::vector<Diagnostic> CacheFindings::warnings() const {
  const std::scoped_lock lock(mutex_);
  std::vector<Diagnostic> all;
  for (const auto* each : {&slow_, &slow_parts_}) {
    if (*each) all.push_back(**each);
  }
  if (damaged_count_ > 0) {
    all.push_back(warning("cache-damage", "units as they were written",
                          formatted("{} damaged, which are decoded again; the first: {}",
                                    damaged_count_, first_damage_),
                          ""));
  }
  for (const auto* each : {&failure_, &full_, &memory_, &unknown_times_, &stream_}) {
    if (*each) all.push_back(**each);
  }
  return all;
}

Diagnostic CacheFindings::warning(std::string_view code, std::string_view expected,
                                  std::string found, std::string_view hint) const {
  return {.severity = Severity::warning,
          .path = folder_,
          .byte_offset = Diagnostic::kNoOffset,
          .code = std::string(code),
          .expected = std::string(expected),
          .found = std::move(found),
          .hint = std::string(hint)};
}

void CacheFindings::note(std::optional<Diagnostic>& location, Diagnostic diagnostic) {
  const std::scoped_lock lock(mutex_);
  if (!location) location = std::move(diagnostic);
}

}  // namespace sheaf::internal
