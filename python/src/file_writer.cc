#include "file_writer.h"

#include <cstddef>
#include <memory>
#include <utility>

#include <nanobind/nanobind.h>

#include "sheaf/error.h"
#include "sheaf/extend/packer.h"

#include "waiting.h"

namespace sheaf::python {

FileWriter::FileWriter(std::string path, std::vector<Stream> given, const WriterOptions& options)
    : path_(std::move(path)), given_(std::move(given)) {
  writer_.emplace(path_, given_, options);
}

Writer& FileWriter::opened() {
  if (was_interrupted_) {
    throw ConfigError(path_ + ": writing was interrupted, nothing more can be written to the file");
  }
  if (!writer_) throw ConfigError(path_ + ": the file is closed, nothing can be written to it");
  return *writer_;
}

// Calls body(writer). An exception of a signal handler ends the file. The exception is raised only
// once: writing() drops the writer, which would otherwise throw its first error again in each later
// call.
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
    if (std::ssize(keys) != chunk.sequence_count()) return writer.write(keys, chunk);  // throws
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

void FileWriter::finish() {
  writing([this](Writer& writer) {
    writer.finish();
    warnings_ = writer.warnings();
    close();
  });
}

void FileWriter::discard() {
  const std::lock_guard lock(writing_);
  close();
}

// Pre: this thread holds writing_.
void FileWriter::close() {
  std::optional<Writer> closed;  // destroyed after mutex_ is released
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

}  // namespace sheaf::python
