/// \file
/// Releases the GIL while the library works.

#pragma once

#include <chrono>

#include <nanobind/nanobind.h>
#include <unistd.h>

#include "sheaf/extend/interruption.h"

namespace sheaf::python {

/// A tag for functions that may be called with or without the GIL.
struct AnyCaller {};

/// Releases the GIL of this thread while a GilPause exists. If the interpreter has ended, the
/// thread cannot take the GIL back, and waits for the process to end. Before 3.13, Python would
/// unwind the stack of the thread, through code that must not be unwound.
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

  /// Returns whether Python knows this thread. An unknown thread cannot call resume(), and handles
  /// no signals.
  [[nodiscard]] bool can_resume() const noexcept { return state_ != nullptr; }

  /// Takes the GIL until pause_again().
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

/// Says when to check for signals again.
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

/// Runs the handlers of pending signals, as the main thread of Python does between its
/// instructions. Does nothing on other threads.
///
/// Throws: python_error with the exception of a signal handler, such as KeyboardInterrupt.
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

/// Releases the GIL of this thread while a FreeGil exists. Ctrl-C interrupts the work of the
/// thread.
class FreeGil {
 public:
  /// Pre: this thread has the GIL.
  FreeGil() : check_(pause_, own_clock_) {}

  /// For a function that is called many times in a row without Python in between. `clock` runs
  /// across calls, so that even short calls check for signals.
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
