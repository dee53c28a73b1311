#include "format/columns/table_index.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "sheaf/extend/parallel_for.h"

#include "format/columns/column_decoder.h"
#include "format/columns/column_sizes.h"
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
      const std::int64_t size = batches.place(batch).size_bytes;
      parts =
          std::clamp<std::int64_t>(size / chunk_size_bytes + (size % chunk_size_bytes > 0), 1, all);
    }
    // Parts of nearly equal size, without a product that overflows.
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
                       const FormatOptions& options)
    : batches_(std::move(batches)),
      streams_(streams),
      rows_(rows_of_chunks(*batches_, options.chunk_size_bytes)),
      sizes_(rows_.size()),
      recent_(options.index.memory_limit_bytes.value_or(0)) {}

std::shared_ptr<const SequenceTable> TableIndex::read_table(ChunkIndex chunk) const {
  const RowsOfBatch& rows = this->rows(chunk);
  const auto is_known = [&](const StreamColumn& column) {
    return has_equal_rows(column) && batches_->null_count(rows.batch, column.number) == 0;
  };
  std::vector<std::int64_t> numbers;  // of the columns to look at
  for (const StreamColumn& column : streams_.columns) {
    if (!is_known(column)) numbers.push_back(column.number);
  }
  std::shared_ptr<const ArrowArray> array;
  if (!numbers.empty()) {
    array = batches_->read({.batch = rows.batch,
                            .first = rows.first,
                            .count = rows.count,
                            .columns = numbers,
                            .lengths_only = true});
  }
  const auto rows_of = [&](const ArrowArray& batch, std::size_t i) {
    return ColumnRows{.array = batch.children[i],
                      .first = batch.offset,
                      .count = rows.count,
                      .batch = rows.batch,
                      .first_in_batch = rows.first};
  };
  std::vector<std::int64_t> samples(static_cast<std::size_t>(rows.count), 0);
  const bool has_defining = std::ranges::any_of(streams_.columns, [](const StreamColumn& each) {
    return each.stream.defines_minibatch_size;
  });
  Sizes sizes;
  std::size_t next = 0;  // of the columns that were read
  for (const StreamColumn& column : streams_.columns) {
    const ColumnSizes found = is_known(column) ? sizes_of_equal_rows(column, rows.count)
                                               : column_sizes(column, rows_of(*array, next++));
    sizes.decoded_size_bytes += found.decoded_size_bytes;
    if (has_defining && !column.stream.defines_minibatch_size) continue;
    for (std::size_t row = 0; row < samples.size(); ++row) {
      samples[row] = std::max(samples[row], found.sample_counts[row]);
    }
  }

  TableKeys keys;
  if (streams_.key) {
    const std::int64_t number = streams_.key->number;
    const auto key_array = batches_->read(
        {.batch = rows.batch, .first = rows.first, .count = rows.count, .columns = {&number, 1}});
    keys = table_keys(*streams_.key, rows_of(*key_array, 0), *batches_);
    for (const std::string& text : keys.texts) {
      sizes.decoded_size_bytes +=
          static_cast<std::int64_t>(sizeof(std::string) + text.capacity() + 1);
    }
  }

  SequenceTable::Builder table;
  const std::int64_t size_each =
      batches_->place(rows.batch).size_bytes / batches_->row_count(rows.batch);
  sizes.sample_count = 0;
  for (std::int64_t row = 0; row < rows.count; ++row) {
    const auto i = static_cast<std::size_t>(row);
    table.push_back({.key = keys.keys.empty() ? SequenceKey{.low = static_cast<std::uint64_t>(
                                                                rows.first_row + row)}
                                              : keys.keys[i],
                     .offset_bytes = row * size_each,
                     .sample_count = samples[i]});
    sizes.sample_count += samples[i];
  }
  auto made = std::make_shared<const SequenceTable>(table.finish());
  const std::lock_guard lock(mutex_);
  const auto number = static_cast<std::int64_t>(chunk);
  sizes_[static_cast<std::size_t>(number)] = sizes;
  return recent_
      .add(number, {.sequences = std::move(made), .notes = nullptr},
           internal::RecentTables::Cost::dear)
      .sequences;
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
  const RowsOfBatch& rows = rows_[number];
  const ArrowPlace place = batches_->place(rows.batch);
  const std::int64_t all = batches_->row_count(rows.batch);
  const std::int64_t size_each = place.size_bytes / all;
  const bool is_last = rows.first + rows.count == all;
  return ChunkInfo{
      .offset_bytes = place.offset_bytes + rows.first * size_each,
      .size_bytes = is_last ? place.size_bytes - rows.first * size_each : rows.count * size_each,
      .sequence_count = rows.count,
      .sample_count = sizes.sample_count,
      .decoded_size_bytes = sizes.decoded_size_bytes};
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
  return bytes + recent_.memory_bytes();
}

void TableIndex::build(Executor& executor) const {
  parallel_for(&executor, std::ssize(rows_),
               [&](std::int64_t number) { static_cast<void>(chunk(ChunkIndex{number})); });
}

}  // namespace sheaf::columns
