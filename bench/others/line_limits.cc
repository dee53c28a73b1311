// line_limits [MB]: measures how long one thread waits for lines of 64 bytes that lie all over
// memory, as the sequences of a random order do. Prints nanoseconds of processor time for a line,
// with small and with huge pages: `chain` when the program learns the next address from the last
// line, `ahead` when the program prefetches each line 64 lines before it needs the line.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <memory>
#include <new>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <sys/mman.h>

namespace {

constexpr std::size_t kLineSize = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kAhead = 64;
constexpr std::size_t kLinesMax = 4'000'000;  // to visit
constexpr int kRuns = 3;

struct alignas(kLineSize) Line {
  std::uint32_t next = 0;
};

struct Free {
  void operator()(Line* lines) const noexcept { std::free(lines); }
};

std::unique_ptr<Line[], Free> allocate(std::size_t count, bool has_huge_pages) {
  const std::size_t size = (count * kLineSize + kHugePage - 1) / kHugePage * kHugePage;
  void* const memory = std::aligned_alloc(kHugePage, size);
  if (memory == nullptr) throw std::bad_alloc();
  madvise(memory, size, has_huge_pages ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  return std::unique_ptr<Line[], Free>(new (memory) Line[count]);
}

/// Returns the least nanoseconds of processor time for each of `count` lines.
template <typename Visit>
double nanoseconds(std::size_t count, Visit visit) {
  double least = 1e9;
  for (int run = 0; run < kRuns; ++run) {
    const std::clock_t start = std::clock();
    [[maybe_unused]] volatile std::uint64_t sum = visit();
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    least = std::min(least, seconds * 1e9 / static_cast<double>(count));
  }
  return least;
}

void measure(std::size_t megabytes, bool has_huge_pages) {
  const std::size_t line_count = (megabytes << 20U) / kLineSize;
  const auto lines = allocate(line_count, has_huge_pages);
  std::vector<std::uint32_t> order(line_count);
  std::iota(order.begin(), order.end(), 0U);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
  for (std::size_t i = 0; i < line_count; ++i) {
    lines[order[i]].next = order[i + 1 == line_count ? 0 : i + 1];
  }
  const std::size_t count = std::min(line_count, kLinesMax);
  const double chain = nanoseconds(count, [&] {
    std::uint32_t at = order[0];
    for (std::size_t i = 0; i < count; ++i) at = lines[at].next;
    return std::uint64_t{at};
  });
  const double ahead = nanoseconds(count, [&] {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      __builtin_prefetch(&lines[order[std::min(i + kAhead, count - 1)]], 0, 2);
      sum += lines[order[i]].next;
    }
    return sum;
  });
  std::printf("%5zu MB, %s pages: chain %6.1f, ahead %5.1f ns a line\n", megabytes,
              has_huge_pages ? "huge " : "small", chain, ahead);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const long asked = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 400;
    if (argc > 2 || asked < 1 || asked > 16'384) {
      std::fputs("usage: line_limits [MB], from 1 to 16384\n", stderr);
      return 2;
    }
    for (const bool has_huge_pages : {false, true}) {
      measure(static_cast<std::size_t>(asked), has_huge_pages);
    }
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "line_limits: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
