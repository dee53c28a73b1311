#include <array>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/extend/archive.h"
#include "sheaf/extend/arrow_data.h"
#include "sheaf/extend/format.h"

#include "format/arrow/arrow_serializer.h"
#include "format/arrow/ipc_batches.h"
#include "format/arrow/ipc_messages.h"

namespace sheaf {
namespace {

std::unique_ptr<Deserializer> open_arrow(const OpenRequest& request) {
  std::vector<std::shared_ptr<const ArrowBatches>> members;
  if (request.source) {
    members.push_back(arrow::open_ipc(request.source));
  }
  for (const std::string& path : request.paths) {
    members.push_back(arrow::open_ipc(open_file_or_entry(path, request.context.file_system())));
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
          .read_options = arrow_read_options(),
          .write_options = arrow::kWriteOptions};
}

}  // namespace sheaf
