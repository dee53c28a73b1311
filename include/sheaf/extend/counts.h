/// \file
/// The sizes of data and their division into chunks: everything that an order may depend on.

#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sheaf/extend/packed_ints.h"
#include "sheaf/mixture.h"
#include "sheaf/types.h"

namespace sheaf {

/// Consecutive sequences of one chunk; by default all sequences.
struct ChunkRange {
  static constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();

  ChunkIndex chunk{};
  std::int64_t first = 0;     // number of the first sequence within the chunk
  std::int64_t count = kAll;  // cut at the end of the chunk

  [[nodiscard]] bool contains(ChunkIndex other, std::int64_t sequence) const noexcept {
    return other == chunk && sequence >= first && sequence - first < count;
  }

  friend auto operator<=>(const ChunkRange&, const ChunkRange&) = default;  // NOLINT: no null
};

/// The sizes of one chunk.
///
/// A chunk is cut into units of nearly equal numbers of sequences: unit j of n begins with sequence
/// j * sequence_count / n, rounded down.
struct ChunkCounts {
  std::int64_t sequence_count = 0;
  std::int64_t sample_count = 0;  // sum over the sequences
  std::int64_t unit_count = 1;    // 1 .. sequence_count

  friend bool operator==(const ChunkCounts&, const ChunkCounts&) = default;
};

/// A number for each sequence of one chunk: its number of samples, or its cost. Shares memory with
/// the index.
class SampleCounts {
 public:
  explicit SampleCounts(std::shared_ptr<const PackedInts> counts) : counts_(std::move(counts)) {}

  [[nodiscard]] std::int64_t size() const noexcept { return counts_->size(); }

  /// Returns the number of the i-th sequence.
  ///
  /// Pre: 0 <= i < size().
  [[nodiscard]] std::int64_t operator[](std::int64_t i) const noexcept { return (*counts_)[i]; }

  /// Returns the number that all sequences share; nothing if numbers differ.
  [[nodiscard]] std::optional<std::int64_t> constant() const noexcept {
    return counts_->constant();
  }

 private:
  std::shared_ptr<const PackedInts> counts_;
};

/// Describes what the costs of the sequences of a data set measure.
struct CostMeasure {
  std::string name{};  // "bytes", "pixels"; empty if the data declare no costs

  /// For messages, why the data declare no costs: "train.cbf: CBF files declare none". May be
  /// empty.
  std::string reason{};

  friend bool operator==(const CostMeasure&, const CostMeasure&) = default;
};

/// The numbers of chunks, sequences and samples of a data set. An Index is a Counts.
///
/// A data set may become known chunk by chunk, so a call about a chunk may take as long as finding
/// the chunk. Results never change.
///
/// Threads: all calls are safe from any number of threads.
class Counts {
 public:
  virtual ~Counts() = default;

  /// Returns the sizes of a chunk; nothing if there is no such chunk.
  ///
  /// Pre:    chunk is not negative.
  /// Throws: IoError and DataError, while finding the chunk.
  [[nodiscard]] virtual std::optional<ChunkCounts> chunk_counts(ChunkIndex chunk) const = 0;

  /// Returns the number of samples of each sequence of a chunk.
  ///
  /// Pre: the chunk exists.
  [[nodiscard]] virtual SampleCounts sample_counts(ChunkIndex chunk) const = 0;

  /// Returns whether reading a part of a chunk costs only its share of the whole chunk. If not, as
  /// with row groups of Parquet, a chunk is one unit, and a moving window takes whole chunks. Takes
  /// no time.
  [[nodiscard]] virtual bool reads_parts() const noexcept { return true; }

  /// Returns whether an order may cut sequences. A join with Lengths::at_least returns false,
  /// because its sequences keep samples that these numbers do not count. Takes no time.
  [[nodiscard]] virtual bool can_be_cut() const noexcept { return true; }

  /// Returns how a mixture draws from its members; null for other data. The chunks of a mixture are
  /// the chunks of its members, one member after the other. Takes no time.
  ///
  /// Lifetime: as long as this object.
  [[nodiscard]] virtual const Mixture* mixture() const noexcept { return nullptr; }

  /// Returns the chunk number after the last chunk of each member of a mixture; nothing for other
  /// data. Finds all chunks.
  ///
  /// Throws: as chunk_counts().
  [[nodiscard]] virtual std::vector<std::int64_t> member_ends() const { return {}; }

  /// Returns what the costs of sequences measure. A cost is a number that the data set chooses,
  /// such as the pixels of an image. OrderOptions::unit can make minibatches count costs. Takes no
  /// time.
  [[nodiscard]] virtual CostMeasure cost_measure() const { return {}; }

  /// Returns the cost of each sequence of a chunk; nothing if the data declare no costs. No cost is
  /// negative.
  ///
  /// Pre: the chunk exists, here and below.
  [[nodiscard]] virtual std::optional<SampleCounts> costs(ChunkIndex /*chunk*/) const { return {}; }

  /// Returns the sum of the costs of a chunk; 0 if the data declare no costs. By default, adds up
  /// costs().
  ///
  /// Throws: ConfigError if the sum takes more than 63 bits.
  [[nodiscard]] virtual std::int64_t chunk_cost(ChunkIndex chunk) const;
};

}  // namespace sheaf
