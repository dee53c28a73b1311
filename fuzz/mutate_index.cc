// Changes meaningful parts of an index file: numbers of the footer, blocks, notes, whole chunks.
// Leaves the checksums wrong, since the target corrects them.

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "index_parts.h"
#include "mutation.h"

namespace sheaf::fuzz {
namespace {

/// Changes any bytes, as libFuzzer does.
void mutate(std::string& bytes, std::size_t growth) {
  const std::size_t size = bytes.size();
  bytes.resize(size + growth);
  bytes.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(bytes.data()), size, bytes.size()));
}

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7U) bytes += static_cast<char>(value | 0x80U);
  return bytes + static_cast<char>(value);
}

void change_block(Random& random, std::string& block) {
  const std::size_t at = below(random, block.size() + 1);
  switch (below(random, 4)) {
    case 0:
      mutate(block, 40);
      break;
    case 1:
      block.replace(at, 1 + below(random, 3), varint(hard_number(random, 1)));
      break;
    case 2:
      block.insert(at, varint(hard_number(random, 1)));
      break;
    default:
      if (at < block.size()) {
        block[at] = static_cast<char>(hard_number(random, static_cast<unsigned char>(block[at])));
      }
  }
}

/// Replaces a number in the notes, or changes any bytes.
void change_notes(Random& random, std::string& notes) {
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  const auto from = notes.begin() + static_cast<std::ptrdiff_t>(below(random, notes.size() + 1));
  const auto begin = std::find_if(from, notes.end(), is_digit);
  if (begin == notes.end() || below(random, 3) == 0) return mutate(notes, 60);
  const auto end = std::find_if_not(begin, notes.end(), is_digit);
  const auto number = static_cast<std::int64_t>(hard_number(random, 1));
  notes.replace(begin, end, std::to_string(number));
}

void change_chunks(Random& random, IndexParts& parts) {
  const std::size_t a = below(random, parts.chunks.size());
  const std::size_t b = below(random, parts.chunks.size());
  const auto at = parts.chunks.begin() + static_cast<std::ptrdiff_t>(a);
  switch (below(random, 5)) {
    case 0:
      parts.chunks.erase(at);
      break;
    case 1:
      parts.chunks.insert(at, IndexParts::Chunk(parts.chunks[b]));
      break;
    case 2:
      std::swap(parts.chunks[a], parts.chunks[b]);
      break;
    case 3:
      parts.chunks[a].block = std::string(parts.chunks[b].block);
      break;
    default: {
      const std::size_t word = below(random, parts.chunks[a].words.size());
      parts.chunks[a].words[word] = parts.chunks[b].words[word];
    }
  }
}

void change(Random& random, IndexParts& parts) {
  const std::size_t what = below(random, 12);
  if (what == 0) {
    parts.data_size = hard_number(random, parts.data_size);
  } else if (what <= 2 || parts.chunks.empty()) {
    change_notes(random, parts.notes);
  } else if (what == 3) {
    change_chunks(random, parts);
  } else {
    IndexParts::Chunk& chunk = parts.chunks[below(random, parts.chunks.size())];
    if (what <= 7) return change_block(random, chunk.block);
    std::uint64_t& word = chunk.words[below(random, chunk.words.size())];
    word = hard_number(random, word);
  }
}

}  // namespace
}  // namespace sheaf::fuzz

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t size_max,
                                    unsigned seed) {
  using sheaf::fuzz::kIndexControlBytes;
  sheaf::fuzz::Random random(seed);
  if (size < kIndexControlBytes || sheaf::fuzz::below(random, 8) == 0) {
    return LLVMFuzzerMutate(data, size, size_max);
  }
  if (sheaf::fuzz::below(random, 8) == 0) {
    data[sheaf::fuzz::below(random, kIndexControlBytes)] =
        static_cast<std::uint8_t>('0' + sheaf::fuzz::below(random, 16));
    return size;
  }
  char* const file = reinterpret_cast<char*>(data) + kIndexControlBytes;
  sheaf::fuzz::IndexParts parts =
      sheaf::fuzz::take_apart(std::string_view(file, size - kIndexControlBytes));
  for (std::size_t n = 1 + sheaf::fuzz::below(random, 3); n > 0; --n) {
    sheaf::fuzz::change(random, parts);
  }
  const std::string bytes = put_together(parts, sheaf::fuzz::Checksums::zero);
  if (kIndexControlBytes + bytes.size() > size_max) return LLVMFuzzerMutate(data, size, size_max);
  std::memcpy(file, bytes.data(), bytes.size());
  return kIndexControlBytes + bytes.size();
}
