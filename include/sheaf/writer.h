/// \file
/// From minibatches and results to a file: what most programs include that write.

#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sheaf/extend/byte_sink.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/extend/file_sink.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/extend/format.h"
#include "sheaf/extend/packer.h"
#include "sheaf/extend/serializer.h"
#include "sheaf/minibatch.h"
#include "sheaf/types.h"

namespace sheaf {

/// A stream to write.
struct WrittenStream {
  std::string name;                                 // in what is handed in
  std::string alias = {};                           // what the file calls it; empty: as `name`
  std::optional<ElementType> element_type = {};     // f32 or f64: values are converted; none: as is
  std::optional<bool> defines_minibatch_size = {};  // none: as in what is handed in
};

struct WriterOptions {
  SerializerOptions format = {};
  std::vector<WrittenStream> streams = {};                   // in the file's order; none: all
  std::int64_t waiting_bytes_max = std::int64_t{256} << 20;  // encoded ahead of its turn, about
  Existing existing = Existing::replace;  // what becomes of a file that already has the path
  FileSystem* files = nullptr;            // where the file is created; null means system_files()
};

struct WriterStats {
  std::int64_t sequences = 0;
  std::int64_t samples = 0;  // of the longest stream, or the one that defines the minibatch size
  std::int64_t values_out_of_range = 0;  // finite f64 values that became infinite as f32
};

/// Writes sequences with their keys, in any format that can be written. The file is there once
/// finish() returns, or not at all; its bytes depend on what is written and the options alone.
///
/// Several threads may write at once: each call encodes on its own thread, and says by its *turn*
/// where in the file its sequences go. Turns are 0, 1, 2, ...; each is written once. What comes
/// ahead of its turn is kept until the turns before it are written; a call waits where more than
/// waiting_bytes_max would be kept, unless it is the next one. So that no thread waits for itself,
/// each takes its turns in ascending order.
///
///     Writer writer("scores.ctf", streams, {});
///     // on several threads:
///     writer.write(turn, minibatch.keys(), scores);
///     // on one, when they are through:
///     writer.finish();
///
/// An error ends the file: every later call, and every one that waits, throws it again.
///
/// Threads: write(), skip() and fail() are safe from any number of threads; the others alone.
///          Move-only.
class Writer {
 public:
  /// Write a file. `streams` are those of what will be handed in.
  ///
  /// Throws: ConfigError where the options name a stream that is not there or a conversion that is
  ///         none, for a format that cannot be written, and as Format::create; ConfigError and
  ///         IoError, as create_file().
  Writer(const std::string& path, std::span<const Stream> streams, const WriterOptions& options,
         std::span<const Format> formats = builtin_formats());

  /// Write anywhere. options.format.format names the format, or the sink's name tells it.
  Writer(std::unique_ptr<ByteSink> sink, std::span<const Stream> streams,
         const WriterOptions& options, std::span<const Format> formats = builtin_formats());

  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// What was not finished is thrown away.
  ~Writer();

  /// The streams as the file has them.
  ///
  /// Lifetime: as long as the writer.
  [[nodiscard]] std::span<const Stream> streams() const noexcept;

  /// Write sequences as the given turn. Without one, as the turn after the last one written; then
  /// one thread alone writes.
  ///
  /// Throws: DataError where the format cannot say a sequence; IoError; ConfigError where the
  ///         streams are not those of the constructor, where sequences are cut, and for a turn that
  ///         was written before.
  void write(std::int64_t turn, const SequenceList& sequences);
  void write(const SequenceList& sequences);

  /// The sequences of a minibatch that is not `packed` or `truncated`.
  void write(std::int64_t turn, const Minibatch& minibatch);
  void write(const Minibatch& minibatch);

  /// The sequences of a chunk: results under the keys of what they were computed from. Key texts
  /// are the chunk's. Holes are left out.
  ///
  /// Throws: ConfigError where there is not one key for each sequence.
  void write(std::int64_t turn, std::span<const SequenceKey> keys, const Chunk& chunk);
  void write(std::span<const SequenceKey> keys, const Chunk& chunk);

  /// There is nothing to write in this turn.
  void skip(std::int64_t turn);

  /// A turn will never come, because of `error`: what is to be done where a thread fails in between
  /// its writes, so that the others do not wait for it. The first error counts.
  ///
  /// Pre: `error` is not null.
  void fail(std::exception_ptr error) noexcept;

  /// Complete the file. Nothing is written afterwards.
  ///
  /// Throws: ConfigError where a turn is missing before one that was written; IoError; DataError.
  void finish();

  [[nodiscard]] WriterStats stats() const noexcept;

  /// What is worth knowing of what was written so far, as Serializer::warnings().
  [[nodiscard]] std::vector<Diagnostic> warnings() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace sheaf
