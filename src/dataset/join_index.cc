// A join is made in two passes. The first pass goes over the tables of all members and spreads the
// keys (key_matcher.h), unless the keys of each member rise (rising_keys.h). The second pass goes
// over the primary with the matches of each sequence. It writes one joined chunk after the other.

#include "dataset/join_index.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/parallel_for.h"

#include "base/int_codec.h"
#include "base/saturated.h"
#include "base/text.h"
#include "dataset/key_matcher.h"
#include "dataset/rising_keys.h"
#include "index/table_codec.h"

namespace sheaf::internal {
namespace {

constexpr const char* kUseConcatenation =
    "files with other sequences of the same streams are not to be joined, but read one after the "
    "other: several files in one command, or concatenate() (docs/joins.md); the sequences of files "
    "without keys, such as CBF, are numbered from 0";

/// Returns the number of a member's set in the matcher. The primary is first, then the others
/// follow in their order.
std::int64_t set_of(std::int64_t member, std::int64_t primary) noexcept {
  return member == primary ? 0 : member + (member < primary ? 1 : 0);
}

std::vector<const CutLengths*> lengths_of(std::span<const NamedData> members) {
  std::vector<const CutLengths*> lengths;
  lengths.reserve(members.size());
  for (const NamedData& member : members) lengths.push_back(cut_lengths_of(member.data->index()));
  return lengths;
}

}  // namespace

std::int64_t JoinedSequences::size_bytes() const noexcept {
  std::int64_t sum = std::int64_t{sizeof(JoinedSequences)} + table.size_bytes();
  for (const PackedInts& each : numbers) {
    sum += static_cast<std::int64_t>(sizeof(PackedInts)) + each.size_bytes();
  }
  return sum;
}

/// Finds the sequences of members that belong to the sequences of the primary.
class JoinIndex::Matches {
 public:
  /// Throws: DataError if a member has a key twice.
  explicit Matches(const JoinIndex& index);

  /// Returns the sequence of a member that belongs to a sequence of the primary, or nothing if
  /// there is none.
  ///
  /// Pre: called for each sequence of the primary, in order.
  [[nodiscard]] std::optional<Match> find(std::int64_t member, std::int64_t number,
                                          const SequenceKey& key);

  /// Returns the numbers of the first sequences of a member that the primary does not have.
  ///
  /// Pre: `member` is not the primary; find() was called for all sequences of the primary.
  [[nodiscard]] std::vector<std::int64_t> unmatched(std::int64_t member) {
    return rising_ ? rising_->unmatched(member) : matcher_->unmatched(set_of(member, primary_));
  }

  /// Returns how many matches were found.
  [[nodiscard]] std::int64_t count(std::int64_t member) const noexcept {
    return counts_[static_cast<std::size_t>(member)];
  }

 private:
  const std::int64_t primary_;
  std::vector<std::int64_t> counts_;  // [member]
  std::optional<RisingKeys> rising_;  // if the keys of all members rise; otherwise ...
  std::optional<KeyMatcher> matcher_;
};

JoinIndex::Matches::Matches(const JoinIndex& index)
    : primary_(index.options_.primary), counts_(index.members_.size()) {
  if (std::ranges::all_of(index.members_, [](const NamedData& member) {
        return keys_rise(member.data->index());
      })) {
    rising_.emplace(index.members_, index.options_.named_max);
    return;
  }
  matcher_.emplace(std::ssize(index.members_), index.options_.named_max);
  parallel_for(index.options_.executor, std::ssize(index.members_),
               [&](std::int64_t member) { index.add_keys(member, *matcher_); });
  index.check_keys(*matcher_);
}

std::optional<Match> JoinIndex::Matches::find(std::int64_t member, std::int64_t number,
                                              const SequenceKey& key) {
  std::optional<Match> found =
      rising_ ? rising_->find(member, key) : matcher_->find(set_of(member, primary_), number);
  if (found) ++counts_[static_cast<std::size_t>(member)];
  return found;
}

/// Does the second pass.
class JoinIndex::Builder {
 public:
  Builder(JoinIndex& index, Matches& matches)
      : index_(index),
        matches_(matches),
        primary_(index.options_.primary),
        last_(index.members_.size(), -1),
        jumps_(index.members_.size()) {}

  void build();

  /// Returns whether the matched sequences of each member mostly follow each other.
  [[nodiscard]] std::vector<bool> are_in_order() const;

