/// \file
/// From sequences to the bytes of one format.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/byte_sink.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/types.h"

namespace sheaf {

/// Whole sequences to be written, in their order.
///
/// Lifetime: refers to everything, owns nothing.
struct SequenceBatch {
  std::span<const SequenceKey> keys = {};
  std::span<const std::string_view> key_texts = {};  // one for each; empty where keys are numbers
  std::span<const std::string_view> comments = {};   // one for each, or none at all

  /// [stream][sequence], in the order of the serializer's streams.
  std::span<const std::span<const SequenceView>> views = {};

  [[nodiscard]] std::int64_t size() const noexcept {
    return static_cast<std::int64_t>(keys.size());
  }
};

/// How to write data. `extra` holds what only one format understands; a format refuses a key there
/// that it does not know.
struct SerializerOptions {
  std::string format = {};  // by name; empty: by the file's extension
  std::int64_t chunk_size_bytes = std::int64_t{32} << 20;  // where a format has chunks, about
  std::map<std::string, std::string> extra = {};
};

/// Writes one file of one format. encode() does the work that can be done at once on several
/// threads, append() puts the results together. The bytes of the file depend on the sequences and
/// the options, not on how the sequences were divided into batches.
class Serializer {
 public:
  /// Encoded sequences, in a form of the format's own.
  class Block {
   public:
    virtual ~Block() = default;

    /// Memory held.
    [[nodiscard]] virtual std::int64_t memory_bytes() const noexcept = 0;
  };

  virtual ~Serializer() = default;

  /// Encode sequences.
  ///
  /// Pre:     the views are of the streams that the serializer was made for.
  /// Throws:  DataError where the format has no way to say a sequence, naming key and stream.
  /// Threads: safe from any number of threads, also during append().
  [[nodiscard]] virtual std::unique_ptr<Block> encode(const SequenceBatch& batch) const = 0;

  /// Append what encode() of this serializer gave. The blocks come in the order of the sequences.
  ///
  /// Throws:  IoError; DataError for what the sequences before tell, as a key that comes twice.
  /// Threads: one call of append() or finish() at a time.
  virtual void append(std::unique_ptr<Block> block) = 0;

  /// There are no more sequences: write what is left, and finish the file. Called once.
  ///
  /// Throws: IoError; DataError where the format cannot hold what there is, as no sequence at all.
  virtual void finish() = 0;

  /// What is worth knowing of what was encoded so far, though it could be written. Each with
  /// severity `warning`, once.
  ///
  /// Threads: as encode().
  [[nodiscard]] virtual std::vector<Diagnostic> warnings() const { return {}; }
};

}  // namespace sheaf
