// The encoders of container_builder.h.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <lz4.h>
#include <zstd.h>

#include "format/sheaf/container_builder.h"
#include "reference/sheaf_codecs.h"

namespace sheaf::testing {
namespace {

using conformance::container::decimal_value;
using conformance::container::with_sign;

constexpr std::size_t kVectorSize = 1024;

void put_bytes(std::string& to, std::uint64_t value, std::int64_t size) {
  for (std::int64_t i = 0; i < size; ++i) to.push_back(static_cast<char>(value >> (8 * i)));
}

/// Numbers that are packed together.
struct PackedVector {
  std::uint64_t base = 0;
  int width = 0;
  std::vector<std::uint64_t> bits = {};  // bits of each number, without the base
};

// Returns the vector of the given numbers, with `spare_bits` extra bits for each.
PackedVector vector_of(const std::vector<std::uint64_t>& numbers, int spare_bits) {
  PackedVector vector;
  if (numbers.empty()) return vector;
  auto least = static_cast<std::int64_t>(numbers[0]);
  std::int64_t most = least;
  for (const std::uint64_t number : numbers) {
    least = std::min(least, static_cast<std::int64_t>(number));
    most = std::max(most, static_cast<std::int64_t>(number));
  }
  vector.base = static_cast<std::uint64_t>(least);
  const auto distance = static_cast<std::uint64_t>(most) - vector.base;
  vector.width = std::min(64, static_cast<int>(std::bit_width(distance)) + spare_bits);
  for (const std::uint64_t number : numbers) vector.bits.push_back(number - vector.base);
  return vector;
}

void put_vectors(std::string& to, const std::vector<PackedVector>& vectors) {
  for (const PackedVector& vector : vectors) {
    put_bytes(to, vector.base, 8);
    put_bytes(to, static_cast<std::uint64_t>(vector.width), 1);
  }
  for (const PackedVector& vector : vectors) {
    unsigned byte = 0;
    unsigned filled = 0;
    for (const std::uint64_t bits : vector.bits) {
      for (int bit = 0; bit < vector.width; ++bit) {
        byte |= static_cast<unsigned>(bits >> bit & 1U) << filled;
        if (++filled < 8) continue;
        put_bytes(to, byte, 1);
        byte = filled = 0;
      }
    }
    if (filled > 0) put_bytes(to, byte, 1);
  }
}

void put_packed(std::string& to, const std::vector<std::uint64_t>& numbers, int spare_bits) {
  std::vector<PackedVector> vectors;
  for (std::size_t first = 0; first < numbers.size(); first += kVectorSize) {
    const std::size_t size = std::min(kVectorSize, numbers.size() - first);
    const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(first);
    vectors.push_back(vector_of({begin, begin + static_cast<std::ptrdiff_t>(size)}, spare_bits));
  }
  put_vectors(to, vectors);
}

std::string packed_bytes(const std::vector<std::uint64_t>& numbers, int spare_bits) {
  std::string bytes;
  put_packed(bytes, numbers, spare_bits);
  return bytes;
}

// Returns the integer whose decimal fraction is the value, or nothing if there is none.
std::optional<std::uint64_t> integer_of(std::uint64_t bits, int exponent, ElementType type) {
  const double value = type == ElementType::f64
                           ? std::bit_cast<double>(bits)
                           : std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  const double scaled = value * std::pow(10.0, exponent);
  if (!(std::abs(scaled) < 0x1p53)) return std::nullopt;
  const std::int64_t integer = std::llround(scaled);
  if (decimal_value(integer, exponent, type) != bits) return std::nullopt;
  return static_cast<std::uint64_t>(integer);
}

std::string decimal_bytes(const BuiltArray& array, ElementType type) {
  std::vector<PackedVector> vectors;
  std::vector<std::uint64_t> distances;
  std::vector<std::uint64_t> highs;
  std::size_t last = 0;  // the offset of the last exception
  for (std::size_t first = 0; first < array.bits.size(); first += kVectorSize) {
    const std::size_t end = std::min(array.bits.size(), first + kVectorSize);
    std::vector<std::uint64_t> integers;
    for (std::size_t i = first; i < end; ++i) {
      const auto integer = integer_of(array.bits[i], array.exponent, type);
      if (integer) integers.push_back(*integer);
    }
    PackedVector vector = vector_of(integers, array.spare_bits);
    vector.bits.clear();
    for (std::size_t i = first; i < end; ++i) {
      const std::uint64_t bits = array.bits[i];
      if (const auto integer = integer_of(bits, array.exponent, type)) {
        vector.bits.push_back(*integer - vector.base);
        continue;
      }
      const bool has_room = vector.width == 64;
      const std::uint64_t mask =
          has_room ? ~std::uint64_t{0} : (std::uint64_t{1} << vector.width) - 1;
      vector.bits.push_back(bits & mask);
      highs.push_back(has_room ? 0 : bits >> vector.width);
      distances.push_back(i - last);
      last = i;
    }
    vectors.push_back(std::move(vector));
  }
  std::string bytes;
  put_bytes(bytes, static_cast<std::uint64_t>(array.exponent), 1);
  put_bytes(bytes, distances.size(), 8);
  put_vectors(bytes, vectors);
  put_packed(bytes, distances, array.spare_bits);
  put_packed(bytes, highs, array.spare_bits);
  return bytes;
}

std::string lz4_bytes(const std::string& raw) {
  const int size = static_cast<int>(raw.size());
  std::string bytes(static_cast<std::size_t>(LZ4_compressBound(size)), '\0');
  const int found =
      LZ4_compress_default(raw.data(), bytes.data(), size, static_cast<int>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(found));
  return bytes;
}

std::string zstd_bytes(const std::string& raw) {
  std::string bytes(ZSTD_compressBound(raw.size()), '\0');
  bytes.resize(ZSTD_compress(bytes.data(), bytes.size(), raw.data(), raw.size(), 3));
  return bytes;
}

}  // namespace

std::string encoded(const BuiltArray& array, ElementType type,
                    const std::set<std::int64_t>& starts) {
  std::string raw;
  std::vector<std::uint64_t> numbers;
  for (const std::uint64_t bits : array.bits) {
    put_bytes(raw, bits, element_size(type));
    numbers.push_back(with_sign(bits, type));
  }
  switch (array.codec) {
    case Codec::raw:
      break;
    case Codec::constant:
      return raw.substr(0, static_cast<std::size_t>(element_size(type)));
    case Codec::packed:
      return packed_bytes(numbers, array.spare_bits);
    case Codec::delta:
      for (std::size_t i = numbers.size(); i-- > 1;) {
        if (!starts.contains(static_cast<std::int64_t>(i))) numbers[i] -= numbers[i - 1];
      }
      return packed_bytes(numbers, array.spare_bits);
    case Codec::decimal:
      return decimal_bytes(array, type);
    case Codec::lz4:
      return lz4_bytes(raw);
    case Codec::zstd:
      return zstd_bytes(raw);
  }
  return raw;
}

}  // namespace sheaf::testing
