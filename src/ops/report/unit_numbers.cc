#include "ops/report/unit_numbers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/unaligned.h"
#include "ops/report/stream_ids.h"

namespace sheaf::internal {
namespace {

// Returns the number of slices in a unit. Small data have many slices in each unit, large data have
// one. The number depends only on the offset of the unit in the file and its sequence count.
std::int64_t slice_count(const ScanUnit& unit) {
  constexpr std::int64_t kMiB = std::int64_t{1} << 20;
  const std::int64_t wanted = unit.end_bytes <= 2 * kMiB    ? 64
                              : unit.end_bytes <= 8 * kMiB  ? 16
                              : unit.end_bytes <= 64 * kMiB ? 4
                                                            : 1;
  return std::min(wanted, unit.range.count);
}

void add_extents(std::int64_t rank, const SequenceView& view, std::vector<ExtentStat>& all) {
  for (std::int64_t i = 0; i < view.sample_count * rank; ++i) {
    const std::int64_t extent = view.extents[i];
    const auto axis = static_cast<std::size_t>(i % rank);
    if (axis == all.size()) all.push_back({.min = extent, .max = extent, .sum = 0});
    all[axis].min = std::min(all[axis].min, extent);
    all[axis].max = std::max(all[axis].max, extent);
    all[axis].sum += static_cast<double>(extent);
  }
}

// Returns the id at the beginning of the first sample.
std::optional<std::int64_t> first_id(const Stream& stream, IdSource source,
                                     const SequenceView& view) {
  if (view.value_count == 0) return std::nullopt;
  std::optional<std::int64_t> first;
  const auto keep = [&](std::int64_t id) { first = id; };
  if (source == IdSource::one_hot) {
    static_cast<void>(visit_one_hot_ids(stream, view.values, 1, keep));
  } else {
    const bool is_sparse = source == IdSource::indices;
    static_cast<void>(visit_ids(stream, is_sparse ? view.indices : view.values, 1, keep));
  }
  return first;
}

/// Collects ids in blocks, since separate loops over a block are faster.
class IdBlock {
 public:
  explicit IdBlock(StreamTotals& totals) : totals_(totals) {}

  void add(std::int64_t id) {
    ids_[count_++] = id;
    if (count_ == ids_.size()) flush();
  }

  void flush() {
    const std::span<const std::int64_t> ids(ids_.data(), count_);
    totals_.ids.add(ids);
    totals_.slice_ids.add(ids);
    count_ = 0;
  }

 private:
  StreamTotals& totals_;
  std::size_t count_ = 0;
  std::array<std::int64_t, 512> ids_ = {};
};

/// Computes the statistics of one unit, slice by slice. Looks at the sequences of a slice in
/// blocks, so that their views stay in the cache.
class UnitCounter {
 public:
  UnitCounter(const PassPlan& plan, const Chunk& chunk, const ScanUnit& unit,
              std::uint64_t hash_max, TotalsPool::Totals& totals, UnitNumbers& numbers)
      : plan_(plan),
        chunk_(chunk),
        unit_(unit),
        hash_max_(hash_max),
        totals_(totals),
        numbers_(numbers) {}

  void count() {
    numbers_.streams.resize(plan_.streams.size());
    const std::int64_t all = chunk_.sequence_count();
    numbers_.lengths.reserve(static_cast<std::size_t>(all));
    numbers_.contents.reserve(static_cast<std::size_t>(all));
    const std::int64_t slices = slice_count(unit_);
    for (std::int64_t i = 0; i < slices; ++i) {
      count_slice(all * i / slices, all * (i + 1) / slices);
    }
  }

 private:
  static constexpr std::int64_t kBlockSequences = 512;

  void count_slice(std::int64_t first, std::int64_t end) {
    Slice slice{.first = first};
    slice.streams.resize(plan_.detailed());
    spans_.assign(plan_.detailed(), {});
    for (std::int64_t i = first; i < end; i += kBlockSequences) {
      count_block(i, std::min(end, i + kBlockSequences), slice);
    }
    for (std::size_t s = 0; s < plan_.detailed(); ++s) {
      count_values(s, first, end, slice.streams[s]);
    }
    numbers_.slices.push_back(std::move(slice));
  }

  void count_block(std::int64_t first, std::int64_t end, Slice& slice) {
    contents_.assign(static_cast<std::size_t>(end - first), {});
    for (std::size_t s = 0; s < plan_.streams.size(); ++s) {
      take_views(s, first, end);
      count_views(s, first);
      if (s < plan_.detailed()) add_span(s);
    }
    for (std::int64_t i = first; i < end; ++i) {
      if (!chunk_.is_hole(i)) count_sequence(i, first, slice);
    }
  }

