#include <cstddef>
#include <cstdint>
#include <utility>

#include "sheaf/error.h"

#include "base/text.h"
#include "sequencer/exact_sizes.h"
#include "sequencer/keyed_walk.h"
#include "sequencer/length_batches.h"

// Batches of sequences of similar length.
//
// With buckets, the axis is divided into runs of kRunMinibatches minibatches. A place is then the
// beginning of a run, and carries the number of the batch within the run.

namespace sheaf {
namespace {

constexpr std::int64_t kRunMinibatches = 64;

std::int64_t product(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? internal::Epochs::kNever : result;
}

}  // namespace

// Splits a place. Its carry has the cost before the run, if costs are counted, and then the number
// of the batch.
KeyedSequencer::Walk::RunPlace KeyedSequencer::Walk::run_place(const Place& place) const {
  const std::size_t begin_size = counts_costs() ? 1 : 0;
  RunPlace result{.begin = place};
  if (place.carry.size() > begin_size) result.batch = place.carry.back();
  result.begin.carry.resize(begin_size);
  return result;
}

// Draws the run that begins at a place.
void KeyedSequencer::Walk::begin_run(const Place& begin) {
  if (run_begin_ == begin) return;
  run_begin_.reset();
  seek(begin);
  run_ = {};
  const std::uint64_t key = sweep_->run_key(number_);
  draw(product(options_.minibatch_size, kRunMinibatches), StepRoom(), run_);
  const std::int64_t size = options_.minibatch_size;
  batches_ = options_.sizes == Sizes::exact
                 ? internal::exact_batches_by_length(run_.samples, size, key)
                 : internal::batches_by_length(counts_costs() ? run_.costs : run_.samples, size,
                                               options_.unit, key);
  run_begin_ = begin;
}

Step KeyedSequencer::Walk::batch_step(const Place& from) {
  const auto [begin, number] = run_place(from);
  begin_run(begin);
  if (number > 0 && number >= batches_.count()) {
    throw ConfigError(formatted("position: carry {}: the run that begins here has {} batches",
                                number, batches_.count()));
  }
  Draw drawn;
  drawn.sweep = run_.sweep;
  WindowChange change;
  const bool is_last = number + 1 >= batches_.count();
  if (is_last) {
    drawn.ends_sweep = run_.ends_sweep;
    drawn.ends_epoch = run_.ends_epoch;
    drawn.next = run_.next;
    if (number == 0) drawn.passed = run_.passed;
    change = number == 0 ? run_.change : run_end_change_;
  } else {
    drawn.next = begin;
    drawn.next.carry.push_back(number + 1);
    if (number == 0) change.load = internal::without(run_held_.entered, {});
  }
  drawn.turn = run_.turn + number;
  if (batches_.count() > 0) take_batch(number, drawn);
  Step step = own_part(std::move(drawn));
  record(from, step, std::move(change));
  return step;
}

void KeyedSequencer::Walk::take_batch(std::int64_t number, Draw& draw) const {
  for (const std::int64_t i : batches_.batch(number)) {
    const auto sequence = static_cast<std::size_t>(i);
    draw.sequences.push_back(run_.sequences[sequence]);
    draw.samples.push_back(run_.samples[sequence]);
    draw.sample_count += run_.samples[sequence];
    if (!run_.owners.empty()) draw.owners.push_back(run_.owners[sequence]);
  }
}

}  // namespace sheaf
