/// \file
/// The interface that turns sequences into the bytes of one format.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/byte_sink.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/types.h"

namespace sheaf {

/// Whole sequences to write, in order.
///
/// Lifetime: a batch owns nothing; the data must outlive the batch.
struct SequenceBatch {
  std::span<const SequenceKey> keys = {};
  std::span<const std::string_view> key_texts = {};  // one for each; none where keys are numbers
  std::span<const std::string_view> comments = {};   // one for each, or none at all

  /// [stream][sequence], in the order of the serializer's streams.
  std::span<const std::span<const SequenceView>> views = {};

  /// Whether a chunk of the input ends with the last sequence. Formats with chunks then end their
  /// chunk, too, so that parts of the input can be converted by themselves.
  bool ends_chunk = false;

  [[nodiscard]] std::int64_t size() const noexcept {
    return static_cast<std::int64_t>(keys.size());
  }
};

/// How to write data. `extra` holds the options of a single format. A format refuses unknown
/// options.
struct SerializerOptions {
  std::string format = {};  // by name; empty: as find_writable_format() finds it
  std::int64_t chunk_size_bytes = std::int64_t{32} << 20;  // of formats with chunks, about
  std::map<std::string, std::string> extra = {};

  /// Whether the file says what Deserializer::storage() tells, where the format has a place for it.
  /// A cache of many small files does without.
  bool keeps_storage_notes = true;

  /// Where the file is a part for merge(): what the file says of itself, as a JSON object. Formats
  /// with Format::holds_parts keep the object. Empty: the file is no part.
  std::string part_note = {};
};

/// What a serializer writes, and where to.
struct CreateRequest {
  std::unique_ptr<ByteSink> sink;  // the file; the name of the sink is the path
  std::vector<Stream> streams = {};
  SerializerOptions options = {};

  /// Begins a further file, one that the file of `sink` names. Empty where the output has no path,
  /// and so no place for further files. May be called as long as the serializer lives.
  ///
  /// All files of an output appear together, in the order in which the serializer finishes their
  /// sinks, or none appears. A serializer finishes the file that names the others last.
  ///
  /// Throws: as FileSystem::create(), also where an existing file is not to be replaced.
  ///         ConfigError where another file of the output has the path.
  std::function<std::unique_ptr<ByteSink>(const std::string& path)> create_file = {};

  /// The file system of the files that options name; null means system_files().
  FileSystem* files = nullptr;
};

/// Writes one file of one format, and the further files that the file names. encode() does the work
/// that several threads can share. append() puts the results together. The bytes of the files
/// depend on the sequences and the options, not on how the sequences were divided into batches.
class Serializer {
 public:
  /// Encoded sequences, in a form that the format chooses.
  class Block {
   public:
    virtual ~Block() = default;

    /// Returns how much memory the block takes.
    [[nodiscard]] virtual std::int64_t memory_bytes() const noexcept = 0;
  };

  virtual ~Serializer() = default;

  /// Encodes sequences.
  ///
  /// Pre:     the views have the streams of the serializer.
  /// Throws:  DataError where the format cannot express a sequence, naming key and stream.
  /// Threads: safe from any number of threads, also during append().
  [[nodiscard]] virtual std::unique_ptr<Block> encode(const SequenceBatch& batch) const = 0;

  /// Appends a block of encode(). The blocks come in the order of the sequences.
  ///
  /// Throws:  IoError; DataError for errors across sequences, such as a key that comes twice.
  /// Threads: one call of append() or finish() at a time.
  virtual void append(std::unique_ptr<Block> block) = 0;

  /// Writes the rest and finishes all files. Called once.
  ///
  /// Throws: IoError; DataError where the format cannot hold the data, such as no sequence at all.
  virtual void finish() = 0;

  /// Returns the warnings about the sequences encoded so far, each once, with severity `warning`.
  ///
  /// Threads: as encode().
  [[nodiscard]] virtual std::vector<Diagnostic> warnings() const { return {}; }
};

}  // namespace sheaf
