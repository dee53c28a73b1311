#include "sheaf/interruption.h"

#include <utility>

namespace sheaf {
namespace {

thread_local Interruption* current = nullptr;

}  // namespace

InterruptionScope::InterruptionScope(Interruption& interruption) noexcept
    : before_(std::exchange(current, &interruption)) {}

InterruptionScope::~InterruptionScope() { current = before_; }

Interruption* current_interruption() noexcept { return current; }

void check_interruption() {
  if (current != nullptr) current->check();
}

}  // namespace sheaf
