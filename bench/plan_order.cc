// sheaf_plan_order ALGORITHM CHUNKS SEQUENCES WINDOW [WORKERS [STEPS]]: measures the planning of
// two sweeps, or of STEPS steps. The data have CHUNKS chunks with SEQUENCES sequences of one
// sample. A minibatch has 256 sequences, or 64 for each of several workers. Also measures the jump
// to the middle of a sweep. Prints nanoseconds of processor time and bytes for each sequence.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "sheaf/sheaf.h"

namespace {

/// The counts of data with equal chunks.
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
    return sheaf::ChunkCounts{sequences_, sequences_, std::min<std::int64_t>(32, sequences_)};
  }
  [[nodiscard]] sheaf::SampleCounts sample_counts(sheaf::ChunkIndex /*chunk*/) const override {
    return sheaf::SampleCounts(samples_);
  }

 private:
  std::int64_t chunks_;
  std::int64_t sequences_;
  std::shared_ptr<const sheaf::PackedInts> samples_;
};

/// Uses processor time, since planning takes one thread and the machine may be busy.
double nanoseconds_since(std::clock_t start) {
  return static_cast<double>(std::clock() - start) * (1e9 / CLOCKS_PER_SEC);
}

/// Returns the peak memory of this process in bytes.
double peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return 1024 * std::strtod(line.c_str() + 6, nullptr);
  }
  return 0;
}

/// Returns the place in the middle of the first sweep. Assumes one sample in every sequence.
sheaf::Place middle_of(std::int64_t sequences) {
  return {.sequence = sequences / 2, .sample = sequences / 2};
}

struct Plan {
  std::string algorithm;
  std::int64_t chunks = 0;
  std::int64_t sequences = 0;  // in a chunk
  std::int64_t window = 0;
  std::int64_t workers = 1;
  std::int64_t steps_max = std::numeric_limits<std::int64_t>::max();
};

int run(const Plan& plan) {
  sheaf::OrderOptions options{.minibatch_size = plan.workers > 1 ? 64 * plan.workers : 256,
                              .sweeps = 2,
                              .worker_index = plan.workers / 2,
                              .worker_count = plan.workers};
  if (plan.algorithm != "file") {
    options.algorithm =
        plan.algorithm == "cntk" ? sheaf::OrderAlgorithm::cntk : sheaf::OrderAlgorithm::keyed;
    options.window_chunks = plan.window;
  }
  const auto counts = std::make_shared<const EqualChunks>(plan.chunks, plan.sequences);
  const std::int64_t all = plan.chunks * plan.sequences;
  const double before = peak_bytes();

  const auto sequencer = sheaf::make_sequencer(counts, options);
  auto start = std::clock();
  sheaf::OrderWalk walk(*sequencer);
  std::optional<sheaf::OrderWalk::Next> step = walk.next();
  const double first = nanoseconds_since(start);
  const double first_bytes = peak_bytes() - before;
  std::uint64_t checksum = 0;
  std::int64_t planned = 0;
  start = std::clock();
  for (std::int64_t i = 0; step && i < plan.steps_max; ++i) {
    for (const sheaf::SequenceRef& ref : step->step.sequences) {
      checksum = checksum * 31 + static_cast<std::uint64_t>(ref.sequence);
    }
    planned = walk.place().sweep * all + walk.place().sequence;
    step = walk.next();
  }
  const double nanoseconds = nanoseconds_since(start) / static_cast<double>(planned);
  const double bytes = peak_bytes() - before;

  const auto fresh = sheaf::make_sequencer(counts, options);
  start = std::clock();
  static_cast<void>(sheaf::OrderWalk(*fresh, middle_of(all)).next());
  const double middle = nanoseconds_since(start);
  std::printf(
      "%s, %lld x %lld, window %lld, %lld workers: %.1f ns and %.1f bytes a sequence; first step "
      "%.1f ms, %.1f MB; step in the middle of a sweep %.1f ms; checksum %016llx\n",
      plan.algorithm.c_str(), static_cast<long long>(plan.chunks),
      static_cast<long long>(plan.sequences), static_cast<long long>(plan.window),
      static_cast<long long>(plan.workers), nanoseconds, bytes / static_cast<double>(all),
      first / 1e6, first_bytes / 1e6, middle / 1e6, static_cast<unsigned long long>(checksum));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5 || argc > 7) {
    std::fputs(
        "usage: sheaf_plan_order file|cntk|keyed CHUNKS SEQUENCES WINDOW [WORKERS [STEPS]]\n",
        stderr);
    return 2;
  }
  Plan plan{argv[1], std::atoll(argv[2]), std::atoll(argv[3]), std::atoll(argv[4])};
  if (argc > 5) plan.workers = std::atoll(argv[5]);
  if (argc > 6) plan.steps_max = std::atoll(argv[6]);
  try {
    return run(plan);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
