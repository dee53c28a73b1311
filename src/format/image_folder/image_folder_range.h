// Reads a range of the sequences of a chunk.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/buffer.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/extend/counts.h"
#include "sheaf/extend/file_system.h"

#include "format/image_folder/image_folder_errors.h"
#include "format/image_folder/image_folder_index.h"
#include "format/image_folder/image_folder_options.h"
#include "format/image_folder/image_folder_scan.h"
#include "format/images/image_columns.h"
#include "format/images/image_streams.h"

namespace sheaf::image_folder {

/// The context of a range.
struct RangeSource {
  const FolderScan& scan;
  const ImageFolderIndex& index;
  const internal::ImageStreams& streams;
  const ReadOptions& options;
  FileSystem& files;

  /// Returns the key of a sequence in the form that the user sees.
  [[nodiscard]] std::string shown_key(std::int64_t sequence) const;
};

/// Reads one range of a chunk. Can be used once.
class RangeReader {
 public:
  RangeReader(const RangeSource& source, const ChunkRange& range, Diagnostics& diagnostics);

  /// Throws: IoError, also if a file is gone or has another size than before.
  [[nodiscard]] Chunk read();

 private:
  /// An image, and the offset of its bytes. kNoOffset means that the image is not delivered.
  struct ImageRead {
    static constexpr std::int64_t kNoOffset = -1;

    std::int64_t image = 0;
    std::int64_t location = kNoOffset;
  };

  void find_sequences();
  void find_images(std::int64_t number, internal::ImageSequence& sequence);
  [[nodiscard]] bool has_wrong_names(std::int64_t number);
  void add_fault(std::int64_t sequence, std::int64_t image, const ErrorKind& kind,
                 std::string found);
  [[nodiscard]] Buffer read_images() const;

  const RangeSource& source_;
  const ChunkRange range_;
  Diagnostics& diagnostics_;
  std::int64_t first_ = 0;  // first sequence
  std::int64_t count_ = 0;
  std::vector<internal::ImageSequence> sequences_;
  std::vector<ImageRead> reads_;
  std::vector<std::int64_t> frame_sizes_;  // of the delivered images
  std::int64_t images_bytes_ = 0;          // total of all images
};

}  // namespace sheaf::image_folder
