/// \file
/// What a deserializer of Python says of its chunks before any is read.

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

/// The chunks and their sequences, with the texts of keys where these are texts.
///
/// Each chunk is one unit: it is read as a whole, whatever its size.
class UserTable final : public Index {
 public:
  /// A chunk as it is added.
  struct NewChunk {
    std::int64_t sequence_count = 0;
    std::int64_t samples = 1;                            // of each sequence, ...
    std::optional<std::span<const std::int64_t>> each;   // ... or here those of each
    std::optional<std::span<const std::uint64_t>> keys;  // none: numbered through, or texts
    std::optional<std::vector<std::string>> texts;
    std::optional<std::span<const std::int64_t>> costs;  // of all chunks, or none
    std::int64_t decoded_size_bytes = 0;
  };

  /// `name` is that of the data in messages, and `cost_name` says what costs measure.
  UserTable(std::string name, std::string cost_name)
      : name_(std::move(name)), cost_name_(std::move(cost_name)) {}

  /// Throws: ConfigError where sequences have too few samples, keys are not of one kind, or some
  ///         chunks have costs and others none, with the number of the chunk.
  void add(NewChunk chunk);

  /// Check that no key is there twice, once all chunks are added.
  ///
  /// Throws: ConfigError that names both places, and the data.
  void check_keys(const std::string& name) const;

  /// Equal for equal chunks with equal keys.
  [[nodiscard]] std::string hash() const;

  [[nodiscard]] std::optional<ChunkInfo> chunk(ChunkIndex chunk) const override;
  [[nodiscard]] std::shared_ptr<const SequenceTable> sequences(ChunkIndex chunk) const override;
  [[nodiscard]] std::int64_t memory_bytes() const override;
  [[nodiscard]] CostMeasure cost_measure() const override { return index_.cost_measure(); }

  [[nodiscard]] bool has_texts() const noexcept { return !texts_.empty(); }

  /// The text of a key. Pre: has_texts(), and there is such a sequence, here and below.
  [[nodiscard]] std::string_view text(ChunkIndex chunk, std::int64_t sequence) const;

  /// The key as messages have it.
  [[nodiscard]] std::string key_words(ChunkIndex chunk, std::int64_t sequence) const;

  /// The samples of some sequences together.
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
  std::vector<Texts> texts_;  // [chunk]; empty where keys are numbers
  bool is_numbered_ = false;  // keys are not given
  SequenceKey hash_;
};

}  // namespace sheaf::python
