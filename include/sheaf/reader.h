/// \file
/// From a file to minibatches: what most programs include.

#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/executor.h"
#include "sheaf/extend/format.h"
#include "sheaf/extend/packer.h"
#include "sheaf/extend/sequencer.h"
#include "sheaf/minibatch.h"
#include "sheaf/open.h"
#include "sheaf/position.h"
#include "sheaf/spec.h"

namespace sheaf {

/// How a reader runs. Nothing here but `max_errors` and `start` changes what is delivered.
struct RunOptions {
  int threads = 0;                      // 0: one for each processor; without effect with `executor`
  std::int64_t memory_limit_bytes = 0;  // decoded chunks, queues, index; 0: no limit
  std::int64_t max_errors = 0;          // distinct wrong places tolerated
  std::optional<Position> start = {};   // where to begin; none: at the beginning

  /// Where tasks run; none: threads of the reader's own. Must outlive the reader.
  Executor* executor = nullptr;

  /// Memory of the minibatches' arrays; must outlive them. Called from several threads.
  std::pmr::memory_resource* minibatch_memory = nullptr;
};

/// Everything about reading a file.
struct ReaderOptions {
  FormatOptions format = {};
  OrderOptions order = {};
  Layout packing = Layout::padded;  // truncated, where `order` has a truncation_length
  std::int64_t row_samples = 0;     // steps of each slot of `packed`, see packed_packer; 0: none
  RunOptions run = {};
};

/// The packer of a layout, for an order: where that cuts sequences, the one of `truncated`; with
/// row_samples, the one of `packed`. `padded` gives way to these.
///
/// Throws: ConfigError where the order cuts sequences or there are row_samples, and the layout is
///         another one; for both at once; as packed_packer.
[[nodiscard]] std::unique_ptr<Packer> make_packer(Layout layout, const OrderOptions& order,
                                                  std::int64_t row_samples = 0);

/// What a reader did so far. Sequences counted as delivered or as holes add up to those of the
/// minibatches that next() returned.
struct ReaderStats {
  std::int64_t minibatches = 0;
  std::int64_t sequences = 0;         // delivered
  std::int64_t samples = 0;           // delivered: sum of Minibatch::sample_count()
  std::int64_t sample_places = 0;     // in their arrays, filled or not: of Minibatch::row_count()
  std::int64_t holes = 0;             // sequences left out because their data are wrong
  std::int64_t error_places = 0;      // distinct wrong places, as max_errors counts them
  std::int64_t memory_bytes_max = 0;  // the most in use at once; what is reserved does not count
  double wait_seconds = 0;            // that next() waited for data

  /// The share of the places that is padding, or gaps: 0 for `ragged` and `frames`.
  [[nodiscard]] double padding_ratio() const noexcept {
    if (sample_places == 0) return 0;
    return 1 - static_cast<double>(samples) / static_cast<double>(sample_places);
  }
};

/// Delivers minibatches. Reads, decodes and packs ahead of need on the threads of its executor, and
/// delivers in the order of the sequencer.
///
/// An error belongs to a step: it is thrown by the call of next() that would have delivered that
/// step, whatever the number of threads, and by every call after it.
///
/// Threads: one call at a time. Move-only. Destroying a reader at any moment is clean: work under
/// way is finished and thrown away.
class Reader {
 public:
  /// Read a file, or the files of a pattern: what a spec with these options says.
  ///
  /// Throws: ConfigError, IoError, DataError, as open; ConfigError for run options out of range,
  ///         for a start that belongs to another run, and for streams that the packing does not
  ///         take.
  explicit Reader(const std::string& path, const ReaderOptions& options,
                  const OpenContext& context = {});

  /// Read what a spec says. `run.max_errors` is added to what the spec tolerates. Data are opened
  /// and read on the same threads, and share `run.memory_limit_bytes`. Of `context`, `files`
  /// and `objects` are looked at.
  ///
  /// Throws: as open, make_sequencer, make_packer, and as above.
  explicit Reader(const Spec& spec, const RunOptions& run = {}, const OpenContext& context = {});

