#include <cstddef>
#include <iterator>

#include "sheaf/stat.h"

namespace sheaf {
namespace {

constexpr std::int64_t kSmall = 1024;

}  // namespace

void Histogram::add(std::int64_t number, std::int64_t count) {
  if (count == 0) return;
  count_ += count;
  total_ += number * count;
  if (number >= kSmall) {
    large_[number] += count;
    return;
  }
  const auto i = static_cast<std::size_t>(number);
  if (i >= small_.size()) small_.resize(i + 1);
  small_[i] += count;
}

void Histogram::add(const Histogram& other) {
  for (std::size_t i = 0; i < other.small_.size(); ++i) {
    add(static_cast<std::int64_t>(i), other.small_[i]);
  }
  for (const auto& [number, count] : other.large_) add(number, count);
}

std::vector<std::pair<std::int64_t, std::int64_t>> Histogram::counts() const {
  std::vector<std::pair<std::int64_t, std::int64_t>> all;
  for (std::size_t i = 0; i < small_.size(); ++i) {
    if (small_[i] > 0) all.emplace_back(static_cast<std::int64_t>(i), small_[i]);
  }
  all.insert(all.end(), large_.begin(), large_.end());
  return all;
}

std::int64_t Histogram::min() const {
  for (std::size_t i = 0; i < small_.size(); ++i) {
    if (small_[i] > 0) return static_cast<std::int64_t>(i);
  }
  return large_.begin()->first;
}

std::int64_t Histogram::max() const {
  if (!large_.empty()) return large_.rbegin()->first;
  return std::ssize(small_) - 1;  // the last number made it larger
}

double Histogram::mean() const { return static_cast<double>(total_) / static_cast<double>(count_); }

std::int64_t Histogram::percentile(int percent) const {
  // Rounds count * percent / 100 up, in integers and without overflow.
  const std::int64_t wanted = count_ / 100 * percent + (count_ % 100 * percent + 99) / 100;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < small_.size(); ++i) {
    sum += small_[i];
    if (sum >= wanted) return static_cast<std::int64_t>(i);
  }
  for (const auto& [number, count] : large_) {
    sum += count;
    if (sum >= wanted) return number;
  }
  return max();
}

}  // namespace sheaf
