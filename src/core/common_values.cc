#include "core/common_values.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/element_cast.h"

namespace sheaf::internal {
namespace {

/// Values that buffers with the same content share.
template <typename T>
class CommonArray {
 public:
  explicit CommonArray(std::vector<T> values)
      : values_(std::make_shared<const std::vector<T>>(std::move(values))) {}

  [[nodiscard]] const std::vector<T>& values() const noexcept { return *values_; }

  /// Replaces the content of a buffer by the first `count` values.
  void share(std::size_t count, Buffer& buffer) const {
    buffer = Buffer::borrow(std::as_bytes(std::span(*values_).first(count)), values_);
  }

 private:
  std::shared_ptr<const std::vector<T>> values_;
};

/// The number of values of a shared array. Most buffers need only a few values, which stay in the
/// processor's cache. The pages of the long array are not in memory until first used.
enum class Length : std::int64_t {
  few = std::int64_t{1} << 16,
  most = kCommonCountMax,
};

constexpr bool has_few(std::int64_t count) noexcept {
  return count <= static_cast<std::int64_t>(Length::few);
}

/// Created at first use, at full length, because other threads may be reading it. If several
/// threads create the array at the same time, only one of the arrays is kept. A lock is avoided
/// because a child process that is forked meanwhile could wait forever. Never destroyed.
template <typename T, Length kLength>
std::atomic<const CommonArray<T>*> common = nullptr;

template <typename T, Length kLength, typename Make>
const CommonArray<T>& made_once(const Make& make) {
  const CommonArray<T>* array = common<T, kLength>.load(std::memory_order_acquire);
  if (array != nullptr) return *array;
  auto made = std::make_unique<const CommonArray<T>>(make(static_cast<std::size_t>(kLength)));
  if (common<T, kLength>.compare_exchange_strong(array, made.get(), std::memory_order_acq_rel)) {
    array = made.release();
  }
  return *array;
}

/// `count` samples have count + 1 offsets: the last offset is the end of the last sample.
const CommonArray<std::int64_t>& counting(std::int64_t count) {
  const auto make = [](std::size_t length) {
    std::vector<std::int64_t> numbers(length + 1);
    std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
    return numbers;
  };
  return has_few(count) ? made_once<std::int64_t, Length::few>(make)
                        : made_once<std::int64_t, Length::most>(make);
}

template <typename T>
const CommonArray<T>& ones_of(std::int64_t count) {
  const auto make = [](std::size_t length) { return std::vector<T>(length, T{1}); };
  return has_few(count) ? made_once<T, Length::few>(make) : made_once<T, Length::most>(make);
}

template <typename T>
Buffer shared_ones(std::int64_t count) {
  Buffer values;
  ones_of<T>(count).share(static_cast<std::size_t>(count), values);
  return values;
}

template <typename T, Length kLength>
bool is_array_of_length(const void* data) noexcept {
  const CommonArray<T>* const array = common<T, kLength>.load(std::memory_order_acquire);
  return array != nullptr && data == array->values().data();
}

template <typename T>
bool is_common_array(const void* data) noexcept {
  return is_array_of_length<T, Length::few>(data) || is_array_of_length<T, Length::most>(data);
}

template <typename T>
void share_if_ones_of(Buffer& values) {
  const std::span<const T> all = values.as<T>();
  if (std::ssize(all) > kCommonCountMax) return;
  // Comparing with == is enough, because no other number is equal to 1. The compiler vectorises
  // counting, but not searching. Most arrays that are not all ones differ in the first few values.
  constexpr std::int64_t kAtOnce = 64;
  std::span<const T> rest = all;
  for (; std::ssize(rest) >= kAtOnce; rest = rest.subspan(kAtOnce)) {
    if (std::ranges::count(rest.first(kAtOnce), T{1}) != kAtOnce) return;
  }
  if (std::ranges::count(rest, T{1}) == std::ssize(rest)) {
    ones_of<T>(std::ssize(all)).share(all.size(), values);
  }
}

}  // namespace

Buffer counting_numbers(std::int64_t count) {
  Buffer numbers;
  if (count <= kCommonCountMax + 1) {
    counting(count - 1).share(static_cast<std::size_t>(count), numbers);
    return numbers;
  }
  numbers.resize(count * std::int64_t{sizeof(std::int64_t)});
  const auto written = numbers.as_mutable<std::int64_t>();
  std::iota(written.begin(), written.end(), std::int64_t{0});
  return numbers;
}

Buffer ones(std::int64_t count, ElementType type) {
  if (count <= kCommonCountMax && type == ElementType::f32) return shared_ones<float>(count);
  if (count <= kCommonCountMax && type == ElementType::f64) return shared_ones<double>(count);
  Buffer values;
  values.resize(count * element_size(type));
  with_zero_of(type, [&]<typename T>(T /*zero*/) {
    std::ranges::fill(values.as_mutable<T>(), small_number<T>(1));
  });
  return values;
}

void share_if_counting(Buffer& offsets) {
  const std::span<const std::int64_t> all = offsets.as<std::int64_t>();
  if (std::ssize(all) > kCommonCountMax + 1) return;
  // The last offset rules out nearly all other arrays.
  if (all.empty() || all.back() != std::ssize(all) - 1) return;
  const CommonArray<std::int64_t>& numbers = counting(std::ssize(all) - 1);
  if (std::equal(all.begin(), all.end(), numbers.values().begin())) {
    numbers.share(all.size(), offsets);
  }
}

bool is_common(const Buffer& buffer) noexcept {
  const void* const data = buffer.data();
  return data != nullptr && (is_common_array<std::int64_t>(data) || is_common_array<float>(data) ||
                             is_common_array<double>(data));
}

void share_if_ones(Buffer& values, ElementType type) {
  if (values.empty()) return;
  if (type == ElementType::f32) share_if_ones_of<float>(values);
  if (type == ElementType::f64) share_if_ones_of<double>(values);
}

}  // namespace sheaf::internal
