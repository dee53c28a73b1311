/// \file
/// Orders tried out on made-up data: how even, how mixed, how much read by others.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace sheaf::testing {

/// Ways to order a sweep and to share it out.
///
/// tumbling: window after window of drawn units, each shuffled; a worker has every W-th unit.
/// shuffled: as keyed, but units enter as drawn, and a tick's sequences are shuffled.
/// unshared: keyed, but each worker delivers what is its own.
/// keyed:    keyed/1.
enum class Candidate : std::uint8_t { tumbling, shuffled, unshared, keyed };

[[nodiscard]] std::string_view to_string(Candidate candidate) noexcept;

/// Data: units that are all alike.
struct MadeUpData {
  std::vector<std::int64_t> lengths;  // of the sequences, in the order of the file
  std::int64_t unit_size = 100;       // sequences of a unit
};

/// `count` sequences of 100 samples each, or of lengths whose logarithm is normal with sigma 1 and
/// a median of 100.
[[nodiscard]] MadeUpData equal_lengths(std::int64_t count, std::int64_t unit_size);
[[nodiscard]] MadeUpData log_normal_lengths(std::int64_t count, std::int64_t unit_size);

struct Setting {
  Candidate candidate = Candidate::keyed;
  std::int64_t laps = 1;  // the part of the data that is there: one in so many
  std::int64_t workers = 1;
  std::int64_t sequences_each = 10;  // about, of a worker in a step
  std::uint64_t seed = 0;
  std::int64_t steps_max = 50;  // as many are looked at, spread over the sweep
};

/// Means over the steps that were looked at.
struct Figures {
  std::int64_t steps = 0;
  double excess = 0;         // samples of the slowest worker over the mean, less 1
  double excess_beyond = 0;  // the same over what whole sequences allow: the longest one alone, and
                             // as many of the shortest as there are for a worker, rounded up
  double foreign = 0;        // part of the sequences that others than their owner deliver
  double foreign_samples = 0;
  std::int64_t idle_steps = 0;  // steps where a worker has nothing
  double smallest_step = 0;     // in samples, of the size asked
};

[[nodiscard]] Figures simulate(const MadeUpData& data, const Setting& setting);

/// The standard deviation of the means of minibatches of so many sequences over that of a full
/// shuffle; of the place in the file, and of a value that each unit has for itself.
struct Noise {
  double sorted = 0;
  double units = 0;
};

[[nodiscard]] Noise noise_of(const MadeUpData& data, const Setting& setting,
                             std::int64_t minibatch_sequences, std::int64_t seeds);

}  // namespace sheaf::testing
