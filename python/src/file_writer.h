/// \file
/// The file that sheaf.Writer and tables write.

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

/// Writes sequences in the order of the calls. The file exists once finish() returns.
///
/// Threads: write(), finish(), discard() and warnings() run one after another and hold a lock.
///          stats() waits for none of them. The check for signals takes the GIL while the lock is
///          held, so call all functions except stats() without the GIL.
/// Signals: a signal can interrupt write(). The file is then lost, because the written part is not
///          known, and later calls throw.
class FileWriter {
 public:
  /// Throws: as Writer.
  FileWriter(std::string path, std::vector<Stream> given, const WriterOptions& options);
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  /// Returns the streams of the sequences given to write().
  [[nodiscard]] const std::vector<Stream>& given() const noexcept { return given_; }

  /// Writes sequences.
  ///
  /// Throws: as Writer::write; ConfigError if the file is closed, here and in finish().
  void write(std::span<const SequenceKey> keys, const Chunk& chunk);
  void write(const Minibatch& minibatch);

  /// Completes the file.
  ///
  /// Throws: as Writer::finish.
  void finish();

  /// Discards the file, unless finish() has completed it. Throws nothing.
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

  mutable std::timed_mutex writing_;  // held while writing; locked before mutex_
  std::vector<Diagnostic> warnings_;  // warnings of a finished writer
  bool was_interrupted_ = false;

  mutable std::mutex mutex_;      // held only briefly
  std::optional<Writer> writer_;  // empty once closed; closed under both mutexes
  WriterStats stats_;             // stats of a closed writer
};

}  // namespace sheaf::python
