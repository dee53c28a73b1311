// The recordings of a set of WAV files: their keys, lengths and locations.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/executor.h"
#include "sheaf/extend/index.h"

#include "format/audio/pcm.h"
#include "format/audio/riff.h"
#include "format/audio/sound_file.h"
#include "format/wav/wav_errors.h"
#include "format/wav/wav_files.h"
#include "format/wav/wav_options.h"

namespace sheaf::wav {

/// The chunks of a set of files, in the order of the files. Each file is a sequence. A file with a
/// fault is a sequence without samples.
///
/// The recordings lie in an imaginary source, where the bytes of their samples follow each other.
/// The location of a recording is a file and the offset of its first sample there. The cost of a
/// recording is its duration in milliseconds, rounded up. A recording that libsndfile decodes
/// counts 2 bytes for each value, as in a WAV file of 16 bits, and its location is the beginning of
/// its file.
///
/// Cost:    about 25 bytes for each file.
/// Threads: as Index.
class WavIndex final : public Index {
 public:
  /// Reads the heads of all files, 64 at a time, on the threads of `executor`, which may be null.
  ///
  /// Lifetime: `files` must outlive the index.
  /// Throws:   ConfigError if a recording needs libsndfile, which is missing; DataError if keys are
  ///           invalid, or if no file tells the number of channels; IoError if a file cannot be
  ///           read.
  WavIndex(const WavFiles& files, const ReadOptions& options, Executor* executor);

  [[nodiscard]] std::optional<ChunkInfo> chunk(ChunkIndex chunk) const override {
    return chunks_.chunk(chunk);
  }
  [[nodiscard]] std::shared_ptr<const SequenceTable> sequences(ChunkIndex chunk) const override {
    return chunks_.sequences(chunk);
  }
  [[nodiscard]] std::string source_name(std::int64_t source) const override {
    return files_.path(source);
  }
  [[nodiscard]] std::int64_t memory_bytes() const override;
  [[nodiscard]] CostMeasure cost_measure() const override { return chunks_.cost_measure(); }

  /// Returns the channels of every good recording.
  [[nodiscard]] std::int64_t channel_count() const noexcept { return channel_count_; }

  /// Returns the coding of a file that libsndfile decodes, or nothing for WAV files.
  ///
  /// Pre: the file has no fault.
  [[nodiscard]] std::optional<internal::SoundCoding> sound_coding(std::int64_t file) const noexcept;

  /// Returns the range of the delivered values.
  [[nodiscard]] internal::SampleScale scale() const noexcept { return scale_; }

  /// Returns how the samples of a WAV file are stored.
  ///
  /// Pre: the file has no fault, and no sound_coding().
  [[nodiscard]] internal::SampleRules rules(std::int64_t file) const noexcept;

  /// Checks that a file has not changed since it was indexed, by its size and modification time.
  ///
  /// Throws: IoError if it has.
  void check_unchanged(std::int64_t file, const ByteSource& source) const;

  /// Returns why a file is left out, or null if the file is good.
  ///
  /// Lifetime: that of the index.
  [[nodiscard]] const internal::RiffFault* fault(std::int64_t file) const noexcept;

  /// Returns a text that is the same for the same files with the same keys.
  [[nodiscard]] const std::string& fingerprint() const noexcept { return fingerprint_; }

 private:
  class Scan;

  struct FileFault {
    std::int64_t file = 0;
    internal::RiffFault fault;
  };

  const WavFiles& files_;
  const internal::SampleScale scale_;
  MemoryIndex chunks_;
  std::int64_t channel_count_ = 0;
  std::vector<std::uint8_t> encodings_;  // for each file: see kSound and kBigEndian
  std::vector<std::uint64_t> stamps_;    // for each file
  std::vector<FileFault> faults_;        // by file
  std::string fingerprint_;
};

/// Returns the diagnostic for a fault.
[[nodiscard]] Diagnostic diagnostic_of(const std::string& path, const internal::RiffFault& fault);

}  // namespace sheaf::wav
