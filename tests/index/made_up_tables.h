// Makes up sequence tables of plausible files.

#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "sheaf/extend/index.h"

namespace sheaf {

inline SequenceTable table_of(const std::vector<SequenceInfo>& sequences) {
  SequenceTable::Builder builder;
  for (const SequenceInfo& sequence : sequences) builder.push_back(sequence);
  return builder.finish();
}

inline std::vector<SequenceInfo> sequences_of(const SequenceTable& table) {
  std::vector<SequenceInfo> sequences;
  for (std::int64_t i = 0; i < table.size(); ++i) {
    sequences.push_back({.key = table.key(i),
                         .offset_bytes = table.offset_bytes(i),
                         .first_line = table.first_line(i),
                         .sample_count = table.sample_count(i),
                         .location = table.location(i)});
    if (const auto costs = table.costs()) sequences.back().cost = (*costs)[i];
  }
  return sequences;
}

inline bool operator==(const SequenceInfo& a, const SequenceInfo& b) {
  return a.key == b.key && a.offset_bytes == b.offset_bytes && a.first_line == b.first_line &&
         a.sample_count == b.sample_count && a.cost == b.cost && a.location == b.location;
}

/// The text rows of a made-up file, with its chunk and its table.
struct MadeUpText {
  std::int64_t row_size_min = 18;
  std::int64_t row_size_max = 22;
  std::int64_t rows_min = 1;  // of each sequence
  std::int64_t rows_max = 1;
  bool has_text_keys = false;
};

struct MadeUpChunk {
  SequenceTable table;
  std::int64_t size_bytes = 0;
};

inline MadeUpChunk make_chunk(const MadeUpText& text, std::int64_t sequence_count,
                              std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto between = [&random](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  SequenceTable::Builder builder;
  MadeUpChunk chunk;
  std::int64_t line = 0;
  for (std::int64_t i = 0; i < sequence_count; ++i) {
    SequenceInfo sequence{.key = {.low = static_cast<std::uint64_t>(i)},
                          .offset_bytes = chunk.size_bytes,
                          .first_line = line,
                          .sample_count = between(text.rows_min, text.rows_max)};
    if (text.has_text_keys) sequence.key = {.low = random(), .high = random()};
    builder.push_back(sequence);
    for (std::int64_t row = 0; row < sequence.sample_count; ++row) {
      chunk.size_bytes += between(text.row_size_min, text.row_size_max);
    }
    line += sequence.sample_count;
  }
  chunk.table = builder.finish();
  return chunk;
}

}  // namespace sheaf
