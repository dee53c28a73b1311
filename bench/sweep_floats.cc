// sheaf_sweep_floats shortest FIRST COUNT: checks that floats survive as shortest decimals. The
// floats have the bits FIRST, FIRST + 1, ...
//
// sheaf_sweep_floats random SEED COUNT: checks that random decimals give the same values as strtof
// and strtod. Many of the decimals lie halfway between two floats. A random integer that the type
// cannot hold exactly must be refused.
//
// Both test every set of instructions of the machine, and exit with 1 after a wrong value. A sweep
// over all floats, `shortest 0 4294967296`, takes several minutes on one core.

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/sheaf.h"

namespace {

constexpr std::int64_t kRowSize = 256;
constexpr std::int64_t kRefusedRowSize = 16;
constexpr std::int64_t kBlockSize = std::int64_t{1} << 20;

/// Rows of numbers with the expected values.
template <typename T>
struct Block {
  std::string text;
  std::vector<T> expected;

  void append(std::string_view token, T value) {
    if (std::ssize(expected) % kRowSize == 0) text += expected.empty() ? "|x" : "\n|x";
    text += ' ';
    text += token;
    expected.push_back(value);
  }
};

/// Rows of one integer each, all of which must be refused.
template <typename T>
struct Refused {
  std::string text;
  std::int64_t count = 0;

  void append(std::string_view token) {
    text += "|x";
    for (std::int64_t i = 0; i < kRefusedRowSize; ++i) {
      text += ' ';
      text += i == count % kRefusedRowSize ? token : "1.5";
    }
    text += '\n';
    ++count;
  }
};

template <typename T>
sheaf::FormatOptions options_of(std::int64_t row_size) {
  return {.format = "ctf",
          .streams = {{.name = "x",
                       .sample_shape = sheaf::Shape{row_size},
                       .dtype = sheaf::element_type_of<T>}}};
}

/// Counts the numbers that should have been refused but were read. Shows the first few rows.
template <typename T>
std::int64_t count_wrong(const Refused<T>& refused) {
  if (refused.count == 0) return 0;
  const sheaf::FormatOptions options = options_of<T>(kRefusedRowSize);
  std::int64_t wrong = 0;
  for (const sheaf::SimdLevel level : sheaf::simd_levels()) {
    sheaf::set_simd_level(level);
    const auto data = sheaf::find_format("", options)
                          .open({sheaf::memory_source(refused.text, "numbers"), options});
    std::int64_t holes = 0;
    for (sheaf::ChunkIndex i{}; data->index().chunk(i); i = next(i)) {
      sheaf::Diagnostics diagnostics;
      holes += std::ssize(data->read({.chunk = i}, diagnostics).holes());
    }
    if (holes == refused.count) continue;
    std::printf("%s: of %lld rows %lld are refused\n", to_string(level).data(),
                static_cast<long long>(refused.count), static_cast<long long>(holes));
    wrong += refused.count - holes;
  }
  return wrong;
}

/// Counts the numbers that were read as other values. Shows the first few.
template <typename T>
std::int64_t count_wrong(Block<T> block) {
  if (block.expected.empty()) return 0;
  while (std::ssize(block.expected) % kRowSize != 0) block.append("0", 0);
  const sheaf::FormatOptions options = options_of<T>(kRowSize);
  std::int64_t wrong = 0;
  for (const sheaf::SimdLevel level : sheaf::simd_levels()) {
    sheaf::set_simd_level(level);
    const auto data = sheaf::find_format("", options)
                          .open({sheaf::memory_source(block.text, "numbers"), options});
    std::size_t at = 0;
    for (sheaf::ChunkIndex i{}; data->index().chunk(i); i = next(i)) {
      sheaf::Diagnostics diagnostics;
      const sheaf::Chunk chunk = data->read({.chunk = i}, diagnostics);
      for (const T value : chunk.columns()[0].values.as<T>()) {
        const T expected = block.expected[at++];
        if (std::memcmp(&value, &expected, sizeof value) == 0) continue;
        if (++wrong < 10)
          std::printf("%s: %.20g is read as %.20g\n", to_string(level).data(),
                      static_cast<double>(expected), static_cast<double>(value));
      }
    }
    wrong += std::ssize(block.expected) - static_cast<std::int64_t>(at);
  }
  return wrong;
}

std::int64_t sweep_shortest(std::uint64_t first, std::uint64_t count) {
  std::int64_t wrong = 0;
  std::array<char, 64> digits{};
  Block<float> block;
  for (std::uint64_t bits = first; bits < first + count; ++bits) {
    const auto word = static_cast<std::uint32_t>(bits);
    float value = 0;
    std::memcpy(&value, &word, sizeof value);
    if (!std::isfinite(value)) continue;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    block.append({digits.data(), static_cast<std::size_t>(end - digits.data())}, value);
    if (std::ssize(block.expected) < kBlockSize) continue;
    wrong += count_wrong(std::exchange(block, {}));
  }
  return wrong + count_wrong(std::move(block));
}

/// Returns a random number: digits with or without a point, rarely with an exponent. One in eight
/// is the exact middle between two floats, or close to it.
std::string made_up(std::mt19937_64& random) {
  if (random() % 8 == 0) {
    std::array<char, 64> digits{};
    const auto word = static_cast<std::uint32_t>(0x3F000000U + random() % 0x08000000U);
    float value = 0;
    std::memcpy(&value, &word, sizeof value);
    const double middle =
        (static_cast<double>(value) + static_cast<double>(std::nextafter(value, INFINITY))) / 2;
    const int places = static_cast<int>(random() % 25);
    const int size = std::snprintf(digits.data(), digits.size(), "%.*f", places, middle);
    return {digits.data(), static_cast<std::size_t>(size)};
  }
  std::string token = std::to_string(random() % 10'000'000'000'000'000'000ULL >> (random() % 64));
  if (random() % 4 != 0) token.insert(random() % (token.size() + 1), 1, '.');
  if (random() % 3 == 0) token.insert(0, 1, '-');
  if (random() % 64 == 0) token += "e" + std::to_string(static_cast<int>(random() % 60) - 30);
  return token;
}

/// Returns whether a token is an integer without point and exponent that differs from its rounded
/// value.
bool is_inexact(std::string_view token, double rounded) {
  if (token.find_first_of(".e") != std::string_view::npos) return false;
  if (token.front() == '-') token.remove_prefix(1);
  std::array<char, 400> digits{};
  std::snprintf(digits.data(), digits.size(), "%.0f", std::fabs(rounded));
  return token != digits.data();
}

/// Generates random numbers of one type.
template <typename T>
class Sweep {
 public:
  void append(const std::string& token, T value) {
    if (!std::isfinite(value)) return;
    if (is_inexact(token, static_cast<double>(value))) {
      refused_.append(token);
    } else {
      block_.append(token, value);
    }
    if (std::ssize(block_.expected) + refused_.count == kBlockSize) check();
  }