  /// Collects the final warnings.
  ///
  /// Throws: DataError if nothing is left, or if missing sequences are an error.
  void conclude();

 private:
  /// The joined sequences of the current chunk.
  struct Chunk {
    ChunkInfo info;
    SequenceTable::Builder table;
    std::vector<PackedInts::Builder> numbers;
    PackedInts::Builder costs;
    bool costs_bytes = true;  // whether every cost is the size of its sequence
  };

  /// A sequence of the primary, and the matching sequences of the other members.
  struct Row {
    std::int64_t weight = 0;
    std::optional<std::int64_t> common;  // samples that all compared members have
    MemberSizes sizes;                   // the cost is the sum over members that declare costs
    std::vector<std::int64_t> numbers;   // [member]
    std::int64_t lacking = -1;           // first member without the sequence; -1: none
    bool is_left_out = false;
  };

  [[nodiscard]] Row row_of(const ChunkInfo& chunk, const SequenceTable& table, std::int64_t i);
  void add_member(std::int64_t member, std::int64_t number, std::int64_t sample_count,
                  const MemberSizes& sizes, Row& row) const;
  void note_step(std::size_t member, std::int64_t number);
  void note_missing(const Row& row);
  [[nodiscard]] Diagnostic named(std::int64_t number, std::int64_t lacking) const;
  [[nodiscard]] Diagnostic summary() const;
  [[nodiscard]] Diagnostic nothing_left() const;
  void add_unmatched();
  [[nodiscard]] const NamedData& member(std::int64_t i) const {
    return index_.members_[static_cast<std::size_t>(i)];
  }

