/// \file
/// The chunks of a Python deserializer, as known before any is read.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/extend/counts.h"
#include "sheaf/extend/index.h"
#include "sheaf/types.h"

namespace sheaf::python {

/// The index of the chunks and their sequences, with the texts of text keys.
///
/// Each chunk is one unit, which is read as a whole, whatever its size.
class UserTable final : public Index {
 public:
  /// The description of a chunk to add.
  struct NewChunk {
    std::int64_t sequence_count = 0;
    std::int64_t samples = 1;  // samples of every sequence, unless `each` is set
    std::optional<std::span<const std::int64_t>> each;   // samples by sequence
    std::optional<std::span<const std::uint64_t>> keys;  // empty: running numbers, or `texts`
    std::optional<std::vector<std::string>> texts;
    std::optional<std::span<const std::int64_t>> costs;  // in all chunks, or in none
    std::int64_t decoded_size_bytes = 0;
  };

  /// `name` is the name of the data in messages. `cost_name` is the name of the measure of costs.
  UserTable(std::string name, std::string cost_name)
      : name_(std::move(name)), cost_name_(std::move(cost_name)) {}

  /// Adds a chunk.
  ///
  /// Throws: ConfigError with the number of the chunk, if a sequence has too few samples, keys are
  ///         not of one kind, or only some chunks have costs.
  void add(NewChunk chunk);

  /// Checks that all keys differ. Call after all chunks are added.
  ///
  /// Throws: ConfigError that names the data and both sequences.
  void check_keys(const std::string& name) const;

  /// Returns a hash that is equal for equal chunks with equal keys.
  [[nodiscard]] std::string hash() const;

  [[nodiscard]] std::optional<ChunkInfo> chunk(ChunkIndex chunk) const override;
  [[nodiscard]] std::shared_ptr<const SequenceTable> sequences(ChunkIndex chunk) const override;
  [[nodiscard]] std::int64_t memory_bytes() const override;
  [[nodiscard]] CostMeasure cost_measure() const override { return index_.cost_measure(); }

  [[nodiscard]] bool has_texts() const noexcept { return !texts_.empty(); }

  /// Returns the text of a key.
  ///
  /// Pre: has_texts(), and the sequence exists.
  [[nodiscard]] std::string_view text(ChunkIndex chunk, std::int64_t sequence) const;

  /// Returns a key as written in messages.
  ///
  /// Pre: the sequence exists, here and below.
  [[nodiscard]] std::string key_words(ChunkIndex chunk, std::int64_t sequence) const;

  /// Returns the total number of samples in some sequences.
  [[nodiscard]] std::int64_t sample_count(const ChunkRange& range) const;

 private:
  struct Texts {
    std::string bytes;
    std::vector<std::int64_t> ends;
  };

  void check_kind(const NewChunk& chunk);
  void check_costs(const NewChunk& chunk);
  void add_texts(const std::vector<std::string>& texts);

  std::string name_;
  std::string cost_name_;
  MemoryIndex index_;
  std::int64_t chunk_count_ = 0;
  std::int64_t sequence_count_ = 0;
  std::int64_t sample_count_ = 0;
  std::int64_t cost_ = 0;
  std::int64_t text_bytes_ = 0;
  std::vector<Texts> texts_;  // [chunk]; empty if keys are numbers
  bool is_numbered_ = false;  // keys are running numbers
  SequenceKey hash_;
};

}  // namespace sheaf::python
