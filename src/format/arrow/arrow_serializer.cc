#include "format/arrow/arrow_serializer.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/arrow_data.h"
#include "sheaf/extend/format.h"

#include "base/text.h"
#include "base/utf8.h"
#include "format/columns/column_type.h"
#include "format/writing.h"

namespace sheaf::arrow {
namespace {

constexpr internal::ErrorKind kWrittenKey{"arrow-written-key", "a key that is UTF-8"};

constexpr internal::ErrorKind kAscending{"arrow-written-index",
                                         "ascending indices from 0, below the dim"};
constexpr std::int64_t kExtentMax = std::numeric_limits<std::int32_t>::max();

/// An empty table with the schema, to find the streams that a reader would get.
class NoRows final : public ArrowBatches {
 public:
  explicit NoRows(const ArrowNode& node) { export_schema(node, *schema_); }

  [[nodiscard]] const ArrowSchema& schema() const noexcept override { return *schema_; }
  [[nodiscard]] std::string_view name() const noexcept override { return "what is written"; }
  [[nodiscard]] std::string fingerprint() const override { return {}; }
  [[nodiscard]] std::int64_t batch_count() const noexcept override { return 0; }
  [[nodiscard]] std::int64_t row_count(std::int64_t /*batch*/) const noexcept override { return 0; }
  [[nodiscard]] ArrowLocation location(std::int64_t /*batch*/) const noexcept override {
    return {};
  }
  [[nodiscard]] std::shared_ptr<const ArrowArray> read(const ArrowPart& /*part*/) const override {
    throw InternalError("arrow: no rows are read");
  }

 private:
  const Taken<ArrowSchema> schema_ = nothing_taken<ArrowSchema>();
};

[[noreturn]] void refuse_stream(const Stream& stream, const std::string& why) {
  throw ConfigError(formatted("stream {}: {}", sheaf::quoted(stream.name), why));
}

void check_type(const Stream& stream) {
  if (stream.element_type == ElementType::bf16) {
    refuse_stream(stream,
                  "Arrow has no type for bfloat16; the transform cast makes float32 or "
                  "float16 of it");
  }
  const bool has_indices =
      stream.index_type == ElementType::i32 || stream.index_type == ElementType::i64;
  if (stream.storage == Storage::sparse && !has_indices) {
    refuse_stream(stream, "indices are of the type int32 or int64");
  }
  const bool is_fixed = stream.sample_shape.is_fixed();
  if (!is_fixed && (stream.sample_shape.rank() > 1 || stream.storage == Storage::sparse)) {
    refuse_stream(stream, formatted("samples of the shape {} are no column; one extent may vary",
                                    to_string(stream.sample_shape)));
  }
  const bool is_long = std::ranges::any_of(stream.sample_shape.extents(),
                                           [](std::int64_t extent) { return extent > kExtentMax; });
  if (stream.storage == Storage::dense && is_long) {
    refuse_stream(stream, formatted("lists of Arrow have at most {} items", kExtentMax));
  }
}

// Refuses streams that a reader could not read, with the reader's messages.
std::vector<Stream> checked_streams(std::vector<Stream> streams, bool has_keys) {
  internal::check_written_streams("arrow", streams);
  FormatOptions wanted;
  for (const Stream& stream : streams) {
    if (!internal::is_utf8(stream.name) || stream.name.find('\0') != std::string::npos) {
      refuse_stream(stream, "Arrow has names that are UTF-8, without a NUL character");
    }
    if (has_keys && stream.name == columns::kKeyName) {
      refuse_stream(stream,
                    "the column of this name has the keys; write the stream under another name, or "
                    "write no keys (--out-option arrow.keys=drop)");
    }
    check_type(stream);
    wanted.streams.push_back({.name = stream.name,
                              .storage = stream.storage,
                              .sample_shape = stream.sample_shape,
                              .dtype = stream.element_type,
                              .index_dtype = stream.index_type});
  }
  static_cast<void>(
      columns::table_streams(NoRows(TableRows(streams).node(streams, has_keys, false)), wanted));
  return streams;
}

void check_indices(const Stream& stream, const SequenceView& view, const auto& fail) {
  const std::int64_t dim = stream.sample_shape.size();
  const auto check = [&](const auto* indices) {
    for (std::int64_t sample = 0; sample < view.sample_count; ++sample) {
      std::int64_t before = -1;
      for (std::int64_t i = view.sample_offsets[sample]; i < view.sample_offsets[sample + 1]; ++i) {
        const std::int64_t index = indices[i - view.sample_offsets[0]];
        if (index <= before || index >= dim) fail(index);
        before = index;
      }
    }
  };
  if (stream.index_type == ElementType::i64) {
    check(reinterpret_cast<const std::int64_t*>(view.indices));
  } else {
    check(reinterpret_cast<const std::int32_t*>(view.indices));
  }
}

}  // namespace

/// Rows, and the kind of their keys.
class ArrowSerializer::Rows final : public Serializer::Block {
 public:
  explicit Rows(std::span<const Stream> streams) : rows(streams) {}

