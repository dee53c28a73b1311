#include "reader/deliver/error_account.h"

#include <cstddef>
#include <iterator>
#include <utility>

#include "sheaf/error.h"

#include "base/text.h"

namespace sheaf::internal {
namespace {

// About what a map takes for an entry besides the bits.
constexpr std::int64_t kEntryBytes = 128;

std::int64_t memory_bytes(const std::vector<bool>& bits) noexcept {
  return bits.empty() ? 0 : kEntryBytes + static_cast<std::int64_t>(bits.capacity() / 8);
}

}  // namespace

ErrorAccount::ErrorAccount(std::int64_t errors_max, Describe describe, Ledger::Token memory)
    : errors_max_(errors_max), describe_(std::move(describe)), memory_(std::move(memory)) {}

// Sets a bit. Returns whether the bit was not set before.
bool ErrorAccount::set_bit(std::vector<bool>& bits, std::int64_t number) {
  const auto i = static_cast<std::size_t>(number);
  if (i >= bits.size()) {
    const std::int64_t before_bytes = memory_bytes(bits);
    bits.resize(i + 1);
    memory_.use(memory_.used_bytes() + memory_bytes(bits) - before_bytes);
  }
  if (bits[i]) return false;
  bits[i] = true;
  return true;
}

// A sequence always comes with all its errors, so one bit for each sequence is enough.
bool ErrorAccount::see(const SequenceError& error) {
  return set_bit(seen_[error.chunk], error.sequence);
}

bool ErrorAccount::see_frame(const SequenceError& error) {
  if (error.frame < 0) return false;
  return set_bit(seen_frames_[{error.chunk, error.sequence}], error.frame);
}

bool ErrorAccount::was_seen(const SequenceError& error) const {
  const auto found = seen_.find(error.chunk);
  if (found == seen_.end()) return false;
  const auto i = static_cast<std::size_t>(error.sequence);
  return i < found->second.size() && found->second[i];
}

// If a sequence comes twice in a step, this function describes fewer later errors than add() keeps.
// add() then gets the missing descriptions itself.
void ErrorAccount::describe(std::span<SequenceError> errors) const {
  std::int64_t count = error_count();
  std::int64_t error_room = Diagnostics::kKeptMaxDefault - std::ssize(described_);
  std::int64_t warning_room = Diagnostics::kKeptMaxDefault - std::ssize(warnings_);
  for (SequenceError& error : errors) {
    if (error.severity == Severity::warning) {
      const bool is_new =
          !seen_warnings_.contains(Identity(error.chunk, error.sequence, error.number));
      if (is_new && warning_room-- > 0) describe(error);
      continue;
    }
    if (was_seen(error)) continue;
    const bool is_too_many = error.severity == Severity::fatal || ++count > errors_max_;
    if (error_room-- > 0 || is_too_many) describe(error);
    if (is_too_many) return;
  }
}

void ErrorAccount::describe(SequenceError& error) const {
  if (error.diagnostic != nullptr) return;
  error.diagnostic = std::make_shared<const Diagnostic>(description(error));
}

void ErrorAccount::add(std::span<SequenceError> errors) {
  const SequenceError* last = nullptr;  // the previous error
  bool is_new = false;                  // whether the sequence of the error is new
  for (SequenceError& error : errors) {
    if (error.severity == Severity::warning) {
      add_warning(error);
      continue;
    }
    const bool goes_on = last != nullptr && error.chunk == last->chunk &&
                         error.sequence == last->sequence && error.frame == last->frame &&
                         error.number > last->number;
    bool is_new_frame = false;
    if (!goes_on) {
      is_new = see(error);
      is_new_frame = see_frame(error);
    }
    last = &error;
    if (!is_new && !is_new_frame) continue;
    ++error_count_;
    const bool is_too_many = error.severity == Severity::fatal || error_count() > errors_max_;
    const bool is_kept = std::ssize(described_) < Diagnostics::kKeptMaxDefault;
    // All frames of an utterance have the same errors, which its first frame describes.
    const bool is_last = is_too_many && !is_kept;
    if ((is_new && is_kept) || is_last) described_.push_back(description(error));
    if (is_too_many) throw DataError(described_);
  }
}

// Data may have a warning for each sample, so only the identities of the kept warnings are stored.
void ErrorAccount::add_warning(SequenceError& error) {
  if (std::ssize(warnings_) >= Diagnostics::kKeptMaxDefault) return;
  if (!seen_warnings_.emplace(error.chunk, error.sequence, error.number).second) return;
  warnings_.push_back(description(error));
}

// A read describes only its first errors, so that a file full of errors does not fill the memory.
// The few further errors that are reported are looked up.
Diagnostic ErrorAccount::description(SequenceError& error) const {
  if (error.diagnostic != nullptr) return *error.diagnostic;
  if (std::optional<Diagnostic> found = describe_(error)) return *std::move(found);

  Diagnostic diagnostic;  // the source fails now, so report what is known
  diagnostic.severity = error.severity;
  diagnostic.byte_offset = error.byte_offset;
  diagnostic.code = "not-described";
  diagnostic.expected = "data as the format defines them";
  diagnostic.found =
      formatted("a wrong place at byte {} (sequence {} of chunk {})", error.byte_offset,
                error.sequence, static_cast<std::int64_t>(error.chunk));
  return diagnostic;
}

}  // namespace sheaf::internal
