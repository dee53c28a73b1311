#include "ops/converter.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/interruption.h"
#include "sheaf/extend/packer.h"

#include "base/text.h"
#include "ops/part_note.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kTurnsPerThread = 2;
constexpr std::int64_t kEncodedShare = 5;  // size of a minibatch with its encoded form, relative to
                                           // the minibatch
constexpr std::int64_t kChunksHeld = 2;    // for each file: the current chunk and the next one
constexpr std::int64_t kTurnsShare = 4;    // turns take at most 1/4 of the memory: half for turns
                                           // in progress, half for turns that wait

// Shards are written one at a time.
std::int64_t files_at_once(const ConvertOptions& options) noexcept {
  return std::max<std::int64_t>(1, std::ssize(options.split));
}

// Returns the samples of each sequence as an index counts them: in the stream that defines the size
// if there is one, otherwise in the longest stream.
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

Diagnostic warning_about(const std::string& path, const char* code) {
  Diagnostic warning;
  warning.severity = Severity::warning;
  warning.path = path;
  warning.byte_offset = Diagnostic::kNoOffset;
  warning.code = code;
  return warning;
}

}  // namespace

ConversionMemory divide_memory(const std::string& path, const ConvertOptions& options,
                               std::int64_t threads) {
  if (!options.run.memory_limit_bytes) return {};
  const std::int64_t limit = *options.run.memory_limit_bytes;
  std::int64_t files_bytes = 0;  // held back by the format before it is written
  if (options.for_merge || find_writable_format(path, options.writer.format).has_chunks) {
    files_bytes = files_at_once(options) * kChunksHeld * options.writer.format.chunk_size_bytes;
  }
  const std::int64_t rest = limit - files_bytes;
  const std::int64_t turns =
      std::min(2 * threads * kTurnsPerThread * kEncodedShare * kTurnBytes, rest / kTurnsShare);
  if (turns > 0) return {.reader_bytes = rest - turns, .turns_bytes = turns};
  throw ConfigError(formatted(
      "memory_limit_bytes: {} bytes leave nothing to read with: what is written keeps {} bytes, "
      "twice chunk_size_bytes for each file under way",
      limit, files_bytes));
}

Converter::Converter(Executor& executor, const std::string& path, const ConvertOptions& options,
                     Selector& selector, const Deserializer& data, std::span<const Stream> streams,
                     std::int64_t turns_bytes, std::int64_t total_samples, bool has_costs)
    : options_(options),
      selector_(selector),
      format_(find_writable_format(path, options.writer.format)),
      cost_name_(has_costs && format_.keeps_costs ? data.index().cost_measure().name : ""),
      path_(path),
      paths_(output_paths(path, options)),
      streams_(std::make_shared<const std::vector<Stream>>(streams.begin(), streams.end())),
      turns_max_(kTurnsPerThread * executor.thread_count()),
      written_bytes_(turns_bytes > 0 ? std::max<std::int64_t>(1, turns_bytes / 2) : 0),
      turns_(written_bytes_),
      total_samples_(total_samples),
      guard_(options.writer.files == nullptr ? system_files() : *options.writer.files, data),
      output_(guard_),
      window_(executor) {
  while (std::ssize(files_) < files_at_once(options)) begin_file();
}

void Converter::add(Minibatch minibatch) {
  const auto shared = std::make_shared<const Minibatch>(std::move(minibatch));
  std::vector<std::int64_t> samples;
  if (options_.shards || !selector_.is_all()) samples = sample_counts(*shared);
  std::vector<std::int64_t> sequences = selected(*shared, samples);
  if (!options_.split.empty()) {
    add_split(shared, sequences);
  } else if (options_.shards) {
    add_sharded(shared, sequences, samples);
  } else if (!sequences.empty()) {
    submit(shared, {piece_of(0, *shared, std::move(sequences))});
  }
}

void Converter::drain() {
  while (window_.size() > 0) window_.take();
}

void Converter::finish() {
  drain();
  for (std::size_t i = 0; i < files_.size(); ++i) {
    check_interruption();
    finish_file(i);
  }
  if (std::ssize(files_) < options_.shards.value_or(0)) refuse_empty(files_.size());
  check_interruption();
}

std::vector<WrittenFile> Converter::publish() {
  output_.publish();
  std::vector<WrittenFile> written;
  written.reserve(files_.size());
  for (File& file : files_) written.push_back(std::move(file.written));
  return written;
}

