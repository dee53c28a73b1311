/// \file
/// Orders of every kind, for RapidCheck.

#pragma once

#include <algorithm>
#include <cstdint>

#include <rapidcheck.h>

#include "sheaf/extend/sequencer.h"

namespace sheaf::testing {

/// Returns numbers of [first, last), uniformly in all runs of a property. By default, the first
/// runs would only have small numbers.
template <typename T>
rc::Gen<T> any_of(T first, T last) {
  return rc::gen::resize(rc::kNominalSize, rc::gen::inRange<T>(first, last));
}

/// Returns options for any order, epoch and worker.
inline OrderOptions made_up_options() {
  OrderOptions options{
      .minibatch_size = *any_of<std::int64_t>(1, 60),
      .epochs = *any_of<std::int64_t>(1, 4),
      .sweep_ends = *rc::gen::arbitrary<bool>() ? SweepEnds::cut : SweepEnds::cross,
      .timeline = *rc::gen::element(Timeline::local, Timeline::global)};
  if (*rc::gen::arbitrary<bool>()) {
    options.sweeps = *any_of<std::int64_t>(1, 4);
  } else {
    options.epoch_size = *any_of<std::int64_t>(1, 300);
  }
  options.worker_count = *any_of<std::int64_t>(1, 5);
  options.worker_index = *any_of<std::int64_t>(0, options.worker_count);
  options.algorithm =
      *rc::gen::element(OrderAlgorithm::file, OrderAlgorithm::cntk, OrderAlgorithm::keyed);
  if (options.algorithm != OrderAlgorithm::file) {
    options.seed = *rc::gen::arbitrary<std::uint64_t>();
    (*rc::gen::arbitrary<bool>() ? options.window_chunks : options.window_samples) =
        *any_of<std::int64_t>(1, 40);
  }
  switch (*any_of<int>(0, 7)) {
    case 0:
      options.split_frames = true;
      break;
    case 1:
      options.truncation_length = *any_of<std::int64_t>(1, 12);
      options.minibatch_size =
          std::max(options.minibatch_size, *options.truncation_length * options.worker_count);
      break;
    case 2:
      options.unit = MinibatchUnit::sequences;
      break;
    case 3:
      options.unit = MinibatchUnit::cost;
      break;
    case 4:
    case 5:
      options.long_sequences =
          *rc::gen::element(LongSequences::split, LongSequences::truncate, LongSequences::drop);
      options.row_samples = *any_of<std::int64_t>(1, 20);
      options.unit = *rc::gen::element(MinibatchUnit::samples, MinibatchUnit::sequences);
      break;
    default:
      break;
  }
  if (options.algorithm == OrderAlgorithm::keyed) {
    options.balance = *rc::gen::element(Balance::cost, Balance::count);
    if (!options.truncation_length) {
      options.batching = *rc::gen::element(Batching::plain, Batching::bucketed);
    }
    if (options.unit == MinibatchUnit::sequences) {
      options.sizes = *rc::gen::element(sheaf::Sizes::even, sheaf::Sizes::exact);
      // Minibatches of one sequence drop nothing.
      options.drop_last = options.sizes == sheaf::Sizes::exact && options.minibatch_size == 1;
    }
  }
  return options;
}

}  // namespace sheaf::testing
