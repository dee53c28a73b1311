// The machine that reads ahead.
//
// Everything is planned before it is done. A step of the sequencer, or some small ones together,
// becomes a slot of the schedule (schedule.cc), which decides what may be done when. Four kinds of
// tasks do it, and none waits for another: the plan task (one at a time, since the order is a chain
// of steps, and since the index may have to scan the file for it), a task for each unit to read, a
// task for each part of a slot that transforms prepare, a task for each slot to pack. Where
// transforms make little, or there are none, packing prepares the slot itself.
//
// The window holds the data before their transforms: `data_` is what the caller gave,
// `deserializer_` reads the same without the transforms, which are `chain_`.
//
// Tasks and next() change the schedule under one mutex and then call pump(), which moves on what
// can move and submits tasks for it: as many as there are threads, or pieces of work. A task is not
// bound to its work when it is submitted: it takes what is most urgent, planning before packing
// before preparing before reading, until there is nothing, which it sees under the mutex; so all of
// it is done. Nothing is locked while a task plans, reads, prepares or packs, or while one is
// submitted.
//
// What is delivered depends on none of this. The plan is a function of the index and the position;
// what goes wrong in it, in reading a unit, in a transform or in packing waits in the slot of its
// step; and wrong places are counted by next(), in the order of delivery.
//
// Stopping, be it for an error or for good, sets a flag; tasks that come to run later leave at
// once. The destructor waits until all have left.

#include "reader/engine.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <limits>
#include <system_error>
#include <utility>

#include "sheaf/error.h"

#include "base/interruptible_wait.h"
#include "base/interruption_watch.h"
#include "base/saturated.h"
#include "base/text.h"
#include "dataset/transformed_data.h"
#include "reader/fetch/window_decoder.h"
#include "reader/run.h"