  /// Returns how many numbers were wrong.
  std::int64_t finish() {
    check();
    return wrong_;
  }

 private:
  void check() {
    wrong_ += count_wrong(std::exchange(block_, {})) + count_wrong(std::exchange(refused_, {}));
  }

  Block<T> block_;
  Refused<T> refused_;
  std::int64_t wrong_ = 0;
};

std::int64_t sweep_random(std::uint64_t seed, std::uint64_t count) {
  std::mt19937_64 random(seed);
  Sweep<float> floats;
  Sweep<double> doubles;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string token = made_up(random);
    floats.append(token, std::strtof(token.c_str(), nullptr));
    doubles.append(token, std::strtod(token.c_str(), nullptr));
  }
  return floats.finish() + doubles.finish();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc == 4 ? argv[1] : "";
  if (what != "shortest" && what != "random") {
    std::fputs("usage: sheaf_sweep_floats shortest FIRST COUNT | random SEED COUNT\n", stderr);
    return 2;
  }
  try {
    const std::uint64_t first = std::strtoull(argv[2], nullptr, 10);
    const std::uint64_t count = std::strtoull(argv[3], nullptr, 10);
    const std::int64_t wrong =
        what == "random" ? sweep_random(first, count) : sweep_shortest(first, count);
    std::printf("%llu numbers on %zu sets of instructions, %lld wrong\n",
                static_cast<unsigned long long>(count), sheaf::simd_levels().size(),
                static_cast<long long>(wrong));
    return wrong == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
