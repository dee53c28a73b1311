// Changes texts as libFuzzer does, and makes short texts long: marks a part for repetition, or
// changes the size of the repetitions. See expand.h.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "expand.h"
#include "mutation.h"

namespace sheaf::fuzz {
namespace {

/// The target determines the number of control bytes and the bit that enables expansion.
#if defined(SHEAF_FUZZ_FORMAT)
constexpr std::size_t kControlBytes = 8;  // see fuzz_format.cc
constexpr std::size_t kExpandAt = 3;
constexpr std::uint8_t kExpandBit = 0x40;
#else
constexpr std::size_t kControlBytes = 0;
#endif

/// Returns a control byte for a repetition. Most sizes are close to a power of two. Few sizes
/// exceed 8192 bytes, since the time of an input grows with its text.
char random_control(Random& random) {
  constexpr std::array<std::uint8_t, 6> kDistances = {7, 8, 9, 8 - 2, 8 + 2, 0};
  const std::size_t low =
      below(random, 3) == 0 ? below(random, 16) : kDistances[below(random, kDistances.size())];
  const std::size_t high = below(random, below(random, 16) == 0 ? 11 : 8);
  return static_cast<char>(high << 4U | low);
}

/// Marks one or more bytes of the text for repetition.
void mark_part(Random& random, std::string& text) {
  const std::size_t begin = below(random, text.size() + 1);
  const std::size_t size_max = below(random, 2) == 0 ? 4 : 40;
  const std::size_t end = std::min(text.size(), begin + 1 + below(random, size_max));
  if (begin == end) return;
  text.insert(end, {kPartEnd, random_control(random)});
  text.insert(begin, 1, kPartBegin);
}

/// Inserts a single byte with repetition.
void insert_repeated(Random& random, std::string& text) {
  constexpr std::string_view kBytes = ": |0#.,-e\t\r\n1";
  const char byte = below(random, 8) == 0 ? static_cast<char>(below(random, 256))
                                          : kBytes[below(random, kBytes.size())];
  const std::string part = {kPartBegin, byte, kPartEnd, random_control(random)};
  text.insert(below(random, text.size() + 1), part);
}

void change_repetition(Random& random, std::string& text) {
  const std::size_t from = below(random, text.size() + 1);
  std::size_t mark = text.find(kPartEnd, from);
  if (mark == std::string::npos) mark = text.find(kPartEnd);
  if (mark == std::string::npos || mark + 1 == text.size()) return mark_part(random, text);
  char& control = text[mark + 1];
  const bool is_near = below(random, 2) == 0;
  const auto low = static_cast<std::uint8_t>(below(random, 16));
  control = is_near ? static_cast<char>((static_cast<std::uint8_t>(control) & 0xF0U) | low)
                    : random_control(random);
}

void change(Random& random, std::string& text) {
  switch (below(random, 4)) {
    case 0:
      return mark_part(random, text);
    case 1:
      return insert_repeated(random, text);
    default:
      return change_repetition(random, text);
  }
}

}  // namespace
}  // namespace sheaf::fuzz

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t size_max,
                                    unsigned seed) {
  using namespace sheaf::fuzz;
  Random random(seed);
  if (size < kControlBytes || below(random, 8) != 0) return LLVMFuzzerMutate(data, size, size_max);
  const auto* const text_begin = reinterpret_cast<const char*>(data) + kControlBytes;
  std::string text(text_begin, size - kControlBytes);
  change(random, text);
  if (kControlBytes + text.size() > size_max) return LLVMFuzzerMutate(data, size, size_max);
#if defined(SHEAF_FUZZ_FORMAT)
  data[kExpandAt] |= kExpandBit;
#endif
  std::memcpy(data + kControlBytes, text.data(), text.size());
  return kControlBytes + text.size();
}
