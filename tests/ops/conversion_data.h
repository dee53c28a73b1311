// Converts data in memory.

#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "sheaf/convert.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/open.h"

namespace sheaf::testing {

/// Files in memory. "in.ctf" has the sequences 0, 1, ... of 1 + number % 4 samples each.
class ConversionData {
 public:
  static constexpr std::int64_t kSequenceCount = 400;

  ConversionData() {
    std::string text;
    for (std::int64_t i = 0; i < kSequenceCount; ++i) {
      const std::string number = std::to_string(i);
      for (std::int64_t sample = 0; sample <= i % 4; ++sample) {
        text += number + " |x " + number + " 0.5\n";
      }
    }
    write("in.ctf", text);
  }

  void write(const std::string& path, const std::string& text) {
    const std::unique_ptr<ByteSink> sink = files_->create(path);
    sink->write(std::as_bytes(std::span(text)));
    sink->finish();
  }

  [[nodiscard]] std::string read(const std::string& path) {
    const std::shared_ptr<const ByteSource> source = files_->open(path);
    std::string text(static_cast<std::size_t>(source->size()), ' ');
    source->read_at(0, std::as_writable_bytes(std::span(text)));
    return text;
  }

  [[nodiscard]] bool exists(const std::string& path) { return files_->exists(path); }

  [[nodiscard]] std::shared_ptr<const Deserializer> open(const std::string& path,
                                                         FormatOptions format = {}) {
    return open_path(path, format, {.files = files_.get()}).data;
  }

  ConvertReport convert(const std::string& path, ConvertOptions options = {}) {
    options.writer.files = files_.get();
    return sheaf::convert(open("in.ctf"), path, options);
  }

  [[nodiscard]] FileSystem& files() noexcept { return *files_; }

 private:
  std::unique_ptr<FileSystem> files_ = memory_files();
};

}  // namespace sheaf::testing
