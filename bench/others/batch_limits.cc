// batch_limits FILE: measures what it costs at least to bring the bytes of a file in the page cache
// into minibatches, on one thread and without fresh pages. Prints the median processor seconds of
// eleven passes in turns, and how many times as fast as the first way each way is:
//
//   piece           reads the file into one buffer of 320 KiB, as a reader that delivers one matrix
//                   at a time does
//   units, copied   reads units of 1 MiB into six buffers in turn, and copies each into minibatches
//   pieces, copied  reads pieces of 256 KiB into one buffer, and copies each into minibatches
//   placed          reads straight into the minibatches
//
// A minibatch takes 2.5 MiB, and five minibatches exist at once.

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

constexpr std::size_t kKiB = 1024;
constexpr std::size_t kMinibatchSize = 2560 * kKiB;
constexpr std::size_t kMinibatchCount = 5;
constexpr int kRounds = 11;

struct Way {
  const char* name;
  std::size_t read_size;
  std::size_t buffer_count;  // 0: reads straight into the minibatches
  bool copies;
};

constexpr std::array<Way, 4> kWays{{{"piece", 320 * kKiB, 1, false},
                                    {"units, copied", 1024 * kKiB, 6, true},
                                    {"pieces, copied", 256 * kKiB, 1, true},
                                    {"placed", 320 * kKiB, 0, false}}};

double processor_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

void read_all(int file, char* into, std::size_t size, std::size_t at) {
  while (size > 0) {
    const ssize_t got = pread(file, into, size, static_cast<off_t>(at));
    if (got <= 0) throw std::runtime_error("the file cannot be read to its end");
    into += got;
    at += static_cast<std::size_t>(got);
    size -= static_cast<std::size_t>(got);
  }
}

/// Pre: `minibatches` has kMinibatchCount * kMinibatchSize bytes; both vectors were written before.
double seconds_of(const Way& way, int file, std::size_t file_size, std::vector<char>& buffers,
                  std::vector<char>& minibatches) {
  const double begin = processor_seconds();
  std::size_t filled = 0;
  std::size_t read_count = 0;
  for (std::size_t at = 0; at < file_size; ++read_count) {
    const std::size_t size = std::min(way.read_size, file_size - at);
    if (filled + size > minibatches.size()) filled = 0;
    char* const target = minibatches.data() + filled;
    const bool is_placed = way.buffer_count == 0;
    const std::size_t buffer = is_placed ? 0 : read_count % way.buffer_count;
    char* const into = is_placed ? target : buffers.data() + buffer * way.read_size;
    read_all(file, into, size, at);
    if (way.copies) std::memcpy(target, into, size);
    if (way.copies || is_placed) filled += size;
    at += size;
  }
  return processor_seconds() - begin;
}

void measure(const char* path) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  struct stat about {};
  if (file < 0 || fstat(file, &about) != 0 || about.st_size == 0) {
    throw std::runtime_error(std::string("cannot open ") + path + ", or it is empty");
  }
  std::vector<char> buffers(6 * 1024 * kKiB, 1);  // fills the pages before the clock runs
  std::vector<char> minibatches(kMinibatchCount * kMinibatchSize, 1);
  std::array<std::vector<double>, kWays.size()> seconds;
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < kWays.size(); ++i) {
      const auto size = static_cast<std::size_t>(about.st_size);
      seconds[i].push_back(seconds_of(kWays[i], file, size, buffers, minibatches));
    }
  }
  close(file);
  for (auto& each : seconds) std::ranges::sort(each);
  const double first = seconds[0][kRounds / 2];
  for (std::size_t i = 0; i < kWays.size(); ++i) {
    const double median = seconds[i][kRounds / 2];
    std::printf("%-15s %.3f s (%.3f-%.3f) %.2f\n", kWays[i].name, median, seconds[i].front(),
                seconds[i].back(), first / median);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: batch_limits FILE\n", stderr);
    return 2;
  }
  try {
    measure(argv[1]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "batch_limits: %s\n", error.what());
    return 1;
  }
}
