// A list is stored as a line, as blocks of 64 values, or as blocks of 64 distances between
// neighbouring values, whichever takes the fewest bytes. Distances are best if the values rise by
// uneven steps. For example, the lines of a file may differ in length by a few bytes, but their
// offsets stray far from any line.
//
// A block is stored as a line, base + i * step, and the residuals of its values above that line, in
// as many bits as the largest residual needs. All sums wrap around, so the code works for any
// 64-bit values.

#include "base/int_codec.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>

namespace sheaf::internal {
namespace {

constexpr std::size_t kBlockSize = 64;
constexpr unsigned kWidthMax = 64;
// Flag in the first byte of a block; the other bits are its width.
constexpr unsigned kHasStep = 0x80;

enum class Layout : std::uint8_t { line = 0, values = 1, distances = 2 };

using Block = std::array<std::uint64_t, kBlockSize>;

static_assert(std::endian::native == std::endian::little, "words are copied as they are");

std::uint64_t to_zigzag(std::uint64_t value) { return (value << 1) ^ (0 - (value >> 63)); }

std::uint64_t from_zigzag(std::uint64_t value) { return (value >> 1) ^ (0 - (value & 1)); }

std::size_t packed_size(std::size_t count, unsigned width) { return (count * width + 7) / 8; }

/// A line below the values of a block.
struct Fit {
  std::uint64_t base = 0;
  std::uint64_t step = 0;
  unsigned width = 0;  // bits of the largest residual
};

Fit fit(const Block& values, std::size_t count, std::uint64_t step) {
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
  std::uint64_t line = values[0];
  for (std::size_t i = 0; i < count; ++i, line += step) {
    const auto distance = static_cast<std::int64_t>(values[i] - line);
    lowest = std::min(lowest, distance);
    highest = std::max(highest, distance);
  }
  const std::uint64_t range =
      static_cast<std::uint64_t>(highest) - static_cast<std::uint64_t>(lowest);
  return {.base = values[0] + static_cast<std::uint64_t>(lowest),
          .step = step,
          .width = static_cast<unsigned>(std::bit_width(range))};
}

/// Returns the better fit of two lines: a level one, and one from the first value to the last.
Fit best_fit(const Block& values, std::size_t count) {
  const Fit level = fit(values, count, 0);
  if (level.width == 0 || count < 2) return level;
  const auto rise = static_cast<std::int64_t>(values[count - 1] - values[0]);
  const std::int64_t step = rise / static_cast<std::int64_t>(count - 1);
  if (step == 0) return level;
  const Fit slope = fit(values, count, static_cast<std::uint64_t>(step));
  return slope.width < level.width ? slope : level;
}

void append_words(const std::uint64_t* words, std::size_t size_bytes, std::string& into) {
  const std::size_t offset = into.size();
  into.resize(offset + size_bytes);
  std::memcpy(into.data() + offset, words, size_bytes);
}

/// Writes blocks of values one after the other, or only measures their size.
class BlockWriter {
 public:
  /// If `into` is null, only measures.
  explicit BlockWriter(std::string* into) : into_(into) {}

  void push_back(std::uint64_t value) {
    assert(count_ < kBlockSize);
    pending_[count_++] = value;
    if (count_ == kBlockSize) flush();
  }

