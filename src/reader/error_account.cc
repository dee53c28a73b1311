#include "reader/error_account.h"

#include <utility>

#include "sheaf/error.h"

#include "base/text.h"

namespace sheaf::internal {

ErrorAccount::ErrorAccount(std::int64_t errors_max, Describe describe)
    : errors_max_(errors_max), describe_(std::move(describe)) {}

void ErrorAccount::add(std::span<WrongPlace> places) {
  for (WrongPlace& place : places) {
    if (place.severity == Severity::warning) {
      add_warning(place);
      continue;
    }
    if (!seen_.emplace(place.chunk, place.sequence, place.number).second) continue;
    const bool is_too_many = place.severity == Severity::fatal || place_count() > errors_max_;
    const bool is_kept = std::ssize(described_) < Diagnostics::kKeptMaxDefault;
    if (is_kept || is_too_many) described_.push_back(description(place));
    if (is_too_many) throw DataError(described_);
  }
}

// Data may have as many as samples: no more are remembered than are kept.
void ErrorAccount::add_warning(WrongPlace& place) {
  if (std::ssize(warnings_) >= Diagnostics::kKeptMaxDefault) return;
  if (!seen_warnings_.emplace(place.chunk, place.sequence, place.number).second) return;
  warnings_.push_back(description(place));
}

// A read describes its first wrong places only, so that a file that is all wrong does not fill the
// memory. The few that are told of after all are looked up.
Diagnostic ErrorAccount::description(WrongPlace& place) const {
  if (!place.diagnostic) place.diagnostic = describe_(place);
  if (place.diagnostic) return *std::move(place.diagnostic);

  Diagnostic diagnostic;  // the source fails now: say what is known
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
