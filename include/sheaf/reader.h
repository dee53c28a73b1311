/// \file
/// Reads data and delivers minibatches: the header that most programs include.
///
///     sheaf::Reader reader("train.ctf",
///                          {.order = {.minibatch_size = 512,
///                                     .unit = sheaf::MinibatchUnit::sequences}});
///     while (const std::optional<sheaf::Minibatch> minibatch = reader.next()) {
///       const std::span<const float> pixels = minibatch->batch("features").values.as<float>();
///       std::cout << minibatch->sequence_count() << " images, " << pixels.size() << " pixels\n";
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

/// How a reader runs. Only `max_errors` and `start` change what the reader delivers.
struct RunOptions {
  std::optional<int> threads = {};  // empty: one for each processor; no effect beside `executor`
  std::optional<std::int64_t> memory_limit_bytes = {};  // of decoded data, queues and index
  std::int64_t max_errors = 0;         // how many distinct wrong places are tolerated; or kAll
  std::optional<Position> start = {};  // where to begin; by default at the beginning

  /// Runs the tasks of the reader. Null means threads that the reader starts itself. Must outlive
  /// the reader.
  Executor* executor = nullptr;

  /// Provides the memory of the minibatches' arrays, and must outlive the arrays. The reader calls
  /// it from several threads.
  std::pmr::memory_resource* minibatch_memory = nullptr;
};

/// Everything about reading files.
struct ReaderOptions {
  FormatOptions format = {};
  OrderOptions order = {};
  Layout packing = Layout::padded;               // becomes `truncated` where `order` truncates
  std::optional<std::int64_t> row_samples = {};  // of `packed`, as for packed_packer
  RunOptions run = {};
};

/// Returns the packer of a layout. `padded`, the default, gives way to `truncated` where the order
/// cuts sequences, and to `packed` where `row_samples` is given.
///
/// Throws: ConfigError where any other layout is asked for in these two cases, and where both cases
///         apply; as packed_packer.
[[nodiscard]] std::unique_ptr<Packer> make_packer(Layout layout, const OrderOptions& order,
                                                  std::optional<std::int64_t> row_samples = {});

/// What a reader did so far. The delivered sequences and the holes add up to the sequences of the
/// minibatches that next() returned.
struct ReaderStats {
  std::int64_t minibatches = 0;
  std::int64_t sequences = 0;         // delivered
  std::int64_t samples = 0;           // delivered: sum of Minibatch::sample_count()
  std::int64_t sample_places = 0;     // rows of the arrays: sum of Minibatch::row_count()
  std::int64_t holes = 0;             // sequences left out because their data are wrong
  std::int64_t error_places = 0;      // distinct wrong places, counted as for max_errors
  std::int64_t memory_bytes_max = 0;  // the most memory in use at once; reserves do not count
  double wait_seconds = 0;            // how long next() waited for data

  /// Returns the share of the rows that is padding or gaps: 0 for `ragged` and `frames`.
  [[nodiscard]] double padding_ratio() const noexcept {
    if (sample_places == 0) return 0;
    return 1 - static_cast<double>(samples) / static_cast<double>(sample_places);
  }
};

/// Delivers minibatches. A reader reads, decodes and packs ahead of the program on several threads,
/// and delivers in the order of the sequencer.
///
/// An error belongs to a step. The call of next() that would have delivered the step throws the
/// error, for any number of threads. Every later call throws the same error.
///
/// Threads: one call at a time. Move-only; a moved-from reader can only be destroyed or assigned
/// to.
///          A reader can be destroyed at any moment: running tasks finish first, and their results
///          are dropped.
class Reader {
 public:
  /// Reads a file, or the files of a pattern.
  ///
  /// Throws: ConfigError, IoError and DataError, as open(); ConfigError for run options out of
  /// range,
  ///         for a start that belongs to another run, and for streams that the packing does not
  ///         take.
  explicit Reader(const std::string& path, const ReaderOptions& options,
                  const OpenContext& context = {});

  /// Reads the data of a spec. The reader tolerates `max_errors` of the spec plus `run.max_errors`.
  /// Opening and reading use the same threads and share `run.memory_limit_bytes`: the threads and
  /// the limit of `context` have no effect.
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

  /// Returns the next minibatch, or nothing once the run is over.
  ///
  /// Throws: IoError; DataError at wrong place number max_errors + 1, or at a fatal one;
  /// ConfigError
  ///         where the memory limit is too small for the step: the message says which limit would
  ///         do; any exception of the parts.
  [[nodiscard]] std::optional<Minibatch> next();

  /// Returns whether next() would return at once, without waiting and without any work.
  [[nodiscard]] bool is_ready() const;

  /// Returns the position after the minibatch that next() returned last. Before the first call,
  /// that is the position of the start.
  [[nodiscard]] Position position() const;

  /// Returns the wrong places of the data delivered so far, as far as they were described.
  ///
  /// Lifetime: until the next call of next().
  [[nodiscard]] std::span<const Diagnostic> diagnostics() const noexcept;

  /// Returns the warnings that are known so far: first those about delivered data, each place once,
  /// the first hundred of them; then Deserializer::warnings().
  [[nodiscard]] std::vector<Diagnostic> warnings() const;

  [[nodiscard]] ReaderStats stats() const;

  // Random access. The calls below read one sequence on the calling thread and pack the sequence as
  // the reader packs: a minibatch of one sequence, or nothing where there is no such sequence. They
  // change nothing about the run: next(), position(), stats() and the counted errors stay as they
  // are. They work at any time, also after the end of the run or after an error.
  //
  // Throws: DataError with the wrong places of the sequence, where a run would leave the sequence
  //         out; ConfigError where the packing does not take the sequence alone or as a whole
  //         (`truncated`; `frames`, if the sequence has several samples); IoError, as next().
  //
  // Cost: the sequence and the table of its chunk. The memory limit counts what the index keeps.

  /// Returns the first sequence with a key.
  ///
  /// Cost: the first call reads the tables of all chunks up to the chunk with the key, and keeps
  /// the
  ///       smallest and the largest key of each chunk: 40 bytes. A later call reads the tables of
  ///       the chunks that may have the key: one or two where keys rise in the file, half of them
  ///       on average where keys are in no order.
  [[nodiscard]] std::optional<Minibatch> sequence(const SequenceKey& key);

  /// Returns the first sequence with a key text.
  [[nodiscard]] std::optional<Minibatch> sequence(std::string_view text);

  /// Returns the sequence that a sweep delivers at place `number`, from 0, counted over all
  /// workers; a frame, where frames are sequences. `sweep` may lie beyond the end of the run.
  ///
  /// Throws: also ConfigError where the order has no such numbers, as where sequences are cut.
  /// Cost:   as Sequencer::sequence_at(). The call waits while the reader plans a step.
  [[nodiscard]] std::optional<Minibatch> sequence_at(std::int64_t sweep, std::int64_t number);

 private:
  class Engine;
  std::unique_ptr<Executor> threads_;  // of the reader itself, where no executor was given
  std::unique_ptr<Engine> engine_;
};

}  // namespace sheaf
