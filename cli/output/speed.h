/// \file
/// How fast a run was.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "sheaf/extend/deserializer.h"
#include "sheaf/reader.h"
#include "sheaf/worker.h"

namespace sheaf::cli {

/// A run, counted and timed.
struct Speed {
  ReaderStats stats;
  std::int64_t bytes = 0;  // of the file, that it went through
  double seconds = 0;      // opening included
  double first_minibatch_seconds = 0;
  std::int64_t peak_rss_bytes = 0;
  std::uint64_t checksum = 0;
  std::optional<std::int64_t> indexed{};  // sequences in the data; none: the run ended before them
  Worker worker = {};                     // the source is empty without --worker env
  bool has_cache = false;
};

/// Append a line for people, or a JSON object.
void append_speed(std::string& out, const Speed& speed, bool is_json);

/// Returns "worker 1 of 4: torchrun (RANK=1, ...)".
[[nodiscard]] std::string worker_text(const Worker& worker);

/// Return how many sequences, or samples, the data have. Both go through the whole index.
[[nodiscard]] std::int64_t indexed_sequences(const Deserializer& data);
[[nodiscard]] std::int64_t indexed_samples(const Deserializer& data);

/// Seconds from `start` until now.
[[nodiscard]] double seconds_since(std::chrono::steady_clock::time_point start);

/// Most resident memory of this process so far.
[[nodiscard]] std::int64_t peak_rss_bytes();

/// Bytes of the source before a place of file order, all sweeps counted.
[[nodiscard]] std::int64_t bytes_before(const Place& place, const Deserializer& data,
                                        std::int64_t size_bytes);

/// Bytes of the source that so many of its samples are, about.
[[nodiscard]] std::int64_t bytes_of_samples(std::int64_t sample_count, const Deserializer& data,
                                            std::int64_t size_bytes);

}  // namespace sheaf::cli
