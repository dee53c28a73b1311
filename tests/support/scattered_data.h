/// \file
/// Data whose sequences are scattered over several sources, as utterances are in archives.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/index.h"
#include "sheaf/types.h"

namespace sheaf::testing {

/// One stream "s" of float32 samples. The samples of an utterance lie back to back, anywhere in a
/// source.
class ScatteredData final : public Deserializer {
 public:
  struct Utterance {
    std::uint64_t key = 0;
    SourceLocation location;
    std::int64_t sample_count = 0;
  };
  using Sources = std::vector<std::shared_ptr<const ByteSource>>;

  /// Makes chunks of `chunk_sequences` utterances.
  ScatteredData(Sources sources, const std::vector<Utterance>& utterances,
                std::int64_t chunk_sequences)
      : index_(std::move(sources)) {
    SequenceTable::Builder table;
    ChunkInfo info;
    for (std::size_t i = 0; i < utterances.size(); ++i) {
      const Utterance& each = utterances[i];
      table.push_back({.key = {.low = each.key},
                       .offset_bytes = info.size_bytes,
                       .sample_count = each.sample_count,
                       .location = each.location});
      info.size_bytes += each.sample_count * kSampleBytes;
      info.decoded_size_bytes += each.sample_count * kSampleBytes + 64;
      if (table.size() < chunk_sequences && i + 1 < utterances.size()) continue;
      index_.chunks.add(info, table.finish());
      info = {.offset_bytes = info.offset_bytes + info.size_bytes};
    }
  }

  [[nodiscard]] std::span<const Stream> streams() const noexcept override { return streams_; }
  [[nodiscard]] const Index& index() const noexcept override { return index_; }
  [[nodiscard]] std::string fingerprint() const override { return "scattered"; }

  [[nodiscard]] Chunk read(const ChunkRange& range, Diagnostics& /*diagnostics*/) const override {
    const auto table = index_.sequences(range.chunk);
    const std::int64_t size_bytes = index_.chunk(range.chunk)->size_bytes;
    std::vector<Column> columns(1);
    std::int64_t samples = 0;
    columns[0].sequence_offsets.push_back(samples);
    for (std::int64_t i = range.first; i < range.first + range.count; ++i) {
      const std::int64_t end = i + 1 < table->size() ? table->offset_bytes(i + 1) : size_bytes;
      std::vector<float> values(
          static_cast<std::size_t>((end - table->offset_bytes(i)) / kSampleBytes));
      const SourceLocation location = *table->location(i);
      index_.sources[static_cast<std::size_t>(location.source)]->read_at(
          location.offset_bytes, std::as_writable_bytes(std::span(values)));
      for (const float value : values) columns[0].values.push_back(value);
      samples += std::ssize(values);
      columns[0].sequence_offsets.push_back(samples);
    }
    return {streams_, range.count, std::move(columns)};
  }

 private:
  static constexpr std::int64_t kSampleBytes = sizeof(float);

  /// Lists the chunks and the names of the sources. The cost of a sequence is its size in bytes.
  struct ScatteredIndex final : public Index {
    explicit ScatteredIndex(Sources all) : sources(std::move(all)) {}

    [[nodiscard]] std::optional<ChunkInfo> chunk(ChunkIndex chunk) const override {
      return chunks.chunk(chunk);
    }
    [[nodiscard]] std::shared_ptr<const SequenceTable> sequences(ChunkIndex chunk) const override {
      return chunks.sequences(chunk);
    }
    [[nodiscard]] std::string source_name(std::int64_t source) const override {
      return std::string(sources[static_cast<std::size_t>(source)]->name());
    }
    [[nodiscard]] CostMeasure cost_measure() const override { return {.name = "bytes"}; }
    [[nodiscard]] std::int64_t memory_bytes() const override { return chunks.memory_bytes(); }

    MemoryIndex chunks;
    Sources sources;
  };

  std::vector<Stream> streams_ = {{.name = "s", .sample_shape = Shape{1}}};
  ScatteredIndex index_;
};

}  // namespace sheaf::testing
