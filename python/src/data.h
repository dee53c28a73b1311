/// \file
/// Open data and their options, which the runs of a Reader share.

#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <sys/types.h>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/count_all.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/executor.h"
#include "sheaf/open.h"
#include "sheaf/operation.h"
#include "sheaf/position.h"
#include "sheaf/reader.h"
#include "sheaf/spec.h"

namespace sheaf::python {

/// A spec, and the objects and functions of the program that the spec names.
struct Plan {
  Spec spec = {};
  OpenContext context = {};  // only objects and functions
  bool has_data = false;

  /// Adds a data set. Every data set after the first is joined with the first.
  void add(DataSpec data);

  /// Sets the data of the program that the spec names `object`.
  void give(std::string object, NamedData data);
};

/// Returns nothing for 0. Python passes 0 for "auto", "endless" and "none", and for an option that
/// was not given.
template <typename T>
[[nodiscard]] std::optional<T> unless_zero(T number) {
  return number == 0 ? std::nullopt : std::optional<T>(number);
}

/// Starts threads. Without a number, starts one for each processor.
///
/// Throws: ConfigError if the threads cannot start.
[[nodiscard]] std::unique_ptr<Executor> start_threads(std::optional<int> threads);

/// Open data, the threads that work on them, and all options. Immutable.
///
/// Threads: all members may be called from any thread at any time.
class Data : public std::enable_shared_from_this<Data> {
 public:
  /// Opens the data.
  ///
  /// Throws: as open(); ConfigError if options exclude each other.
  Data(Plan plan, std::optional<std::int64_t> row_samples, const RunOptions& run);

  /// Shares the open data of `other`, in another order.
  ///
  /// Throws: ConfigError if options exclude each other.
  Data(const Data& other, const OrderOptions& order);
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;
  ~Data();

  /// Returns whether this process is a fork of the one that opened the data. A fork has no threads.
  [[nodiscard]] bool has_forked() const noexcept;

  /// Returns whether this thread runs Python code that reads some of the data. Waiting for the data
  /// on this thread would never end.
  [[nodiscard]] bool is_read_here() const noexcept;

  [[nodiscard]] const Plan& plan() const noexcept { return plan_; }
  [[nodiscard]] const Deserializer& deserializer() const noexcept { return *opened_.data; }

  [[nodiscard]] const std::shared_ptr<const Deserializer>& shared_deserializer() const noexcept {
    return opened_.data;
  }

  /// Returns the data, their name, and the members of a join.
  [[nodiscard]] const OpenedData& opened() const noexcept { return opened_; }

  /// Returns the executor that work on the data runs on.
  [[nodiscard]] Executor& executor() const noexcept { return *executor_; }

  /// Returns the option for make_packer().
  [[nodiscard]] std::optional<std::int64_t> row_samples() const noexcept { return row_samples_; }

  /// Returns the number of errors tolerated.
  [[nodiscard]] std::int64_t max_errors() const noexcept { return run_.max_errors; }

  /// Returns the options of an operation over all data.
  [[nodiscard]] OperationOptions operation() const {
    return {.memory_limit_bytes = run_.memory_limit_bytes, .executor = executor_.get()};
  }

  /// Returns the identity of the run that positions of these data and options belong to.
  [[nodiscard]] const RunIdentity& identity() const noexcept { return *identity_; }

  /// Builds the whole index with all threads. Call this before using all of the index.
  void build_index() const;

  /// Returns the counts of the data.
  ///
  /// Cost: the first call builds the whole index with all threads.
  [[nodiscard]] DataCounts counts() const;

  /// Returns the keys of all sequences in file order. For text keys, returns the low 64 bits of
  /// their hashes.
  ///
  /// Cost: reads the whole index.
  [[nodiscard]] std::vector<std::uint64_t> numeric_keys() const;

  /// Returns whether keys are texts.
  [[nodiscard]] bool has_text_keys() const;

  /// Returns the position at the start of an epoch.
  ///
  /// Throws: ConfigError if the order cannot tell.
  [[nodiscard]] Position begin_of(std::int64_t epoch) const;

  /// Returns the position before the first sequence that starts at or after `sample`, counted
  /// across sweeps from the start of the run.
  ///
  /// Throws: ConfigError if the run ends before, or the order cannot tell.
  [[nodiscard]] Position position_of(std::int64_t sample) const;

  /// Returns the epoch of a place. The end of an epoch belongs to the next epoch.
  [[nodiscard]] std::int64_t epoch_of(const Place& place) const noexcept;

  /// Returns the number of minibatches in an epoch. Plans the epoch without reading values.
  ///
  /// Pre:  epochs have an end.
  /// Cost: plans the epoch. Builds the whole index, unless the order is file order with an
  ///       `epoch_size`.
  [[nodiscard]] std::int64_t minibatch_count(std::int64_t epoch) const;

  /// Returns a reader of the rest of the epoch from a position on. `memory` holds the arrays of
  /// minibatches; null means the default memory. `notes_costs` is RunOptions::notes_costs.
  ///
  /// Throws:   ConfigError if the position belongs to another run.
  /// Lifetime: the data must outlive the reader.
  [[nodiscard]] Reader run(Position start, std::pmr::memory_resource* memory = nullptr,
                           bool notes_costs = false) const;

  /// Returns a reader for random access, which delivers no minibatches.
  [[nodiscard]] Reader still() const;

 private:
  [[nodiscard]] std::unique_ptr<Sequencer> sequencer(std::int64_t epochs) const;

  pid_t process_;
  Plan plan_;
  std::optional<std::int64_t> row_samples_;
  std::shared_ptr<Executor> executor_;
  OpenedData opened_;  // declared after the executor, so that it is destroyed first
  RunOptions run_;
  std::shared_ptr<const RunIdentity> identity_;
};

/// A reader that takes one call at a time, from any thread.
struct Run {
  Run() = default;
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run();  // waits without the GIL for reads under way

  /// Throws: ConfigError if this process, or this thread, cannot use the reader.
  void check() const;

  std::timed_mutex mutex;
  nanobind::object memory;  // the SlabMemory of the minibatches; null: the default
  std::shared_ptr<const Data> data;
  std::optional<Reader> reader;  // empty once closed; after `data`, to be destroyed first
};

}  // namespace sheaf::python
