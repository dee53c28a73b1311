#include "index/chunk_notes.h"

#include <bit>
#include <iterator>
#include <span>

namespace sheaf::internal {
namespace {

/// Takes numbers from the front of a list. Behind the end of the list, all numbers are 0.
class Taker {
 public:
  explicit Taker(std::span<const std::int64_t> numbers) : numbers_(numbers) {}

  std::int64_t take() {
    ok_ = ok_ && !numbers_.empty();
    if (!ok_) return 0;
    const std::int64_t number = numbers_.front();
    numbers_ = numbers_.subspan(1);
    return number;
  }

  /// Takes the length of a list that follows. Returns 0 if fewer numbers are left.
  std::int64_t take_count() {
    const std::int64_t count = take();
    ok_ = ok_ && count >= 0 && count <= std::ssize(numbers_);
    return ok_ ? count : 0;
  }

  /// Returns whether exactly all numbers were taken.
  [[nodiscard]] bool took_all() const { return ok_ && numbers_.empty(); }

 private:
  std::span<const std::int64_t> numbers_;
  bool ok_ = true;
};

}  // namespace

std::vector<std::int64_t> to_numbers(const ChunkNotes& notes) {
  std::vector<std::int64_t> numbers;
  numbers.push_back(std::ssize(notes.streams));
  for (const StreamCounts& stream : notes.streams) {
    numbers.push_back(stream.sample_count);
    numbers.push_back(stream.pair_count);
  }
  numbers.push_back(std::ssize(notes.unit_hashes));
  for (const std::uint64_t hash : notes.unit_hashes) {
    numbers.push_back(std::bit_cast<std::int64_t>(hash));
  }
  numbers.push_back(std::ssize(notes.repeated));
  numbers.insert(numbers.end(), notes.repeated.begin(), notes.repeated.end());
  return numbers;
}

std::optional<ChunkNotes> notes_from_numbers(const std::vector<std::int64_t>& numbers) {
  Taker taker(numbers);
  ChunkNotes notes;
  for (std::int64_t n = taker.take_count(); n > 0; --n) {
    StreamCounts& stream = notes.streams.emplace_back();
    stream.sample_count = taker.take();
    stream.pair_count = taker.take();
  }
  for (std::int64_t n = taker.take_count(); n > 0; --n) {
    notes.unit_hashes.push_back(std::bit_cast<std::uint64_t>(taker.take()));
  }
  for (std::int64_t n = taker.take_count(); n > 0; --n) notes.repeated.push_back(taker.take());
  if (!taker.took_all()) return std::nullopt;
  return notes;
}

}  // namespace sheaf::internal
