// The bytes of a range are read together, including headers. The same code as in the scan then
// walks over the headers in memory. So the index needs no names of entries.

#include "format/webdataset/webdataset_range.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <set>
#include <system_error>
#include <utility>

#include "sheaf/error.h"

#include "base/text.h"
#include "format/listed/source_bytes.h"
#include "format/webdataset/webdataset_errors.h"

namespace sheaf::webdataset {
namespace {

constexpr std::int64_t kUnnumbered = -1;  // sorts before every numbered frame
constexpr std::int64_t kLabelBytesMax = 64;

/// The bytes of a shard that were read, as a source.
class PartSource final : public ByteSource {
 public:
  PartSource(const Buffer& bytes, std::int64_t begin_bytes, std::string_view name)
      : bytes_(bytes), begin_(begin_bytes), name_(name) {}

  [[nodiscard]] std::string_view name() const noexcept override { return name_; }
  [[nodiscard]] std::int64_t size() const noexcept override { return begin_ + bytes_.size_bytes(); }
  void read_at(std::int64_t offset, std::span<std::byte> into) const override {
    std::memcpy(into.data(), bytes_.data() + (offset - begin_), into.size());
  }

 private:
  const Buffer& bytes_;
  std::int64_t begin_;
  std::string_view name_;
};

template <typename T>
Buffer buffer_of(const std::vector<T>& values) {
  const auto size = static_cast<std::int64_t>(values.size() * sizeof(T));
  Buffer buffer;
  buffer.reserve(size);
  buffer.resize(size);
  if (size > 0) std::memcpy(buffer.mutable_data(), values.data(), static_cast<std::size_t>(size));
  return buffer;
}

bool is_blank(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace

bool parse_label(std::string_view text, std::int32_t& number) noexcept {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end;
}

RangeReader::RangeReader(const RangeSource& source, const ChunkRange& range,
                         Diagnostics& diagnostics)
    : source_(source),
      range_(range),
      diagnostics_(diagnostics),
      table_(source.index.sequences(range.chunk)),
      last_(range.first + std::min(range.count, table_->size() - range.first)),
      part_(source.index.part_of(range.chunk, range.first, last_)),
      parts_(source.entries.size()) {}

Chunk RangeReader::read() {
  read_bytes();
  for (std::int64_t number = range_.first; number < last_; ++number) take_sequence(number);
  std::vector<Column> columns;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const bool is_bytes = source_.entries[i].content == StreamContent::bytes;
    columns.push_back(is_bytes ? byte_column(i) : label_column(i));
  }
  Chunk chunk(source_.streams, last_ - range_.first, std::move(columns), std::move(holes_));
  if (source_.options.has_text_keys) chunk.set_key_texts(std::move(key_texts_));
  return chunk;
}

void RangeReader::read_bytes() {
  const std::int64_t size = part_.end_bytes - part_.begin_bytes;
  if (part_.end_bytes > part_.shard->size()) throw_changed();
  bytes_ = std::make_shared<Buffer>();
  bytes_->reserve(size);
  bytes_->resize(size);
  internal::read_bytes(*part_.shard, part_.begin_bytes,
                       {bytes_->mutable_data(), static_cast<std::size_t>(size)},
                       source_.options.read_size_bytes);
}

std::vector<DataEntry> RangeReader::entries_of(std::int64_t number) const {
  const std::int64_t begin =
      part_.begin_bytes + table_->offset_bytes(number) - table_->offset_bytes(range_.first);
  const std::int64_t end = number + 1 < last_
                               ? part_.begin_bytes + table_->offset_bytes(number + 1) -
                                     table_->offset_bytes(range_.first)
                               : part_.end_bytes;
  const PartSource bytes(*bytes_, part_.begin_bytes, part_.shard->name());
  EntryWalker walker(
      internal::TarWalker(bytes, internal::TarWalker::Part{.begin_bytes = begin, .end_bytes = end}),
      source_.options.joins_frames);
  std::vector<DataEntry> entries;
  try {
    while (std::optional<DataEntry> entry = walker.next()) {
      // Sequences that the index left out may follow.
      if (!entries.empty() && entry->key != entries.front().key) break;
      entries.push_back(*std::move(entry));
    }
  } catch (const internal::TarDamage&) {
    throw_changed();
  }
  if (entries.empty()) throw_changed();
  return entries;
}

void RangeReader::take_sequence(std::int64_t number) {
  const std::vector<DataEntry> entries = entries_of(number);
  const DataEntry& first = entries.front();
  if (source_.options.has_text_keys && key_of_text(first.key) != table_->key(number)) {
    throw_changed();
  }
  number_ = number;
  is_hole_ = false;
  key_texts_.push_back(first.key);
  for (StreamPart& part : parts_) {
    part.piece_counts.push_back(0);
    part.presence.push_back(0);
    part.last_frame = kUnnumbered - 1;
  }
  if (source_.index.is_repeated(range_.chunk, number)) {
    fail(kRepeatedKey, first.begin_bytes, {}, quoted(first.key));
  }
  std::set<std::string_view> names;
  for (const DataEntry& entry : entries) {
    if (names.insert(entry.name).second) {
      take_entry(entry, entries);
    } else {
      fail(kRepeatedEntry, entry.begin_bytes, {}, quoted(entry.name));
    }
  }
  end_sequence(number, first);
}

void RangeReader::take_entry(const DataEntry& entry, const std::vector<DataEntry>& entries) {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const EntryStream& stream = source_.entries[i];
    if (!takes(stream, entry.suffix)) continue;
    StreamPart& part = parts_[i];
    if (stream.has_frames) {
      const std::int64_t frame = entry.frame.value_or(kUnnumbered);
      if (frame <= part.last_frame) {
        fail(kFrameOrder, entry.begin_bytes, stream.stream.name, quoted(entry.name));
      }
      part.last_frame = std::max(frame, part.last_frame);
    } else if (part.presence.back() != 0) {
      fail(kRepeatedEntry, entry.begin_bytes, stream.stream.name, quoted(entry.name),
           entries.size() > 1 ? "an alias such as jpg+png takes one of several suffixes" : "");
      continue;
    }
    part.presence.back() = 1;
    ++part.piece_counts.back();
    if (stream.content == StreamContent::bytes) {
      part.pieces.push_back({.offset_bytes = entry.offset_bytes, .size_bytes = entry.size_bytes});
    } else {
      take_label(i, entry);
    }
  }
}

void RangeReader::take_label(std::size_t stream, const DataEntry& entry) {
  const EntryStream& entries = source_.entries[stream];
  std::int32_t number = 0;
  const std::string_view text =
      bytes_of({.offset_bytes = entry.offset_bytes, .size_bytes = entry.size_bytes});
  if (std::ssize(text) > kLabelBytesMax || !parse_label(text, number)) {
    fail(kLabel, entry.offset_bytes, entries.stream.name, quoted(text));
  } else if (entries.class_count > 0 && (number < 0 || number >= entries.class_count)) {
    fail(kClass, entry.offset_bytes, entries.stream.name,
         formatted("{}, where there are {} classes", number, entries.class_count));
  }
  parts_[stream].numbers.push_back(number);
}

// Ends a sequence. If it is a hole, removes its entries.
void RangeReader::end_sequence(std::int64_t number, const DataEntry& first) {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i].presence.back() != 0 || source_.options.allows_missing) continue;
    fail(kMissing, first.begin_bytes, source_.entries[i].stream.name, "none",
         "missing_streams=allow (--missing-streams allow) reads the sequence without the stream");
  }
  if (!is_hole_) return;
  holes_.push_back(number - range_.first);
  for (StreamPart& part : parts_) {
    const auto count = static_cast<std::size_t>(std::exchange(part.piece_counts.back(), 0));
    part.presence.back() = 1;
    if (!part.pieces.empty()) part.pieces.resize(part.pieces.size() - count);
    if (!part.numbers.empty()) part.numbers.resize(part.numbers.size() - count);
  }
}

