/// \file
/// Work of the library while other threads of Python run.

#pragma once

#include <chrono>

#include <nanobind/nanobind.h>
#include <unistd.h>

#include "sheaf/extend/interruption.h"

namespace sheaf::python {

/// For functions that others call with the GIL or without it.
struct AnyCaller {};

/// This thread does not have the GIL while a GilPause lives. A thread that wants the GIL back after
/// the interpreter has ended waits there for the process to end, since there is nowhere to go back
/// to: until 3.13 Python would unwind its stack, through code that nothing may unwind.
class GilPause {
 public:
  /// Pre: this thread has the GIL.
  GilPause() noexcept : state_(PyEval_SaveThread()) {}

  explicit GilPause(AnyCaller /*any*/) noexcept {
    if (!Py_IsInitialized()) return;
    gives_back_ = PyGILState_Check() != 0;
    state_ = gives_back_ ? PyEval_SaveThread() : PyGILState_GetThisThreadState();
  }

  GilPause(const GilPause&) = delete;
  GilPause& operator=(const GilPause&) = delete;
  ~GilPause() {
    if (gives_back_) resume();
  }

  /// Whether Python knows this thread. If not, the thread cannot take the GIL in between, and no
  /// signal is handled on it.
  [[nodiscard]] bool can_resume() const noexcept { return state_ != nullptr; }

  /// Have the GIL in between.
  ///
  /// Pre: can_resume().
  void resume() noexcept {
    try {
      PyEval_RestoreThread(state_);
    } catch (...) {
      while (true) ::pause();
    }
  }
  void pause_again() noexcept { state_ = PyEval_SaveThread(); }

 private:
  PyThreadState* state_ = nullptr;
  bool gives_back_ = true;
};

/// Says when it is time to look for signals again.
class SignalClock {
 public:
  [[nodiscard]] bool is_due() noexcept {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return false;
    next_ = now + Interruption::kPeriod;
    return true;
  }

 private:
  std::chrono::steady_clock::time_point next_ =
      std::chrono::steady_clock::now() + Interruption::kPeriod;
};

/// Runs the handlers of signals that have come, as the main thread of Python does between its own
/// steps. Does nothing on other threads.
///
/// Throws: python_error, of what a signal's handler raised: KeyboardInterrupt, for one.
class SignalCheck final : public Interruption {
 public:
  SignalCheck(GilPause& pause, SignalClock& clock) : pause_(pause), clock_(clock) {}

  void check() override {
    if (!pause_.can_resume() || !clock_.is_due()) return;
    pause_.resume();
    struct Again {
      GilPause& pause;
      ~Again() { pause.pause_again(); }
    } const again{pause_};
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
  }

 private:
  GilPause& pause_;
  SignalClock& clock_;
};

/// While it lives this thread does not have the GIL, and Ctrl-C ends what the thread does.
class FreeGil {
 public:
  /// Pre: this thread has the GIL.
  FreeGil() : check_(pause_, own_clock_) {}

  /// For a function that is called many times in a row without Python in between: `clock` goes on
  /// from call to call, so that signals are seen however short the calls are.
  FreeGil(AnyCaller any, SignalClock& clock) : pause_(any), check_(pause_, clock) {}

  FreeGil(const FreeGil&) = delete;
  FreeGil& operator=(const FreeGil&) = delete;
  ~FreeGil() = default;

 private:
  SignalClock own_clock_;
  GilPause pause_;
  SignalCheck check_;
  InterruptionScope scope_{check_};
};

}  // namespace sheaf::python
