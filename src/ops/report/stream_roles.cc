#include "ops/report/stream_roles.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "ops/report/stream_sums.h"

namespace sheaf::internal {
namespace {

constexpr std::array<std::string_view, 8> kLabelNames = {
    "label", "target", "class", "category", "answer", "intent", "transcript", "alignment"};

// These names are too short to search for inside longer names.
constexpr std::array<std::string_view, 2> kShortLabelNames = {"y", "cls"};

bool is_named_like_label(const std::string& name) {
  std::string lower = name;
  std::ranges::transform(lower, lower.begin(), [](char each) {
    return 'A' <= each && each <= 'Z' ? static_cast<char>(each - 'A' + 'a') : each;
  });
  return std::ranges::find(kShortLabelNames, lower) != kShortLabelNames.end() ||
         std::ranges::any_of(kLabelNames, [&](std::string_view each) {
           return lower.find(each) != std::string::npos;
         });
}

bool is_single(const Stream& stream) {
  return stream.storage == Storage::dense && stream.sample_shape.is_fixed() &&
         stream.sample_shape.size() == 1;
}

bool is_measured_kind(const Stream& stream) {
  return stream.element_type == ElementType::bytes ||
         (stream.storage == Storage::dense && is_floating(stream.element_type));
}

bool is_like_class(const Stream& stream) {
  return stream.storage == Storage::sparse || (is_single(stream) && is_whole(stream.element_type));
}

template <typename Test>
std::vector<bool> marked(std::span<const Stream> streams, const Test& test) {
  std::vector<bool> marks(streams.size());
  for (std::size_t i = 0; i < streams.size(); ++i) marks[i] = test(streams[i]);
  return marks;
}

// Tells whether there are both labels and other streams.
bool has_both(const std::vector<bool>& marks) {
  return std::ranges::count(marks, true) > 0 && std::ranges::count(marks, false) > 0;
}

}  // namespace

IdSource id_source_of(const Stream& stream) noexcept {
  if (stream.storage == Storage::sparse) return IdSource::indices;
  if (stream.element_type == ElementType::bytes) return IdSource::none;
  if (is_single(stream)) return IdSource::values;
  const bool is_wide_whole =
      is_whole(stream.element_type) && stream.element_type != ElementType::u8;
  if (is_wide_whole && stream.sample_shape.rank() <= 1) return IdSource::values;
  const bool is_short =
      stream.sample_shape.is_fixed() && stream.sample_shape.size() <= StreamSums::kDimsMax;
  return is_short ? IdSource::one_hot : IdSource::none;
}

std::vector<bool> label_streams(std::span<const Stream> streams) {
  std::vector<bool> marks =
      marked(streams, [](const Stream& each) { return each.class_names != nullptr; });
  if (has_both(marks)) return marks;
  marks = marked(streams, [](const Stream& each) { return is_named_like_label(each.name); });
  if (has_both(marks)) return marks;
  if (std::ranges::any_of(streams, is_measured_kind)) {
    marks = marked(streams, is_like_class);
    if (has_both(marks)) return marks;
  }
  return std::vector<bool>(streams.size());
}

}  // namespace sheaf::internal
