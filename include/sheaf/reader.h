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

/// How a reader runs. `start` says where the run begins, and `max_errors` says how many errors end
/// the run. The other options never change what the reader delivers.
struct RunOptions {
  /// How many threads read and decode. Empty means one for each processor. Has no effect where
  /// `executor` is given.
  std::optional<int> threads = {};

  /// The most memory for decoded data, minibatches and index together. A minibatch counts until the
  /// call of next() after it. Empty means no limit.
  std::optional<std::int64_t> memory_limit_bytes = {};

  /// How many distinct wrong places the run may deliver; kAll means any number. A place that
  /// several epochs deliver counts once. Each wrong place spoils its sequence, which is left out of
  /// its minibatch.
  std::int64_t max_errors = 0;

  /// The position to continue from. Empty means the beginning.
  std::optional<Position> start = {};

  /// Runs the tasks of the reader. Null means threads that the reader starts itself. Must outlive
  /// the reader.
  Executor* executor = nullptr;

  /// Provides the memory of the minibatches' arrays, and must outlive the arrays. Several threads
  /// of the reader allocate; the thread that destroys a minibatch deallocates. Null means
  /// default_memory().
  std::pmr::memory_resource* minibatch_memory = nullptr;
};

/// How to read a file. docs/options.md has the names of all options.
struct ReaderOptions {
  FormatOptions format = {};  // how to open the file: its format, its streams, its index
  OrderOptions order = {};    // in which order, and in minibatches of which size

  /// How sequences lie in the arrays of a minibatch. The default becomes `truncated` where
  /// `order.truncation_length` is given, and `packed` where `row_samples` is given.
  Layout packing = Layout::padded;

  /// The fixed length of the rows of `packed`, as for packed_packer(). Empty means that the longest
  /// sequence of a minibatch gives the length. OrderOptions::long_sequences says what becomes of
  /// longer sequences.
  std::optional<std::int64_t> row_samples = {};

  /// What stands where no sample is, and how `padded` pads.
  Padding padding = {};

  CacheOptions cache = {};  // keeps decoded sequences for later sweeps and runs
  RunOptions run = {};      // threads, memory, tolerated errors, where to begin
};

/// Returns the packer of a layout: the part of a reader that lays sequences side by side. `padded`
/// becomes `truncated` where the order has a truncation_length, and `packed` where `row_samples` is
/// given.
///
/// Throws: ConfigError where both are given, and where one of them is given with a layout other
///         than `padded` and the layout that it asks for; where `padding` has what the layout does
///         not take; as packed_packer() and padded_packer().
[[nodiscard]] std::unique_ptr<Packer> make_packer(Layout layout, const OrderOptions& order,
                                                  std::optional<std::int64_t> row_samples = {},
                                                  const Padding& padding = {});

/// What a reader did so far, counted over the minibatches that next() returned. Sequences plus
/// holes are the sequences that the order put into these minibatches.
struct ReaderStats {
  std::int64_t minibatches = 0;
  std::int64_t sequences = 0;         // delivered
  std::int64_t samples = 0;           // the sum of Minibatch::sample_count()
  std::int64_t sample_places = 0;     // rows of the arrays: the sum of Minibatch::row_count()
  std::int64_t holes = 0;             // sequences left out because their data are wrong
  std::int64_t error_places = 0;      // distinct wrong places, counted as for max_errors
  std::int64_t memory_bytes_max = 0;  // the most memory in use at once
  std::int64_t cache_hits = 0;        // as CacheCounts, of the data; here and below
  std::int64_t cache_misses = 0;
  double wait_seconds = 0;  // how long next() waited for data

  /// Returns the share of the rows that is padding or gaps: 0 for `ragged` and `frames`.
  [[nodiscard]] double padding_ratio() const noexcept {
    if (sample_places == 0) return 0;
    return 1 - static_cast<double>(samples) / static_cast<double>(sample_places);
  }
};

/// Delivers minibatches. A reader reads, decodes and packs ahead of the program on several threads,
/// and delivers the minibatches in the order that OrderOptions say.
///
/// An error belongs to a minibatch. The call of next() that would have returned this minibatch
/// throws the error, for any number of threads. Every later call throws the same error.
///
/// A reader is move-only. A moved-from reader can only be destroyed or assigned to: it has no
/// streams, and calls that read throw InternalError. A reader can be destroyed at any moment:
/// running tasks finish first, and their results are dropped.
///
/// Threads: one call at a time, the destructor included.
class Reader {
 public:
  /// Reads a file, or the files of a pattern.
  ///
  /// Throws: ConfigError, IoError and DataError, as open(); ConfigError for run options out of
  ///         range, for a start that belongs to another run, and for streams that the packing does
  ///         not take.
  explicit Reader(const std::string& path, const ReaderOptions& options = {},
                  const OpenContext& context = {});

