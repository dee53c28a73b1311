#include "format/manifest/manifest_files.h"

#include <algorithm>
#include <charconv>
#include <exception>
#include <utility>

#include "sheaf/extend/interruption.h"

#include "base/text.h"
#include "format/listed/source_bytes.h"
#include "io/read_sources.h"

namespace sheaf::manifest {
namespace {

FileContents audio_of(const ByteSource& source, std::span<const std::byte> head) {
  auto found =
      internal::find_riff_audio(source, {.begin_bytes = 0, .end_bytes = source.size()}, head);
  if (auto* const fault = std::get_if<internal::RiffFault>(&found)) {
    return FileFault{fault->kind, fault->byte_offset, std::move(fault->found)};
  }
  return std::get<internal::RiffAudio>(found);
}

FileContents array_of(const ByteSource& source, std::span<const std::byte> head) {
  auto found = parse_npy_head(head, source.size());
  if (auto* const fault = std::get_if<FileFault>(&found)) return std::move(*fault);
  return std::get<FloatArray>(found);
}

// Returns the contents of a matrix. An uncompressed matrix is an array like any other.
FileContents matrix_of(const ByteSource& source, std::int64_t begin,
                       std::span<const std::byte> bytes) {
  if (begin >= source.size()) return FileFault{&kOffset, begin, formatted("{}", begin)};
  auto found =
      internal::parse_kaldi_head(bytes, internal::KaldiKind::integers, source.size() - begin);
  if (auto* const fault = std::get_if<internal::KaldiFault>(&found)) {
    return FileFault{fault->kind, begin + fault->byte_offset, std::move(fault->found)};
  }
  const auto& head = std::get<internal::KaldiHead>(found);
  const bool is_compressed = head.kind == internal::KaldiKind::compressed;
  if (!is_compressed && head.kind != internal::KaldiKind::matrix) {
    return FileFault{&kMatrix, begin, formatted("a {}", to_string(head.kind))};
  }
  if (head.rows == 0) return FileFault{&kNoSamples, begin, "an empty matrix"};
  if (is_compressed) return CompressedMatrix{.head = head, .begin_bytes = begin};
  return FloatArray{.row_count = head.rows,
                    .dim = head.cols,
                    .value_size = head.value_size_bytes,
                    .data_bytes = begin + head.data_begin};
}

constexpr char kObjectMark = '\0';

}  // namespace

std::string name_of(const ManifestLine& line) {
  if (!line.object_begin) return line.path;
  return kObjectMark + line.path + ':' + std::to_string(*line.object_begin);
}

void ManifestFiles::open_sources(std::span<Opening> openings) {
  const auto open = [this](std::string_view path) {
    check_interruption();
    return internal::open_named_file(path, folder_, context_.file_system());
  };
  const auto open_missing = [&](std::span<const std::string_view> paths) {
    std::vector<std::shared_ptr<const ByteSource>> sources;
    for (const std::string_view path : paths) sources.push_back(open(path));
    return sources;
  };
  std::vector<std::string_view> archives;
  for (Opening& each : openings) {
    archives.push_back(each.object_begin ? each.path : std::string_view());
  }
  auto found = archives_.find_all(archives, open_missing, [](const ByteSource&) { return true; });
  for (std::size_t i = 0; i < openings.size(); ++i) {
    openings[i].source = openings[i].object_begin ? std::move(found[i]) : open(openings[i].path);
  }
}

ManifestFiles::Files ManifestFiles::load(std::span<const std::string_view> names) {
  std::vector<Opening> openings;
  for (const std::string_view name : names) {
    Opening& opening = openings.emplace_back(Opening{.path = name});
    if (!name.starts_with(kObjectMark)) continue;
    const std::size_t colon = name.rfind(':');
    std::int64_t begin = 0;
    std::from_chars(name.data() + colon + 1, name.data() + name.size(), begin);
    opening = {.path = name.substr(1, colon - 1), .object_begin = begin};
  }
  open_sources(openings);
  const std::int64_t file_head =
      samples_ == Samples::audio ? internal::kRiffHeadBytes : kNpyHeadBytes;
  std::vector<std::vector<ByteSource::Request>> requests(names.size());
  std::vector<internal::SourceRequests> reads;
  std::vector<std::size_t> numbers;  // opening of each read
  for (std::size_t i = 0; i < openings.size(); ++i) {
    Opening& each = openings[i];
    if (each.source == nullptr) continue;
    const std::int64_t begin = each.object_begin.value_or(0);
    const std::int64_t size = each.object_begin ? internal::kKaldiHeadSize : file_head;
    each.head.resize(
        static_cast<std::size_t>(std::clamp<std::int64_t>(each.source->size() - begin, 0, size)));
    internal::append_requests(begin, each.head, read_size_bytes_, requests[i]);
    reads.push_back({.source = each.source.get(), .requests = requests[i]});
    numbers.push_back(i);
  }
  const std::vector<std::exception_ptr> errors = internal::try_read_sources(reads);
  Files files(names.size());
  for (std::size_t k = 0; k < reads.size(); ++k) {
    if (errors[k] != nullptr) std::rethrow_exception(errors[k]);
    Opening& each = openings[numbers[k]];
    FileContents contents = each.object_begin
                                ? matrix_of(*each.source, *each.object_begin, each.head)
                            : samples_ == Samples::audio ? audio_of(*each.source, each.head)
                                                         : array_of(*each.source, each.head);
    files[numbers[k]] = std::make_shared<const SampleFile>(
        SampleFile{.source = std::move(each.source), .contents = std::move(contents)});
  }
  return files;
}

ManifestFiles::Files ManifestFiles::open_all(std::span<const std::string_view> names) {
  const auto load_missing = [this](std::span<const std::string_view> missing) {
    return load(missing);
  };
  const auto keeps = [](const SampleFile& file) {
    return !std::holds_alternative<FileFault>(file.contents);  // faults may be repaired
  };
  return kept_.find_all(names, load_missing, keeps);
}

}  // namespace sheaf::manifest
