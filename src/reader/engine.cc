// The engine that reads ahead.
//
// All work is planned first. A step of the sequencer, or several small steps together, become a
// item of the schedule (schedule.cc). The schedule decides which work may run when. There are four
// kinds of tasks, and no task waits for another:
// - the plan task: only one at a time, because each step follows from the step before, and
//   because planning may have to scan the file for the index;
// - a task for each unit to read;
// - a task for each part of an item that goes through the transforms;
// - a task for each item to pack. If there are no transforms, or if they produce little data,
//   packing also applies the transforms.
//
// The window holds the data before the transforms. `data_` is the data set of the caller,
// `deserializer_` reads the same data without transforms, and `chain_` has the transforms.
//
// Tasks and next() change the schedule under one mutex and then call pump(). pump() advances the
// schedule and submits tasks: as many as there are threads or pieces of work. A submitted task is
// not bound to a piece of work. When the task runs, it takes the most urgent work: planning before
// packing before preparing before reading. It continues until it sees, under the mutex, that no
// work is left, so all work gets done. The mutex is not held while a task plans, reads, prepares or
// packs, or while a task is submitted.
//
// The delivered minibatches do not depend on the schedule. The plan is a function of the index and
// the position. An exception in planning, reading, a transform or packing waits in the item of its
// step. next() counts the errors in the data, in the order of delivery.
//
// Stopping, after an error or in the destructor, sets a flag. Tasks that start later return
// immediately. The destructor waits until all tasks have returned.

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

using internal::SequenceError;
using internal::StepPlan;
using internal::Unit;
using internal::WorkItem;

namespace {

constexpr std::int64_t kStepsTogetherMax = 64;

/// An order, or one of its steps, takes more memory than the limit. The call of next() that would
/// have delivered the first step throws the error.
class TooLittleMemory : public ConfigError {
 public:
  using ConfigError::ConfigError;
};

template <typename Pointer>
Pointer required(Pointer part, const char* name) {
  if (!part) throw ConfigError(formatted("reader: the {} is null", name));
  return part;
}

// Checks that the packer takes the streams, and returns them.
std::shared_ptr<const std::vector<Stream>> packable_streams(const Deserializer& deserializer,
                                                            const Packer& packer) {
  const std::span<const Stream> streams = deserializer.streams();
  packer.check(streams);
  return std::make_shared<const std::vector<Stream>>(streams.begin(), streams.end());
}

// Half of the limit, because several large units may be read at once, and the window may turn out
// larger than estimated.
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
          options.memory_limit_bytes.value_or(0), options.notes_costs),
      ledger_(options.memory_limit_bytes.value_or(0)),
      delivery_(
          internal::start_position(options, run_), options.max_errors,
          [this](const SequenceError& error) { return describe(error); },
          internal::Ledger::Token(ledger_)),
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
  // The first step is planned here, so that the constructor refuses an invalid start.
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

// Only reading shows how narrow values are. So if a window has all data, and would take more than
// half of the limit with the values as read, this function decodes the window and replans with the
// actual size. If the decoded window does not fit either, the steps read the window as they need
// it, provided that the window fits with the values as read.
//
// An error message names the smaller of the two limits. A margin is added to the measured limit,
// because with more memory the index may keep more.
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
  planner.reset();  // refers to the decoded units that are cleared below
  plan = {};
  decoded_.clear();
}

// Called before a step is planned, so that no memory is taken beyond the limit.
std::int64_t Reader::Engine::order_bytes() const {
  const std::int64_t bytes = sequencer_->memory_bytes();
  constexpr std::int64_t kLittle = std::int64_t{1} << 20;  // then the first step reports the need
  if (!ledger_.has_limit() || bytes <= std::max(ledger_.limit_bytes(), kLittle)) return bytes;
  const std::int64_t needed =
      bytes + deserializer_->index().memory_bytes() + internal::Planner::kReadBufferBytes;
  throw TooLittleMemory(formatted(
      "memory_limit_bytes: {0} bytes are too few for the order \"{1}\", which takes {2} bytes for "
      "the sequences of its window, and for their index: it needs {3} bytes; set the limit to {3} "
      "or more, or make the window smaller",
      ledger_.limit_bytes(), sequencer_->algorithm(), bytes, needed));
}

// If the order needs to know all chunks, all threads build the index. If the order then takes
// sequences from all chunks, and memory is unlimited, the threads also decode the text meanwhile.
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
    await_front(lock);  // an interruption changes nothing
  }
  try {
    if (!delivery_.has_minibatch()) take_front();
  } catch (...) {
    end_run();
    throw;
  }
  // An interruption here changes nothing either, except that errors that have been described keep
  // their texts.
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

// Makes next() throw the current exception from now on.
//
// Pre: an exception is being handled.
void Reader::Engine::end_run() noexcept {
  failure_ = std::current_exception();
  const Lock lock(mutex_);
  stop(nullptr);
}

