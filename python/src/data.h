/// \file
/// Data that are open, and how they are to be delivered: what the runs of a Reader share.

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

/// A spec, and the data of the program that the spec names.
struct Plan {
  Spec spec = {};
  OpenContext context = {};  // objects and functions alone
  bool has_data = false;

  /// Read one more data set: the first one is alone, others are joined with it.
  void add(DataSpec data);

  /// Give the data of the program that the spec calls `object`.
  void give(std::string object, NamedData data);
};

/// Python passes 0 for the words "auto", "endless" and "none", and where nothing was said.
template <typename T>
[[nodiscard]] std::optional<T> unless_zero(T number) {
  return number == 0 ? std::nullopt : std::optional<T>(number);
}

/// Starts threads; 0 means one for each processor.
///
/// Throws: ConfigError where they cannot be started.
[[nodiscard]] std::unique_ptr<Executor> start_threads(std::optional<int> threads);

/// Open data, threads to work on them, and all options. Does not change.
///
/// Threads: all calls are safe from any number of threads.
class Data : public std::enable_shared_from_this<Data> {
 public:
  /// Throws: as open; ConfigError where options do not fit each other.
  Data(Plan plan, std::optional<std::int64_t> row_samples, const RunOptions& run);

  /// The same open data in another order.
  ///
  /// Throws: ConfigError where options do not fit each other.
  Data(const Data& other, const OrderOptions& order);
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;
  ~Data();

  /// Whether this process is a fork of the one that opened them: the threads did not come along.
  [[nodiscard]] bool has_forked() const noexcept;

  /// Whether this is the thread that reads some of them, on which waiting for them would not end.
  [[nodiscard]] bool is_read_here() const noexcept;

  [[nodiscard]] const Plan& plan() const noexcept { return plan_; }
  [[nodiscard]] const Deserializer& deserializer() const noexcept { return *opened_.data; }

  [[nodiscard]] const std::shared_ptr<const Deserializer>& shared_deserializer() const noexcept {
    return opened_.data;
  }

  /// The data with their name, and the members of a join.
  [[nodiscard]] const OpenedData& opened() const noexcept { return opened_; }

  /// Where work on the data runs.
  [[nodiscard]] Executor& executor() const noexcept { return *executor_; }

  /// As for make_packer().
  [[nodiscard]] std::optional<std::int64_t> row_samples() const noexcept { return row_samples_; }

  /// Wrong places tolerated.
  [[nodiscard]] std::int64_t max_errors() const noexcept { return run_.max_errors; }

  /// How an operation over all of the data runs.
  [[nodiscard]] OperationOptions operation() const {
    return {.memory_limit_bytes = run_.memory_limit_bytes, .executor = executor_.get()};
  }

  /// What a position of these data and options belongs to.
  [[nodiscard]] const RunIdentity& identity() const noexcept { return *identity_; }

  /// Make the whole index, with all threads, for a caller that is about to need all of it.
  void build_index() const;

  /// Cost: the first call makes the whole index, with all threads.
  [[nodiscard]] DataCounts counts() const;

  /// The keys of all sequences in the order of the file; of texts a part of their hashes.
  ///
  /// Cost: looks at the whole index.
  [[nodiscard]] std::vector<std::uint64_t> numeric_keys() const;

  /// Whether keys are texts.
  [[nodiscard]] bool has_text_keys() const;

  /// Where an epoch begins.
  ///
  /// Throws: ConfigError where the order cannot tell.
  [[nodiscard]] Position begin_of(std::int64_t epoch) const;

  /// The place of the first sequence that starts at or after so many samples of the run.
  ///
  /// Throws: ConfigError where the run is over before it, or the order cannot tell.
  [[nodiscard]] Position position_of(std::int64_t sample) const;

  /// The epoch that a position lies in; where one is over, the next.
  [[nodiscard]] std::int64_t epoch_of(const Place& place) const noexcept;

  /// The minibatches of an epoch, planned without reading values.
  ///
  /// Pre:  epochs have an end.
  /// Cost: the planning of the epoch; needs the whole index.
  [[nodiscard]] std::int64_t minibatch_count(std::int64_t epoch) const;

  /// A reader of the rest of the epoch that a position lies in. The data must outlive it. The
  /// arrays of minibatches come from `memory`, or from the default memory where that is null.
  ///
  /// Throws: ConfigError where the position is of another run.
  [[nodiscard]] Reader run(Position start, std::pmr::memory_resource* memory = nullptr) const;

  /// A reader that delivers nothing, for random access.
  [[nodiscard]] Reader still() const;

 private:
  [[nodiscard]] std::unique_ptr<Sequencer> sequencer(std::int64_t epochs) const;

  pid_t process_;
  Plan plan_;
  std::optional<std::int64_t> row_samples_;
  std::shared_ptr<Executor> executor_;
  OpenedData opened_;  // behind the executor, so that the data end first
  RunOptions run_;
  std::shared_ptr<const RunIdentity> identity_;
};

/// A reader that takes one call at a time, from whichever thread.
struct Run {
  Run() = default;
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run();  // waits for what is under way, without the GIL

  /// Throws: ConfigError where it cannot be used by this process, or on this thread.
  void check() const;

  std::timed_mutex mutex;
  nanobind::object memory;  // the SlabMemory of the minibatches; none where that is the default
  std::shared_ptr<const Data> data;
  std::optional<Reader> reader;  // none once it is closed; behind the data, so that it ends first
};

}  // namespace sheaf::python
