/// \file
/// Made-up data behind a Deserializer that can be slow, faulty or out of order.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/buffer.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/index.h"
#include "sheaf/types.h"

namespace sheaf::testing {

struct FakeData {
  /// The samples of each sequence: [chunk][sequence].
  std::vector<std::vector<std::int64_t>> lengths;

  /// The size of a sample in the imaginary file. Choose large samples for small units.
  std::int64_t sample_size_bytes = 200'000;

  /// The measure of costs, and the cost of each sequence, in the form of `lengths`. If `costs` is
  /// empty and the data have a measure, costs are bytes.
  CostMeasure measure = {};
  std::vector<std::vector<std::int64_t>> costs = {};

  /// Keys of sequences that differ from FakeDeserializer::key(): [chunk, sequence].
  std::map<std::pair<std::int64_t, std::int64_t>, SequenceKey> keys;

  /// Errors of a sequence, as byte offsets. The sequence becomes a hole.
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::int64_t>> wrong;

  /// Errors of a sequence that is delivered nevertheless.
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::int64_t>> flawed;

  /// The byte offsets of all these errors that are fatal, or warnings.
  std::set<std::int64_t> fatal;
  std::set<std::int64_t> warned;

  /// The result of warnings().
  std::vector<Diagnostic> warnings;

  /// Called at the beginning of each read. May wait or throw.
  std::function<void(const ChunkRange& range)> on_read;

  /// Whether building the index decodes each chunk once and hands it over as two ranges. Chunks
  /// whose number ends in 3 are not kept.
  bool is_decoded_ahead = false;

  /// The result of has_fast_random_access().
  bool has_fast_random_access = false;

  /// Changes the chunk that a read returns.
  std::function<Chunk(Chunk chunk)> on_chunk;
};

/// Two streams: "x" is dense, and its values are the key and the number of the sample. "y" is
/// sparse.
class FakeDeserializer final : public Deserializer {
 public:
  /// More than a decoded sample takes, including its share of the smallest buffer.
  static constexpr std::int64_t kSampleBytesMax = 1024;

  explicit FakeDeserializer(FakeData data) : data_(std::move(data)), index_(data_.measure) {
    for (std::size_t chunk = 0; chunk < data_.lengths.size(); ++chunk) {
      SequenceTable::Builder table;
      std::int64_t size_bytes = 0;
      std::int64_t samples = 0;
      for (const std::int64_t length : data_.lengths[chunk]) {
        const auto given = data_.keys.find({static_cast<std::int64_t>(chunk), table.size()});
        table.push_back(
            {.key =
                 given != data_.keys.end() ? given->second : SequenceKey{key(chunk, table.size())},
             .offset_bytes = size_bytes,
             .first_line = table.size(),
             .sample_count = length,
             .cost =
                 data_.costs.empty()
                     ? std::nullopt
                     : std::optional(data_.costs[chunk][static_cast<std::size_t>(table.size())])});
        size_bytes += length * data_.sample_size_bytes;
        samples += length;
      }
      index_.add({.size_bytes = size_bytes, .decoded_size_bytes = samples * kSampleBytesMax},
                 table.finish());
    }
  }

  [[nodiscard]] std::span<const Stream> streams() const noexcept override { return streams_; }
  [[nodiscard]] const Index& index() const noexcept override { return index_; }
  [[nodiscard]] std::string fingerprint() const override {
    return "fake-" + std::to_string(data_.lengths.size());
  }

  [[nodiscard]] Chunk read(const ChunkRange& range, Diagnostics& diagnostics) const override {
    ++read_count_;
    if (data_.on_read) data_.on_read(range);
    Chunk chunk = make_chunk(range, diagnostics);
    return data_.on_chunk ? data_.on_chunk(std::move(chunk)) : std::move(chunk);
  }

  [[nodiscard]] bool has_fast_random_access() const noexcept override {
    return data_.has_fast_random_access;
  }
  [[nodiscard]] std::vector<Diagnostic> warnings() const override { return data_.warnings; }

