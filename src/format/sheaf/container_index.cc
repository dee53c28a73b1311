#include "format/sheaf/container_index.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "base/saturated.h"
#include "base/text.h"

namespace sheaf::container {
namespace {

// The memory of a buffer besides its bytes.
constexpr std::int64_t kBufferSlack = 64;
constexpr std::int64_t kBuffersPerStream = 8;
constexpr std::int64_t kNumber = sizeof(std::int64_t);

// Replaces keys that are numbers by the keys of their digits as texts.
SequenceTable with_text_keys(const SequenceTable& table) {
  SequenceTable::Builder builder;
  const std::optional<SampleCounts> costs = table.costs();
  for (std::int64_t i = 0; i < table.size(); ++i) {
    builder.push_back({.key = key_of_text(std::to_string(table.key(i).low)),
                       .offset_bytes = table.offset_bytes(i),
                       .sample_count = table.sample_count(i),
                       .cost = costs ? std::optional((*costs)[i]) : std::nullopt});
  }
  return builder.finish();
}

}  // namespace

ContainerIndex::ContainerIndex(const ContainerFile& file, const ContainerSchema& schema,
                               std::int64_t memory_limit_bytes) noexcept
    : file_(file), schema_(schema), table_bytes_max_(memory_limit_bytes) {}

// Returns the memory of a decoded chunk: of its columns, unchanged or converted, and of the bytes
// that borrowed columns keep alive.
std::int64_t ContainerIndex::decoded_size_bytes(const ChunkEntry& entry) const {
  using internal::saturated_product;
  using internal::saturated_sum;
  std::int64_t size = 0;
  const auto add = [&size](std::int64_t bytes) { size = saturated_sum(size, bytes); };
  for (std::size_t i = 0; i < schema_.streams.size(); ++i) {
    const auto column = static_cast<std::size_t>(schema_.columns[i]);
    const Stream& stream = schema_.streams[i];
    const Stream& in_file = *file_.directory.note().stream_of(schema_.columns[i]);
    const std::int64_t content = entry.contents[column];
    const std::int64_t samples = entry.samples[column];
    add(content);
    add(content / 7);
    // Offsets of samples; offsets, byte offsets and presence of sequences.
    add(saturated_product(samples, 2 * kNumber));
    add(saturated_product(entry.sequence_count, 4 * kNumber + 1));
    add(kBuffersPerStream * kBufferSlack);
    const std::int64_t wide = element_size(stream.element_type);
    const std::int64_t stored = element_size(in_file.element_type);
    if (wide > stored) add(saturated_product(content / stored, wide));
    if (stream.index_type != in_file.index_type) {
      add(saturated_product(content / element_size(in_file.index_type), kNumber));
    }
  }
  if (file_.directory.note().has_text_keys) {
    add(entry.contents[0]);
    add(saturated_product(entry.sequence_count, std::int64_t{sizeof(std::string)} + 1));
  } else if (schema_.makes_texts) {
    add(saturated_product(entry.sequence_count, std::int64_t{sizeof(std::string)} + 24));
  }
  return size;
}

std::optional<ChunkInfo> ContainerIndex::chunk(ChunkIndex chunk) const {
  const auto number = static_cast<std::int64_t>(chunk);
  if (number >= file_.directory.chunk_count()) return std::nullopt;
  const ChunkEntry entry = file_.directory.chunk(number);
  return ChunkInfo{.offset_bytes = file_.directory.content_before(number),
                   .size_bytes = file_.directory.content(number),
                   .first_line = 0,
                   .sequence_count = entry.sequence_count,
                   .sample_count = entry.sample_count,
                   .decoded_size_bytes = decoded_size_bytes(entry),
                   .hash = entry.content_hash};
}

std::int64_t ContainerIndex::stored_size_bytes(ChunkIndex chunk) const {
  const auto number = static_cast<std::int64_t>(chunk);
  const bool is_last = number + 1 == file_.directory.chunk_count();
  const std::int64_t begin = number == 0 ? 0 : file_.directory.offset(number);
  const std::int64_t end = is_last ? file_.source->size() : file_.directory.offset(number + 1);
  return end - begin;
}

ContainerIndex::Tables ContainerIndex::read_tables(std::int64_t chunk) const {
  Tables tables{.table = std::make_shared<const ChunkTable>(read_table(file_, chunk)),
                .sequences = nullptr,
                .bytes = 0};
  tables.bytes = tables.table->memory_bytes();
  if (schema_.makes_texts) {
    tables.sequences =
        std::make_shared<const SequenceTable>(with_text_keys(tables.table->sequences));
    tables.bytes += tables.sequences->size_bytes();
  } else {
    tables.sequences = {tables.table, &tables.table->sequences};
  }
  return tables;
}

ContainerIndex::Tables ContainerIndex::tables(ChunkIndex chunk) const {
  const auto number = static_cast<std::int64_t>(chunk);
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = kept_.find(number); found != kept_.end()) {
      recent_.splice(recent_.begin(), recent_, found->second.entry);
      return found->second.tables;
    }
  }
  Tables tables = read_tables(number);
  const std::lock_guard lock(mutex_);
  if (const auto found = kept_.find(number); found != kept_.end()) return found->second.tables;
  recent_.push_front(number);
  kept_.emplace(number, KeptTables{tables, recent_.begin()});
  table_bytes_ += tables.bytes;
  while (table_bytes_max_ > 0 && table_bytes_ > table_bytes_max_ && recent_.size() > 1) {
    const auto last = kept_.find(recent_.back());
    table_bytes_ -= last->second.tables.bytes;
    kept_.erase(last);
    recent_.pop_back();
  }
  return tables;
}

std::shared_ptr<const ChunkTable> ContainerIndex::table(ChunkIndex chunk) const {
  return tables(chunk).table;
}

std::shared_ptr<const SequenceTable> ContainerIndex::sequences(ChunkIndex chunk) const {
  return tables(chunk).sequences;
}

std::int64_t ContainerIndex::memory_bytes() const {
  const std::lock_guard lock(mutex_);
  return file_.directory.memory_bytes() + table_bytes_;
}

CostMeasure ContainerIndex::cost_measure() const {
  const std::string& name = file_.directory.note().cost_name;
  if (!name.empty()) return {.name = name};
  return {.reason = formatted("{}: the file keeps no costs", file_.source->name())};
}

}  // namespace sheaf::container
