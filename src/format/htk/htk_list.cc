#include "format/htk/htk_list.h"

#include <algorithm>
#include <bit>

#include "base/byte_bits.h"
#include "base/text_scan.h"

namespace sheaf::htk {
namespace {

constexpr std::size_t kNone = std::string_view::npos;
constexpr std::string_view kDots = "...";

// Takes digits off the front. Returns -1 if there are none, or too many.
std::int64_t take_frame(std::string_view& text) noexcept {
  std::int64_t number = 0;
  std::size_t size = 0;
  for (; size < text.size() && text[size] >= '0' && text[size] <= '9'; ++size) {
    number = number * 10 + (text[size] - '0');
    if (number > kFrameMax) return -1;
  }
  text.remove_prefix(size);
  return size == 0 ? -1 : number;
}

bool take(std::string_view& text, std::string_view front) noexcept {
  if (!text.starts_with(front)) return false;
  text.remove_prefix(front.size());
  return true;
}

// Parses the whole of `text` as "[first,last]".
const ErrorKind* parse_range(std::string_view text, const ListRules& rules, ListLine& line) {
  text.remove_prefix(1);
  line.first = take_frame(text);
  if (line.first < 0 || !take(text, ",")) return &kRange;
  if (rules.allows_last_minus_1 && take(text, "-1")) {
    line.last = ListLine::kToEnd;
  } else {
    line.last = take_frame(text);
    if (line.last < 0) return &kRange;
  }
  if (text != "]") return &kRange;
  if (line.last != ListLine::kToEnd && line.first > line.last) return &kRangeOrder;
  return nullptr;
}

void set_fault(ListLine& line, const ErrorKind& kind, std::size_t begin, std::size_t size) {
  line.fault = &kind;
  line.fault_begin = begin;
  line.fault_size = size;
}

ListLine parse_expanded(std::string_view text, const ListRules& rules, std::string& scratch) {
  ListLine line;
  const std::size_t equals = text.find('=');
  const std::size_t path_begin = equals == kNone ? 0 : equals + 1;
  const std::string_view physical = text.substr(path_begin);
  const std::size_t bracket = physical.find('[');
  line.path = physical.substr(0, bracket);
  line.path_begin = path_begin;
  line.path_size = line.path.size();
  if (!rules.prefix.empty()) {
    scratch = rules.prefix;
    scratch += line.path;
    line.path = scratch;
  }
  line.key = key_of_name(equals == kNone ? line.path : text.substr(0, equals));
  if (line.path_size == 0) {
    set_fault(line, kNoPath, path_begin, 0);
  } else if (line.key.empty()) {
    set_fault(line, kNoKey, 0, std::min(equals, text.size()));
  } else if (bracket != kNone) {
    const ErrorKind* const fault = parse_range(physical.substr(bracket), rules, line);
    if (fault != nullptr) {
      set_fault(line, *fault, path_begin + bracket, physical.size() - bracket);
    }
  }
  return line;
}

}  // namespace

bool is_blank_line(std::string_view line) noexcept {
  return line.find_first_not_of(" \t\r") == kNone;
}

std::string_view key_of_name(std::string_view name) noexcept {
  return name.substr(0, name.rfind('.'));
}

PlainListLine parse_plain_line(const char* line) noexcept {
  constexpr int kBytesAtOnce = 64;
  const char* equals = nullptr;
  const char* bracket = nullptr;
  const char* dot = nullptr;  // last dot before the equals sign
  const char* end = nullptr;
  std::uint64_t dots_before = 0;  // dots of the previous block
  for (const char* p = line; end == nullptr; p += kBytesAtOnce) {
    const internal::ByteBits bytes(p);
    const std::uint64_t ends = bytes.equal('\n');
    if (ends != 0) end = p + std::countr_zero(ends);
    // Returns the bits below the lowest set bit, or all bits if none is set.
    const auto below = [](std::uint64_t bits) { return (bits & (0 - bits)) - 1; };
    std::uint64_t inside = below(ends);
    const std::uint64_t dots = bytes.equal('.') & inside;
    const std::uint64_t second = dots << 1 | dots_before >> 63;
    const std::uint64_t third = dots << 2 | dots_before >> 62;
    if ((dots & second & third) != 0) return {};
    dots_before = dots;
    if (equals == nullptr) {
      const std::uint64_t found = bytes.equal('=') & inside;
      const std::uint64_t front = dots & below(found);
      if (front != 0) dot = p + (kBytesAtOnce - 1 - std::countl_zero(front));
      if (found == 0) continue;
      equals = p + std::countr_zero(found);
      inside &= ~below(found);
    }
    if (bracket == nullptr) {
      const std::uint64_t found = bytes.equal('[') & inside;
      if (found != 0) bracket = p + std::countr_zero(found);
    }
  }
  if (bracket == nullptr) return {};
  PlainListLine plain{.key = {line, dot != nullptr ? dot : equals}, .path = {equals + 1, bracket}};
  if (plain.key.empty() || plain.path.empty()) return {};
  const internal::DigitRun first(bracket + 1);
  if (first.size() == 0 || bracket[1 + first.size()] != ',') return {};
  const char* const behind = bracket + 2 + first.size();
  const internal::DigitRun last(behind);
  const char* p = behind + last.size();
  if (last.size() == 0 || *p != ']') return {};
  if (*++p == '\r') ++p;
  if (p != end) return {};
  plain.first = static_cast<std::int64_t>(first.value());
  plain.last = static_cast<std::int64_t>(last.value());
  if (plain.first <= plain.last) plain.end = end;
  return plain;
}

ListLine parse_list_line(std::string_view line, const ListRules& rules, std::string& scratch) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  const std::size_t dots = rules.prefix.empty() ? line.find(kDots) : kNone;
  if (dots == kNone) return parse_expanded(line, rules, scratch);

  scratch = line.substr(0, dots);
  scratch += rules.folder;
  scratch += line.substr(dots + kDots.size());
  ListLine parsed = parse_expanded(scratch, rules, scratch);
  // Offsets refer to the original line of the list.
  const auto original = [&](std::size_t at) {
    if (at <= dots) return at;
    const std::size_t behind = dots + rules.folder.size();
    return at < behind ? dots : at - behind + dots + kDots.size();
  };
  const auto entry = [&](std::size_t& begin, std::size_t& size) {
    const std::size_t end = original(begin + size);
    begin = original(begin);
    size = std::max(begin, end) - begin;
  };
  entry(parsed.fault_begin, parsed.fault_size);
  entry(parsed.path_begin, parsed.path_size);
  return parsed;
}

}  // namespace sheaf::htk
