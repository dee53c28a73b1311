#include "format/sheaf/container_serializer.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "sheaf/error.h"

#include "base/text.h"
#include "base/unaligned.h"
#include "base/utf8.h"
#include "core/error_kind.h"
#include "format/sample_shape.h"
#include "format/writing.h"
#include "index/units.h"

namespace sheaf::container {
namespace {

constexpr internal::ErrorKind kWrittenIndex{"sheaf-written-index",
                                            "an index from 0 to the dim less 1"};
constexpr internal::ErrorKind kWrittenKey{"sheaf-written-key",
                                          "keys of one kind, numbers or texts"};

[[noreturn]] void refuse_stream(const Stream& stream, const std::string& why) {
  throw ConfigError(formatted("stream {}: {}", sheaf::quoted(stream.name), why));
}

std::vector<Stream> checked_streams(std::vector<Stream> streams) {
  internal::check_written_streams("sheaf", streams);
  for (const Stream& stream : streams) {
    if (stream.name.empty() || !internal::is_utf8(stream.name)) {
      refuse_stream(stream, "sheaf has names that are UTF-8, and not empty");
    }
    const bool is_sparse = stream.storage == Storage::sparse;
    if (is_sparse && (stream.sample_shape.rank() != 1 || !stream.sample_shape.is_fixed())) {
      refuse_stream(stream, formatted("sparse samples of the shape {}; sheaf has those of one "
                                      "fixed extent",
                                      to_string(stream.sample_shape)));
    }
    const bool has_indices =
        stream.index_type == ElementType::i32 || stream.index_type == ElementType::i64;
    if (is_sparse && !has_indices) {
      refuse_stream(stream, "indices are of the type int32 or int64");
    }
    if (stream.element_type == ElementType::bytes &&
        (is_sparse || stream.sample_shape != Shape{Shape::kVariable})) {
      refuse_stream(stream, "opaque bytes have the shape [*]");
    }
    if (stream.sample_shape.is_fixed()) {
      internal::check_sample_shape(stream.name, stream.sample_shape, stream.storage,
                                   stream.index_type);
    }
  }
  return streams;
}

std::int64_t defining_stream_of(std::span<const Stream> streams) {
  const auto found = std::ranges::find(streams, true, &Stream::defines_minibatch_size);
  return found == streams.end() ? -1 : found - streams.begin();
}

Compression compression_of(const SerializerOptions& options) {
  check_format_options("sheaf", kWriteOptions, options.extra, "for writing");
  const std::string_view value = value_of(kCompressionOption, options.extra);
  if (value == "none") return Compression::none;
  return value == "small" ? Compression::small : Compression::fast;
}

// Returns the first index that is not below the dim, as text. Returns an empty text if all are.
std::string wrong_index(const Stream& stream, const SequenceView& view) {
  const auto dim = static_cast<std::uint64_t>(stream.sample_shape.size());
  const auto find = [&](auto zero) -> std::string {
    using Index = decltype(zero);
    for (std::int64_t i = 0; i < view.value_count; ++i) {
      const auto index = internal::load<Index>(view.indices, i);
      if (static_cast<std::uint64_t>(index) >= dim) return std::to_string(index);
    }
    return {};
  };
  return stream.index_type == ElementType::i64 ? find(std::int64_t{}) : find(std::int32_t{});
}

}  // namespace

class ContainerSerializer::Batch final : public Serializer::Block {
 public:
  explicit Batch(std::shared_ptr<const EncodedBatch> encoded) : batch(std::move(encoded)) {}
  [[nodiscard]] std::int64_t memory_bytes() const noexcept override {
    return batch->memory_bytes();
  }

