#include "interrupt.h"

#include <cstddef>

namespace sheaf::cli {
namespace {

volatile std::sig_atomic_t caught = 0;  // global, because a signal handler takes no context

void note_signal(int signal) { caught = signal; }

}  // namespace

InterruptGuard::InterruptGuard() {
  caught = 0;
  struct sigaction noting {};
  noting.sa_handler = note_signal;
  noting.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &noting, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
}

void InterruptGuard::check() {
  if (caught != 0) throw Interrupted(caught);
}

}  // namespace sheaf::cli
