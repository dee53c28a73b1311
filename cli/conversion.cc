#include "conversion.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "sheaf/error.h"
#include "sheaf/extend/format.h"
#include "sheaf/extend/index.h"

#include "interrupt.h"
#include "options/output_files.h"
#include "options/size_option.h"
#include "task_window.h"

namespace sheaf::cli {
namespace {

constexpr std::int64_t kTurnBytes = std::int64_t{1} << 20;  // decoded, of a minibatch; about
constexpr std::int64_t kTurnsPerThread = 2;
constexpr std::int64_t kEncodedShare = 5;  // a minibatch and what it is encoded to, over itself
constexpr std::int64_t kChunksHeld = 2;    // of a file: a chunk under way, and the next
constexpr std::int64_t kTurnsShare = 4;    // turns have at most one part in so many of the memory:
                                           // one half for those under way, one for those that wait

const Format& output_format(const Conversion& conversion) {
  return find_writable_format(conversion.path, conversion.writer.format);
}

// Shards are written one after the other.
std::int64_t files_at_once(const Conversion& conversion) noexcept {
  return std::max<std::int64_t>(1, std::ssize(conversion.parts));
}

// Samples that make about kTurnBytes. It depends on the first chunk alone.
std::int64_t minibatch_size(const Index& index) {
  const std::optional<ChunkInfo> chunk = index.chunk(ChunkIndex{});
  if (!chunk || chunk->sample_count == 0) return 1;
  const std::int64_t bytes = std::max<std::int64_t>(1, chunk->decoded_size_bytes);
  const double samples = static_cast<double>(kTurnBytes) *
                         static_cast<double>(chunk->sample_count) / static_cast<double>(bytes);
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::min(samples, 1e15)));
}

std::int64_t total_samples(const Index& index) {
  std::int64_t total = 0;
  for (ChunkIndex chunk{}; const auto info = index.chunk(chunk); chunk = next(chunk)) {
    total += info->sample_count;
  }
  return total;
}

// Samples of each sequence, as an index counts them: of the stream that defines the size, else of
// the longest.
std::vector<std::int64_t> sample_counts(const Minibatch& minibatch) {
  const std::span<const Stream> streams = minibatch.streams();
  const bool is_defined = std::ranges::count(streams, true, &Stream::defines_minibatch_size) > 0;
  std::vector<std::int64_t> counts(static_cast<std::size_t>(minibatch.sequence_count()));
  for (std::size_t stream = 0; stream < streams.size(); ++stream) {
    if (is_defined && !streams[stream].defines_minibatch_size) continue;
    const StreamBatch& batch = minibatch.batch(static_cast<std::int64_t>(stream));
    const std::span<const std::int64_t> lengths = batch.lengths.as<std::int64_t>();
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = std::max(counts[i], lengths[i]);
  }
  return counts;
}

/// Shows how much of the input the sequences make that have come, as if they had come in the order
/// of the file.
class InputProgress {
 public:
  InputProgress(Console& console, When when, const Index& index, std::int64_t size_bytes)
      : progress_(console, when, size_bytes), index_(index) {}

  void add(std::int64_t sequences) {
    sequences_ += sequences;
    while (!chunk_ || sequences_ > chunk_->sequence_count) {
      if (chunk_) {
        sequences_ -= chunk_->sequence_count;
        number_ = next(number_);
      }
      chunk_ = index_.chunk(number_);
      if (!chunk_) return;
    }
    const double share =
        static_cast<double>(sequences_) / static_cast<double>(chunk_->sequence_count);
    progress_.update(chunk_->offset_bytes +
                     static_cast<std::int64_t>(share * static_cast<double>(chunk_->size_bytes)));
  }

  void finish() { progress_.finish(); }

 private:
  Progress progress_;
  const Index& index_;
  ChunkIndex number_{};
  std::optional<ChunkInfo> chunk_;
  std::int64_t sequences_ = 0;  // of the chunk
};

