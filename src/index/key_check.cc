// The check works in one of three ways, and goes on to the next one when the data require it:
//
//   rising  All keys so far rise. Only the last one is kept.
//   set     All keys so far are in a set.
//   spread  All keys so far are on disk, in parts. In the end, each part is put into a set of its
//           own. A part that is too large for that is spread again by other bits.
//
// Among equal keys, all but the first one in the data are repeated. Parts keep the order of the
// data, except for the keys of the set: these come first in their parts. They all differ, and they
// come before the others in the data, too.

#include "index/key_check.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "base/key_set.h"
#include "index/key_spread.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kLimitMin = 64 << 10;

// The number of entries that need no answer. Sequences have the numbers from 1 on.
constexpr std::int64_t kEarlier = 0;

// Buffers for writing get this part of the limit. A set that can no longer grow has at most two
// thirds of the limit, since growing takes half of its size more. So set and buffers fit together.
constexpr std::int64_t kBufferShare = 4;

bool is_less(const SequenceKey& a, const SequenceKey& b) {
  return std::pair(a.high, a.low) < std::pair(b.high, b.low);
}

/// A set of keys of both kinds. Keys without a high half take half the memory.
class Keys {
 public:
  enum class Outcome : std::uint8_t { added, present, full };

  /// Adds a key, unless this would ever take more than `limit_bytes`.
  Outcome insert(const SequenceKey& key, std::int64_t limit_bytes) {
    if (key.high == 0) return insert(numbers_, key.low, wide_.size_bytes(), limit_bytes);
    return insert(wide_, WideKey{.low = key.low, .high = key.high}, numbers_.size_bytes(),
                  limit_bytes);
  }

  void for_each(const std::function<void(const SequenceKey&)>& visit) const {
    numbers_.for_each([&](std::uint64_t key) { visit({.low = key}); });
    wide_.for_each([&](const WideKey& key) { visit({.low = key.low, .high = key.high}); });
  }

  [[nodiscard]] std::int64_t size_bytes() const noexcept {
    return numbers_.size_bytes() + wide_.size_bytes();
  }

 private:
  template <typename Key>
  static Outcome insert(BasicKeySet<Key>& set, const Key& key, std::int64_t others_bytes,
                        std::int64_t limit_bytes) {
    if (set.is_full() && others_bytes + set.growing_size_bytes() > limit_bytes) {
      return set.contains(key) ? Outcome::present : Outcome::full;
    }
    return set.insert(key) ? Outcome::added : Outcome::present;
  }

  KeySet numbers_;
  WideKeySet wide_;
};

/// Returns how many keys at the front of a table rise strictly, and the first of them above `last`.
/// Sets `last` to the last of these keys.
std::int64_t count_rising(const SequenceTable& sequences, std::optional<SequenceKey>& last) {
  const auto rises = [](const std::optional<SequenceKey>& from, const SequenceKey& to) {
    return !from || is_less(*from, to);
  };
  const std::int64_t size = sequences.size();
  const std::optional<PackedInts::Line> line = sequences.columns().keys_low.line();
  if (line && line->step >= 0 && sequences.columns().keys_high.size() == 0) {
    const auto first = static_cast<std::uint64_t>(line->first);
    const auto step = static_cast<std::uint64_t>(line->step);
    const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - first;
    const bool all_rise =
        size == 1 || (step > 0 && static_cast<std::uint64_t>(size - 1) <= room / step);
    if (all_rise && rises(last, {.low = first})) {
      last = sequences.key(size - 1);
      return size;
    }
  }
  for (std::int64_t i = 0; i < size; ++i) {
    const SequenceKey key = sequences.key(i);
    if (!rises(last, key)) return i;
    last = key;
  }
  return size;
}

}  // namespace

struct KeyCheck::State {
  std::int64_t limit_bytes;
  Earlier earlier;

  // Counts of what was added.
  std::int64_t chunk_count = 0;
  std::int64_t sequence_count = 0;

  // State of the current way, one of three.
  bool is_rising = true;
  std::optional<SequenceKey> last;    // if is_rising
  Keys keys;                          // unless spread
  std::unique_ptr<KeySpread> spread;  // null until needed

  // The chunks from the one on in which spreading began.
  std::vector<std::int64_t> first_numbers;  // of their first sequences, counted over all chunks
  Repeated begun;  // repeated sequences of the first of these chunks, found before

  void stop_rising(const SequenceTable& sequences, std::int64_t risen_count);
  void add_earlier(const SequenceKey& key);
  [[nodiscard]] std::int64_t add_to_set(const SequenceTable& sequences, std::int64_t first,
                                        Repeated& repeated);
  void begin_spread();
  void add_to_spread(const SequenceTable& sequences, std::int64_t first);
  void answer(const KeySpread& all, int part, int level, std::vector<Repeated>& answers) const;
  void tell(const std::vector<std::int64_t>& numbers, std::vector<Repeated>& answers) const;
};

// Remembers all keys so far, which are known to differ.
void KeyCheck::State::stop_rising(const SequenceTable& sequences, std::int64_t risen_count) {
  is_rising = false;
  const std::int64_t count = sequence_count + risen_count;
  if (KeySet::size_bytes_max(count) > limit_bytes) begin_spread();
  for (std::int64_t chunk = 0; chunk < chunk_count; ++chunk) {
    const std::shared_ptr<const SequenceTable> table = earlier(chunk);
    for (std::int64_t i = 0; i < table->size(); ++i) add_earlier(table->key(i));
  }
  for (std::int64_t i = 0; i < risen_count; ++i) add_earlier(sequences.key(i));
}

