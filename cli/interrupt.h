/// \file
/// Signals that end the command after the command has cleaned up.

#pragma once

#include <array>
#include <csignal>
#include <exception>

#include "sheaf/extend/interruption.h"

namespace sheaf::cli {

/// Thrown when a signal asks the command to end. Unwinding removes half-written output.
class Interrupted : public std::exception {
 public:
  explicit Interrupted(int signal) noexcept : signal_(signal) {}

  [[nodiscard]] int signal() const noexcept { return signal_; }
  [[nodiscard]] const char* what() const noexcept override { return "interrupted"; }

 private:
  int signal_;
};

/// Turns signals into an exception. While a guard exists, SIGINT, SIGTERM and SIGHUP do not end the
/// process: check() throws instead. The library also calls check() while this thread waits in it. A
/// second signal of the same kind ends the process at once. Ignored signals stay ignored.
///
/// Only one guard may exist at a time.
class InterruptGuard final : public Interruption {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard() override;

  /// Throws: Interrupted.
  void check() override;

 private:
  static constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};

  std::array<struct sigaction, kSignals.size()> before_{};
  InterruptionScope scope_{*this};
};

}  // namespace sheaf::cli