  [[nodiscard]] std::int64_t memory_bytes() const noexcept override { return rows.memory_bytes(); }

  TableRows rows;
  bool are_texts = false;
};

ArrowSerializer::ArrowSerializer(CreateRequest request)
    : sink_(std::move(request.sink)),
      streams_(checked_streams(std::move(request.streams),
                               value_of(kKeysOption, request.options.extra) != "drop")),
      batch_size_bytes_(request.options.chunk_size_bytes),
      has_keys_(value_of(kKeysOption, request.options.extra) != "drop"),
      rows_(streams_) {
  check_format_options("arrow", kWriteOptions, request.options.extra, "for writing");
  if (batch_size_bytes_ < 1) throw ConfigError("chunk_size_bytes must be positive");
}

std::unique_ptr<Serializer::Block> ArrowSerializer::encode(const SequenceBatch& batch) const {
  auto block = std::make_unique<Rows>(streams_);
  TableRows& rows = block->rows;
  block->are_texts = !batch.key_texts.empty();
  rows.count = batch.size();
  rows.sizes.assign(batch.keys.size(), 0);
  for (std::size_t n = 0; n < batch.keys.size() && has_keys_; ++n) {
    if (!block->are_texts && batch.keys[n].high == 0) {
      rows.keys.numbers.push_back(batch.keys[n].low);
      continue;
    }
    const std::string text = internal::written_key(sink_->name(), batch, n, kWrittenKey.code);
    if (!internal::is_utf8(text)) {
      internal::throw_unwritable({.path = sink_->name(), .key = text}, kWrittenKey,
                                 sheaf::quoted(text));
    }
    rows.keys.texts += text;
    rows.keys.text_ends.push_back(std::ssize(rows.keys.texts));
    rows.sizes[n] += std::ssize(text);
  }
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    for (std::size_t n = 0; n < batch.keys.size(); ++n) {
      const SequenceView& view = batch.views[i][n];
      if (streams_[i].storage == Storage::sparse) {
        check_indices(streams_[i], view, [&](std::int64_t index) {
          const std::string key =
              batch.key_texts.empty() ? to_string(batch.keys[n]) : std::string(batch.key_texts[n]);
          internal::throw_unwritable(
              {.path = sink_->name(), .key = key, .stream = streams_[i].name}, kAscending,
              formatted("{}", index));
        });
      }
      rows.sizes[n] += rows.streams[i].add(view);
    }
  }
  return block;
}

void ArrowSerializer::begin(bool are_texts) {
  are_texts_ = are_texts;
  writer_.emplace(*sink_, TableRows(streams_).node(streams_, has_keys_, are_texts));
}

void ArrowSerializer::append(std::unique_ptr<Block> block) {
  const auto& [rows, are_texts] = static_cast<const Rows&>(*block);
  if (rows.count == 0) return;
  if (!writer_) begin(are_texts);
  std::int64_t first = 0;
  for (std::int64_t row = 0; row < rows.count; ++row) {
    size_bytes_ += rows.sizes[static_cast<std::size_t>(row)];
    if (size_bytes_ < batch_size_bytes_ && row + 1 < rows.count) continue;
    rows_.add(rows, first, row + 1 - first);
    first = row + 1;
    if (size_bytes_ >= batch_size_bytes_) write_batch();
  }
}

void ArrowSerializer::write_batch() {
  writer_->add(rows_.node(streams_, has_keys_, are_texts_));
  rows_.clear();
  size_bytes_ = 0;
}

void ArrowSerializer::finish() {
  if (!writer_) begin(false);
  if (rows_.count > 0) write_batch();
  writer_->finish();
  sink_->finish();
}

}  // namespace sheaf::arrow
