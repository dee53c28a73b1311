#include "format/wav/wav_files.h"

#include <utility>

#include "sheaf/extend/archive.h"
#include "sheaf/extend/interruption.h"

#include "index/kept_points.h"

namespace sheaf::wav {

WavFiles::WavFiles(std::shared_ptr<const ByteSource> source)
    : source_(std::move(source)), paths_{std::string(source_->name())} {}

WavFiles::WavFiles(std::vector<std::string> paths, const Context& context, IndexOptions index)
    : paths_(std::move(paths)), files_(&context.file_system()), index_(std::move(index)) {}

std::shared_ptr<const ByteSource> WavFiles::open_path(const std::string& path) const {
  check_interruption();
  return internal::decompressed_by_index(open_file_or_entry(path, *files_), index_,
                                         {.files = files_});
}

std::shared_ptr<const ByteSource> WavFiles::open(std::int64_t file) const {
  return source_ != nullptr ? source_ : open_path(path(file));
}

WavFiles::Sources WavFiles::open_all(std::span<const std::int64_t> files) const {
  if (source_ != nullptr) return Sources(files.size(), source_);
  std::vector<std::string_view> paths;
  paths.reserve(files.size());
  for (const std::int64_t file : files) paths.emplace_back(path(file));
  const auto load = [this](std::span<const std::string_view> missing) {
    Sources opened;
    for (const std::string_view path : missing) opened.push_back(open_path(std::string(path)));
    return opened;
  };
  return kept_.find_all(paths, load, [](const ByteSource&) { return true; });
}

std::int64_t WavFiles::memory_bytes() const noexcept {
  auto bytes = static_cast<std::int64_t>(sizeof *this + paths_.capacity() * sizeof(std::string));
  for (const std::string& path : paths_) bytes += static_cast<std::int64_t>(path.capacity());
  return bytes;
}

}  // namespace sheaf::wav
