#include "sheaf/convert.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/byte_sink.h"
#include "sheaf/extend/format.h"
#include "sheaf/extend/index.h"
#include "sheaf/extend/interruption.h"
#include "sheaf/minibatch.h"
#include "sheaf/open.h"
#include "sheaf/spec.h"
#include "sheaf/writer.h"

#include "base/text.h"
#include "ops/chunk_steps.h"
#include "ops/conversion.h"
#include "ops/converter.h"
#include "ops/output_names.h"
#include "ops/part_note.h"
#include "ops/selector.h"
#include "ops/threads.h"

namespace sheaf {
namespace {

using internal::ChunkEnds;
using internal::ChunkSteps;
using internal::Converter;
using internal::kTurnBytes;
using internal::OperationThreads;
using internal::Selector;

// Returns how many samples take about kTurnBytes. Depends on the first chunk only.
std::int64_t minibatch_size(const Index& index) {
  const std::optional<ChunkInfo> chunk = index.chunk(ChunkIndex{});
  if (!chunk || chunk->sample_count == 0) return 1;
  const std::int64_t bytes = std::max<std::int64_t>(1, chunk->decoded_size_bytes);
  const double samples = static_cast<double>(kTurnBytes) *
                         static_cast<double>(chunk->sample_count) / static_cast<double>(bytes);
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::min(samples, 1e15)));
}

/// Reports progress in bytes of the input. Delivered sequences count as if they came in the order
/// of the file, and every sweep counts again.
class InputProgress {
 public:
  /// Lifetime: all arguments must outlive the object.
  InputProgress(const std::function<void(std::int64_t)>& tell, const Deserializer& data)
      : tell_(tell), index_(data.index()), bytes_(index_, part_bytes(data).has_value()) {}

  void add(const Minibatch& minibatch) {
    if (!tell_) return;
    come_ += minibatch.sequence_count() + minibatch.hole_count;
    while (!chunk_ || come_ > chunk_->sequence_count) {
      if (!go_on()) return;
    }
    const double share = static_cast<double>(come_) / static_cast<double>(chunk_->sequence_count);
    tell_(swept_bytes_ +
          bytes_.up_to(static_cast<std::int64_t>(share * static_cast<double>(chunk_->size_bytes))));
  }

 private:
  // Moves to the next chunk. After the last chunk, moves to the first chunk of the next sweep.
  // Returns false if there are no chunks.
  bool go_on() {
    if (chunk_) {
      come_ -= chunk_->sequence_count;
      number_ = next(number_);
      if (std::optional<ChunkInfo> more = index_.chunk(number_)) {
        chunk_ = more;
        bytes_.begin(number_, *chunk_);
        return true;
      }
      swept_bytes_ += bytes_.up_to(chunk_->size_bytes);
    }
    number_ = ChunkIndex{};
    chunk_ = index_.chunk(number_);
    if (!chunk_) return false;
    bytes_.begin(number_, *chunk_);
    return true;
  }

  const std::function<void(std::int64_t)>& tell_;
  const Index& index_;
  ChunkIndex number_{};
  std::optional<ChunkInfo> chunk_;
  std::int64_t come_ = 0;         // sequences of the current chunk so far
  std::int64_t swept_bytes_ = 0;  // bytes of the earlier sweeps
  StoredBytes bytes_;
};

void check_options(const ConvertOptions& options) {
  if (options.shards.value_or(1) < 1) {
    throw ConfigError(
        formatted("shards must be at least 1, or empty (one file): got {}", *options.shards));
  }
  if (options.shards && !options.split.empty()) {
    throw ConfigError("shards and parts both divide what is written: leave one out");
  }
}

// `ends` tells where chunks of the input end. Null means that steps do not end there.
ConvertReport write_all(Reader& reader, Converter& converter, InputProgress& progress,
                        ChunkEnds* ends) {
  const auto next_minibatch = [&] {
    check_interruption();
    try {
      return reader.next();
    } catch (...) {
      converter.drain();  // an error in earlier minibatches comes first
      throw;
    }
  };
  while (std::optional<Minibatch> minibatch = next_minibatch()) {
    progress.add(*minibatch);
    const std::int64_t sequence_count = minibatch->sequence_count() + minibatch->hole_count;
    converter.add(*std::move(minibatch));
    if (ends != nullptr && ends->add(sequence_count)) converter.end_chunk();
  }
  converter.finish();
  ConvertReport report;
  report.files = converter.publish();
  report.holes = reader.stats().holes;
  report.error_count = reader.stats().error_count;
  report.diagnostics.assign(reader.diagnostics().begin(), reader.diagnostics().end());
  report.warnings = reader.warnings();
  for (Diagnostic& warning : converter.warnings()) report.warnings.push_back(std::move(warning));
  return report;
}

// Returns the order of a conversion with minibatches of about kTurnBytes.
OrderOptions order_in_turns(const OrderOptions& wanted, const Index& index) {
  Spec spec;
  spec.read.order = {.minibatch_size = minibatch_size(index),
                     .algorithm = wanted.algorithm,
                     .seed = wanted.seed,
                     .window_chunks = wanted.window_chunks,
                     .window_samples = wanted.window_samples};
  return order_of(spec);
}

