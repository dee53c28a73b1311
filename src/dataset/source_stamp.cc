#include "dataset/source_stamp.h"

#include <unordered_set>

#include "sheaf/extend/archive.h"
#include "sheaf/extend/concatenate.h"
#include "sheaf/types.h"

#include "base/text.h"

namespace sheaf::internal {
namespace {

/// Collects the modification times of files.
class Stamp {
 public:
  explicit Stamp(FileSystem& files) : files_(files) {}

  void add(const std::string& path) {
    if (!known_.insert(path).second) return;
    std::int64_t modified_ns = files_.modified_ns(path);
    if (modified_ns == 0) {
      if (const std::optional<ArchivePath> entry = split_archive_path(path)) {
        add(entry->archive);
        return;
      }
      is_known_ = is_known_ && !files_.exists(path);
    }
    times_ += formatted("{} ", modified_ns);
  }

  [[nodiscard]] std::optional<std::string> text() const {
    if (!is_known_) return std::nullopt;
    return to_string(key_of_text(times_));
  }

 private:
  FileSystem& files_;
  std::unordered_set<std::string> known_;  // data may name a file several times
  std::string times_;
  bool is_known_ = true;
};

}  // namespace

std::optional<std::string> source_stamp(const DataSpec& spec, const Deserializer& data,
                                        FileSystem& files) {
  Stamp stamp(files);
  for (const FilesSpec* const each : files_of(spec)) {
    for (const std::string& path : find_files(each->files, files)) stamp.add(path);
  }
  data.visit_named_files([&](const std::string& path) { stamp.add(path); });
  return stamp.text();
}

}  // namespace sheaf::internal
