// A table of Arrow arrays as a data set.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/arrow_data.h"
#include "sheaf/extend/parallel_for.h"

#include "base/text.h"
#include "format/columns/batch_cache.h"
#include "format/columns/column_decoder.h"
#include "format/columns/column_errors.h"
#include "format/columns/column_streams.h"
#include "format/columns/table_index.h"
#include "format/columns/table_keys.h"

namespace sheaf {
namespace {

using columns::ColumnRows;
using columns::RowsOfBatch;
using columns::StreamColumn;
using columns::TableStreams;
using columns::WrongRow;

class TableDeserializer final : public Deserializer {
 public:
  TableDeserializer(std::shared_ptr<const ArrowBatches> batches, const FormatOptions& options,
                    const Context& context)
      : batches_(std::move(batches)),
        table_(columns::table_streams(
            *batches_, options,
            columns::KeptVocabularies(*batches_, options.index, context.file_system()))),
        streams_(table_.streams()),
        columns_(wanted_columns()),
        chunk_size_bytes_(options.chunk_size_bytes),
        cache_(batches_, columns_, options.index.memory_limit_bytes.has_value()),
        index_(batches_, table_, options, context, identity(), &cache_) {}

  [[nodiscard]] std::span<const Stream> streams() const noexcept override { return streams_; }
  [[nodiscard]] const Index& index() const noexcept override { return index_; }

  [[nodiscard]] std::string fingerprint() const override {
    return formatted("arrow:{}:{}", batches_->fingerprint(), identity());
  }

  [[nodiscard]] Chunk read(const ChunkRange& range, Diagnostics& diagnostics) const override {
    Part part;
    try {
      part = read_part(range);
    } catch (const DataError& error) {
      return damaged(range, error, diagnostics);
    }
    std::vector<std::int64_t> holes;
    std::vector<std::vector<WrongRow>> wrong(table_.columns.size());
    std::vector<Column> decoded = decode(part, holes, wrong);
    columns::TableKeys keys;
    if (table_.key) {
      keys = columns::table_keys(*table_.key, part.rows(table_.columns.size()), *batches_);
    }
    for (const auto& rows : wrong) {
      for (const WrongRow& each : rows) holes.push_back(each.row);
    }
    if (!holes.empty()) {
      std::ranges::sort(holes);
      holes.erase(std::unique(holes.begin(), holes.end()), holes.end());
      note(part, range, holes, wrong, keys, diagnostics);
      std::vector<std::vector<WrongRow>> nothing(table_.columns.size());
      decoded = decode(part, holes, nothing);
    }
    Chunk chunk(streams_, part.count, std::move(decoded), std::move(holes));
    if (!keys.texts.empty()) chunk.set_key_texts(std::move(keys.texts));
    return chunk;
  }

  [[nodiscard]] Diagnostic location_of(ChunkIndex chunk, std::int64_t sequence,
                                       std::int64_t /*stream*/) const override {
    const RowsOfBatch& rows = index_.rows(chunk);
    std::string key = formatted("{}", rows.first_row + sequence);
    if (table_.key) {
      const std::int64_t number = table_.key->number;
      const auto array = batches_->read({.batch = rows.batch,
                                         .first = rows.first + sequence,
                                         .count = 1,
                                         .columns = {&number, 1}});
      const columns::TableKeys keys = columns::table_keys(
          *table_.key,
          {.array = array->children[0], .first = array->offset, .count = 1, .batch = rows.batch},
          *batches_);
      key = keys.texts.empty() ? to_string(keys.keys[0]) : keys.texts[0];
    }
    return {.path = std::string(batches_->name_of(rows.batch)),
            .byte_offset = batches_->location(rows.batch).offset_bytes,
            .sequence_key = std::move(key)};
  }

  [[nodiscard]] bool has_fast_random_access() const noexcept override {
    return batches_->reads_parts();
  }