// Returns false if the next minibatch has errors, because next() may have to read their sequences
// again for the texts.
bool Reader::Engine::is_ready() {
  if (failure_) return false;
  if (delivery_.has_minibatch()) return delivery_.is_clean();
  if (delivery_.error()) return false;
  Lock lock(mutex_);
  end_delivery(lock);
  if (breakdown_ || !schedule_.front_is_known()) return false;
  const WorkItem* const front = schedule_.front();
  return front == nullptr || (!front->packed.empty() && front->packed[0].errors.empty());
}

// The caller no longer uses the last minibatch, so work that waited for its memory can continue.
void Reader::Engine::end_delivery(Lock& lock) {
  if (!schedule_.end_delivery()) return;
  pump(lock, 0);
  lock.lock();
}

bool Reader::Engine::front_is_known() const noexcept {
  return breakdown_ != nullptr || schedule_.front_is_known();
}

// The caller can only wait for the front item. So this thread packs the items that are ready, and
// no thread has to be woken for them. The task that was submitted for this work will find other
// work, or none.
//
// A transform of several sequences may take long, and may be code of the user. An interruption of
// the caller must not wait for it, so this thread does not call such transforms.
void Reader::Engine::help_to_pack(Lock& lock) {
  if (chain_ != nullptr && chain_->batch() != Transform::Batch::one) return;
  while (!is_stopped_ && !front_is_known()) {
    const internal::Schedule::Preparation preparation = schedule_.take_preparation();
    WorkItem* const item = preparation.item == nullptr ? schedule_.take_pack() : nullptr;
    if (preparation.item == nullptr && item == nullptr) return;
    try {
      const internal::InterruptionPause pause;  // an exception stays in the item
      if (item == nullptr) {
        run_preparation(lock, preparation);
      } else {
        run_pack(lock, *item);
      }
    } catch (...) {  // as in a task; else the caller would wait forever
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

// Takes the front item out of the schedule. Does nothing at the end of the run. An error waits
// until the minibatches before it have been delivered.
//
// Pre: the front is known, or the item before ended in an error.
void Reader::Engine::take_front() {
  if (delivery_.error()) std::rethrow_exception(delivery_.error());
  Lock lock(mutex_);
  if (breakdown_) std::rethrow_exception(breakdown_);
  const WorkItem* const front = schedule_.front();
  if (front == nullptr) return;
  if (front->error && front->packed.empty()) std::rethrow_exception(front->error);
  WorkItem taken = schedule_.pop_front();
  pump(lock, 0);
  delivery_.take(std::move(taken));  // destroys the old item without the lock
}

// Reads a sequence again to describe one of its errors.
//
// Throws: what an interruption throws.
std::optional<Diagnostic> Reader::Engine::describe(const SequenceError& error) const {
  const internal::InterruptionWatch watch;
  try {
    Diagnostics diagnostics(std::numeric_limits<std::int64_t>::max());
    static_cast<void>(deserializer_->read({error.chunk, error.sequence, 1}, diagnostics));
    // Every entry is described, so described() has the order of the entries.
    if (error.number < std::ssize(diagnostics.described())) {
      return diagnostics.described()[static_cast<std::size_t>(error.number)];
    }
  } catch (...) {  // not worth a separate exception: the error is reported without its text
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
  if (!found) return std::nullopt;
  // A minibatch without texts can only have the empty text as its key.
  const std::span<const std::string_view> texts = found->key_texts();
  const std::string_view own = texts.empty() ? std::string_view() : texts[0];
  return own == text ? std::move(found) : std::nullopt;  // else another text with the same hash
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

// Reads and packs one sequence as a step, without the schedule.
Minibatch Reader::Engine::read_alone(const SequenceRef& sequence, std::int64_t sweep,
                                     std::vector<SampleRange> slices,
                                     bool needs_equal_streams) const {
  const Index& index = deserializer_->index();
  const ChunkRange range{sequence.chunk, sequence.sequence, 1};
  const ChunkRange named = internal::named_range(internal::named_chunk(index, range.chunk), range);
  internal::UnitUse use;
  auto cut = std::make_shared<const internal::RangeCut>(index, named);
  use.cut = cut.get();
  use.unit = use.cut->unit_at(sequence.sequence);
  Unit unit(use);
  Diagnostics diagnostics;
  Chunk chunk = deserializer_->read(range, diagnostics);
  unit.set_content(std::move(chunk), std::move(diagnostics), deserializer_->streams());
  check_alone(unit);

  WorkItem item;
  item.plan.steps.push_back({.run = 1, .sequence = 1, .next = {}});
  item.plan.cuts.push_back(std::move(cut));
  item.plan.units.push_back(use);
  item.plan.runs.push_back({0, sequence.sequence, 1});
  item.plan.slices = std::move(slices);
  item.plan.needs_equal_streams = needs_equal_streams;
  item.plan.sweeps = {sweep};
  item.units.push_back(&unit);
  if (draws_) {  // as for the first sequence of a run
    internal::ChainDraws draws(*chain_, {});
    step_packer_.preparer().draw(item, draws);
  }
  step_packer_.pack_all(item);
  check_alone(item.packed[0].errors, item.packed[0].minibatch.hole_count > 0);
  Minibatch minibatch = std::move(item.packed[0].minibatch);
  minibatch.position = delivery_.position();
  return minibatch;
}

// Checks that the sequence of a unit can be delivered.
void Reader::Engine::check_alone(const Unit& unit) const {
  std::vector<SequenceError> errors;
  unit.append_errors(unit.first, errors);
  check_alone(errors, unit.chunk->rows().is_hole(0));
}

// Throws: DataError for a hole, and for a fatal error.
void Reader::Engine::check_alone(std::span<SequenceError> errors, bool is_hole) const {
  internal::ErrorAccount account(std::numeric_limits<std::int64_t>::max(),
                                 [this](const SequenceError& error) { return describe(error); });
  account.add(errors);
  if (is_hole) throw DataError({account.described().begin(), account.described().end()});
}

// A task continues while there is work, up to a limit, because others may share the threads.
void Reader::Engine::run_task() noexcept {
  constexpr int kPiecesMax = 64;
  const internal::InterruptionPause pause;  // only a caller's thread may be interrupted
  Lock lock(mutex_);
  for (int piece = 0; piece < kPiecesMax && run_piece(lock); ++piece) {
    pump(lock, 0);
    lock.lock();
  }
  pump(lock, 1);
}

// Does the most urgent piece of work. Returns false if there is nothing to do.
bool Reader::Engine::run_piece(Lock& lock) noexcept {
  if (is_stopped_) return false;
  try {
    if (plan_is_queued_) {
      run_plan(lock);
    } else if (WorkItem* const item = schedule_.take_pack(); item != nullptr) {
      run_pack(lock, *item);
    } else if (const auto preparation = schedule_.take_preparation(); preparation.item != nullptr) {
      run_preparation(lock, preparation);
    } else if (WorkItem* const to_draw = schedule_.take_draw(); to_draw != nullptr) {
      run_draw(lock, *to_draw);
    } else if (Unit* const unit = schedule_.take_read(); unit != nullptr) {
      run_read(lock, *unit);
    } else {
      return false;
    }
  } catch (...) {  // scheduling failed; items and units keep exceptions of the work
    if (!lock.owns_lock()) lock.lock();
    stop(std::current_exception());
  }
  return true;
}

void Reader::Engine::run_plan(Lock& lock) {
  plan_is_queued_ = false;
  plan_is_running_ = true;
  while (!is_stopped_ && schedule_.wants_plan(plan_is_running_)) {
    pump(lock, 0);  // others start on planned steps while this task plans the next one
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

void Reader::Engine::run_draw(Lock& lock, WorkItem& item) {
  lock.unlock();
  step_packer_.preparer().draw(item, *draws_);
  lock.lock();
  schedule_.finish_draw(item);
}

void Reader::Engine::run_preparation(Lock& lock,
                                     const internal::Schedule::Preparation& preparation) {
  lock.unlock();
  step_packer_.preparer().prepare(*preparation.item, *preparation.part);
  lock.lock();
  schedule_.finish_preparation(*preparation.item);
}

void Reader::Engine::run_pack(Lock& lock, WorkItem& item) {
  lock.unlock();
  try {
    step_packer_.pack_all(item);
  } catch (...) {
    item.error = std::current_exception();
  }
  item.parts.clear();
  lock.lock();
  schedule_.finish_pack(item);
}

// Advances the schedule, submits tasks, and releases the lock. A task calls this last, with
// finished_tasks 1. After that, the engine may be destroyed, so the task must not touch the engine,
// unless it has tasks to submit, for which the destructor waits.
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
  } while (destroy_dropped(lock));  // destroying may have made room
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
  if (refusal) {  // the refused tasks still count in tasks_pending_, so the engine exists
    lock.lock();
    tasks_pending_ -= to_submit;
    stop(std::move(refusal));
    changed_.notify_all();
    lock.unlock();
  }
}

// Destroys the dropped units. Returns false if there are none.
bool Reader::Engine::destroy_dropped(Lock& lock) noexcept {
  std::vector<std::unique_ptr<Unit>> dropped = schedule_.take_dropped();
  if (dropped.empty()) return false;
  std::int64_t bytes = 0;
  for (const std::unique_ptr<Unit>& unit : dropped) bytes += unit->memory.held_bytes();
  lock.unlock();  // freeing memory takes time
  dropped.clear();
  lock.lock();
  schedule_.note_destroyed(bytes);
  return true;
}

// Starts no more work. `reason` is set if the scheduling itself failed.
void Reader::Engine::stop(std::exception_ptr reason) noexcept {
  if (reason && !breakdown_) breakdown_ = std::move(reason);
  is_stopped_ = true;
}

}  // namespace sheaf
