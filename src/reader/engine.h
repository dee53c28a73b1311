/// \file
/// The implementation of Reader. The top of engine.cc explains the design.

#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sheaf/reader.h"

#include "base/ledger.h"
#include "index/key_finder.h"
#include "reader/deliver/delivery.h"
#include "reader/deliver/error_account.h"
#include "reader/fetch/decoded_ranges.h"
#include "reader/pack/step_packer.h"
#include "reader/plan/planner.h"
#include "reader/schedule.h"

namespace sheaf {

class Reader::Engine {
 public:
  Engine(std::shared_ptr<const Deserializer> data, std::unique_ptr<Sequencer> sequencer,
         std::unique_ptr<Packer> packer, const RunOptions& options);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine();

  [[nodiscard]] std::span<const Stream> streams() const noexcept { return *streams_; }
  [[nodiscard]] bool notes_costs() const noexcept { return step_packer_.notes_costs(); }
  [[nodiscard]] const Index& index() const noexcept { return data_->index(); }
  [[nodiscard]] const Deserializer& data() const noexcept { return *data_; }
  [[nodiscard]] std::optional<Minibatch> next();
  [[nodiscard]] bool is_ready();
  [[nodiscard]] const Position& position() const noexcept { return delivery_.position(); }
  [[nodiscard]] std::span<const Diagnostic> diagnostics() const noexcept {
    return delivery_.errors().described();
  }
  [[nodiscard]] std::vector<Diagnostic> warnings() const;
  [[nodiscard]] ReaderStats stats() const;
  [[nodiscard]] std::optional<Minibatch> sequence(const SequenceKey& key, std::int64_t sweep);
  [[nodiscard]] std::optional<Minibatch> sequence(std::string_view text, std::int64_t sweep);
  [[nodiscard]] std::optional<Minibatch> sequence_at(std::int64_t sweep, std::int64_t number);

 private:
  using Lock = std::unique_lock<std::mutex>;

  void build_index();
  [[nodiscard]] std::unique_ptr<internal::Planner> make_planner() const;
  [[nodiscard]] std::optional<internal::StepPlan> first_plan();
  void decode_window(internal::StepPlan& first);
  [[nodiscard]] std::int64_t order_bytes() const;
  [[nodiscard]] bool front_is_known() const noexcept;
  void await_front(Lock& lock);
  void end_delivery(Lock& lock);
  void take_front();
  void end_run() noexcept;
  [[nodiscard]] std::optional<Diagnostic> describe(const internal::SequenceError& error) const;
  [[nodiscard]] Minibatch read_alone(const SequenceRef& sequence, std::int64_t sweep,
                                     std::vector<SampleRange> slices,
                                     bool needs_equal_streams) const;
  void check_alone(const internal::Unit& unit) const;
  void check_alone(std::span<internal::SequenceError> errors, bool is_hole) const;

  // Tasks. Each run_* function is called with the lock held, and returns with the lock held.
  void run_task() noexcept;
  [[nodiscard]] bool run_piece(Lock& lock) noexcept;
  void help_to_pack(Lock& lock);
  void run_plan(Lock& lock);
  void run_draw(Lock& lock, internal::WorkItem& item);
  void run_read(Lock& lock, internal::Unit& unit);
  void run_preparation(Lock& lock, const internal::Schedule::Preparation& preparation);
  void run_pack(Lock& lock, internal::WorkItem& item);

  void pump(Lock& lock, std::int64_t finished_tasks) noexcept;
  [[nodiscard]] bool destroy_dropped(Lock& lock) noexcept;
  void stop(std::exception_ptr reason) noexcept;

  const std::shared_ptr<const Deserializer> data_;          // the data of the caller
  const std::shared_ptr<const Deserializer> deserializer_;  // the same data before the transforms
  const internal::TransformChain* const chain_;             // null if there are no transforms
  const std::unique_ptr<Sequencer> sequencer_;
  const std::unique_ptr<Packer> packer_;
  const std::shared_ptr<const std::vector<Stream>> streams_;
  const std::shared_ptr<const RunIdentity> run_;
  const internal::StepPacker step_packer_;

  internal::Ledger ledger_;

  // Used only by the thread that calls next().
  internal::Delivery delivery_;
  std::exception_ptr failure_;  // the exception that next() threw, and throws from then on
  internal::KeyFinder finder_;

  std::unique_ptr<OrderCursor> lookup_;  // for sequence_at()

  const std::int64_t large_units_bytes_;
  // Used by the constructor, and then by the plan task.
  std::unique_ptr<internal::Planner> planner_;
  std::int64_t steps_together_ = 1;         // likewise; grows, so that the first steps come soon
  std::unique_ptr<Executor> own_executor_;  // null if the caller gave an executor
  Executor& executor_;
  const int thread_count_;
  std::optional<internal::ChainDraws> draws_;  // for the item that currently draws
  internal::DecodedRanges decoded_;            // filled by build_index(); has the begins of units

  mutable std::mutex mutex_;
  std::condition_variable changed_;

  // Under the mutex.
  internal::Schedule schedule_;
  bool plan_is_queued_ = false;
  bool plan_is_running_ = false;
  bool is_stopped_ = false;
  std::exception_ptr breakdown_;    // scheduling failed: no memory, or refused tasks
  std::int64_t tasks_pending_ = 0;  // submitted or about to be submitted, and not finished
};

}  // namespace sheaf