  const std::shared_ptr<const EncodedBatch> batch;
};

ContainerSerializer::ContainerSerializer(CreateRequest request)
    : sink_(std::move(request.sink)),
      streams_(checked_streams(std::move(request.streams))),
      chunk_size_bytes_(request.options.chunk_size_bytes),
      compression_(compression_of(request.options)),
      keeps_storage_notes_(request.options.keeps_storage_notes),
      cost_name_(std::move(request.options.cost_name)),
      part_note_(std::move(request.options.part_note)),
      defining_stream_(defining_stream_of(streams_)) {
  if (chunk_size_bytes_ < 1) throw ConfigError("chunk_size_bytes must be positive");
  const std::string head = file_head(cost_name_.empty() ? kVersion : kVersionWithCosts);
  write(std::as_bytes(std::span(head)));
}

std::unique_ptr<Serializer::Block> ContainerSerializer::encode(const SequenceBatch& batch) const {
  make_blocks();
  auto encoded = std::make_shared<EncodedBatch>();
  encoded->keys.assign(batch.keys.begin(), batch.keys.end());
  encoded->ends_chunk = batch.ends_chunk;
  encoded->contents.assign(batch.keys.size(), 0);
  encoded->sample_counts.assign(batch.keys.size(), 0);
  if (!cost_name_.empty()) {
    if (batch.costs.size() != batch.keys.size()) {
      throw ConfigError(formatted("{}: the file keeps costs in {}, and {} sequences have {} costs",
                                  sink_->name(), sheaf::quoted(cost_name_), batch.keys.size(),
                                  batch.costs.size()));
    }
    encoded->costs.assign(batch.costs.begin(), batch.costs.end());
  }
  encoded->has_text_keys =
      !batch.key_texts.empty() ||
      std::ranges::any_of(batch.keys, [](const SequenceKey& key) { return key.high != 0; });
  if (encoded->has_text_keys) {
    std::vector<std::string> texts;
    for (std::size_t n = 0; n < batch.keys.size(); ++n) {
      if (batch.key_texts.empty() && batch.keys[n].high == 0) {
        const std::string key = to_string(batch.keys[n]);
        internal::throw_unwritable({.path = sink_->name(), .key = key}, kWrittenKey,
                                   "the number " + key + " among texts");
      }
      texts.push_back(internal::written_key(sink_->name(), batch, n, kWrittenKey.code));
    }
    encoded->columns.push_back(gather_keys(texts, encoded->contents));
  }
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    const std::span<const SequenceView> views = batch.views[i];
    for (std::size_t n = 0; n < views.size(); ++n) {
      if (streams_[i].storage == Storage::sparse) {
        std::string found = wrong_index(streams_[i], views[n]);
        if (!found.empty()) {
          const std::string key =
              batch.key_texts.empty() ? to_string(batch.keys[n]) : std::string(batch.key_texts[n]);
          internal::throw_unwritable(
              {.path = sink_->name(), .key = key, .stream = streams_[i].name}, kWrittenIndex,
              formatted("{} where the dim is {}", found, streams_[i].sample_shape.size()));
        }
      }
      if (defining_stream_ < 0 || defining_stream_ == static_cast<std::int64_t>(i)) {
        encoded->sample_counts[n] = std::max(encoded->sample_counts[n], views[n].sample_count);
      }
    }
    encoded->columns.push_back(gather_stream(streams_[i], views, encoded->contents));
  }
  return std::make_unique<Batch>(std::move(encoded));
}

void ContainerSerializer::make(BlockTask& task) const {
  const std::size_t columns = task.pieces.front().batch->columns.size();
  for (std::size_t i = 0; i < columns; ++i) {
    const std::size_t first = columns - streams_.size();
    const Stream* stream = i < first ? nullptr : &streams_[i - first];
    task.columns.push_back(
        make_column(static_cast<std::int64_t>(i), stream, task.pieces, compression_));
  }
  task.pieces.clear();
  task.is_made.store(true, std::memory_order_release);
}

