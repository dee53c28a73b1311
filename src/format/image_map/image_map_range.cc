// The lines of the range are parsed again, because the index keeps no paths. All images are opened,
// and then read together.

#include "format/image_map/image_map_range.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/interruption.h"

#include "base/text.h"
#include "format/image_map/image_map_errors.h"
#include "format/image_map/image_map_scan.h"
#include "format/listed/source_bytes.h"
#include "io/read_sources.h"

namespace sheaf::image_map {

std::vector<LocatedLine> read_lines(const RangeSource& source, std::int64_t first,
                                    std::int64_t last) {
  const MapImages& images = source.index.images();
  const std::int64_t begin = images.line_offsets[first];
  const std::int64_t end = source.index.line_end(last - 1);
  std::string text(static_cast<std::size_t>(end - begin), '\0');
  internal::read_bytes(source.map, begin, std::as_writable_bytes(std::span(text)),
                       source.options.read_size_bytes);
  std::vector<LocatedLine> lines;
  lines.reserve(static_cast<std::size_t>(last - first));
  for (std::int64_t i = first; i < last; ++i) {
    const std::int64_t offset = images.line_offsets[i];
    const auto at = static_cast<std::size_t>(offset - begin);
    std::string_view row = std::string_view(text).substr(at, text.find('\n', at) - at);
    if (row.ends_with('\r')) row.remove_suffix(1);
    const std::int64_t number = images.line_numbers[i];
    lines.push_back({.line = parse_line(row, number - 1, source.rules),
                     .text = std::string(row),
                     .offset = offset,
                     .number = number});
    const SequenceKey& key = lines.back().line.key;
    if (key.low != static_cast<std::uint64_t>(images.keys_low[i]) ||
        key.high != static_cast<std::uint64_t>(images.keys_high[i])) {
      throw IoError(formatted("{}: was changed after it was indexed", source.map.name()));
    }
  }
  return lines;
}

RangeReader::RangeReader(const RangeSource& source, const ChunkRange& range,
                         Diagnostics& diagnostics)
    : source_(source), range_(range), diagnostics_(diagnostics) {
  const std::int64_t count = source.index.chunk(range.chunk)->sequence_count;
  sequence_count_ = std::min(range.count, count - range.first);
  first_ = source.index.view_of(range.chunk, range.first).image;
  last_ = source.index.view_of(range.chunk, range.first + sequence_count_ - 1).image + 1;
  images_.resize(static_cast<std::size_t>(last_ - first_));
}

Chunk RangeReader::read() {
  lines_ = read_lines(source_, first_, last_);
  for (std::int64_t i = first_; i < last_; ++i) find_faults(i);
  Buffer bytes = read_images();
  std::vector<internal::ImageSequence> sequences;
  std::vector<std::string> keys;
  for (std::int64_t i = 0; i < sequence_count_; ++i) {
    const ImageView view = source_.index.view_of(range_.chunk, range_.first + i);
    const Image& image = this->image(view.image);
    const LocatedLine& line = this->line(view.image);
    sequences.push_back({.location = image.location,
                         .size_bytes = image.size_bytes,
                         .class_id = line.line.class_id,
                         .view = view.view,
                         .is_hole = !image.faults.empty()});
    keys.push_back(line.line.key_text);
    for (const Diagnostic& fault : image.faults) diagnostics_.add(range_.first + i, fault);
  }
  const internal::ImageStreams& streams = source_.options.streams;
  Chunk chunk(streams.streams, sequence_count_,
              internal::image_columns(streams, sequences, std::move(bytes)),
              internal::holes_of(sequences));
  if (source_.options.has_text_keys) chunk.set_key_texts(std::move(keys));
  return chunk;
}

void RangeReader::find_faults(std::int64_t number) {
  const MapLine& parsed = line(number).line;
  if (source_.index.is_repeated(number)) {
    const std::size_t size = std::min(line(number).text.find('\t'), line(number).text.size());
    add_fault(number, kRepeatedKey, 0, size, quoted(parsed.key_text));
  }
  if (parsed.fault != nullptr) {
    add_fault(number, *parsed.fault, parsed.fault_begin, parsed.fault_size, parsed.found);
  } else if (source_.options.streams.image) {
    open(number);
  }
}

void RangeReader::open(std::int64_t number) {
  check_interruption();
  const MapImages& images = source_.index.images();
  const std::int64_t archive = images.archives[number];
  const std::int64_t entry = images.entries[number];
  const MapLine& parsed = line(number).line;
  Image& image = this->image(number);
  if (archive != MapImages::kNone && entry == MapImages::kNone) {
    add_fault(number, kEntry, parsed.path_begin, parsed.path_size, quoted(parsed.path));
    return;
  }
  try {
    image.source = archive == MapImages::kNone ? source_.files.open(parsed.path)
                                               : source_.archives.open(archive, entry);
  } catch (const IoError& error) {
    add_fault(number, kImage, parsed.path_begin, parsed.path_size, error.what());
    return;
  }
  image.size_bytes = images.size_bytes(number);
  if (image.source->size() != image.size_bytes) {
    throw IoError(formatted("{}: was changed after it was indexed", image.source->name()));
  }
  if (image.size_bytes == 0) {
    add_fault(number, kNoBytes, parsed.path_begin, parsed.path_size,
              formatted("{}, which is empty", quoted(parsed.path)));
  }
}

// CNTK tolerates no missing image, however many errors it tolerates.
void RangeReader::add_fault(std::int64_t number, const ErrorKind& kind, std::size_t begin,
                            std::size_t size, std::string found) {
  const LocatedLine& located = line(number);
  const LineLocation location{
      .text = located.text, .offset = located.offset, .number = located.number};
  Diagnostic fault = location_in_map(source_.map, location, kind, begin, size, std::move(found));
  fault.sequence_key =
      source_.options.has_text_keys ? located.line.key_text : to_string(located.line.key);
  if (source_.options.is_cntk && &kind != &kNoBytes) fault.severity = Severity::fatal;
  image(number).faults.push_back(std::move(fault));
}

Buffer RangeReader::read_images() {
  std::int64_t size = 0;
  for (Image& each : images_) {
    if (!each.faults.empty()) {
      each.source = nullptr;
      each.size_bytes = 0;
    }
    each.location = size;
    size += each.size_bytes;
  }
  Buffer bytes = internal::buffer_of_size(size);
  std::vector<std::vector<ByteSource::Request>> requests;
  std::vector<internal::SourceRequests> reads;
  requests.reserve(images_.size());
  for (const Image& each : images_) {
    if (each.source == nullptr) continue;
    internal::append_requests(
        0, {bytes.mutable_data() + each.location, static_cast<std::size_t>(each.size_bytes)},
        source_.options.read_size_bytes, requests.emplace_back());
    reads.push_back({.source = each.source.get(), .requests = requests.back()});
  }
  internal::read_sources(reads);
  return bytes;
}

}  // namespace sheaf::image_map
