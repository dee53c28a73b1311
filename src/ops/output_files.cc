#include "ops/output_files.h"

#include <cstddef>
#include <iterator>
#include <span>
#include <utility>

#include "base/text.h"

namespace sheaf::internal {
namespace {

// Where the extension begins, with its point; the end of the path where there is none.
std::size_t extension_begin(std::string_view path) {
  const std::size_t name = path.find_last_of('/') + 1;
  const std::size_t point = path.find_last_of('.');
  return point == std::string_view::npos || point <= name ? path.size() : point;
}

std::string with_suffix(std::string_view path, std::string_view suffix) {
  const std::size_t at = extension_begin(path);
  return formatted("{}{}{}", path.substr(0, at), suffix, path.substr(at));
}

}  // namespace

struct OutputFiles::File {
  std::unique_ptr<ByteSink> sink;
  std::int64_t bytes = 0;
};

/// Stands for a file that waits for its name.
class OutputFiles::HeldSink final : public ByteSink {
 public:
  explicit HeldSink(std::shared_ptr<File> file) : file_(std::move(file)) {}

  [[nodiscard]] std::string_view name() const noexcept override { return file_->sink->name(); }
  void write(std::span<const std::byte> bytes) override {
    file_->sink->write(bytes);
    file_->bytes += std::ssize(bytes);
  }
  void sync() override { file_->sink->sync(); }
  void finish() override { sync(); }

 private:
  std::shared_ptr<File> file_;
};

OutputFiles::OutputFiles(FileSystem& files) : system_(files) {}
OutputFiles::~OutputFiles() = default;

std::unique_ptr<ByteSink> OutputFiles::create(const std::string& path, Existing existing) {
  auto file = std::make_shared<File>();
  file->sink = system_.create(path, {.existing = existing});
  files_.push_back(file);
  return std::make_unique<HeldSink>(std::move(file));
}

std::int64_t OutputFiles::bytes(std::size_t number) const noexcept { return files_[number]->bytes; }

void OutputFiles::publish() {
  for (const std::shared_ptr<File>& file : files_) file->sink->finish();
}

std::string shard_path(std::string_view path, std::int64_t number, std::int64_t count) {
  return with_suffix(path, formatted("-{:05}-of-{:05}", number, count));
}

std::string part_path(std::string_view path, std::string_view part) {
  return with_suffix(path, formatted(".{}", part));
}

}  // namespace sheaf::internal
