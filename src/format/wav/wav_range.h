// Reads a range of the recordings of a chunk.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/buffer.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/extend/counts.h"
#include "sheaf/extend/index.h"

#include "format/wav/wav_files.h"
#include "format/wav/wav_index.h"
#include "format/wav/wav_options.h"

namespace sheaf::wav {

/// The context of a range.
struct RangeSource {
  const WavFiles& files;
  const WavIndex& index;
  const ReadOptions& options;
  std::span<const Stream> streams;
};

/// Reads one range of a chunk. Can be used once.
class RangeReader {
 public:
  /// The bytes of samples to convert at a time.
  static constexpr std::int64_t kPieceBytesMax = std::int64_t{256} << 10;

  RangeReader(const RangeSource& source, const ChunkRange& range, Diagnostics& diagnostics);

  /// Throws: IoError, also if a file has changed since it was indexed.
  [[nodiscard]] Chunk read();

 private:
  struct Recording {
    std::int64_t file = 0;
    std::int64_t offset_bytes = 0;  // of the first sample in the file
    std::int64_t value_count = 0;   // 0 for a hole
    std::int64_t value = 0;         // number of the first value in the range
  };
  /// A recording that turned out to be a hole during decoding.
  struct FoundFault {
    std::size_t recording = 0;
    internal::RiffFault fault;
  };

  void find_recordings();
  void check_lengths(const WavFiles::Sources& files);
  [[nodiscard]] Buffer read_values();
  void read_stored(const WavFiles::Sources& files, Buffer& values) const;
  void decode(const WavFiles::Sources& files, Buffer& values);
  void remove_holes(Buffer& values);
  [[nodiscard]] Column column();
  void add_faults(std::vector<std::int64_t>& holes);
  [[nodiscard]] const internal::RiffFault* fault_of(std::size_t recording) const noexcept;
  [[nodiscard]] std::string key_text(const Recording& recording) const;

  const RangeSource& source_;
  const ChunkRange range_;
  Diagnostics& diagnostics_;
  const std::shared_ptr<const SequenceTable> table_;
  const std::int64_t channel_count_;
  std::vector<Recording> recordings_;
  std::vector<FoundFault> found_;  // ascending by recording
  std::int64_t value_count_ = 0;
};

}  // namespace sheaf::wav
