#include "verbs/given_source.h"

#include <string>
#include <utility>

#include "options/system_files.h"

namespace sheaf::cli {
namespace {

class GivenSource final : public SystemFiles {
 public:
  explicit GivenSource(std::shared_ptr<const ByteSource> source) : source_(std::move(source)) {}

  [[nodiscard]] std::shared_ptr<const ByteSource> open(const std::string& path) override {
    return is_given(path) ? source_ : SystemFiles::open(path);
  }
  [[nodiscard]] bool exists(const std::string& path) override {
    return is_given(path) || SystemFiles::exists(path);
  }
  [[nodiscard]] bool is_folder(const std::string& path) override {
    return !is_given(path) && SystemFiles::is_folder(path);
  }

 private:
  [[nodiscard]] bool is_given(const std::string& path) const { return path == source_->name(); }

  std::shared_ptr<const ByteSource> source_;
};

}  // namespace

std::unique_ptr<FileSystem> given_source(std::shared_ptr<const ByteSource> source) {
  return std::make_unique<GivenSource>(std::move(source));
}

}  // namespace sheaf::cli
