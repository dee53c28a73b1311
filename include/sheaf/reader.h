/// \file
/// Reads data and delivers minibatches: the header that most programs include.
///
///     sheaf::Reader reader("train.ctf",
///                          {.order = {.minibatch_size = 512,
///                                     .unit = sheaf::MinibatchUnit::sequences}});
///     try {
///       while (const std::optional<sheaf::Minibatch> minibatch = reader.next()) {
///         const std::span<const float> pixels = minibatch->batch("features").values.as<float>();
///         std::cout << minibatch->sequence_count() << " images, " << pixels.size() << " pixels\n";
///       }
///     } catch (const sheaf::Error& error) {
///       std::cout << error.what() << '\n';
///     }

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
#include "sheaf/error.h"
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

/// How a reader runs. `start` sets where the run begins, and `max_errors` sets how many errors the
/// run tolerates. The other options never change what the reader delivers.
struct RunOptions {
  /// How many threads read and decode. Empty means one for each processor. Has no effect if
  /// `executor` is given.
  std::optional<int> threads = {};

  /// The most memory for decoded data, minibatches and index together. A minibatch counts until the
  /// next call of next(). Empty means no limit.
  std::optional<std::int64_t> memory_limit_bytes = {};

  /// How many distinct errors in the data the run tolerates; kAll means any number. An error that
  /// occurs in several epochs counts once. A sequence with an error is left out of its minibatch.
  /// With OrderOptions::split_frames, a sequence with errors counts once more for each further
  /// frame.
  std::int64_t max_errors = 0;

  /// The position to continue from. Empty means the beginning.
  std::optional<Position> start = {};

  /// Runs the tasks of the reader. Null means threads that the reader starts itself. Must outlive
  /// the reader.
  Executor* executor = nullptr;

  /// Provides the memory for the arrays of minibatches, and must outlive the arrays. Several
  /// threads of the reader allocate memory. The thread that destroys a minibatch frees its memory.
  /// Null means default_memory().
  std::pmr::memory_resource* minibatch_memory = nullptr;

  /// Whether minibatches have the declared costs of their sequences: Minibatch::costs(). A program
  /// that converts data sets this option.
  bool notes_costs = false;
};

/// How to read a file. docs/options.md has the names of all options.
struct ReaderOptions {
  FormatOptions format = {};  // how to open the file: its format, its streams, its index
  OrderOptions order = {};    // the order, and the size of minibatches

  /// How sequences lie in the arrays of a minibatch. The default becomes `truncated` if
  /// `order.truncation_length` is given, and `packed` if `row_samples` is given.
  Layout packing = Layout::padded;

  /// The fixed length of the slots of `packed` in samples, as for packed_packer(). Empty means the
  /// length of the longest sequence of a minibatch. OrderOptions::long_sequences says what happens
  /// to longer sequences.
  std::optional<std::int64_t> row_samples = {};

  /// The values where there is no sample, and how `padded` pads.
  Padding padding = {};

  CacheOptions cache = {};  // keeps decoded sequences for later sweeps and runs
  RunOptions run = {};      // threads, memory, tolerated errors, where to begin
};

/// Returns the packer of a layout: the part of a reader that lays sequences side by side. `padded`
/// becomes `truncated` if the order has a truncation_length, and `packed` if `row_samples` is
/// given.
///
/// Throws: ConfigError if both truncation_length and `row_samples` are given; if one of them is
///         given with a layout other than `padded` or the layout that it implies; or if the layout
///         does not support an option of `padding`. Also as packed_packer() and padded_packer().
[[nodiscard]] std::unique_ptr<Packer> make_packer(Layout layout, const OrderOptions& order,
                                                  std::optional<std::int64_t> row_samples = {},
                                                  const Padding& padding = {});

/// Counts over the minibatches that next() has returned so far. `sequences` plus `holes` is the
/// number of sequences that the order put into these minibatches.
struct ReaderStats {
  std::int64_t minibatches = 0;
  std::int64_t sequences = 0;         // delivered
  std::int64_t samples = 0;           // the sum of Minibatch::sample_count()
  std::int64_t sample_places = 0;     // rows of the arrays: the sum of Minibatch::row_count()
  std::int64_t holes = 0;             // sequences left out because their data are wrong
  std::int64_t error_count = 0;       // distinct errors, counted as for max_errors
  std::int64_t memory_bytes_max = 0;  // the most memory in use at once
  std::int64_t cache_hits = 0;        // the CacheCounts of the data, here and below
  std::int64_t cache_misses = 0;
  double wait_seconds = 0;  // how long next() waited for data

  /// Returns the share of the array rows that are padding or gaps. 0 for `ragged` and `frames`.
  [[nodiscard]] double padding_ratio() const noexcept {
    if (sample_places == 0) return 0;
    return 1 - static_cast<double>(samples) / static_cast<double>(sample_places);
  }
};

/// Delivers minibatches in the order of OrderOptions. A reader reads, decodes and packs ahead of
/// the program on several threads.
///
/// An error belongs to a minibatch. For any number of threads, the call of next() that would have
/// returned this minibatch throws the error. Every later call throws the same error.
///
/// A reader is move-only. A moved-from reader has no streams and can only be destroyed or assigned
/// to; calls that read throw InternalError. A reader can be destroyed at any time: running tasks
/// finish first, and their results are dropped.
///
/// Threads: one call at a time, the destructor included.
class Reader {
 public:
  /// Reads a file or the files that match a pattern.
  ///
  /// Throws: ConfigError, IoError and DataError as open(). ConfigError for run options out of
  ///         range, for a start position that belongs to another run, and for streams that the
  ///         packing does not take.
  explicit Reader(const std::string& path, const ReaderOptions& options = {},
                  const OpenContext& context = {});