  /// Read anything: parts made by hand, own ones included.
  ///
  ///     std::shared_ptr<const Deserializer> data = open_path("train.ctf", format_options).data;
  ///     const std::shared_ptr<const Counts> counts(data, &data->index());  // shares ownership
  ///     Reader reader(data, std::make_unique<LinearSequencer>(counts, order), padded_packer());
  ///
  /// Pre:    the sequencer was made from this deserializer's index.
  /// Throws: as above.
  Reader(std::shared_ptr<const Deserializer> deserializer, std::unique_ptr<Sequencer> sequencer,
         std::unique_ptr<Packer> packer, const RunOptions& options = {});

  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader();

  /// Lifetime: as long as the reader.
  [[nodiscard]] std::span<const Stream> streams() const noexcept;

  /// The next minibatch; nothing at the end, and ever after.
  ///
  /// Throws: IoError; DataError at place max_errors + 1, or at one that is fatal; ConfigError where
  ///         the memory limit is too small for the step, saying how much it needs; what the parts
  ///         throw.
  [[nodiscard]] std::optional<Minibatch> next();

  /// Whether next() has a minibatch to return, or the end, without waiting and without any work.
  [[nodiscard]] bool is_ready() const;

  /// The position after the minibatch that next() returned last; before the first call, that of the
  /// start.
  [[nodiscard]] Position position() const;

  /// The wrong places met so far in what was delivered, described as far as they were kept.
  [[nodiscard]] std::span<const Diagnostic> diagnostics() const noexcept;

  /// What is worth knowing though nothing is wrong, as far as it is known by now: first the
  /// warnings about what was delivered, each place once however often its sequence is, and no more
  /// than the first hundred of them; then Deserializer::warnings().
  [[nodiscard]] std::vector<Diagnostic> warnings() const;

  [[nodiscard]] ReaderStats stats() const;

  // Random access. One sequence is read alone, on the calling thread, and packed as the reader
  // packs: a minibatch of one, or nothing where there is no such sequence. The run stays as it is:
  // what next() delivers, position(), which is the position of these minibatches too, stats(), and
  // what is wrong and counted so far. It may be asked for at any time, also behind the end of the
  // run or an error of it.
  //
  // Throws: DataError with the wrong places of the sequence, where it is left out because of them;
  //         one that is delivered all the same, as CNTK does, is delivered. ConfigError where the
  //         packing does not take the sequence alone or as a whole (`truncated`; `frames`, if it
  //         has several samples). IoError, as next().
  //
  // Cost: the sequence, and its chunk's table. The memory limit counts what the index keeps.

  /// The first sequence of the file with this key.
  ///
  /// Cost: the first call that has to looks at the tables of all chunks up to the one that has the
  ///       key, and keeps 40 bytes of each chunk: the smallest and the largest key. A later one
  ///       looks at the tables of those chunks that may have the key: one or two where keys rise in
  ///       the file, half of them on average where they are in no order, as those of texts.
  [[nodiscard]] std::optional<Minibatch> sequence(const SequenceKey& key);

  /// The same where keys are texts.
  [[nodiscard]] std::optional<Minibatch> sequence(std::string_view text);

  /// The sequence that a sweep delivers as its number-th, from 0, counted over all workers. A
  /// frame, where frames are sequences. The order has every sweep, however many the run has.
  ///
  /// Throws: also ConfigError where the order cannot tell, as where sequences are cut.
  /// Cost:   that of Sequencer::sequence_at(). Waits for the planning of a step that is under way.
  [[nodiscard]] std::optional<Minibatch> sequence_at(std::int64_t sweep, std::int64_t number);

 private:
  class Engine;
  std::unique_ptr<Executor> threads_;  // where the spec was opened, if no executor was given
  std::unique_ptr<Engine> engine_;
};

}  // namespace sheaf