/// Hands minibatches to the writers of the files that their sequences go to.
class Converter {
 public:
  /// `total_samples`: of the index; of use for shards alone.
  Converter(Executor& executor, const Conversion& conversion, std::span<const Stream> streams,
            std::int64_t total_samples)
      : conversion_(conversion),
        format_(output_format(conversion)),
        paths_(output_paths(conversion)),
        streams_(std::make_shared<const std::vector<Stream>>(streams.begin(), streams.end())),
        turns_max_(kTurnsPerThread * executor.thread_count()),
        total_samples_(total_samples),
        window_(executor) {
    while (std::ssize(files_) < files_at_once(conversion)) begin_file();
  }

  void add(Minibatch minibatch) {
    const auto shared = std::make_shared<const Minibatch>(std::move(minibatch));
    if (!conversion_.parts.empty()) {
      add_split(shared);
    } else if (conversion_.shards > 0) {
      add_sharded(shared);
    } else {
      submit(shared, {piece_of(0, *shared, all_of(*shared))});
    }
  }

  void drain() {
    while (window_.size() > 0) window_.take();
  }

  /// Complete all files, but for their names. `check` is called between.
  void finish(const std::function<void()>& check) {
    drain();
    for (std::size_t i = 0; i < files_.size(); ++i) {
      check();
      finish_file(i);
    }
    if (std::ssize(files_) < conversion_.shards) refuse_empty(files_.size());
    check();
  }

  /// Give them their names, and say what they are.
  [[nodiscard]] std::vector<WrittenFile> publish() {
    sinks_.publish();
    std::vector<WrittenFile> written;
    written.reserve(files_.size());
    for (File& file : files_) written.push_back(std::move(file.written));
    return written;
  }

  /// What is worth knowing once all is written.
  [[nodiscard]] std::vector<Diagnostic> warnings() const {
    std::vector<Diagnostic> warnings = format_warnings_;
    if (lost_key_) warnings.push_back(*lost_key_);
    if (values_out_of_range_ > 0) {
      Diagnostic& warning = warnings.emplace_back();
      warning.severity = Severity::warning;
      warning.path = conversion_.path;
      warning.byte_offset = Diagnostic::kNoPlace;
      warning.code = "convert-range";
      warning.expected = "values that 32-bit floats hold";
      warning.found = fmt::format("{} that became infinite", values_out_of_range_);
      warning.hint = "--dtype float64 writes them as they are";
    }
    return warnings;
  }

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

  void begin_file() {
    const std::string& path = paths_[files_.size()];
    File& file = files_.emplace_back();
    file.written.path = path;
    WriterOptions options = conversion_.writer;
    options.format.format = format_.name;
    if (conversion_.turns_bytes > 0) {
      options.waiting_bytes_max =
          std::max<std::int64_t>(1, conversion_.turns_bytes / 2 / files_at_once(conversion_));
    }
    file.writer =
        std::make_unique<Writer>(sinks_.create(path, options.existing), *streams_, options);
  }

  void finish_file(std::size_t number) {
    File& file = files_[number];
    if (!file.writer) return;
    const bool is_part = !conversion_.parts.empty() || conversion_.shards > 0;
    if (is_part && file.sequences == 0) refuse_empty(number);
    file.writer->finish();
    const WriterStats stats = file.writer->stats();
    for (Diagnostic& each : file.writer->warnings()) format_warnings_.push_back(std::move(each));
    file.writer.reset();
    file.written.bytes = sinks_.bytes(number);
    file.written.sequences = stats.sequences;
    file.written.samples = stats.samples;
    values_out_of_range_ += stats.values_out_of_range;
  }

  [[noreturn]] void refuse_empty(std::size_t number) const {
    if (!conversion_.parts.empty()) {
      throw ConfigError(
          fmt::format("--split: no sequence falls to \"{}\"", conversion_.parts[number].name));
    }
    const auto shard = static_cast<std::int64_t>(number);
    throw ConfigError(fmt::format(
        "--shards {}: no sequence begins among the samples of shard {}, {} to {} of {}; write "
        "fewer",
        conversion_.shards, shard, shard_begin(shard), shard_begin(shard + 1) - 1, total_samples_));
  }

  [[nodiscard]] std::int64_t shard_begin(std::int64_t shard) const noexcept {
    __extension__ using Wide = __int128;
    return static_cast<std::int64_t>(Wide{shard} * total_samples_ / conversion_.shards);
  }