void ContainerSerializer::make_blocks() const {
  while (true) {
    std::shared_ptr<BlockTask> task;
    {
      const std::lock_guard lock(mutex_);
      if (tasks_.empty()) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    make(*task);
  }
}

void ContainerSerializer::append(std::unique_ptr<Block> block) {
  const std::shared_ptr<const EncodedBatch> batch = static_cast<const Batch&>(*block).batch;
  if (batch->size() == 0) {
    if (batch->ends_chunk) end_chunk_of_input();
    return;
  }
  if (has_text_keys_.value_or(batch->has_text_keys) != batch->has_text_keys) {
    internal::throw_unwritable(
        {.path = sink_->name(), .key = to_string(batch->keys.front())}, kWrittenKey,
        batch->has_text_keys ? "a text behind numbers" : "a number behind texts");
  }
  has_text_keys_ = batch->has_text_keys;
  std::int64_t first = 0;
  for (std::int64_t i = 0; i < batch->size(); ++i) {
    content_ += batch->contents[static_cast<std::size_t>(i)];
    if (content_ < chunk_size_bytes_) continue;
    pieces_.push_back({batch, first, i + 1});
    first = i + 1;
    end_chunk();
  }
  if (first < batch->size()) pieces_.push_back({batch, first, batch->size()});
  if (batch->ends_chunk) end_chunk_of_input();
  write_made_chunks();
}

// Ends the chunk, and notes that a chunk of the input ends. The last chunk may already have become
// full with the last sequence of that input chunk.
void ContainerSerializer::end_chunk_of_input() {
  end_chunk();
  if (!open_inputs_.empty() && open_inputs_.back() == ended_chunks_ - 1) open_inputs_.pop_back();
}

std::string ContainerSerializer::part_note() const {
  if (part_note_.empty()) return {};
  auto note = nlohmann::ordered_json::parse(part_note_);
  note["open_chunks"] = open_inputs_;
  return note.dump();
}

void ContainerSerializer::end_chunk() {
  if (pieces_.empty()) return;
  if (!part_note_.empty()) open_inputs_.push_back(ended_chunks_);
  ++ended_chunks_;
  OpenChunk& chunk = open_chunks_.emplace_back();
  SequenceTable::Builder table;
  std::int64_t offset = 0;
  for (const BatchPiece& piece : pieces_) {
    for (std::int64_t i = piece.first; i < piece.end; ++i) {
      const auto n = static_cast<std::size_t>(i);
      const std::vector<std::int64_t>& costs = piece.batch->costs;
      table.push_back({.key = piece.batch->keys[n],
                       .offset_bytes = offset,
                       .sample_count = piece.batch->sample_counts[n],
                       .cost = costs.empty() ? std::nullopt : std::optional(costs[n])});
      offset += piece.batch->contents[n];
      chunk.sample_count += piece.batch->sample_counts[n];
    }
  }
  chunk.sequences = table.finish();
  chunk.content = content_;
  const std::int64_t count = chunk.sequences.size();
  const internal::Units units(count, internal::unit_count(content_, count));
  std::int64_t at = 0;
  for (std::int64_t unit = 0; unit < units.count(); ++unit) {
    chunk.blocks.push_back(std::make_shared<BlockTask>());
  }
  std::int64_t unit = 0;
  for (const BatchPiece& piece : pieces_) {
    for (std::int64_t first = piece.first; first < piece.end;) {
      while (at == units.first(unit + 1)) ++unit;
      const std::int64_t end = std::min(piece.end, first + units.first(unit + 1) - at);
      chunk.blocks[static_cast<std::size_t>(unit)]->pieces.push_back({piece.batch, first, end});
      at += end - first;
      first = end;
    }
  }
  {
    const std::lock_guard lock(mutex_);
    tasks_.insert(tasks_.end(), chunk.blocks.begin(), chunk.blocks.end());
  }
  open_content_ += content_;
  pieces_.clear();
  content_ = 0;
  // If encode() is no longer called, or lags behind, make the blocks here.
  if (open_content_ > chunk_size_bytes_) make_blocks();
}

void ContainerSerializer::write_made_chunks() {
  while (!open_chunks_.empty()) {
    const OpenChunk& chunk = open_chunks_.front();
    for (const std::shared_ptr<BlockTask>& block : chunk.blocks) {
      if (!block->is_made.load(std::memory_order_acquire)) return;
    }
    write_chunk(chunk);
    open_content_ -= chunk.content;
    open_chunks_.pop_front();
  }
}

void ContainerSerializer::write_chunk(const OpenChunk& chunk) {
  ChunkEntry entry{.sequence_count = chunk.sequences.size(),
                   .block_count = std::ssize(chunk.blocks),
                   .sample_count = chunk.sample_count};
  ChunkTable table{.block_count = entry.block_count, .columns = {}, .sequences = chunk.sequences};
  for (const std::shared_ptr<BlockTask>& block : chunk.blocks) {
    entry.contents.resize(block->columns.size());
    entry.samples.resize(block->columns.size());
    for (std::size_t i = 0; i < block->columns.size(); ++i) {
      const MadeColumn& column = block->columns[i];
      write({column.bytes.data(), static_cast<std::size_t>(column.bytes.size_bytes())});
      entry.blocks_size += column.bytes.size_bytes();
      entry.contents[i] += column.content;
      entry.samples[i] += column.sample_count;
      table.columns.push_back(column.stored);
      for (const auto& [key, sizes] : column.sizes) {
        StoredSizes& sum = storage_[key];
        sum.array_count += sizes.array_count;
        sum.content_bytes += sizes.content_bytes;
        sum.stored_bytes += sizes.stored_bytes;
      }
    }
  }
  const TableBytes bytes = to_bytes(table);
  const std::span<const std::byte> table_bytes = std::as_bytes(std::span(bytes.bytes));
  write(table_bytes);
  entry.table_size = std::ssize(table_bytes);
  entry.table_hash = hash_of(table_bytes);
  entry.content_hash = bytes.content_hash;
  chunks_.push_back(std::move(entry));
}

void ContainerSerializer::write(std::span<const std::byte> bytes) {
  sink_->write(bytes);
  written_ += std::ssize(bytes);
}

void ContainerSerializer::finish() {
  end_chunk();
  make_blocks();
  write_made_chunks();
  if (!open_chunks_.empty()) throw InternalError("sheaf: a block was not made");
  const ContainerNote note{.has_text_keys = has_text_keys_.value_or(false),
                           .streams = streams_,
                           .storage = keeps_storage_notes_ ? std::move(storage_) : StorageSummary(),
                           .cost_name = cost_name_,
                           .part = part_note()};
  const std::string end = file_end(note, chunks_, written_);
  write(std::as_bytes(std::span(end)));
  sink_->finish();
}

}  // namespace sheaf::container
