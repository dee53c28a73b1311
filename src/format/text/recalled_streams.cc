#include "format/text/recalled_streams.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "sheaf/error.h"

#include "base/text.h"
#include "index/index_file.h"
#include "index/index_file_keeper.h"

namespace sheaf::internal {
namespace {

// Returns the streams that the index file has for the data. Returns nothing, and the reason in
// `why`, if there is no such file, if it belongs to other data, or if its streams were found with
// other options.
std::optional<FoundStreams> found_in_index_file(const ByteSource& source, const Fingerprint& data,
                                                const IndexOptions& options, FileSystem& files,
                                                std::string_view how, std::string& why) {
  const std::string path = path_of_index_file(source, options);
  if (path.empty()) {
    why = formatted("{} is no file", source.name());
    return std::nullopt;
  }
  const std::unique_ptr<IndexFile> file = IndexFile::open(files, path, why);
  if (!file) return std::nullopt;
  IndexIdentity wanted = file->identity();
  wanted.data = data;
  why = file->identity().difference(wanted);
  if (!why.empty()) {
    why = formatted("{}: {}", path, why);
    return std::nullopt;
  }
  std::optional<FileNotes> notes = file_notes_from_json(file->notes(), source.name());
  if (!notes || !notes->found || notes->found->how != how) {
    why = formatted("{}: does not say which streams the data have; declare them", path);
    return std::nullopt;
  }
  return std::move(notes->found);
}

}  // namespace

FoundStreams recall_or_find_streams(const ByteSource& source, const Fingerprint& data,
                                    const IndexOptions& options, FileSystem& files,
                                    std::string_view how,
                                    const std::function<FoundStreams()>& find) {
  if (options.mode == IndexMode::automatic || options.mode == IndexMode::require) {
    std::string why;
    std::optional<FoundStreams> found = found_in_index_file(source, data, options, files, how, why);
    if (found) return *std::move(found);
    if (options.mode == IndexMode::require) {
      throw ConfigError(formatted("index: required, but {}", why));
    }
  }
  return find();
}

}  // namespace sheaf::internal
