#include "format/webdataset/webdataset_names.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>

namespace sheaf::webdataset {
namespace {

constexpr std::size_t kFrameDigitsMax = 18;

bool is_metadata(std::string_view name, std::string_view last) noexcept {
  if (last.starts_with('.') || last.empty()) return true;
  const std::string_view first = name.substr(0, name.find('/'));
  const bool is_reserved = first.size() >= 4 && first.starts_with("__") && first.ends_with("__");
  if (is_reserved) return true;
  for (std::string_view rest = name; rest.size() > last.size();) {
    const std::size_t slash = rest.find('/');
    if (rest.substr(0, slash) == "__MACOSX") return true;
    rest.remove_prefix(slash + 1);
  }
  return false;
}

}  // namespace

bool is_image_suffix(std::string_view suffix) noexcept {
  return std::ranges::find(kImageSuffixes, suffix) != kImageSuffixes.end();
}

EntryName split_entry_name(std::string_view name) noexcept {
  const std::size_t slash = name.find_last_of('/');
  const std::size_t begin = slash == std::string_view::npos ? 0 : slash + 1;
  const std::string_view last = name.substr(begin);
  if (is_metadata(name, last)) return {.kind = EntryKind::metadata};
  const std::size_t dot = last.find('.');
  if (dot == std::string_view::npos || dot + 1 == last.size()) {
    return {.kind = EntryKind::no_suffix};
  }
  return {
      .kind = EntryKind::data, .key = name.substr(0, begin + dot), .suffix = last.substr(dot + 1)};
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& each : lower) {
    if (each >= 'A' && each <= 'Z') each = static_cast<char>(each - 'A' + 'a');
  }
  return lower;
}

std::optional<FrameSuffix> split_frame_suffix(std::string_view suffix) noexcept {
  const std::size_t dot = suffix.find('.');
  if (dot == std::string_view::npos || dot == 0 || dot > kFrameDigitsMax) return std::nullopt;
  FrameSuffix frame{.number = 0, .suffix = suffix.substr(dot + 1)};
  if (!is_image_suffix(frame.suffix) || suffix.front() == '-') return std::nullopt;
  const char* const end = suffix.data() + dot;
  const auto [stop, error] = std::from_chars(suffix.data(), end, frame.number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return frame;
}

std::string stream_name_of(std::string_view suffix) {
  std::string name(suffix);
  std::ranges::replace(name, '.', '_');
  return name;
}

}  // namespace sheaf::webdataset
