// A thread with the GIL must not wait for the library, and a thread of the library must not wait
// for the GIL. Otherwise both could wait for each other. A thread that asks for the GIL while the
// interpreter ends never returns. So the threads of the library never take the GIL. They put calls
// in a queue, and objects to return to Python in a list. One Python thread takes both.

#include "user/user_calls.h"

#include <algorithm>
#include <new>
#include <utility>

#include <unistd.h>

#include "sheaf/error.h"
#include "sheaf/extend/interruption.h"

#include "free_gil.h"

namespace nb = nanobind;

namespace sheaf::python {
namespace {

thread_local const UserCalls* calls_of_this_thread = nullptr;

constexpr const char* kEnded =
    "the interpreter ends: Deserializers and functions of Python are not called any more";
constexpr const char* kForked =
    "the Reader was made before a fork: make one in each process instead";
constexpr const char* kGone = "the Deserializer or the function of Python is gone";

}  // namespace

Kept::Kept(std::shared_ptr<UserCalls> owner, std::int64_t its_number)
    : calls(std::move(owner)), number(its_number) {}

Kept::~Kept() { calls->forget(number); }

void UserError::raise() const {
  nb::object error = nb::none();
  if (const std::shared_ptr<const Kept> kept = std::exchange(error_, nullptr)) {
    error = kept->calls->server()(kept->number);
  }
  if (error.is_none()) {
    const nb::object type = nb::module_::import_("sheaf.errors").attr("RaisedBefore");
    PyErr_SetString(type.ptr(), "the Deserializer raised an exception, which is gone");
  } else {
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  }
}

Loan::Loan(std::shared_ptr<UserCalls> calls, nb::handle array) : calls_(std::move(calls)) {
  if (PyObject_GetBuffer(array.ptr(), &view_, PyBUF_SIMPLE) != 0) throw nb::python_error();
  calls_->lend();
}

Loan::~Loan() { calls_->give_back(view_); }

UserCalls::UserCalls(nb::object server) : process_(::getpid()), server_(std::move(server)) {}

// A thread of the library may destroy the object without the GIL. It then leaks `server_`.
UserCalls::~UserCalls() {
  if (!Py_IsInitialized() || has_forked() || PyGILState_Check() == 0) {
    static_cast<void>(const_cast<nb::object&>(server_).release());
  }
}

const UserCalls* UserCalls::of_this_thread() noexcept { return calls_of_this_thread; }

bool UserCalls::has_forked() const noexcept { return ::getpid() != process_; }

void UserCalls::ask(const std::shared_ptr<UserCall>& call) {
  if (has_forked()) return;
  {
    const std::lock_guard lock(mutex_);
    if (is_closed_) {  // wakes all threads that wait for the call
      call->error = std::make_exception_ptr(ConfigError(has_ended_ ? kEnded : kGone));
      call->is_done = true;
    } else {
      waiting_.push_back(call);
    }
  }
  asked_.notify_one();
  answered_.notify_all();
}

void UserCalls::wait(const UserCall& call) {
  if (has_forked()) throw ConfigError(kForked);
  Lock lock(mutex_);
  while (!call.is_done) {
    lock.unlock();
    check_interruption();  // before each wait, because all waits may be short
    lock.lock();
    if (answered_.wait_for(lock, Interruption::kPeriod, [&] { return call.is_done; })) break;
  }
  if (!call.error) return;
  try {
    std::rethrow_exception(call.error);
  } catch (const UserError& error) {
    throw UserError(error);  // a copy for each waiting thread
  }
}

void UserCalls::forget(std::int64_t number) noexcept {
  if (has_forked()) return;
  try {
    const std::lock_guard lock(mutex_);
    forgotten_.push_back(number);
  } catch (const std::bad_alloc&) {  // Python keeps the object until the deserializer ends
    return;
  }
  asked_.notify_one();
}

void UserCalls::lend() noexcept {
  const std::lock_guard lock(mutex_);
  ++loans_;
}

void UserCalls::give_back(const Py_buffer& view) noexcept {
  if (has_forked()) return;
  try {
    const std::lock_guard lock(mutex_);
    --loans_;
    if (!has_ended_) returned_.push_back(view);
  } catch (const std::bad_alloc&) {  // the array is never released
    return;
  }
  asked_.notify_one();
}

bool UserCalls::has_work() const noexcept {
  return has_ended_ || is_woken_ || (is_closed_ && loans_ == 0) || !waiting_.empty() ||
         !returned_.empty() || !forgotten_.empty();
}

std::optional<UserCalls::Work> UserCalls::take() {
  calls_of_this_thread = this;
  Work work;
  std::vector<std::shared_ptr<UserCall>> done;  // destroyed after the lock, which its arrays take
  std::vector<Py_buffer> returned;
  bool is_over = false;
  {
    const GilPause pause;
    Lock lock(mutex_);
    done.swap(running_);
    asked_.wait(lock, [this] { return has_work(); });
    is_woken_ = false;
    work.calls.assign(waiting_.begin(), waiting_.end());
    waiting_.clear();
    running_ = work.calls;
    work.forgotten.swap(forgotten_);
    returned.swap(returned_);
    is_over = has_ended_ || (is_closed_ && loans_ == 0);
  }
  for (Py_buffer& view : returned) PyBuffer_Release(&view);
  if (!is_over) return work;
  for (const auto& call : work.calls) {
    fail(*call, std::make_exception_ptr(ConfigError(kGone)));
  }
  calls_of_this_thread = nullptr;
  return std::nullopt;
}

void UserCalls::wake() noexcept {
  {
    const std::lock_guard lock(mutex_);
    is_woken_ = true;
  }
  asked_.notify_one();
}

void UserCalls::finish(UserCall& call, std::exception_ptr error) {
  const GilPause pause;
  {
    const std::lock_guard lock(mutex_);
    if (call.is_done) return;
    call.error = std::move(error);
    call.is_done = true;
    std::erase_if(running_, [&](const auto& each) { return each.get() == &call; });
  }
  answered_.notify_all();
}

void UserCalls::answer(UserCall& call, std::vector<UserArrays> streams,
                       std::vector<BadSequence> bad) {
  {
    const std::lock_guard lock(mutex_);
    if (call.is_done) return;
    call.streams = std::move(streams);
    call.bad = std::move(bad);
  }
  finish(call, nullptr);
}

void UserCalls::answer(UserCall& call, Taken<ArrowSchema> schema,
                       std::shared_ptr<const ArrowArray> array) {
  {
    const std::lock_guard lock(mutex_);
    if (call.is_done) return;
    call.schema = std::move(schema);
    call.array = std::move(array);
  }
  finish(call, nullptr);
}

void UserCalls::fail(UserCall& call, std::int64_t error) {
  finish(call, std::make_exception_ptr(
                   UserError(std::make_shared<const Kept>(shared_from_this(), error))));
}

void UserCalls::fail(UserCall& call, std::exception_ptr error) { finish(call, std::move(error)); }

void UserCalls::close() noexcept {
  if (has_forked()) return;
  {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
  }
  asked_.notify_one();
}

void UserCalls::end() noexcept {
  if (has_forked()) return;
  std::vector<std::shared_ptr<UserCall>> done;
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = is_closed_ = true;
    const std::exception_ptr error = std::make_exception_ptr(ConfigError(kEnded));
    done.swap(running_);
    done.insert(done.end(), waiting_.begin(), waiting_.end());
    waiting_.clear();
    for (const auto& call : done) {
      call->error = error;
      call->is_done = true;
    }
  }
  asked_.notify_one();
  answered_.notify_all();
}

}  // namespace sheaf::python
