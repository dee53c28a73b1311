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
/// Lifetime: the data must outlive the batch, which owns nothing.
struct SequenceBatch {
  std::span<const SequenceKey> keys = {};
  std::span<const std::string_view> key_texts = {};  // one for each; empty if keys are numbers
  std::span<const std::string_view> comments = {};   // one for each, or empty
  std::span<const std::int64_t> costs = {};          // as SerializerOptions::cost_name describes

  /// [stream][sequence], in the order of the serializer's streams.
  std::span<const std::span<const SequenceView>> views = {};

  /// Whether a chunk of the input ends with the last sequence. Formats with chunks then end a chunk
  /// of the output, too, so that parts of the input can be converted separately.
  bool ends_chunk = false;

  [[nodiscard]] std::int64_t size() const noexcept {
    return static_cast<std::int64_t>(keys.size());
  }
};

/// How to write data. `extra` holds the options of a single format. A format refuses unknown
/// options.
struct SerializerOptions {
  std::string format = {};  // by name; empty: chosen by find_writable_format()
  std::int64_t chunk_size_bytes = std::int64_t{32} << 20;  // approximate; for formats with chunks
  std::map<std::string, std::string> extra = {};

  /// Whether the file stores the data of Deserializer::storage(), if the format supports that. A
  /// cache of many small files turns this off.
  bool keeps_storage_notes = true;

  /// What the declared costs of the sequences measure, such as "pixels". All batches then have
  /// costs. Formats with Format::keeps_costs store name and costs. Empty if there are no costs.
  std::string cost_name = {};

  /// For a part for merge(), the description of the part as a JSON object. Formats with
  /// Format::holds_parts store the object. Empty if the file is not a part.
  std::string part_note = {};
};

/// A request to write data in a format.
struct CreateRequest {
  std::unique_ptr<ByteSink> sink;  // the file; the name of the sink is the path
  std::vector<Stream> streams = {};
  SerializerOptions options = {};

  /// Begins a further file that the file of `sink` names. Empty if the output has no path, so that
  /// further files are impossible. May be called as long as the serializer exists.
  ///
  /// Either all files of an output appear, in the order in which the serializer finishes their
  /// sinks, or none appears. A serializer must finish last the file that names the others.
  ///
  /// Throws: as FileSystem::create(), also if an existing file must not be replaced. ConfigError if
  ///         another file of the output has the same path.
  std::function<std::unique_ptr<ByteSink>(const std::string& path)> create_file = {};

  /// The file system of the files that options name. Null means system_files().
  FileSystem* files = nullptr;
};

/// Writes one file of one format, and the further files that the file names. Several threads can
/// call encode(). append() writes the results in order. The bytes of the files depend on the
/// sequences and the options, not on the division of the sequences into batches.
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
  /// Throws:  DataError with key and stream if the format cannot express a sequence.
  /// Threads: safe from any number of threads, also during append().
  [[nodiscard]] virtual std::unique_ptr<Block> encode(const SequenceBatch& batch) const = 0;

  /// Appends a block of encode(). The blocks come in the order of the sequences.
  ///
  /// Throws:  IoError; DataError for errors across sequences, such as a key that comes twice.
  /// Threads: one call of append() or finish() at a time.
  virtual void append(std::unique_ptr<Block> block) = 0;

  /// Writes the rest and finishes all files. Called once.
  ///
  /// Throws: IoError; DataError if the format cannot hold the data, for example because there are
  ///         no sequences.
  virtual void finish() = 0;

  /// Returns the warnings about the sequences encoded so far, each once, with severity `warning`.
  ///
  /// Threads: as encode().
  [[nodiscard]] virtual std::vector<Diagnostic> warnings() const { return {}; }
};

}  // namespace sheaf
