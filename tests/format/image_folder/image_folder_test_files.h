// Makes folders of images in memory, for tests.

#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/extend/format.h"

#include "format/image_folder/image_folder_deserializer.h"
#include "format/image_folder/image_folder_scan.h"
#include "support/write_file.h"

namespace sheaf::image_folder {

/// Files in memory, with a way to read them.
class FoldersInMemory {
 public:
  FoldersInMemory(std::initializer_list<std::pair<const std::string, std::string>> files) {
    for (const auto& [path, bytes] : files) testing::write_file(*files_, path, bytes);
  }

  [[nodiscard]] FileSystem& files() { return *files_; }

  [[nodiscard]] FolderScan scan(const std::vector<std::string>& roots,
                                std::vector<std::string> class_names = {},
                                bool joins_frames = false) {
    return scan_folders(
        roots, {.class_names = std::move(class_names), .joins_frames = joins_frames}, *files_);
  }

  [[nodiscard]] std::unique_ptr<ImageFolderDeserializer> open(
      const FormatOptions& options = {}, std::vector<std::string> roots = {"d"},
      Executor* executor = nullptr) {
    OpenRequest request;
    request.options = options;
    request.context = {.files = files_.get(), .executor = executor};
    request.paths = std::move(roots);
    return std::make_unique<ImageFolderDeserializer>(request);
  }

 private:
  std::unique_ptr<FileSystem> files_ = memory_files();
};

/// Returns "cats/1.jpg=0 BYTES" for each sequence, or "... hole", and then the diagnostics of each
/// chunk. Streams come in the order image, label. If a sequence has several images, their sizes
/// follow.
inline std::string told(const Deserializer& data) {
  std::string text;
  for (ChunkIndex number{}; data.index().chunk(number); number = next(number)) {
    Diagnostics diagnostics;
    const std::int64_t count = data.index().chunk(number)->sequence_count;
    const Chunk chunk = data.read({.chunk = number, .first = 0, .count = count}, diagnostics);
    for (std::int64_t i = 0; i < count; ++i) {
      text += std::string(chunk.key_text(i));
      if (chunk.is_hole(i)) text += " hole";
      if (data.streams().size() > 1 && !chunk.is_hole(i)) {
        std::int32_t label = 0;
        std::memcpy(&label, chunk.view(1, i).values, sizeof label);
        text += '=' + std::to_string(label);
      }
      const SequenceView image = chunk.view(0, i);
      if (image.value_count > 0) {
        text += ' ';
        text.append(reinterpret_cast<const char*>(image.values),
                    static_cast<std::size_t>(image.value_count));
        for (std::int64_t k = 0; image.sample_count > 1 && k < image.sample_count; ++k) {
          text += (k == 0 ? " of " : "+") + std::to_string(image.extents[k]);
        }
      }
      text += '\n';
    }
    for (const Diagnostic& each : diagnostics.described()) text += to_string(each) + '\n';
  }
  return text;
}

}  // namespace sheaf::image_folder
