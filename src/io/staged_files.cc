#include "io/staged_files.h"

#include <atomic>
#include <exception>
#include <filesystem>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/error.h"

#include "base/text.h"

namespace sheaf::internal {

/// The finished files that wait for their names, in the order in which they were finished.
class StagedFiles::Finished {
 public:
  struct File {
    std::unique_ptr<ByteSink> sink;
    std::string path;  // empty if the file was begun elsewhere
  };

  void add(File file) {
    const std::scoped_lock lock(mutex_);
    files_.push_back(std::move(file));
  }
  [[nodiscard]] std::vector<File> take() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(files_, {});
  }

  std::atomic<std::int64_t> bytes = 0;  // written to all files

 private:
  std::mutex mutex_;
  std::vector<File> files_;
};

/// The sink of a file that waits for its name when finished.
class StagedFiles::HeldSink final : public ByteSink {
 public:
  HeldSink(std::shared_ptr<Finished> finished, std::unique_ptr<ByteSink> sink, std::string path)
      : finished_(std::move(finished)),
        name_(sink->name()),
        path_(std::move(path)),
        sink_(std::move(sink)) {}

  [[nodiscard]] std::string_view name() const noexcept override { return name_; }
  void write(std::span<const std::byte> bytes) override {
    sink_->write(bytes);
    finished_->bytes += std::ssize(bytes);
  }
  void overwrite(std::int64_t offset_bytes, std::span<const std::byte> bytes) override {
    sink_->overwrite(offset_bytes, bytes);
  }
  void sync() override {
    if (!std::exchange(is_synced_, true)) sink_->sync();
  }
  void finish() override {
    sync();
    finished_->add({std::move(sink_), path_});
  }

 private:
  const std::shared_ptr<Finished> finished_;
  const std::string name_;
  const std::string path_;
  std::unique_ptr<ByteSink> sink_;  // null once finished
  bool is_synced_ = false;
};

StagedFiles::StagedFiles(FileSystem& files)
    : ForwardingFiles(files), finished_(std::make_shared<Finished>()) {}

StagedFiles::~StagedFiles() {
  // Sinks may outlive the StagedFiles, since they share the list.
  static_cast<void>(finished_->take());
}

std::unique_ptr<ByteSink> StagedFiles::create(const std::string& path, const FileOptions& options) {
  {
    const std::scoped_lock lock(mutex_);
    if (!paths_.insert(std::filesystem::path(path).lexically_normal().string()).second) {
      throw ConfigError(formatted("{}: two files of the output have this name", path));
    }
  }
  return std::make_unique<HeldSink>(finished_, files().create(path, options), path);
}

std::unique_ptr<ByteSink> StagedFiles::add(std::unique_ptr<ByteSink> sink) {
  return std::make_unique<HeldSink>(finished_, std::move(sink), std::string());
}

std::int64_t StagedFiles::bytes() const noexcept { return finished_->bytes; }

void StagedFiles::publish() {
  std::vector<std::string> added;  // files of new names, so far
  try {
    const std::vector<Finished::File> finished = finished_->take();
    for (const Finished::File& file : finished) {
      // A single file leaves nothing to remove, so it needs no check.
      const bool is_new =
          finished.size() > 1 && !file.path.empty() && !files().check_creatable(file.path);
      file.sink->finish();
      if (is_new) added.push_back(file.path);
    }
  } catch (...) {
    for (const std::string& path : added) {
      try {
        files().remove(path);
      } catch (const std::exception&) {  // the first error says more
      }
    }
    throw;
  }
}

}  // namespace sheaf::internal
