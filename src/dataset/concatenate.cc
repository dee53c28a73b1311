#include "sheaf/extend/concatenate.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/extend/index.h"
#include "sheaf/extend/parallel_for.h"
#include "sheaf/types.h"

#include "base/text.h"
#include "core/memory_limit.h"
#include "dataset/common_streams.h"
#include "dataset/concatenated_index.h"
#include "dataset/member_locations.h"

namespace sheaf {
namespace {

using internal::ConcatenatedIndex;
using internal::MemberChunk;

class Concatenation final : public Deserializer, public internal::FilesInside {
 public:
  Concatenation(std::vector<NamedData> members, const ConcatenateOptions& options)
      : members_(std::move(members)),
        options_((check(options), options)),
        index_(members_, options) {}

  [[nodiscard]] std::span<const Stream> streams() const noexcept override {
    return members_.front().data->streams();
  }
  [[nodiscard]] const Index& index() const noexcept override { return index_; }
  [[nodiscard]] std::string fingerprint() const override;
  [[nodiscard]] Chunk read(const ChunkRange& range, Diagnostics& diagnostics) const override;
  [[nodiscard]] bool has_fast_random_access() const noexcept override {
    return std::ranges::all_of(
        members_, [](const NamedData& member) { return member.data->has_fast_random_access(); });
  }
  void build_index(Executor& executor, DecodedSink* sink) const override;
  void visit_named_files(const std::function<void(const std::string& path)>& visit) const override {
    for (const NamedData& member : members_) member.data->visit_named_files(visit);
  }
  [[nodiscard]] std::vector<StorageNote> storage() const override;
  [[nodiscard]] std::vector<Diagnostic> warnings() const override;
  [[nodiscard]] Diagnostic location_of(ChunkIndex chunk, std::int64_t sequence,
                                       std::int64_t stream) const override {
    const MemberChunk entry = member_of(chunk);
    const NamedData& member = members_[static_cast<std::size_t>(entry.member)];
    return member.data->location_of(entry.chunk, sequence, stream);
  }

  [[nodiscard]] NamedData file_of(ChunkIndex& chunk) const override {
    const MemberChunk entry = member_of(chunk);
    chunk = entry.chunk;
    return members_[static_cast<std::size_t>(entry.member)];
  }

 private:
  void check(const ConcatenateOptions& options) const;
  [[nodiscard]] MemberChunk member_of(ChunkIndex chunk) const;

  const std::vector<NamedData> members_;
  const ConcatenateOptions options_;
  const ConcatenatedIndex index_;
};

/// Returns how the streams of two members differ, or an empty text if they agree.
std::string difference(const NamedData& a, const NamedData& b) {
  const std::span<const Stream> first = a.data->streams();
  const std::span<const Stream> second = b.data->streams();
  const auto lacks = [](std::span<const Stream> streams, const Stream& wanted) {
    return std::ranges::find(streams, wanted.name, &Stream::name) == streams.end();
  };
  for (const Stream& stream : first) {
    if (lacks(second, stream)) {
      return formatted("{} has a stream {}, and {} does not", a.name, to_string(stream), b.name);
    }
  }
  for (const Stream& stream : second) {
    if (lacks(first, stream)) {
      return formatted("{} has a stream {}, and {} does not", b.name, to_string(stream), a.name);
    }
  }
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] == second[i]) continue;
    if (first[i].name != second[i].name) {
      return formatted("{} has streams in another order than {}: \"{}\" comes before \"{}\"",
                       b.name, a.name, second[i].name, first[i].name);
    }
    return internal::difference_text(a.name, first[i], b.name, second[i]);
  }
  return {};
}

/// Throws: ConfigError if two members with equal streams name a class differently.
void check_class_names(const NamedData& a, const NamedData& b) {
  for (std::size_t i = 0; i < a.data->streams().size(); ++i) {
    const Stream& stream = a.data->streams()[i];
    const auto& first = stream.class_names;
    const auto& second = b.data->streams()[i].class_names;
    if (!first || !second || *first == *second) continue;
    const auto [one, other] = std::ranges::mismatch(*first, *second);
    const auto name_at = [](const std::vector<std::string>& names, auto entry) {
      return entry == names.end() ? std::string("missing") : quoted(*entry);
    };
    throw ConfigError(formatted(
        "stream {}: the class {} is {} in {}, and {} in {}; data that are read one after the other "
        "have the same classes",
        quoted(stream.name), one - first->begin(), name_at(*first, one), a.name,
        name_at(*second, other), b.name));
  }
}

void Concatenation::check(const ConcatenateOptions& options) const {
  if (members_.empty()) throw ConfigError("concatenate: there is nothing to read");
  for (const NamedData& member : members_) {
    if (!member.data) throw ConfigError(formatted("concatenate: {} is null", member.name));
    const std::string difference = sheaf::difference(members_.front(), member);
    if (!difference.empty()) throw ConfigError(internal::refusal_text(difference));
    check_class_names(members_.front(), member);
  }
  internal::check_memory_limit("memory_limit_bytes", options.memory_limit_bytes);
  if (options.mixture) check_mixture(*options.mixture, std::ssize(members_));
}

MemberChunk Concatenation::member_of(ChunkIndex chunk) const {
  const std::optional<MemberChunk> entry = index_.find(chunk);
  if (entry) return *entry;
  throw InternalError(formatted("there is no chunk {}", static_cast<std::int64_t>(chunk)));
}

