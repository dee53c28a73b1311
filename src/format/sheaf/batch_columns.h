// Gathers sequences by batch before they are cut into the blocks of a container.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sheaf/extend/buffer.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/types.h"

namespace sheaf::container {

/// One stream of the sequences of a batch, or their keys.
struct BatchColumn {
  std::vector<std::uint8_t> presence = {};  // empty if all sequences have the stream
  std::vector<std::int64_t> lengths = {};   // samples of each sequence; bytes of each key
  std::vector<std::int64_t> counts = {};    // entries of each sample, or the extents of each sample
  Buffer indices = {};
  Buffer values = {};  // for keys, their texts one after the other

  // Totals before each sequence, and of all: [sequences + 1].
  std::vector<std::int64_t> samples_before = {0};
  std::vector<std::int64_t> values_before = {0};

  [[nodiscard]] std::int64_t memory_bytes() const noexcept;
};

/// Gathers one stream. Adds the stream's bytes of content in each sequence to `contents`.
[[nodiscard]] BatchColumn gather_stream(const Stream& stream, std::span<const SequenceView> views,
                                        std::span<std::int64_t> contents);

/// Gathers the texts of keys.
[[nodiscard]] BatchColumn gather_keys(std::span<const std::string> texts,
                                      std::span<std::int64_t> contents);

/// Encoded sequences that wait for their block.
struct EncodedBatch {
  std::vector<SequenceKey> keys = {};
  bool has_text_keys = false;
  bool ends_chunk = false;
  std::vector<std::int64_t> contents = {};       // of each sequence
  std::vector<std::int64_t> sample_counts = {};  // of each sequence, for its table
  std::vector<std::int64_t> costs = {};          // likewise; empty if the file keeps no costs
  std::vector<BatchColumn> columns = {};         // first the keys, if they are texts

  [[nodiscard]] std::int64_t size() const noexcept { return std::ssize(keys); }
  [[nodiscard]] std::int64_t memory_bytes() const noexcept;
};

/// Consecutive sequences of one batch.
struct BatchPiece {
  std::shared_ptr<const EncodedBatch> batch;
  std::int64_t first = 0;
  std::int64_t end = 0;
};

}  // namespace sheaf::container
