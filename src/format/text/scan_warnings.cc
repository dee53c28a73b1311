#include "format/text/scan_warnings.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace sheaf::internal {
namespace {

Diagnostic warning_of(const ByteSource& source, const ErrorKind& kind) {
  Diagnostic warning;
  warning.severity = Severity::warning;
  warning.path = source.name();
  warning.code = kind.code;
  warning.expected = kind.expected;
  return warning;
}

/// Returns a warning about [begin, end) of a row.
Diagnostic warning_at(const ByteSource& source, const ErrorKind& kind, const Row& row,
                      const char* begin, const char* end) {
  Diagnostic warning = warning_of(source, kind);
  warning.line = row.line;
  warning.column = begin - row.begin + 1;
  warning.byte_offset = row.offset_of(begin);
  set_excerpt(warning, row.text(), begin - row.begin, end - begin);
  return warning;
}

}  // namespace

void ScanWarnings::add_unknown(UnknownStream stream) {
  if (names_.size() < kNamesMax && names_.insert(stream.name).second) {
    unknown_.push_back(std::move(stream));
  }
}

void ScanWarnings::unknown_stream(const ErrorKind& kind, const Row& row, const char* bar,
                                  const char* name_end) {
  // Longer names that begin alike count as one, so that names do not fill the memory.
  constexpr std::size_t kNameSizeMax = 1024;
  const auto name = std::string_view(bar + 1, static_cast<std::size_t>(name_end - bar - 1))
                        .substr(0, kNameSizeMax);
  if (name == last_name_ && !name.empty()) return;
  last_name_ = name;
  if (names_.size() == kNamesMax || names_.contains(last_name_)) return;
  Diagnostic warning = warning_at(*source_, kind, row, bar, name_end);
  warning.found = quoted(name);
  warning.hint = "it is passed over, here and in all rows";
  add_unknown({last_name_, std::move(warning)});
}

void ScanWarnings::ignored_id(const ErrorKind& kind, const Row& row, const char* begin,
                              const char* end) {
  if (ignored_) return;
  ignored_ = warning_at(*source_, kind, row, begin, end);
  ignored_->found = quoted({begin, static_cast<std::size_t>(end - begin)});
  ignored_->hint = "ids are passed over: each row is a sequence of its own";
}

void ScanWarnings::dropped_sequence(const ErrorKind& kind, std::int64_t offset, std::int64_t line,
                                    const Stream& defining) {
  ++dropped_count_;
  if (dropped_) return;
  dropped_ = warning_of(*source_, kind);
  dropped_->line = line;
  dropped_->column = 1;
  dropped_->byte_offset = offset;
  dropped_->stream = defining.name;
}

void ScanWarnings::left_out(const ErrorKind& kind, std::int64_t offset, std::int64_t line,
                            std::string_view key_text) {
  for (LeftOut& other : left_out_) {
    if (other.first.code != kind.code) continue;
    ++other.count;
    return;
  }
  Diagnostic warning = warning_of(*source_, kind);
  warning.line = line;
  warning.column = 1;
  warning.byte_offset = offset;
  warning.sequence_key = key_text;
  left_out_.push_back({.first = std::move(warning), .count = 1});
}

void ScanWarnings::append(ScanWarnings later, std::int64_t lines_before) {
  for (UnknownStream& stream : later.unknown_) {
    stream.warning.line += lines_before;
    add_unknown(std::move(stream));
  }
  const auto take_first = [&](std::optional<Diagnostic>& own, std::optional<Diagnostic>& other) {
    if (own || !other) return;
    own = std::move(other);
    own->line += lines_before;
  };
  take_first(ignored_, later.ignored_);
  take_first(dropped_, later.dropped_);
  dropped_count_ += later.dropped_count_;
  for (LeftOut& other : later.left_out_) {
    other.first.line += lines_before;
    const auto same = std::ranges::find_if(
        left_out_, [&](const LeftOut& own) { return own.first.code == other.first.code; });
    if (same == left_out_.end()) {
      left_out_.push_back(std::move(other));
    } else {
      same->count += other.count;
    }
  }
}

std::vector<Diagnostic> ScanWarnings::list() const {
  std::vector<Diagnostic> warnings;
  for (const UnknownStream& stream : unknown_) warnings.push_back(stream.warning);
  if (ignored_) warnings.push_back(*ignored_);
  if (dropped_) {
    warnings.push_back(*dropped_);
    warnings.back().found = formatted("none in {} sequence{}, this one the first", dropped_count_,
                                      dropped_count_ == 1 ? "" : "s");
    warnings.back().hint = "they are dropped";
  }
  for (const LeftOut& out : left_out_) {
    warnings.push_back(out.first);
    warnings.back().found = out.count == 1
                                ? "one that is left out"
                                : formatted("{} that are left out, this one the first", out.count);
  }
  std::ranges::stable_sort(warnings, {}, &Diagnostic::byte_offset);
  return warnings;
}

}  // namespace sheaf::internal
