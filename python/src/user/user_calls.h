/// \file
/// The way from the threads of the library to the one thread of Python that runs a user's
/// deserializer, and back.

#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <sys/types.h>

#include "sheaf/extend/arrow_interface.h"
#include "sheaf/extend/counts.h"

#include "user/user_table.h"

namespace sheaf::python {

class UserCalls;

/// An object of Python that the thread keeps under a number, until nobody in the library needs it.
/// That it is kept there, and not here, lets Python's garbage collector see it.
struct Kept {
  Kept(std::shared_ptr<UserCalls> calls, std::int64_t number);
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  ~Kept();

  const std::shared_ptr<UserCalls> calls;
  const std::int64_t number;
};

/// An exception of a user's code, on its way through the library. It is raised once: its traceback
/// then leads to whoever caught it, and what is kept here the garbage collector does not see.
class UserError final : public std::exception {
 public:
  explicit UserError(std::shared_ptr<const Kept> error) : error_(std::move(error)) {}

  [[nodiscard]] const char* what() const noexcept override { return "an exception of Python"; }

  /// Raise it, as it was when it was caught; sheaf.errors.RaisedBefore from the second time on.
  ///
  /// Pre: this thread has the GIL.
  void raise() const;

 private:
  mutable std::shared_ptr<const Kept> error_;  // null: was raised
};

/// Bytes of an array of Python, which stays as it is meanwhile. May end on any thread.
class Loan {
 public:
  /// Pre:    this thread has the GIL; the array is contiguous.
  /// Throws: python_error.
  Loan(std::shared_ptr<UserCalls> calls, nanobind::handle array);
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;
  ~Loan();

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept {
    return {static_cast<const std::byte*>(view_.buf), static_cast<std::size_t>(view_.len)};
  }

 private:
  std::shared_ptr<UserCalls> calls_;
  Py_buffer view_{};
};

/// The arrays of a stream, as a user's code gave them; checked in kind and size, not in content.
struct UserArrays {
  std::shared_ptr<const Loan> values;
  std::shared_ptr<const Loan> indices;         // null: dense
  std::shared_ptr<const Loan> sample_offsets;  // int64, from 0 on; null: dense, of fixed shape
  std::shared_ptr<const Loan> lengths;         // int64, samples of each sequence; null: the table's
  std::shared_ptr<const Loan> presence;        // uint8; null: in all
  bool has_long_indices = false;
  std::shared_ptr<const Loan> extents;  // int64, the shape of each sample; null: it is fixed
};

/// A sequence that a user's code cannot give, and why.
struct BadSequence {
  std::int64_t sequence = 0;  // number within what was asked for
  std::string reason;
};

struct FunctionInput;

/// Columns of a batch of a table that are asked for, by their names.
struct BatchRequest {
  std::int64_t batch = 0;
  std::vector<std::string> columns;
};

/// Sequences of a chunk that are asked for, or sequences that a function is called with, or a batch
/// of a table.
struct UserCall {
  std::int64_t description = 0;  // number of what the thread keeps about the data
  std::shared_ptr<const UserTable> table;
  ChunkRange range;
  std::int64_t sample_count = 0;
  std::shared_ptr<const FunctionInput> input;  // of a function; null otherwise
  std::shared_ptr<const BatchRequest> batch;   // of a table; null otherwise

  // The answer; under the mutex of the calls until is_done.
  bool is_done = false;
  std::vector<UserArrays> streams;
  std::vector<BadSequence> bad;             // ascending
  Taken<ArrowSchema> schema;                // of a batch
  std::shared_ptr<const ArrowArray> array;  // of a batch
  std::exception_ptr error;
};

/// Calls that wait for the thread, or run on it, and what it is to give back to Python.
///
/// Threads: all is safe from any number of threads. What has the GIL and what has not is said.
class UserCalls : public std::enable_shared_from_this<UserCalls> {
 public:
  /// `server` is called with a number and gives the exception kept under it, if it still is. With
  /// the GIL.
  explicit UserCalls(nanobind::object server);
  UserCalls(const UserCalls&) = delete;
  UserCalls& operator=(const UserCalls&) = delete;
  ~UserCalls();

  /// The calls whose thread this is; null: none.
  [[nodiscard]] static const UserCalls* of_this_thread() noexcept;

  /// Queue a call. Without the GIL, as wait().
  void ask(const std::shared_ptr<UserCall>& call);

  /// Wait for the answer; asks meanwhile, with check_interruption(), whether to go on.
  ///
  /// Throws: UserError; ConfigError where the interpreter ends, or has forked.
  void wait(const UserCall& call);

  /// Note that nobody needs a number any more. With the GIL or without.
  void forget(std::int64_t number) noexcept;

  // For Loan: count it; and give an array back.
  void lend() noexcept;
  void give_back(const Py_buffer& view) noexcept;

  /// What the thread is to do next.
  struct Work {
    std::vector<std::shared_ptr<UserCall>> calls;
    std::vector<std::int64_t> forgotten;
  };

  /// Wait for work, without the GIL, which this thread has before and after. Nothing: it is to end.
  [[nodiscard]] std::optional<Work> take();

  /// Let take() return, though there may be no call.
  void wake() noexcept;

  void answer(UserCall& call, std::vector<UserArrays> streams, std::vector<BadSequence> bad);
  void answer(UserCall& call, Taken<ArrowSchema> schema, std::shared_ptr<const ArrowArray> array);

  /// Answer with the exception that is kept under a number.
  void fail(UserCall& call, std::int64_t error);

  /// Answer with an error of the library.
  void fail(UserCall& call, std::exception_ptr error);

  /// Nobody will call any more: take() returns nothing once all loans are back.
  void close() noexcept;

  /// The interpreter ends: all calls fail, and take() returns nothing. What is on loan is lost.
  void end() noexcept;

  [[nodiscard]] nanobind::handle server() const noexcept { return server_; }

 private:
  using Lock = std::unique_lock<std::mutex>;

  void finish(UserCall& call, std::exception_ptr error);
  [[nodiscard]] bool has_work() const noexcept;
  [[nodiscard]] bool has_forked() const noexcept;

  const pid_t process_;
  const nanobind::object server_;
  std::mutex mutex_;
  std::condition_variable asked_;
  std::condition_variable answered_;

  // Under the mutex.
  std::deque<std::shared_ptr<UserCall>> waiting_;
  std::vector<std::shared_ptr<UserCall>> running_;
  std::vector<Py_buffer> returned_;
  std::vector<std::int64_t> forgotten_;
  std::int64_t loans_ = 0;
  bool is_woken_ = false;
  bool is_closed_ = false;
  bool has_ended_ = false;
};

}  // namespace sheaf::python
