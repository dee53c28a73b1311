// sheaf_read_spec SPEC THREADS: delivers all minibatches of a spec and does nothing with them.
// Prints a JSON object with the number of minibatches, samples and bytes, the clock seconds and
// processor seconds since the start of the program, and the speed of memcpy on one core.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <vector>

#include <sys/resource.h>

#include "sheaf/sheaf.h"

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  return seconds.count();
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

std::int64_t bytes_of(const sheaf::Minibatch& minibatch) {
  std::int64_t bytes = 0;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(minibatch.streams().size()); ++i) {
    const sheaf::StreamBatch& batch = minibatch.batch(i);
    for (const sheaf::Buffer* const buffer :
         {&batch.values, &batch.indices, &batch.row_offsets, &batch.extents, &batch.lengths,
          &batch.sequence_offsets, &batch.slots, &batch.begins, &batch.mask, &batch.presence}) {
      bytes += buffer->size_bytes();
    }
  }
  return bytes;
}

// Copies 64 MB, which no cache holds. Returns the best speed of seven copies.
double copied_bytes_per_second() {
  constexpr std::size_t kSize = std::size_t{64} << 20;
  const std::vector<char> from(kSize, 1);
  std::vector<char> into(kSize, 2);
  double best = 1e9;
  for (int i = 0; i < 7; ++i) {
    const auto start = std::chrono::steady_clock::now();
    std::memcpy(into.data(), from.data(), kSize);
    const double seconds = seconds_since(start);
    if (into[static_cast<std::size_t>(i)] == 1 && seconds < best) best = seconds;
  }
  return static_cast<double>(kSize) / best;
}

void read(char** argv) {
  const auto start = std::chrono::steady_clock::now();
  sheaf::RunOptions run;
  run.threads = std::atoi(argv[2]);
  sheaf::Reader reader(sheaf::load_spec(argv[1]), run);
  std::int64_t bytes = 0;
  while (const std::optional<sheaf::Minibatch> minibatch = reader.next()) {
    bytes += bytes_of(*minibatch);
  }
  const double seconds = seconds_since(start);
  const double processors = processor_seconds();
  const sheaf::ReaderStats stats = reader.stats();
  std::printf(R"({"minibatches": %lld, "samples": %lld, "bytes": %lld, "seconds": %.6f, )"
              R"("processor_seconds": %.6f, "copied_bytes_per_second": %.0f})"
              "\n",
              static_cast<long long>(stats.minibatches), static_cast<long long>(stats.samples),
              static_cast<long long>(bytes), seconds, processors, copied_bytes_per_second());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: sheaf_read_spec SPEC THREADS\n", stderr);
    return 2;
  }
  try {
    read(argv);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
