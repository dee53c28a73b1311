// sheaf_read_compressed FILE [THREADS]: opens a compressed file, reads it from front to back, and
// then reads 64 KiB at 200 random offsets. Prints the seconds of each stage as JSON. To time the
// codec alone, run a command such as `zcat FILE | wc -c`.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <span>
#include <vector>

#include "sheaf/sheaf.h"

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void measure(const char* path, int threads) {
  const std::unique_ptr<sheaf::Executor> executor = sheaf::thread_pool(threads);
  Clock::time_point start = Clock::now();
  const auto source = sheaf::decompressed(sheaf::open_file(path), {.executor = executor.get()});
  const double opened = seconds_since(start);

  start = Clock::now();
  std::vector<std::byte> bytes(std::size_t{1} << 20);
  for (std::int64_t at = 0; at < source->size(); at += std::ssize(bytes)) {
    const auto size = std::min(std::ssize(bytes), source->size() - at);
    source->read_at(at, std::span(bytes).first(static_cast<std::size_t>(size)));
  }
  const double sequential = seconds_since(start);

  constexpr int kReads = 200;
  constexpr std::int64_t kReadBytes = std::int64_t{64} << 10;
  const auto piece = std::span(bytes).first(static_cast<std::size_t>(kReadBytes));
  std::uint64_t random = 1;
  start = Clock::now();
  int reads = 0;
  for (; reads < kReads && seconds_since(start) < 30; ++reads) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    const auto places =
        static_cast<std::uint64_t>(std::max<std::int64_t>(1, source->size() - kReadBytes));
    source->read_at(static_cast<std::int64_t>((random >> 20U) % places), piece);
  }
  std::printf(R"({"bytes": %lld, "open_seconds": %.3f, "sequential_seconds": %.3f, )"
              R"("random_read_seconds": %.6f, "access_point_bytes": %lld})"
              "\n",
              static_cast<long long>(source->size()), opened, sequential,
              seconds_since(start) / reads, static_cast<long long>(source->access_points().size()));
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2) {
    std::fprintf(stderr, "usage: sheaf_read_compressed FILE [THREADS]\n");
    return 2;
  }
  measure(argv[1], argc > 2 ? std::max(1, std::atoi(argv[2])) : sheaf::available_processors());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
