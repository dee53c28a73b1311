// Chunks become known in order. One thread at a time looks for the next chunk, in the index of the
// current member, while other threads ask about known chunks.

#include "dataset/concatenated_index.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <limits>
#include <map>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/interruption.h"

#include "base/interruption_watch.h"
#include "base/text.h"
#include "dataset/member_locations.h"
#include "index/key_check.h"
#include "index/key_finder.h"

namespace sheaf::internal {
namespace {

std::optional<Mixture> mixture_of(std::span<const NamedData> members,
                                  const ConcatenateOptions& options) {
  if (!options.mixture) return std::nullopt;
  Mixture mixture{.options = *options.mixture, .names = {}};
  for (const NamedData& member : members) mixture.names.push_back(member.name);
  return mixture;
}

// Returns 0, which means no limit, only for 0.
std::int64_t half_of(std::int64_t limit_bytes) noexcept {
  return limit_bytes == 0 ? 0 : std::max<std::int64_t>(1, limit_bytes / 2);
}

}  // namespace

/// Finds keys that several members have. Each member checks its own keys.
class ConcatenatedIndex::KeysOfFiles {
 public:
  KeysOfFiles(const ConcatenatedIndex& index, std::int64_t memory_limit_bytes)
      : index_(index), check_(memory_limit_bytes, [&index](std::int64_t chunk) {
          return index.table(ChunkIndex{chunk});
        }) {}

  /// Checks the next chunk, which is known. Returns false if the answer requires all the other
  /// chunks.
  ///
  /// Throws: DataError if an earlier member has one of the keys.
  bool add(ChunkIndex chunk, const SequenceTable& table) {
    const std::optional<KeyCheck::Repeated> repeated = check_.add(table);
    if (repeated) refuse_repeated(chunk, *repeated);
    return repeated.has_value();
  }

  /// Ends the check. Gives the late answers, for the chunks from `chunk` on.
  void finish(ChunkIndex chunk) {
    for (const KeyCheck::Repeated& repeated : check_.finish()) {
      refuse_repeated(chunk, repeated);
      chunk = next(chunk);
    }
  }

  [[nodiscard]] std::int64_t memory_bytes() const noexcept { return check_.memory_bytes(); }

 private:
  void refuse_repeated(ChunkIndex chunk, const KeyCheck::Repeated& repeated);

