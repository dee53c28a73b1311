#include "core/common_values.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

namespace sheaf::internal {
namespace {

// Made when they are first needed, at their full length: other threads may be looking at them.
template <typename T>
using Array = std::shared_ptr<const std::vector<T>>;

const Array<std::int64_t>& counting() {
  static const Array<std::int64_t> array = [] {
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(kCommonCountMax) + 1);
    std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
    return std::make_shared<const std::vector<std::int64_t>>(std::move(numbers));
  }();
  return array;
}

template <typename T>
const Array<T>& ones() {
  static const auto array =
      std::make_shared<const std::vector<T>>(static_cast<std::size_t>(kCommonCountMax), T{1});
  return array;
}

template <typename T>
void share_first(const Array<T>& array, std::size_t count, Buffer& buffer) {
  buffer = Buffer::borrow(std::as_bytes(std::span(*array).first(count)), array);
}

template <typename T>
void share_if_ones_of(Buffer& values) {
  const std::span<const T> all = values.as<T>();
  if (std::ssize(all) > kCommonCountMax) return;
  // By equality, not by bytes: no other number is equal to 1.
  if (std::ranges::all_of(all, [](T value) { return value == T{1}; })) {
    share_first(ones<T>(), all.size(), values);
  }
}

}  // namespace

void share_if_counting(Buffer& offsets) {
  const std::span<const std::int64_t> all = offsets.as<std::int64_t>();
  if (std::ssize(all) > kCommonCountMax + 1) return;
  // The first one and the last one tell apart nearly all that are not.
  if (all.empty() || all.back() != std::ssize(all) - 1) return;
  const std::vector<std::int64_t>& numbers = *counting();
  if (std::equal(all.begin(), all.end(), numbers.begin())) {
    share_first(counting(), all.size(), offsets);
  }
}

void share_if_ones(Buffer& values, ElementType type) {
  if (values.empty()) return;
  if (type == ElementType::f32) share_if_ones_of<float>(values);
  if (type == ElementType::f64) share_if_ones_of<double>(values);
}

}  // namespace sheaf::internal
