// sheaf_scale WORKERS SEQUENCES MEMBERS: measures the cost of planning for one of WORKERS workers
// that share SEQUENCES sequences in a mixture of MEMBERS members. With 0 members, there is no
// mixture. The data are only counts: chunks of 32,768 sequences, as in 32 MiB of text with 1 kB for
// each sequence. docs/scale.md explains the numbers.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sheaf/sheaf.h"

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kChunkSequences = 32'768;
constexpr std::int64_t kOwnSequences = 64;  // sequences of one worker in a minibatch
constexpr int kSteps = 50;

/// The counts of data with equal chunks, with or without a mixture.
class EqualChunks final : public sheaf::Counts {
 public:
  EqualChunks(std::int64_t chunks, std::int64_t members)
      : chunks_(chunks),
        samples_(std::make_shared<const sheaf::PackedInts>(sheaf::PackedInts::Line{1, 0},
                                                           kChunkSequences)) {
    if (members == 0) return;
    mixture_.emplace();
    mixture_->options.exhausted = sheaf::Exhausted::repeat;
    for (std::int64_t i = 0; i < members; ++i) {
      mixture_->names.push_back("member " + std::to_string(i));
      mixture_->options.weights.push_back(1 + (i * 37) % 101);
      member_ends_.push_back(chunks * (i + 1) / members);
    }
  }

  [[nodiscard]] std::optional<sheaf::ChunkCounts> chunk_counts(
      sheaf::ChunkIndex chunk) const override {
    if (static_cast<std::int64_t>(chunk) >= chunks_) return {};
    return sheaf::ChunkCounts{kChunkSequences, kChunkSequences, 32};
  }
  [[nodiscard]] sheaf::SampleCounts sample_counts(sheaf::ChunkIndex /*chunk*/) const override {
    return sheaf::SampleCounts(samples_);
  }
  [[nodiscard]] const sheaf::Mixture* mixture() const noexcept override {
    return mixture_ ? &*mixture_ : nullptr;
  }
  [[nodiscard]] std::vector<std::int64_t> member_ends() const override { return member_ends_; }

 private:
  std::int64_t chunks_;
  std::shared_ptr<const sheaf::PackedInts> samples_;
  std::optional<sheaf::Mixture> mixture_;
  std::vector<std::int64_t> member_ends_;
};

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// Returns the current memory of the process in MiB.
double resident_mebibytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::strtod(line.c_str() + 6, nullptr) / 1024;
  }
  return 0;
}

void measure(const std::shared_ptr<const sheaf::Counts>& counts, std::int64_t workers,
             const sheaf::Place& from, const char* what) {
  const sheaf::OrderOptions options{.minibatch_size = kOwnSequences * workers,
                                    .unit = sheaf::MinibatchUnit::sequences,
                                    .sweeps = std::nullopt,
                                    .worker_index = workers / 2,
                                    .worker_count = workers,
                                    .algorithm = sheaf::OrderAlgorithm::keyed,
                                    .seed = 7,
                                    .window_chunks = sheaf::default_window_chunks(32 << 20)};
  const double before = resident_mebibytes();
  const Clock::time_point start = Clock::now();
  const std::unique_ptr<sheaf::Sequencer> sequencer = sheaf::make_sequencer(counts, options);
  sheaf::OrderWalk walk(*sequencer, from);
  if (!walk.next()) throw sheaf::ConfigError("the run is over");
  const double first = milliseconds_since(start);
  std::vector<double> steps;
  for (int i = 0; i < kSteps; ++i) {
    const Clock::time_point begin = Clock::now();
    if (!walk.next()) break;
    steps.push_back(milliseconds_since(begin));
  }
  std::ranges::sort(steps);
  std::printf("%s: first step after %.1f ms, then %.2f ms a step (most %.1f), %.1f MiB\n", what,
              first, steps[steps.size() / 2], steps.back(), resident_mebibytes() - before);
}

int run(std::int64_t workers, std::int64_t sequences, std::int64_t members) {
  const std::int64_t chunks = std::max<std::int64_t>(members, sequences / kChunkSequences);
  const auto counts = std::make_shared<const EqualChunks>(chunks, members);
  std::printf("%lld workers, %lld sequences in %lld chunks, %lld members\n",
              static_cast<long long>(workers), static_cast<long long>(chunks * kChunkSequences),
              static_cast<long long>(chunks), static_cast<long long>(members));
  measure(counts, workers, {}, "from the beginning");
  // A restarted worker begins where the other workers are.
  const std::int64_t middle = chunks * kChunkSequences / 2;
  measure(counts, workers, {.sequence = middle, .sample = middle}, "from the middle");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: sheaf_scale WORKERS SEQUENCES MEMBERS\n");
    return 2;
  }
  try {
    return run(std::strtoll(argv[1], nullptr, 10), std::strtoll(argv[2], nullptr, 10),
               std::strtoll(argv[3], nullptr, 10));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "sheaf_scale: %s\n", error.what());
    return 1;
  }
}
