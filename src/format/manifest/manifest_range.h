// Reads a range of the sequences of a chunk.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/buffer.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/extend/counts.h"
#include "sheaf/types.h"

#include "format/manifest/manifest_files.h"
#include "format/manifest/manifest_index.h"
#include "format/manifest/manifest_line.h"
#include "format/manifest/manifest_options.h"
#include "format/manifest/manifest_part.h"

namespace sheaf::manifest {

/// The context of a range.
struct RangeSource {
  const ByteSource& manifest;
  const ManifestIndex& index;
  ManifestFiles& files;
  const ReadOptions& options;
  std::span<const Stream> streams;
};

/// Reads one range of a chunk. Can be used once.
class RangeReader {
 public:
  /// The bytes of samples to convert at a time.
  static constexpr std::int64_t kPieceBytesMax = std::int64_t{256} << 10;

  RangeReader(const RangeSource& source, const ChunkRange& range, Diagnostics& diagnostics);

  /// Throws: IoError.
  [[nodiscard]] Chunk read();

 private:
  struct Utterance {
    std::string_view text;  // of the line
    std::int64_t line = 0;  // counted from 1
    std::int64_t offset_bytes = 0;
    ManifestLine parsed;
    std::shared_ptr<const SampleFile> file;
    FilePart part;
    std::optional<Diagnostic> fault;
  };

  void read_lines();
  void find_parts();
  void find_part_of(Utterance& utterance, std::int64_t indexed_count);
  void refuse(Utterance& utterance, const ErrorKind& kind, LineRange at, std::string found) const;
  void refuse_file(Utterance& utterance, const FileFault& fault) const;
  [[nodiscard]] Column sample_column() const;
  [[nodiscard]] Buffer read_values(const std::vector<std::int64_t>& ends) const;
  [[nodiscard]] Column text_column(std::size_t number) const;
  [[nodiscard]] std::string_view stream_name() const;

  const RangeSource& source_;
  const ChunkRange range_;
  Diagnostics& diagnostics_;
  const std::shared_ptr<const internal::ChunkLines> lines_;
  std::string text_;  // of all lines
  std::vector<Utterance> utterances_;
};

}  // namespace sheaf::manifest