  void take_views(std::size_t s, std::int64_t first, std::int64_t end) {
    views_.clear();
    chunk_.append_views(static_cast<std::int64_t>(s), first, end - first, views_);
  }

  // Visits the sequences one by one: samples, and hashes.
  void count_views(std::size_t s, std::int64_t first) {
    const Stream& stream = plan_.streams[s];
    StreamPart& part = numbers_.streams[s];
    for (std::size_t i = 0; i < views_.size(); ++i) {
      const SequenceView& view = views_[i];
      if (chunk_.is_hole(first + static_cast<std::int64_t>(i))) continue;
      part.samples += view.sample_count;
      part.absent += view.is_present ? 0 : 1;
      if (view.extents != nullptr) {
        add_extents(stream.sample_shape.rank(), view, part.extents);
      } else if (view.sample_offsets != nullptr) {
        add_stored(view, part);
      }
      const std::uint64_t hash = hash_of_view(stream, view, plan_.name_hashes[s]);
      contents_[i].hash.whole += hash;
      if (!plan_.labels[s]) contents_[i].hash.input += hash;
      contents_[i].values += view.value_count;
    }
  }

  static void add_stored(const SequenceView& view, StreamPart& part) {
    for (std::int64_t i = 0; i < view.sample_count; ++i) {
      const std::int64_t stored = view.sample_offsets[i + 1] - view.sample_offsets[i];
      part.stored_max = std::max(part.stored_max, stored);
      part.stored_min = part.stored_min < 0 ? stored : std::min(part.stored_min, stored);
    }
  }

  // Returns whether other bytes may lie between the values of two sequences.
  [[nodiscard]] bool is_scattered(std::size_t s) const {
    const Column& column = chunk_.columns()[s];
    return !column.value_byte_offsets.empty() || !column.index_byte_offsets.empty();
  }

  // Adds the views to the span of the slice if they lie back to back. Adds their values otherwise.
  void add_span(std::size_t s) {
    const bool wants_values = plan_.streams[s].element_type != ElementType::bytes;
    SequenceView& span = spans_[s];
    for (const SequenceView& each : views_) {
      if (each.value_count == 0) continue;
      if (is_scattered(s)) {
        if (wants_values) totals_[s].values.add(each.values, each.value_count);
        continue;
      }
      if (span.value_count == 0) {
        span.values = each.values;
        span.indices = each.indices;
      }
      span.value_count += each.value_count;
    }
  }

  void count_values(std::size_t s, std::int64_t first, std::int64_t end, SliceStream& slice) {
    if (plan_.streams[s].element_type == ElementType::bytes) {
      numbers_.streams[s].has_ids = false;
      return;
    }
    StreamTotals& totals = totals_[s];
    if (spans_[s].value_count > 0) totals.values.add(spans_[s].values, spans_[s].value_count);
    ValuePart values = totals.values.take_part();
    StreamPart& part = numbers_.streams[s];
    const ChunkRange range{unit_.range.chunk, unit_.range.first + first, end - first};
    if (values.stat.non_finite > 0 && !part.non_finite_in) part.non_finite_in = range;
    const double largest = std::max(std::abs(values.stat.min), std::abs(values.stat.max));
    if (values.stat.finite_count() > 0 && largest > part.largest) {
      part.largest = largest;
      part.largest_in = range;
    }
    part.values.add(values.stat);
    slice.values = values.stat;
    slice.bins = std::move(values.bins);
    if (part.has_ids) count_ids(s, first, end, slice);
  }

  void count_ids(std::size_t s, std::int64_t first, std::int64_t end, SliceStream& slice) {
    const Stream& stream = plan_.streams[s];
    const IdSource source = plan_.sources[s];
    StreamPart& part = numbers_.streams[s];
    StreamTotals& totals = totals_[s];
    part.has_ids = may_be_ids(stream, source, slice.values);
    IdBlock block(totals);
    const auto add = [&](std::int64_t id) { block.add(id); };
    const auto visit = [&](const SequenceView& span) {
      part.has_ids =
          part.has_ids &&
          (source == IdSource::one_hot
               ? visit_one_hot_ids(stream, span.values,
                                   span.value_count / stream.sample_shape.size(), add)
               : visit_ids(stream, source == IdSource::indices ? span.indices : span.values,
                           span.value_count, add));
    };
    if (spans_[s].value_count > 0) visit(spans_[s]);
    for (std::int64_t i = first; i < end && part.has_ids; i += kBlockSequences) {
      take_views(s, i, std::min(end, i + kBlockSequences));
      for (const SequenceView& each : views_) {
        if (each.value_count > 0 && is_scattered(s)) visit(each);
      }
      if (part.has_ids) add_runs(s, i);
    }
    block.flush();
    slice.ids = totals.slice_ids.take();
  }

