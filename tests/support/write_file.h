// Writes and reads whole files of any file system.

#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "sheaf/extend/file_system.h"

namespace sheaf::testing {

inline void write_file(FileSystem& files, const std::string& path, std::string_view text) {
  const std::unique_ptr<ByteSink> sink = files.create(path);
  sink->write(std::as_bytes(std::span(text)));
  sink->finish();
}

inline std::string text_of(const ByteSource& source) {
  std::string text(static_cast<std::size_t>(source.size()), '?');
  source.read_at(0, std::as_writable_bytes(std::span(text)));
  return text;
}

}  // namespace sheaf::testing
