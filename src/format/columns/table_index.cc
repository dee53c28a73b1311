#include "format/columns/table_index.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "format/columns/column_sizes.h"
#include "format/columns/kept_vocabularies.h"
#include "format/columns/table_keys.h"

namespace sheaf::columns {
namespace {

std::vector<RowsOfBatch> rows_of_chunks(const ArrowBatches& batches,
                                        std::int64_t chunk_size_bytes) {
  std::vector<RowsOfBatch> result;
  std::int64_t row = 0;
  for (std::int64_t batch = 0; batch < batches.batch_count(); ++batch) {
    const std::int64_t all = batches.row_count(batch);
    if (all == 0) continue;
    std::int64_t parts = 1;
    if (batches.reads_parts()) {
      const std::int64_t size = batches.location(batch).size_bytes;
      parts =
          std::clamp<std::int64_t>(size / chunk_size_bytes + (size % chunk_size_bytes > 0), 1, all);
    }
    // Cuts into parts of nearly equal size, without a product that could overflow.
    const std::int64_t least = all / parts;
    const std::int64_t longer = all % parts;
    std::int64_t first = 0;
    for (std::int64_t part = 0; part < parts; ++part) {
      const std::int64_t count = least + (part < longer ? 1 : 0);
      result.push_back({.batch = batch, .first = first, .first_row = row, .count = count});
      first += count;
      row += count;
    }
  }
  return result;
}

}  // namespace

TableIndex::TableIndex(std::shared_ptr<const ArrowBatches> batches, const TableStreams& streams,
                       const FormatOptions& options, const Context& context, std::string identity,
                       const BatchCache* cache)
    : batches_(std::move(batches)),
      streams_(streams),
      cache_(batches_->reads_parts() || batches_->reads_lengths() ? nullptr : cache),
      rows_(rows_of_chunks(*batches_, options.chunk_size_bytes)),
      sizes_(rows_.size()),
      recent_(options.index.memory_limit_bytes.value_or(0)) {
  if (batches_->path().empty()) return;
  std::vector<std::int64_t> row_counts;
  for (const RowsOfBatch& rows : rows_) row_counts.push_back(rows.count);
  Vocabularies vocabularies;
  for (const StreamColumn& column : streams_.columns) {
    if (column.vocabulary) vocabularies.emplace(column.number, column.vocabulary);
  }
  file_ = std::make_unique<TableIndexFile>(
      TableIndexFile::Parts{.batches = batches_.get(),
                            .options = options.index,
                            .context = context,
                            .identity = std::move(identity),
                            .row_counts = std::move(row_counts),
                            .has_row_numbers = !streams_.key.has_value(),
                            .class_notes = notes_of_classes(vocabularies)});
}

bool TableIndex::is_known(const StreamColumn& column, const RowsOfBatch& rows) const {
  return has_equal_rows(column) && batches_->null_count(rows.batch, column.number) == 0;
}

// Decodes the columns that have lengths, and the keys. The cache keeps them for the values.
internal::IndexRecord TableIndex::read_record_from_cache(ChunkIndex chunk) const {
  const RowsOfBatch& rows = this->rows(chunk);
  std::vector<std::int64_t> numbers;
  for (const StreamColumn& column : streams_.columns) {
    if (!is_known(column, rows)) numbers.push_back(column.number);
  }
  if (streams_.key) numbers.push_back(streams_.key->number);
  std::shared_ptr<const ArrowArray> array;
  if (!numbers.empty()) array = cache_->read_columns(rows.batch, numbers);
  std::vector<const ArrowArray*> columns;
  std::size_t next = 0;  // in the columns that were read
  for (const StreamColumn& column : streams_.columns) {
    columns.push_back(is_known(column, rows) ? nullptr : array->children[next++]);
  }
  if (streams_.key) columns.push_back(array->children[next]);
  const std::int64_t first = array ? array->offset + rows.first : 0;
  return record_of(chunk, columns, first, first);
}

internal::IndexRecord TableIndex::read_record(ChunkIndex chunk) const {
  if (cache_ != nullptr) return read_record_from_cache(chunk);
  const RowsOfBatch& rows = this->rows(chunk);
  std::vector<std::int64_t> numbers;  // of the columns to look at
  for (const StreamColumn& column : streams_.columns) {
    if (!is_known(column, rows)) numbers.push_back(column.number);
  }
  ArrowPart part{
      .batch = rows.batch, .first = rows.first, .count = rows.count, .needs_dictionaries = false};
  std::shared_ptr<const ArrowArray> array;
  if (!numbers.empty()) {
    part.columns = numbers;
    part.lengths_only = true;
    array = batches_->read(part);
  }
  std::shared_ptr<const ArrowArray> keys;
  if (streams_.key) {
    part.columns = {&streams_.key->number, 1};
    part.lengths_only = false;
    keys = batches_->read(part);
  }
  std::vector<const ArrowArray*> columns;
  std::size_t next = 0;  // in the columns that were read
  for (const StreamColumn& column : streams_.columns) {
    columns.push_back(is_known(column, rows) ? nullptr : array->children[next++]);
  }
  if (keys) columns.push_back(keys->children[0]);
  // The offset of a struct applies to its children, too.
  return record_of(chunk, columns, array ? array->offset : 0, keys ? keys->offset : 0);
}

internal::IndexRecord TableIndex::record_of(ChunkIndex chunk,
                                            std::span<const ArrowArray* const> columns,
                                            std::int64_t first, std::int64_t first_key) const {
  const RowsOfBatch& rows = this->rows(chunk);
  const auto rows_of = [&](const ArrowArray* column, std::int64_t from) {
    return ColumnRows{.array = column,
                      .first = from,
                      .count = rows.count,
                      .batch = rows.batch,
                      .first_in_batch = rows.first};
  };
  std::vector<std::int64_t> samples(static_cast<std::size_t>(rows.count), 0);
  const bool has_defining = std::ranges::any_of(streams_.columns, [](const StreamColumn& each) {
    return each.stream.defines_minibatch_size;
  });
  internal::IndexRecord record{.info = location_of(chunk), .sequences = nullptr, .extra = {}};
  ChunkInfo& info = record.info;
  for (std::size_t i = 0; i < streams_.columns.size(); ++i) {
    const StreamColumn& column = streams_.columns[i];
    const ColumnSizes found = is_known(column, rows)
                                  ? sizes_of_equal_rows(column, rows.count)
                                  : column_sizes(column, rows_of(columns[i], first));
    info.decoded_size_bytes += found.decoded_size_bytes;
    if (has_defining && !column.stream.defines_minibatch_size) continue;
    for (std::size_t row = 0; row < samples.size(); ++row) {
      samples[row] = std::max(samples[row], found.sample_counts[row]);
    }
  }

  TableKeys keys;
  if (streams_.key) {
    keys = table_keys(*streams_.key, rows_of(columns.back(), first_key), *batches_);
    for (const std::string& text : keys.texts) {
      info.decoded_size_bytes +=
          static_cast<std::int64_t>(sizeof(std::string) + text.capacity() + 1);
    }
  }

  SequenceTable::Builder table;
  const std::int64_t size_each =
      batches_->location(rows.batch).size_bytes / batches_->row_count(rows.batch);
  for (std::int64_t row = 0; row < rows.count; ++row) {
    const auto i = static_cast<std::size_t>(row);
    table.push_back({.key = keys.keys.empty() ? SequenceKey{.low = static_cast<std::uint64_t>(
                                                                rows.first_row + row)}
                                              : keys.keys[i],
                     .offset_bytes = row * size_each,
                     .sample_count = samples[i]});
    info.sample_count += samples[i];
  }
  record.sequences = std::make_shared<const SequenceTable>(table.finish());
  return record;
}

std::shared_ptr<const SequenceTable> TableIndex::keep(ChunkIndex chunk,
                                                      const internal::IndexRecord& record) const {
  const auto number = static_cast<std::int64_t>(chunk);
  if (file_ && !file_->is_used()) file_->add(number, record);
  const std::lock_guard lock(mutex_);
  sizes_[static_cast<std::size_t>(number)] = {.sample_count = record.info.sample_count,
                                              .decoded_size_bytes = record.info.decoded_size_bytes};
  return recent_
      .add(number, {.sequences = record.sequences, .notes = nullptr},
           internal::RecentTables::Cost::dear)
      .sequences;
}

std::shared_ptr<const SequenceTable> TableIndex::read_table(ChunkIndex chunk) const {
  return keep(chunk,
              has_file() ? file_->read(static_cast<std::int64_t>(chunk)) : read_record(chunk));
}

void TableIndex::take(ChunkIndex chunk, const ArrowArray& batch) const {
  const std::span children(batch.children, static_cast<std::size_t>(batch.n_children));
  const std::int64_t first = batch.offset + rows(chunk).first;
  static_cast<void>(
      keep(chunk, record_of(chunk, std::vector<const ArrowArray*>(children.begin(), children.end()),
                            first, first)));
}

// Returns the location of a chunk, without the values that depend on its rows.
ChunkInfo TableIndex::location_of(ChunkIndex chunk) const {
  const RowsOfBatch& rows = this->rows(chunk);
  const ArrowLocation location = batches_->location(rows.batch);
  const std::int64_t all = batches_->row_count(rows.batch);
  const std::int64_t size_each = location.size_bytes / all;
  const bool is_last = rows.first + rows.count == all;
  return ChunkInfo{
      .offset_bytes = location.offset_bytes + rows.first * size_each,
      .size_bytes = is_last ? location.size_bytes - rows.first * size_each : rows.count * size_each,
      .sequence_count = rows.count};
}

std::optional<ChunkInfo> TableIndex::chunk(ChunkIndex chunk) const {
  const auto number = static_cast<std::size_t>(chunk);
  if (number >= rows_.size()) return std::nullopt;
  const auto known = [&] {
    const std::lock_guard lock(mutex_);
    return sizes_[number];
  };
  Sizes sizes = known();
  if (sizes.sample_count < 0) {
    static_cast<void>(read_table(chunk));
    sizes = known();
  }
  ChunkInfo info = location_of(chunk);
  info.sample_count = sizes.sample_count;
  info.decoded_size_bytes = sizes.decoded_size_bytes;
  return info;
}

std::shared_ptr<const SequenceTable> TableIndex::sequences(ChunkIndex chunk) const {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = recent_.find(static_cast<std::int64_t>(chunk))) {
      if (found->sequences) return found->sequences;
    }
  }
  return read_table(chunk);
}

std::int64_t TableIndex::memory_bytes() const {
  const std::lock_guard lock(mutex_);
  std::int64_t bytes = static_cast<std::int64_t>(
      sizeof *this + rows_.capacity() * sizeof(RowsOfBatch) + sizes_.capacity() * sizeof(Sizes));
  for (const StreamColumn& column : streams_.columns) {
    if (column.vocabulary) bytes += column.vocabulary->memory_bytes();
  }
  if (file_) bytes += file_->memory_bytes();
  return bytes + recent_.memory_bytes();
}

}  // namespace sheaf::columns
