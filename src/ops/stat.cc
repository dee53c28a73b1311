#include "sheaf/stat.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "sheaf/extend/index.h"
#include "sheaf/extend/interruption.h"
#include "sheaf/extend/scan_data.h"

#include "base/saturated.h"
#include "dataset/part_data.h"
#include "ops/data_stat.h"
#include "ops/threads.h"

namespace sheaf {

double ValueStat::deviation() const {
  return std::sqrt(squares / static_cast<double>(finite_count()));
}

void ValueStat::add(const ValueStat& other) {
  const auto own = static_cast<double>(finite_count());
  const auto others = static_cast<double>(other.finite_count());
  if (own == 0) {
    min = other.min;
    max = other.max;
    mean = other.mean;
    squares = other.squares;
  } else if (others > 0) {
    const double distance = other.mean - mean;
    min = std::min(min, other.min);
    max = std::max(max, other.max);
    mean += distance * (others / (own + others));
    squares += other.squares + distance * distance * (own * others / (own + others));
  }
  count += other.count;
  zeros += other.zeros;
  non_finite += other.non_finite;
}

std::optional<Density> StreamStat::density(const Stream& stream) const {
  if (!values || samples == 0 || !stream.sample_shape.is_fixed()) return std::nullopt;
  const double each = static_cast<double>(values->count) / static_cast<double>(samples);
  return Density{each, each / static_cast<double>(stream.sample_shape.size())};
}

namespace {

std::optional<CostStat> costs_of(const Index& index) {
  std::optional<CostStat> stat;
  for (ChunkIndex chunk{}; index.chunk(chunk); chunk = next(chunk)) {
    check_interruption();
    const std::optional<SampleCounts> costs = index.costs(chunk);
    if (!costs) return stat;
    for (std::int64_t i = 0; i < costs->size(); ++i) {
      const std::int64_t cost = (*costs)[i];
      if (!stat) stat = {.name = index.cost_measure().name, .min = cost, .max = cost};
      stat->total = internal::saturated_sum(stat->total, cost);
      stat->min = std::min(stat->min, cost);
      stat->max = std::max(stat->max, cost);
    }
  }
  return stat;
}

}  // namespace

StatReport stat(const Deserializer& data, const StatOptions& options) {
  const std::span<const Stream> streams = data.streams();
  internal::DataStat all;
  const internal::PartData* const part_data = internal::part_in(data);
  StatPart kept;
  kept.values.resize(streams.size());
  all.counts.streams.assign(streams.begin(), streams.end());
  all.counts.stream_stats.resize(streams.size());
  const ScanWork work = [&](const ScanUnit& unit) {
    Diagnostics diagnostics(0);
    const Chunk chunk = data.read(unit.range, diagnostics);
    const auto part = std::make_shared<internal::DataStat>(internal::stat_of(
        streams, chunk, *unit.sequences, unit.range.first, options.finds_duplicates));
    part->counts.error_count = diagnostics.error_count();
    part->counts.warning_count = diagnostics.warning_count();
    return [&, part, end = unit.stored_bytes] {
      for (std::size_t i = 0; part_data != nullptr && i < streams.size(); ++i) {
        const std::optional<ValueStat>& values = part->counts.stream_stats[i].values;
        if (values) kept.values[i].push_back(*values);
      }
      all.add(std::move(*part));
      if (options.run.progress) options.run.progress(end);
    };
  };
  const internal::OperationThreads threads(options.run);
  scan_data(data, threads.executor(), work, options.run.memory_limit_bytes);
  if (part_data != nullptr) {
    kept.part = part_data->part();
    kept.source = part_data->whole()->fingerprint();
    kept.contents.assign(all.contents.begin(), all.contents.end());
    all.counts.part = std::move(kept);
  }
  if (options.finds_duplicates) all.counts.duplicates = all.duplicates();
  all.counts.cost = costs_of(data.index());
  all.counts.storage = data.storage();
  all.counts.warnings = data.warnings();
  return std::move(all.counts);
}

StatReport stat(const DataSpec& data, const StatOptions& options, OpenContext context) {
  const internal::OperationThreads threads(options.run);
  context.executor = &threads.executor();
  context.memory_limit_bytes = options.run.memory_limit_bytes;
  StatOptions own = options;
  own.run.executor = context.executor;
  return stat(*open(data, context).data, own);
}

}  // namespace sheaf