  void build_index(Executor& /*executor*/, DecodedSink* sink) const override {
    const std::int64_t chunk_count = std::ssize(data_.lengths);
    if (!data_.is_decoded_ahead || sink == nullptr || sink->chunk_count_max() < chunk_count) return;
    for (std::int64_t i = 0; i < chunk_count; ++i) {
      const std::int64_t size = std::ssize(data_.lengths[static_cast<std::size_t>(i)]);
      Diagnostics none;
      const ChunkIndex chunk{i};
      Chunk content = make_chunk({chunk, 0, size}, none);
      if (data_.on_chunk) content = data_.on_chunk(std::move(content));
      const DecodedSink::Kept kept = i % 10 == 3 ? nullptr : sink->keep(std::move(content));
      const std::int64_t half = size / 3;
      if (half > 0) sink->add({chunk, 0, half}, kept, 0);
      sink->add({chunk, half, size - half}, kept, half);
    }
  }

  /// Returns how many reads began, including failed ones.
  [[nodiscard]] std::int64_t read_count() const noexcept { return read_count_; }

  [[nodiscard]] static std::uint64_t key(std::size_t chunk, std::int64_t sequence) {
    return 1000 * (chunk + 1) + static_cast<std::uint64_t>(sequence);
  }

 private:
  [[nodiscard]] Chunk make_chunk(const ChunkRange& range, Diagnostics& diagnostics) const {
    const auto chunk = static_cast<std::size_t>(range.chunk);
    std::vector<Column> columns(2);
    std::vector<std::int64_t> holes;
    std::int64_t samples = 0;
    columns[0].sequence_offsets.push_back(samples);
    columns[1].sequence_offsets.push_back(samples);
    columns[1].sample_offsets.push_back(samples);
    for (std::int64_t i = range.first; i < range.first + range.count; ++i) {
      std::int64_t length = data_.lengths[chunk][static_cast<std::size_t>(i)];
      const auto wrong = data_.wrong.find({static_cast<std::int64_t>(chunk), i});
      if (wrong != data_.wrong.end()) {
        holes.push_back(i - range.first);
        length = 0;
        for (const std::int64_t offset : wrong->second) diagnostics.add(i, diagnostic(offset));
      }
      const auto flawed = data_.flawed.find({static_cast<std::int64_t>(chunk), i});
      if (flawed != data_.flawed.end()) {
        for (const std::int64_t offset : flawed->second) diagnostics.add(i, diagnostic(offset));
      }
      for (std::int64_t j = 0; j < length; ++j) {
        columns[0].values.push_back(static_cast<float>(key(chunk, i)));
        columns[0].values.push_back(static_cast<float>(j));
        columns[1].values.push_back(static_cast<float>(i + j));
        columns[1].indices.push_back(static_cast<std::int32_t>((i + j) % 100));
        columns[1].sample_offsets.push_back(++samples);
      }
      columns[0].sequence_offsets.push_back(samples);
      columns[1].sequence_offsets.push_back(samples);
    }
    return {streams_, range.count, std::move(columns), std::move(holes)};
  }

  [[nodiscard]] Diagnostic diagnostic(std::int64_t offset) const {
    Diagnostic diagnostic;
    if (data_.fatal.contains(offset)) diagnostic.severity = Severity::fatal;
    if (data_.warned.contains(offset)) diagnostic.severity = Severity::warning;
    diagnostic.path = "made-up";
    diagnostic.byte_offset = offset;
    diagnostic.code = "fake-wrong";
    diagnostic.expected = "a right byte";
    diagnostic.found = "byte " + std::to_string(offset);
    return diagnostic;
  }

  FakeData data_;
  std::vector<Stream> streams_ = {
      {.name = "x", .element_type = ElementType::f32, .sample_shape = {2}},
      {.name = "y",
       .element_type = ElementType::f32,
       .sample_shape = {100},
       .storage = Storage::sparse,
       .index_type = ElementType::i32}};
  MemoryIndex index_;
  mutable std::atomic<std::int64_t> read_count_ = 0;
};

}  // namespace sheaf::testing