namespace sheaf {

using internal::Slot;
using internal::StepPlan;
using internal::Unit;
using internal::WrongPlace;

namespace {

constexpr std::int64_t kStepsTogetherMax = 64;

/// An order, or a step of it, takes more memory than there is. The call that would have delivered
/// the first step tells.
class TooLittleMemory : public ConfigError {
 public:
  using ConfigError::ConfigError;
};

template <typename Pointer>
Pointer required(Pointer part, const char* name) {
  if (!part) throw ConfigError(formatted("reader: the {} is null", name));
  return part;
}

// Streams that the packer takes.
std::shared_ptr<const std::vector<Stream>> packable_streams(const Deserializer& deserializer,
                                                            const Packer& packer) {
  const std::span<const Stream> streams = deserializer.streams();
  packer.check(streams);
  return std::make_shared<const std::vector<Stream>>(streams.begin(), streams.end());
}

// Several large units may be on their way at once, and what is held may turn out larger than it was
// estimated.
std::int64_t large_units_bytes(const RunOptions& options) noexcept {
  return options.memory_limit_bytes ? *options.memory_limit_bytes / 2
                                    : internal::Planner::kAnyBytes;
}

}  // namespace

Reader::Engine::Engine(std::shared_ptr<const Deserializer> data,
                       std::unique_ptr<Sequencer> sequencer, std::unique_ptr<Packer> packer,
                       const RunOptions& options)
    : data_((internal::check(options), required(std::move(data), "deserializer"))),
      deserializer_(internal::source_of(data_)),
      chain_(internal::chain_of(*data_)),
      sequencer_(required(std::move(sequencer), "sequencer")),
      packer_(required(std::move(packer), "packer")),
      streams_(packable_streams(*data_, *packer_)),
      run_(internal::run_identity(*deserializer_, *sequencer_, *packer_, chain_)),
      step_packer_(
          *packer_, chain_, *deserializer_, streams_, run_,
          options.minibatch_memory != nullptr ? *options.minibatch_memory : default_memory(),
          options.memory_limit_bytes.value_or(0)),
      ledger_(options.memory_limit_bytes.value_or(0)),
      delivery_(internal::start_position(options, run_), options.max_errors,
                [this](const WrongPlace& place) { return describe(place); }),
      finder_(deserializer_->index()),
      large_units_bytes_(large_units_bytes(options)),
      own_executor_(internal::own_threads(options)),
      executor_(own_executor_ ? *own_executor_ : *options.executor),
      thread_count_(std::max(1, executor_.thread_count())),
      decoded_(ledger_.has_limit() ? 0 : sequencer_->window_chunks(), deserializer_->streams()),
      schedule_(ledger_, thread_count_, chain_ != nullptr && chain_->ordered_count() > 0) {
  if (chain_ != nullptr && ledger_.has_limit()) chain_->check_sizes();
  if (chain_ != nullptr && chain_->ordered_count() > 0) {
    draws_.emplace(*chain_, delivery_.position().draws);
  }
  build_index();
  // The first step is planned here, so that a place that cannot be one is refused here.
  std::optional<StepPlan> first;
  std::exception_ptr refusal;
  try {
    first = first_plan();
  } catch (const TooLittleMemory& error) {
    refusal = std::make_exception_ptr(ConfigError(error.what()));
  }
  Lock lock(mutex_);
  schedule_.add_found(decoded_.take());
  if (refusal) {
    schedule_.append_error(std::move(refusal));
  } else if (first) {
    schedule_.append(*std::move(first), planner_->index_bytes());
  } else {
    schedule_.end();
  }
  pump(lock, 0);
}

std::unique_ptr<internal::Planner> Reader::Engine::make_planner() const {
  auto planner = std::make_unique<internal::Planner>(
      *deserializer_, *sequencer_, *packer_, delivery_.position().place, large_units_bytes_);
  if (chain_ != nullptr) planner->set_transforms(*chain_, data_->index());
  planner->set_decoded(decoded_);
  planner->set_memory_limit(ledger_.limit_bytes());
  planner->set_order_bytes(order_bytes());
  return planner;
}

std::optional<StepPlan> Reader::Engine::first_plan() {
  planner_ = make_planner();
  std::optional<StepPlan> first = planner_->next();
  if (first && ledger_.has_limit()) decode_window(*first);
  return first;
}

// How narrow values are, only reading tells. A window that has all data, and takes more than half
// of the limit by what its values take as they are read, is therefore decoded here, and planned by
// what it takes then. Where it does not fit all the same, it is read as the steps need it, if there
// is room for it as it is read.
//
// A refusal names the lesser of the two limits. A little is added to the one that was measured:
// with more memory, the index may keep more.
void Reader::Engine::decode_window(StepPlan& first) {
  constexpr std::int64_t kMargin = 64;
  const bool fits = first.needed_bytes <= ledger_.limit_bytes();
  const bool is_large = first.window_bytes > ledger_.limit_bytes() / 2;
  if (first.reads_late || (fits && !is_large)) return;
  const Index& index = deserializer_->index();
  std::int64_t chunk_count = 0;
  while (index.chunk(ChunkIndex{chunk_count})) {
    if (++chunk_count > sequencer_->window_chunks()) return;  // the window moves
  }
  if (!internal::decode_window(*deserializer_, executor_, chunk_count, ledger_,
                               planner_->index_bytes(), decoded_)) {
    return;
  }
  std::unique_ptr<internal::Planner> planner = make_planner();
  StepPlan plan = *planner->next();
  if (plan.needed_bytes <= ledger_.limit_bytes()) {
    planner_ = std::move(planner);
    first = std::move(plan);
    return;
  }
  const std::int64_t needed_bytes =
      internal::saturated_sum(plan.needed_bytes, plan.needed_bytes / kMargin);
  if (!fits && needed_bytes < first.needed_bytes) {
    first.needed_bytes = needed_bytes;
    first.window_bytes = plan.window_bytes;
  }
  planner.reset();  // knows what is forgotten now
  plan = {};
  decoded_.clear();
}

// Before a step is planned, so that nothing is taken that there is no room for.
std::int64_t Reader::Engine::order_bytes() const {
  const std::int64_t bytes = sequencer_->memory_bytes();
  constexpr std::int64_t kLittle = std::int64_t{1} << 20;  // the first step says what is needed
  if (!ledger_.has_limit() || bytes <= std::max(ledger_.limit_bytes(), kLittle)) return bytes;
  const std::int64_t needed =
      bytes + deserializer_->index().memory_bytes() + internal::Planner::kReadBufferBytes;
  throw TooLittleMemory(formatted(
      "memory_limit_bytes: {0} bytes are too few for the order \"{1}\", which takes {2} bytes for "
      "the sequences of its window, and for their index: it needs {3} bytes; set the limit to {3} "
      "or more, or make the window smaller",
      ledger_.limit_bytes(), sequencer_->algorithm(), bytes, needed));
}

// Where the order needs to know all chunks, all threads find them. Where the order then takes
// sequences from all chunks, and memory is no matter, the threads decode the text on the way.
void Reader::Engine::build_index() {
  if (sequencer_->window_chunks() == 0) return;
  deserializer_->build_index(executor_, decoded_.chunk_count_max() > 0 ? &decoded_ : nullptr);
  decoded_.end();
}

Reader::Engine::~Engine() {
  Lock lock(mutex_);
  stop(nullptr);
  changed_.wait(lock, [this] { return tasks_pending_ == 0; });
}

std::optional<Minibatch> Reader::Engine::next() {
  if (failure_) std::rethrow_exception(failure_);
  if (!delivery_.has_minibatch() && !delivery_.error()) {
    Lock lock(mutex_);
    end_delivery(lock);
    await_front(lock);  // an interruption leaves everything as it is
  }
  try {
    if (!delivery_.has_minibatch()) take_front();
  } catch (...) {
    end_run();
    throw;
  }
  // So does one here: wrong places that are described by now keep their texts.
  if (!delivery_.has_minibatch()) return std::nullopt;
  delivery_.describe();
  try {
    const internal::InterruptionPause pause;
    return delivery_.next();
  } catch (...) {
    end_run();
    throw;
  }
}

// What is thrown now, next() throws from now on.
//
// Pre: an exception is being handled.
void Reader::Engine::end_run() noexcept {
  failure_ = std::current_exception();
  const Lock lock(mutex_);
  stop(nullptr);
}

// Wrong places may have to be read again for their texts.
bool Reader::Engine::is_ready() {
  if (failure_) return false;
  if (delivery_.has_minibatch()) return delivery_.is_clean();
  if (delivery_.error()) return false;
  Lock lock(mutex_);
  end_delivery(lock);
  if (breakdown_ || !schedule_.front_is_known()) return false;
  const Slot* const front = schedule_.front();
  return front == nullptr || (!front->packed.empty() && front->packed[0].places.empty());
}

// The caller is through with the last minibatch: what waited for its memory can go on.
void Reader::Engine::end_delivery(Lock& lock) {
  if (!schedule_.end_delivery()) return;
  pump(lock, 0);
  lock.lock();
}

bool Reader::Engine::front_is_known() const noexcept {
  return breakdown_ != nullptr || schedule_.front_is_known();
}

// The caller has nothing to do before the front is there: what is ready to be packed is packed here
// and now, and no thread has to be woken for it, nor this one. The task that was to do it will find
// other work, or none.
//
// A function of several sequences may take long, and be somebody else's: an interruption of the
// caller must not wait for the function.
void Reader::Engine::help_to_pack(Lock& lock) {
  if (chain_ != nullptr && chain_->batch() != Transform::Batch::one) return;
  while (!is_stopped_ && !front_is_known()) {
    const internal::Schedule::Preparation preparation = schedule_.take_preparation();
    Slot* const slot = preparation.slot == nullptr ? schedule_.take_pack() : nullptr;
    if (preparation.slot == nullptr && slot == nullptr) return;
    try {
      const internal::InterruptionPause pause;  // its slot keeps what it throws
      if (slot == nullptr) {
        run_preparation(lock, preparation);
      } else {
        run_pack(lock, *slot);
      }
    } catch (...) {  // as for a task: a slot that is left half done would be waited for for ever
      if (!lock.owns_lock()) lock.lock();
      stop(std::current_exception());
    }
    pump(lock, 0);
    lock.lock();
  }
}

void Reader::Engine::await_front(Lock& lock) {
  help_to_pack(lock);
  if (front_is_known()) return;
  const auto begin = std::chrono::steady_clock::now();
  internal::wait_interruptibly(changed_, lock, [this] { return front_is_known(); });
  const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - begin;
  delivery_.add_wait(waited.count());
}

// Take the front slot out of the schedule, if there is one: not at the end. An error waits until
// what came before it is delivered.
//
// Pre: the front is known, or the one before ended in an error.
void Reader::Engine::take_front() {
  if (delivery_.error()) std::rethrow_exception(delivery_.error());
  Lock lock(mutex_);
  if (breakdown_) std::rethrow_exception(breakdown_);
  const Slot* const front = schedule_.front();
  if (front == nullptr) return;
  if (front->error && front->packed.empty()) std::rethrow_exception(front->error);
  Slot taken = schedule_.pop_front();
  pump(lock, 0);
  delivery_.take(std::move(taken));  // what it was goes without the lock
}

// Read a sequence again to describe one of its wrong places.
//
// Throws: what an interruption throws.
std::optional<Diagnostic> Reader::Engine::describe(const WrongPlace& place) const {
  const internal::InterruptionWatch watch;
  try {
    Diagnostics diagnostics(std::numeric_limits<std::int64_t>::max());
    static_cast<void>(deserializer_->read({place.chunk, place.sequence, 1}, diagnostics));
    // All are described, so this is their order, too.
    if (place.number < std::ssize(diagnostics.described())) {
      return diagnostics.described()[static_cast<std::size_t>(place.number)];
    }
  } catch (...) {  // not worth an error of its own: the place is told without its text
    if (watch.was_interrupted()) throw;
  }
  return std::nullopt;
}

std::vector<Diagnostic> Reader::Engine::warnings() const {
  const std::span<const Diagnostic> delivered = delivery_.errors().warnings();
  std::vector<Diagnostic> warnings(delivered.begin(), delivered.end());
  std::ranges::move(deserializer_->warnings(), std::back_inserter(warnings));
  return warnings;
}

ReaderStats Reader::Engine::stats() const {
  ReaderStats stats = delivery_.stats();
  stats.memory_bytes_max = ledger_.used_bytes_max();
  const CacheCounts cache = data_->cache_counts();
  stats.cache_hits = cache.hits;
  stats.cache_misses = cache.misses;
  return stats;
}

std::optional<Minibatch> Reader::Engine::sequence(const SequenceKey& key, std::int64_t sweep) {
  const std::optional<ChunkRange> found = finder_.find(key);
  if (!found) return std::nullopt;
  return read_alone({found->chunk, found->first}, sweep, {}, false);
}

std::optional<Minibatch> Reader::Engine::sequence(std::string_view text, std::int64_t sweep) {
  std::optional<Minibatch> found = sequence(key_of_text(text), sweep);
  const bool has_text = found && !found->key_texts().empty() && found->key_texts()[0] == text;
  return has_text ? std::move(found) : std::nullopt;  // else another text of the same hash
}

std::optional<Minibatch> Reader::Engine::sequence_at(std::int64_t sweep, std::int64_t number) {
  if (!lookup_) lookup_ = sequencer_->make_cursor();
  std::optional<Step> step = sequencer_->sequence_at(sweep, number, *lookup_);
  if (!step) return std::nullopt;
  if (step->sequences.size() != 1 || step->slices.size() > 1) {
    throw InternalError(formatted("the sequencer gives {} sequences and {} slices for one",
                                  step->sequences.size(), step->slices.size()));
  }
  return read_alone(step->sequences[0], step->sweep_of(0), std::move(step->slices),
                    step->needs_equal_streams);
}

// A step of one sequence, without a schedule.
Minibatch Reader::Engine::read_alone(const SequenceRef& sequence, std::int64_t sweep,
                                     std::vector<SampleRange> slices,
                                     bool needs_equal_streams) const {
  const Index& index = deserializer_->index();
  const ChunkRange range{sequence.chunk, sequence.sequence, 1};
  const ChunkRange named = internal::named_range(internal::named_chunk(index, range.chunk), range);
  internal::UnitUse use;
  use.cut = std::make_shared<const internal::RangeCut>(index, named);
  use.unit = use.cut->unit_at(sequence.sequence);
  Unit unit(use);
  Diagnostics diagnostics;
  Chunk chunk = deserializer_->read(range, diagnostics);
  unit.set_content(std::move(chunk), std::move(diagnostics), deserializer_->streams());
  check_alone(unit);

  Slot slot;
  slot.plan.steps.push_back({.run = 1, .sequence = 1, .next = {}});
  slot.plan.units.push_back(std::move(use));
  slot.plan.runs.push_back({0, sequence.sequence, 1});
  slot.plan.slices = std::move(slices);
  slot.plan.needs_equal_streams = needs_equal_streams;
  slot.plan.sweeps = {sweep};
  slot.units.push_back(&unit);
  if (draws_) {  // as if the sequence were the first of a run
    internal::ChainDraws draws(*chain_, {});
    step_packer_.preparer().draw(slot, draws);
  }
  step_packer_.pack_all(slot);
  check_alone(slot.packed[0].places, slot.packed[0].minibatch.hole_count > 0);
  Minibatch minibatch = std::move(slot.packed[0].minibatch);
  minibatch.position = delivery_.position();
  return minibatch;
}

// Whether a sequence can be delivered.
void Reader::Engine::check_alone(const Unit& unit) const {
  std::vector<WrongPlace> places;
  unit.append_places(unit.first, places);
  check_alone(places, unit.chunk->rows().is_hole(0));
}

// Throws: DataError for a hole, and where one of the places is fatal.
void Reader::Engine::check_alone(std::span<WrongPlace> places, bool is_hole) const {
  internal::ErrorAccount account(std::numeric_limits<std::int64_t>::max(),
                                 [this](const WrongPlace& place) { return describe(place); });
  account.add(places);
  if (is_hole) throw DataError({account.described().begin(), account.described().end()});
}

// A task goes on while there is something to do, but not for ever: others may share the threads.
void Reader::Engine::run_task() noexcept {
  constexpr int kPiecesMax = 64;
  const internal::InterruptionPause pause;  // an executor's thread is nobody's to interrupt
  Lock lock(mutex_);
  for (int piece = 0; piece < kPiecesMax && run_piece(lock); ++piece) {
    pump(lock, 0);
    lock.lock();
  }
  pump(lock, 1);
}

// Do what is most urgent; false where there is nothing to do.
bool Reader::Engine::run_piece(Lock& lock) noexcept {
  if (is_stopped_) return false;
  try {
    if (plan_is_queued_) {
      run_plan(lock);
    } else if (Slot* const slot = schedule_.take_pack(); slot != nullptr) {
      run_pack(lock, *slot);
    } else if (const auto preparation = schedule_.take_preparation(); preparation.slot != nullptr) {
      run_preparation(lock, preparation);
    } else if (Slot* const to_draw = schedule_.take_draw(); to_draw != nullptr) {
      run_draw(lock, *to_draw);
    } else if (Unit* const unit = schedule_.take_read(); unit != nullptr) {
      run_read(lock, *unit);
    } else {
      return false;
    }
  } catch (...) {  // what the work throws is kept where it belongs; this is the bookkeeping
    if (!lock.owns_lock()) lock.lock();
    stop(std::current_exception());
  }
  return true;
}

void Reader::Engine::run_plan(Lock& lock) {
  plan_is_queued_ = false;
  plan_is_running_ = true;
  while (!is_stopped_ && schedule_.wants_plan(plan_is_running_)) {
    pump(lock, 0);  // others start on what is planned while the next step is
    std::optional<StepPlan> plan;
    std::exception_ptr error;
    try {
      plan = planner_->next(steps_together_);
      steps_together_ = std::min(2 * steps_together_, kStepsTogetherMax);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    if (error) {
      schedule_.append_error(std::move(error));
    } else if (plan) {
      schedule_.append(*std::move(plan), planner_->index_bytes());
    } else {
      schedule_.end();
    }
  }
  plan_is_running_ = false;
}

void Reader::Engine::run_read(Lock& lock, Unit& unit) {
  lock.unlock();
  std::int64_t bytes = 0;
  try {
    Diagnostics diagnostics;
    Chunk chunk = deserializer_->read({unit.use.cut->chunk(), unit.first, unit.count}, diagnostics);
    unit.set_content(std::move(chunk), std::move(diagnostics), deserializer_->streams());
    bytes = unit.held_bytes();
  } catch (...) {
    unit.error = std::current_exception();
  }
  lock.lock();
  schedule_.finish_read(unit, bytes);
}

void Reader::Engine::run_draw(Lock& lock, Slot& slot) {
  lock.unlock();
  step_packer_.preparer().draw(slot, *draws_);
  lock.lock();
  schedule_.finish_draw(slot);
}

void Reader::Engine::run_preparation(Lock& lock,
                                     const internal::Schedule::Preparation& preparation) {
  lock.unlock();
  step_packer_.preparer().prepare(*preparation.slot, *preparation.part);
  lock.lock();
  schedule_.finish_preparation(*preparation.slot);
}

void Reader::Engine::run_pack(Lock& lock, Slot& slot) {
  lock.unlock();
  try {
    step_packer_.pack_all(slot);
  } catch (...) {
    slot.error = std::current_exception();
  }
  slot.parts.clear();
  lock.lock();
  schedule_.finish_pack(slot);
}

// Move on what can move, and give back the lock. A task calls it last, with itself as finished:
// from then on it must not touch the engine, which may be gone, unless it has tasks to submit, for
// which the destructor waits.
void Reader::Engine::pump(Lock& lock, std::int64_t finished_tasks) noexcept {
  do {
    try {
      if (!is_stopped_) {
        schedule_.advance();
        plan_is_queued_ |= !plan_is_running_ && schedule_.wants_plan(false);
      }
    } catch (...) {
      stop(std::current_exception());
    }
  } while (destroy_dropped(lock));  // there may be room now
  tasks_pending_ -= finished_tasks;
  std::int64_t to_submit = 0;
  if (!is_stopped_) {
    const std::int64_t pieces = schedule_.ready_count() + (plan_is_queued_ ? 1 : 0);
    to_submit = std::clamp<std::int64_t>(thread_count_ - tasks_pending_, 0, pieces);
  }
  tasks_pending_ += to_submit;
  if (front_is_known() || (is_stopped_ && tasks_pending_ == 0)) changed_.notify_all();
  Executor& executor = executor_;
  lock.unlock();
  std::exception_ptr refusal;
  try {
    for (; to_submit > 0; --to_submit) executor.submit([this] { run_task(); });
  } catch (...) {
    refusal = std::current_exception();
  }
  if (refusal) {  // the tasks that were not taken still count, so the engine is there
    lock.lock();
    tasks_pending_ -= to_submit;
    stop(std::move(refusal));
    changed_.notify_all();
    lock.unlock();
  }
}

// Destroy the units that were dropped; false where there are none.
bool Reader::Engine::destroy_dropped(Lock& lock) noexcept {
  std::vector<std::unique_ptr<Unit>> dropped = schedule_.take_dropped();
  if (dropped.empty()) return false;
  std::int64_t bytes = 0;
  for (const std::unique_ptr<Unit>& unit : dropped) bytes += unit->memory.held_bytes();
  lock.unlock();  // giving back memory takes its time
  dropped.clear();
  lock.lock();
  schedule_.note_destroyed(bytes);
  return true;
}

// Begin nothing more; with a reason where the machine itself broke down.
void Reader::Engine::stop(std::exception_ptr reason) noexcept {
  if (reason && !breakdown_) breakdown_ = std::move(reason);
  is_stopped_ = true;
}

}  // namespace sheaf
