#include "sheaf/extend/interruption.h"

#include <cstdint>
#include <utility>

#include "base/interruption_watch.h"

namespace sheaf {
namespace {

thread_local Interruption* current = nullptr;
thread_local std::int64_t thrown_count = 0;

}  // namespace

InterruptionScope::InterruptionScope(Interruption& interruption) noexcept
    : before_(std::exchange(current, &interruption)) {}

InterruptionScope::~InterruptionScope() { current = before_; }

Interruption* current_interruption() noexcept { return current; }

void check_interruption() {
  if (current == nullptr) return;
  try {
    current->check();
  } catch (...) {
    ++thrown_count;
    throw;
  }
}

namespace internal {

std::int64_t interruption_count() noexcept { return thrown_count; }

InterruptionPause::InterruptionPause() noexcept : before_(std::exchange(current, nullptr)) {}

InterruptionPause::~InterruptionPause() { current = before_; }

}  // namespace internal
}  // namespace sheaf
