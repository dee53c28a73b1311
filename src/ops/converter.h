// Minibatches on their way to the files that their sequences go to.

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
  std::int64_t turns_bytes = 0;  // of minibatches that are being written; 0 means no limit
};

/// Throws: ConfigError where the limit leaves nothing to read with.
[[nodiscard]] ConversionMemory divide_memory(const std::string& path, const ConvertOptions& options,
                                             std::int64_t threads);

/// Decoded bytes of a minibatch, about.
inline constexpr std::int64_t kTurnBytes = std::int64_t{1} << 20;

/// Hands minibatches to the writers of the files that their sequences go to, and writes on the
/// threads of an executor.
///
/// Threads: one calls everything.
class Converter {
 public:
  /// `total_samples`: of the selected sequences; of use for shards alone.
  ///
  /// `data`: what is converted; no file that the data name is replaced.
  ///
  /// Lifetime: everything must outlive the converter.
  Converter(Executor& executor, const std::string& path, const ConvertOptions& options,
            Selector& selector, const Deserializer& data, std::span<const Stream> streams,
            std::int64_t turns_bytes, std::int64_t total_samples);

  void add(Minibatch minibatch);

  /// Ends a chunk of what is written, in formats with chunks: a chunk of the input ends here.
  void end_chunk();

  /// Waits until all that was added is written.
  void drain();

  /// Completes all files, but for their names.
  void finish();

  /// Gives the files their names, and says what they are.
  [[nodiscard]] std::vector<WrittenFile> publish();

  /// Returns what is worth knowing once all is written.
  [[nodiscard]] std::vector<Diagnostic> warnings() const;

 private:
  struct File {
    std::unique_ptr<Writer> writer;  // until it is finished
    std::int64_t turns = 0;
    std::int64_t sequences = 0;
    WrittenFile written;
  };

  // What goes to one file of a minibatch.
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
  std::string path_;
  std::vector<std::string> paths_;
  std::shared_ptr<const std::vector<Stream>> streams_;
  std::int64_t turns_max_;
  std::int64_t written_bytes_;  // what writers may keep until they write it; 0: any
  Ledger turns_;                // minibatches under way
  std::int64_t total_samples_;
  std::int64_t samples_ = 0;  // before the next sequence; of shards alone
  std::int64_t values_out_of_range_ = 0;
  std::vector<Diagnostic> format_warnings_;
  std::optional<Diagnostic> lost_key_;
  InputGuard guard_;
  StagedFiles output_;
  std::vector<File> files_;
  TaskWindow window_;  // last: its tasks use all the others
};

}  // namespace sheaf::internal
