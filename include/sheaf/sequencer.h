/// \file
/// Which sequences form the next minibatch.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/counts.h"
#include "sheaf/position.h"
#include "sheaf/types.h"

namespace sheaf {

/// A sequence by its place in the index.
struct SequenceRef {
  ChunkIndex chunk{};
  std::int64_t sequence = 0;  // number within the chunk

  friend bool operator==(const SequenceRef&, const SequenceRef&) = default;
};

/// The plan of one minibatch.
struct Step {
  std::vector<SequenceRef> sequences{};  // in the order of delivery
  std::vector<SampleRange> slices{};     // empty: sequences are whole; else one for each
  std::int64_t sample_count = 0;         // by the counts, of all of them
  bool ends_sweep = false;               // the last sequence of a sweep is among them
  bool ends_epoch = false;               // nothing follows in this epoch
  std::vector<ChunkIndex> release{};     // to drop after it; named again, a chunk is read again
  Place next{};                          // the place after this step
};

/// Decides the order. Pure: the answer depends on the counts, the options it was made with and the
/// place alone; no files, no clock, no history. What it keeps between calls is only a cache.
///
/// The plan never depends on values: a sequence that turns out to be bad leaves a hole in its
/// minibatch, nothing moves up.
///
/// Threads: one call at a time.
class Sequencer {
 public:
  virtual ~Sequencer() = default;

  /// Name of the algorithm, which a position carries: "file".
  [[nodiscard]] virtual std::string_view algorithm() const noexcept = 0;

  /// The options that change what is delivered, by option name. A run resumes only under equal
  /// ones.
  [[nodiscard]] virtual std::map<std::string, std::string> options() const = 0;

  /// The step that begins at `from`; nothing where the run is over.
  ///
  /// Order:  the same for every caller and every machine.
  /// Throws: ConfigError where the place cannot be one of this order; whatever Counts throws.
  [[nodiscard]] virtual std::optional<Step> step(const Place& from) const = 0;
};

/// What minibatch_size counts.
enum class MinibatchUnit : std::uint8_t { samples, sequences };

/// Options of LinearSequencer.
struct LinearOrderOptions {
  std::int64_t minibatch_size = 256;  // at most so many, but at least one whole sequence
  MinibatchUnit unit = MinibatchUnit::samples;
  std::int64_t sweeps = 1;        // 0: without end
  bool cut_at_sweep_end = false;  // true: no minibatch has sequences of two sweeps
};

/// File order, sweep after sweep.
class LinearSequencer final : public Sequencer {
 public:
  /// Throws: ConfigError: minibatch_size below 1, sweeps below 0.
  LinearSequencer(std::shared_ptr<const Counts> counts, const LinearOrderOptions& options);
  ~LinearSequencer() override;

  [[nodiscard]] std::string_view algorithm() const noexcept override;
  [[nodiscard]] std::map<std::string, std::string> options() const override;

  /// Cost: the sequences of the step; where `from` is not the place after the last step, also the
  ///       chunks before it.
  [[nodiscard]] std::optional<Step> step(const Place& from) const override;

 private:
  struct Cursor;

  std::shared_ptr<const Counts> counts_;
  LinearOrderOptions options_;
  std::unique_ptr<Cursor> cursor_;  // cache: the chunk of the last place
};

}  // namespace sheaf
