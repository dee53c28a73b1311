#include "sheaf/extend/concatenate.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/index.h"
#include "sheaf/extend/parallel_for.h"
#include "sheaf/types.h"

#include "base/text.h"
#include "core/memory_limit.h"
#include "dataset/common_streams.h"
#include "dataset/concatenated_index.h"
#include "dataset/member_places.h"
#include "index/units.h"

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
  [[nodiscard]] std::vector<DecodedRange> index_all(Executor& executor,
                                                    std::int64_t decoded_chunks_max) const override;
  [[nodiscard]] std::vector<Diagnostic> warnings() const override;

  [[nodiscard]] NamedData file_of(ChunkIndex& chunk) const override {
    const MemberChunk place = member_of(chunk);
    chunk = place.chunk;
    return members_[static_cast<std::size_t>(place.member)];
  }

 private:
  void check(const ConcatenateOptions& options) const;
  [[nodiscard]] MemberChunk member_of(ChunkIndex chunk) const;

  const std::vector<NamedData> members_;
  const ConcatenateOptions options_;
  const ConcatenatedIndex index_;
};

/// How the streams of two members differ; empty where they do not.
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

void Concatenation::check(const ConcatenateOptions& options) const {
  if (members_.empty()) throw ConfigError("concatenate: there is nothing to read");
  for (const NamedData& member : members_) {
    if (!member.data) throw ConfigError(formatted("concatenate: {} is null", member.name));
    const std::string difference = sheaf::difference(members_.front(), member);
    if (difference.empty()) continue;
    throw ConfigError(internal::refusal_text(difference));
  }
  internal::check_memory_limit("memory_limit_bytes", options.memory_limit_bytes);
}

MemberChunk Concatenation::member_of(ChunkIndex chunk) const {
  const std::optional<MemberChunk> place = index_.find(chunk);
  if (place) return *place;
  throw InternalError(formatted("there is no chunk {}", static_cast<std::int64_t>(chunk)));
}

std::string Concatenation::fingerprint() const {
  std::string text = formatted("keys={}", static_cast<int>(options_.keys));
  for (const NamedData& member : members_) text += '\n' + member.data->fingerprint();
  return formatted("concatenation:{}:{}", members_.size(), to_string(key_of_text(text)));
}

Chunk Concatenation::read(const ChunkRange& range, Diagnostics& diagnostics) const {
  const MemberChunk place = member_of(range.chunk);
  const Deserializer& data = *members_[static_cast<std::size_t>(place.member)].data;
  Chunk chunk = data.read({place.chunk, range.first, range.count}, diagnostics);
  if (options_.keys == ConcatenatedKeys::number) chunk.drop_key_texts();
  return chunk;
}

// The ranges of a member, by the numbers that its chunks have here. What is not decoded is to be
// read, unit by unit.
void append_ranges(const Deserializer& data, std::vector<DecodedRange> decoded,
                   std::int64_t first_chunk, std::vector<DecodedRange>& ranges) {
  for (DecodedRange& range : decoded) {
    const std::int64_t chunk = first_chunk + static_cast<std::int64_t>(range.range.chunk);
    range.range.chunk = ChunkIndex{chunk};
    ranges.push_back(std::move(range));
  }
  if (!decoded.empty()) return;
  ChunkIndex chunk{};
  for (; const std::optional<ChunkInfo> info = data.index().chunk(chunk); chunk = next(chunk)) {
    const internal::Units units(*info);
    for (std::int64_t u = 0; u < units.count(); ++u) {
      const ChunkIndex here{first_chunk + static_cast<std::int64_t>(chunk)};
      const std::int64_t first = units.first(u);
      ranges.push_back({{here, first, units.first(u + 1) - first}, nullptr, 0});
    }
  }
}

// Large members have their indexes made one after the other, each by all threads; small ones, for
// which that is of no use, many at once, each by one.
std::vector<DecodedRange> Concatenation::index_all(Executor& executor,
                                                   std::int64_t decoded_chunks_max) const {
  const auto data_of = [&](std::int64_t member) -> const Deserializer& {
    return *members_[static_cast<std::size_t>(member)].data;
  };
  std::vector<std::vector<DecodedRange>> decoded;
  std::int64_t room = decoded_chunks_max;
  for (std::int64_t m = 0; m < std::ssize(members_); ++m) {
    decoded.push_back(data_of(m).index_all(executor, room));
    if (decoded.back().empty()) continue;
    room = std::max<std::int64_t>(
        0, room - 1 - static_cast<std::int64_t>(decoded.back().back().range.chunk));
  }
  parallel_for(&executor, std::ssize(members_), [&](std::int64_t m) {
    if (!decoded[static_cast<std::size_t>(m)].empty()) return;
    for (ChunkIndex chunk{}; data_of(m).index().chunk(chunk); chunk = next(chunk)) {
    }
  });
  const auto is_empty = [](const std::vector<DecodedRange>& ranges) { return ranges.empty(); };
  if (std::ranges::all_of(decoded, is_empty)) return {};

  std::vector<DecodedRange> ranges;
  for (std::int64_t m = 0; m < std::ssize(members_); ++m) {
    const std::int64_t chunk_count =
        ranges.empty() ? 0 : 1 + static_cast<std::int64_t>(ranges.back().range.chunk);
    append_ranges(data_of(m), std::move(decoded[static_cast<std::size_t>(m)]), chunk_count, ranges);
  }
  if (static_cast<std::int64_t>(ranges.back().range.chunk) >= decoded_chunks_max) return {};
  for (DecodedRange& range : ranges) {
    // Sequences that are numbered through have no texts for keys.
    const bool has_texts = range.chunk != nullptr && !range.chunk->key_text(0).empty();
    if (has_texts && options_.keys == ConcatenatedKeys::number) range.chunk.reset();
  }
  return ranges;
}

std::vector<Diagnostic> Concatenation::warnings() const { return internal::warnings_of(members_); }

}  // namespace

std::unique_ptr<Deserializer> concatenate(std::vector<NamedData> members,
                                          const ConcatenateOptions& options) {
  return std::make_unique<Concatenation>(std::move(members), options);
}

}  // namespace sheaf