  // Batches that are read whole are read once, for their lengths and their values. Reading units in
  // the order of a sweep would read most batches more than once.
  void build_index(Executor& executor, DecodedSink* sink) const override {
    const std::int64_t count = index_.chunk_count();
    const bool decodes =
        sink != nullptr && !batches_->reads_parts() && count <= sink->chunk_count_max();
    std::vector<DecodedSink::Kept> kept(decodes ? static_cast<std::size_t>(count) : 0);
    parallel_for(&executor, count, [&](std::int64_t number) {
      const ChunkIndex chunk{number};
      if (decodes) kept[static_cast<std::size_t>(number)] = decoded(chunk, *sink);
      const std::optional<ChunkInfo> info = index_.chunk(chunk);
      if (sink != nullptr) sink->found(*info);
    });
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const ChunkIndex chunk{static_cast<std::int64_t>(i)};
      sink->add({chunk, 0, index_.rows(chunk).count}, std::move(kept[i]), 0);
    }
  }

  [[nodiscard]] std::vector<Diagnostic> warnings() const override {
    std::vector<Diagnostic> warnings = index_.warnings();
    warnings.insert(warnings.begin(), table_.warnings.begin(), table_.warnings.end());
    return warnings;
  }

 private:
  /// Returns the options that change the values and the index, as text.
  [[nodiscard]] std::string identity() const {
    std::string read;
    for (const Stream& stream : streams_) read += to_string(stream) + ";";
    for (const std::int64_t column : columns_) read += formatted("{};", column);
    return formatted("chunk={}:{}", chunk_size_bytes_, to_string(key_of_text(read)));
  }

  /// Returns what the sink keeps of a chunk, and passes the lengths to the index. Returns null if
  /// the chunk has an error, which a later read reports.
  [[nodiscard]] DecodedSink::Kept decoded(ChunkIndex chunk, DecodedSink& sink) const {
    std::shared_ptr<const ArrowArray> batch;  // keeps the batch in the cache for read()
    try {
      batch = cache_.read(index_.rows(chunk).batch);
    } catch (const DataError&) {
      return nullptr;
    }
    if (!index_.has_file()) index_.take(chunk, *batch);
    Diagnostics diagnostics;
    Chunk values = read({chunk, 0, index_.rows(chunk).count}, diagnostics);
    if (!diagnostics.entries().empty() || !values.holes().empty()) return nullptr;
    return sink.keep(std::move(values));
  }

  /// Rows that were read.
  struct Part {
    std::shared_ptr<const ArrowArray> array;
    std::int64_t batch = 0;
    std::int64_t first = 0;  // in the array
    std::int64_t count = 0;
    std::int64_t first_row = 0;  // in the table
    bool is_own = false;         // whether the array has no other rows

    [[nodiscard]] ColumnRows rows(std::size_t column) const {
      return {.array = array->children[column],
              .first = array->offset + first,
              .count = count,
              .batch = batch,
              .owner = is_own ? array : nullptr};
    }
  };

  [[nodiscard]] std::vector<std::int64_t> wanted_columns() const {
    std::vector<std::int64_t> wanted = table_.numbers();
    if (table_.key) wanted.push_back(table_.key->number);
    return wanted;
  }

  [[nodiscard]] Part read_part(const ChunkRange& range) const {
    const RowsOfBatch& rows = index_.rows(range.chunk);
    Part part{.array = nullptr,
              .batch = rows.batch,
              .first = 0,
              .count = std::min(range.count, rows.count - range.first),
              .first_row = rows.first_row + range.first,
              .is_own = true};
    const std::int64_t first = rows.first + range.first;
    if (batches_->reads_parts()) {
      part.array = batches_->read({.batch = rows.batch,
                                   .first = first,
                                   .count = part.count,
                                   .columns = columns_,
                                   .needs_dictionaries = false});
    } else {
      part.array = cache_.read(rows.batch);
      part.first = first;
      // A part that outlives this call would keep the whole batch alive, which no memory limit
      // counts.
      part.is_own = part.count == batches_->row_count(rows.batch);
    }
    return part;
  }

