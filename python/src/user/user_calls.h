/// \file
/// Calls from the threads of the library to the Python thread that runs a user's deserializer or
/// function, and their answers.

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

/// The number of a Python object. The Python thread keeps the object under this number as long as
/// the library needs it. There, unlike here, Python's garbage collector can see the object.
struct Kept {
  Kept(std::shared_ptr<UserCalls> calls, std::int64_t number);
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  ~Kept();

  const std::shared_ptr<UserCalls> calls;
  const std::int64_t number;
};

/// An exception of a user's code on its way through the library. It is raised only once. Its
/// traceback then refers to the code that caught it, and the garbage collector cannot see objects
/// that are kept here.
class UserError final : public std::exception {
 public:
  explicit UserError(std::shared_ptr<const Kept> error) : error_(std::move(error)) {}

  [[nodiscard]] const char* what() const noexcept override { return "an exception of Python"; }

  /// Sets the Python exception: the first time the caught one, and sheaf.errors.RaisedBefore from
  /// the second time on.
  ///
  /// Pre: this thread has the GIL.
  void raise() const;

 private:
  mutable std::shared_ptr<const Kept> error_;  // null once raised
};

/// The borrowed bytes of a Python array. Keeps the array alive and its size fixed. Any thread may
/// destroy a Loan.
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

/// The arrays of a stream from a user's code. Their types and sizes are checked, their contents are
/// not.
struct UserArrays {
  std::shared_ptr<const Loan> values;
  std::shared_ptr<const Loan> indices;         // null: dense
  std::shared_ptr<const Loan> sample_offsets;  // int64, from 0; null: dense, fixed shape
  std::shared_ptr<const Loan> lengths;         // int64, by sequence; null: as in the table
  std::shared_ptr<const Loan> presence;        // uint8; null: present in all sequences
  bool has_long_indices = false;
  std::shared_ptr<const Loan> extents;  // int64, the shape of each sample; null: fixed
};

/// A sequence that a user's code cannot read, and the reason.
struct BadSequence {
  std::int64_t sequence = 0;  // number in the request
  std::string reason;
};

struct FunctionInput;

/// A request for columns of a table's batch, by name.
struct BatchRequest {
  std::int64_t batch = 0;
  std::vector<std::string> columns;
};

/// A request for sequences of a chunk, for a call of a function with sequences, or for a batch of a
/// table; and its answer.
struct UserCall {
  std::int64_t description = 0;  // number of the Python object that answers
  std::shared_ptr<const UserTable> table;
  ChunkRange range;
  std::int64_t sample_count = 0;
  std::shared_ptr<const FunctionInput> input;  // for a function, else null
  std::shared_ptr<const BatchRequest> batch;   // for a table, else null

  // The answer. The mutex of UserCalls guards it until is_done.
  bool is_done = false;
  std::vector<UserArrays> streams;
  std::vector<BadSequence> bad;             // ascending
  Taken<ArrowSchema> schema;                // for a batch
  std::shared_ptr<const ArrowArray> array;  // for a batch
  std::exception_ptr error;
};

/// The calls that wait for the Python thread or run on it, and the objects that the thread is to
/// release.
///
/// Threads: all members may be called from any thread at any time. Comments say which calls need
/// the
///          GIL, and which must not have it.
class UserCalls : public std::enable_shared_from_this<UserCalls> {
 public:
  /// `server(number)` returns the exception kept under a number, or None if there is none.
  ///
  /// Pre: this thread has the GIL.
  explicit UserCalls(nanobind::object server);
  UserCalls(const UserCalls&) = delete;
  UserCalls& operator=(const UserCalls&) = delete;
  ~UserCalls();

  /// Returns the calls that this thread answers, or null.
  [[nodiscard]] static const UserCalls* of_this_thread() noexcept;

  /// Queues a call.
  ///
  /// Pre: this thread does not have the GIL, here and in wait().
  void ask(const std::shared_ptr<UserCall>& call);

  /// Waits for the answer. Meanwhile calls check_interruption().
  ///
  /// Throws: UserError; ConfigError if the interpreter ends, the process has forked, or the
  ///         deserializer is gone; as check_interruption().
  void wait(const UserCall& call);

  /// Releases the object under a number. May be called with or without the GIL.
  void forget(std::int64_t number) noexcept;

  // Count a Loan, and return its array. Only for Loan.
  void lend() noexcept;
  void give_back(const Py_buffer& view) noexcept;

  /// The next work of the Python thread.
  struct Work {
    std::vector<std::shared_ptr<UserCall>> calls;
    std::vector<std::int64_t> forgotten;
  };

  /// Waits for work without the GIL. Returns nothing if the Python thread is to end.
  ///
  /// Pre: this thread has the GIL.
  [[nodiscard]] std::optional<Work> take();

  /// Lets take() return even without a call.
  void wake() noexcept;

  void answer(UserCall& call, std::vector<UserArrays> streams, std::vector<BadSequence> bad);
  void answer(UserCall& call, Taken<ArrowSchema> schema, std::shared_ptr<const ArrowArray> array);

  /// Answers with the exception kept under a number.
  void fail(UserCall& call, std::int64_t error);

  /// Answers with an error of the library.
  void fail(UserCall& call, std::exception_ptr error);

  /// Refuses further calls. take() returns nothing once all loans have been returned.
  void close() noexcept;

  /// Fails all calls when the interpreter ends. take() then returns nothing, and arrays on loan are
  /// never released.
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

  // mutex_ guards the members below.
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