void KeyCheck::State::add_earlier(const SequenceKey& key) {
  if (spread == nullptr && keys.insert(key, limit_bytes) == Keys::Outcome::full) begin_spread();
  if (spread != nullptr) spread->put({.key = key, .number = kEarlier});
}

/// Returns the number of the first sequence whose key does not fit the set.
std::int64_t KeyCheck::State::add_to_set(const SequenceTable& sequences, std::int64_t first,
                                         Repeated& repeated) {
  for (std::int64_t i = first; i < sequences.size(); ++i) {
    const Keys::Outcome outcome = keys.insert(sequences.key(i), limit_bytes);
    if (outcome == Keys::Outcome::full) return i;
    if (outcome == Keys::Outcome::present) repeated.push_back(i);
  }
  return sequences.size();
}

void KeyCheck::State::begin_spread() {
  spread = std::make_unique<KeySpread>(limit_bytes / kBufferShare, 0);
  keys.for_each([this](const SequenceKey& key) { spread->put({.key = key, .number = kEarlier}); });
  keys = Keys();
}

void KeyCheck::State::add_to_spread(const SequenceTable& sequences, std::int64_t first) {
  const std::int64_t number = kEarlier + 1 + sequence_count;
  for (std::int64_t i = first; i < sequences.size(); ++i) {
    spread->put({.key = sequences.key(i), .number = number + i});
  }
}

/// Finds the repeated sequences of a part.
void KeyCheck::State::answer(const KeySpread& all, int part, int level,
                             std::vector<Repeated>& answers) const {
  {
    Keys seen;
    std::vector<std::int64_t> numbers;
    bool fits = true;
    all.read(part, [&](const KeySpread::Entry& entry) {
      const Keys::Outcome outcome = seen.insert(entry.key, limit_bytes);
      fits = outcome != Keys::Outcome::full;
      if (outcome == Keys::Outcome::present) numbers.push_back(entry.number);
      return fits;
    });
    if (fits) return tell(numbers, answers);
  }
  KeySpread finer(limit_bytes / kBufferShare, level + 1);
  all.read(part, [&finer](const KeySpread::Entry& entry) {
    finer.put(entry);
    return true;
  });
  finer.close();
  for (int i = 0; i < KeySpread::kPartCount; ++i) answer(finer, i, level + 1, answers);
}

void KeyCheck::State::tell(const std::vector<std::int64_t>& numbers,
                           std::vector<Repeated>& answers) const {
  for (const std::int64_t number : numbers) {
    const std::int64_t sequence = number - kEarlier - 1;
    const auto behind = std::ranges::upper_bound(first_numbers, sequence);
    const std::ptrdiff_t chunk = behind - first_numbers.begin() - 1;
    const auto i = static_cast<std::size_t>(chunk);
    answers[i].push_back(sequence - first_numbers[i]);
  }
}

KeyCheck::KeyCheck(std::int64_t memory_limit_bytes, Earlier earlier)
    : state_(new State{.limit_bytes = memory_limit_bytes == 0
                                          ? std::numeric_limits<std::int64_t>::max()
                                          : std::max(memory_limit_bytes, kLimitMin),
                       .earlier = std::move(earlier),
                       .last = {},
                       .keys = {},
                       .spread = {},
                       .first_numbers = {},
                       .begun = {}}) {}

KeyCheck::~KeyCheck() = default;

std::optional<KeyCheck::Repeated> KeyCheck::add(const SequenceTable& sequences) {
  State& state = *state_;
  std::int64_t done = 0;  // sequences of this chunk that are done
  if (state.is_rising) {
    done = count_rising(sequences, state.last);
    if (done < sequences.size()) state.stop_rising(sequences, done);
  }
  std::optional<Repeated> repeated = Repeated();
  if (state.spread == nullptr) {
    done = state.add_to_set(sequences, done, *repeated);
    if (done < sequences.size()) state.begin_spread();
  }
  if (state.spread != nullptr) {
    if (state.first_numbers.empty()) state.begun.swap(*repeated);
    state.first_numbers.push_back(state.sequence_count);
    state.add_to_spread(sequences, done);
    repeated.reset();
  }
  ++state.chunk_count;
  state.sequence_count += sequences.size();
  return repeated;
}

std::vector<KeyCheck::Repeated> KeyCheck::finish() {
  State& state = *state_;
  std::vector<Repeated> answers(state.first_numbers.size());
  if (state.spread == nullptr) return answers;
  answers.front() = std::move(state.begun);
  state.spread->close();
  for (int part = 0; part < KeySpread::kPartCount; ++part) {
    state.answer(*state.spread, part, 0, answers);
  }
  for (Repeated& repeated : answers) std::ranges::sort(repeated);
  state.spread.reset();  // also removes its file
  return answers;
}

std::int64_t KeyCheck::memory_bytes() const noexcept {
  std::int64_t sum = state_->keys.size_bytes();
  if (state_->spread != nullptr) sum += state_->spread->memory_bytes();
  return sum + static_cast<std::int64_t>(state_->first_numbers.capacity() * sizeof(std::int64_t));
}

}  // namespace sheaf::internal
