#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/extend/archive.h"
#include "sheaf/extend/arrow_data.h"
#include "sheaf/extend/format.h"

#include "format/arrow/arrow_serializer.h"
#include "format/arrow/ipc_batches.h"
#include "format/arrow/ipc_messages.h"
#include "format/arrow/saved_dataset.h"

namespace sheaf {
namespace {

std::unique_ptr<Deserializer> open_arrow(const OpenRequest& request) {
  std::vector<std::shared_ptr<const ArrowBatches>> members;
  if (request.source) {
    members.push_back(arrow::open_ipc(request.source));
  }
  FileSystem& files = request.context.file_system();
  for (const std::string& path : request.paths) {
    const std::vector<std::string> named = files.is_folder(path)
                                               ? arrow::files_of_dataset(path, files)
                                               : std::vector<std::string>{path};
    for (const std::string& each : named) {
      members.push_back(arrow::open_ipc(open_file_or_entry(each, files)));
    }
  }
  return open_arrow_data(chain_batches(std::move(members)), request.options, request.context);
}

}  // namespace

Format arrow_format();

Format arrow_format() {
  static constexpr std::array<std::string_view, 3> kExtensions = {"arrow", "feather", "ipc"};
  return {.name = "arrow",
          .description = "Arrow IPC files and streams: Feather, caches of Hugging Face datasets",
          .extensions = kExtensions,
          .recognize = arrow::looks_like_ipc,
          .open = open_arrow,
          .create = [](CreateRequest request) -> std::unique_ptr<Serializer> {
            return std::make_unique<arrow::ArrowSerializer>(std::move(request));
          },
          .opens_paths = true,
          .folder_marks = arrow::kFolderMarks,
          .read_options = arrow_read_options(),
          .write_options = arrow::kWriteOptions};
}

}  // namespace sheaf
