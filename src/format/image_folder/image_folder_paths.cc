// The names lie in one text, one after the other. A folder is stored once, even if the order of
// paths returns to it: "a/1.jpg", "a/b/1.jpg", "a/c.jpg".

#include "format/image_folder/image_folder_paths.h"

#include <cstddef>
#include <utility>

namespace sheaf::image_folder {
namespace {

std::string_view part_of(const std::string& text, const PackedInts& ends, std::int64_t i) noexcept {
  const auto begin = static_cast<std::size_t>(i == 0 ? 0 : ends[i - 1]);
  const auto end = static_cast<std::size_t>(ends[i]);
  return std::string_view(text).substr(begin, end - begin);
}

}  // namespace

std::string_view ImagePaths::name(std::int64_t image) const noexcept {
  return part_of(names_, name_ends_, image);
}

std::string_view ImagePaths::folder_path(std::int64_t folder) const noexcept {
  return part_of(folders_, folder_ends_, folder);
}

std::int64_t ImagePaths::folder(std::int64_t image) const noexcept {
  std::int64_t first = 0;  // the run is one of [first, last)
  std::int64_t last = run_begins_.size();
  while (last - first > 1) {
    const std::int64_t middle = first + (last - first) / 2;
    (run_begins_[middle] <= image ? first : last) = middle;
  }
  return run_folders_[first];
}

std::string ImagePaths::path(std::int64_t image) const {
  std::string path(folder_path(folder(image)));
  path += name(image);
  return path;
}

std::int64_t ImagePaths::path_size(std::int64_t image) const noexcept {
  return std::ssize(folder_path(folder(image))) + std::ssize(name(image));
}

std::int64_t ImagePaths::memory_bytes() const noexcept {
  std::int64_t bytes = static_cast<std::int64_t>(names_.capacity() + folders_.capacity());
  for (const PackedInts* const list :
       {&sizes_, &name_ends_, &folder_ends_, &folder_roots_, &run_begins_, &run_folders_}) {
    bytes += list->size_bytes();
  }
  return bytes;
}

void ImagePaths::Builder::begin_root() {
  ++root_;
  folder_numbers_.clear();
  has_run_ = false;
}

void ImagePaths::Builder::push_back(std::string_view path, std::int64_t size_bytes) {
  const std::size_t slash = path.find_last_of('/');
  const std::size_t name_begin = slash == std::string_view::npos ? 0 : slash + 1;
  const std::string_view folder = path.substr(0, name_begin);
  if (!has_run_ || folder != folder_) {
    has_run_ = true;
    folder_ = folder;
    const auto [entry, is_new] = folder_numbers_.try_emplace(folder_, folder_count_);
    if (is_new) {
      ++folder_count_;
      paths_.folders_ += folder;
      folder_ends_.push_back(std::ssize(paths_.folders_));
      folder_roots_.push_back(root_);
    }
    run_begins_.push_back(sizes_.size());
    run_folders_.push_back(entry->second);
  }
  paths_.names_ += path.substr(name_begin);
  name_ends_.push_back(std::ssize(paths_.names_));
  sizes_.push_back(size_bytes);
}

ImagePaths ImagePaths::Builder::finish() {
  paths_.sizes_ = sizes_.finish();
  paths_.names_.shrink_to_fit();
  paths_.name_ends_ = name_ends_.finish();
  paths_.folders_.shrink_to_fit();
  paths_.folder_ends_ = folder_ends_.finish();
  paths_.folder_roots_ = folder_roots_.finish();
  paths_.run_begins_ = run_begins_.finish();
  paths_.run_folders_ = run_folders_.finish();
  return std::move(paths_);
}

}  // namespace sheaf::image_folder
