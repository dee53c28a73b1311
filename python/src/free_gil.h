/// \file
/// Work of the library while other threads of Python run.

#pragma once

#include <chrono>

#include <nanobind/nanobind.h>
#include <unistd.h>

#include "sheaf/interruption.h"

namespace sheaf::python {

/// While it lives this thread does not have the GIL. A thread that is to have it again when the
/// interpreter has ended waits there for the process to end, since there is nowhere to go back to:
/// until 3.13 Python would unwind its stack, through code that nothing may unwind.
///
/// Pre: this thread has the GIL.
class GilPause {
 public:
  GilPause() noexcept : state_(PyEval_SaveThread()) {}
  GilPause(const GilPause&) = delete;
  GilPause& operator=(const GilPause&) = delete;
  ~GilPause() { resume(); }

  /// Have the GIL in between.
  void resume() noexcept {
    try {
      PyEval_RestoreThread(state_);
    } catch (...) {
      while (true) ::pause();
    }
  }
  void pause_again() noexcept { state_ = PyEval_SaveThread(); }

 private:
  PyThreadState* state_;
};

/// Runs what Python does at signals, as the main thread of Python does between its own steps. On
/// another thread nothing comes of it.
///
/// Throws: python_error, of what a signal's handler raised: KeyboardInterrupt, for one.
class SignalCheck final : public Interruption {
 public:
  explicit SignalCheck(GilPause& pause) : pause_(pause) {}

  void check() override {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return;
    next_ = now + kPeriod;
    pause_.resume();
    struct Again {
      GilPause& pause;
      ~Again() { pause.pause_again(); }
    } const again{pause_};
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
  }

 private:
  GilPause& pause_;
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + kPeriod;
};

/// While it lives this thread does not have the GIL, and Ctrl-C ends what it does.
///
/// Pre: this thread has the GIL.
class FreeGil {
 public:
  FreeGil() = default;
  FreeGil(const FreeGil&) = delete;
  FreeGil& operator=(const FreeGil&) = delete;
  ~FreeGil() = default;

 private:
  GilPause pause_;
  SignalCheck check_{pause_};
  InterruptionScope scope_{check_};
};

}  // namespace sheaf::python
