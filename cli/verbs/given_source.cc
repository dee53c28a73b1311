#include "verbs/given_source.h"

#include <string>
#include <utility>
#include <vector>

namespace sheaf::cli {
namespace {

class GivenSource final : public FileSystem {
 public:
  explicit GivenSource(std::shared_ptr<const ByteSource> source) : source_(std::move(source)) {}

  [[nodiscard]] std::shared_ptr<const ByteSource> open(const std::string& path) override {
    return is_given(path) ? source_ : system_files().open(path);
  }
  [[nodiscard]] bool exists(const std::string& path) override {
    return is_given(path) || system_files().exists(path);
  }
  [[nodiscard]] std::vector<std::string> list(const std::string& pattern) override {
    return system_files().list(pattern);
  }
  [[nodiscard]] std::unique_ptr<ByteSink> create(const std::string& path,
                                                 const FileOptions& options) override {
    return system_files().create(path, options);
  }
  bool check_creatable(const std::string& path) override {
    return system_files().check_creatable(path);
  }
  [[nodiscard]] bool is_same_file(const std::string& a, const std::string& b) override {
    return system_files().is_same_file(a, b);
  }
  void remove(const std::string& path) override { system_files().remove(path); }

 private:
  [[nodiscard]] bool is_given(const std::string& path) const { return path == source_->name(); }

  std::shared_ptr<const ByteSource> source_;
};

}  // namespace

std::unique_ptr<FileSystem> given_source(std::shared_ptr<const ByteSource> source) {
  return std::make_unique<GivenSource>(std::move(source));
}

}  // namespace sheaf::cli