  JoinIndex& index_;
  Matches& matches_;
  const std::int64_t primary_;
  std::int64_t offset_bytes_ = 0;    // of the next joined chunk
  std::int64_t number_ = 0;          // of the next sequence of the primary
  std::vector<std::int64_t> last_;   // [member]: number of the last matched sequence
  std::vector<std::int64_t> jumps_;  // [member]: how often the next one was not near
  std::int64_t missing_count_ = 0;
  std::int64_t left_out_count_ = 0;  // among the missing ones
  // The first: number, first member without it.
  std::vector<std::pair<std::int64_t, std::int64_t>> missing_;
};

void JoinIndex::Builder::build() {
  const Index& primary = member(primary_).data->index();
  for (ChunkIndex c{}; const std::optional<ChunkInfo> info = primary.chunk(c); c = next(c)) {
    const std::shared_ptr<const SequenceTable> table = primary.sequences(c);
    Chunk chunk{.info = {.offset_bytes = offset_bytes_, .first_line = info->first_line},
                .table = {},
                .numbers = std::vector<PackedInts::Builder>(index_.members_.size()),
                .costs = {}};
    for (std::int64_t i = 0; i < table->size(); ++i) {
      const Row row = row_of(*info, *table, i);
      if (row.lacking >= 0) note_missing(row);
      if (row.is_left_out) continue;
      chunk.table.push_back({.key = table->key(i),
                             .offset_bytes = chunk.info.size_bytes,
                             .first_line = table->first_line(i),
                             .sample_count = row.weight});
      for (std::size_t m = 0; m < row.numbers.size(); ++m) {
        chunk.numbers[m].push_back(row.numbers[m]);
      }
      chunk.costs.push_back(row.sizes.cost);
      chunk.costs_bytes &= row.sizes.cost == row.sizes.source_bytes;
      chunk.info.size_bytes += row.sizes.source_bytes;
      chunk.info.decoded_size_bytes += row.sizes.decoded_bytes;
      chunk.info.sample_count += row.weight;
    }
    if (chunk.table.size() == 0) continue;
    offset_bytes_ += chunk.info.size_bytes;
    JoinedSequences rows{.table = chunk.table.finish(), .numbers = {}};
    if (!index_.measure_.name.empty() && !chunk.costs_bytes) {
      SequenceTable::Columns columns = rows.table.columns();
      columns.rare = std::make_shared<const SequenceTable::RareColumns>(
          SequenceTable::RareColumns{.costs = chunk.costs.finish()});
      rows.table = SequenceTable(std::move(columns));
    }
    chunk.info.sequence_count = rows.table.size();
    for (PackedInts::Builder& each : chunk.numbers) rows.numbers.push_back(each.finish());
    index_.add(chunk.info, std::move(rows));
  }
}

JoinIndex::Builder::Row JoinIndex::Builder::row_of(const ChunkInfo& chunk,
                                                   const SequenceTable& table, std::int64_t i) {
  Row row;
  row.numbers.assign(index_.members_.size(), JoinedSequences::kAbsent);
  const std::int64_t number = number_++;
  add_member(primary_, number, table.sample_count(i), sizes_of(chunk, table, i), row);
  for (std::int64_t m = 0; m < std::ssize(index_.members_); ++m) {
    if (m == primary_) continue;
    const std::optional<Match> match = matches_.find(m, number, table.key(i));
    if (match) {
      note_step(static_cast<std::size_t>(m), match->other);
      add_member(m, match->other, match->sample_count,
                 {match->size_bytes, match->decoded_bytes, match->cost}, row);
      continue;
    }
    if (row.lacking < 0) row.lacking = m;
    row.is_left_out |= index_.options_.missing_sequences != MissingSequences::absent ||
                       m == index_.defining_member_;
  }
  const bool is_compared = index_.defining_member_ < 0 ||
                           index_.compared_[static_cast<std::size_t>(index_.defining_member_)];
  if (row.common && is_compared) row.weight = *row.common;
  return row;
}

void JoinIndex::Builder::add_member(std::int64_t member, std::int64_t number,
                                    std::int64_t sample_count, const MemberSizes& sizes,
                                    Row& row) const {
  row.numbers[static_cast<std::size_t>(member)] = number;
  row.sizes.source_bytes += sizes.source_bytes;
  row.sizes.decoded_bytes += sizes.decoded_bytes;
  if (index_.has_costs_[static_cast<std::size_t>(member)]) {
    row.sizes.cost = saturated_sum(row.sizes.cost, sizes.cost);
  }
  if (index_.defining_member_ < 0) {
    row.weight = std::max(row.weight, sample_count);
  } else if (index_.defining_member_ == member) {
    row.weight = sample_count;
  }
  if (!index_.compared_[static_cast<std::size_t>(member)]) return;
  const bool counts = index_.options_.lengths == Lengths::equal || member == primary_;
  if (counts) row.common = std::min(row.common.value_or(sample_count), sample_count);
}

void JoinIndex::Builder::note_step(std::size_t member, std::int64_t number) {
  constexpr std::int64_t kNear = 16;
  const std::int64_t step = number - std::exchange(last_[member], number);
  if (step < 1 || step > kNear) ++jumps_[member];
}

std::vector<bool> JoinIndex::Builder::are_in_order() const {
  constexpr std::int64_t kJumpShare = 8;  // at most a kJumpShare-th of jumps counts as in order
  std::vector<bool> are_in_order;
  for (std::int64_t m = 0; m < std::ssize(jumps_); ++m) {
    const std::int64_t matches = matches_.count(m);
    are_in_order.push_back(jumps_[static_cast<std::size_t>(m)] <= 1 + matches / kJumpShare);
  }
  return are_in_order;
}

void JoinIndex::Builder::note_missing(const Row& row) {
  ++missing_count_;
  if (row.is_left_out) ++left_out_count_;
  if (std::ssize(missing_) < index_.options_.named_max) {
    missing_.emplace_back(number_ - 1, row.lacking);
  }
}

Diagnostic JoinIndex::Builder::named(std::int64_t number, std::int64_t lacking) const {
  Diagnostic diagnostic = location_of(member(primary_), index_.numbers(primary_).locate(number));
  diagnostic.severity = Severity::warning;
  diagnostic.code = "join-missing";
  diagnostic.expected =
      formatted("sequence {} in {}, too", diagnostic.sequence_key, member(lacking).name);
  diagnostic.found = "none";
  return diagnostic;
}

Diagnostic JoinIndex::Builder::summary() const {
  const std::int64_t count = index_.numbers(primary_).size();
  Diagnostic diagnostic;
  diagnostic.severity = Severity::warning;
  diagnostic.path = member(primary_).name;
  diagnostic.byte_offset = Diagnostic::kNoOffset;
  diagnostic.code = "join-missing";
  diagnostic.expected = formatted("its {} sequences in all other files", count);
  diagnostic.found = formatted("{} that are not in all of them", missing_count_);
  diagnostic.count = missing_count_ - std::ssize(missing_);
  if (index_.options_.missing_sequences != MissingSequences::error) {
    const bool are_all_left_out = left_out_count_ == missing_count_;
    diagnostic.found +=
        are_all_left_out ? ": they are left out" : ": they are delivered without those streams";
    if (!are_all_left_out && left_out_count_ > 0) {
      diagnostic.found += formatted(", but for {} that are left out", left_out_count_);
    }
  }
  if (missing_count_ > count / 2) diagnostic.hint = kUseConcatenation;
  return diagnostic;
}

Diagnostic JoinIndex::Builder::nothing_left() const {
  Diagnostic diagnostic;
  diagnostic.path = member(primary_).name;
  diagnostic.byte_offset = Diagnostic::kNoOffset;
  diagnostic.severity = Severity::fatal;
  diagnostic.code = "join-empty";
  diagnostic.expected = "sequences that all files have";
  const std::int64_t count = index_.numbers(primary_).size();
  diagnostic.found = count == 0 ? std::string("no sequence at all")
                                : formatted("none among its {} sequences", count);
  diagnostic.hint = kUseConcatenation;
  const auto has_texts = [&](std::int64_t m) {
    return index_.numbers(m).size() > 0 &&
           member(m).data->index().sequences(ChunkIndex{})->key(0).high != 0;
  };
  for (std::int64_t m = 0; m < std::ssize(index_.members_); ++m) {
    if (index_.numbers(m).size() == 0) {
      diagnostic.hint = formatted("{} has no sequence", member(m).name);
    } else if (has_texts(m) != has_texts(primary_)) {
      diagnostic.hint = formatted(
          "sequence keys are texts in one of {} and {}, and numbers in the "
          "other; keys=numeric or keys=text (--keys) reads all of them as one kind",
          member(primary_).name, member(m).name);
    }
  }
  return diagnostic;
}

void JoinIndex::Builder::add_unmatched() {
  for (std::int64_t m = 0; m < std::ssize(index_.members_); ++m) {
    const std::int64_t size = index_.numbers(m).size();
    const std::int64_t count = size - matches_.count(m);
    if (m == primary_ || count == 0) continue;
    const std::vector<std::int64_t> first = matches_.unmatched(m);
    for (const std::int64_t number : first) {
      Diagnostic named = location_of(member(m), index_.numbers(m).locate(number));
      named.severity = Severity::warning;
      named.code = "join-unmatched";
      named.expected =
          formatted("sequence {} in {}, too", named.sequence_key, member(primary_).name);
      named.found = "none";
      index_.warnings_.push_back(std::move(named));
    }
    Diagnostic diagnostic;
    diagnostic.severity = Severity::warning;
    diagnostic.path = member(m).name;
    diagnostic.byte_offset = Diagnostic::kNoOffset;
    diagnostic.code = "join-unmatched";
    diagnostic.expected = formatted("sequences that {} has, too", member(primary_).name);
    diagnostic.found = formatted("{} of {} that it does not have: they are left out", count, size);
    diagnostic.count = count - std::ssize(first);
    index_.warnings_.push_back(std::move(diagnostic));
  }
}

void JoinIndex::Builder::conclude() {
  if (index_.entries_.empty()) throw DataError({nothing_left()});
  if (missing_count_ > 0) {
    for (const auto& [number, lacking] : missing_) {
      index_.warnings_.push_back(named(number, lacking));
    }
    index_.warnings_.push_back(summary());
  }
  if (missing_count_ > 0 && index_.options_.missing_sequences == MissingSequences::error) {
    for (Diagnostic& each : index_.warnings_) each.severity = Severity::fatal;
    throw DataError(std::move(index_.warnings_));
  }
  add_unmatched();
}

JoinIndex::JoinIndex(std::span<const NamedData> members, const JoinOptions& options,
                     std::int64_t defining_member, std::vector<bool> compared)
    : members_(members),
      options_(options),
      defining_member_(defining_member),
      compared_(compared.empty() ? std::vector<bool>(members.size(), false) : std::move(compared)),
      counts_apart_(defining_member >= 0 && !compared_[static_cast<std::size_t>(defining_member)] &&
                    std::ranges::find(compared_, true) != compared_.end()),
      lengths_(lengths_of(members)),
      measure_(common_measure(members, false)),
      reads_parts_(all_read_parts(members)),
      numbers_(members.size()),
      decoded_bytes_(members.size()),
      source_bytes_(members.size()),
      stored_bytes_(members.size()),
      is_held_(members.size()),
      cache_(options.memory_limit_bytes ? std::max<std::int64_t>(1, *options.memory_limit_bytes / 2)
                                        : 0) {
  for (const NamedData& member : members_) {
    has_costs_.push_back(!member.data->index().cost_measure().name.empty());
  }
  if (options.executor != nullptr) {
    for (const NamedData& member : members_) {  // large ones, each with all threads
      member.data->build_index(*options.executor, nullptr);
    }
  }
  parallel_for(options.executor, std::ssize(members_),
               [this](std::int64_t member) { count_sequences(member); });
  Matches matches(*this);
  Builder builder(*this, matches);
  builder.build();
  builder.conclude();
  choose_held(builder.are_in_order());
}

JoinIndex::~JoinIndex() = default;

// Runs for several members at once. Each call touches the data of its member only.
void JoinIndex::count_sequences(std::int64_t member) {
  const auto m = static_cast<std::size_t>(member);
  const Index& index = members_[m].data->index();
  for (ChunkIndex c{}; const std::optional<ChunkInfo> info = index.chunk(c); c = next(c)) {
    numbers_[m].add_chunk(info->sequence_count);
    decoded_bytes_[m] += info->decoded_size_bytes;
    source_bytes_[m] += info->size_bytes;
    stored_bytes_[m] += index.stored_size_bytes(c);
  }
}

// Runs for several members at once, as count_sequences().
void JoinIndex::add_keys(std::int64_t member, KeyMatcher& matcher) const {
  const Index& index = members_[static_cast<std::size_t>(member)].data->index();
  const std::int64_t set = set_of(member, options_.primary);
  std::int64_t number = 0;
  for (ChunkIndex c{}; const std::optional<ChunkInfo> info = index.chunk(c); c = next(c)) {
    const std::shared_ptr<const SequenceTable> table = index.sequences(c);
    for (std::int64_t i = 0; i < table->size(); ++i) {
      const MemberSizes sizes = sizes_of(*info, *table, i);
      matcher.add(set, {.key = table->key(i),
                        .number = number++,
                        .sample_count = table->sample_count(i),
                        .size_bytes = sizes.source_bytes,
                        .decoded_bytes = sizes.decoded_bytes,
                        .cost = sizes.cost});
    }
  }
}

void JoinIndex::choose_held(const std::vector<bool>& are_in_order) {
  std::vector<std::size_t> smallest_first(members_.size());
  std::iota(smallest_first.begin(), smallest_first.end(), std::size_t{0});
  std::ranges::stable_sort(smallest_first, {}, [&](std::size_t m) { return decoded_bytes_[m]; });
  for (const std::size_t m : smallest_first) {
    if (are_in_order[m] || held_bytes_ + decoded_bytes_[m] > options_.held_bytes) continue;
    is_held_[m] = true;
    held_bytes_ += decoded_bytes_[m];
  }
}

// Matches the keys. Throws if a member has a key twice.
void JoinIndex::check_keys(KeyMatcher& matcher) const {
  const std::optional<RepeatedKey> repeated = matcher.match();
  if (!repeated) return;
  std::int64_t number = 0;
  while (set_of(number, options_.primary) != repeated->set) ++number;
  const NamedData& member = members_[static_cast<std::size_t>(number)];
  const Diagnostic earlier = location_of(member, numbers(number).locate(repeated->earlier));
  Diagnostic later = location_of(member, numbers(number).locate(repeated->later));
  later.severity = Severity::fatal;
  later.code = "join-repeated-key";
  later.expected = "a sequence key that no other sequence of the file has";
  later.found =
      formatted("{}, which is that of {}, too", later.sequence_key, location_text(earlier));
  later.hint = "sequences are joined by their keys, so a file has each key once";
  throw DataError({std::move(later)});
}

// Keeps a chunk in memory as long as there is room, and otherwise in the file.
void JoinIndex::add(const ChunkInfo& info, JoinedSequences rows) {
  Entry entry{.info = info, .rows = nullptr};
  const std::int64_t bytes = rows.size_bytes();
  const std::optional<std::int64_t> limit = options_.memory_limit_bytes;
  if (!limit || resident_bytes_ + bytes <= *limit / 2) {
    resident_bytes_ += bytes;
    entry.rows = std::make_shared<const JoinedSequences>(std::move(rows));
  } else {
    const std::string text = encoded(rows);
    if (!file_) file_ = std::make_unique<TemporaryFile>();
    entry.file_offset = file_size_;
    entry.file_size = std::ssize(text);
    file_->write_at(file_size_, std::as_bytes(std::span(text)));
    file_size_ += entry.file_size;
  }
  entries_.push_back(std::move(entry));
}

std::string JoinIndex::encoded(const JoinedSequences& rows) const {
  std::string text;
  append_table(rows.table, text);
  for (const PackedInts& each : rows.numbers) append_ints(each, text);
  return text;
}

JoinedSequences JoinIndex::decoded(std::span<const std::byte> bytes, std::int64_t count) const {
  const auto required = [](auto part) {
    if (!part) throw IoError("the temporary file of a join was changed");
    return *std::move(part);
  };
  JoinedSequences rows{.table = required(take_table(bytes, count)), .numbers = {}};
  for (std::size_t m = 0; m < members_.size(); ++m) {
    rows.numbers.push_back(required(take_ints(bytes, count)));
  }
  return rows;
}

std::optional<ChunkInfo> JoinIndex::chunk(ChunkIndex chunk) const {
  const auto i = static_cast<std::size_t>(chunk);
  if (i >= entries_.size()) return std::nullopt;
  return entries_[i].info;
}

std::int64_t JoinIndex::stored_size_bytes(ChunkIndex chunk) const {
  const std::int64_t size = entries_.at(static_cast<std::size_t>(chunk)).info.size_bytes;
  const std::int64_t source = std::reduce(source_bytes_.begin(), source_bytes_.end());
  const std::int64_t stored = std::reduce(stored_bytes_.begin(), stored_bytes_.end());
  if (source == stored || source == 0) return size;
  const double share = static_cast<double>(size) / static_cast<double>(source);
  return static_cast<std::int64_t>(share * static_cast<double>(stored));
}

bool JoinIndex::has_cut_lengths() const noexcept {
  return counts_apart_ || std::ranges::any_of(lengths_, [](const CutLengths* lengths) {
           return lengths != nullptr;
         });
}

std::optional<std::int64_t> JoinIndex::cut_length(ChunkIndex chunk, std::int64_t sequence) const {
  const std::shared_ptr<const JoinedSequences> rows = this->rows(chunk);
  std::optional<std::int64_t> common;  // as Builder::Row
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const bool is_compared = counts_apart_ && compared_[m];
    const std::int64_t number = rows->numbers[m][sequence];
    if (number == JoinedSequences::kAbsent || (!is_compared && lengths_[m] == nullptr)) continue;
    const SequenceNumber own = numbers_[m].locate(number);
    const std::optional<std::int64_t> length =
        cut_length_of(members_[m].data->index(), lengths_[m], own.chunk, own.sequence);
    if (!length) return std::nullopt;
    if (is_compared) common = std::min(common.value_or(*length), *length);
  }
  return common.value_or(rows->table.sample_count(sequence));
}

