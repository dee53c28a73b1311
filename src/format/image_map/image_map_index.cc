#include "format/image_map/image_map_index.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/saturated.h"
#include "format/images/image_columns.h"

namespace sheaf::image_map {

using internal::saturated_product;
using internal::saturated_sum;

ImageMapIndex::ImageMapIndex(const ByteSource& map, const ReadOptions& options, MapImages images)
    : map_(map), options_(options), images_(std::move(images)) {
  if (!options_.has_chunk_each) cut_chunks();
}

void ImageMapIndex::cut_chunks() {
  first_images_.push_back(0);
  for (std::int64_t i = 1; i < images_.count(); ++i) {
    const std::int64_t size = images_.image_ends[i] - images_.image_begin(first_images_.back());
    if (size > options_.chunk_size_bytes) first_images_.push_back(i);
  }
  first_images_.push_back(images_.count());
  first_images_.shrink_to_fit();
}

ImageMapIndex::Views ImageMapIndex::views_in(ChunkIndex chunk) const noexcept {
  const auto number = static_cast<std::int64_t>(chunk);
  if (options_.has_chunk_each) return {.first = number, .last = number + 1};
  const auto n = static_cast<std::size_t>(chunk);
  return {.first = first_images_[n] * view_count(), .last = first_images_[n + 1] * view_count()};
}

ImageView ImageMapIndex::view_of(ChunkIndex chunk, std::int64_t sequence) const noexcept {
  const std::int64_t number = views_in(chunk).first + sequence;
  return {.image = number / view_count(), .view = static_cast<std::int32_t>(number % view_count())};
}

std::int64_t ImageMapIndex::line_end(std::int64_t image) const noexcept {
  return image + 1 < images_.count() ? images_.line_offsets[image + 1] : map_.size();
}

bool ImageMapIndex::is_repeated(std::int64_t image) const noexcept {
  return std::ranges::binary_search(images_.repeated, image);
}

std::optional<ChunkInfo> ImageMapIndex::chunk(ChunkIndex chunk) const {
  const auto number = static_cast<std::int64_t>(chunk);
  const std::int64_t count =
      options_.has_chunk_each ? images_.count() * view_count() : std::ssize(first_images_) - 1;
  if (number >= count) return std::nullopt;
  const Views views = views_in(chunk);
  const std::int64_t sequence_count = views.last - views.first;
  const std::int64_t first = views.first / view_count();
  const std::int64_t last = (views.last - 1) / view_count();
  const std::int64_t begin = images_.image_begin(first);
  const std::int64_t size = images_.image_ends[last] - begin;
  // A key has at most the bytes of its line, or the digits of a number.
  constexpr std::int64_t kKeyBytes = sizeof(std::string) + 32;
  const std::int64_t lines = line_end(last) - images_.line_offsets[first];
  const std::int64_t keys =
      saturated_sum(saturated_product(lines, view_count()), sequence_count * kKeyBytes);
  const std::int64_t columns = internal::image_blocks_bytes(options_.streams) +
                               sequence_count * internal::image_overhead_bytes(options_.streams);
  return ChunkInfo{.offset_bytes = begin,
                   .size_bytes = size,
                   .first_line = images_.line_numbers[first],
                   .sequence_count = sequence_count,
                   .sample_count = sequence_count,
                   .decoded_size_bytes = saturated_sum(saturated_sum(size, keys), columns)};
}

std::shared_ptr<const SequenceTable> ImageMapIndex::sequences(ChunkIndex chunk) const {
  const Views views = views_in(chunk);
  const std::int64_t first = views.first / view_count();
  const std::int64_t begin = images_.image_begin(first);
  SequenceTable::Builder table;
  for (std::int64_t number = views.first; number < views.last; ++number) {
    const std::int64_t i = number / view_count();
    SequenceInfo info{.key = {.low = static_cast<std::uint64_t>(images_.keys_low[i]),
                              .high = static_cast<std::uint64_t>(images_.keys_high[i])},
                      .offset_bytes = images_.image_begin(i) - begin,
                      .first_line = images_.line_numbers[i] - images_.line_numbers[first],
                      .sample_count = 1};
    info.cost = options_.reads_headers ? images_.pixels[i] : images_.size_bytes(i);
    table.push_back(info);
  }
  return std::make_shared<const SequenceTable>(table.finish());
}

std::int64_t ImageMapIndex::memory_bytes() const {
  const std::size_t numbers = first_images_.capacity() + images_.repeated.capacity();
  std::int64_t bytes = static_cast<std::int64_t>(sizeof *this + numbers * sizeof(std::int64_t));
  for (const PackedInts* const list :
       {&images_.keys_low, &images_.keys_high, &images_.line_offsets, &images_.line_numbers,
        &images_.archives, &images_.entries, &images_.image_ends, &images_.pixels}) {
    bytes += list->size_bytes();
  }
  return bytes;
}

}  // namespace sheaf::image_map
