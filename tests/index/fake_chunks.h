/// \file
/// Finds chunks as a format does, but without data.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/file_system.h"

#include "index/growing_index.h"
#include "index/made_up_tables.h"

namespace sheaf::internal {

constexpr std::int64_t kFakeBytes = 10;  // of each sequence

/// Finds chunks with these keys.
class FakeChunks final : public ChunkFinder {
 public:
  explicit FakeChunks(std::vector<std::vector<std::uint64_t>> keys) : keys_(std::move(keys)) {}

  [[nodiscard]] std::unique_ptr<Scanner> scan() const override {
    ++scan_count;
    return std::make_unique<FakeScanner>(*this);
  }
  [[nodiscard]] std::int64_t scan_bytes() const noexcept override { return 0; }
  [[nodiscard]] SequenceTable find_again(const ChunkInfo& chunk,
                                         std::int64_t sequences_before) const override {
    ++found_again_count;
    std::int64_t before = 0;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      if (before == sequences_before) return chunk_of(i, chunk.offset_bytes).sequences;
      before += std::ssize(keys_[i]);
    }
    throw InternalError("there is no such chunk");
  }
  [[nodiscard]] bool is_worth_all_threads(const std::optional<ChunkInfo>& /*last*/,
                                          int thread_count) const override {
    return thread_count > 1;
  }
  ScanResult scan_all(Executor& /*executor*/, DecodedSink* sink,
                      const std::function<void(ScannedChunk)>& take) const override {
    ScanResult result{.warnings = scan()->warnings(), .decoded = {}};
    const std::unique_ptr<Scanner> scanner = scan();
    while (std::optional<ScannedChunk> chunk = scanner->next()) {
      const auto number = ChunkIndex{std::ssize(result.decoded)};
      result.decoded.push_back({.range = {number, 0, chunk->info.sequence_count},
                                .kept = std::make_shared<const Chunk>(
                                    std::span<const Stream>(), chunk->info.sequence_count,
                                    std::vector<Column>(), std::vector<std::int64_t>())});
      take(*std::move(chunk));
    }
    if (sink == nullptr || std::ssize(keys_) >= sink->chunk_count_max()) result.decoded.clear();
    return result;
  }
  [[noreturn]] void throw_changed(const ChunkInfo& /*chunk*/) const override {
    throw IoError("changed");
  }
  [[nodiscard]] FileContents contents_of(const IndexFile& file) const override {
    return {.fault = file.notes() == "bad" ? "it is bad" : "",
            .warnings = {warning(std::string(file.notes()))},
            .new_notes = new_notes};
  }
  [[nodiscard]] bool fits(const ChunkInfo& /*chunk*/, const SequenceTable& /*sequences*/,
                          const ChunkNotes& notes) const override {
    return notes.streams.size() == 1;
  }
  [[nodiscard]] std::string notes_for_file(const std::vector<Diagnostic>& warnings) const override {
    return warnings.at(0).found;
  }

  std::string new_notes;
  mutable int scan_count = 0;
  mutable int found_again_count = 0;

 private:
  class FakeScanner final : public Scanner {
   public:
    explicit FakeScanner(const FakeChunks& chunks) : chunks_(chunks) {}

    std::optional<ScannedChunk> next() override {
      if (next_ == chunks_.keys_.size()) return std::nullopt;
      ScannedChunk chunk = chunks_.chunk_of(next_++, offset_);
      offset_ += chunk.info.size_bytes;
      return chunk;
    }
    [[nodiscard]] std::vector<Diagnostic> warnings() const override { return {warning("scanned")}; }

   private:
    const FakeChunks& chunks_;
    std::size_t next_ = 0;
    std::int64_t offset_ = 0;
  };

  [[nodiscard]] static Diagnostic warning(std::string found) {
    Diagnostic warning;
    warning.severity = Severity::warning;
    warning.found = std::move(found);
    return warning;
  }

  [[nodiscard]] ScannedChunk chunk_of(std::size_t number, std::int64_t offset) const {
    const std::vector<std::uint64_t>& keys = keys_[number];
    const std::int64_t count = std::ssize(keys);
    std::vector<SequenceInfo> sequences;
    for (std::int64_t i = 0; i < count; ++i) {
      sequences.push_back({.key = {.low = keys[static_cast<std::size_t>(i)]},
                           .offset_bytes = i * kFakeBytes,
                           .first_line = i,
                           .sample_count = i % 3});
    }
    return {.info = {.offset_bytes = offset,
                     .size_bytes = count * kFakeBytes,
                     .first_line = offset / kFakeBytes + 1,
                     .sequence_count = count},
            .sequences = table_of(sequences),
            .notes = {.streams = {{.sample_count = count, .pair_count = 7}},
                      .unit_hashes = {},
                      .repeated = {}}};
  }

  std::vector<std::vector<std::uint64_t>> keys_;
};

/// Returns the index file of data of `size_bytes` bytes.
inline IndexFileKeeper::Parts fake_file(std::int64_t size_bytes, const IndexOptions& options,
                                        FileSystem& files) {
  return {.source = memory_source(std::string(static_cast<std::size_t>(size_bytes), 'x'), "data"),
          .files = &files,
          .options = options,
          .identity = {.options = "fake", .data = {}},
          .warning_code = "fake-index-file"};
}

}  // namespace sheaf::internal
