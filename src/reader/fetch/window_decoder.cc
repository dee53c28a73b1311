// Units are read in any order, as many at once as the memory allows. A unit for which there is not
// enough memory at the time is read at the end, on its own. So the window fits if there is room for
// all held units plus the largest unit while it is read, for any number of threads.

#include "reader/fetch/window_decoder.h"

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/extend/parallel_for.h"

#include "base/interruption_watch.h"
#include "base/saturated.h"
#include "reader/fetch/held_chunk.h"
#include "reader/plan/planner.h"
#include "reader/plan/range_cut.h"

namespace sheaf::internal {
namespace {

// After 1/8 of the units, reading stops if all units would take more than twice the available
// memory.
constexpr std::int64_t kTrialShare = 8;
constexpr double kHopeless = 2;

class WindowDecoder {
 public:
  WindowDecoder(const Deserializer& deserializer, Ledger& ledger, std::int64_t other_bytes,
                DecodedRanges& decoded)
      : deserializer_(deserializer),
        ledger_(ledger),
        room_bytes_(ledger.limit_bytes() - other_bytes),
        decoded_(decoded),
        others_(ledger),
        held_(ledger) {
    others_.use(other_bytes);
  }

  [[nodiscard]] bool run(Executor& executor, std::int64_t chunk_count) {
    for (std::int64_t chunk = 0; chunk < chunk_count; ++chunk) add_units(ChunkIndex{chunk});
    const std::int64_t trial_count = (std::ssize(units_) + kTrialShare - 1) / kTrialShare;
    read(executor, 0, trial_count);
    if (is_full_ || is_hopeless(trial_count)) return false;
    read(executor, trial_count, std::ssize(units_));
    if (is_full_ || !has_room()) return false;
    hand_over();
    return true;
  }

 private:
  struct UnitToRead {
    ChunkRange range;
    std::int64_t wide_bytes = 0;     // with the values as read
    std::int64_t reading_bytes = 0;  // the memory needed while the unit is read
    bool is_read = false;
    std::int64_t held_bytes = 0;
    DecodedSink::Kept kept;  // null if the steps have to read the unit
  };

  void add_units(ChunkIndex chunk) {
    const RangeCut cut(deserializer_.index(), {chunk});
    for (std::int64_t first = 0; first < cut.end();) {
      const std::int64_t count = cut.unit_at(first).end - first;
      const std::int64_t wide = cut.decoded_bytes(first, count);
      const std::int64_t parts[] = {wide, HeldChunk::narrow_bytes_max(wide),
                                    cut.long_text_bytes(first, count), Planner::kReadBufferBytes};
      UnitToRead& unit = units_.emplace_back();
      unit.range = {chunk, first, count};
      unit.wide_bytes = wide;
      for (const std::int64_t part : parts) {
        unit.reading_bytes = saturated_sum(unit.reading_bytes, part);
      }
      reading_bytes_max_ = std::max(reading_bytes_max_, unit.reading_bytes);
      first += count;
    }
  }

  [[nodiscard]] bool has_room() const noexcept {
    return saturated_sum(held_.held_bytes(), reading_bytes_max_) <= room_bytes_;
  }

  // Reads the units [begin, end). Units that did not fit beside others come last.
  void read(Executor& executor, std::int64_t begin, std::int64_t end) {
    parallel_for(&executor, end - begin, [&](std::int64_t i) { read_one(unit(begin + i)); });
    for (std::int64_t i = begin; i < end; ++i) {
      if (!unit(i).is_read) read_one(unit(i));
    }
  }

  [[nodiscard]] UnitToRead& unit(std::int64_t number) noexcept {
    return units_[static_cast<std::size_t>(number)];
  }

  // Reads a unit, or skips the unit if there is no room for it now.
  void read_one(UnitToRead& unit) {
    Ledger::Token reading(ledger_);
    {
      const std::scoped_lock lock(mutex_);
      is_full_ |= !has_room();
      if (is_full_ || !ledger_.has_room(unit.reading_bytes)) return;
      reading.use(unit.reading_bytes);
    }
    std::shared_ptr<const HeldChunk> chunk = decode(unit.range);
    const std::scoped_lock lock(mutex_);
    unit.held_bytes = chunk != nullptr ? chunk->held_bytes() : unit.wide_bytes;
    unit.kept = std::move(chunk);
    unit.is_read = true;
    reading.release();
    held_.use(saturated_sum(held_.used_bytes(), unit.held_bytes));
  }

  // Returns null on errors. The step that needs the unit reads it again and reports them.
  [[nodiscard]] std::shared_ptr<const HeldChunk> decode(const ChunkRange& range) const {
    const InterruptionWatch watch;
    try {
      Diagnostics diagnostics;
      Chunk chunk = deserializer_.read(range, diagnostics);
      const bool is_plain = diagnostics.entries().empty() && chunk.holes().empty() &&
                            chunk.sequence_count() == range.count &&
                            chunk.stream_count() == std::ssize(deserializer_.streams());
      if (!is_plain) return nullptr;
      return std::static_pointer_cast<const HeldChunk>(decoded_.keep(std::move(chunk)));
    } catch (...) {
      if (watch.was_interrupted()) throw;
    }
    return nullptr;
  }

  [[nodiscard]] bool is_hopeless(std::int64_t read_count) noexcept {
    double read_bytes = 0;
    double all_bytes = 0;
    for (std::int64_t i = 0; i < std::ssize(units_); ++i) {
      const auto wide_bytes = static_cast<double>(unit(i).wide_bytes);
      all_bytes += wide_bytes;
      if (i < read_count) read_bytes += wide_bytes;
    }
    if (read_bytes <= 0) return false;
    const double expected_bytes = static_cast<double>(held_.held_bytes()) / read_bytes * all_bytes;
    return expected_bytes > kHopeless * static_cast<double>(room_bytes_);
  }

  void hand_over() {
    std::vector<std::int64_t> held_bytes;
    for (std::size_t i = 0; i < units_.size(); ++i) {
      UnitToRead& unit = units_[i];
      const ChunkIndex chunk = unit.range.chunk;
      decoded_.add(unit.range, std::move(unit.kept), 0);
      held_bytes.push_back(unit.held_bytes);
      if (i + 1 < units_.size() && units_[i + 1].range.chunk == chunk) continue;
      decoded_.set_held_bytes(chunk, std::exchange(held_bytes, {}));
    }
    decoded_.set_reading_bytes(reading_bytes_max_ - Planner::kReadBufferBytes);
  }

  const Deserializer& deserializer_;
  Ledger& ledger_;
  const std::int64_t room_bytes_;
  DecodedRanges& decoded_;
  Ledger::Token others_;
  std::vector<UnitToRead> units_;
  std::int64_t reading_bytes_max_ = 0;

  std::mutex mutex_;
  Ledger::Token held_;  // under the mutex, like is_full_
  bool is_full_ = false;
};

}  // namespace

bool decode_window(const Deserializer& deserializer, Executor& executor, std::int64_t chunk_count,
                   Ledger& ledger, std::int64_t other_bytes, DecodedRanges& decoded) {
  WindowDecoder decoder(deserializer, ledger, other_bytes, decoded);
  const bool is_decoded = decoder.run(executor, chunk_count);
  decoded.end();
  return is_decoded;
}

}  // namespace sheaf::internal
