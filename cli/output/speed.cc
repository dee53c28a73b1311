#include "output/speed.h"

#include <cstdio>
#include <iterator>
#include <string>

#include <fmt/format.h>
#include <sys/resource.h>

#include "sheaf/extend/json.h"
#include "sheaf/open.h"

namespace sheaf::cli {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Reads the peak from /proc, which counts this program only. The peak of getrusage() may be that of
// the process that started this one.
std::int64_t peak_rss_bytes() {
  if (std::FILE* const file = std::fopen("/proc/self/status", "r")) {
    char line[256];
    long long kilobytes = -1;
    while (kilobytes < 0 && std::fgets(line, sizeof line, file) != nullptr) {
      if (std::sscanf(line, "VmHWM: %lld kB", &kilobytes) != 1) kilobytes = -1;
    }
    std::fclose(file);
    if (kilobytes >= 0) return static_cast<std::int64_t>(kilobytes) << 10;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::int64_t>(usage.ru_maxrss) << 10;
}

std::int64_t bytes_before(const Place& place, const Deserializer& data, std::int64_t size_bytes) {
  const std::int64_t swept = place.sweep * size_bytes;
  if (place.sequence == 0) return swept;
  std::int64_t left = place.sequence;
  StoredBytes bytes(data.index(), part_bytes(data).has_value());
  for (ChunkIndex chunk{}; const auto info = data.index().chunk(chunk); chunk = next(chunk)) {
    bytes.begin(chunk, *info);
    if (left < info->sequence_count) {
      return swept + bytes.up_to(data.index().sequences(chunk)->offset_bytes(left));
    }
    left -= info->sequence_count;
    if (left == 0) return swept + bytes.up_to(info->size_bytes);
  }
  return swept + size_bytes;
}

std::int64_t indexed_samples(const Deserializer& data) {
  std::int64_t total = 0;
  for (ChunkIndex chunk{}; const auto info = data.index().chunk(chunk); chunk = next(chunk)) {
    total += info->sample_count;
  }
  return total;
}

std::int64_t bytes_of_samples(std::int64_t sample_count, const Deserializer& data,
                              std::int64_t size_bytes) {
  const std::int64_t total = indexed_samples(data);
  if (total == 0) return 0;
  return static_cast<std::int64_t>(static_cast<double>(sample_count) / static_cast<double>(total) *
                                   static_cast<double>(size_bytes));
}

std::int64_t indexed_sequences(const Deserializer& data) {
  std::int64_t total = 0;
  for (ChunkIndex chunk{}; const auto info = data.index().chunk(chunk); chunk = next(chunk)) {
    total += info->sequence_count;
  }
  return total;
}

std::string worker_text(const Worker& worker) {
  return fmt::format("worker {} of {}: {}", worker.index, worker.count, worker.source);
}

void append_speed(std::string& out, const Speed& speed, bool is_json) {
  const double samples_per_second = static_cast<double>(speed.stats.samples) / speed.seconds;
  const double megabytes_per_second = static_cast<double>(speed.bytes) / 1e6 / speed.seconds;
  if (is_json) {
    fmt::format_to(
        std::back_inserter(out),
        "{{\"minibatches\":{},\"sequences\":{},\"samples\":{},\"array_samples\":{},"
        "\"sample_places\":{},"
        "\"padding_ratio\":{},\"holes\":{},"
        "\"indexed\":{},\"bytes\":{},"
        "\"seconds\":{},\"samples_per_second\":{},\"megabytes_per_second\":{},"
        "\"first_minibatch_seconds\":{},\"peak_rss_bytes\":{},\"memory_bytes_max\":{},"
        "\"cache_hits\":{},\"cache_misses\":{},"
        "\"worker_index\":{},\"worker_count\":{},\"worker_source\":{},"
        "\"checksum\":\"{:016x}\"}}",
        speed.stats.minibatches, speed.stats.sequences, speed.stats.samples, speed.stats.samples,
        speed.stats.sample_places, speed.stats.padding_ratio(), speed.stats.holes,
        speed.indexed ? std::to_string(*speed.indexed) : "null", speed.bytes, speed.seconds,
        samples_per_second, megabytes_per_second, speed.first_minibatch_seconds,
        speed.peak_rss_bytes, speed.stats.memory_bytes_max, speed.stats.cache_hits,
        speed.stats.cache_misses, speed.worker.index, speed.worker.count,
        speed.worker.source.empty() ? "null" : json_text(speed.worker.source), speed.checksum);
    return;
  }
  const std::string cache = speed.has_cache
                                ? fmt::format("; cache hits {}, misses {}", speed.stats.cache_hits,
                                              speed.stats.cache_misses)
                                : "";
  const std::string worker =
      speed.worker.source.empty() ? "" : fmt::format("; {}", worker_text(speed.worker));
  fmt::format_to(
      std::back_inserter(out),
      "minibatches {}, sequences {}, samples {} in arrays, padding {:.1f} %, left out {}; {} "
      "bytes in {:.3f} s: "
      "{:.1f} MB/s, {:.0f} samples/s; first minibatch after {:.3f} s; "
      "peak memory {:.1f} MiB{}{}; checksum {:016x}",
      speed.stats.minibatches, speed.stats.sequences, speed.stats.samples,
      100 * speed.stats.padding_ratio(), speed.stats.holes, speed.bytes, speed.seconds,
      megabytes_per_second, samples_per_second, speed.first_minibatch_seconds,
      static_cast<double>(speed.peak_rss_bytes) / (1 << 20), cache, worker, speed.checksum);
}

}  // namespace sheaf::cli
