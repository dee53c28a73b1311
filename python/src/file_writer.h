/// \file
/// A file under construction: what sheaf.Writer and tables write to.

#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/minibatch.h"
#include "sheaf/types.h"
#include "sheaf/writer.h"

namespace sheaf::python {

/// Writes sequences in the order in which they come. The file is there once finish() returns.
///
/// Threads: calls that write, finish() and discard() follow one another; so does warnings().
/// stats()
///          waits for none of them. No call holds a lock that a thread with the GIL waits for while
///          it looks for signals, which takes the GIL: call all but stats() without the GIL.
/// Signals: write() can be interrupted. The file is then lost, since nobody can tell how much of
///          the file was written, and later calls say so.
class FileWriter {
 public:
  /// Throws: as Writer.
  FileWriter(std::string path, std::vector<Stream> given, const WriterOptions& options);
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  /// What is handed in.
  [[nodiscard]] const std::vector<Stream>& given() const noexcept { return given_; }

  /// Throws: as Writer::write; ConfigError once it is closed; so do the others.
  void write(std::span<const SequenceKey> keys, const Chunk& chunk);
  void write(const Minibatch& minibatch);

  /// Throws: as Writer::finish.
  void finish();

  /// Throw away what was written, unless it was finished. Throws nothing.
  void discard();

  [[nodiscard]] WriterStats stats() const;
  [[nodiscard]] std::vector<Diagnostic> warnings() const;

 private:
  template <typename Body>
  void writing(const Body& body);
  [[nodiscard]] Writer& opened();
  void close();

  std::string path_;
  std::vector<Stream> given_;

  mutable std::timed_mutex writing_;  // held while the file is written; locked before mutex_
  std::vector<Diagnostic> warnings_;  // of a writer that is finished
  bool was_interrupted_ = false;

  mutable std::mutex mutex_;      // held for a moment only
  std::optional<Writer> writer_;  // none once it is closed; is closed under both mutexes
  WriterStats stats_;             // of a writer that is closed
};

}  // namespace sheaf::python
