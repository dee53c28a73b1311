#include "options/file_text.h"

#include <cstddef>
#include <memory>
#include <span>

#include "sheaf/extend/byte_source.h"

namespace sheaf::cli {

std::optional<std::string> file_text(const std::string& path, std::int64_t bytes_max) {
  const std::shared_ptr<const ByteSource> source = open_file(path);
  if (source->size() > bytes_max) return std::nullopt;
  std::string text(static_cast<std::size_t>(source->size()), '\0');
  source->read_at(0, std::as_writable_bytes(std::span(text)));
  return text;
}

}  // namespace sheaf::cli
