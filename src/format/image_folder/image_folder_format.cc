#include <memory>
#include <string_view>

#include "sheaf/extend/format.h"

#include "format/image_folder/image_folder_deserializer.h"
#include "format/image_folder/image_folder_options.h"

namespace sheaf {

Format image_folder_format();

Format image_folder_format() {
  return {.name = "image_folder",
          .description = "images in folders, a folder for each class",
          .extensions = {},
          .recognize = [](std::string_view) { return Recognition::no; },
          .open = [](const OpenRequest& request) -> std::unique_ptr<Deserializer> {
            return std::make_unique<image_folder::ImageFolderDeserializer>(request);
          },
          .opens_folders = true,
          .read_options = image_folder::kReadOptions};
}

}  // namespace sheaf
