#include "sheaf/extend/join.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/index.h"
#include "sheaf/extend/nearest.h"
#include "sheaf/types.h"

#include "base/text.h"
#include "core/memory_limit.h"
#include "dataset/held_units.h"
#include "dataset/join_index.h"
#include "dataset/picked_sequences.h"

namespace sheaf {
namespace {

using internal::FoundDiagnostic;
using internal::HeldUnits;
using internal::JoinedSequences;
using internal::JoinIndex;
using internal::PickedSequences;
using internal::WantedSequence;

constexpr std::string_view kLengthCode = "join-length";

class Join final : public Deserializer {
 public:
  Join(std::vector<NamedData> members, const JoinOptions& options)
      : members_(std::move(members)),
        options_((check(options), options)),
        defining_member_(add_streams()),
        compared_(compared_members()),
        describes_(describing_members()),
        index_(members_, options, defining_member_, counted_members()) {
    for (std::size_t m = 0; m < members_.size(); ++m) {
      const bool is_held = index_.is_held(static_cast<std::int64_t>(m));
      held_.push_back(is_held ? std::make_unique<HeldUnits>(*members_[m].data) : nullptr);
    }
  }

  [[nodiscard]] std::span<const Stream> streams() const noexcept override { return streams_; }
  [[nodiscard]] const Index& index() const noexcept override { return index_; }
  [[nodiscard]] std::string fingerprint() const override;
  [[nodiscard]] Chunk read(const ChunkRange& range, Diagnostics& diagnostics) const override;
  void visit_named_files(const std::function<void(const std::string& path)>& visit) const override {
    for (const NamedData& member : members_) member.data->visit_named_files(visit);
  }
  [[nodiscard]] std::vector<StorageNote> storage() const override;
  [[nodiscard]] std::vector<Diagnostic> warnings() const override;
  [[nodiscard]] Diagnostic location_of(ChunkIndex chunk, std::int64_t sequence,
                                       std::int64_t stream) const override;

 private:
  /// A diagnostic, with its joined sequence and its member.
  using FoundInSequence = std::tuple<std::int64_t, std::size_t, FoundDiagnostic*>;

  void check(const JoinOptions& options) const;
  [[nodiscard]] std::int64_t add_streams();
  [[nodiscard]] bool follows_primary() const {
    return options_.lengths == Lengths::primary || options_.lengths == Lengths::at_least;
  }
  [[nodiscard]] std::vector<bool> compared_members() const;
  [[nodiscard]] std::vector<bool> describing_members() const;
  [[nodiscard]] std::vector<bool> counted_members() const;
  [[nodiscard]] std::optional<FoundDiagnostic> align(std::vector<PickedSequences>& members,
                                                     const JoinedSequences& rows,
                                                     std::int64_t first, std::int64_t row) const;
  [[nodiscard]] Diagnostic too_short(Diagnostic location, std::int64_t count,
                                     const std::string& other, std::int64_t other_count) const;
  [[nodiscard]] PickedSequences read_member(std::size_t member, const JoinedSequences& rows,
                                            std::int64_t first, std::int64_t count) const;

