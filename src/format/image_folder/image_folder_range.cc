// Images are read directly into the column, many files together.

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

// The number of files that are opened and read together. More files would not be faster, and a
// chunk may have very many of them.
constexpr std::size_t kFilesAtOnce = 64;

}  // namespace

std::string RangeSource::shown_key(std::int64_t sequence) const {
  return options.has_text_keys ? scan.key_text(sequence) : to_string(index.key(sequence));
}

RangeReader::RangeReader(const RangeSource& source, const ChunkRange& range,
                         Diagnostics& diagnostics)
    : source_(source), range_(range), diagnostics_(diagnostics) {
  const std::int64_t all = source.index.chunk(range.chunk)->sequence_count;
  first_ = source.index.first_sequence(range.chunk) + range.first;
  count_ = std::min(range.count, all - range.first);
}

Chunk RangeReader::read() {
  find_sequences();
  const internal::ImageStreams& streams = source_.streams;
  Buffer images = streams.image ? read_images() : Buffer();
  Chunk chunk(streams.streams, count_,
              internal::image_columns(streams, sequences_, std::move(images), frame_sizes_),
              internal::holes_of(sequences_));
  if (source_.options.has_text_keys) {
    std::vector<std::string> keys;
    keys.reserve(sequences_.size());
    for (std::int64_t i = 0; i < count_; ++i) keys.push_back(source_.scan.key_text(first_ + i));
    chunk.set_key_texts(std::move(keys));
  }
  return chunk;
}

// If images are not read, a wrong image cannot spoil a sequence.
void RangeReader::find_sequences() {
  const bool has_labels = source_.streams.label.has_value();
  for (std::int64_t number = first_; number < first_ + count_; ++number) {
    internal::ImageSequence sequence{.location = images_bytes_,
                                     .class_id = has_labels ? source_.scan.class_id(number) : 0};
    if (source_.streams.image) find_images(number, sequence);
    sequences_.push_back(sequence);
  }
}

void RangeReader::find_images(std::int64_t number, internal::ImageSequence& sequence) {
  const FolderScan& scan = source_.scan;
  const std::int64_t last = scan.first_image(number + 1);
  sequence.frame_count = scan.image_count(number);
  sequence.is_hole = has_wrong_names(number);
  for (std::int64_t image = scan.first_image(number); image < last; ++image) {
    if (scan.paths.size_bytes(image) > 0) continue;
    sequence.is_hole = true;
    add_fault(number, image, kNoBytes, "an empty file");
  }
  for (std::int64_t image = scan.first_image(number); image < last; ++image) {
    ImageRead read{.image = image};
    if (!sequence.is_hole) {
      const std::int64_t size = scan.paths.size_bytes(image);
      read.location = images_bytes_;
      images_bytes_ += size;
      sequence.size_bytes += size;
      frame_sizes_.push_back(size);
    }
    reads_.push_back(read);
  }
}

// Returns whether frames of a sequence have wrong names, and reports them.
bool RangeReader::has_wrong_names(std::int64_t number) {
  const FolderScan& scan = source_.scan;
  const std::int64_t last = scan.first_image(number + 1);
  auto fault =
      std::ranges::lower_bound(scan.frame_faults, scan.first_image(number), {}, &FrameFault::image);
  bool is_wrong = false;
  for (; fault != scan.frame_faults.end() && fault->image < last; ++fault) {
    is_wrong = true;
    if (fault->other == FrameFault::kNoFrame) {
      add_fault(number, fault->image, kFrameNumber, quoted(scan.paths.name(fault->image)));
    } else {
      add_fault(number, fault->image, kRepeatedFrame,
                formatted("{}, beside {}", quoted(scan.paths.name(fault->image)),
                          quoted(scan.paths.name(fault->other))));
    }
  }
  return is_wrong;
}

void RangeReader::add_fault(std::int64_t sequence, std::int64_t image, const ErrorKind& kind,
                            std::string found) {
  Diagnostic fault = diagnostic_of_path(source_.scan.file_path(image), kind, std::move(found));
  if (&kind == &kNoBytes) fault.byte_offset = 0;
  fault.sequence_key = source_.shown_key(sequence);
  fault.stream = source_.streams.streams[*source_.streams.image].name;
  diagnostics_.add(range_.first + sequence - first_, std::move(fault));
}

Buffer RangeReader::read_images() const {
  Buffer images = internal::buffer_of_size(images_bytes_);
  for (std::size_t begin = 0; begin < reads_.size(); begin += kFilesAtOnce) {
    const std::size_t end = std::min(begin + kFilesAtOnce, reads_.size());
    std::vector<std::shared_ptr<const ByteSource>> sources;
    std::vector<std::vector<ByteSource::Request>> requests(end - begin);
    std::vector<internal::SourceRequests> reads;
    for (std::size_t i = begin; i < end; ++i) {
      const ImageRead& each = reads_[i];
      sources.push_back(open_image(source_.scan, each.image, source_.files));
      if (each.location == ImageRead::kNoOffset) continue;
      std::vector<ByteSource::Request>& own = requests[i - begin];
      const std::int64_t size = source_.scan.paths.size_bytes(each.image);
      internal::append_requests(
          0, {images.mutable_data() + each.location, static_cast<std::size_t>(size)},
          source_.options.read_size_bytes, own);
      reads.push_back({.source = sources.back().get(), .requests = own});
    }
    internal::read_sources(reads);
  }
  return images;
}

}  // namespace sheaf::image_folder