  void flush() {
    if (count_ == 0) return;
    block_.clear();
    const Fit line = best_fit(pending_, count_);
    if (line.width == kWidthMax) {  // the line is useless
      block_.push_back(static_cast<char>(kWidthMax));
      append_words(pending_.data(), count_ * sizeof(std::uint64_t), block_);
    } else {
      block_.push_back(static_cast<char>(line.width | (line.step != 0 ? kHasStep : 0)));
      append_varint(to_zigzag(line.base - previous_), block_);
      if (line.step != 0) append_varint(to_zigzag(line.step), block_);
      append_residuals(line);
    }
    size_ += block_.size();
    if (into_ != nullptr) *into_ += block_;
    previous_ = pending_[count_ - 1];
    count_ = 0;
  }

  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  void append_residuals(const Fit& line) {
    std::array<std::uint64_t, kBlockSize> words{};
    std::size_t word_count = 0;
    std::uint64_t word = 0;
    unsigned filled = 0;  // bits of `word` in use
    std::uint64_t below = line.base;
    for (std::size_t i = 0; i < count_; ++i, below += line.step) {
      const std::uint64_t residual = pending_[i] - below;
      word |= residual << filled;
      filled += line.width;
      if (filled >= 64) {
        assert(word_count < kBlockSize);  // a value has at most 63 bits here
        words[word_count++] = word;
        filled -= 64;
        word = filled == 0 ? 0 : residual >> (line.width - filled);
      }
    }
    if (filled > 0) {
      assert(word_count < kBlockSize);
      words[word_count] = word;
    }
    append_words(words.data(), packed_size(count_, line.width), block_);
  }

  std::string* into_;
  Block pending_{};
  std::size_t count_ = 0;
  std::uint64_t previous_ = 0;  // last value of the previous block
  std::string block_;
  std::size_t size_ = 0;
};

/// Writes the distances of all values but the first, or measures their size if `into` is null.
std::size_t append_distances(const PackedInts& values, std::string* into) {
  BlockWriter distances(into);
  auto previous = static_cast<std::uint64_t>(values[0]);
  for (std::int64_t i = 1; i < values.size(); ++i) {
    const auto value = static_cast<std::uint64_t>(values[i]);
    distances.push_back(value - previous);
    previous = value;
  }
  distances.flush();
  return distances.size();
}

/// Reads a block. Returns whether it is valid.
///
/// Pre: 1 <= count <= kBlockSize.
bool take_block(std::span<const std::byte>& bytes, std::size_t count, std::uint64_t previous,
                Block& values) {
  assert(1 <= count && count <= kBlockSize);
  if (bytes.empty()) return false;
  const auto head = std::to_integer<unsigned>(bytes[0]);
  const unsigned width = head & ~kHasStep;
  if (width > kWidthMax || head == (kWidthMax | kHasStep)) return false;
  bytes = bytes.subspan(1);

  std::uint64_t line = 0;
  std::uint64_t step = 0;
  if (width < kWidthMax) {
    const std::optional<std::uint64_t> base = take_varint(bytes);
    if (!base) return false;
    line = previous + from_zigzag(*base);
  }
  if ((head & kHasStep) != 0) {
    const std::optional<std::uint64_t> coded = take_varint(bytes);
    if (!coded) return false;
    step = from_zigzag(*coded);
  }
  const std::size_t size_bytes = packed_size(count, width);
  if (bytes.size() < size_bytes) return false;

  // Longer than any block, so that a whole word can be read from any bit on.
  std::array<std::byte, kBlockSize * sizeof(std::uint64_t) + 2 * sizeof(std::uint64_t)> packed{};
  assert(size_bytes <= kBlockSize * sizeof(std::uint64_t));
  std::memcpy(packed.data(), bytes.data(), size_bytes);
  bytes = bytes.subspan(size_bytes);
  const std::uint64_t mask = width == 0 ? 0 : ~std::uint64_t{0} >> (kWidthMax - width);
  for (std::size_t i = 0; i < count; ++i, line += step) {
    const std::size_t bit = i * width;
    std::uint64_t word = 0;
    std::memcpy(&word, packed.data() + bit / 8, sizeof(word));
    std::uint64_t residual = word >> (bit % 8);
    if (width > 57 && bit % 8 != 0) {  // the last bits are in the byte behind the word
      const auto rest = std::to_integer<std::uint64_t>(packed[bit / 8 + sizeof(word)]);
      residual |= rest << (64 - bit % 8);
    }
    values[i] = line + (residual & mask);
  }
  return true;
}

}  // namespace

void append_word(std::uint64_t value, std::string& into) {
  append_words(&value, sizeof(value), into);
}

std::optional<std::uint64_t> take_word(std::span<const std::byte>& bytes) {
  std::uint64_t value = 0;
  if (bytes.size() < sizeof(value)) return std::nullopt;
  std::memcpy(&value, bytes.data(), sizeof(value));
  bytes = bytes.subspan(sizeof(value));
  return value;
}

void append_varint(std::uint64_t value, std::string& into) {
  for (; value >= 0x80; value >>= 7) into.push_back(static_cast<char>(value | 0x80));
  into.push_back(static_cast<char>(value));
}

std::optional<std::uint64_t> take_varint(std::span<const std::byte>& bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size() && i < 10; ++i) {
    const auto byte = std::to_integer<std::uint64_t>(bytes[i]);
    if (i == 9 && byte > 1) break;  // more than 64 bits
    value |= (byte & 0x7F) << (7 * i);
    if (byte < 0x80) {
      bytes = bytes.subspan(i + 1);
      return value;
    }
  }
  return std::nullopt;
}