  /// Reads the data of a spec. The reader tolerates `max_errors` of the spec plus `run.max_errors`
  /// wrong places. Opening and reading use the threads and the memory limit of `run`; the executor
  /// and the limit of `context` have no effect.
  ///
  /// Throws: as open(), make_sequencer() and make_packer(), and as above.
  explicit Reader(const Spec& spec, const RunOptions& run = {}, const OpenContext& context = {});

  /// Reads with parts that the program makes, such as a deserializer of its own.
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

  /// Returns the index of the data.
  ///
  /// Lifetime: as long as the reader.
  [[nodiscard]] const Index& index() const;

  /// Returns the data that are read.
  ///
  /// Lifetime: as long as the reader.
  [[nodiscard]] const Deserializer& data() const;

  /// Returns the next minibatch, or nothing once the run is over. A run has OrderOptions::epochs
  /// epochs, and Minibatch::ends_epoch marks the last minibatch of each. To go on later, store
  /// to_json(minibatch->position), and pass position_from_json() as RunOptions::start of a reader
  /// with the same data and the same order.
  ///
  /// Throws: IoError; DataError at wrong place number max_errors + 1, or at a fatal one;
  ///         ConfigError where the memory limit is too small for the next minibatch, with the
  ///         smallest limit that works; any exception of a part that the program passed.
  [[nodiscard]] std::optional<Minibatch> next();

  /// Returns whether next() would return at once, without waiting and without any work.
  [[nodiscard]] bool is_ready() const;

  /// Returns the position after the minibatch that next() returned last; before the first call, the
  /// position where the run begins. Minibatches that the reader prepared ahead do not count.
  [[nodiscard]] Position position() const;

  /// Returns descriptions of the wrong places in the data delivered so far.
  /// ReaderStats::error_places counts all wrong places; the first hundred are described.
  ///
  /// Lifetime: until the next call of next().
  [[nodiscard]] std::span<const Diagnostic> diagnostics() const noexcept;

  /// Returns the warnings that are known so far: first those about delivered data, each place once,
  /// the first hundred of them; then Deserializer::warnings().
  [[nodiscard]] std::vector<Diagnostic> warnings() const;

  /// Returns the numbers of the run so far.
  [[nodiscard]] ReaderStats stats() const;

  // Random access. The calls below read one sequence on the calling thread and pack the sequence as
  // the reader packs: a minibatch of one sequence, or nothing where there is no such sequence. They
  // change nothing about the run: next(), position(), stats() and the counted errors stay as they
  // are. They work at any time, also after the end of the run or after an error.
  //
  // Throws: DataError with the wrong places of the sequence, where a run would leave the sequence
  //         out; ConfigError where the packing cannot hold one whole sequence: `truncated`,
  //         `frames` if the sequence has several samples, and `packed` with row_samples if the
  //         sequence is longer than a row; IoError, as next().
  //
  // Cost: the sequence, and the index of its chunk: offsets, keys and lengths. The memory limit
  //       counts what the index keeps.

  /// Returns the first sequence with a key. Transforms draw their random numbers as in sweep
  /// `sweep`.
  ///
  /// Cost: the first call reads the index of all chunks up to the chunk with the key, and keeps the
  ///       smallest and the largest key of each chunk: 40 bytes. A later call reads the index of
  ///       the chunks that may have the key: one or two where keys rise in the file, half of them
  ///       on average where keys are in no order.
  [[nodiscard]] std::optional<Minibatch> sequence(const SequenceKey& key, std::int64_t sweep = 0);

  /// Returns the first sequence with a key text. Returns nothing where keys are numbers: for key
  /// 318 call sequence(SequenceKey{.low = 318}).
  [[nodiscard]] std::optional<Minibatch> sequence(std::string_view text, std::int64_t sweep = 0);

  /// Returns sequence number `number` of a sweep, in the order of delivery. Numbers begin at 0 and
  /// count over all workers. With `split_frames`, returns a single frame, and with
  /// LongSequences::split a piece. `sweep` may lie beyond the end of the run.
  ///
  /// Throws: also ConfigError where the order does not number sequences, as with a
  ///         truncation_length.
  /// Cost:   as Sequencer::sequence_at(). The call waits while the reader plans a minibatch.
  [[nodiscard]] std::optional<Minibatch> sequence_at(std::int64_t sweep, std::int64_t number);

 private:
  class Engine;

  [[nodiscard]] Engine& engine() const;

  std::unique_ptr<Executor> threads_;  // of the reader itself, where no executor was given
  std::unique_ptr<Engine> engine_;
};

}  // namespace sheaf
