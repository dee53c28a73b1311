#include "format/htk/htk_files.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "sheaf/extend/interruption.h"

namespace sheaf::htk {

ParameterFiles::ParameterFiles(FileSystem& files, std::string list_folder,
                               std::int64_t read_size_bytes, std::size_t open_max)
    : files_(files),
      list_folder_(std::move(list_folder)),
      read_size_bytes_(read_size_bytes),
      open_max_(open_max) {}

std::shared_ptr<const ParameterFile> ParameterFiles::read(const std::string& path) const {
  ParameterFile file;
  file.source = internal::open_named_file(path, list_folder_, files_);
  if (file.source == nullptr) return nullptr;
  const std::int64_t size = file.source->size();
  std::array<std::byte, kHeadSize> bytes{};
  const auto head = std::span(bytes).first(static_cast<std::size_t>(std::min(size, kHeadSize)));
  read_bytes(*file.source, 0, head, read_size_bytes_);
  file.contents = parse_header(head, size);
  const Header* const header = file.header();
  if (header != nullptr && header->is_compressed) {
    file.scale_bytes.resize(static_cast<std::size_t>(header->data_offset - kHeaderSize));
    read_bytes(*file.source, kHeaderSize, file.scale_bytes, read_size_bytes_);
    file.scales.resize(file.scale_bytes.size() / sizeof(float));
    const std::span<std::byte> scales = std::as_writable_bytes(std::span(file.scales));
    if (header->is_big_endian) {
      swap_words(file.scale_bytes.data(), scales.data(), std::ssize(file.scales));
    } else {
      std::memcpy(scales.data(), file.scale_bytes.data(), scales.size());
    }
  }
  return std::make_shared<const ParameterFile>(std::move(file));
}

std::shared_ptr<const ParameterFile> ParameterFiles::open(std::string_view path) {
  {
    const std::scoped_lock lock(mutex_);
    const auto known = by_path_.find(path);
    if (known != by_path_.end()) {
      kept_.splice(kept_.begin(), kept_, known->second);
      return known->second->second;
    }
  }
  const std::string text(path);
  std::shared_ptr<const ParameterFile> file = read(text);
  if (file == nullptr || file->header() == nullptr) return file;  // it may be mended meanwhile
  const std::scoped_lock lock(mutex_);
  if (by_path_.contains(path)) return file;
  kept_.emplace_front(text, file);
  by_path_.emplace(kept_.front().first, kept_.begin());
  if (kept_.size() > open_max_) {
    by_path_.erase(kept_.back().first);
    kept_.pop_back();
  }
  return file;
}

std::size_t ParameterFiles::open_count() const {
  const std::scoped_lock lock(mutex_);
  return kept_.size();
}

void read_bytes(const ByteSource& source, std::int64_t offset, std::span<std::byte> into,
                std::int64_t read_size_bytes) {
  while (!into.empty()) {
    check_interruption();
    const auto piece = into.first(std::min(into.size(), static_cast<std::size_t>(read_size_bytes)));
    source.read_at(offset, piece);
    offset += std::ssize(piece);
    into = into.subspan(piece.size());
  }
}

}  // namespace sheaf::htk