  /// Reads the data of a spec. The reader tolerates `max_errors` of the spec plus `run.max_errors`
  /// errors. Opening and reading use the threads and the memory limit of `run`; the executor and
  /// the limit of `context` have no effect.
  ///
  /// Throws: as open(), make_sequencer() and make_packer(), and as above.
  explicit Reader(const Spec& spec, const RunOptions& run = {}, const OpenContext& context = {});

  /// Reads with components that the program provides, such as its own deserializer.
  ///
  ///     std::shared_ptr<const Deserializer> data = open_path("train.ctf", format_options).data;
  ///     const std::shared_ptr<const Counts> counts(data, &data->index());  // shares ownership
  ///     Reader reader(data, std::make_unique<LinearSequencer>(counts, order), padded_packer());
  ///
  /// Pre:    the sequencer was made from the index of the deserializer.
  /// Throws: as above.
  Reader(std::shared_ptr<const Deserializer> deserializer, std::unique_ptr<Sequencer> sequencer,
         std::unique_ptr<Packer> packer, const RunOptions& options = {});

  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader();

  /// Returns the streams of the minibatches.
  ///
  /// Lifetime: as long as the reader.
  [[nodiscard]] std::span<const Stream> streams() const noexcept;

  /// Returns whether minibatches have the costs of their sequences: whether RunOptions::notes_costs
  /// is set and the data declare costs.
  [[nodiscard]] bool notes_costs() const;

  /// Returns the index of the data.
  ///
  /// Lifetime: as long as the reader.
  [[nodiscard]] const Index& index() const;

  /// Returns the data that the reader reads.
  ///
  /// Lifetime: as long as the reader.
  [[nodiscard]] const Deserializer& data() const;

  /// Returns the next minibatch, or nothing after the end of the run. A run has
  /// OrderOptions::epochs epochs, and Minibatch::ends_epoch marks the last minibatch of each. To
  /// continue later, store to_json(minibatch->position), and pass position_from_json() as
  /// RunOptions::start of a reader with the same data and the same order.
  ///
  /// Throws: IoError. DataError at error number max_errors + 1, or at a fatal error. ConfigError if
  ///         the memory limit is too small for the next minibatch; the message gives the smallest
  ///         limit that works. Any exception of a component that the program provided.
  [[nodiscard]] std::optional<Minibatch> next();

  /// Returns whether next() would return immediately, without waiting or working.
  [[nodiscard]] bool is_ready() const;

  /// Returns the position after the minibatch that next() returned last. Before the first call,
  /// returns the position where the run begins. Minibatches that the reader prepared ahead do not
  /// count.
  [[nodiscard]] Position position() const;

  /// Returns descriptions of the first hundred errors in the data delivered so far.
  /// ReaderStats::error_count counts all errors.
  ///
  /// Lifetime: until the next call of next().
  [[nodiscard]] std::span<const Diagnostic> diagnostics() const noexcept;

  /// Returns the warnings that are known so far: first up to a hundred distinct warnings about
  /// delivered data, then Deserializer::warnings().
  [[nodiscard]] std::vector<Diagnostic> warnings() const;

  /// Returns the statistics of the run so far.
  [[nodiscard]] ReaderStats stats() const;

  // Random access. The calls below read one sequence on the calling thread and pack the sequence as
  // the reader packs. They return a minibatch of one sequence, or nothing if there is no such
  // sequence. They do not affect the run: next(), position(), stats() and the counted errors stay
  // as they are. They work at any time, also after the end of the run or after an error.
  //
  // Throws: DataError with the errors of the sequence, if a run would leave the sequence out.
  //         ConfigError if the packing cannot hold one whole sequence: `truncated`, `frames` if the
  //         sequence has several samples, and `packed` if the sequence is longer than row_samples.
  //         IoError, as next().
  //
  // Cost: reads the sequence, and the index of its chunk: offsets, keys and lengths. The memory
  //       limit counts the parts of the index that stay in memory.

  /// Returns the first sequence with this key. Transforms draw their random numbers as in sweep
  /// `sweep`.
  ///
  /// Cost: the first call reads the index of all chunks up to the chunk with the key, and keeps the
  ///       smallest and the largest key of each chunk: 40 bytes. A later call reads the index of
  ///       the chunks that may have the key: one or two if keys rise in the file, half of all
  ///       chunks on average if keys are unordered.
  [[nodiscard]] std::optional<Minibatch> sequence(const SequenceKey& key, std::int64_t sweep = 0);

  /// Returns the first sequence with this key text. A key of a table or a container may be the
  /// empty text. Returns nothing if keys are numbers: for key 318, call
  /// sequence(SequenceKey{.low = 318}).
  [[nodiscard]] std::optional<Minibatch> sequence(std::string_view text, std::int64_t sweep = 0);

  /// Returns sequence number `number` of a sweep, in the order of delivery. Numbers begin at 0 and
  /// count over all workers. With `split_frames`, returns a single frame; with
  /// LongSequences::split, a piece. `sweep` may lie beyond the end of the run.
  ///
  /// Throws: also ConfigError if the order does not number sequences, as with a truncation_length.
  /// Cost:   as Sequencer::sequence_at(). The call waits while the reader plans a minibatch.
  [[nodiscard]] std::optional<Minibatch> sequence_at(std::int64_t sweep, std::int64_t number);

 private:
  class Engine;

  [[nodiscard]] Engine& engine() const;

  std::unique_ptr<Executor> threads_;  // the reader's own threads, if no executor was given
  std::unique_ptr<Engine> engine_;
};

}  // namespace sheaf