  static std::vector<std::int64_t> all_of(const Minibatch& minibatch) {
    std::vector<std::int64_t> sequences(static_cast<std::size_t>(minibatch.sequence_count()));
    for (std::size_t i = 0; i < sequences.size(); ++i) {
      sequences[i] = static_cast<std::int64_t>(i);
    }
    return sequences;
  }

  Piece piece_of(std::size_t number, const Minibatch& minibatch,
                 std::vector<std::int64_t> sequences) {
    File& file = files_[number];
    const bool tells = conversion_.tells_lost_keys && !format_.keeps_keys;
    if (tells && !lost_key_) look_for_lost_key(file, minibatch, sequences);
    file.sequences += std::ssize(sequences);
    return {file.writer.get(), file.turns++, std::move(sequences)};
  }

  // A file without keys says that they are 0, 1, 2, ...
  void look_for_lost_key(const File& file, const Minibatch& minibatch,
                         std::span<const std::int64_t> sequences) {
    std::uint64_t number = static_cast<std::uint64_t>(file.sequences);
    for (const std::int64_t sequence : sequences) {
      const auto i = static_cast<std::size_t>(sequence);
      const SequenceKey& key = minibatch.keys()[i];
      if (key != SequenceKey{.low = number}) {
        const std::span<const std::string> texts = minibatch.key_texts();
        Diagnostic& warning = lost_key_.emplace();
        warning.severity = Severity::warning;
        warning.path = file.written.path;
        warning.byte_offset = Diagnostic::kNoPlace;
        warning.code = "convert-keys";
        warning.expected = fmt::format(
            "keys 0, 1, 2, ... in the order written, since {} keeps none", format_.name);
        warning.found =
            fmt::format("{} of sequence {}", texts.empty() ? to_string(key) : texts[i], number);
        warning.hint = "whoever reads the file gets these numbers for keys";
        return;
      }
      ++number;
    }
  }

  void add_split(const SharedMinibatch& minibatch) {
    std::vector<std::vector<std::int64_t>> sequences(conversion_.parts.size());
    const std::span<const SequenceKey> keys = minibatch->keys();
    for (std::size_t i = 0; i < keys.size(); ++i) {
      sequences[part_of(keys[i], conversion_.parts)].push_back(static_cast<std::int64_t>(i));
    }
    std::vector<Piece> pieces;
    for (std::size_t i = 0; i < sequences.size(); ++i) {
      if (sequences[i].empty()) continue;
      pieces.push_back(piece_of(i, *minibatch, std::move(sequences[i])));
    }
    submit(minibatch, std::move(pieces));
  }

  // Only one shard is under way at any time, so memory does not grow with their number.
  void add_sharded(const SharedMinibatch& minibatch) {
    std::vector<std::int64_t> sequences;
    const auto submit_these = [&] {
      const std::size_t shard = files_.size() - 1;
      submit(minibatch, {piece_of(shard, *minibatch, std::exchange(sequences, {}))});
    };
    const std::vector<std::int64_t> counts = sample_counts(*minibatch);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      while (std::ssize(files_) < conversion_.shards &&
             samples_ >= shard_begin(std::ssize(files_))) {
        submit_these();
        drain();
        finish_file(files_.size() - 1);
        begin_file();
      }
      sequences.push_back(static_cast<std::int64_t>(i));
      samples_ += counts[i];
    }
    submit_these();
  }

  [[nodiscard]] bool is_full(std::int64_t turn_bytes) const noexcept {
    if (window_.size() == 0) return false;
    if (std::ssize(window_) >= turns_max_) return true;
    return conversion_.turns_bytes > 0 && held_bytes_ + turn_bytes > conversion_.turns_bytes / 2;
  }

  void submit(const SharedMinibatch& minibatch, std::vector<Piece> pieces) {
    const std::int64_t bytes = kEncodedShare * minibatch->memory_bytes();
    while (is_full(bytes)) window_.take();
    held_bytes_ += bytes;
    window_.submit([this, bytes, minibatch, pieces = std::move(pieces)] {
      for (const Piece& piece : pieces) write(piece, *minibatch);
      return [this, bytes] { held_bytes_ -= bytes; };
    });
  }

  void write(const Piece& piece, const Minibatch& minibatch) const {
    if (std::ssize(piece.sequences) == minibatch.sequence_count()) {
      piece.writer->write(piece.turn, minibatch);
      return;
    }
    SequenceList list(streams_);
    for (const std::int64_t sequence : piece.sequences) list.add(minibatch, sequence);
    piece.writer->write(piece.turn, list);
  }

  const Conversion& conversion_;
  const Format& format_;
  std::vector<std::string> paths_;
  std::shared_ptr<const std::vector<Stream>> streams_;
  std::int64_t turns_max_;
  std::int64_t total_samples_;
  std::int64_t samples_ = 0;     // before the next sequence; of shards alone
  std::int64_t held_bytes_ = 0;  // of turns under way, about
  std::int64_t values_out_of_range_ = 0;
  std::vector<Diagnostic> format_warnings_;
  std::optional<Diagnostic> lost_key_;
  OutputFiles sinks_;
  std::vector<File> files_;
  TaskWindow window_;  // last: its tasks use all the others
};

}  // namespace

