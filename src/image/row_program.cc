#include "image/row_program.h"

#include <algorithm>
#include <cassert>
#include <cstddef>

namespace sheaf::internal {
namespace {

/// The smallest and the largest byte of the sources of some values.
struct Window {
  std::int32_t first = 0;
  std::int32_t last = 0;

  [[nodiscard]] bool fits() const noexcept { return last - first < RowProgram::kWindowBytes; }
};

Window window_of(std::span<const SourcePair> sources) noexcept {
  Window window{.first = sources[0][0], .last = sources[0][0]};
  for (const SourcePair& pair : sources) {
    window.first = std::min({window.first, pair[0], pair[1]});
    window.last = std::max({window.last, pair[0], pair[1]});
  }
  return window;
}

/// Calls visit(piece) for pieces of `size` values until it returns false.
template <typename Visit>
bool all_pieces(std::span<const SourcePair> sources, std::int64_t size, const Visit& visit) {
  for (auto rest = sources; !rest.empty();) {
    const auto piece = rest.first(std::min(rest.size(), static_cast<std::size_t>(size)));
    if (!visit(piece)) return false;
    rest = rest.subspan(piece.size());
  }
  return true;
}

bool fit_each(std::span<const SourcePair> sources, std::int64_t size) {
  return all_pieces(sources, size, [](auto piece) { return window_of(piece).fits(); });
}

/// The bytes of a shuffle for the lanes of a half.
using HalfShuffle = std::array<std::uint8_t, RowProgram::kWindowBytes / 2>;

HalfShuffle half_shuffle(std::span<const SourcePair> values, std::int32_t base) noexcept {
  HalfShuffle shuffle;
  shuffle.fill(RowProgram::kNoByte);
  std::uint8_t* out = shuffle.data();
  for (const SourcePair& pair : values.first(std::min(values.size(), shuffle.size() / 2))) {
    for (const std::int32_t byte : pair) *out++ = static_cast<std::uint8_t>(byte - base);
  }
  return shuffle;
}

RowProgram::Group group_of(std::span<const SourcePair> values, const RowProgram& program) {
  RowProgram::Group group;
  group.first_shuffle.fill(RowProgram::kNoByte);
  group.second_shuffle.fill(RowProgram::kNoByte);
  if (values.empty()) return group;
  const auto half = std::min(values.size(), static_cast<std::size_t>(program.half_values));
  const auto first = values.first(half);
  const auto second = values.subspan(half);
  const Window window = window_of(program.has_one_window ? values : first);
  group.bases.fill(window.first);
  std::ranges::copy(half_shuffle(first, window.first), group.first_shuffle.begin());
  if (second.empty()) return group;
  if (!program.has_one_window) group.bases[1] = window_of(second).first;
  auto& shuffle = program.has_one_window ? group.first_shuffle : group.second_shuffle;
  std::ranges::copy(half_shuffle(second, group.bases[1]),
                    shuffle.begin() + RowProgram::kWindowBytes / 2);
  return group;
}

void set_tail(std::int64_t row_bytes, std::int64_t reach, RowProgram& program) {
  const auto passes_end = [&](const RowProgram::Group& group) {
    const std::int64_t base = std::max(group.bases[0], group.bases[1]);
    return base + reach + RowProgram::kWindowBytes > row_bytes;
  };
  const auto found = std::ranges::find_if(program.groups, passes_end);
  program.tail_group = (found - program.groups.begin()) / 2 * 2;
  const std::span<RowProgram::Group> tail =
      std::span(program.groups).subspan(static_cast<std::size_t>(program.tail_group));
  if (tail.empty()) return;
  std::int32_t first = tail.front().bases[0];
  std::int32_t last = first;
  for (const RowProgram::Group& group : tail) {
    first = std::min({first, group.bases[0], group.bases[1]});
    last = std::max({last, group.bases[0], group.bases[1]});
  }
  for (RowProgram::Group& group : tail) {
    for (std::int32_t& base : group.bases) base -= first;
  }
  program.tail_first = first;
  program.tail_bytes = row_bytes - first;
  program.tail_room = std::max(program.tail_bytes, last - first + reach + RowProgram::kWindowBytes);
}

}  // namespace

void make_row_program(std::span<const SourcePair> sources, std::int64_t row_bytes,
                      std::int64_t reach, RowProgram& program) {
  program.value_count = std::ssize(sources);
  program.half_values = RowProgram::kHalfLanes;
  while (program.half_values > 1 && !fit_each(sources, program.half_values)) --program.half_values;
  assert(fit_each(sources, program.half_values));
  const std::int64_t group_values = 2 * program.half_values;
  program.has_one_window = fit_each(sources, group_values);
  program.groups.clear();
  static_cast<void>(all_pieces(sources, group_values, [&](auto piece) {
    program.groups.push_back(group_of(piece, program));
    return true;
  }));
  if (program.groups.size() % 2 == 1) {
    RowProgram::Group empty = group_of({}, program);
    empty.bases = program.groups.back().bases;
    program.groups.push_back(empty);
  }
  program.tail_first = program.tail_bytes = program.tail_room = 0;
  set_tail(row_bytes, reach, program);
}

}  // namespace sheaf::internal
