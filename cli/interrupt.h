/// \file
/// Signals that end the command, where there is something to clear away first.

#pragma once

#include <array>
#include <csignal>
#include <exception>

#include "sheaf/extend/interruption.h"

namespace sheaf::cli {

/// A signal asked the command to end: it does, and clears away what is half done.
class Interrupted : public std::exception {
 public:
  explicit Interrupted(int signal) noexcept : signal_(signal) {}

  [[nodiscard]] int signal() const noexcept { return signal_; }
  [[nodiscard]] const char* what() const noexcept override { return "interrupted"; }

 private:
  int signal_;
};

/// While it lives, SIGINT, SIGTERM and SIGHUP do not end the process, but check() throws. What this
/// thread waits for in the library asks check(), too. A second signal of the same kind ends the
/// process at once. Signals that are ignored stay so.
///
/// One at a time.
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
