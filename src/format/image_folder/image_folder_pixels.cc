#include "format/image_folder/image_folder_pixels.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/extend/interruption.h"
#include "sheaf/extend/parallel_for.h"

#include "base/text.h"
#include "format/images/pixel_count.h"
#include "format/listed/source_bytes.h"
#include "io/read_sources.h"

namespace sheaf::image_folder {
namespace {

constexpr std::int64_t kImagesAtOnce = 64;

}  // namespace

std::shared_ptr<const ByteSource> open_image(const FolderScan& scan, std::int64_t image,
                                             FileSystem& files) {
  check_interruption();
  const std::string path = scan.file_path(image);
  std::shared_ptr<const ByteSource> source = files.open(path);
  if (source->size() != scan.paths.size_bytes(image)) {
    throw IoError(formatted("{}: was changed after the folder was listed: had {} bytes, has {}",
                            path, scan.paths.size_bytes(image), source->size()));
  }
  return source;
}

std::vector<std::int64_t> pixel_counts(const FolderScan& scan, ImageRange images, FileSystem& files,
                                       Executor* executor, std::int64_t read_size_bytes) {
  std::vector<std::int64_t> pixels(static_cast<std::size_t>(images.count));
  const std::int64_t round_count = (images.count + kImagesAtOnce - 1) / kImagesAtOnce;
  parallel_for(executor, round_count, [&](std::int64_t round) {
    const std::int64_t first = round * kImagesAtOnce;
    const std::int64_t last = std::min(images.count, first + kImagesAtOnce);
    const auto size = static_cast<std::size_t>(last - first);
    std::vector<std::shared_ptr<const ByteSource>> sources;
    std::vector<std::vector<std::byte>> heads(size);
    std::vector<std::vector<ByteSource::Request>> requests(size);
    std::vector<internal::SourceRequests> reads;
    for (std::size_t i = 0; i < size; ++i) {
      const std::int64_t image = images.first + first + static_cast<std::int64_t>(i);
      sources.push_back(open_image(scan, image, files));
      heads[i].resize(
          static_cast<std::size_t>(std::min(internal::kFirstHeaderBytes, sources.back()->size())));
      internal::append_requests(0, heads[i], read_size_bytes, requests[i]);
      reads.push_back({.source = sources.back().get(), .requests = requests[i]});
    }
    internal::read_sources(reads);
    for (std::size_t i = 0; i < size; ++i) {
      pixels[static_cast<std::size_t>(first) + i] = internal::pixel_count_of(
          *sources[i], 0, sources[i]->size(), read_size_bytes, std::move(heads[i]));
    }
  });
  return pixels;
}

}  // namespace sheaf::image_folder
