/// \file
/// A base class for file systems that add files to those of the system.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sheaf/extend/file_system.h"

namespace sheaf::cli {

/// Forwards every call to system_files(). Derive from this class to add files.
class SystemFiles : public FileSystem {
 public:
  using FileSystem::create;

  [[nodiscard]] std::shared_ptr<const ByteSource> open(const std::string& path) override {
    return system_files().open(path);
  }
  [[nodiscard]] bool exists(const std::string& path) override {
    return system_files().exists(path);
  }
  [[nodiscard]] std::vector<std::string> list(const std::string& pattern) override {
    return system_files().list(pattern);
  }
  [[nodiscard]] bool is_folder(const std::string& path) override {
    return system_files().is_folder(path);
  }
  void visit_tree(const std::string& folder,
                  const std::function<void(const TreeEntry& entry)>& visit) override {
    system_files().visit_tree(folder, visit);
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
  [[nodiscard]] std::string canonical(const std::string& path) override {
    return system_files().canonical(path);
  }
  void create_folder(const std::string& path) override { system_files().create_folder(path); }
  [[nodiscard]] std::int64_t modified_ns(const std::string& path) override {
    return system_files().modified_ns(path);
  }
  void remove(const std::string& path) override { system_files().remove(path); }
};

}  // namespace sheaf::cli
