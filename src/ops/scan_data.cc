#include "sheaf/extend/scan_data.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <exception>
#include <optional>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/interruption.h"
#include "sheaf/open.h"

#include "base/ledger.h"
#include "base/text.h"
#include "base/unit_size.h"
#include "core/memory_limit.h"
#include "dataset/transformed_data.h"
#include "index/units.h"
#include "ops/task_window.h"

namespace sheaf {
namespace {

using internal::TaskWindow;
using internal::unit_size_bytes;
using internal::Units;

// A unit is halved while it is larger than these multiples of the usual unit size. Units become
// large in some formats, or if a sequence has many samples.
constexpr std::int64_t kUnitsMax = 2;     // size in the file
constexpr std::int64_t kDecodedMax = 16;  // decoded size

// Iterates over the units of all chunks.
class AllUnits {
 public:
  explicit AllUnits(const Deserializer& data)
      : index_(data.index()),
        begin_bytes_(part_bytes(data).value_or(PartBytes{}).offset_bytes),
        stored_bytes_(index_, part_bytes(data).has_value()) {}

  /// Throws: as Index::chunk.
  std::optional<ScanUnit> next() {
    if (first_ == chunk_.sequence_count) {
      if (is_over_) return std::nullopt;
      const std::optional<ChunkInfo> chunk = index_.chunk(number_);
      if (!chunk) {
        is_over_ = true;
        return std::nullopt;
      }
      chunk_ = *chunk;
      stored_bytes_.begin(number_, chunk_);
      sequences_ = index_.sequences(number_);
      units_ = index_.reads_parts() ? Units(chunk_) : Units(chunk_.sequence_count, 1);
      first_ = 0;
    }
    std::int64_t end = units_.first(units_.of(first_) + 1);
    if (index_.reads_parts()) {
      while (end - first_ > 1 && is_large(size_bytes(end))) end = first_ + (end - first_) / 2;
    }
    ScanUnit unit{.range = {.chunk = number_, .first = first_, .count = end - first_},
                  .sequences = sequences_,
                  .end_bytes = chunk_.offset_bytes - begin_bytes_ + offset_bytes(end),
                  .stored_bytes = stored_bytes_.up_to(offset_bytes(end)),
                  .memory_bytes = memory_bytes(size_bytes(end))};
    first_ = end;
    if (end == chunk_.sequence_count) number_ = sheaf::next(number_);
    return unit;
  }

 private:
  [[nodiscard]] std::int64_t offset_bytes(std::int64_t sequence) const {
    return sequence < chunk_.sequence_count ? sequences_->offset_bytes(sequence)
                                            : chunk_.size_bytes;
  }

  // Returns the size of the sequences from the next one up to `end`.
  [[nodiscard]] std::int64_t size_bytes(std::int64_t end) const {
    return offset_bytes(end) - offset_bytes(first_);
  }

  [[nodiscard]] std::int64_t decoded_bytes(std::int64_t size) const {
    const auto whole = static_cast<double>(std::max<std::int64_t>(1, chunk_.size_bytes));
    return static_cast<std::int64_t>(static_cast<double>(size) / whole *
                                     static_cast<double>(chunk_.decoded_size_bytes));
  }

  [[nodiscard]] bool is_large(std::int64_t size) const {
    const std::int64_t unit = unit_size_bytes();
    return size > kUnitsMax * unit || decoded_bytes(size) > kDecodedMax * unit;
  }

  // Returns the memory for the decoded unit and, for text formats, for its text, which may be a
  // single row, or for its pairs during sorting.
  [[nodiscard]] std::int64_t memory_bytes(std::int64_t size) const {
    const bool is_text = chunk_.first_line > 0;
    return decoded_bytes(size) + (is_text ? size + size / 2 : 0);
  }

  const Index& index_;
  std::int64_t begin_bytes_;  // offset of the part in its file
  StoredBytes stored_bytes_;
  ChunkIndex number_{};
  ChunkInfo chunk_;  // the current chunk
  std::shared_ptr<const SequenceTable> sequences_;
  Units units_{0, 1};
  std::int64_t first_ = 0;
  bool is_over_ = false;
};

/// The units in progress: enough that the threads have work while the next chunk is found, limited
/// by the memory.
class UnderWay {
 public:
  UnderWay(Executor& executor, std::int64_t memory_limit_bytes)
      : window_(executor),
        count_max_(32 + 4 * static_cast<std::size_t>(executor.thread_count())),
        ledger_(memory_limit_bytes),
        index_(ledger_) {}

  [[nodiscard]] bool is_full() const noexcept { return window_.size() >= count_max_; }
  [[nodiscard]] bool is_empty() const noexcept { return window_.size() == 0; }

  void take() {
    window_.take();
    units_.pop_front();
  }

  /// Throws: ConfigError if the unit alone exceeds the limit.
  void check(const ScanUnit& unit, std::int64_t index_bytes) {
    index_.use(index_bytes);
    const std::int64_t needed = index_bytes + unit.memory_bytes;
    if (!ledger_.has_limit() || needed <= ledger_.limit_bytes()) return;
    throw ConfigError(
        formatted("memory_limit_bytes: {} bytes are too few: the {} sequences up to byte {} need "
                  "{} bytes; set the limit to {} or more",
                  ledger_.limit_bytes(), unit.range.count, unit.end_bytes, needed, needed));
  }

  /// Pre: check() accepted the unit.
  void submit(const ScanWork& work, ScanUnit unit) {
    while (!is_empty() && !ledger_.has_room(unit.memory_bytes)) take();
    units_.emplace_back(ledger_).use(unit.memory_bytes);
    window_.submit([&work, unit = std::move(unit)] { return work(unit); });
  }

 private:
  TaskWindow window_;
  std::size_t count_max_;
  internal::Ledger ledger_;
  internal::Ledger::Token index_;
  std::deque<internal::Ledger::Token> units_;  // of the units in the window
};

}  // namespace

void scan_data(const Deserializer& data, Executor& executor, const ScanWork& work,
               std::optional<std::int64_t> memory_limit_bytes) {
  internal::check_memory_limit("memory_limit_bytes", memory_limit_bytes);
  const internal::TransformChain* const chain = internal::chain_of(data);
  if (memory_limit_bytes && chain != nullptr) chain->check_sizes();
  AllUnits units(data);
  UnderWay under_way(executor, memory_limit_bytes.value_or(0));
  std::exception_ptr error;  // from the index; errors in earlier chunks are thrown first
  for (bool is_over = false; !is_over || !under_way.is_empty();) {
    check_interruption();
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

}  // namespace sheaf
