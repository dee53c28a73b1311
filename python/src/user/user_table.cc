#include "user/user_table.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <tuple>
#include <utility>

#include "sheaf/error.h"

namespace sheaf::python {
namespace {

// The size of a chunk in an imagined file, small enough for the chunk to be a single unit.
constexpr std::int64_t kSizeBytesMax = std::int64_t{1} << 20;

std::string of_chunk(std::int64_t chunk) { return "chunk " + std::to_string(chunk) + ": "; }

}  // namespace

void UserTable::check_kind(const NewChunk& chunk) {
  const bool is_numbered = !chunk.keys && !chunk.texts;
  const bool is_first = chunk_count_ == 0;
  if (!is_first && (is_numbered != is_numbered_ || chunk.texts.has_value() == texts_.empty())) {
    throw ConfigError(of_chunk(chunk_count_) +
                      "all chunks have keys of one kind: numbers, texts, or none, which numbers "
                      "sequences through");
  }
  is_numbered_ = is_numbered;
}

void UserTable::check_costs(const NewChunk& chunk) {
  if (chunk_count_ == 0) {
    index_ = chunk.costs
                 ? MemoryIndex({.name = cost_name_})
                 : MemoryIndex({.name = {}, .reason = name_ + ": the chunks have no costs"});
  }
  if (chunk.costs.has_value() == index_.cost_measure().name.empty()) {
    throw ConfigError(of_chunk(chunk_count_) + "either all chunks have costs or none has some");
  }
  if (!chunk.costs) return;
  for (const std::int64_t cost : *chunk.costs) {
    if (cost >= 0 && !__builtin_add_overflow(cost_, cost, &cost_)) continue;
    throw ConfigError(of_chunk(chunk_count_) +
                      "costs are not negative, and counted in 64 bits: got " +
                      std::to_string(cost));
  }
}

void UserTable::add_texts(const std::vector<std::string>& texts) {
  Texts& kept = texts_.emplace_back();
  for (const std::string& text : texts) {
    kept.bytes += text;
    kept.ends.push_back(static_cast<std::int64_t>(kept.bytes.size()));
  }
  text_bytes_ += static_cast<std::int64_t>(sizeof(Texts) + kept.bytes.capacity() +
                                           kept.ends.capacity() * sizeof(std::int64_t));
}

void UserTable::add(NewChunk chunk) {
  check_kind(chunk);
  check_costs(chunk);
  const auto samples_of = [&](std::int64_t i) {
    return chunk.each ? (*chunk.each)[static_cast<std::size_t>(i)] : chunk.samples;
  };
  std::int64_t all = 0;
  for (std::int64_t i = 0; i < chunk.sequence_count; ++i) {
    const std::int64_t samples = samples_of(i);
    if (samples < 1 || __builtin_add_overflow(all, samples, &all)) {
      throw ConfigError(of_chunk(chunk_count_) + "a sequence has at least one sample: got " +
                        std::to_string(samples) + " of its sequence " + std::to_string(i));
    }
  }
  if (__builtin_add_overflow(sample_count_, all, &sample_count_)) {
    throw ConfigError(of_chunk(chunk_count_) + "samples are counted in 64 bits: got " +
                      std::to_string(all) + " beyond those of the chunks before");
  }
  const std::int64_t scale = all / kSizeBytesMax + 1;
  SequenceTable::Builder table;
  std::string hashed = to_string(hash_) + (chunk.texts ? 't' : 'n');
  if (chunk.costs) hashed += 'c' + cost_name_ + '\n';
  std::int64_t before = 0;
  for (std::int64_t i = 0; i < chunk.sequence_count; ++i) {
    SequenceInfo info{.offset_bytes = before / scale, .sample_count = samples_of(i)};
    const auto at = static_cast<std::size_t>(i);
    if (chunk.texts) {
      info.key = key_of_text((*chunk.texts)[at]);
    } else {
      info.key.low =
          chunk.keys ? (*chunk.keys)[at] : static_cast<std::uint64_t>(sequence_count_ + i);
    }
    if (chunk.costs) info.cost = (*chunk.costs)[at];
    table.push_back(info);
    before += info.sample_count;
    const std::array<std::uint64_t, 4> numbers = {
        info.key.low, info.key.high, static_cast<std::uint64_t>(info.sample_count),
        static_cast<std::uint64_t>(info.cost.value_or(0))};
    const std::size_t size = (info.cost ? 4 : 3) * sizeof(std::uint64_t);
    hashed.append(std::bit_cast<std::array<char, sizeof(numbers)>>(numbers).data(), size);
  }
  hash_ = key_of_text(hashed);
  index_.add({.size_bytes = std::max<std::int64_t>(1, all / scale),
              .decoded_size_bytes = chunk.decoded_size_bytes},
             table.finish());
  if (chunk.texts) add_texts(*chunk.texts);
  ++chunk_count_;
  sequence_count_ += chunk.sequence_count;
}

// Sorts the keys only if they do not rise from sequence to sequence, because rising keys differ.
void UserTable::check_keys(const std::string& name) const {
  if (is_numbered_) return;
  using Entry = std::tuple<SequenceKey, std::int64_t, std::int64_t>;  // key, chunk, sequence
  std::vector<Entry> entries;
  bool rise = true;
  SequenceKey last;
  for (std::int64_t c = 0; c < chunk_count_; ++c) {
    const auto table = index_.sequences(ChunkIndex{c});
    for (std::int64_t i = 0; i < table->size(); ++i) {
      const SequenceKey key = table->key(i);
      rise = rise && ((c == 0 && i == 0) || last < key);
      last = key;
    }
  }
  if (rise) return;
  entries.reserve(static_cast<std::size_t>(sequence_count_));
  for (std::int64_t c = 0; c < chunk_count_; ++c) {
    const auto table = index_.sequences(ChunkIndex{c});
    for (std::int64_t i = 0; i < table->size(); ++i) entries.emplace_back(table->key(i), c, i);
  }
  std::ranges::sort(entries);
  const auto twice = std::ranges::adjacent_find(
      entries, [](const Entry& a, const Entry& b) { return std::get<0>(a) == std::get<0>(b); });
  if (twice == entries.end()) return;
  const auto& [key, first_chunk, first] = *twice;
  const auto& [same, chunk, sequence] = *std::next(twice);
  throw ConfigError(name + ": the key " + key_words(ChunkIndex{chunk}, sequence) +
                    " is there twice: in " + "chunk " + std::to_string(first_chunk) +
                    " as sequence " + std::to_string(first) + ", in chunk " +
                    std::to_string(chunk) + " as sequence " + std::to_string(sequence));
}

std::string UserTable::hash() const {
  return std::to_string(chunk_count_) + '-' + std::to_string(sequence_count_) + '-' +
         to_string(hash_);
}

std::optional<ChunkInfo> UserTable::chunk(ChunkIndex chunk) const { return index_.chunk(chunk); }

std::shared_ptr<const SequenceTable> UserTable::sequences(ChunkIndex chunk) const {
  return index_.sequences(chunk);
}

std::int64_t UserTable::memory_bytes() const { return index_.memory_bytes() + text_bytes_; }

std::string_view UserTable::text(ChunkIndex chunk, std::int64_t sequence) const {
  const Texts& texts = texts_[static_cast<std::size_t>(chunk)];
  const auto i = static_cast<std::size_t>(sequence);
  const std::int64_t begin = i == 0 ? 0 : texts.ends[i - 1];
  return std::string_view(texts.bytes)
      .substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(texts.ends[i] - begin));
}

std::string UserTable::key_words(ChunkIndex chunk, std::int64_t sequence) const {
  if (has_texts()) return std::string(text(chunk, sequence));
  return to_string(index_.sequences(chunk)->key(sequence));
}

std::int64_t UserTable::sample_count(const ChunkRange& range) const {
  const auto table = index_.sequences(range.chunk);
  std::int64_t sum = 0;
  for (std::int64_t i = range.first; i < range.first + range.count; ++i) {
    sum += table->sample_count(i);
  }
  return sum;
}

}  // namespace sheaf::python
