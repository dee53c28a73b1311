// sheaf_plan_order ALGORITHM CHUNKS SEQUENCES WINDOW: plan two sweeps of CHUNKS chunks with
// SEQUENCES one-sample sequences each, in minibatches of 256, and the way to the middle of one.
// Prints nanoseconds and bytes for each sequence.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include "sheaf/sheaf.h"

namespace {

using Clock = std::chrono::steady_clock;

/// Chunks that are all the same.
class EqualChunks final : public sheaf::Counts {
 public:
  EqualChunks(std::int64_t chunks, std::int64_t sequences)
      : chunks_(chunks),
        sequences_(sequences),
        samples_(
            std::make_shared<const sheaf::PackedInts>(sheaf::PackedInts::Line{1, 0}, sequences)) {}

  [[nodiscard]] std::optional<sheaf::ChunkCounts> chunk_counts(
      sheaf::ChunkIndex chunk) const override {
    if (static_cast<std::int64_t>(chunk) >= chunks_) return {};
    return sheaf::ChunkCounts{sequences_, sequences_};
  }
  [[nodiscard]] sheaf::SampleCounts sample_counts(sheaf::ChunkIndex /*chunk*/) const override {
    return sheaf::SampleCounts(samples_);
  }

 private:
  std::int64_t chunks_;
  std::int64_t sequences_;
  std::shared_ptr<const sheaf::PackedInts> samples_;
};

double nanoseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

/// The most memory this process has had, in bytes.
double peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return 1024 * std::strtod(line.c_str() + 6, nullptr);
  }
  return 0;
}

int run(const std::string& algorithm, std::int64_t chunks, std::int64_t sequences,
        std::int64_t window) {
  sheaf::OrderOptions options{.sweeps = 2};
  if (algorithm == "cntk") {
    options.algorithm = sheaf::OrderAlgorithm::cntk;
    options.window_chunks = window;
  }
  const auto counts = std::make_shared<const EqualChunks>(chunks, sequences);
  const auto all = static_cast<double>(chunks * sequences);
  const double before = peak_bytes();

  const auto sequencer = sheaf::make_sequencer(counts, options);
  auto start = Clock::now();
  std::optional<sheaf::Step> step = sequencer->step({});
  const double first = nanoseconds_since(start);
  sheaf::Place middle;
  std::uint64_t checksum = 0;
  while (step) {
    for (const sheaf::SequenceRef& ref : step->sequences) {
      checksum = checksum * 31 + static_cast<std::uint64_t>(ref.sequence);
    }
    if (step->next.sweep == 0 && step->next.sequence <= chunks * sequences / 2) middle = step->next;
    step = sequencer->step(step->next);
  }
  const double planned = nanoseconds_since(start);
  const double bytes = peak_bytes() - before;

  const auto fresh = sheaf::make_sequencer(counts, options);
  start = Clock::now();
  static_cast<void>(fresh->step(middle));
  const double replayed = nanoseconds_since(start);
  std::printf(
      "%s, %lld x %lld, window %lld: %.1f ns and %.1f bytes a sequence; first step %.1f ms; step "
      "in "
      "the middle of a sweep %.1f ms; checksum %016llx\n",
      algorithm.c_str(), static_cast<long long>(chunks), static_cast<long long>(sequences),
      static_cast<long long>(window), planned / all / 2, bytes / all, first / 1e6, replayed / 1e6,
      static_cast<unsigned long long>(checksum));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fputs("usage: sheaf_plan_order file|cntk CHUNKS SEQUENCES WINDOW\n", stderr);
    return 2;
  }
  try {
    return run(argv[1], std::atoll(argv[2]), std::atoll(argv[3]), std::atoll(argv[4]));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
