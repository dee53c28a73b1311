#include "sheaf/byte_sink.h"

#include <utility>

#include "sheaf/file_sink.h"

#include "io/output_file.h"

namespace sheaf {
namespace {

class FileSink final : public ByteSink {
 public:
  FileSink(const std::string& path, const FileOptions& options)
      : name_(path), file_(path, options) {}

  [[nodiscard]] std::string_view name() const noexcept override { return name_; }
  void write(std::span<const std::byte> bytes) override { file_.write(bytes); }
  void sync() override { file_.sync(); }
  void finish() override { file_.finish(); }

 private:
  std::string name_;
  internal::OutputFile file_;
};

class MemorySink final : public ByteSink {
 public:
  MemorySink(std::string& bytes, std::string name) : name_(std::move(name)), bytes_(bytes) {}

  [[nodiscard]] std::string_view name() const noexcept override { return name_; }
  void write(std::span<const std::byte> bytes) override {
    bytes_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  void finish() override {}

 private:
  std::string name_;
  std::string& bytes_;
};

}  // namespace

std::unique_ptr<ByteSink> create_file(const std::string& path) { return create_file(path, {}); }

std::unique_ptr<ByteSink> create_file(const std::string& path, const FileOptions& options) {
  return std::make_unique<FileSink>(path, options);
}

std::unique_ptr<ByteSink> memory_sink(std::string& bytes, std::string name) {
  return std::make_unique<MemorySink>(bytes, std::move(name));
}

}  // namespace sheaf
