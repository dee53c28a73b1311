#include "format/manifest/manifest_files.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "sheaf/extend/interruption.h"

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
  return std::get<NpyArray>(found);
}

}  // namespace

ManifestFiles::Files ManifestFiles::load(std::span<const std::string_view> paths) const {
  const std::int64_t head_size =
      samples_ == Samples::audio ? internal::kRiffHeadBytes : kNpyHeadBytes;
  Files files(paths.size());
  std::vector<std::shared_ptr<const ByteSource>> sources(paths.size());
  std::vector<std::vector<std::byte>> heads(paths.size());
  std::vector<std::vector<ByteSource::Request>> requests(paths.size());
  std::vector<internal::SourceRequests> reads;
  std::vector<std::size_t> numbers;  // of the paths of the reads
  for (std::size_t i = 0; i < paths.size(); ++i) {
    check_interruption();
    sources[i] = internal::open_named_file(paths[i], folder_, context_.file_system());
    if (sources[i] == nullptr) continue;
    heads[i].resize(static_cast<std::size_t>(std::min(sources[i]->size(), head_size)));
    internal::append_requests(0, heads[i], read_size_bytes_, requests[i]);
    reads.push_back({.source = sources[i].get(), .requests = requests[i]});
    numbers.push_back(i);
  }
  const std::vector<std::exception_ptr> errors = internal::try_read_sources(reads);
  for (std::size_t k = 0; k < reads.size(); ++k) {
    if (errors[k] != nullptr) std::rethrow_exception(errors[k]);
    const std::size_t i = numbers[k];
    FileContents contents = samples_ == Samples::audio ? audio_of(*sources[i], heads[i])
                                                       : array_of(*sources[i], heads[i]);
    files[i] = std::make_shared<const SampleFile>(
        SampleFile{.source = std::move(sources[i]), .contents = std::move(contents)});
  }
  return files;
}

ManifestFiles::Files ManifestFiles::open_all(std::span<const std::string_view> paths) {
  const auto load_missing = [this](std::span<const std::string_view> missing) {
    return load(missing);
  };
  const auto keeps = [](const SampleFile& file) {
    return !std::holds_alternative<FileFault>(file.contents);  // others may be mended meanwhile
  };
  return kept_.find_all(paths, load_missing, keeps);
}

}  // namespace sheaf::manifest
