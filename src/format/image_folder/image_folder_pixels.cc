#include "format/image_folder/image_folder_pixels.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/extend/interruption.h"
#include "sheaf/extend/parallel_for.h"

#include "base/saturated.h"
#include "base/text.h"
#include "format/images/pixel_count.h"
#include "format/listed/source_bytes.h"
#include "image/image_header.h"
#include "io/read_sources.h"

namespace sheaf::image_folder {
namespace {

constexpr std::int64_t kImagesAtOnce = 64;
constexpr std::int64_t kHeadBytes = std::int64_t{4} << 10;  // nearly all headers end here

std::int64_t pixels_of(const ByteSource& source, std::span<const std::byte> head,
                       std::int64_t read_size_bytes) {
  internal::ImageHeader header;
  internal::ImageProblem problem;
  if (internal::read_image_header(head, header, problem)) {
    return internal::saturated_product(header.stored_width, header.stored_height);
  }
  if (!problem.is_cut || std::ssize(head) == source.size()) return 0;
  return internal::pixel_count_of(source, 0, source.size(), read_size_bytes);
}

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

PackedInts pixel_counts(const FolderScan& scan, FileSystem& files, Executor* executor,
                        std::int64_t read_size_bytes) {
  const std::int64_t count = scan.paths.count();
  std::vector<std::int64_t> pixels(static_cast<std::size_t>(count));
  const std::int64_t round_count = (count + kImagesAtOnce - 1) / kImagesAtOnce;
  parallel_for(executor, round_count, [&](std::int64_t round) {
    const std::int64_t first = round * kImagesAtOnce;
    const std::int64_t last = std::min(count, first + kImagesAtOnce);
    std::vector<std::shared_ptr<const ByteSource>> sources;
    std::vector<std::array<std::byte, static_cast<std::size_t>(kHeadBytes)>> heads(
        static_cast<std::size_t>(last - first));
    std::vector<std::vector<ByteSource::Request>> requests(heads.size());
    std::vector<internal::SourceRequests> reads;
    const auto head_of = [&](std::size_t i) {
      return std::span(heads[i]).first(
          static_cast<std::size_t>(std::min(kHeadBytes, sources[i]->size())));
    };
    for (std::size_t i = 0; i < heads.size(); ++i) {
      sources.push_back(open_image(scan, first + static_cast<std::int64_t>(i), files));
      internal::append_requests(0, head_of(i), read_size_bytes, requests[i]);
      reads.push_back({.source = sources[i].get(), .requests = requests[i]});
    }
    internal::read_sources(reads);
    for (std::size_t i = 0; i < heads.size(); ++i) {
      pixels[static_cast<std::size_t>(first) + i] =
          pixels_of(*sources[i], head_of(i), read_size_bytes);
    }
  });
  PackedInts::Builder packed;
  for (const std::int64_t each : pixels) packed.push_back(each);
  return packed.finish();
}

}  // namespace sheaf::image_folder
