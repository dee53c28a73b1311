// Reads a range of the utterances of a chunk.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/extend/counts.h"

#include "format/htk/htk_files.h"
#include "format/htk/htk_index.h"
#include "format/htk/htk_list.h"
#include "format/htk/htk_options.h"

namespace sheaf::htk {

/// The context of a range.
struct RangeSource {
  const ByteSource& list;
  const ListRules& rules;
  const ReadOptions& options;
  const HtkIndex& index;
  ParameterFiles& files;
  std::span<const Stream> streams;
};

/// Reads one range of a chunk. Can be used once.
class RangeReader {
 public:
  RangeReader(const RangeSource& source, const ChunkRange& range, Diagnostics& diagnostics);

  /// Throws: IoError.
  [[nodiscard]] Chunk read();

 private:
  /// One utterance of the range.
  struct Utterance {
    std::shared_ptr<const ParameterFile> file;
    std::int64_t line_offset = 0;
    std::int64_t line_number = 0;
    std::int64_t frame_count = 0;
    std::int64_t offset = 0;      // of the first frame in the file
    std::int64_t size_bytes = 0;  // of the frames in the file
    std::int64_t value = 0;       // number of the first value in the range
    bool has_checksum = false;    // the frames are the whole file, and a checksum follows them
    std::vector<Diagnostic> faults;
    std::int64_t fault_count = 0;

    [[nodiscard]] bool is_hole() const noexcept { return fault_count > 0; }
    [[nodiscard]] std::int64_t read_bytes() const noexcept {
      return size_bytes + (has_checksum ? 2 : 0);
    }
  };

  /// A line of the list.
  struct Line {
    std::string_view text;
    std::string scratch;  // texts that the rules change
    ListLine parsed;
  };

  void find_utterances();
  [[nodiscard]] bool is_like_first(const ListLine& line, Utterance& utterance);
  void find_frames(const ListLine& line, std::string_view text, Utterance& utterance,
                   std::int64_t indexed_count);
  void read_frames();
  [[nodiscard]] std::byte* bytes_of(const Utterance& utterance);
  void decode(Utterance& utterance, const std::byte* bytes);
  void finish_holes();
  [[nodiscard]] Column column();
  template <typename Take>
  void take_labels(const Take& take);
  [[nodiscard]] bool take_label(Utterance& utterance, std::int64_t frame, double value,
                                std::int64_t min, std::int64_t end);

  [[nodiscard]] Diagnostic in_file(const Utterance& utterance, const ErrorKind& kind,
                                   std::int64_t offset, std::string found) const;
  void add_in_list(Utterance& utterance, const ErrorKind& kind, std::string_view text,
                   std::size_t begin, std::size_t size, std::string found);
  void add(Utterance& utterance, Diagnostic diagnostic);

  const RangeSource& source_;
  const ChunkRange range_;
  Diagnostics& diagnostics_;
  const std::shared_ptr<const internal::ChunkLines> lines_;
  const std::int64_t first_line_;  // first line of the chunk
  const std::int64_t dim_;
  std::vector<Utterance> utterances_;
  std::vector<std::string> keys_;
  Buffer values_;  // of all utterances, as f32
};

}  // namespace sheaf::htk