  [[nodiscard]] std::vector<Column> decode(const Part& part, std::span<const std::int64_t> holes,
                                           std::vector<std::vector<WrongRow>>& wrong) const {
    std::vector<Column> decoded;
    decoded.reserve(table_.columns.size());
    for (std::size_t i = 0; i < table_.columns.size(); ++i) {
      decoded.push_back(columns::decode_column(table_.columns[i], part.rows(i), holes, wrong[i]));
    }
    return decoded;
  }

  // Returns a chunk for a batch that cannot be read. Each row is a hole.
  [[nodiscard]] Chunk damaged(const ChunkRange& range, const DataError& error,
                              Diagnostics& diagnostics) const {
    const RowsOfBatch& rows = index_.rows(range.chunk);
    const std::int64_t count = std::min(range.count, rows.count - range.first);
    std::vector<std::int64_t> holes;
    for (std::int64_t row = 0; row < count; ++row) {
      holes.push_back(row);
      Diagnostic diagnostic = error.diagnostics().front();
      diagnostic.sequence_key = to_string(index_.sequences(range.chunk)->key(range.first + row));
      diagnostics.add(range.first + row, std::move(diagnostic));
    }
    std::vector<Column> empty(table_.columns.size());
    for (std::size_t i = 0; i < empty.size(); ++i) {
      empty[i].sequence_offsets = Buffer::zeros((count + 1) * std::int64_t{sizeof(std::int64_t)});
      if (table_.columns[i].has_sample_offsets()) {
        empty[i].sample_offsets = Buffer::zeros(sizeof(std::int64_t));
      }
    }
    return {streams_, count, std::move(empty), std::move(holes)};
  }

  // Adds the wrong rows of all columns, in the order of the rows.
  void note(const Part& part, const ChunkRange& range, std::span<const std::int64_t> holes,
            const std::vector<std::vector<WrongRow>>& wrong, const columns::TableKeys& keys,
            Diagnostics& diagnostics) const {
    std::vector<std::size_t> next(wrong.size(), 0);
    for (const std::int64_t row : holes) {
      for (std::size_t i = 0; i < wrong.size(); ++i) {
        if (next[i] == wrong[i].size() || wrong[i][next[i]].row != row) continue;
        const WrongRow& each = wrong[i][next[i]++];
        diagnostics.add(range.first + row, diagnostic_of(part, i, each, keys));
      }
    }
  }

  [[nodiscard]] Diagnostic diagnostic_of(const Part& part, std::size_t column,
                                         const WrongRow& wrong,
                                         const columns::TableKeys& keys) const {
    const auto row = static_cast<std::size_t>(wrong.row);
    Diagnostic diagnostic{.path = std::string(batches_->name_of(part.batch)),
                          .byte_offset = Diagnostic::kNoOffset,
                          .stream = streams_[column].name,
                          .code = std::string(wrong.code),
                          .expected = wrong.expected,
                          .found = wrong.found};
    if (!table_.key) {
      diagnostic.sequence_key = formatted("{}", part.first_row + wrong.row);
    } else {
      diagnostic.sequence_key = keys.texts.empty() ? to_string(keys.keys[row]) : keys.texts[row];
    }
    const StreamColumn& of = table_.columns[column];
    if (wrong.code == columns::kShape && of.type.has_sample_lists()) {
      diagnostic.hint = formatted("a stream declared as {}:dense:* has samples of any size",
                                  streams_[column].name);
    }
    return diagnostic;
  }

  const std::shared_ptr<const ArrowBatches> batches_;
  const TableStreams table_;
  const std::vector<Stream> streams_;
  const std::vector<std::int64_t> columns_;  // columns of the streams, then of the keys
  const std::int64_t chunk_size_bytes_;
  const columns::BatchCache cache_;
  const columns::TableIndex index_;
};

}  // namespace

std::span<const FormatOption> arrow_read_options() noexcept { return columns::kReadOptions; }

std::unique_ptr<Deserializer> open_arrow_data(std::shared_ptr<const ArrowBatches> batches,
                                              const FormatOptions& options,
                                              const Context& context) {
  return std::make_unique<TableDeserializer>(std::move(batches), options, context);
}

}  // namespace sheaf
