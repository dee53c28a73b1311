#include "file_writer.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/executor.h"
#include "sheaf/format.h"

#include "waiting.h"

namespace sheaf::python {

FileWriter::FileWriter(std::string path, std::vector<Stream> given, const WriterOptions& options)
    : path_(std::move(path)),
      given_(std::move(given)),
      keeps_keys_(find_writable_format(path_, options.format).keeps_keys) {
  writer_.emplace(path_, given_, options);
}

Writer& FileWriter::opened() {
  if (!writer_) throw ConfigError(path_ + ": the file is closed, nothing can be written to it");
  return *writer_;
}

void FileWriter::write(std::span<const SequenceKey> keys, const Chunk& chunk) {
  const std::lock_guard lock(mutex_);
  opened().write(keys, chunk);
}

void FileWriter::write(const Minibatch& minibatch) {
  const std::lock_guard lock(mutex_);
  opened().write(minibatch);
}

Converted FileWriter::write_all(const Data& data) {
  const std::lock_guard lock(mutex_);
  Writer& writer = opened();
  Reader reader = data.run(data.begin_of(0));
  std::mutex reading;
  std::atomic<bool> is_over = false;
  std::int64_t turns = 0;
  std::exception_ptr read_error;  // comes behind those of what was read before it
  const auto next = [&]() -> std::optional<Minibatch> {
    if (is_over) return std::nullopt;
    std::optional<Minibatch> minibatch;
    try {
      minibatch = reader.next();
    } catch (...) {
      read_error = std::current_exception();
    }
    if (!minibatch) is_over = true;
    return minibatch;
  };
  const auto write_some = [&] {
    while (true) {
      std::unique_lock taking(reading);
      const std::optional<Minibatch> minibatch = next();
      if (!minibatch) return;
      const std::int64_t turn = turns++;
      if (!keeps_keys_) look_for_lost_key(*minibatch);
      taking.unlock();
      writer.write(turn, *minibatch);
    }
  };
  const std::unique_ptr<Executor> pool = thread_pool(data.executor().thread_count());
  run_tasks(*pool, pool->thread_count(), write_some, [&](const std::exception_ptr& error) {
    is_over = true;
    writer.fail(error);
  });
  if (read_error) std::rethrow_exception(read_error);
  const ReaderStats stats = reader.stats();
  return {.holes = stats.holes,
          .error_places = stats.error_places,
          .diagnostics = {reader.diagnostics().begin(), reader.diagnostics().end()},
          .warnings = reader.warnings()};
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
  stats_ = writer_->stats();
  warnings_ = writer_->warnings();
  if (lost_key_) warnings_.push_back(*lost_key_);
  if (stats_.values_out_of_range == 0) return;
  warnings_.push_back(
      {.severity = Severity::warning,
       .path = path_,
       .byte_offset = Diagnostic::kNoPlace,
       .code = "convert-range",
       .expected = "values that 32-bit floats hold",
       .found = std::to_string(stats_.values_out_of_range) + " that became infinite",
       .hint = "dtype=\"float64\" writes them as they are"});
}

void FileWriter::finish() {
  const std::lock_guard lock(mutex_);
  opened().finish();
  note_results();
  writer_.reset();
}

void FileWriter::discard() {
  const std::lock_guard lock(mutex_);
  if (!writer_) return;
  stats_ = writer_->stats();
  writer_.reset();
}

WriterStats FileWriter::stats() const {
  const std::lock_guard lock(mutex_);
  return writer_ ? writer_->stats() : stats_;
}

std::vector<Diagnostic> FileWriter::warnings() const {
  const std::lock_guard lock(mutex_);
  return writer_ ? writer_->warnings() : warnings_;
}

OrderOptions in_turns(const Data& data, std::int64_t bytes) {
  OrderOptions order = data.plan().order;
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
