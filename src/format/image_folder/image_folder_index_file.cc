// A record has about ten thousand images, treated as if they followed each other in one file. Their
// costs are their pixels. An index file is valid while the listing of the root is unchanged.

#include "format/image_folder/image_folder_index_file.h"

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/index.h"

#include "base/saturated.h"
#include "base/text.h"
#include "format/image_folder/image_folder_errors.h"
#include "format/image_folder/image_folder_pixels.h"
#include "index/index_file.h"
#include "index/index_file_keeper.h"

namespace sheaf::image_folder {
namespace {

using internal::IndexFile;
using internal::IndexFileKeeper;
using internal::IndexRecord;

constexpr std::int64_t kRecordImages = std::int64_t{1} << 14;

/// Represents a root to the code for index files.
class RootSource final : public ByteSource {
 public:
  RootSource(std::string path, const Fingerprint& listing)
      : path_(std::move(path)), listing_(listing) {}

  [[nodiscard]] std::string_view name() const noexcept override { return path_; }
  [[nodiscard]] std::string_view path() const noexcept override { return path_; }
  [[nodiscard]] std::int64_t size() const noexcept override { return listing_.size_bytes; }
  void read_at(std::int64_t /*offset*/, std::span<std::byte> /*into*/) const override {
    throw InternalError(formatted("{}: a folder has no bytes", path_));
  }
  [[nodiscard]] Fingerprint fingerprint() const override { return listing_; }

 private:
  const std::string path_;
  const Fingerprint listing_;
};

IndexRecord record_of(const FolderScan& scan, std::int64_t first, std::int64_t offset_bytes,
                      std::span<const std::int64_t> pixels) {
  IndexRecord record;
  record.info.offset_bytes = offset_bytes;
  record.info.sequence_count = std::ssize(pixels);
  record.info.sample_count = std::ssize(pixels);
  SequenceTable::Builder table;
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const std::int64_t image = first + static_cast<std::int64_t>(i);
    table.push_back({.offset_bytes = record.info.size_bytes, .sample_count = 1, .cost = pixels[i]});
    record.info.size_bytes =
        internal::saturated_sum(record.info.size_bytes, scan.paths.size_bytes(image));
  }
  record.sequences = std::make_shared<const SequenceTable>(table.finish());
  return record;
}

void write(const FolderScan& scan, const RootImages& root, std::span<const std::int64_t> pixels,
           IndexFileKeeper& keeper) {
  keeper.begin_writing();
  std::int64_t offset = 0;
  for (std::int64_t i = 0; i < root.image_count && keeper.is_writing(); i += kRecordImages) {
    const std::int64_t count = std::min(kRecordImages, root.image_count - i);
    const IndexRecord record =
        record_of(scan, root.first_image + i, offset,
                  pixels.subspan(static_cast<std::size_t>(i), static_cast<std::size_t>(count)));
    keeper.add(record);
    offset = internal::saturated_sum(offset, record.info.size_bytes);
  }
  keeper.finish_writing({});
}

// Appends the costs of a record. Returns false if a cost is missing or makes no sense.
bool append_costs(const IndexRecord& record, std::vector<std::int64_t>& pixels) {
  const std::optional<SampleCounts> costs = record.sequences->costs();
  if (!costs) return false;
  for (std::int64_t i = 0; i < costs->size(); ++i) {
    if ((*costs)[i] < 0) return false;
    pixels.push_back((*costs)[i]);
  }
  return true;
}

std::vector<std::int64_t> loaded(const IndexFileKeeper& keeper) {
  std::vector<std::int64_t> pixels;
  for (std::int64_t i = 0; i < keeper.file()->chunk_count(); ++i) {
    static_cast<void>(
        keeper.read(i, [&](const IndexRecord& record) { return append_costs(record, pixels); }));
  }
  return pixels;
}

std::vector<std::int64_t> pixels_of(const FolderScan& scan, std::size_t number, const PixelUse& use,
                                    std::vector<Diagnostic>& warnings) {
  const RootImages& root = scan.root_images[number];
  IndexFileKeeper keeper(
      {.source = std::make_shared<RootSource>(scan.roots[number], root.listing),
       .files = use.files,
       .options = use.index,
       .identity = {.options = formatted("image_folder:pixels:frames={}", scan.joins_frames),
                    .data = root.listing},
       .warning_code = kIndexFile.code,
       .write_min_bytes = use.write_min_bytes});
  keeper.open([&](const IndexFile& file) {
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < file.chunk_count(); ++i) {
      count = internal::saturated_sum(count, file.info(i).sequence_count);
    }
    return count == root.image_count
               ? std::string()
               : formatted("it is of {} images, not {}", count, root.image_count);
  });
  if (keeper.use_warning()) warnings.push_back(*keeper.use_warning());
  if (keeper.file() != nullptr) return loaded(keeper);
  std::vector<std::int64_t> pixels =
      pixel_counts(scan, {.first = root.first_image, .count = root.image_count}, *use.files,
                   use.executor, use.read_size_bytes);
  write(scan, root, pixels, keeper);
  if (std::optional<Diagnostic> warning = keeper.write_warning()) {
    warnings.push_back(*std::move(warning));
  }
  return pixels;
}

}  // namespace

PackedInts kept_pixels(const FolderScan& scan, const PixelUse& use,
                       std::vector<Diagnostic>& warnings) {
  PackedInts::Builder packed;
  for (std::size_t i = 0; i < scan.roots.size(); ++i) {
    for (const std::int64_t each : pixels_of(scan, i, use, warnings)) packed.push_back(each);
  }
  return packed.finish();
}

}  // namespace sheaf::image_folder
