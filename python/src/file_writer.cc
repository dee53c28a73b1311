#include "file_writer.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <utility>

#include <nanobind/nanobind.h>

#include "sheaf/error.h"
#include "sheaf/extend/executor.h"
#include "sheaf/extend/format.h"
#include "sheaf/extend/packer.h"
#include "sheaf/extend/parallel_for.h"

#include "waiting.h"

namespace sheaf::python {

FileWriter::FileWriter(std::string path, std::vector<Stream> given, const WriterOptions& options)
    : path_(std::move(path)),
      given_(std::move(given)),
      keeps_keys_(find_writable_format(path_, options.format).keeps_keys) {
  writer_.emplace(path_, given_, options);
}

Writer& FileWriter::opened() {
  if (was_interrupted_) {
    throw ConfigError(path_ + ": writing was interrupted, nothing more can be written to the file");
  }
  if (!writer_) throw ConfigError(path_ + ": the file is closed, nothing can be written to it");
  return *writer_;
}

// Calls body(writer). What a signal's handler raised ends the file, but is raised only once: the
// writer, which throws its first error again with each later call, goes.
template <typename Body>
void FileWriter::writing(const Body& body) {
  const auto lock = lock_interruptibly(writing_);
  try {
    body(opened());
  } catch (const nanobind::python_error&) {
    was_interrupted_ = true;
    close();
    throw;
  }
}

void FileWriter::write(std::span<const SequenceKey> keys, const Chunk& chunk) {
  const auto streams = std::make_shared<const std::vector<Stream>>(given_);
  writing([&](Writer& writer) {
    if (std::ssize(keys) != chunk.sequence_count()) return writer.write(keys, chunk);  // refused
    for (Pace pace(chunk.sequence_count()); pace.next();) {
      SequenceList sequences(streams);
      for (std::int64_t i = pace.first(); i < pace.first() + pace.count(); ++i) {
        sequences.add(keys[static_cast<std::size_t>(i)], chunk, i);
      }
      writer.write(sequences);
    }
  });
}

void FileWriter::write(const Minibatch& minibatch) {
  writing([&](Writer& writer) { writer.write(minibatch); });
}

Converted FileWriter::write_all(const Data& data) {
  Converted converted;
  writing([&](Writer&) {
    Reader reader = data.run(data.begin_of(0));
    read_and_write(reader, *thread_pool(data.executor().thread_count()));
    const ReaderStats stats = reader.stats();
    converted = {.holes = stats.holes,
                 .error_places = stats.error_places,
                 .diagnostics = {reader.diagnostics().begin(), reader.diagnostics().end()},
                 .warnings = reader.warnings()};
  });
  return converted;
}

void FileWriter::read_and_write(Reader& reader, Executor& executor) {
  Writer& writer = opened();
  std::timed_mutex reading;
  std::atomic<bool> is_over = false;
  std::int64_t turns = 0;
  std::exception_ptr read_error;  // comes behind the errors of what was read before it
  const auto next = [&]() -> std::optional<Minibatch> {
    if (is_over) return std::nullopt;
    std::optional<Minibatch> minibatch;
    try {
      minibatch = reader.next();
    } catch (const nanobind::python_error&) {  // an interruption
      throw;
    } catch (...) {
      read_error = std::current_exception();
    }
    if (!minibatch) is_over = true;
    return minibatch;
  };
  const auto write_some = [&] {
    while (true) {
      auto taking = lock_interruptibly(reading);
      const std::optional<Minibatch> minibatch = next();
      if (!minibatch) return;
      const std::int64_t turn = turns++;
      if (!keeps_keys_) look_for_lost_key(*minibatch);
      taking.unlock();
      writer.write(turn, *minibatch);
    }
  };
  parallel_for(&executor, executor.thread_count(), [&](std::int64_t) {
    try {
      write_some();
    } catch (...) {  // a turn is missing now, for which no thread is to wait
      is_over = true;
      writer.fail(std::current_exception());
      throw;
    }
  });
  if (read_error) std::rethrow_exception(read_error);
}

// A file without keys says that they are 0, 1, 2, ...
void FileWriter::look_for_lost_key(const Minibatch& minibatch) {
  for (std::size_t i = 0; i < minibatch.keys().size() && !lost_key_; ++i, ++numbered_) {
    const SequenceKey& key = minibatch.keys()[i];
    if (key == SequenceKey{.low = static_cast<std::uint64_t>(numbered_)}) continue;
    const std::span<const std::string> texts = minibatch.key_texts();
    lost_key_ = Diagnostic{
        .severity = Severity::warning,
        .path = path_,
        .byte_offset = Diagnostic::kNoPlace,
        .code = "convert-keys",
        .expected = "keys 0, 1, 2, ... in the order written, since the format keeps none",
        .found = (texts.empty() ? to_string(key) : texts[i]) + " of sequence " +
                 std::to_string(numbered_),
        .hint = "whoever reads the file gets these numbers for keys"};
  }
}

void FileWriter::note_results() {
  const WriterStats stats = writer_->stats();
  warnings_ = writer_->warnings();
  if (lost_key_) warnings_.push_back(*lost_key_);
  if (stats.values_out_of_range == 0) return;
  warnings_.push_back({.severity = Severity::warning,
                       .path = path_,
                       .byte_offset = Diagnostic::kNoPlace,
                       .code = "convert-range",
                       .expected = "values that 32-bit floats hold",
                       .found = std::to_string(stats.values_out_of_range) + " that became infinite",
                       .hint = "dtype=\"float64\" writes them as they are"});
}

void FileWriter::finish() {
  writing([this](Writer& writer) {
    writer.finish();
    note_results();
    close();
  });
}

void FileWriter::discard() {
  const std::lock_guard lock(writing_);
  close();
}

// Pre: writing_ is held.
void FileWriter::close() {
  std::optional<Writer> closed;  // goes without the mutex
  const std::lock_guard lock(mutex_);
  if (!writer_) return;
  stats_ = writer_->stats();
  closed.emplace(*std::move(writer_));
  writer_.reset();
}

WriterStats FileWriter::stats() const {
  const std::lock_guard lock(mutex_);
  return writer_ ? writer_->stats() : stats_;
}

std::vector<Diagnostic> FileWriter::warnings() const {
  const auto lock = lock_interruptibly(writing_);
  return writer_ ? writer_->warnings() : warnings_;
}

OrderOptions in_turns(const Data& data, std::int64_t bytes) {
  OrderOptions order = data.plan().spec.read.order;
  order.unit = MinibatchUnit::samples;
  order.minibatch_size = 1;
  if (const std::optional<ChunkInfo> chunk = data.deserializer().index().chunk(ChunkIndex{})) {
    const auto chunk_bytes =
        static_cast<double>(std::max<std::int64_t>(1, chunk->decoded_size_bytes));
    const double samples =
        static_cast<double>(bytes) * static_cast<double>(chunk->sample_count) / chunk_bytes;
    order.minibatch_size = std::max<std::int64_t>(1, static_cast<std::int64_t>(samples));
  }
  return order;
}

}  // namespace sheaf::python