  const std::vector<NamedData> members_;
  const JoinOptions options_;
  std::vector<Stream> streams_;
  // Member of the stream that defines the minibatch size; or -1.
  const std::int64_t defining_member_;
  const std::vector<bool> compared_;   // [member]: whether `lengths` compares it
  const std::vector<bool> describes_;  // [member]: whether it states the lengths of others
  const JoinIndex index_;
  std::vector<std::unique_ptr<HeldUnits>> held_;  // [member]; null: not held
};

void Join::check(const JoinOptions& options) const {
  if (members_.empty()) throw ConfigError("join: there is nothing to join");
  for (const NamedData& member : members_) {
    if (!member.data) throw ConfigError(formatted("join: {} is null", member.name));
  }
  if (options.primary < 0 || options.primary >= std::ssize(members_)) {
    throw ConfigError(formatted("primary: the number of a member, 0 .. {}: got {}",
                                members_.size() - 1, options.primary));
  }
  internal::check_memory_limit("memory_limit_bytes", options.memory_limit_bytes);
  if (options.length_tolerance < 0) {
    throw ConfigError(
        formatted("length_tolerance must be 0 or more: got {}", options.length_tolerance));
  }
  if (options.length_tolerance > 0 && options.lengths != Lengths::equal) {
    throw ConfigError(formatted(
        "length_tolerance: {} samples are for lengths=equal; other lengths have no tolerance",
        options.length_tolerance));
  }
  if (!options.length_streams.empty() && options.lengths == Lengths::any) {
    throw ConfigError("length_streams: needs lengths=equal, lengths=primary or lengths=at_least");
  }
  if (options.held_bytes < 0) {
    throw ConfigError(formatted("held_bytes must be 0 or more: got {}", options.held_bytes));
  }
}

// Collects the streams of all members. Returns the member of the stream that defines the minibatch
// size, or -1 if there is none.
std::int64_t Join::add_streams() {
  std::map<std::string, std::size_t> member_of;  // of each name
  std::int64_t defining_member = -1;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    for (const Stream& stream : members_[m].data->streams()) {
      const auto [known, is_new] = member_of.emplace(stream.name, m);
      if (!is_new) {
        throw ConfigError(formatted(
            "join: {} and {} both have a stream \"{}\": leave it out of one of them, or give it "
            "another name there (alias; --stream NEW:...:alias=OLD)",
            members_[known->second].name, members_[m].name, stream.name));
      }
      if (stream.defines_minibatch_size) {
        if (defining_member >= 0) {
          throw ConfigError(formatted(
              "join: streams of {} and of {} define the minibatch size; one can",
              members_[static_cast<std::size_t>(defining_member)].name, members_[m].name));
        }
        defining_member = static_cast<std::int64_t>(m);
      }
      streams_.push_back(stream);
    }
  }
  return defining_member;
}

// Returns which members `lengths` compares.
std::vector<bool> Join::compared_members() const {
  if (options_.lengths == Lengths::any) return std::vector<bool>(members_.size(), false);
  std::vector<bool> compared(members_.size(), options_.length_streams.empty());
  std::vector<std::string> known;
  for (const Stream& stream : streams_) known.push_back(stream.name);
  for (const std::string& name : options_.length_streams) {
    if (std::ranges::find(known, name) == known.end()) {
      const std::string nearest = nearest_name(name, known);
      throw ConfigError(
          formatted("length_streams: there is no stream {}{}", quoted(name),
                    nearest.empty() ? "" : formatted("; did you mean {}?", quoted(nearest))));
    }
    for (std::size_t m = 0; m < members_.size(); ++m) {
      if (std::ranges::find(members_[m].data->streams(), name, &Stream::name) !=
          members_[m].data->streams().end()) {
        compared[m] = true;
      }
    }
  }
  if (follows_primary()) {
    compared[static_cast<std::size_t>(options_.primary)] = true;
  }
  return compared;
}

// Returns which members state the lengths of the other sequences. Their own samples are not
// compared.
std::vector<bool> Join::describing_members() const {
  std::vector<bool> describes;
  for (const NamedData& member : members_) {
    describes.push_back(std::ranges::any_of(member.data->streams(), &Stream::describes_others));
  }
  if (follows_primary() && describes[static_cast<std::size_t>(options_.primary)]) {
    throw ConfigError(formatted(
        "lengths: how long the sequences of {} are is not known before they are read; with "
        "`{}`, another file must be the primary",
        members_[static_cast<std::size_t>(options_.primary)].name,
        options_.lengths == Lengths::primary ? "primary" : "at_least"));
  }
  return describes;
}

// Returns which members have their own samples compared.
std::vector<bool> Join::counted_members() const {
  std::vector<bool> counted = compared_;
  for (std::size_t m = 0; m < counted.size(); ++m) counted[m] = counted[m] && !describes_[m];
  return counted;
}

std::string Join::fingerprint() const {
  std::string text = formatted("primary={}:missing={}", options_.primary,
                               static_cast<int>(options_.missing_sequences));
  if (options_.lengths != Lengths::any) {
    text += formatted(":lengths={}:tolerance={}:compared=", static_cast<int>(options_.lengths),
                      options_.length_tolerance);
    for (const bool is_compared : compared_) text += is_compared ? '1' : '0';
  }
  for (const NamedData& member : members_) text += '\n' + member.data->fingerprint();
  return formatted("join:{}:{}", members_.size(), to_string(key_of_text(text)));
}

PickedSequences Join::read_member(std::size_t member, const JoinedSequences& rows,
                                  std::int64_t first, std::int64_t count) const {
  const PackedInts& numbers = rows.numbers[member];
  const internal::SequenceNumbers& locations = index_.numbers(static_cast<std::int64_t>(member));
  std::vector<WantedSequence> wanted;
  wanted.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t number = numbers[first + i];
    if (number != JoinedSequences::kAbsent) wanted.push_back({locations.locate(number), i});
  }
  return {*members_[member].data, held_[member].get(), std::move(wanted), count};
}

