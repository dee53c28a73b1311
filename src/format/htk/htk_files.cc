#include "format/htk/htk_files.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/interruption.h"

#include "format/listed/source_bytes.h"
#include "io/read_sources.h"

namespace sheaf::htk {
ParameterFiles::ParameterFiles(FileSystem& files, std::string list_folder,
                               std::int64_t read_size_bytes, std::size_t open_max)
    : files_(files),
      list_folder_(std::move(list_folder)),
      read_size_bytes_(read_size_bytes),
      kept_(open_max) {}

// Reads the same range of several files at once.
template <typename BytesOf>
void ParameterFiles::read_bytes_of(std::span<Opening* const> files, std::int64_t offset,
                                   const BytesOf& bytes_of) const {
  std::vector<ByteSource::Request> requests;
  std::vector<std::size_t> ends;  // end of each file's requests
  for (Opening* const each : files) {
    internal::append_requests(offset, bytes_of(*each), read_size_bytes_, requests);
    ends.push_back(requests.size());
  }
  std::vector<internal::SourceRequests> sources;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < files.size(); ++i) {
    sources.push_back({.source = files[i]->file.source.get(),
                       .requests = std::span(requests).subspan(begin, ends[i] - begin)});
    begin = ends[i];
  }
  const std::vector<std::exception_ptr> errors = internal::try_read_sources(sources);
  for (std::size_t i = 0; i < files.size(); ++i) files[i]->error = errors[i];
}

void ParameterFiles::read_heads(std::span<Opening> files) const {
  std::vector<Opening*> found;
  for (Opening& each : files) {
    if (!each.is_there()) continue;
    each.head_size = static_cast<std::size_t>(std::min(each.file.source->size(), kHeadSize));
    found.push_back(&each);
  }
  const auto head_of = [](Opening& each) { return std::span(each.head).first(each.head_size); };
  read_bytes_of(found, 0, head_of);
  for (Opening* const each : found) {
    if (each->error == nullptr) {
      each->file.contents = parse_header(head_of(*each), each->file.source->size());
    }
  }
}

void ParameterFiles::read_scales(std::span<Opening> files) const {
  std::vector<Opening*> compressed;
  for (Opening& each : files) {
    const Header* const header = each.is_there() ? each.file.header() : nullptr;
    if (header == nullptr || !header->is_compressed) continue;
    each.file.scale_bytes.resize(static_cast<std::size_t>(header->data_offset - kHeaderSize));
    compressed.push_back(&each);
  }
  if (compressed.empty()) return;
  read_bytes_of(compressed, kHeaderSize,
                [](Opening& each) { return std::span(each.file.scale_bytes); });
  for (Opening* const each : compressed) {
    ParameterFile& file = each->file;
    file.scales.resize(file.scale_bytes.size() / sizeof(float));
    const std::span<std::byte> scales = std::as_writable_bytes(std::span(file.scales));
    if (file.header()->is_big_endian) {
      swap_words(file.scale_bytes.data(), scales.data(), std::ssize(file.scales));
    } else {
      std::memcpy(scales.data(), file.scale_bytes.data(), scales.size());
    }
  }
}

// After a file that cannot be opened, no other is tried. The error of that file, or an earlier
// error, is thrown.
ParameterFiles::Cache::Files ParameterFiles::load(std::span<const std::string_view> paths) const {
  std::vector<Opening> openings;
  for (const std::string_view path : paths) {
    check_interruption();
    openings.push_back({.path = path});
    try {
      openings.back().file.source = internal::open_named_file(path, list_folder_, files_);
    } catch (const IoError&) {
      openings.back().error = std::current_exception();
      break;
    }
  }
  read_heads(openings);
  read_scales(openings);
  Cache::Files files;
  for (Opening& each : openings) {
    if (each.error != nullptr) std::rethrow_exception(each.error);
    const bool is_there = each.file.source != nullptr;
    files.push_back(is_there ? std::make_shared<const ParameterFile>(std::move(each.file))
                             : nullptr);
  }
  return files;
}

std::vector<std::shared_ptr<const ParameterFile>> ParameterFiles::open_all(
    std::span<const std::string_view> paths) {
  const auto load_missing = [this](std::span<const std::string_view> missing) {
    return load(missing);
  };
  const auto keeps = [](const ParameterFile& file) {
    return file.header() != nullptr;  // other files may be repaired meanwhile
  };
  return kept_.find_all(paths, load_missing, keeps);
}

std::shared_ptr<const ParameterFile> ParameterFiles::open(std::string_view path) {
  return open_all({&path, 1}).front();
}

}  // namespace sheaf::htk
