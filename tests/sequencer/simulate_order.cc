// sheaf_simulate_order: computes the figures about orders in docs/determinism.md, from made-up
// data.

#include <cstdint>
#include <cstdio>
#include <initializer_list>

#include "sequencer/simulation.h"

namespace {

using sheaf::testing::Candidate;
using sheaf::testing::Figures;
using sheaf::testing::MadeUpData;
using sheaf::testing::MeasuredNoise;
using sheaf::testing::Setting;

void print_figures(const char* lengths, const MadeUpData& data, const Setting& setting) {
  const Figures figures = sheaf::testing::simulate(data, setting);
  std::printf(
      "| %s | %lld | %s | %lld | %lld | %.1f %% | %.1f %% | %.1f %% | %.1f %% | %lld of %lld | "
      "%.2f |\n",
      to_string(setting.candidate).data(), static_cast<long long>(setting.laps), lengths,
      static_cast<long long>(setting.workers), static_cast<long long>(setting.sequences_each),
      100 * figures.excess, 100 * figures.excess_beyond, 100 * figures.foreign,
      100 * figures.foreign_samples, static_cast<long long>(figures.idle_steps),
      static_cast<long long>(figures.steps), figures.smallest_step);
}

void print_table(Candidate candidate, std::int64_t laps,
                 std::initializer_list<std::int64_t> workers) {
  constexpr std::int64_t kStepsMin = 25;
  for (const bool is_equal : {true, false}) {
    for (const std::int64_t count : workers) {
      for (const std::int64_t each : {64, 16, 10, 8}) {
        const std::int64_t sequences = std::max<std::int64_t>(200'000, kStepsMin * count * each);
        const MadeUpData data = is_equal ? sheaf::testing::equal_lengths(sequences, 100)
                                         : sheaf::testing::log_normal_lengths(sequences, 100);
        print_figures(
            is_equal ? "equal" : "log-normal", data,
            {.candidate = candidate, .laps = laps, .workers = count, .sequences_each = each});
      }
    }
  }
}

void print_noise(Candidate candidate, std::int64_t laps) {
  for (const std::int64_t unit_size : {200, 50}) {
    const MadeUpData data = sheaf::testing::equal_lengths(200'000, unit_size);
    for (const std::int64_t minibatch : {64, 256, 1024}) {
      const MeasuredNoise noise =
          noise_of(data, {.candidate = candidate, .laps = laps}, minibatch, 8);
      std::printf("| %s | %lld | %lld | %lld | %.2f | %.2f |\n", to_string(candidate).data(),
                  static_cast<long long>(laps), static_cast<long long>(200'000 / unit_size),
                  static_cast<long long>(minibatch), noise.sorted, noise.units);
    }
  }
}

}  // namespace

int main() {
  std::puts(
      "| order | laps | lengths | workers | each | excess | beyond | foreign | its samples | "
      "idle | least step |\n|---|---|---|---|---|---|---|---|---|---|---|");
  for (const std::int64_t laps : {4, 1})
    print_table(Candidate::keyed, laps, {1, 3, 8, 48, 64, 1000});
  for (const Candidate candidate :
       {Candidate::tumbling, Candidate::shuffled, Candidate::unshared}) {
    print_table(candidate, 4, {8, 64});
  }
  std::puts("\n5 MB: 5,000 sequences of a kilobyte; and a rest of a twentieth of a step");
  const MadeUpData small = sheaf::testing::equal_lengths(5000, 1000);
  for (const std::int64_t workers : {1, 3, 8, 48, 64}) {
    print_figures("5 MB", small, {.laps = 4, .workers = workers, .sequences_each = 10});
  }
  print_figures("10.05 steps", sheaf::testing::equal_lengths(64 * 10 * 201 / 20, 100),
                {.laps = 4, .workers = 64, .sequences_each = 10});
  std::puts(
      "\n| order | laps | units | minibatch | noise, sorted | noise, units "
      "|\n|---|---|---|---|---|---|");
  for (const Candidate candidate : {Candidate::keyed, Candidate::shuffled, Candidate::tumbling}) {
    print_noise(candidate, 4);
  }
  for (const std::int64_t laps : {1, 16}) print_noise(Candidate::keyed, laps);
  print_noise(Candidate::tumbling, 8);  // it holds a second window while that window is read
}
