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

void add_to_runs(std::int64_t id, std::int64_t sequence, std::vector<IdRun>& runs) {
  if (!runs.empty() && runs.back().id == id) {
    ++runs.back().count;
  } else {
    runs.push_back({.id = id, .first = sequence, .count = 1});
  }
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

/// Computes the statistics of one unit, slice by slice.
class UnitCounter {
 public:
  UnitCounter(const PassPlan& plan, const Chunk& chunk, const ScanUnit& unit,
              TotalsPool::Totals& totals, UnitNumbers& numbers)
      : plan_(plan), chunk_(chunk), unit_(unit), totals_(totals), numbers_(numbers) {}

  void count() {
    numbers_.streams.resize(plan_.streams.size());
    const std::int64_t all = chunk_.sequence_count();
    numbers_.lengths.reserve(static_cast<std::size_t>(all));
    numbers_.hashes.reserve(static_cast<std::size_t>(all));
    const std::int64_t slices = slice_count(unit_);
    for (std::int64_t i = 0; i < slices; ++i) {
      count_slice(all * i / slices, all * (i + 1) / slices);
    }
  }

 private:
  void count_slice(std::int64_t first, std::int64_t end) {
    Slice slice{.first = first};
    slice.streams.resize(plan_.detailed());
    hashes_.assign(static_cast<std::size_t>(end - first), {});
    sizes_.assign(static_cast<std::size_t>(end - first), 0);
    for (std::size_t s = 0; s < plan_.streams.size(); ++s) {
      views_.clear();
      chunk_.append_views(static_cast<std::int64_t>(s), first, end - first, views_);
      count_views(s, first);
      if (s < plan_.detailed()) count_values(s, first, slice.streams[s]);
    }
    for (std::int64_t i = first; i < end; ++i) {
      if (!chunk_.is_hole(i)) count_sequence(i, first, slice);
    }
    numbers_.slices.push_back(std::move(slice));
  }

  // Visits the sequences one by one: samples, hashes, and the first id.
  void count_views(std::size_t s, std::int64_t first) {
    const Stream& stream = plan_.streams[s];
    StreamPart& part = numbers_.streams[s];
    for (std::size_t i = 0; i < views_.size(); ++i) {
      const std::int64_t sequence = first + static_cast<std::int64_t>(i);
      const SequenceView& view = views_[i];
      if (chunk_.is_hole(sequence)) continue;
      part.samples += view.sample_count;
      part.absent += view.is_present ? 0 : 1;
      if (view.extents != nullptr) {
        add_extents(stream.sample_shape.rank(), view, part.extents);
      } else if (view.sample_offsets != nullptr) {
        add_stored(view, part);
      }
      const std::uint64_t hash = hash_of_view(stream, view, plan_.name_hashes[s]);
      hashes_[i].whole += hash;
      if (!plan_.labels[s]) hashes_[i].input += hash;
      sizes_[i] += view.value_count;
    }
  }

  static void add_stored(const SequenceView& view, StreamPart& part) {
    for (std::int64_t i = 0; i < view.sample_count; ++i) {
      const std::int64_t stored = view.sample_offsets[i + 1] - view.sample_offsets[i];
      part.stored_max = std::max(part.stored_max, stored);
      part.stored_min = part.stored_min < 0 ? stored : std::min(part.stored_min, stored);
    }
  }

  void count_values(std::size_t s, std::int64_t first, SliceStream& slice) {
    const Stream& stream = plan_.streams[s];
    if (stream.element_type == ElementType::bytes) {
      numbers_.streams[s].has_ids = false;
      return;
    }
    StreamTotals& totals = totals_[s];
    visit_spans(
        s, [&](const SequenceView& span) { totals.values.add(span.values, span.value_count); });
    ValuePart values = totals.values.take_part();
    StreamPart& part = numbers_.streams[s];
    const ChunkRange range{unit_.range.chunk, unit_.range.first + first, std::ssize(views_)};
    if (values.stat.non_finite > 0 && !part.non_finite_in) part.non_finite_in = range;
    const double largest = std::max(std::abs(values.stat.min), std::abs(values.stat.max));
    if (values.stat.finite_count() > 0 && largest > part.largest) {
      part.largest = largest;
      part.largest_in = range;
    }
    part.values.add(values.stat);
    slice.values = values.stat;
    slice.bins = std::move(values.bins);
    if (part.has_ids) count_ids(s, first, slice);
  }

  void count_ids(std::size_t s, std::int64_t first, SliceStream& slice) {
    const Stream& stream = plan_.streams[s];
    const IdSource source = plan_.sources[s];
    StreamPart& part = numbers_.streams[s];
    StreamTotals& totals = totals_[s];
    part.has_ids = may_be_ids(stream, source, slice.values);
    IdBlock block(totals);
    const auto add = [&](std::int64_t id) { block.add(id); };
    visit_spans(s, [&](const SequenceView& span) {
      if (!part.has_ids) return;
      part.has_ids =
          source == IdSource::one_hot
              ? visit_one_hot_ids(stream, span.values,
                                  span.value_count / stream.sample_shape.size(), add)
              : visit_ids(stream, source == IdSource::indices ? span.indices : span.values,
                          span.value_count, add);
    });
    block.flush();
    slice.ids = totals.slice_ids.take();
    for (std::size_t i = 0; i < views_.size() && part.has_ids; ++i) {
      const std::optional<std::int64_t> id = first_id(stream, source, views_[i]);
      if (id) add_to_runs(*id, first + static_cast<std::int64_t>(i), part.runs);
    }
  }

  // Passes adjacent values as one span.
  template <typename Visit>
  void visit_spans(std::size_t s, const Visit& visit) {
    const Column& column = chunk_.columns()[s];
    if (!column.value_places.empty() || !column.index_places.empty()) {
      for (const SequenceView& each : views_) {
        if (each.value_count > 0) visit(each);
      }
      return;
    }
    SequenceView span;
    for (const SequenceView& each : views_) {
      if (each.value_count == 0) continue;
      if (span.value_count == 0) {
        span.values = each.values;
        span.indices = each.indices;
      }
      span.value_count += each.value_count;
    }
    if (span.value_count > 0) visit(span);
  }

  void count_sequence(std::int64_t i, std::int64_t first, Slice& slice) {
    const std::int64_t number = unit_.range.first + i;
    const std::int64_t length = unit_.sequences->sample_count(number);
    const SmallPlace place{static_cast<std::uint32_t>(unit_.range.chunk),
                           static_cast<std::uint32_t>(number)};
    ++slice.sequences;
    slice.samples += length;
    slice.lengths.hit(slot_of_length(length));
    numbers_.lengths.push_back(length);
    numbers_.length_counts.add(length);
    if (!numbers_.longest.place.is_known() || length > numbers_.longest.length) {
      numbers_.longest = {length, place};
    }
    if (length > 0 && (!numbers_.shortest.place.is_known() || length < numbers_.shortest.length)) {
      numbers_.shortest = {length, place};
    }
    const auto at = static_cast<std::size_t>(i - first);
    if (sizes_[at] == 0) return;  // sequences without values are not duplicates
    numbers_.hashes.push_back(
        {.input = hashes_[at].input, .whole = hashes_[at].whole, .place = place});
  }

  const PassPlan& plan_;
  const Chunk& chunk_;
  const ScanUnit& unit_;
  TotalsPool::Totals& totals_;
  UnitNumbers& numbers_;
  std::vector<SequenceView> views_;   // views of one stream of the slice
  std::vector<SequenceHash> hashes_;  // hashes of the sequences of the slice
  std::vector<std::int64_t> sizes_;   // number of values in each sequence of the slice
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
                            std::int64_t described_max, TotalsPool::Totals& totals) {
  Diagnostics diagnostics(described_max);
  const Chunk chunk = data.read(unit.range, diagnostics);
  UnitNumbers numbers{.range = unit.range,
                      .holes = std::ssize(chunk.holes()),
                      .error_places = diagnostics.error_count(),
                      .warning_places = diagnostics.warning_count()};
  numbers.described.assign(diagnostics.described().begin(), diagnostics.described().end());
  numbers.keys = keys_of(*unit.sequences, unit.range.first, unit.range.count);
  UnitCounter(plan, chunk, unit, totals, numbers).count();
  return numbers;
}

}  // namespace sheaf::internal
