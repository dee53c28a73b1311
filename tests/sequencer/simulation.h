/// \file
/// Simulates orders on made-up data: how even and how mixed they are, and how much other workers
/// read.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace sheaf::testing {

/// Ways to order a sweep and to share it out:
///
/// tumbling: window after window of drawn units, each shuffled; a worker has every W-th unit.
/// shuffled: as keyed, but units enter in drawn order, and the sequences of a tick are shuffled.
/// unshared: as keyed, but each worker delivers only its own sequences.
/// keyed:    keyed/1.
enum class Candidate : std::uint8_t { tumbling, shuffled, unshared, keyed };

[[nodiscard]] std::string_view to_string(Candidate candidate) noexcept;

/// Made-up data of equal units.
struct MadeUpData {
  std::vector<std::int64_t> lengths;  // of the sequences, in file order
  std::int64_t unit_size = 100;       // sequences in a unit
};

/// Return `count` sequences. equal_lengths() gives each of them 100 samples. log_normal_lengths()
/// draws lengths with a median of 100, whose logarithm is normal with sigma 1.
[[nodiscard]] MadeUpData equal_lengths(std::int64_t count, std::int64_t unit_size);
[[nodiscard]] MadeUpData log_normal_lengths(std::int64_t count, std::int64_t unit_size);

struct Setting {
  Candidate candidate = Candidate::keyed;
  std::int64_t laps = 1;  // one `laps`-th of the data is held
  std::int64_t workers = 1;
  std::int64_t sequences_each = 10;  // about how many sequences a worker has in a step
  std::uint64_t seed = 0;
  std::int64_t steps_max = 50;  // the number of measured steps, spread over the sweep
};

/// Means over the measured steps.
struct Figures {
  std::int64_t steps = 0;
  double excess = 0;         // samples of the slowest worker over the mean, less 1
  double excess_beyond = 0;  // samples of the slowest worker over the least possible with whole
                             // sequences: the longest sequence alone, or as many of the shortest as
                             // a worker has, rounded up; less 1
  double foreign = 0;        // share of sequences delivered by another worker than their owner
  double foreign_samples = 0;
  std::int64_t idle_steps = 0;  // steps in which a worker has nothing
  double smallest_step = 0;     // in samples, relative to the requested size
};

[[nodiscard]] Figures simulate(const MadeUpData& data, const Setting& setting);

/// The standard deviation of the means of minibatches, relative to a full shuffle. `sorted`
/// averages the number of a sequence in the file, and `units` a random value of each unit.
struct MeasuredNoise {
  double sorted = 0;
  double units = 0;
};

[[nodiscard]] MeasuredNoise noise_of(const MadeUpData& data, const Setting& setting,
                                     std::int64_t minibatch_sequences, std::int64_t seeds);

}  // namespace sheaf::testing
