#include "format/ctf/ctf_hints.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/nearest.h"

#include "base/text.h"
#include "format/text/text_format.h"

namespace sheaf::ctf {
namespace {

/// Returns the "|" that begins the item at `location`, or null if there is none.
const char* bar_before(const Row& row, const char* location) noexcept {
  for (const char* p = location;; --p) {
    if (p != row.end && *p == '|') return p;
    if (p == row.begin) return nullptr;
  }
}

/// Returns whether the item at `location` directly follows a comment. The item may be a part of the
/// comment whose "|" was not written "|#".
bool follows_comment(const Row& row, const char* location) noexcept {
  const char* const bar = bar_before(row, location);
  if (bar == nullptr || bar == row.begin) return false;
  const char* const before = bar_before(row, bar - 1);
  return before != nullptr && before[1] == '#';
}

/// Returns whether the text at `p` begins like `index:`.
bool is_like_pair(const char* p, const char* end) noexcept {
  const char* const digits = p;
  while (p != end && is_digit(*p)) ++p;
  return p != digits && p != end && *p == ':';
}

bool is_like_number(const char* p, const char* end) noexcept {
  if (p != end && (*p == '-' || *p == '+' || *p == '.')) ++p;
  return p != end && is_digit(*p);
}

constexpr std::string_view kExample = "a row of CTF looks like this: 0 |x 1 2";
constexpr std::string_view kTextIds =
    "an id that is no number is read with keys=text (--keys text)";
constexpr std::string_view kAllowed =
    "missing_streams=allow (--missing-streams allow) reads it without";
constexpr std::string_view kRepeated =
    "the rows of a sequence stand together: sort -s -n -k1,1 FILE; files that each count from 0 "
    "are "
    "not put into one: give them all, with same_keys=\"number\" (--same-keys number)";
constexpr std::string_view kCommentSign = "a comment begins with \"|#\"";

bool is_letter(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}

/// Returns the token at `p`, up to a blank, a "|" or the end.
std::string_view token_at(const char* p, const char* end) noexcept {
  const char* const begin = p;
  while (p != end && !is_blank(*p) && *p != '|') ++p;
  return {begin, static_cast<std::size_t>(p - begin)};
}

/// Returns whether the text is a not-a-number or an infinity, as other programs write them.
bool is_like_nan(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  std::string small(text.substr(0, 9));
  std::ranges::transform(small, small.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  constexpr std::array<std::string_view, 3> kNames = {"nan", "inf", "infinity"};
  return std::ranges::find(kNames, small) != kNames.end();
}

/// Returns whether only blanks precede `location` in the row.
bool begins_row(const Row& row, const char* location) noexcept {
  return skip_blanks(row.begin, row.end) == location;
}

/// Returns the hint for text before the first "|" of the row, where an item must begin.
std::string stray_hint(const Row& row, const char* location) {
  if (*location == '#') return std::string(kCommentSign);
  if (begins_row(row, location)) return std::string(kTextIds);
  if (is_letter(*location)) {
    return formatted("a sample begins with \"|\" and a name, such as \"|{}\"",
                     token_at(location, row.end).substr(0, 40));
  }
  return std::string(kExample);
}

/// Returns the hint for a word where a value must be, or an empty text if the word suggests
/// nothing.
std::string word_hint(const Row& row, const char* location, const Stream& stream) {
  if (is_like_nan(token_at(location, row.end))) return "CTF has no nan and no inf";
  if (*location == '#') return std::string(kCommentSign);
  const char* const bar = bar_before(row, location);
  if (bar == nullptr || !is_letter(*location)) return "";
  const std::string_view name = token_at(bar + 1, row.end);
  if (skip_blanks(name.data() + name.size(), row.end) != location) return "";
  // A word before a number is the second half of a name with a blank. A word alone is just a wrong
  // value.
  const char* const next = skip_blanks(location + token_at(location, row.end).size(), row.end);
  if (!is_like_number(next, row.end)) return "";
  return formatted("a name ends at the first blank: this is a sample of {}", quoted(stream.name));
}

std::string listed(std::span<const std::string> names) {
  constexpr std::size_t kListedMax = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kListedMax); ++i) {
    text += formatted("{}{}", i == 0 ? "" : ", ", quoted(names[i]));
  }
  return names.size() > kListedMax ? text + ", ..." : text;
}

/// Returns whether the row has a number, and then an index with a colon, as in LibSVM.
bool is_like_libsvm(const Row& row) noexcept {
  const char* p = skip_blanks(row.begin, row.end);
  if (!is_like_number(p, row.end)) return false;
  p = skip_blanks(p + token_at(p, row.end).size(), row.end);
  return is_like_pair(p, row.end) ||
         std::string_view(p, static_cast<std::size_t>(row.end - p)).starts_with("qid:");
}

bool equal_but_for_case(std::string_view a, std::string_view b) {
  const auto lower = [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  };
  return std::ranges::equal(a, b, {}, lower, lower);
}

/// Returns the name of the stream that a user or a file may have meant. Returns an empty text if
/// no name is near. Short names such as "x1" and "x2" are all near each other, and say nothing
/// about a slip, unless only the case differs.
std::string nearest_stream(std::string_view name, std::span<const std::string> others) {
  constexpr std::size_t kSizeMin = 3;
  std::string nearest = nearest_name(name, others);
  if (name.size() < kSizeMin && !equal_but_for_case(name, nearest)) nearest.clear();
  return nearest;
}

}  // namespace