std::vector<std::string> output_paths(const Conversion& conversion) {
  std::vector<std::string> paths;
  for (const SplitPart& part : conversion.parts) {
    paths.push_back(part_path(conversion.path, part.name));
  }
  for (std::int64_t i = 0; i < conversion.shards; ++i) {
    paths.push_back(shard_path(conversion.path, i, conversion.shards));
  }
  if (paths.empty()) paths.push_back(conversion.path);
  return paths;
}

ConversionMemory divide_memory(std::int64_t limit_bytes, const Conversion& conversion,
                               std::int64_t threads) {
  ConversionMemory memory;
  if (limit_bytes == 0) return memory;
  if (output_format(conversion).has_chunks) {
    memory.files_bytes =
        files_at_once(conversion) * kChunksHeld * conversion.writer.format.chunk_size_bytes;
  }
  const std::int64_t rest = limit_bytes - memory.files_bytes;
  memory.turns_bytes =
      std::min(2 * threads * kTurnsPerThread * kEncodedShare * kTurnBytes, rest / kTurnsShare);
  memory.reader_bytes = rest - memory.turns_bytes;
  if (memory.turns_bytes > 0) return memory;
  throw ConfigError(
      fmt::format("--memory-limit: {} bytes leave nothing to read with: what is written keeps {} "
                  "bytes, twice --chunk-bytes for each file under way",
                  limit_bytes, memory.files_bytes));
}

ConversionReport convert(const OpenData& open, const Conversion& conversion, Console& console) {
  const Index& index = open.data->index();
  OrderOptions order = conversion.order;
  order.minibatch_size = minibatch_size(index);
  // What needs the whole index gets it before there is anything to clear away.
  std::int64_t samples = 0;
  if (conversion.shards > 0 || order.algorithm != OrderAlgorithm::file) {
    samples = total_samples(index);
  }
  if (conversion.shards > 0 && conversion.shards > samples) {
    throw ConfigError(
        fmt::format("--shards {}: there are only {} samples", conversion.shards, samples));
  }
  Reader reader = make_reader(open, order, Layout::ragged, conversion.run);

  std::optional<InterruptGuard> guard;
  if (conversion.path != kStandardStream) guard.emplace();
  const auto check = [&guard] {
    if (guard) guard->check();
  };
  Converter converter(*open.executor, conversion, reader.streams(), samples);
  InputProgress progress(console, conversion.progress, index, conversion.input_bytes);
  const auto next_minibatch = [&] {
    check();
    try {
      return reader.next();
    } catch (...) {
      converter.drain();  // an error in what comes before is the first
      throw;
    }
  };
  while (std::optional<Minibatch> minibatch = next_minibatch()) {
    progress.add(minibatch->sequence_count() + minibatch->hole_count);
    converter.add(*std::move(minibatch));
  }
  converter.finish(check);

  ConversionReport report;
  report.files = converter.publish();
  progress.finish();
  report.holes = reader.stats().holes;
  report.places = reader.stats().error_places;
  report.diagnostics.assign(reader.diagnostics().begin(), reader.diagnostics().end());
  report.warnings = reader.warnings();
  for (Diagnostic& warning : converter.warnings()) report.warnings.push_back(std::move(warning));
  return report;
}

}  // namespace sheaf::cli
