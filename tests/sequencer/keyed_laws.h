/// \file
/// Data and options for tests of the order "keyed/1".

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <rapidcheck.h>

#include "sheaf/extend/sequencer.h"

#include "sequencer/made_up_counts.h"
#include "sequencer/made_up_options.h"

namespace sheaf::testing {

inline constexpr std::int64_t kKeyedStepsMax = 100'000;

/// Returns up to about 2,000 sequences, enough for several laps.
inline Sizes made_up_keyed_sizes() {
  const auto most = *rc::gen::element<std::int64_t>(2, 9, 60);
  Sizes sizes(*any_of<std::size_t>(1, 8));
  for (auto& chunk : sizes) {
    chunk = *rc::gen::container<std::vector<std::int64_t>>(*any_of<std::size_t>(1, 250),
                                                           any_of<std::int64_t>(1, most));
  }
  return sizes;
}

/// Returns options of any kind, without truncation.
inline OrderOptions made_up_keyed() {
  OrderOptions options{.minibatch_size = *any_of<std::int64_t>(1, 500),
                       .unit = *rc::gen::element(MinibatchUnit::samples, MinibatchUnit::sequences),
                       .epochs = *any_of<std::int64_t>(1, 4),
                       .algorithm = OrderAlgorithm::keyed,
                       .seed = *rc::gen::arbitrary<std::uint64_t>(),
                       .window_chunks = *any_of<std::int64_t>(1, 9),
                       .balance = *rc::gen::element(Balance::cost, Balance::count),
                       .batching = *rc::gen::element(Batching::plain, Batching::bucketed)};
  if (*rc::gen::arbitrary<bool>()) options.epoch_size = *any_of<std::int64_t>(1, 3000);
  if (options.unit == MinibatchUnit::sequences) {
    options.sizes = *rc::gen::element(sheaf::Sizes::even, sheaf::Sizes::exact);
  }
  return options;
}

/// Returns the order of a worker over one chunk for each list of lengths.
inline std::unique_ptr<Sequencer> keyed_sequencer(const Sizes& sizes, OrderOptions options,
                                                  std::int64_t worker = 0,
                                                  std::int64_t worker_count = 1) {
  options.worker_index = worker;
  options.worker_count = worker_count;
  return make_sequencer(std::make_shared<MadeUpCounts>(sizes), options);
}

}  // namespace sheaf::testing
