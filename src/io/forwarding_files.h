// A file system that forwards to another one.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sheaf/extend/byte_sink.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/file_sink.h"
#include "sheaf/extend/file_system.h"

namespace sheaf::internal {

/// Forwards all calls. Derive from this class to change some of them.
class ForwardingFiles : public FileSystem {
 public:
  using FileSystem::create;

  /// Lifetime: `files` must outlive the object.
  explicit ForwardingFiles(FileSystem& files) : files_(files) {}

  [[nodiscard]] std::shared_ptr<const ByteSource> open(const std::string& path) override {
    return files_.open(path);
  }
  [[nodiscard]] bool exists(const std::string& path) override { return files_.exists(path); }
  [[nodiscard]] std::vector<std::string> list(const std::string& pattern) override {
    return files_.list(pattern);
  }
  [[nodiscard]] bool is_folder(const std::string& path) override { return files_.is_folder(path); }
  void visit_tree(const std::string& folder,
                  const std::function<void(const TreeEntry& entry)>& visit) override {
    files_.visit_tree(folder, visit);
  }
  [[nodiscard]] std::unique_ptr<ByteSink> create(const std::string& path,
                                                 const FileOptions& options) override {
    return files_.create(path, options);
  }
  bool check_creatable(const std::string& path) override { return files_.check_creatable(path); }
  [[nodiscard]] bool is_same_file(const std::string& a, const std::string& b) override {
    return files_.is_same_file(a, b);
  }
  [[nodiscard]] std::string canonical(const std::string& path) override {
    return files_.canonical(path);
  }
  void create_folder(const std::string& path) override { files_.create_folder(path); }
  [[nodiscard]] std::int64_t modified_ns(const std::string& path) override {
    return files_.modified_ns(path);
  }
  void remove(const std::string& path) override { files_.remove(path); }

 protected:
  [[nodiscard]] FileSystem& files() noexcept { return files_; }

 private:
  FileSystem& files_;
};

}  // namespace sheaf::internal
