// A record has the notes, list by list, and then the bytes of the table if it is kept.

#include "index/known_chunks.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "base/int_codec.h"
#include "index/table_codec.h"

namespace sheaf::internal {
namespace {

// Larger tables are not encoded, since they would not be kept.
constexpr std::int64_t kDecodedBytesMax = 1024;

std::uint64_t take(std::span<const std::byte>& bytes) { return take_varint(bytes).value_or(0); }

void append_rising(const std::vector<std::int64_t>& numbers, std::string& into) {
  append_varint(numbers.size(), into);
  std::int64_t before = 0;
  for (const std::int64_t number : numbers) {
    append_varint(static_cast<std::uint64_t>(number - before), into);
    before = number;
  }
}

std::vector<std::int64_t> take_rising(std::span<const std::byte>& bytes) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(take(bytes)));
  std::int64_t before = 0;
  for (std::int64_t& number : numbers) {
    number = before + static_cast<std::int64_t>(take(bytes));
    before = number;
  }
  return numbers;
}

void append_notes(const ChunkNotes& notes, std::string& into) {
  append_varint(notes.streams.size(), into);
  for (const StreamCounts& stream : notes.streams) {
    append_varint(static_cast<std::uint64_t>(stream.sample_count), into);
    append_varint(static_cast<std::uint64_t>(stream.pair_count), into);
  }
  append_varint(notes.unit_hashes.size(), into);
  for (const std::uint64_t hash : notes.unit_hashes) append_word(hash, into);
  append_rising(notes.repeated, into);
}

ChunkNotes take_notes(std::span<const std::byte>& bytes) {
  ChunkNotes notes;
  notes.streams.resize(static_cast<std::size_t>(take(bytes)));
  for (StreamCounts& stream : notes.streams) {
    stream.sample_count = static_cast<std::int64_t>(take(bytes));
    stream.pair_count = static_cast<std::int64_t>(take(bytes));
  }
  notes.unit_hashes.resize(static_cast<std::size_t>(take(bytes)));
  for (std::uint64_t& hash : notes.unit_hashes) hash = take_word(bytes).value_or(0);
  notes.repeated = take_rising(bytes);
  return notes;
}

}  // namespace

bool KnownChunks::add(const ChunkInfo& info, const ChunkNotes& notes, const SequenceTable& table) {
  std::string record;
  append_notes(notes, record);
  bool is_kept = false;
  if (table.size_bytes() <= kDecodedBytesMax) {
    std::string encoded;
    append_table(table, encoded);
    is_kept = std::ssize(encoded) <= kTableBytesMax;
    if (is_kept) record += encoded;
  }
  records_.truncate(size());  // a failed call may have left one
  records_.push_back(record);
  infos_.push_back(info);
  return is_kept;
}

ChunkNotes KnownChunks::notes(std::int64_t chunk) const {
  std::span<const std::byte> record = records_[chunk];
  ChunkNotes notes = take_notes(record);
  const std::int64_t late = chunk - first_late_;
  if (late >= 0 && late < late_.size()) {
    std::span<const std::byte> repeated = late_[late];
    notes.repeated = take_rising(repeated);
  }
  return notes;
}

std::shared_ptr<const SequenceTable> KnownChunks::table(std::int64_t chunk) const {
  std::span<const std::byte> record = records_[chunk];
  static_cast<void>(take_notes(record));
  if (record.empty()) return nullptr;
  return std::make_shared<const SequenceTable>(*take_table(record, infos_[chunk].sequence_count));
}

void KnownChunks::set_repeated(std::int64_t chunk, const std::vector<std::int64_t>& repeated) {
  if (late_.size() == 0) first_late_ = chunk;
  std::string record;
  append_rising(repeated, record);
  late_.push_back(record);
}

void KnownChunks::truncate(std::int64_t count) {
  infos_.truncate(count);
  records_.truncate(count);
  late_.truncate(std::clamp<std::int64_t>(count - first_late_, 0, late_.size()));
}

std::int64_t KnownChunks::memory_bytes() const noexcept {
  return infos_.memory_bytes() + records_.memory_bytes() + late_.memory_bytes();
}

}  // namespace sheaf::internal