std::string Concatenation::fingerprint() const {
  std::string text = formatted("keys={}", static_cast<int>(options_.keys));
  for (const NamedData& member : members_) text += '\n' + member.data->fingerprint();
  return formatted("concatenation:{}:{}", members_.size(), to_string(key_of_text(text)));
}

Chunk Concatenation::read(const ChunkRange& range, Diagnostics& diagnostics) const {
  const MemberChunk entry = member_of(range.chunk);
  const Deserializer& data = *members_[static_cast<std::size_t>(entry.member)].data;
  Chunk chunk = data.read({entry.chunk, range.first, range.count}, diagnostics);
  if (options_.keys == ConcatenatedKeys::number) chunk.drop_key_texts();
  return chunk;
}

// Keeps the sequences that one member decodes while its index is built, until the chunks of all
// members have their numbers.
class MemberRanges final : public DecodedSink {
 public:
  /// Forwards the chunks found to `sink`. Null means to nobody.
  MemberRanges(std::int64_t chunk_count_max, ConcatenatedKeys keys, DecodedSink* sink) noexcept
      : chunk_count_max_(chunk_count_max), keys_(keys), sink_(sink) {}

  [[nodiscard]] std::int64_t chunk_count_max() const noexcept override { return chunk_count_max_; }

  // Sequences that are numbered through have no key texts.
  [[nodiscard]] Kept keep(Chunk decoded) override {
    if (decoded.has_key_texts() && keys_ == ConcatenatedKeys::number) return nullptr;
    return sink_->keep(std::move(decoded));
  }

  void add(const ChunkRange& range, Kept kept, std::int64_t first) override {
    ranges_.push_back({range, std::move(kept), first});
  }

  void found(const ChunkInfo& chunk) override {
    was_told_ = true;
    sink_->found(chunk);
  }

  /// Returns whether the sink has received the chunks found.
  [[nodiscard]] bool was_told() const noexcept { return was_told_; }

  /// Returns the number of chunks that the sequences lie in.
  [[nodiscard]] std::int64_t chunk_count() const noexcept {
    return ranges_.empty() ? 0 : 1 + static_cast<std::int64_t>(ranges_.back().range.chunk);
  }

  /// Gives everything to `sink`, with chunks numbered from `first_chunk` on.
  void move_to(DecodedSink& sink, std::int64_t first_chunk) {
    for (Range& each : ranges_) {
      each.range.chunk = ChunkIndex{first_chunk + static_cast<std::int64_t>(each.range.chunk)};
      sink.add(each.range, std::move(each.kept), each.first);
    }
  }

 private:
  struct Range {
    ChunkRange range;
    Kept kept;
    std::int64_t first = 0;
  };

  const std::int64_t chunk_count_max_;
  const ConcatenatedKeys keys_;
  DecodedSink* const sink_;
  std::atomic<bool> was_told_ = false;
  std::vector<Range> ranges_;
};

// Large members build their indexes one after the other, each with all threads. Small members
// cannot use many threads. So many of them build their indexes at once, each with one thread.
void Concatenation::build_index(Executor& executor, DecodedSink* sink) const {
  std::deque<MemberRanges> decoded;
  const std::int64_t chunk_count_max = sink != nullptr ? sink->chunk_count_max() : 0;
  std::int64_t room = chunk_count_max;
  for (const NamedData& member : members_) {
    MemberRanges& ranges =
        decoded.emplace_back(std::max<std::int64_t>(0, room), options_.keys, sink);
    member.data->build_index(executor, sink != nullptr ? &ranges : nullptr);
    room -= ranges.chunk_count();
  }
  std::vector<std::int64_t> chunk_counts(members_.size());
  parallel_for(&executor, std::ssize(members_), [&](std::int64_t m) {
    const auto member = static_cast<std::size_t>(m);
    const Index& index = members_[member].data->index();
    const bool tells = sink != nullptr && !decoded[member].was_told();
    for (ChunkIndex chunk{}; const std::optional<ChunkInfo> info = index.chunk(chunk);
         chunk = next(chunk)) {
      ++chunk_counts[member];
      if (!tells) continue;
      ChunkInfo stored = *info;  // progress counts the bytes of the files
      stored.size_bytes = index.stored_size_bytes(chunk);
      sink->found(stored);
    }
  });
  const std::int64_t chunk_count =
      std::accumulate(chunk_counts.begin(), chunk_counts.end(), std::int64_t{0});
  if (sink == nullptr || chunk_count > chunk_count_max) return;
  std::int64_t first_chunk = 0;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    decoded[m].move_to(*sink, first_chunk);
    first_chunk += chunk_counts[m];
  }
}

// Adds up the members that store a stream with the same codec.
std::vector<StorageNote> Concatenation::storage() const {
  std::map<std::tuple<std::string, std::string, std::string>, StorageNote> sums;
  for (const NamedData& member : members_) {
    for (StorageNote& each : member.data->storage()) {
      const auto [entry, is_new] = sums.try_emplace({each.stream, each.array, each.codec}, each);
      if (is_new) continue;
      entry->second.array_count += each.array_count;
      entry->second.content_bytes += each.content_bytes;
      entry->second.stored_bytes += each.stored_bytes;
    }
  }
  std::vector<StorageNote> notes;
  notes.reserve(sums.size());
  for (auto& [entry, note] : sums) notes.push_back(std::move(note));
  return notes;
}

std::vector<Diagnostic> Concatenation::warnings() const { return internal::warnings_of(members_); }

}  // namespace

std::unique_ptr<Deserializer> concatenate(std::vector<NamedData> members,
                                          const ConcatenateOptions& options) {
  return std::make_unique<Concatenation>(std::move(members), options);
}

}  // namespace sheaf
