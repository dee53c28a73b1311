#include "reader/deliver/error_account.h"

#include <cstddef>
#include <iterator>
#include <utility>

#include "sheaf/error.h"

#include "base/text.h"

namespace sheaf::internal {

ErrorAccount::ErrorAccount(std::int64_t errors_max, Describe describe)
    : errors_max_(errors_max), describe_(std::move(describe)) {}

// A sequence always comes with all its errors, so one bit for each sequence is enough.
bool ErrorAccount::see(const SequenceError& place) {
  std::vector<bool>& seen = seen_[place.chunk];
  const auto i = static_cast<std::size_t>(place.sequence);
  if (i >= seen.size()) seen.resize(i + 1);
  if (seen[i]) return false;
  seen[i] = true;
  return true;
}

bool ErrorAccount::was_seen(const SequenceError& place) const {
  const auto found = seen_.find(place.chunk);
  if (found == seen_.end()) return false;
  const auto i = static_cast<std::size_t>(place.sequence);
  return i < found->second.size() && found->second[i];
}

// If a sequence comes twice in a step, this function describes fewer later errors than add() keeps.
// add() then gets the missing descriptions itself.
void ErrorAccount::describe(std::span<SequenceError> places) const {
  std::int64_t error_count = place_count();
  std::int64_t error_room = Diagnostics::kKeptMaxDefault - std::ssize(described_);
  std::int64_t warning_room = Diagnostics::kKeptMaxDefault - std::ssize(warnings_);
  for (SequenceError& place : places) {
    if (place.severity == Severity::warning) {
      const bool is_new =
          !seen_warnings_.contains(Identity(place.chunk, place.sequence, place.number));
      if (is_new && warning_room-- > 0) describe(place);
      continue;
    }
    if (was_seen(place)) continue;
    const bool is_too_many = place.severity == Severity::fatal || ++error_count > errors_max_;
    if (error_room-- > 0 || is_too_many) describe(place);
    if (is_too_many) return;
  }
}

void ErrorAccount::describe(SequenceError& place) const {
  if (place.diagnostic != nullptr) return;
  place.diagnostic = std::make_shared<const Diagnostic>(description(place));
}

void ErrorAccount::add(std::span<SequenceError> places) {
  const SequenceError* last = nullptr;  // the previous error
  bool is_new = false;                  // whether the sequence of the error is new
  for (SequenceError& place : places) {
    if (place.severity == Severity::warning) {
      add_warning(place);
      continue;
    }
    const bool goes_on = last != nullptr && place.chunk == last->chunk &&
                         place.sequence == last->sequence && place.number > last->number;
    if (!goes_on) is_new = see(place);
    last = &place;
    if (!is_new) continue;
    ++place_count_;
    const bool is_too_many = place.severity == Severity::fatal || place_count() > errors_max_;
    const bool is_kept = std::ssize(described_) < Diagnostics::kKeptMaxDefault;
    if (is_kept || is_too_many) described_.push_back(description(place));
    if (is_too_many) throw DataError(described_);
  }
}

// Data may have a warning for each sample, so only the identities of the kept warnings are stored.
void ErrorAccount::add_warning(SequenceError& place) {
  if (std::ssize(warnings_) >= Diagnostics::kKeptMaxDefault) return;
  if (!seen_warnings_.emplace(place.chunk, place.sequence, place.number).second) return;
  warnings_.push_back(description(place));
}

// A read describes only its first errors, so that a file full of errors does not fill the memory.
// The few further errors that are reported are looked up.
Diagnostic ErrorAccount::description(SequenceError& place) const {
  if (place.diagnostic != nullptr) return *place.diagnostic;
  if (std::optional<Diagnostic> found = describe_(place)) return *std::move(found);

  Diagnostic diagnostic;  // the source fails now, so report what is known
  diagnostic.severity = place.severity;
  diagnostic.byte_offset = place.byte_offset;
  diagnostic.code = "not-described";
  diagnostic.expected = "data as the format defines them";
  diagnostic.found =
      formatted("a wrong place at byte {} (sequence {} of chunk {})", place.byte_offset,
                place.sequence, static_cast<std::int64_t>(place.chunk));
  return diagnostic;
}

}  // namespace sheaf::internal