void append_ints(const PackedInts& values, std::string& into) {
  if (values.size() == 0) return;
  if (const std::optional<PackedInts::Line> line = values.line()) {
    into.push_back(static_cast<char>(Layout::line));
    append_varint(to_zigzag(static_cast<std::uint64_t>(line->first)), into);
    append_varint(to_zigzag(static_cast<std::uint64_t>(line->step)), into);
    return;
  }
  // Measures both forms first, since lists may be long.
  std::string first;
  append_varint(to_zigzag(static_cast<std::uint64_t>(values[0])), first);
  const std::size_t distances_size = first.size() + append_distances(values, nullptr);
  const std::size_t begin = into.size();
  into.push_back(static_cast<char>(Layout::values));
  BlockWriter plain(&into);
  for (std::int64_t i = 0; i < values.size(); ++i) {
    plain.push_back(static_cast<std::uint64_t>(values[i]));
  }
  plain.flush();
  if (distances_size >= plain.size()) return;
  into.resize(begin);
  into.push_back(static_cast<char>(Layout::distances));
  into += first;
  append_distances(values, &into);
}

std::optional<PackedInts> take_ints(std::span<const std::byte>& bytes, std::int64_t size) {
  if (size < 0) return std::nullopt;
  if (size == 0) return PackedInts();
  if (bytes.empty()) return std::nullopt;
  const auto layout = static_cast<Layout>(bytes[0]);
  bytes = bytes.subspan(1);

  if (layout == Layout::line) {
    const std::optional<std::uint64_t> first = take_varint(bytes);
    const std::optional<std::uint64_t> step = first ? take_varint(bytes) : std::nullopt;
    if (!step) return std::nullopt;
    return PackedInts({.first = static_cast<std::int64_t>(from_zigzag(*first)),
                       .step = static_cast<std::int64_t>(from_zigzag(*step))},
                      size);
  }
  if (layout != Layout::values && layout != Layout::distances) return std::nullopt;

  PackedInts::Builder values;
  std::uint64_t sum = 0;  // of the distances so far
  if (layout == Layout::distances) {
    const std::optional<std::uint64_t> first = take_varint(bytes);
    if (!first) return std::nullopt;
    sum = from_zigzag(*first);
    values.push_back(static_cast<std::int64_t>(sum));
  }
  Block block{};
  std::uint64_t previous = 0;
  while (values.size() < size) {
    const auto count = static_cast<std::size_t>(
        std::min<std::int64_t>(size - values.size(), static_cast<std::int64_t>(kBlockSize)));
    if (!take_block(bytes, count, previous, block)) return std::nullopt;
    previous = block[count - 1];
    for (std::size_t i = 0; i < count; ++i) {
      sum += block[i];
      values.push_back(static_cast<std::int64_t>(layout == Layout::distances ? sum : block[i]));
    }
  }
  return values.finish();
}

}  // namespace sheaf::internal
