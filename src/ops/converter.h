// Routes the sequences of minibatches to their output files.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sheaf/convert.h"
#include "sheaf/diagnostic.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/executor.h"
#include "sheaf/extend/format.h"
#include "sheaf/minibatch.h"
#include "sheaf/types.h"
#include "sheaf/writer.h"

#include "base/ledger.h"
#include "io/staged_files.h"
#include "ops/input_guard.h"
#include "ops/selector.h"
#include "ops/task_window.h"

namespace sheaf::internal {

/// How the memory of a conversion is divided.
struct ConversionMemory {
  std::optional<std::int64_t> reader_bytes = {};  // empty means no limit
  std::int64_t turns_bytes = 0;  // for the minibatches being written; 0 means no limit
};

/// Throws: ConfigError if the limit leaves no memory for the reader.
[[nodiscard]] ConversionMemory divide_memory(const std::string& path, const ConvertOptions& options,
                                             std::int64_t threads);

/// The approximate decoded size of a minibatch.
inline constexpr std::int64_t kTurnBytes = std::int64_t{1} << 20;

/// Hands minibatches to the writers of their output files. The writers work on the threads of an
/// executor.
///
/// Threads: one thread makes all calls.
class Converter {
 public:
  /// `total_samples` counts the samples of the selected sequences; only shards need it. `data` is
  /// the data set to convert. The converter never replaces a file that `data` names. `has_costs`
  /// says whether minibatches have costs.
  ///
  /// Lifetime: all arguments must outlive the converter.
  Converter(Executor& executor, const std::string& path, const ConvertOptions& options,
            Selector& selector, const Deserializer& data, std::span<const Stream> streams,
            std::int64_t turns_bytes, std::int64_t total_samples, bool has_costs);

  void add(Minibatch minibatch);

  /// Ends a chunk of the output if the format has chunks. Call it where a chunk of the input ends.
  void end_chunk();

  /// Waits until everything added so far is written.
  void drain();

  /// Completes all files, which still have temporary names.
  void finish();

  /// Gives the files their final names and describes them.
  [[nodiscard]] std::vector<WrittenFile> publish();

  /// Returns the warnings about the written files.
  [[nodiscard]] std::vector<Diagnostic> warnings() const;

 private:
  struct File {
    std::unique_ptr<Writer> writer;  // null once the file is finished
    std::int64_t turns = 0;
    std::int64_t sequences = 0;
    WrittenFile written;
  };

  // The sequences of a minibatch that go to one file.
  struct Piece {
    Writer* writer;
    std::int64_t turn;
    std::vector<std::int64_t> sequences;
  };

  using SharedMinibatch = std::shared_ptr<const Minibatch>;

  void begin_file();
  void finish_file(std::size_t number);
  [[noreturn]] void refuse_empty(std::size_t number) const;
  [[nodiscard]] std::int64_t shard_begin(std::int64_t shard) const noexcept;
  [[nodiscard]] std::vector<std::int64_t> selected(const Minibatch& minibatch,
                                                   std::span<const std::int64_t> samples);
  [[nodiscard]] Piece piece_of(std::size_t number, const Minibatch& minibatch,
                               std::vector<std::int64_t> sequences);
  void look_for_lost_key(const File& file, const Minibatch& minibatch,
                         std::span<const std::int64_t> sequences);
  void add_split(const SharedMinibatch& minibatch, std::span<const std::int64_t> sequences);
  void add_sharded(const SharedMinibatch& minibatch, std::span<const std::int64_t> sequences,
                   std::span<const std::int64_t> samples);
  [[nodiscard]] bool is_full(std::int64_t turn_bytes) const noexcept;
  void submit(const SharedMinibatch& minibatch, std::vector<Piece> pieces);
  template <typename Work>
  void submit_work(std::int64_t bytes, Work work);
  void write(const Piece& piece, const Minibatch& minibatch) const;

  const ConvertOptions& options_;
  Selector& selector_;
  const Format& format_;
  const std::string cost_name_;  // empty if the files keep no costs
  std::string path_;
  std::vector<std::string> paths_;
  std::shared_ptr<const std::vector<Stream>> streams_;
  std::int64_t turns_max_;
  std::int64_t written_bytes_;  // how much writers may hold back; 0 means no limit
  Ledger turns_;                // the memory of minibatches in progress
  std::int64_t total_samples_;
  std::int64_t samples_ = 0;  // samples before the next sequence; counted for shards only
  std::int64_t values_out_of_range_ = 0;
  std::vector<Diagnostic> format_warnings_;
  std::optional<Diagnostic> lost_key_;
  InputGuard guard_;
  StagedFiles output_;
  std::vector<File> files_;
  TaskWindow window_;  // last, because its tasks use all other members
};

}  // namespace sheaf::internal