// Discards everything that is written.
class NoSink final : public ByteSink {
 public:
  explicit NoSink(std::string name) : name_(std::move(name)) {}
  [[nodiscard]] std::string_view name() const noexcept override { return name_; }
  void write(std::span<const std::byte> /*bytes*/) override {}
  void finish() override {}

 private:
  const std::string name_;
};

// Throws: ConfigError if merge() could not write the file. The check runs now, so that the error
//         does not wait for the end of all parts.
void check_whole_file(const Deserializer& data, const std::string& path,
                      const ConvertOptions& options) {
  if (find_writable_format(path, options.writer.format).writes_several) return;
  static_cast<void>(Writer(std::make_unique<NoSink>(path), data.streams(), options.writer));
}

// Returns the options that write a part for merge().
ConvertOptions options_of_part(const Deserializer& data, const std::string& path,
                               const ConvertOptions& options) {
  const internal::PartNote note = internal::part_note_of(data, path, options);
  check_whole_file(data, path, options);
  const Format& format = internal::part_format();
  ConvertOptions own = options;
  if (note.format != format.name) own.writer.format.extra.clear();
  own.writer.format.format = format.name;
  own.writer.format.part_note = to_json(note);
  return own;
}

}  // namespace

ConvertReport convert(const std::shared_ptr<const Deserializer>& data, const std::string& path,
                      const ConvertOptions& options) {
  if (!options.for_merge) return internal::convert_with_ends(data, path, options, {});
  return internal::convert_with_ends(data, path, options_of_part(*data, path, options), {});
}

ConvertReport internal::convert_with_ends(const std::shared_ptr<const Deserializer>& data,
                                          const std::string& path, const ConvertOptions& options,
                                          ChunkEnds::EndsInput ends_input) {
  check_options(options);
  const OperationThreads threads(options.run);
  Executor& executor = threads.executor();
  const internal::ConversionMemory memory =
      internal::divide_memory(path, options, executor.thread_count());
  const Index& index = data->index();
  const OrderOptions order = order_in_turns(options.order, index);
  Selector selector(options.selected, has_text_keys(index));
  // Read the whole index, where it is needed, before there are files to remove after an error.
  std::int64_t samples = 0;
  if (options.shards || order.algorithm != OrderAlgorithm::file) {
    samples = internal::selected_samples(index, selector);
  }
  if (options.shards.value_or(0) > samples) {
    throw ConfigError(formatted("shards {}: there are only {} samples", *options.shards, samples));
  }
  const std::shared_ptr<const Counts> counts(data, &index);
  // In file order, chunks of the output end with chunks of the input. Therefore parts of the input
  // can be converted separately.
  const bool keeps_chunks = order.algorithm == OrderAlgorithm::file;
  std::unique_ptr<Sequencer> sequencer = make_sequencer(counts, order);  // checks the options
  if (keeps_chunks) sequencer = std::make_unique<ChunkSteps>(counts, order.minibatch_size);
  Reader reader(data, std::move(sequencer), make_packer(Layout::ragged, order),
                {.memory_limit_bytes = memory.reader_bytes,
                 .max_errors = options.max_errors,
                 .executor = &executor,
                 .notes_costs = find_writable_format(path, options.writer.format).keeps_costs});
  Converter converter(executor, path, options, selector, *data, reader.streams(),
                      memory.turns_bytes, samples, reader.notes_costs());
  InputProgress progress(options.run.progress, *data);
  ChunkEnds ends(index, std::move(ends_input));
  return write_all(reader, converter, progress, keeps_chunks ? &ends : nullptr);
}

ConvertReport convert(Reader& reader, const std::string& path, const ConvertOptions& options) {
  check_options(options);
  if (options.for_merge) throw ConfigError("for_merge: a reader delivers no part of the data");
  if (options.shards) throw ConfigError("shards: a reader does not tell how many samples come");
  const OperationThreads threads(options.run);
  const internal::ConversionMemory memory =
      internal::divide_memory(path, options, threads.executor().thread_count());
  std::optional<Minibatch> first = reader.next();
  Selector selector(options.selected, has_text_keys(reader.data().index()));
  Converter converter(threads.executor(), path, options, selector, reader.data(), reader.streams(),
                      memory.turns_bytes, 0, reader.notes_costs());
  InputProgress progress(options.run.progress, reader.data());
  if (first) {
    progress.add(*first);
    converter.add(*std::move(first));
  }
  return write_all(reader, converter, progress, nullptr);
}

std::vector<std::string> output_paths(const std::string& path, const ConvertOptions& options) {
  std::vector<std::string> paths;
  for (const SplitPart& part : options.split) {
    paths.push_back(internal::part_path(path, part.name));
  }
  for (std::int64_t i = 0; i < options.shards.value_or(0); ++i) {
    paths.push_back(internal::shard_path(path, i, *options.shards));
  }
  if (paths.empty()) paths.push_back(path);
  return paths;
}

std::optional<std::int64_t> reading_memory_bytes(const std::string& path,
                                                 const ConvertOptions& options) {
  const std::int64_t threads = options.run.executor != nullptr
                                   ? options.run.executor->thread_count()
                                   : options.run.threads.value_or(available_processors());
  return internal::divide_memory(path, options, threads).reader_bytes;
}

}  // namespace sheaf
