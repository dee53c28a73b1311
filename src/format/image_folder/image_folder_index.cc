#include "format/image_folder/image_folder_index.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/saturated.h"
#include "format/images/image_columns.h"

namespace sheaf::image_folder {

using internal::saturated_sum;

/// Returns whether the length of a sequence is its number of images.
bool counts_images(const FolderScan& scan, const internal::ImageStreams& streams) {
  if (!scan.joins_frames || !streams.image) return false;
  const bool has_defining = std::ranges::any_of(streams.streams, &Stream::defines_minibatch_size);
  return !has_defining || streams.streams[*streams.image].defines_minibatch_size;
}

/// Cuts the sequences into chunks. The size of a sequence includes its memory overhead, so that a
/// chunk does not get very many small files.
class ImageFolderIndex::Cut {
 public:
  Cut(ImageFolderIndex& index, const ReadOptions& options, const internal::ImageStreams& streams)
      : index_(index),
        options_(options),
        overhead_bytes_(internal::image_overhead_bytes(streams)),
        frame_bytes_(internal::frame_overhead_bytes(streams)),
        blocks_bytes_(internal::image_blocks_bytes(streams)),
        decoded_size_(blocks_bytes_) {}

  void run() {
    const std::int64_t count = index_.scan_.sequence_count();
    for (std::int64_t sequence = 0; sequence < count; ++sequence) add(sequence);
    end_chunk(count);
    first_sequences_.push_back(count);
    offsets_.push_back(offset_);
    index_.first_sequences_ = first_sequences_.finish();
    index_.offsets_bytes_ = offsets_.finish();
    index_.decoded_bytes_ = decoded_.finish();
  }

 private:
  void add(std::int64_t sequence) {
    const std::int64_t size = index_.scan_.size_bytes(sequence);
    const std::int64_t decoded = saturated_sum(size, overhead_of(sequence));
    if (sequence > first_ && decoded > options_.chunk_size_bytes - decoded_size_) {
      end_chunk(sequence);
    }
    size_ = saturated_sum(size_, size);
    decoded_size_ = saturated_sum(decoded_size_, decoded);
  }

  // Returns the memory of the columns, of the number of a hole, and of the key, which may lie
  // inside its string.
  [[nodiscard]] std::int64_t overhead_of(std::int64_t sequence) const {
    constexpr std::int64_t kTextSizeMin = 15;
    const std::int64_t further_frames = index_.scan_.image_count(sequence) - 1;
    std::int64_t bytes = overhead_bytes_ + further_frames * frame_bytes_ +
                         static_cast<std::int64_t>(sizeof(std::int64_t));
    if (!options_.has_text_keys) return bytes;
    bytes += static_cast<std::int64_t>(sizeof(std::string)) + 1;
    return bytes + std::max(kTextSizeMin, index_.scan_.key_size(sequence));
  }

  void end_chunk(std::int64_t next) {
    first_sequences_.push_back(first_);
    offsets_.push_back(offset_);
    decoded_.push_back(decoded_size_);
    offset_ = saturated_sum(offset_, size_);
    first_ = next;
    size_ = 0;
    decoded_size_ = blocks_bytes_;
  }

  ImageFolderIndex& index_;
  const ReadOptions& options_;
  const std::int64_t overhead_bytes_;  // of a sequence
  const std::int64_t frame_bytes_;     // of each further image
  const std::int64_t blocks_bytes_;    // of a chunk
  PackedInts::Builder first_sequences_;
  PackedInts::Builder offsets_;
  PackedInts::Builder decoded_;
  std::int64_t offset_ = 0;  // of the current chunk, as are the next ones
  std::int64_t first_ = 0;
  std::int64_t size_ = 0;
  std::int64_t decoded_size_;
};

ImageFolderIndex::ImageFolderIndex(const FolderScan& scan, const ReadOptions& options,
                                   const internal::ImageStreams& streams, PackedInts pixels)
    : scan_(scan),
      has_text_keys_(options.has_text_keys),
      has_pixels_(options.reads_headers),
      counts_frames_(counts_images(scan, streams)),
      pixels_(std::move(pixels)) {
  Cut(*this, options, streams).run();
}

std::optional<ChunkInfo> ImageFolderIndex::chunk(ChunkIndex chunk) const {
  const auto number = static_cast<std::int64_t>(chunk);
  if (number >= decoded_bytes_.size()) return std::nullopt;
  const std::int64_t count = first_sequences_[number + 1] - first_sequences_[number];
  return ChunkInfo{.offset_bytes = offsets_bytes_[number],
                   .size_bytes = offsets_bytes_[number + 1] - offsets_bytes_[number],
                   .sequence_count = count,
                   .sample_count = counts_frames_
                                       ? scan_.first_image(first_sequences_[number + 1]) -
                                             scan_.first_image(first_sequences_[number])
                                       : count,
                   .decoded_size_bytes = decoded_bytes_[number]};
}

SequenceKey ImageFolderIndex::key(std::int64_t sequence) const {
  if (has_text_keys_) return key_of_text(scan_.key_text(sequence));
  return {.low = static_cast<std::uint64_t>(sequence)};
}

std::int64_t ImageFolderIndex::pixel_count(std::int64_t sequence) const {
  std::int64_t count = 0;
  const std::int64_t last = scan_.first_image(sequence + 1);
  for (std::int64_t image = scan_.first_image(sequence); image < last; ++image) {
    count = saturated_sum(count, pixels_[image]);
  }
  return count;
}

SequenceTable ImageFolderIndex::table_of(ChunkIndex chunk) const {
  SequenceTable::Builder table;
  std::int64_t offset = 0;
  const std::int64_t last = first_sequence(next(chunk));
  for (std::int64_t sequence = first_sequence(chunk); sequence < last; ++sequence) {
    SequenceInfo info{
        .key = key(sequence),
        .offset_bytes = offset,
        .sample_count = counts_frames_ ? scan_.image_count(sequence) : 1,
        .location = SourceLocation{.source = scan_.first_image(sequence), .offset_bytes = 0}};
    if (has_pixels_) info.cost = pixel_count(sequence);
    table.push_back(info);
    offset = saturated_sum(offset, scan_.size_bytes(sequence));
  }
  return table.finish();
}

std::shared_ptr<const SequenceTable> ImageFolderIndex::sequences(ChunkIndex chunk) const {
  const auto number = static_cast<std::int64_t>(chunk);
  {
    const std::scoped_lock lock(mutex_);
    if (const auto kept = tables_.find(number)) return kept->sequences;
  }
  auto table = std::make_shared<const SequenceTable>(table_of(chunk));
  const std::scoped_lock lock(mutex_);
  return tables_
      .add(number, {.sequences = std::move(table), .notes = nullptr},
           internal::RecentTables::Cost::cheap)
      .sequences;
}

std::int64_t ImageFolderIndex::memory_bytes() const {
  std::int64_t bytes = static_cast<std::int64_t>(sizeof *this) + scan_.memory_bytes();
  for (const PackedInts* const list :
       {&pixels_, &first_sequences_, &offsets_bytes_, &decoded_bytes_}) {
    bytes += list->size_bytes();
  }
  const std::scoped_lock lock(mutex_);
  return bytes + tables_.memory_bytes();
}

}  // namespace sheaf::image_folder
