#include "format/ctf/ctf_hints.h"

#include "sheaf/diagnostic.h"

#include "base/text.h"
#include "format/text_format.h"

namespace sheaf::ctf {
namespace {

/// The "|" at or before `place` that the item there begins with; null where there is none.
const char* bar_before(const Row& row, const char* place) noexcept {
  for (const char* p = place;; --p) {
    if (p != row.end && *p == '|') return p;
    if (p == row.begin) return nullptr;
  }
}

/// Whether the item at `place` stands directly behind a comment: perhaps it is part of one whose
/// "|" was not written "|#".
bool follows_comment(const Row& row, const char* place) noexcept {
  const char* const bar = bar_before(row, place);
  if (bar == nullptr || bar == row.begin) return false;
  const char* const before = bar_before(row, bar - 1);
  return before != nullptr && before[1] == '#';
}

/// Whether the text at `p` begins as `index:` does.
bool is_like_pair(const char* p, const char* end) noexcept {
  const char* const digits = p;
  while (p != end && is_digit(*p)) ++p;
  return p != digits && p != end && *p == ':';
}

bool is_like_number(const char* p, const char* end) noexcept {
  if (p != end && (*p == '-' || *p == '+' || *p == '.')) ++p;
  return p != end && is_digit(*p);
}

}  // namespace

std::string hint_for(const ErrorKind& kind, const Row& row, const char* place,
                     const Stream* stream) {
  if (kind.code == kControl.code && *place == '\r') {
    return "a lone carriage return ends no row; for line ends of the old Mac: tr '\\r' '\\n'";
  }
  if (stream != nullptr && kind.code == kPair.code && is_like_number(place, row.end) &&
      !is_like_pair(place, row.end)) {
    return formatted("the text looks dense, but {} is read as sparse", quoted(stream->name));
  }
  if (stream != nullptr && kind.code == kNumber.code && stream->storage == Storage::dense &&
      is_like_pair(place, row.end)) {
    return formatted("the text looks sparse, but {} is read as dense", quoted(stream->name));
  }
  if (stream != nullptr && kind.code == kInexact.code) {
    return internal::inexact_hint({place, static_cast<std::size_t>(row.end - place)},
                                  stream->element_type);
  }
  if (kind.code == kStray.code && bar_before(row, place) == nullptr) {
    return "an id that is no number is read with keys=text (--keys text)";
  }
  if (kind.code != kMissingStream.code && follows_comment(row, place)) {
    return "a \"|\" within a comment is written \"|#\"";
  }
  return "";
}

}  // namespace sheaf::ctf
