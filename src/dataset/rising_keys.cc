#include "dataset/rising_keys.h"

#include <cstddef>

#include "sheaf/extend/packed_ints.h"

#include "dataset/member_locations.h"

namespace sheaf::internal {
namespace {

/// Returns whether the keys of a table are consecutive rising numbers.
bool are_running(const SequenceTable& table) {
  const std::optional<PackedInts::Line> line = table.columns().keys_low.line();
  const bool is_line = line && line->step == 1 && table.columns().keys_high.size() == 0;
  return is_line && table.key(0) <= table.key(table.size() - 1);  // a line may overflow
}

/// Returns whether the keys of a table rise, and the first one is above `last`.
bool rises(const SequenceTable& table, const std::optional<SequenceKey>& last) {
  if (last && table.key(0) <= *last) return false;
  if (are_running(table)) return true;
  for (std::int64_t i = 1; i < table.size(); ++i) {
    if (table.key(i) <= table.key(i - 1)) return false;
  }
  return true;
}

}  // namespace

bool keys_rise(const Index& index) {
  std::optional<SequenceKey> last;
  for (ChunkIndex c{}; index.chunk(c); c = next(c)) {
    const std::shared_ptr<const SequenceTable> table = index.sequences(c);
    if (!rises(*table, last)) return false;
    last = table->key(table->size() - 1);
  }
  return true;
}

RisingKeys::RisingKeys(std::span<const NamedData> members, std::int64_t unmatched_max)
    : unmatched_max_(unmatched_max) {
  for (const NamedData& member : members) {
    cursors_.emplace_back().index = &member.data->index();
    enter(cursors_.back(), ChunkIndex{});
  }
}

void RisingKeys::enter(Cursor& cursor, ChunkIndex chunk) {
  cursor.chunk = chunk;
  cursor.sequence = 0;
  cursor.info = cursor.index->chunk(chunk);
  cursor.table = cursor.info ? cursor.index->sequences(chunk) : nullptr;
}

void RisingKeys::step(Cursor& cursor) const {
  if (!cursor.is_matched && std::ssize(cursor.unmatched) < unmatched_max_) {
    cursor.unmatched.push_back(cursor.number);
  }
  cursor.is_matched = false;
  ++cursor.number;
  if (++cursor.sequence == cursor.table->size()) enter(cursor, next(cursor.chunk));
}

std::vector<std::int64_t> RisingKeys::unmatched(std::int64_t member) {
  Cursor& cursor = cursors_[static_cast<std::size_t>(member)];
  while (cursor.info && std::ssize(cursor.unmatched) < unmatched_max_) step(cursor);
  return cursor.unmatched;
}

std::optional<Match> RisingKeys::find(std::int64_t member, const SequenceKey& key) {
  Cursor& cursor = cursors_[static_cast<std::size_t>(member)];
  while (cursor.info && cursor.table->key(cursor.sequence) < key) step(cursor);
  if (!cursor.info || cursor.table->key(cursor.sequence) != key) return std::nullopt;
  cursor.is_matched = true;
  const MemberSizes sizes = sizes_of(*cursor.info, *cursor.table, cursor.sequence);
  return Match{.other = cursor.number,
               .sample_count = cursor.table->sample_count(cursor.sequence),
               .size_bytes = sizes.source_bytes,
               .decoded_bytes = sizes.decoded_bytes,
               .cost = sizes.cost};
}

}  // namespace sheaf::internal
