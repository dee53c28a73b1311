/// \file
/// Writes minibatches and results to a file. Programs that write include this header.
///
///     #include "sheaf/reader.h"
///
///     sheaf::Reader reader("test.ctf", {});
///     sheaf::Writer writer("copy.ctf", reader.streams(), {});
///     while (const std::optional<sheaf::Minibatch> minibatch = reader.next()) {
///       writer.write(*minibatch);
///     }
///     writer.finish();
///     std::cout << writer.stats().sequences << " sequences\n";

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
  std::string name;                                 // the name in the minibatches or chunks
  std::string alias = {};                           // the name in the file; empty means `name`
  std::optional<ElementType> dtype = {};            // the type in the file; empty: no conversion
  std::optional<bool> defines_minibatch_size = {};  // empty: as in the minibatches
};

/// What and how to write.
struct WriterOptions {
  SerializerOptions format = {};            // the format and its options
  std::vector<WrittenStream> streams = {};  // in the order of the file; empty: all streams

  /// The most memory for encoded sequences that arrive before their turn.
  std::int64_t waiting_bytes_max = std::int64_t{256} << 20;

  Existing existing = Existing::replace;  // what to do if the file already exists
  FileSystem* files = nullptr;            // null means system_files(); must outlive the writer
};

/// Counts of the data written so far.
struct WriterStats {
  std::int64_t sequences = 0;
  std::int64_t samples = 0;  // of the longest stream, or the one that defines the minibatch size
  std::int64_t values_out_of_range = 0;  // finite values that became infinite in a narrower type
  std::int64_t bytes = 0;                // of this file and of the files that the file names
};

/// Writes sequences with their keys, in any format that can be written. The file appears when
/// finish() returns, or not at all. The file replaces an existing file unless
/// WriterOptions::existing says otherwise. If the file lists further files, those files appear
/// together with the list. The bytes of the files depend only on the sequences and the options.
///
/// Several threads may write at once. Each call encodes on its own thread. The *turn* of the call
/// says where in the file the sequences go. Turns are 0, 1, 2, ..., and each turn is written once.
/// The writer keeps sequences that arrive before their turn. A call waits if the writer would have
/// to keep more than `waiting_bytes_max`, unless the call has the next turn. Each thread must take
/// its turns in ascending order, so that no thread waits for itself.
///
/// examples/predict.cc is a whole program that writes results:
///
///     Writer writer("scores.ctf", streams, {});
///     // on several threads:
///     writer.write(turn, minibatch.keys(), scores);
///     // on one thread, when all are done:
///     writer.finish();
///
/// An error ends the file. Every later call, and every call that waits, throws the same error.
///
/// Threads: any number of threads may call write(), skip() and fail(). All other functions are
///          called by one thread, while no thread writes.
///
/// A writer is move-only. A moved-from writer has no streams and can only be destroyed or assigned
/// to; calls that write throw InternalError.
class Writer {
 public:
  /// Writes a file. `streams` are the streams of the minibatches or chunks that the program passes.
  /// If `options.format.format` is empty, the extension of `path` selects the format. A name
  /// without an extension selects the format `sheaf`.
  ///
  /// Throws: ConfigError if the options name a stream that does not exist or an impossible
  ///         conversion; for a format that cannot be written; and as Format::create. ConfigError
  ///         and IoError, as create_file().
  Writer(const std::string& path, std::span<const Stream> streams, const WriterOptions& options,
         std::span<const Format> formats = builtin_formats());

  /// Writes to a sink. `options.format.format` names the format. If empty, the name of the sink
  /// selects the format in the same way as a path. Formats that write several files need a path.
  Writer(std::unique_ptr<ByteSink> sink, std::span<const Stream> streams,
         const WriterOptions& options, std::span<const Format> formats = builtin_formats());

  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// Discards a file that is not finished.
  ~Writer();

  /// Returns the streams of the file.
  ///
  /// Lifetime: as long as the writer.
  [[nodiscard]] std::span<const Stream> streams() const noexcept;

  /// Writes sequences as turn `turn`. Without `turn`, writes them after the last turn; then only
  /// one thread may write.
  ///
  /// Throws: DataError if the format cannot express a sequence; IoError; ConfigError if the streams
  ///         differ from the streams of the constructor, if sequences are cut, or for a turn that
  ///         was written before.
  void write(std::int64_t turn, const SequenceList& sequences);
  void write(const SequenceList& sequences);

  /// Writes the sequences of a minibatch.
  ///
  /// Throws: as above; ConfigError for the layouts `packed` and `truncated`, which ends the file.
  void write(std::int64_t turn, const Minibatch& minibatch);
  void write(const Minibatch& minibatch);

  /// Writes the sequences of a chunk, such as results, under `keys`. Key texts come from the chunk.
  /// Holes are left out.
  ///
  /// Throws: ConfigError unless there is one key for each sequence.
  void write(std::int64_t turn, std::span<const SequenceKey> keys, const Chunk& chunk);
  void write(std::span<const SequenceKey> keys, const Chunk& chunk);

  /// Marks a turn as having no sequences.
  void skip(std::int64_t turn);

  /// Ends a chunk of the file, in formats with chunks, so that no chunk has sequences from both
  /// before and after this turn. A conversion in parts gives the same bytes as a single conversion
  /// if both end chunks at the same sequences.
  ///
  /// Throws: as write().
  void end_chunk(std::int64_t turn);
  void end_chunk();

  /// Ends the file with an error. A thread that fails between two writes calls fail(), so that
  /// other threads do not wait for its turns. Only the first error has an effect.
  ///
  /// Pre: `error` is not null.
  void fail(std::exception_ptr error) noexcept;

  /// Completes the file. Nothing can be written afterwards.
  ///
  /// Throws: ConfigError if a turn is missing before a turn that was written; IoError; DataError.
  void finish();

  [[nodiscard]] WriterStats stats() const noexcept;

  /// Returns the warnings about the sequences written so far, like Serializer::warnings().
  [[nodiscard]] std::vector<Diagnostic> warnings() const;

 private:
  class State;

  [[nodiscard]] State& state() const;

  std::unique_ptr<State> state_;
};

}  // namespace sheaf