void RangeReader::fail(const internal::ErrorKind& kind, std::int64_t byte_offset,
                       std::string_view stream, std::string found, std::string hint) {
  is_hole_ = true;
  Diagnostic diagnostic = location_in_shard(*part_.shard, kind, byte_offset, std::move(found));
  diagnostic.sequence_key =
      source_.options.has_text_keys ? key_texts_.back() : to_string(table_->key(number_));
  diagnostic.stream = stream;
  diagnostic.hint = std::move(hint);
  diagnostics_.add(number_, std::move(diagnostic));
}

void RangeReader::throw_changed() const {
  throw IoError(formatted("{}: was changed after it was indexed", part_.shard->name()));
}

std::string_view RangeReader::bytes_of(const Piece& piece) const {
  return {reinterpret_cast<const char*>(bytes_->data()) + (piece.offset_bytes - part_.begin_bytes),
          static_cast<std::size_t>(piece.size_bytes)};
}

// Sets the numbers of samples of the sequences.
void RangeReader::set_counts(const StreamPart& part, Column& column) const {
  if (std::ranges::any_of(part.piece_counts, [](std::int64_t count) { return count != 1; })) {
    std::vector<std::int64_t> offsets = {0};
    for (const std::int64_t count : part.piece_counts) offsets.push_back(offsets.back() + count);
    column.sequence_offsets = buffer_of(offsets);
  }
  if (std::ranges::find(part.presence, std::uint8_t{0}) != part.presence.end()) {
    column.presence = buffer_of(part.presence);
  }
}

Column RangeReader::byte_column(std::size_t stream) const {
  const StreamPart& part = parts_[stream];
  Column column;
  set_counts(part, column);
  std::vector<std::int64_t> offsets = {0};
  std::vector<std::int64_t> sizes;
  for (const Piece& piece : part.pieces) {
    sizes.push_back(piece.size_bytes);
    offsets.push_back(offsets.back() + piece.size_bytes);
  }
  column.sample_offsets = buffer_of(offsets);
  column.extents = buffer_of(sizes);
  if (source_.entries[stream].has_frames) {
    column.values.reserve(offsets.back());
    column.values.resize(offsets.back());
    std::byte* to = column.values.mutable_data();
    for (const Piece& piece : part.pieces) {
      const std::string_view bytes = bytes_of(piece);
      if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
      to += bytes.size();
    }
    return column;
  }
  std::vector<std::int64_t> locations;
  std::size_t piece = 0;
  for (const std::int64_t count : part.piece_counts) {
    locations.push_back(count == 0 ? 0 : part.pieces[piece++].offset_bytes - part_.begin_bytes);
  }
  column.value_byte_offsets = buffer_of(locations);
  column.values =
      Buffer::borrow({bytes_->data(), static_cast<std::size_t>(bytes_->size_bytes())}, bytes_);
  return column;
}

Column RangeReader::label_column(std::size_t stream) const {
  const StreamPart& part = parts_[stream];
  Column column;
  set_counts(part, column);
  if (source_.entries[stream].content == StreamContent::ids) {
    column.values = buffer_of(part.numbers);
    return column;
  }
  column.values = buffer_of(std::vector<float>(part.numbers.size(), 1.0F));
  column.indices = buffer_of(part.numbers);
  std::vector<std::int64_t> offsets;
  for (std::int64_t i = 0; i <= std::ssize(part.numbers); ++i) offsets.push_back(i);
  column.sample_offsets = buffer_of(offsets);
  return column;
}

}  // namespace sheaf::webdataset
