// sheaf_read_file CORPUS FILE ORDER THREADS [LEVEL]: delivers all minibatches of 256 samples
// without an index file, and does nothing with them. ORDER is file, keyed or cntk. LEVEL is a set
// of instructions (sheaf/extend/simd.h). Prints a JSON object with the number of minibatches and
// samples, the seconds until the first minibatch, the total seconds, and the peak memory.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "sheaf/sheaf.h"

#include "corpus.h"

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  return seconds.count();
}

/// Returns the peak memory of this process in bytes.
long long peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return 1024 * std::strtoll(line.c_str() + 6, nullptr, 10);
  }
  return 0;
}

sheaf::OrderOptions order_of(std::string_view name) {
  sheaf::OrderOptions order{.minibatch_size = 256};
  if (name == "keyed") order.algorithm = sheaf::OrderAlgorithm::keyed;
  if (name == "cntk") order.algorithm = sheaf::OrderAlgorithm::cntk;
  return order;
}

void read(char** argv) {
  const auto start = std::chrono::steady_clock::now();
  sheaf::ReaderOptions options{.format = sheaf::bench::find_corpus(argv[1]).options(),
                               .order = order_of(argv[3]),
                               .run = {.threads = std::atoi(argv[4])}};
  options.format.index.mode = sheaf::IndexMode::off;
  sheaf::Reader reader(argv[2], options);
  std::optional<sheaf::Minibatch> minibatch = reader.next();
  const double first = seconds_since(start);
  while (minibatch) minibatch = reader.next();
  const sheaf::ReaderStats stats = reader.stats();
  std::printf(R"({"minibatches": %lld, "samples": %lld, "first_minibatch_seconds": %.6f, )"
              R"("seconds": %.6f, "peak_rss_bytes": %lld})"
              "\n",
              static_cast<long long>(stats.minibatches), static_cast<long long>(stats.samples),
              first, seconds_since(start), peak_bytes());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5 || (argc > 5 && !sheaf::bench::use_level(argv[5]))) {
    std::fputs("usage: sheaf_read_file CORPUS FILE file|keyed|cntk THREADS [LEVEL]\n", stderr);
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
