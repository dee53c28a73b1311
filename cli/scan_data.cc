#include "scan_data.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <optional>
#include <utility>

#include "task_window.h"

namespace sheaf::cli {
namespace {

constexpr std::int64_t kUnitSizeBytes = std::int64_t{1} << 20;      // of the file
constexpr std::int64_t kDecodedSizeBytes = std::int64_t{16} << 20;  // in memory

// Chunks cut into units, one after the other.
class Units {
 public:
  explicit Units(const Index& index) : index_(index) {}

  std::optional<ScanUnit> next() {
    if (first_ == chunk_.sequence_count) {
      if (is_over_) return std::nullopt;
      const std::optional<ChunkInfo> chunk = index_.chunk(number_);
      if (!chunk) {
        is_over_ = true;
        return std::nullopt;
      }
      chunk_ = *chunk;
      sequences_ = index_.sequences(number_);
      first_ = 0;
    }
    const std::int64_t end = unit_end();
    const std::int64_t end_offset =
        end < chunk_.sequence_count ? sequences_->offset_bytes(end) : chunk_.size_bytes;
    ScanUnit unit{.range = {.chunk = number_, .first = first_, .count = end - first_},
                  .sequences = sequences_,
                  .end_bytes = chunk_.offset_bytes + end_offset};
    first_ = end;
    if (end == chunk_.sequence_count) number_ = sheaf::next(number_);
    return unit;
  }

 private:
  // Behind the last sequence that fits, which is at least one. Offsets ascend.
  [[nodiscard]] std::int64_t unit_end() const {
    std::int64_t size = kUnitSizeBytes;
    if (chunk_.decoded_size_bytes > 0) {  // of data that grow much when they are decoded, less
      const double share =
          static_cast<double>(kDecodedSizeBytes) / static_cast<double>(chunk_.decoded_size_bytes);
      size = std::min(
          size, static_cast<std::int64_t>(
                    share * static_cast<double>(std::max<std::int64_t>(1, chunk_.size_bytes))));
    }
    const std::int64_t end_max = sequences_->offset_bytes(first_) + size;
    if (chunk_.size_bytes <= end_max) return chunk_.sequence_count;
    std::int64_t end = first_ + 1;
    std::int64_t beyond = chunk_.sequence_count;  // with these the unit is too large
    while (end + 1 < beyond) {
      const std::int64_t middle = end + (beyond - end) / 2;
      (sequences_->offset_bytes(middle) <= end_max ? end : beyond) = middle;
    }
    return end;
  }

  const Index& index_;
  ChunkIndex number_{};
  ChunkInfo chunk_;  // the one under way
  std::shared_ptr<const SequenceTable> sequences_;
  std::int64_t first_ = 0;
  bool is_over_ = false;
};

// So many that threads have work while the next chunk is found.
bool is_full(const TaskWindow& window, const Executor& executor) noexcept {
  constexpr std::size_t kAhead = 32;
  return window.size() >= kAhead + 4 * static_cast<std::size_t>(executor.thread_count());
}

}  // namespace

void scan_data(const Deserializer& data, Executor& executor, const ScanWork& work) {
  Units units(data.index());
  TaskWindow window(executor);
  std::exception_ptr error;  // of finding chunks; what was found before it comes first
  for (bool is_over = false; !is_over || window.size() > 0;) {
    if (is_over || is_full(window, executor)) {
      window.take();
      continue;
    }
    try {
      if (std::optional<ScanUnit> unit = units.next()) {
        window.submit([&work, unit = *std::move(unit)] { return work(unit); });
      } else {
        is_over = true;
      }
    } catch (...) {
      error = std::current_exception();
      is_over = true;
    }
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace sheaf::cli