  const ConcatenatedIndex& index_;
  KeyCheck check_;
  std::map<std::int64_t, KeyFinder> finders_;  // [member] of the earlier members searched
};

void ConcatenatedIndex::KeysOfFiles::refuse_repeated(ChunkIndex chunk,
                                                     const KeyCheck::Repeated& repeated) {
  if (repeated.empty()) return;
  const MemberChunk here = index_.locate(chunk);
  if (here.member == 0) return;
  const std::shared_ptr<const SequenceTable> table = index_.table(chunk);
  for (std::int64_t m = 0; m < here.member; ++m) {
    const NamedData& earlier = index_.members_[static_cast<std::size_t>(m)];
    KeyFinder& finder = finders_.try_emplace(m, earlier.data->index()).first->second;
    for (const std::int64_t i : repeated) {
      const std::optional<ChunkRange> found = finder.find(table->key(i));
      if (!found) continue;
      const NamedData& later = index_.members_[static_cast<std::size_t>(here.member)];
      const Diagnostic first = location_of(earlier, {found->chunk, found->first});
      Diagnostic diagnostic = location_of(later, {here.chunk, i});
      diagnostic.severity = Severity::fatal;
      diagnostic.code = "concatenation-repeated-key";
      diagnostic.expected = "a sequence key that no other file has";
      diagnostic.found =
          formatted("{}, which is that of {}, too", diagnostic.sequence_key, location_text(first));
      diagnostic.hint =
          "files that each have keys of their own are numbered through: same_keys=\"number\" "
          "(--same-keys number); files that have different streams of the same sequences "
          "are joined: --join (docs/joins.md)";
      throw DataError({std::move(diagnostic)});
    }
  }
}

ConcatenatedIndex::ConcatenatedIndex(std::span<const NamedData> members,
                                     const ConcatenateOptions& options)
    : members_(members),
      options_(options),
      measure_(common_measure(members, true)),
      reads_parts_(all_read_parts(members)),
      mixture_(mixture_of(members, options)),
      starts_{Start{}},
      numbered_(half_of(options.memory_limit_bytes.value_or(0))) {}

ConcatenatedIndex::~ConcatenatedIndex() = default;

bool ConcatenatedIndex::can_be_cut() const noexcept { return all_can_be_cut(members_); }

bool ConcatenatedIndex::has_cut_lengths() const noexcept {
  return std::ranges::any_of(members_, [](const NamedData& member) {
    return cut_lengths_of(member.data->index()) != nullptr;
  });
}

std::optional<std::int64_t> ConcatenatedIndex::cut_length(ChunkIndex chunk,
                                                          std::int64_t sequence) const {
  const MemberChunk found = locate(chunk);
  const Index& index = members_[static_cast<std::size_t>(found.member)].data->index();
  return cut_length_of(index, cut_lengths_of(index), found.chunk, sequence);
}

// Returns the member of a chunk that was found, and the chunk's number there.
MemberChunk ConcatenatedIndex::locate(ChunkIndex chunk) const {
  const std::scoped_lock lock(state_mutex_);
  const auto number = static_cast<std::int64_t>(chunk);
  // A member without chunks starts at the same chunk as the next one, which comes behind it.
  const auto behind = std::ranges::upper_bound(starts_, number, {}, &Start::chunk);
  const Start& start = *(behind - 1);
  return {.member = behind - 1 - starts_.begin(), .chunk = ChunkIndex{number - start.chunk}};
}

std::optional<MemberChunk> ConcatenatedIndex::known(ChunkIndex chunk) const {
  {
    const std::scoped_lock lock(state_mutex_);
    if (static_cast<std::int64_t>(chunk) >= known_count_) return std::nullopt;
  }
  return locate(chunk);
}

std::optional<MemberChunk> ConcatenatedIndex::find(ChunkIndex chunk) const {
  std::optional<MemberChunk> found = known(chunk);
  if (found) return found;
  const std::scoped_lock lock(look_mutex_);
  if (error_) std::rethrow_exception(error_);
  const InterruptionWatch watch;
  try {
    while (!(found = known(chunk)) && look_on()) {
    }
  } catch (...) {
    if (!watch.was_interrupted()) error_ = std::current_exception();
    throw;
  }
  return found;
}

// Finds the next chunk of all members. Returns false behind the last one. After an exception, the
// chunks found before stay.
bool ConcatenatedIndex::find_next() const {
  while (!is_all_found_) {
    const std::size_t member = starts_.size() - 1;  // no other thread changes it
    const std::optional<ChunkInfo> info = members_[member].data->index().chunk(next_chunk_);
    const std::scoped_lock lock(state_mutex_);
    if (info) {
      if (options_.keys == ConcatenatedKeys::number) {
        ends_.push_back((ends_.empty() ? 0 : ends_.back()) + info->sequence_count);
      }
      next_chunk_ = next(next_chunk_);
      end_offset_bytes_ = starts_[member].offset_bytes + info->offset_bytes + info->size_bytes;
      ++found_count_;
      return true;
    }
    if (member + 1 == members_.size()) {
      is_all_found_ = true;
    } else {
      starts_.push_back({.chunk = found_count_, .offset_bytes = end_offset_bytes_});
      next_chunk_ = ChunkIndex{};
    }
  }
  return false;
}

// Makes the first `count` chunks known.
void ConcatenatedIndex::tell_of(std::int64_t count) const {
  const std::scoped_lock lock(state_mutex_);
  known_count_ = std::max(known_count_, count);
  key_bytes_ = keys_ ? keys_->memory_bytes() : 0;
}

// Runs a check of keys. An interruption may come in the middle of a chunk, which cannot be undone.
// Then the next check begins with the first chunk.
template <typename Check>
void ConcatenatedIndex::check_keys(const Check& check) const {
  check_interruption();
  const InterruptionWatch watch;
  try {
    check();
  } catch (...) {
    if (watch.was_interrupted()) {
      keys_.reset();
      checked_count_ = 0;
      unchecked_.reset();
    }
    throw;
  }
}

// Pre: there is a chunk that was found but not checked.
void ConcatenatedIndex::check_next() const {
  if (options_.keys == ConcatenatedKeys::distinct && !mixture_ && members_.size() > 1) {
    check_keys([this] {
      if (!keys_) {
        keys_ =
            std::make_unique<KeysOfFiles>(*this, half_of(options_.memory_limit_bytes.value_or(0)));
      }
      const ChunkIndex chunk{checked_count_};
      if (!keys_->add(chunk, *table(chunk)) && !unchecked_) unchecked_ = chunk;
    });
  }
  ++checked_count_;
}

// Makes one more chunk known. If its keys need late answers, makes all chunks known. Returns false
// if there are no more. After an interruption, the chunks found stay, and the next call continues
// there.
bool ConcatenatedIndex::look_on() const {
  if (is_through_) return false;
  const std::int64_t known_before = known_count_;  // no other thread changes it
  do {
    if (checked_count_ == found_count_ && !find_next()) {
      if (unchecked_) check_keys([this] { keys_->finish(*unchecked_); });
      is_through_ = true;
      keys_.reset();
      tell_of(found_count_);
      break;
    }
    check_next();
    if (!unchecked_) tell_of(checked_count_);
  } while (known_count_ == known_before);
  return known_count_ > known_before;
}

std::optional<ChunkInfo> ConcatenatedIndex::chunk(ChunkIndex chunk) const {
  const std::optional<MemberChunk> found = find(chunk);
  if (!found) return std::nullopt;
  const auto member = static_cast<std::size_t>(found->member);
  std::optional<ChunkInfo> info = members_[member].data->index().chunk(found->chunk);
  const std::scoped_lock lock(state_mutex_);
  info->offset_bytes += starts_[member].offset_bytes;
  return info;
}

std::vector<std::int64_t> ConcatenatedIndex::member_ends() const {
  if (!mixture_) return {};
  static_cast<void>(find(ChunkIndex{std::numeric_limits<std::int64_t>::max()}));  // finds all
  const std::scoped_lock lock(state_mutex_);
  std::vector<std::int64_t> ends;
  for (std::size_t i = 1; i < starts_.size(); ++i) ends.push_back(starts_[i].chunk);
  ends.push_back(known_count_);
  return ends;
}

std::int64_t ConcatenatedIndex::chunk_cost(ChunkIndex chunk) const {
  const std::optional<MemberChunk> found = find(chunk);
  if (!found || measure_.name.empty()) return 0;
  return members_[static_cast<std::size_t>(found->member)].data->index().chunk_cost(found->chunk);
}

std::int64_t ConcatenatedIndex::stored_size_bytes(ChunkIndex chunk) const {
  const std::optional<MemberChunk> found = find(chunk);
  if (!found) {
    throw InternalError(formatted("index: there is no chunk {}", static_cast<std::int64_t>(chunk)));
  }
  const Index& index = members_[static_cast<std::size_t>(found->member)].data->index();
  return index.stored_size_bytes(found->chunk);
}

// Returns the table of a chunk as its member has it.
std::shared_ptr<const SequenceTable> ConcatenatedIndex::table(ChunkIndex chunk) const {
  const MemberChunk location = locate(chunk);
  return members_[static_cast<std::size_t>(location.member)].data->index().sequences(
      location.chunk);
}

std::shared_ptr<const SequenceTable> ConcatenatedIndex::sequences(ChunkIndex chunk) const {
  const auto number = static_cast<std::int64_t>(chunk);
  if (!find(chunk)) throw InternalError(formatted("index: there is no chunk {}", number));
  if (options_.keys == ConcatenatedKeys::distinct) return table(chunk);
  if (std::shared_ptr<const SequenceTable> numbered = numbered_.find(number)) return numbered;
  const std::shared_ptr<const SequenceTable> own = table(chunk);
  SequenceTable::Columns columns = own->columns();
  {
    const std::scoped_lock lock(state_mutex_);
    const std::int64_t first = ends_[static_cast<std::size_t>(number)] - own->size();
    columns.keys_low = PackedInts({.first = first, .step = 1}, own->size());
  }
  columns.keys_high = PackedInts();
  auto numbered = std::make_shared<const SequenceTable>(std::move(columns));
  numbered_.add(number, numbered, numbered->size_bytes());
  return numbered;
}

// The function runs for each unit that is read. Asking all of 100,000 members each time would take
// far longer than reading the units.
std::int64_t ConcatenatedIndex::bytes_of_members() const {
  std::size_t begun = 0;
  {
    const std::scoped_lock lock(state_mutex_);
    begun = starts_.size();
  }
  const std::scoped_lock lock(memory_mutex_);
  const auto ask = [this](std::size_t member) {
    const std::int64_t bytes = members_[member].data->index().memory_bytes();
    member_bytes_sum_ += bytes - std::exchange(member_bytes_[member], bytes);
  };
  if (member_bytes_.empty() || members_.size() <= kMembersAsked) {
    member_bytes_.resize(members_.size());
    for (std::size_t member = 0; member < members_.size(); ++member) ask(member);
    return member_bytes_sum_;
  }
  for (std::size_t member = begun_count_ - 1; member < begun; ++member) ask(member);
  begun_count_ = std::max(begun_count_, begun);
  for (std::size_t i = 0; i < kMembersAsked; ++i) {
    ask(next_member_);
    next_member_ = (next_member_ + 1) % members_.size();
  }
  return member_bytes_sum_;
}

std::int64_t ConcatenatedIndex::memory_bytes() const {
  std::int64_t sum = std::int64_t{sizeof(ConcatenatedIndex)} + numbered_.bytes();
  sum += bytes_of_members();
  const std::scoped_lock lock(state_mutex_);
  return sum + key_bytes_ + static_cast<std::int64_t>(starts_.capacity() * sizeof(Start)) +
         static_cast<std::int64_t>(ends_.capacity() * sizeof(std::int64_t));
}

}  // namespace sheaf::internal
