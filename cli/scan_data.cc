#include "scan_data.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <exception>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sheaf/error.h"

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
                  .end_bytes = chunk_.offset_bytes + end_offset,
                  .memory_bytes = memory_bytes(end_offset - sequences_->offset_bytes(first_))};
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

  // Decoded, and before that the text, which may be a single row; or its pairs, while they are
  // sorted.
  [[nodiscard]] std::int64_t memory_bytes(std::int64_t size) const {
    const auto whole = static_cast<double>(std::max<std::int64_t>(1, chunk_.size_bytes));
    const double decoded =
        static_cast<double>(size) / whole * static_cast<double>(chunk_.decoded_size_bytes);
    const bool is_text = chunk_.first_line > 0;
    return static_cast<std::int64_t>(decoded) + (is_text ? size + size / 2 : 0);
  }

  const Index& index_;
  ChunkIndex number_{};
  ChunkInfo chunk_;  // the one under way
  std::shared_ptr<const SequenceTable> sequences_;
  std::int64_t first_ = 0;
  bool is_over_ = false;
};

/// What is under way: so much that threads have work while the next chunk is found, and no more
/// than there is memory for.
class UnderWay {
 public:
  UnderWay(Executor& executor, std::int64_t memory_limit_bytes)
      : window_(executor),
        count_max_(32 + 4 * static_cast<std::size_t>(executor.thread_count())),
        memory_limit_bytes_(memory_limit_bytes) {}

  [[nodiscard]] bool is_full() const noexcept { return window_.size() >= count_max_; }
  [[nodiscard]] bool is_empty() const noexcept { return window_.size() == 0; }

  void take() {
    window_.take();
    bytes_ -= sizes_.front();
    sizes_.pop_front();
  }

  /// Throws: ConfigError for a unit that is too much by itself.
  void check(const ScanUnit& unit, std::int64_t index_bytes) {
    index_bytes_ = index_bytes;
    const std::int64_t needed = index_bytes + unit.memory_bytes;
    if (memory_limit_bytes_ == 0 || needed <= memory_limit_bytes_) return;
    throw ConfigError(
        fmt::format("--memory-limit: {} bytes are too few: the {} sequences up to byte {} need {} "
                    "bytes; set the "
                    "limit to {} or more",
                    memory_limit_bytes_, unit.range.count, unit.end_bytes, needed, needed));
  }

  /// Pre: check() let it pass.
  void submit(const ScanWork& work, ScanUnit unit) {
    while (memory_limit_bytes_ > 0 && !is_empty() &&
           index_bytes_ + bytes_ + unit.memory_bytes > memory_limit_bytes_) {
      take();
    }
    bytes_ += sizes_.emplace_back(unit.memory_bytes);
    window_.submit([&work, unit = std::move(unit)] { return work(unit); });
  }

 private:
  TaskWindow window_;
  std::size_t count_max_;
  std::int64_t memory_limit_bytes_;
  std::deque<std::int64_t> sizes_;  // of the units of the window
  std::int64_t bytes_ = 0;          // their sum
  std::int64_t index_bytes_ = 0;
};

}  // namespace

void scan_data(const Deserializer& data, Executor& executor, const ScanWork& work,
               std::int64_t memory_limit_bytes) {
  Units units(data.index());
  UnderWay under_way(executor, memory_limit_bytes);
  std::exception_ptr error;  // of finding chunks; what was found before it comes first
  for (bool is_over = false; !is_over || !under_way.is_empty();) {
    if (is_over || under_way.is_full()) {
      under_way.take();
      continue;
    }
    std::optional<ScanUnit> unit;
    try {
      unit = units.next();
      is_over = !unit;
      if (unit) under_way.check(*unit, data.index().memory_bytes());
    } catch (...) {
      error = std::current_exception();
      is_over = true;
    }
    if (!is_over) under_way.submit(work, *std::move(unit));
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace sheaf::cli