std::vector<Diagnostic> Converter::warnings() const {
  std::vector<Diagnostic> warnings = format_warnings_;
  if (lost_key_) warnings.push_back(*lost_key_);
  if (values_out_of_range_ > 0) {
    Diagnostic& warning = warnings.emplace_back(warning_about(path_, "convert-range"));
    const bool is_half =
        std::ranges::any_of(options_.writer.streams, [](const WrittenStream& each) {
          return each.dtype == ElementType::f16 || each.dtype == ElementType::bf16;
        });
    warning.expected = formatted("values that {}-bit floats hold", is_half ? 16 : 32);
    warning.found = formatted("{} that became infinite", values_out_of_range_);
    warning.hint = "values of type f64 are written as they are";
  }
  // With for_merge, another part may have the missing keys.
  const std::vector<std::string> missing =
      options_.for_merge ? std::vector<std::string>() : selector_.missing_keys();
  if (!missing.empty()) {
    Diagnostic& warning = warnings.emplace_back(warning_about(path_, "convert-missing-keys"));
    warning.expected = "a sequence for each key that is selected";
    warning.found = missing.size() == 1 ? formatted("none for the key {}", missing.front())
                                        : formatted("none for {} keys, of which {} is the first",
                                                    missing.size(), missing.front());
  }
  return warnings;
}

void Converter::begin_file() {
  const std::string& path = paths_[files_.size()];
  File& file = files_.emplace_back();
  file.written.path = path;
  WriterOptions options = options_.writer;
  options.format.format = format_.name;
  options.format.cost_name = cost_name_;
  if (written_bytes_ > 0) {
    options.waiting_bytes_max = std::max<std::int64_t>(1, written_bytes_ / files_at_once(options_));
  }
  options.files = &output_;
  if (options_.for_merge && !options_.split.empty()) {
    options.format.part_note =
        with_file(options.format.part_note, options_.split[files_.size() - 1].name);
  }
  file.writer = std::make_unique<Writer>(path, *streams_, options);
}

void Converter::finish_file(std::size_t number) {
  File& file = files_[number];
  if (!file.writer) return;
  const bool is_part = !options_.split.empty() || options_.shards;
  const bool is_chosen = is_part || !selector_.is_all();
  if (is_chosen && file.sequences == 0 && !options_.for_merge) refuse_empty(number);
  file.writer->finish();
  const WriterStats stats = file.writer->stats();
  for (Diagnostic& each : file.writer->warnings()) format_warnings_.push_back(std::move(each));
  file.writer.reset();
  file.written.bytes = stats.bytes;
  file.written.sequences = stats.sequences;
  file.written.samples = stats.samples;
  values_out_of_range_ += stats.values_out_of_range;
}

void Converter::refuse_empty(std::size_t number) const {
  if (!options_.split.empty()) {
    throw ConfigError(formatted("split: no sequence falls to \"{}\"", options_.split[number].name));
  }
  if (!options_.shards) throw ConfigError("selected: no sequence of the data is selected");
  const auto shard = static_cast<std::int64_t>(number);
  throw ConfigError(formatted(
      "shards {}: no sequence begins among the samples of shard {}, {} to {} of {}; write "
      "fewer",
      *options_.shards, shard, shard_begin(shard), shard_begin(shard + 1) - 1, total_samples_));
}

std::int64_t Converter::shard_begin(std::int64_t shard) const noexcept {
  __extension__ using Wide = __int128;
  return static_cast<std::int64_t>(Wide{shard} * total_samples_ / *options_.shards);
}

std::vector<std::int64_t> Converter::selected(const Minibatch& minibatch,
                                              std::span<const std::int64_t> samples) {
  std::vector<std::int64_t> sequences(static_cast<std::size_t>(minibatch.sequence_count()));
  std::iota(sequences.begin(), sequences.end(), 0);
  if (selector_.is_all()) return sequences;
  std::erase_if(sequences, [&](std::int64_t sequence) {
    const auto i = static_cast<std::size_t>(sequence);
    const SequenceKey& key = minibatch.keys()[i];
    selector_.note(key);
    return !selector_.takes(key, samples[i]);
  });
  return sequences;
}