/// Returns the description of a diagnostic that was not described when it was found, since there
/// were many.
Diagnostic described(const Deserializer& data, const FoundDiagnostic& found) {
  Diagnostics diagnostics(std::numeric_limits<std::int64_t>::max());
  static_cast<void>(data.read({found.location.chunk, found.location.sequence, 1}, diagnostics));
  const auto number = static_cast<std::size_t>(found.number);
  if (number >= diagnostics.described().size()) return found.diagnostic;
  return diagnostics.described()[number];
}

// Cuts the members of a joined sequence to their common samples. Returns a diagnostic if their
// numbers of samples do not fit.
std::optional<FoundDiagnostic> Join::align(std::vector<PickedSequences>& members,
                                           const JoinedSequences& rows, std::int64_t first,
                                           std::int64_t row) const {
  const auto primary = static_cast<std::size_t>(options_.primary);
  std::optional<std::size_t> shortest;
  std::optional<std::size_t> longest;
  std::vector<std::int64_t> counts(members.size(), 0);
  for (std::size_t m = 0; m < members.size(); ++m) {
    if (!compared_[m] || describes_[m]) continue;
    const std::optional<std::int64_t> count = members[m].sample_count(row);
    if (!count) continue;
    counts[m] = *count;
    if (!shortest || *count < counts[*shortest]) shortest = m;
    if (!longest || *count > counts[*longest]) longest = m;
  }
  if (!shortest) return std::nullopt;
  const bool is_primary = follows_primary();
  const std::size_t other = is_primary ? primary : *longest;
  const std::size_t kept = is_primary ? primary : *shortest;
  const auto location_of = [&](std::size_t m) {
    FoundDiagnostic found;
    found.row = row;
    found.location =
        index_.numbers(static_cast<std::int64_t>(m)).locate(rows.numbers[m][first + row]);
    found.is_described = true;
    found.diagnostic = internal::location_of(members_[m], found.location);
    const std::string_view text = members[primary].key_text(row);
    if (!text.empty()) found.diagnostic.sequence_key = text;
    return found;
  };
  if (counts[*shortest] < counts[other] - options_.length_tolerance) {
    FoundDiagnostic found = location_of(*shortest);
    found.diagnostic = too_short(std::move(found.diagnostic), counts[*shortest],
                                 members_[other].name, counts[other]);
    return found;
  }
  for (std::size_t m = 0; m < members.size(); ++m) {
    if (!compared_[m] || !describes_[m]) continue;
    const std::optional<std::int64_t> count = members[m].described_count(row);
    if (!count || std::abs(*count - counts[kept]) <= options_.length_tolerance) continue;
    FoundDiagnostic found = location_of(m);
    found.diagnostic.stream =
        std::ranges::find(members_[m].data->streams(), true, &Stream::describes_others)->name;
    found.diagnostic.code = kLengthCode;
    found.diagnostic.expected =
        formatted("sequence {} to be of {} samples, as {} has", found.diagnostic.sequence_key,
                  counts[kept], members_[kept].name);
    if (options_.length_tolerance > 0) {
      found.diagnostic.expected +=
          formatted(", or at most {} more or fewer", options_.length_tolerance);
    }
    found.diagnostic.found = formatted("{}, as the sequence itself says", *count);
    return found;
  }
  if (options_.lengths == Lengths::at_least) return std::nullopt;
  for (std::size_t m = 0; m < members.size(); ++m) {
    if (compared_[m] && counts[m] > counts[kept]) members[m].cut(row, counts[kept]);
  }
  return std::nullopt;
}