std::string no_id_hint(const Row& row, const char* location, bool has_text_keys) {
  if (has_text_keys) return "keys that are texts need an id on the first row";
  if (*location == '#') return std::string(kCommentSign);
  if (find_bar(location, row.end) == row.end) {
    return is_like_libsvm(row) ? no_stream_hint(row) : std::string(kExample);
  }
  return is_letter(*location) ? "ids that are not numbers are read with keys=text (--keys text)"
                              : "";
}

std::string no_stream_hint(const Row& row) {
  if (!is_like_libsvm(row)) return std::string(kExample);
  return formatted("{}; this looks like LibSVM: format=\"libsvm\" (--data-format libsvm)",
                   kExample);
}

std::string names_and_nearest(std::string_view name, std::span<const std::string> names) {
  const std::string nearest = nearest_stream(name, names);
  return listed(names) + (nearest.empty() ? "" : formatted("; did you mean {}?", quoted(nearest)));
}

std::string missing_stream_hint(std::string_view name, std::span<const std::string> others,
                                std::string_view whose) {
  if (others.empty()) return std::string(kAllowed);
  const std::string names = names_and_nearest(name, others);
  return formatted("{} has {}{}{}", whose, names, names.back() == '?' ? " " : "; ", kAllowed);
}

std::string missing_stream_hint(std::string_view name, const internal::FoundStreams& found) {
  std::vector<std::string> others;
  const internal::FoundStream* own = nullptr;
  for (const internal::FoundStream& stream : found.streams) {
    if (stream.name == name) {
      own = &stream;
    } else {
      others.push_back(stream.name);
    }
  }
  if (own == nullptr) {
    return missing_stream_hint(name, others, "the file");
  }
  const Diagnostic* first = nullptr;
  for (const auto& evidence : {&own->numbers, &own->pairs}) {
    if (!*evidence) continue;
    const Diagnostic& location = (*evidence)->location;
    if (first == nullptr || location.byte_offset < first->byte_offset) first = &location;
  }
  if (first == nullptr) return std::string(kAllowed);
  const std::string nearest = nearest_stream(name, others);
  return formatted("line {} is the first with {}; {}{}", first->line, quoted(name),
                   nearest.empty() ? "" : formatted("is {} meant there? ", quoted(nearest)),
                   kAllowed);
}

std::string hint_for(const ErrorKind& kind, const Row& row, const char* location,
                     const Stream* stream) {
  if (kind.code == kControl.code && *location == '\r') {
    return "a lone carriage return ends no row; for line ends of the old Mac: tr '\\r' '\\n'";
  }
  if (kind.code == kPair.code && *location == '-' && is_like_pair(location + 1, row.end)) {
    return "an index counts from 0";
  }
  if (stream != nullptr && kind.code == kPair.code && is_like_number(location, row.end) &&
      !is_like_pair(location, row.end)) {
    return formatted("the text looks dense, but {} is read as sparse", quoted(stream->name));
  }
  if (stream != nullptr && kind.code == kNumber.code && stream->storage == Storage::dense &&
      is_like_pair(location, row.end)) {
    return formatted("the text looks sparse, but {} is read as dense", quoted(stream->name));
  }
  if (stream != nullptr &&
      (kind.code == kNumber.code || kind.code == kPair.code || kind.code == kManyValues.code)) {
    if (std::string hint = word_hint(row, location, *stream); !hint.empty()) return hint;
  }
  if (stream != nullptr && kind.code == kInexact.code) {
    return internal::inexact_hint({location, static_cast<std::size_t>(row.end - location)},
                                  stream->element_type);
  }
  if (stream != nullptr && (kind.code == kNumber.code || kind.code == kNumberRange.code)) {
    std::string hint = internal::other_type_hint(
        {location, static_cast<std::size_t>(row.end - location)}, stream->element_type);
    if (!hint.empty()) return hint;
  }
  if (kind.code == kRepeatedId.code) return std::string(kRepeated);
  if (kind.code == kStray.code && bar_before(row, location) == nullptr)
    return stray_hint(row, location);
  if (kind.code != kMissingStream.code && follows_comment(row, location)) {
    return "a \"|\" within a comment is written \"|#\"";
  }
  return "";
}

}  // namespace sheaf::ctf
