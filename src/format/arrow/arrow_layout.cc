#include "format/arrow/arrow_layout.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <system_error>

namespace sheaf::arrow {
namespace {

struct NamedLayout {
  std::string_view format;
  Layout layout;
};

constexpr Layout fixed_layout(std::int64_t width) { return {LayoutKind::fixed, width}; }

constexpr NamedLayout kLayouts[] = {
    {"n", {LayoutKind::nulls, 0}},
    {"b", {LayoutKind::bits, 0}},
    {"c", fixed_layout(1)},
    {"C", fixed_layout(1)},
    {"s", fixed_layout(2)},
    {"S", fixed_layout(2)},
    {"e", fixed_layout(2)},
    {"i", fixed_layout(4)},
    {"I", fixed_layout(4)},
    {"f", fixed_layout(4)},
    {"l", fixed_layout(8)},
    {"L", fixed_layout(8)},
    {"g", fixed_layout(8)},
    {"u", {LayoutKind::texts, 4}},
    {"z", {LayoutKind::texts, 4}},
    {"U", {LayoutKind::texts, 8}},
    {"Z", {LayoutKind::texts, 8}},
    {"vu", {LayoutKind::views, kViewBytes}},
    {"vz", {LayoutKind::views, kViewBytes}},
    {"tdD", fixed_layout(4)},
    {"tdm", fixed_layout(8)},
    {"tts", fixed_layout(4)},
    {"ttm", fixed_layout(4)},
    {"ttu", fixed_layout(8)},
    {"ttn", fixed_layout(8)},
    {"tDs", fixed_layout(8)},
    {"tDm", fixed_layout(8)},
    {"tDu", fixed_layout(8)},
    {"tDn", fixed_layout(8)},
    {"tiM", fixed_layout(4)},
    {"tiD", fixed_layout(8)},
    {"tin", fixed_layout(16)},
    {"+l", {LayoutKind::lists, 4}},
    {"+m", {LayoutKind::lists, 4}},
    {"+L", {LayoutKind::lists, 8}},
    {"+vl", {LayoutKind::list_views, 4}},
    {"+vL", {LayoutKind::list_views, 8}},
    {"+s", {LayoutKind::structs, 0}},
    {"+r", {LayoutKind::run_ends, 0}},
};

// Returns the number that makes up the whole text.
std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || number < 0) return std::nullopt;
  return number;
}

std::optional<Layout> layout_with_number(LayoutKind kind, std::string_view text) {
  const std::optional<std::int64_t> width = number_in(text);
  if (!width) return std::nullopt;
  return Layout{kind, *width};
}

// Parses "P,S" or "P,S,BITS".
std::optional<Layout> decimal_layout(std::string_view text) {
  if (std::count(text.begin(), text.end(), ',') < 2) return fixed_layout(16);
  const std::optional<std::int64_t> bits = number_in(text.substr(text.rfind(',') + 1));
  if (!bits || *bits % 8 != 0) return std::nullopt;
  return fixed_layout(*bits / 8);
}

}  // namespace

std::optional<Layout> layout_of(std::string_view format) {
  const auto* const named =
      std::find_if(std::begin(kLayouts), std::end(kLayouts),
                   [&](const NamedLayout& layout) { return layout.format == format; });
  if (named != std::end(kLayouts)) return named->layout;
  if (format.starts_with("w:")) return layout_with_number(LayoutKind::fixed, format.substr(2));
  if (format.starts_with("+w:")) {
    return layout_with_number(LayoutKind::fixed_lists, format.substr(3));
  }
  if (format.starts_with("d:")) return decimal_layout(format.substr(2));
  constexpr std::string_view kTimestamps[] = {"tss:", "tsm:", "tsu:", "tsn:"};
  for (const std::string_view timestamp : kTimestamps) {
    if (format.starts_with(timestamp)) return fixed_layout(8);
  }
  if (format.starts_with("+us:")) return Layout{LayoutKind::sparse_union, 0};
  if (format.starts_with("+ud:")) return Layout{LayoutKind::dense_union, 0};
  return std::nullopt;
}

int buffer_count(const Layout& layout, bool has_old_validity) noexcept {
  const int old_validity = has_old_validity ? 1 : 0;
  switch (layout.kind) {
    case LayoutKind::nulls:
      return 0;
    case LayoutKind::run_ends:
      return old_validity;
    case LayoutKind::structs:
    case LayoutKind::fixed_lists:
      return 1;
    case LayoutKind::bits:
    case LayoutKind::fixed:
    case LayoutKind::views:
    case LayoutKind::lists:
      return 2;
    case LayoutKind::texts:
    case LayoutKind::list_views:
      return 3;
    case LayoutKind::sparse_union:
      return 1 + old_validity;
    case LayoutKind::dense_union:
      return 2 + old_validity;
  }
  return 0;
}

std::optional<int> child_count(const Layout& layout) noexcept {
  switch (layout.kind) {
    case LayoutKind::structs:
    case LayoutKind::sparse_union:
    case LayoutKind::dense_union:
      return std::nullopt;
    case LayoutKind::lists:
    case LayoutKind::list_views:
    case LayoutKind::fixed_lists:
      return 1;
    case LayoutKind::run_ends:
      return 2;
    default:
      return 0;
  }
}

}  // namespace sheaf::arrow
