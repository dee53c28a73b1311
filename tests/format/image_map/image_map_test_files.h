// Makes maps and images in memory, for tests.

#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "sheaf/extend/executor.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/extend/format.h"

#include "format/image_map/image_map_deserializer.h"
#include "support/write_file.h"

namespace sheaf::image_map {

/// A map named "m/t.map" among other files.
class MapInMemory {
 public:
  explicit MapInMemory(const std::string& lines,
                       const std::map<std::string, std::string>& images = {}) {
    add("m/t.map", lines);
    for (const auto& [path, bytes] : images) add(path, bytes);
  }

  void add(const std::string& path, const std::string& bytes) {
    testing::write_file(*files_, path, bytes);
  }

  [[nodiscard]] FileSystem& files() { return *files_; }

  [[nodiscard]] std::unique_ptr<ImageMapDeserializer> open(const FormatOptions& options = {},
                                                           Executor* executor = nullptr) {
    return std::make_unique<ImageMapDeserializer>(
        OpenRequest{.source = files_->open("m/t.map"),
                    .options = options,
                    .context = {.files = files_.get(), .executor = executor}});
  }

 private:
  std::unique_ptr<FileSystem> files_ = memory_files();
};

}  // namespace sheaf::image_map
