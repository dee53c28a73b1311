/// \file
/// A file under construction: what sheaf.Writer and the conversions write to.

#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sheaf/chunk.h"
#include "sheaf/diagnostic.h"
#include "sheaf/minibatch.h"
#include "sheaf/types.h"
#include "sheaf/writer.h"

#include "data.h"

namespace sheaf::python {

/// What was read for a conversion.
struct Converted {
  std::int64_t holes = 0;
  std::int64_t error_places = 0;
  std::vector<Diagnostic> diagnostics = {};
  std::vector<Diagnostic> warnings = {};
};

/// Writes sequences in the order in which they come. The file is there once finish() returns.
///
/// Threads: calls of several threads follow one another. No call takes the GIL, but that signals
///          are seen to in write_all().
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

  /// Write the first epoch of the data, in their order, on as many threads as they have.
  ///
  /// Pre:    the data have the given streams.
  /// Throws: what Reader and Writer throw, the first in the order of the data where it can be told.
  [[nodiscard]] Converted write_all(const Data& data);

  /// Throws: as Writer::finish.
  void finish();

  /// Throw away what was written, unless it was finished. Throws nothing.
  void discard();

  [[nodiscard]] WriterStats stats() const;
  [[nodiscard]] std::vector<Diagnostic> warnings() const;

 private:
  [[nodiscard]] Writer& opened();
  void look_for_lost_key(const Minibatch& minibatch);
  void note_results();

  std::string path_;
  std::vector<Stream> given_;
  bool keeps_keys_;
  mutable std::mutex mutex_;
  std::optional<Writer> writer_;  // none once it is closed
  std::int64_t numbered_ = 0;     // sequences whose keys were looked at
  std::optional<Diagnostic> lost_key_;
  WriterStats stats_;  // of a writer that is finished
  std::vector<Diagnostic> warnings_;
};

/// The order of the data, in minibatches of so many decoded bytes, about.
[[nodiscard]] OrderOptions in_turns(const Data& data, std::int64_t bytes);

}  // namespace sheaf::python