  void add_runs(std::size_t s, std::int64_t first) {
    for (std::size_t i = 0; i < views_.size(); ++i) {
      const std::optional<std::int64_t> id =
          first_id(plan_.streams[s], plan_.sources[s], views_[i]);
      if (id) numbers_.streams[s].runs.add(*id, first + static_cast<std::int64_t>(i));
    }
  }

  void count_sequence(std::int64_t i, std::int64_t first, Slice& slice) {
    const std::int64_t number = unit_.range.first + i;
    const std::int64_t length = unit_.sequences->sample_count(number);
    const CompactLocation location{static_cast<std::uint32_t>(unit_.range.chunk),
                                   static_cast<std::uint32_t>(number)};
    ++slice.sequences;
    slice.samples += length;
    slice.lengths.hit(bin_of_length(length));
    numbers_.lengths.push_back(length);
    numbers_.length_counts.add(length);
    if (!numbers_.longest.location.is_known() || length > numbers_.longest.length) {
      numbers_.longest = {length, location};
    }
    if (length > 0 &&
        (!numbers_.shortest.location.is_known() || length < numbers_.shortest.length)) {
      numbers_.shortest = {length, location};
    }
    const Content& content = contents_[static_cast<std::size_t>(i - first)];
    if (content.values == 0) return;  // sequences without values are not duplicates
    if (content.hash.input > hash_max_) return;
    numbers_.contents.push_back({content.hash.input, content.hash.whole, location});
  }

  struct Content {
    SequenceHash hash;
    std::int64_t values = 0;  // number of values
  };

  const PassPlan& plan_;
  const Chunk& chunk_;
  const ScanUnit& unit_;
  const std::uint64_t hash_max_;
  TotalsPool::Totals& totals_;
  UnitNumbers& numbers_;
  std::vector<SequenceView> views_;  // views of one stream of the block
  std::vector<Content> contents_;    // of the sequences of the block
  std::vector<SequenceView> spans_;  // [stream]: the values of the slice, if they lie back to back
};

}  // namespace

PassPlan::PassPlan(std::span<const Stream> of_data, std::vector<bool> are_labels)
    : streams(of_data), labels(std::move(are_labels)) {
  for (const Stream& each : streams) {
    name_hashes.push_back(hash_of_name(each.name));
    if (sources.size() < kStreamsMax) sources.push_back(id_source_of(each));
  }
}

std::unique_ptr<TotalsPool::Totals> TotalsPool::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      std::unique_ptr<Totals> totals = std::move(free_.back());
      free_.pop_back();
      return totals;
    }
  }
  return std::make_unique<Totals>(empty_totals());
}

void TotalsPool::give(std::unique_ptr<Totals> totals) {
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(totals));
}

TotalsPool::Totals TotalsPool::sum() const {
  Totals all = empty_totals();
  for (const std::unique_ptr<Totals>& each : free_) {
    for (std::size_t s = 0; s < all.size(); ++s) {
      all[s].values.add((*each)[s].values);
      all[s].ids.add((*each)[s].ids);
    }
  }
  return all;
}

TotalsPool::Totals TotalsPool::empty_totals() const {
  Totals totals;
  for (std::size_t s = 0; s < plan_.detailed(); ++s) totals.emplace_back(plan_.streams[s]);
  return totals;
}

UnitNumbers numbers_of_unit(const PassPlan& plan, const Deserializer& data, const ScanUnit& unit,
                            const UnitLimits& limits, TotalsPool::Totals& totals) {
  Diagnostics diagnostics(limits.described_max);
  const Chunk chunk = data.read(unit.range, diagnostics);
  UnitNumbers numbers{.range = unit.range,
                      .holes = std::ssize(chunk.holes()),
                      .error_count = diagnostics.error_count(),
                      .warning_count = diagnostics.warning_count()};
  numbers.described.assign(diagnostics.described().begin(), diagnostics.described().end());
  numbers.keys = keys_of(*unit.sequences, unit.range.first, unit.range.count);
  UnitCounter(plan, chunk, unit, limits.hash_max, totals, numbers).count();
  return numbers;
}

}  // namespace sheaf::internal