std::shared_ptr<const JoinedSequences> JoinIndex::rows(ChunkIndex chunk) const {
  const auto i = static_cast<std::int64_t>(chunk);
  const Entry& entry = entries_.at(static_cast<std::size_t>(i));
  if (entry.rows) return entry.rows;
  if (std::shared_ptr<const JoinedSequences> found = cache_.find(i)) return found;
  std::vector<std::byte> bytes(static_cast<std::size_t>(entry.file_size));
  file_->read_at(entry.file_offset, bytes);
  auto rows = std::make_shared<const JoinedSequences>(decoded(bytes, entry.info.sequence_count));
  cache_.add(i, rows, rows->size_bytes());
  return rows;
}

std::shared_ptr<const SequenceTable> JoinIndex::sequences(ChunkIndex chunk) const {
  const std::shared_ptr<const JoinedSequences> found = rows(chunk);
  return {found, &found->table};
}

std::int64_t JoinIndex::memory_bytes() const {
  std::int64_t sum =
      std::int64_t{sizeof(JoinIndex)} + resident_bytes_ + cache_.bytes() + held_bytes_;
  sum += static_cast<std::int64_t>(entries_.capacity() * sizeof(Entry));
  for (const SequenceNumbers& each : numbers_) sum += each.memory_bytes();
  for (const NamedData& member : members_) sum += member.data->index().memory_bytes();
  return sum;
}

}  // namespace sheaf::internal
