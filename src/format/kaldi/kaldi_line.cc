#include "format/kaldi/kaldi_line.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <system_error>

#include "base/byte_bits.h"
#include "base/text_scan.h"
#include "format/kaldi/kaldi_archive.h"
#include "format/kaldi/kaldi_data_errors.h"
#include "format/kaldi/kaldi_sources.h"

namespace sheaf::kaldi {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

// Reads a number off the front.
bool take_number(std::string_view& text, std::int64_t& number) noexcept {
  if (text.empty() || text[0] < '0' || text[0] > '9') return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

// Reads "first:last", or ":" for all.
bool parse_part(std::string_view text, std::optional<internal::KaldiListedRange>& range) noexcept {
  if (text == ":") return true;
  internal::KaldiListedRange found;
  if (!take_number(text, found.first) || !text.starts_with(':')) return false;
  text.remove_prefix(1);
  if (!take_number(text, found.last) || !text.empty()) return false;
  range = found;
  return true;
}

bool parse_range(std::string_view text, ListedObject& object) noexcept {
  const std::size_t comma = text.find(',');
  if (!parse_part(text.substr(0, comma), object.rows)) return false;
  return comma == kNone || parse_part(text.substr(comma + 1), object.cols);
}

// Takes a command that sheaf carries out itself.
bool take_command(std::string_view text, ListedObject& object) noexcept {
  const std::optional<ListedCommand> command = parse_command(text);
  if (!command) return false;
  object.path = command->path;
  object.is_compressed = command->is_compressed;
  object.decoder = command->decoder;
  object.channel = command->channel;
  return true;
}

// Reads ":digits" at the end of a path.
bool take_offset(ListedObject& object) noexcept {
  const std::size_t colon = object.path.find_last_not_of("0123456789");
  if (colon == kNone || colon + 1 == object.path.size() || object.path[colon] != ':') return true;
  std::string_view digits = object.path.substr(colon + 1);
  if (!take_number(digits, object.offset_bytes)) return false;
  object.path = object.path.substr(0, colon);
  return true;
}

// Returns whether a path is one of Kaldi's names for tables.
bool is_specifier(std::string_view name) noexcept {
  if (!name.starts_with("ark") && !name.starts_with("scp")) return false;
  return name.size() > 3 && (name[3] == ':' || name[3] == ',');
}

const ErrorKind* parse_path(std::string_view name, ListedObject& object) noexcept {
  object.path = name;
  if (name.ends_with('|')) {
    return take_command(name.substr(0, name.size() - 1), object) ? nullptr : &kCommand;
  }
  if (name == "-") return &kStandardInput;
  if (name.find('|') != kNone) return &kCommand;
  if (is_specifier(name)) return &kSpecifier;
  if (!take_offset(object)) return &kListedOffset;
  return object.path.empty() ? &kNoPath : nullptr;
}

}  // namespace

ListedObject parse_line(std::string_view line) noexcept {
  ListedObject object;
  const auto set_fault = [&](const ErrorKind& kind, std::string_view at) {
    object.fault = &kind;
    object.fault_begin = static_cast<std::size_t>(at.data() - line.data());
    object.fault_size = at.size();
  };
  const std::size_t key_size = std::min(line.find_first_of(kSpace), line.size());
  object.key = line.substr(0, key_size);
  if (object.key.empty()) {
    set_fault(kNoKey, line.substr(0, 0));
    return object;
  }
  std::string_view rest = trimmed(line.substr(key_size));
  object.path_begin = static_cast<std::size_t>(rest.data() - line.data());
  object.path_size = rest.size();
  if (rest.empty()) {
    set_fault(kNoPath, rest);
    return object;
  }
  if (rest.ends_with(']')) {
    const std::size_t open = rest.find('[');
    const std::string_view range = open == kNone ? rest : rest.substr(open);
    object.range_begin = static_cast<std::size_t>(range.data() - line.data());
    object.range_size = range.size();
    const bool is_good = open != kNone && range.find('[', 1) == kNone &&
                         parse_range(range.substr(1, range.size() - 2), object);
    if (!is_good) {
      set_fault(kRange, range);
      return object;
    }
    rest = trimmed(rest.substr(0, open));
    object.path_size = rest.size();
  }
  if (const ErrorKind* const fault = parse_path(rest, object)) set_fault(*fault, rest);
  return object;
}

PlainLine parse_plain_line(const char* line) noexcept {
  constexpr int kBytesAtOnce = 64;
  constexpr std::ptrdiff_t kDigitsMax = 16;
  const char* blank = nullptr;
  const char* colon = nullptr;  // the last one
  const char* end = nullptr;
  for (const char* p = line; end == nullptr; p += kBytesAtOnce) {
    const internal::ByteBits bytes(p);
    // Blanks, line ends and other control bytes. A plain line has two.
    std::uint64_t low = bytes.at_most_blank();
    if (blank == nullptr && low != 0) {
      blank = p + std::countr_zero(low);
      low &= low - 1;
      if (*blank != ' ') return {};
    }
    std::uint64_t inside = ~std::uint64_t{0};
    if (low != 0) {
      end = p + std::countr_zero(low);
      inside = (low & (0 - low)) - 1;
      if (*end != '\n' && (*end != '\r' || end[1] != '\n')) return {};
    }
    if (((bytes.equal('|') | bytes.equal(']')) & inside) != 0) return {};
    const std::uint64_t colons = bytes.equal(':') & inside;
    if (colons != 0) colon = p + (kBytesAtOnce - 1 - std::countl_zero(colons));
  }
  if (colon == nullptr || colon <= blank + 1 || blank == line) return {};
  const std::ptrdiff_t digits = end - (colon + 1);
  if (digits == 0 || digits > kDigitsMax) return {};
  const internal::DigitRun first(colon + 1);
  if (first.size() != std::min<std::ptrdiff_t>(digits, 8)) return {};
  auto offset = static_cast<std::int64_t>(first.value());
  if (digits > 8) {
    const internal::DigitRun second(colon + 9);
    if (second.size() != std::min<std::ptrdiff_t>(digits - 8, 8)) return {};
    for (std::ptrdiff_t i = 8; i < digits; ++i) offset *= 10;
    offset += static_cast<std::int64_t>(second.value());
  }
  if (is_specifier({blank + 1, end})) return {};
  return {.end = *end == '\r' ? end + 1 : end,
          .key = {line, blank},
          .path = {blank + 1, colon},
          .offset_bytes = offset};
}

std::string source_name_of(const ListedObject& object) {
  std::string name;
  if (object.is_compressed) name += KaldiSources::kDecompressed;
  name += object.path;
  return name;
}

bool KaldiLines::is_blank(std::string_view line) noexcept {
  return line.find_first_not_of(kSpace) == kNone;
}

internal::ScannedLine KaldiLines::parse(std::string_view line) {
  const ListedObject object = parse_line(line);
  ScannedLine scanned{.key = object.key, .path = object.path, .is_good = object.fault == nullptr};
  if (!scanned.is_good) {
    scanned.count = 0;
    return scanned;
  }
  scanned.location = object.offset_bytes;
  if (object.is_compressed) {
    name_ = source_name_of(object);
    scanned.path = name_;
  }
  return scanned;
}

}  // namespace sheaf::kaldi
