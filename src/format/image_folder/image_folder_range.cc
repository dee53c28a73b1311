// Images are read straight to their places in the column, many files together.

#include "format/image_folder/image_folder_range.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "base/text.h"
#include "format/image_folder/image_folder_errors.h"
#include "format/image_folder/image_folder_pixels.h"
#include "format/listed/source_bytes.h"
#include "io/read_sources.h"

namespace sheaf::image_folder {
namespace {

// Files that are open and read together. More would not be read faster, and a chunk may have very
// many of them.
constexpr std::size_t kFilesAtOnce = 64;

}  // namespace

std::string RangeSource::shown_key(std::int64_t image) const {
  return options.has_text_keys ? scan.key_text(image) : to_string(index.key(image));
}

RangeReader::RangeReader(const RangeSource& source, const ChunkRange& range,
                         Diagnostics& diagnostics)
    : source_(source), range_(range), diagnostics_(diagnostics) {
  const std::int64_t all = source.index.chunk(range.chunk)->sequence_count;
  first_ = source.index.first_image(range.chunk) + range.first;
  count_ = std::min(range.count, all - range.first);
}

Chunk RangeReader::read() {
  find_images();
  const internal::ImageStreams& streams = source_.streams;
  Buffer images = streams.image ? read_images() : Buffer();
  Chunk chunk(streams.streams, count_,
              internal::image_columns(streams, sequences_, std::move(images)),
              internal::holes_of(sequences_));
  if (source_.options.has_text_keys) {
    std::vector<std::string> keys;
    keys.reserve(sequences_.size());
    for (std::int64_t i = 0; i < count_; ++i) keys.push_back(source_.scan.key_text(first_ + i));
    chunk.set_key_texts(std::move(keys));
  }
  return chunk;
}

// Where images are not read, an empty file spoils nothing.
void RangeReader::find_images() {
  const bool has_labels = source_.streams.label.has_value();
  const bool has_images = source_.streams.image.has_value();
  std::int64_t place = 0;
  for (std::int64_t image = first_; image < first_ + count_; ++image) {
    const std::int64_t size = has_images ? source_.scan.paths.size_bytes(image) : 0;
    sequences_.push_back({.place = place,
                          .size_bytes = size,
                          .class_id = has_labels ? source_.scan.class_id(image) : 0,
                          .is_hole = has_images && size == 0});
    if (sequences_.back().is_hole) add_fault(image);
    place += size;
  }
}

void RangeReader::add_fault(std::int64_t image) {
  Diagnostic fault = diagnostic_of_path(source_.scan.file_path(image), kNoBytes, "an empty file");
  fault.byte_offset = 0;
  fault.sequence_key = source_.shown_key(image);
  fault.stream = source_.streams.streams[*source_.streams.image].name;
  diagnostics_.add(range_.first + image - first_, std::move(fault));
}

Buffer RangeReader::read_images() const {
  const internal::ImageSequence& last = sequences_.back();
  Buffer images = internal::buffer_of_size(last.place + last.size_bytes);
  for (std::size_t begin = 0; begin < sequences_.size(); begin += kFilesAtOnce) {
    const std::size_t end = std::min(begin + kFilesAtOnce, sequences_.size());
    std::vector<std::shared_ptr<const ByteSource>> sources;
    std::vector<std::vector<ByteSource::Request>> requests(end - begin);
    std::vector<internal::SourceRequests> reads;
    for (std::size_t i = begin; i < end; ++i) {
      const internal::ImageSequence& each = sequences_[i];
      sources.push_back(
          open_image(source_.scan, first_ + static_cast<std::int64_t>(i), source_.files));
      if (each.is_hole) continue;
      std::vector<ByteSource::Request>& own = requests[i - begin];
      internal::append_requests(
          0, {images.mutable_data() + each.place, static_cast<std::size_t>(each.size_bytes)},
          source_.options.read_size_bytes, own);
      reads.push_back({.source = sources.back().get(), .requests = own});
    }
    internal::read_sources(reads);
  }
  return images;
}

}  // namespace sheaf::image_folder
