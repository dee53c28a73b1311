#include "format/htk/htk_files.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/interruption.h"

#include "io/read_sources.h"

namespace sheaf::htk {
namespace {

// Headers that are read at once. Of many more, the system's files would be closed and opened again
// before their headers are read.
constexpr std::size_t kOpenedAtOnce = 64;

}  // namespace

ParameterFiles::ParameterFiles(FileSystem& files, std::string list_folder,
                               std::int64_t read_size_bytes, std::size_t open_max)
    : files_(files),
      list_folder_(std::move(list_folder)),
      read_size_bytes_(read_size_bytes),
      open_max_(open_max) {}

// Reads the same bytes of several files at once.
template <typename BytesOf>
void ParameterFiles::read_bytes_of(std::span<Opening* const> files, std::int64_t offset,
                                   const BytesOf& bytes_of) const {
  std::vector<ByteSource::Request> requests;
  std::vector<std::size_t> ends;  // of the requests of a file
  for (Opening* const each : files) {
    append_requests(offset, bytes_of(*each), read_size_bytes_, requests);
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

// Behind a file that cannot be opened no other is tried: its error is thrown, or one before.
void ParameterFiles::read(std::span<Opening> files) const {
  for (Opening& each : files) {
    check_interruption();
    try {
      each.file.source = internal::open_named_file(each.path, list_folder_, files_);
    } catch (const IoError&) {
      each.error = std::current_exception();
      break;
    }
  }
  read_heads(files);
  read_scales(files);
  for (const Opening& each : files) {
    if (each.error != nullptr) std::rethrow_exception(each.error);
  }
}

std::vector<std::shared_ptr<const ParameterFile>> ParameterFiles::open_all(
    std::span<const std::string_view> paths) {
  std::vector<std::shared_ptr<const ParameterFile>> files(paths.size());
  std::vector<Opening> openings;
  constexpr std::size_t kKnown = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> numbers(paths.size(), kKnown);  // in `openings`
  {
    std::unordered_map<std::string_view, std::size_t> number_of;
    const std::scoped_lock lock(mutex_);
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (paths[i].empty()) continue;
      if (i > 0 && paths[i] == paths[i - 1]) {
        files[i] = files[i - 1];
        numbers[i] = numbers[i - 1];
        continue;
      }
      const auto known = by_path_.find(paths[i]);
      if (known != by_path_.end()) {
        kept_.splice(kept_.begin(), kept_, known->second);
        files[i] = known->second->second;
        continue;
      }
      const auto [place, is_new] = number_of.try_emplace(paths[i], openings.size());
      if (is_new) openings.push_back({.path = paths[i]});
      numbers[i] = place->second;
    }
  }
  if (openings.empty()) return files;
  for (std::size_t i = 0; i < openings.size(); i += kOpenedAtOnce) {
    read(std::span(openings).subspan(i, std::min(kOpenedAtOnce, openings.size() - i)));
  }
  std::vector<std::shared_ptr<const ParameterFile>> opened(openings.size());
  const std::scoped_lock lock(mutex_);
  for (std::size_t i = 0; i < openings.size(); ++i) {
    ParameterFile& file = openings[i].file;
    if (file.source == nullptr) continue;
    opened[i] = std::make_shared<const ParameterFile>(std::move(file));
    const bool is_good = opened[i]->header() != nullptr;  // others may be mended meanwhile
    if (!is_good || by_path_.contains(openings[i].path)) continue;
    kept_.emplace_front(openings[i].path, opened[i]);
    by_path_.emplace(kept_.front().first, kept_.begin());
    if (kept_.size() <= open_max_) continue;
    by_path_.erase(kept_.back().first);
    kept_.pop_back();
  }
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (numbers[i] != kKnown) files[i] = opened[numbers[i]];
  }
  return files;
}

std::shared_ptr<const ParameterFile> ParameterFiles::open(std::string_view path) {
  return open_all({&path, 1}).front();
}

std::size_t ParameterFiles::open_count() const {
  const std::scoped_lock lock(mutex_);
  return kept_.size();
}

void append_requests(std::int64_t offset, std::span<std::byte> into, std::int64_t read_size_bytes,
                     std::vector<ByteSource::Request>& requests) {
  while (!into.empty()) {
    const auto piece = into.first(std::min(into.size(), static_cast<std::size_t>(read_size_bytes)));
    requests.push_back({offset, piece});
    offset += std::ssize(piece);
    into = into.subspan(piece.size());
  }
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
