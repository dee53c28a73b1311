// Reads CNTK's binary master label files.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/chunk.h"

#include "format/mlf/mlf_parser.h"
#include "format/mlf/mlf_scanner.h"
#include "format/text/scanned_chunk.h"
#include "format/text/scanned_index.h"

namespace sheaf::mlf {

/// The number of bytes before the first utterance.
inline constexpr std::int64_t kBinaryHeadSize = 5;

/// Returns whether a file begins like a binary file, of any version.
[[nodiscard]] bool is_binary(std::string_view head) noexcept;

/// Returns the version of a binary file, 1 or 2, or 0 for any other version.
///
/// Pre: is_binary(head).
[[nodiscard]] int binary_version(std::string_view head) noexcept;

/// One utterance.
///
/// Lifetime: its texts are valid until the next utterance is read.
struct BinaryUtterance {
  std::int64_t offset = 0;  // in the source
  std::string_view bytes;   // the whole utterance; fewer bytes if it is cut off
  std::string key_text;     // up to the end of the file
  bool has_key = false;     // false: the key is cut off, empty, or too long
  bool is_cut = false;      // the file ends inside the utterance
  std::int64_t frame_count = 0;
  std::int64_t run_count = 0;
  const char* runs = nullptr;

  /// Pre: 0 <= i < run_count.
  [[nodiscard]] Run run(std::int64_t i) const noexcept;
};

/// Reads utterances one by one, for indexing and for reading.
class BinaryReader {
 public:
  /// Reads [begin, end) of a source.
  ///
  /// Pre:      an utterance begins at `begin`.
  /// Lifetime: `source` must outlive the reader.
  BinaryReader(const ByteSource& source, int version, std::int64_t begin, std::int64_t end,
               std::int64_t read_size);

  /// Reads the next utterance. Returns false at the end.
  ///
  /// Throws: IoError.
  bool next(BinaryUtterance& utterance);

 private:
  [[nodiscard]] std::string_view peek(std::int64_t size);
  bool cut(BinaryUtterance& utterance);

  const ByteSource& source_;
  int version_;
  std::int64_t end_;
  std::int64_t read_size_;
  std::int64_t at_;  // start of the next utterance
  std::vector<char> buffer_;
  std::int64_t buffer_begin_ = 0;  // in the source
};

/// As make_scanner(). Lines are the numbers of utterances.
[[nodiscard]] std::unique_ptr<internal::Scanner> make_binary_scanner(
    const ByteSource& source, int version, const internal::TextSchema& schema,
    const Options& options, FirstLocations& locations, std::int64_t file,
    const internal::ScanPart& part);

/// Reads one range of a chunk of a binary file.
///
/// Pre:    as Deserializer::read().
/// Throws: IoError if a read fails, or if the file has changed since it was indexed.
[[nodiscard]] Chunk read_binary(const ByteSource& source, int version, const Reading& reading,
                                const internal::ScannedIndex& index, const ChunkRange& range,
                                Diagnostics& diagnostics);

}  // namespace sheaf::mlf