// Returns a diagnostic: the sequence has too few samples compared with the file `other`.
Diagnostic Join::too_short(Diagnostic location, std::int64_t count, const std::string& other,
                           std::int64_t other_count) const {
  location.code = kLengthCode;
  location.found = formatted("{}", count);
  const std::string& key = location.sequence_key;
  if (follows_primary()) {
    location.expected =
        formatted("at least {} samples of sequence {}, as {} has", other_count, key, other);
    location.hint = formatted(
        "in CNTK's words: Sequence with key '{}' has '{}' frame(s), whereas the primary sequence "
        "expects at least '{}' frames",
        key, count, other_count);
  } else if (options_.length_tolerance == 0) {
    location.expected = formatted("{} samples of sequence {}, as {} has", other_count, key, other);
  } else {
    location.expected = formatted("{} samples of sequence {}, as {} has, or at most {} fewer",
                                  other_count, key, other, options_.length_tolerance);
  }
  return location;
}

Diagnostic Join::location_of(ChunkIndex chunk, std::int64_t sequence, std::int64_t stream) const {
  const std::shared_ptr<const JoinedSequences> rows = index_.rows(chunk);
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const std::int64_t stream_count = std::ssize(members_[m].data->streams());
    if (stream >= stream_count) {
      stream -= stream_count;
      continue;
    }
    const std::int64_t number = rows->numbers[m][sequence];
    if (number == JoinedSequences::kAbsent) break;
    const auto found = index_.numbers(static_cast<std::int64_t>(m)).locate(number);
    return members_[m].data->location_of(found.chunk, found.sequence, stream);
  }
  return {.byte_offset = Diagnostic::kNoOffset};
}

Chunk Join::read(const ChunkRange& range, Diagnostics& diagnostics) const {
  const std::shared_ptr<const JoinedSequences> rows = index_.rows(range.chunk);
  const std::int64_t count = std::min(range.count, rows->table.size() - range.first);
  std::vector<PickedSequences> members;
  std::set<std::int64_t> all_holes;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const PickedSequences& picked = members.emplace_back(read_member(m, *rows, range.first, count));
    all_holes.insert(picked.holes().begin(), picked.holes().end());
  }
  std::vector<FoundDiagnostic> unequal;
  if (options_.lengths != Lengths::any) {
    for (std::int64_t i = 0; i < count; ++i) {
      if (all_holes.contains(i)) continue;
      std::optional<FoundDiagnostic> each = align(members, *rows, range.first, i);
      if (!each) continue;
      all_holes.insert(i);
      unequal.push_back(*std::move(each));
    }
  }
  const std::vector<std::int64_t> holes(all_holes.begin(), all_holes.end());

  std::vector<FoundInSequence> found;
  for (std::size_t m = 0; m < members.size(); ++m) {
    for (FoundDiagnostic& each : members[m].found()) found.emplace_back(each.row, m, &each);
  }
  for (FoundDiagnostic& each : unequal) found.emplace_back(each.row, members.size(), &each);
  std::ranges::stable_sort(
      found, {}, [](const auto& each) { return std::pair(std::get<0>(each), std::get<1>(each)); });
  for (const auto& [row, m, each] : found) {
    if (!each->is_described && diagnostics.wants_text(each->diagnostic.severity)) {
      each->diagnostic = described(*members_[m].data, *each);
    }
    diagnostics.add(range.first + row, std::move(each->diagnostic));
  }

  std::vector<Column> columns;
  for (const PickedSequences& picked : members) {
    std::ranges::move(picked.columns(holes), std::back_inserter(columns));
  }
  Chunk chunk(streams_, count, std::move(columns), holes);
  const PickedSequences& primary = members[static_cast<std::size_t>(options_.primary)];
  if (primary.has_key_texts()) {
    std::vector<std::string> texts;
    for (std::int64_t i = 0; i < count; ++i) texts.emplace_back(primary.key_text(i));
    chunk.set_key_texts(std::move(texts));
  }
  return chunk;
}

std::vector<StorageNote> Join::storage() const {
  std::vector<StorageNote> notes;
  for (const NamedData& member : members_) {
    std::ranges::move(member.data->storage(), std::back_inserter(notes));
  }
  return notes;
}

std::vector<Diagnostic> Join::warnings() const {
  std::vector<Diagnostic> warnings = internal::warnings_of(members_);
  std::ranges::copy(index_.warnings(), std::back_inserter(warnings));
  return warnings;
}

}  // namespace

std::unique_ptr<Deserializer> join(std::vector<NamedData> members, const JoinOptions& options) {
  return std::make_unique<Join>(std::move(members), options);
}

}  // namespace sheaf
