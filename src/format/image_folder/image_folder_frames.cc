// In the order of paths, a folder may have images before and after a folder inside it. So a folder
// is complete only when the walk has left it.

#include "format/image_folder/image_folder_frames.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <tuple>

namespace sheaf::image_folder {
namespace {

constexpr std::size_t kFrameDigitsMax = 18;
constexpr std::string_view kDigits = "0123456789";

}  // namespace

std::optional<std::int64_t> frame_number(std::string_view name) noexcept {
  const std::string_view stem = name.substr(0, name.find_last_of('.'));
  const std::size_t last = stem.find_last_not_of(kDigits);
  const std::string_view digits = stem.substr(last == std::string_view::npos ? 0 : last + 1);
  if (digits.empty() || digits.size() > kFrameDigitsMax) return std::nullopt;
  std::int64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

void FrameGatherer::add(std::string_view path, std::int64_t size_bytes) {
  const std::size_t slash = path.find_last_of('/');
  const std::string_view folder = path.substr(0, slash == std::string_view::npos ? 0 : slash + 1);
  const std::string_view name = path.substr(folder.size());
  while (!open_.empty() && !folder.starts_with(open_.back().path)) take_last();
  if (open_.empty() || open_.back().path != folder) {
    open_.push_back({.path = std::string(folder), .frames = {}});
  }
  open_.back().frames.push_back(
      {.name = std::string(name), .size_bytes = size_bytes, .number = frame_number(name)});
}

void FrameGatherer::finish() {
  while (!open_.empty()) take_last();
}

void FrameGatherer::take_last() {
  std::vector<Frame>& frames = open_.back().frames;
  std::ranges::sort(frames, [](const Frame& a, const Frame& b) {
    return std::tie(a.number, a.name) < std::tie(b.number, b.name);
  });
  take_(open_.back().path, frames);
  open_.pop_back();
}

}  // namespace sheaf::image_folder
