/// \file
/// The speed of a run.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "sheaf/extend/deserializer.h"
#include "sheaf/reader.h"
#include "sheaf/worker.h"

namespace sheaf::cli {

/// The counts and times of a run.
struct Speed {
  ReaderStats stats;
  std::int64_t bytes = 0;  // bytes of the data that the run went through
  double seconds = 0;      // includes opening
  double first_minibatch_seconds = 0;
  std::int64_t peak_rss_bytes = 0;
  std::uint64_t checksum = 0;
  std::optional<std::int64_t> indexed{};  // sequences in the data; empty: the run ended early
  Worker worker = {};                     // without --worker env, the source is empty
  bool has_cache = false;
};

/// Appends a line for people, or a JSON object.
void append_speed(std::string& out, const Speed& speed, bool is_json);

/// Returns "worker 1 of 4: torchrun (RANK=1, ...)".
[[nodiscard]] std::string worker_text(const Worker& worker);

/// Return the number of sequences, or of samples, in the data. Both read the whole index.
[[nodiscard]] std::int64_t indexed_sequences(const Deserializer& data);
[[nodiscard]] std::int64_t indexed_samples(const Deserializer& data);

/// Returns the seconds from `start` until now.
[[nodiscard]] double seconds_since(std::chrono::steady_clock::time_point start);

/// Returns the peak resident memory of this process.
[[nodiscard]] std::int64_t peak_rss_bytes();

/// Returns the bytes of the source before a place of file order, added up over sweeps. `size_bytes`
/// is the size of the data, here and below. Of a part, only its own bytes count.
[[nodiscard]] std::int64_t bytes_before(const Place& place, const Deserializer& data,
                                        std::int64_t size_bytes);

/// Returns an estimate of the bytes that `sample_count` samples take in the source.
[[nodiscard]] std::int64_t bytes_of_samples(std::int64_t sample_count, const Deserializer& data,
                                            std::int64_t size_bytes);

}  // namespace sheaf::cli
