#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "user/user_buffers.h"
#include "user/user_columns.h"

namespace sheaf::python {
namespace {

/// Makes columns of some sequences of a chunk.
class Slicer {
 public:
  Slicer(const std::shared_ptr<const UserChunk>& whole, std::int64_t first, std::int64_t count,
         bool copies)
      : whole_(whole), first_(first), count_(count), copies_(copies) {}

  [[nodiscard]] Column slice(const Stream& stream, const Column& column) const {
    const auto sequences = column.sequence_offsets.as<std::int64_t>();
    const auto at = [](std::span<const std::int64_t> offsets, std::int64_t i) {
      return offsets.empty() ? i : offsets[static_cast<std::size_t>(i)];
    };
    const std::int64_t begin = at(sequences, first_);
    const std::int64_t end = at(sequences, first_ + count_);
    const std::int64_t value_size = element_size(stream.element_type);
    Column part;
    if (has_sample_offsets(stream)) {
      const auto samples = column.sample_offsets.as<std::int64_t>();
      part.values =
          bytes(column.values, at(samples, begin) * value_size, at(samples, end) * value_size);
      if (stream.storage == Storage::sparse) {
        const std::int64_t index_size = element_size(stream.index_type);
        part.indices =
            bytes(column.indices, at(samples, begin) * index_size, at(samples, end) * index_size);
      } else {
        const std::int64_t extents_size = stream.sample_shape.rank() * kOffsetSize;
        part.extents = bytes(column.extents, begin * extents_size, end * extents_size);
      }
      part.sample_offsets = offsets(column.sample_offsets, begin, end);
    } else {
      const std::int64_t sample_size = stream.sample_shape.size() * value_size;
      part.values = bytes(column.values, begin * sample_size, end * sample_size);
    }
    if (!sequences.empty()) {
      part.sequence_offsets = offsets(column.sequence_offsets, first_, first_ + count_);
    }
    if (!column.presence.empty()) {
      part.presence = bytes(column.presence, first_, first_ + count_);
    }
    return part;
  }

 private:
  [[nodiscard]] Buffer bytes(const Buffer& from, std::int64_t begin, std::int64_t end) const {
    const auto part = from.as<std::byte>().subspan(static_cast<std::size_t>(begin),
                                                   static_cast<std::size_t>(end - begin));
    if (part.empty()) return {};
    return copies_ ? copy_of(part) : Buffer::borrow(part, whole_);
  }

  // Returns the offsets of the elements [begin, end), shifted to begin at 0.
  [[nodiscard]] Buffer offsets(const Buffer& from, std::int64_t begin, std::int64_t end) const {
    if (begin == 0) return bytes(from, 0, (end + 1) * kOffsetSize);
    const auto all = from.as<std::int64_t>();
    return offsets_of(end - begin, [&](std::int64_t i) {
      const auto at = static_cast<std::size_t>(begin + i);
      return all[at + 1] - all[at];
    });
  }

  const std::shared_ptr<const UserChunk>& whole_;
  const std::int64_t first_;
  const std::int64_t count_;
  const bool copies_;
};

}  // namespace

Chunk part_of(const std::shared_ptr<const UserChunk>& whole, std::span<const Stream> streams,
              const UserTable& table, const ChunkRange& range, bool copies,
              Diagnostics& diagnostics) {
  const std::int64_t first = range.first - whole->first;
  const Slicer slicer(whole, first, range.count, copies);
  std::vector<Column> columns;
  for (std::size_t s = 0; s < streams.size(); ++s) {
    columns.push_back(slicer.slice(streams[s], whole->chunk.columns()[s]));
  }
  std::vector<std::int64_t> holes;
  for (const std::int64_t hole : whole->chunk.holes()) {
    if (hole >= first && hole < first + range.count) holes.push_back(hole - first);
  }
  for (const UserChunk::Error& error : whole->errors) {
    if (error.sequence < first || error.sequence >= first + range.count) continue;
    diagnostics.add(whole->first + error.sequence, error.diagnostic);
  }
  Chunk part(streams, range.count, std::move(columns), std::move(holes));
  if (table.has_texts()) {
    std::vector<std::string> texts;
    for (std::int64_t i = 0; i < range.count; ++i) {
      texts.emplace_back(table.text(range.chunk, range.first + i));
    }
    part.set_key_texts(std::move(texts));
  }
  return part;
}

}  // namespace sheaf::python
