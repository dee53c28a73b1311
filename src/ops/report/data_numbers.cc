#include "ops/report/data_numbers.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/scan_data.h"

#include "ops/data_stat.h"

namespace sheaf::internal {
namespace {

void add_part(const StreamPart& from, StreamPart& to) {
  to.values.add(from.values);
  to.samples += from.samples;
  to.absent += from.absent;
  if (from.stored_min >= 0) {
    to.stored_min = to.stored_min < 0 ? from.stored_min : std::min(to.stored_min, from.stored_min);
    to.stored_max = std::max(to.stored_max, from.stored_max);
  }
  add_extents(from.extents, to.extents);
  to.has_ids = to.has_ids && from.has_ids;
  if (from.largest > to.largest) {
    to.largest = from.largest;
    to.largest_in = from.largest_in;
  }
  if (!to.non_finite_in) to.non_finite_in = from.non_finite_in;
}

void describe(const Diagnostic& diagnostic, DataNumbers& all) {
  std::vector<Diagnostic>& list =
      diagnostic.severity == Severity::warning ? all.warnings : all.errors;
  if (std::ssize(list) < kDescribedMax) list.push_back(diagnostic);
}

// Puts warnings about the data as a whole before warnings about single sequences.
void describe_first(const std::vector<Diagnostic>& warnings, DataNumbers& all) {
  all.warning_count += std::ssize(warnings);
  all.warnings.insert(all.warnings.begin(), warnings.begin(), warnings.end());
  if (std::ssize(all.warnings) > kDescribedMax) all.warnings.resize(kDescribedMax);
}

/// Adds units up in the order of the data.
class DataCounter {
 public:
  explicit DataCounter(DataNumbers& all) : all_(all) {}

  void add(UnitNumbers unit) {
    all_.sequences += std::ssize(unit.lengths);
    all_.holes += unit.holes;
    all_.error_count += unit.error_count;
    all_.warning_count += unit.warning_count;
    for (const Diagnostic& each : unit.described) describe(each, all_);
    add_lengths(unit);
    for (const SequenceContent& each : unit.contents) {
      all_.hashes.add({.input = each.input, .whole = each.whole, .location = each.location});
    }
    hash_max_.store(all_.hashes.threshold(), std::memory_order_relaxed);
    for (std::size_t s = 0; s < unit.streams.size(); ++s) {
      add_part(unit.streams[s], all_.stream_numbers[s].part);
      all_.stream_numbers[s].runs.append(unit.streams[s].runs, first_);
    }
    for (Slice& each : unit.slices) {
      each.first += first_;
      slices_.add(std::move(each));
    }
    all_.keys.add(unit.keys);
    all_.chunk_end = next(unit.range.chunk);
    first_ += unit.range.count;
  }

  /// Returns a hash above which the sample takes no sequence any more. Any thread may call this
  /// function.
  [[nodiscard]] std::uint64_t hash_max() const noexcept {
    return hash_max_.load(std::memory_order_relaxed);
  }

  void finish(const TotalsPool::Totals& totals) {
    all_.slices = slices_.take();
    for (std::size_t s = 0; s < totals.size(); ++s) {
      StreamNumbers& stream = all_.stream_numbers[s];
      stream.bins = totals[s].values.bins();
      stream.dims = totals[s].values.dims();
      if (stream.part.has_ids) stream.ids = totals[s].ids;
    }
  }

 private:
  void add_lengths(const UnitNumbers& unit) {
    all_.lengths.add(unit.length_counts);
    for (const std::int64_t each : unit.lengths) {
      all_.padding.add(each);
      all_.worker_samples[good_++ % kWorkersMax] += each;
    }
    if (unit.longest.location.is_known() &&
        (!all_.longest.location.is_known() || unit.longest.length > all_.longest.length)) {
      all_.longest = unit.longest;
    }
    if (unit.shortest.location.is_known() &&
        (!all_.shortest.location.is_known() || unit.shortest.length < all_.shortest.length)) {
      all_.shortest = unit.shortest;
    }
  }

  DataNumbers& all_;
  Slices slices_;
  std::int64_t first_ = 0;  // number of the first sequence of the unit
  std::size_t good_ = 0;    // sequences without errors so far
  std::atomic<std::uint64_t> hash_max_ = std::numeric_limits<std::uint64_t>::max();
};

}  // namespace

DataNumbers numbers_of_data(const Deserializer& data, std::vector<bool> labels, Executor& executor,
                            const PassOptions& options) {
  DataNumbers all;
  all.hashes = SequenceSample(options.hashes_max);
  all.streams.assign(data.streams().begin(), data.streams().end());
  all.labels = labels;
  all.stream_numbers.resize(all.streams.size());
  const PassPlan plan(data.streams(), std::move(labels));
  TotalsPool pool(plan);
  DataCounter counter(all);
  const ScanWork work = [&](const ScanUnit& unit) {
    std::unique_ptr<TotalsPool::Totals> totals = pool.take();
    const UnitLimits limits{.described_max = kDescribedMax, .hash_max = counter.hash_max()};
    const auto numbers =
        std::make_shared<UnitNumbers>(numbers_of_unit(plan, data, unit, limits, *totals));
    pool.give(std::move(totals));
    return [&, numbers, end = unit.end_bytes, stored = unit.stored_bytes] {
      counter.add(std::move(*numbers));
      all.bytes = end;
      if (options.progress) options.progress(stored);
    };
  };
  try {
    scan_data(data, executor, work, options.memory_limit_bytes);
  } catch (const DataError& error) {
    all.is_cut = true;
    all.error_count += std::ssize(error.diagnostics());
    for (const Diagnostic& each : error.diagnostics()) describe(each, all);
  }
  counter.finish(pool.sum());
  describe_first(data.warnings(), all);
  return all;
}

}  // namespace sheaf::internal