Converter::Piece Converter::piece_of(std::size_t number, const Minibatch& minibatch,
                                     std::vector<std::int64_t> sequences) {
  File& file = files_[number];
  const bool tells = options_.warns_of_lost_keys && !format_.keeps_keys;
  if (tells && !lost_key_) look_for_lost_key(file, minibatch, sequences);
  file.sequences += std::ssize(sequences);
  return {file.writer.get(), file.turns++, std::move(sequences)};
}

// In a file without keys, readers use 0, 1, 2, ... as keys.
void Converter::look_for_lost_key(const File& file, const Minibatch& minibatch,
                                  std::span<const std::int64_t> sequences) {
  std::uint64_t number = static_cast<std::uint64_t>(file.sequences);
  for (const std::int64_t sequence : sequences) {
    const auto i = static_cast<std::size_t>(sequence);
    const SequenceKey& key = minibatch.keys()[i];
    if (key != SequenceKey{.low = number}) {
      const std::span<const std::string_view> texts = minibatch.key_texts();
      Diagnostic& warning = lost_key_.emplace(warning_about(file.written.path, "convert-keys"));
      warning.expected =
          formatted("keys 0, 1, 2, ... in the order written, since {} keeps none", format_.name);
      warning.found = formatted("{} of sequence {}",
                                texts.empty() ? to_string(key) : std::string(texts[i]), number);
      warning.hint = "whoever reads the file gets these numbers for keys";
      return;
    }
    ++number;
  }
}

void Converter::add_split(const SharedMinibatch& minibatch,
                          std::span<const std::int64_t> sequences) {
  std::vector<std::vector<std::int64_t>> parts(options_.split.size());
  for (const std::int64_t sequence : sequences) {
    const SequenceKey& key = minibatch->keys()[static_cast<std::size_t>(sequence)];
    parts[part_of(key, options_.split)].push_back(sequence);
  }
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!parts[i].empty()) pieces.push_back(piece_of(i, *minibatch, std::move(parts[i])));
  }
  submit(minibatch, std::move(pieces));
}

// Only one shard is in progress at any time, so memory does not grow with the number of shards.
void Converter::add_sharded(const SharedMinibatch& minibatch,
                            std::span<const std::int64_t> sequences,
                            std::span<const std::int64_t> samples) {
  std::vector<std::int64_t> these;
  const auto submit_these = [&] {
    const std::size_t shard = files_.size() - 1;
    submit(minibatch, {piece_of(shard, *minibatch, std::exchange(these, {}))});
  };
  for (const std::int64_t sequence : sequences) {
    while (std::ssize(files_) < options_.shards.value_or(0) &&
           samples_ >= shard_begin(std::ssize(files_))) {
      submit_these();
      drain();
      finish_file(files_.size() - 1);
      begin_file();
    }
    these.push_back(sequence);
    samples_ += samples[static_cast<std::size_t>(sequence)];
  }
  submit_these();
}

bool Converter::is_full(std::int64_t turn_bytes) const noexcept {
  if (window_.size() == 0) return false;
  if (std::ssize(window_) >= turns_max_) return true;
  return !turns_.has_room(turn_bytes);
}

template <typename Work>
void Converter::submit_work(std::int64_t bytes, Work work) {
  while (is_full(bytes)) window_.take();
  const auto memory = std::make_shared<Ledger::Token>(turns_);  // held until the turn is taken
  memory->use(bytes);
  window_.submit([memory, work = std::move(work)] {
    work();
    return [memory] { memory->release(); };
  });
}

void Converter::submit(const SharedMinibatch& minibatch, std::vector<Piece> pieces) {
  submit_work(kEncodedShare * minibatch->memory_bytes(),
              [this, minibatch, pieces = std::move(pieces)] {
                for (const Piece& piece : pieces) write(piece, *minibatch);
              });
}

void Converter::end_chunk() {
  if (!format_.has_chunks) return;
  for (File& file : files_) {
    if (!file.writer || file.sequences == 0) continue;
    submit_work(0, [writer = file.writer.get(), turn = file.turns++] { writer->end_chunk(turn); });
  }
}

void Converter::write(const Piece& piece, const Minibatch& minibatch) const {
  if (std::ssize(piece.sequences) == minibatch.sequence_count()) {
    piece.writer->write(piece.turn, minibatch);
    return;
  }
  SequenceList list(streams_);
  for (const std::int64_t sequence : piece.sequences) list.add(minibatch, sequence);
  piece.writer->write(piece.turn, list);
}

}  // namespace sheaf::internal
