#include "reference/sheaf_codecs.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <string>

#include <lz4.h>
#include <zstd.h>

#include "reference/sheaf_bytes.h"

namespace sheaf::conformance::container {
namespace {

constexpr std::int64_t kVectorSize = 1024;
constexpr int kExponentMax = 18;

std::vector<std::uint64_t> take_raw(ByteReader& bytes, std::int64_t count, ElementType type) {
  std::vector<std::uint64_t> values;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t size = element_size(type);
    values.push_back(take_bits(bytes.take(size), 0, static_cast<int>(8 * size)));
  }
  return values;
}

/// 64-bit numbers that are packed together.
struct Vector {
  std::uint64_t base = 0;
  int width = 0;
  std::vector<std::uint64_t> bits;  // bits of each number, without the base
};

std::vector<Vector> take_vectors(ByteReader& bytes, std::int64_t count) {
  std::vector<Vector> vectors;
  for (std::int64_t first = 0; first < count; first += kVectorSize) {
    Vector& vector = vectors.emplace_back();
    vector.base = bytes.take_word();
    vector.width = bytes.take_byte();
    if (vector.width > 64) throw Malformed();
  }
  std::int64_t left = count;
  for (Vector& vector : vectors) {
    const std::int64_t size = std::min(kVectorSize, left);
    left -= size;
    const std::string_view bits = bytes.take((size * vector.width + 7) / 8);
    for (std::int64_t i = 0; i < size; ++i) {
      vector.bits.push_back(take_bits(bits, i * vector.width, vector.width));
    }
  }
  return vectors;
}

std::vector<std::uint64_t> take_packed(ByteReader& bytes, std::int64_t count) {
  std::vector<std::uint64_t> numbers;
  for (const Vector& vector : take_vectors(bytes, count)) {
    for (const std::uint64_t bits : vector.bits) numbers.push_back(vector.base + bits);
  }
  return numbers;
}

std::vector<std::uint64_t> take_decimals(ByteReader& bytes, std::int64_t count, ElementType type) {
  const int exponent = bytes.take_byte();
  if (exponent > kExponentMax) throw Malformed();
  const std::int64_t exceptions = bytes.take_count();
  if (exceptions > count) throw Malformed();
  const std::vector<Vector> integers = take_vectors(bytes, count);
  const std::vector<std::uint64_t> distances = take_packed(bytes, exceptions);
  const std::vector<std::uint64_t> highs = take_packed(bytes, exceptions);
  std::vector<std::uint64_t> values;
  for (const Vector& vector : integers) {
    for (const std::uint64_t bits : vector.bits) {
      const auto integer = static_cast<std::int64_t>(vector.base + bits);
      values.push_back(decimal_value(integer, exponent, type));
    }
  }
  std::uint64_t position = 0;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    if (i > 0 && distances[i] == 0) throw Malformed();  // positions rise
    if (distances[i] >= values.size() - position) throw Malformed();
    position += distances[i];
    const Vector& vector = integers[position / kVectorSize];
    const std::uint64_t high = vector.width < 64 ? highs[i] << vector.width : 0;
    values[position] = low_bytes(vector.bits[position % kVectorSize] + high, type);
  }
  return values;
}

std::string decompressed_lz4(std::string_view bytes, std::int64_t size) {
  std::string result(static_cast<std::size_t>(size) + 1, '\0');  // LZ4 needs a place to write to
  const int found = LZ4_decompress_safe(bytes.data(), result.data(), static_cast<int>(bytes.size()),
                                        static_cast<int>(size));
  if (found != size) throw Malformed();
  result.resize(static_cast<std::size_t>(size));
  return result;
}

std::string decompressed_zstd(std::string_view bytes, std::int64_t size) {
  // ZSTD_decompress() would also accept several frames and skippable frames.
  if (!bytes.starts_with("\x28\xB5\x2F\xFD")) throw Malformed();
  if (ZSTD_findFrameCompressedSize(bytes.data(), bytes.size()) != bytes.size()) throw Malformed();
  std::string result(static_cast<std::size_t>(size) + 1, '\0');
  const std::size_t found =
      ZSTD_decompress(result.data(), static_cast<std::size_t>(size), bytes.data(), bytes.size());
  if (found != static_cast<std::size_t>(size)) throw Malformed();
  result.resize(static_cast<std::size_t>(size));
  return result;
}

// Turns differences into numbers.
void add_up(std::vector<std::uint64_t>& numbers, const std::set<std::int64_t>& starts) {
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    if (!starts.contains(static_cast<std::int64_t>(i))) numbers[i] += numbers[i - 1];
  }
}

std::vector<std::uint64_t> take_values(const StoredArray& array, ByteReader& bytes) {
  const bool is_decimal_type = array.type == ElementType::f32 || array.type == ElementType::f64;
  const auto decompress = [&](auto* function) {
    const std::string raw =
        function(bytes.take(bytes.left()), array.count * element_size(array.type));
    ByteReader reader(raw);
    return take_raw(reader, array.count, array.type);
  };
  switch (static_cast<Codec>(array.codec)) {
    case Codec::raw:
      return take_raw(bytes, array.count, array.type);
    case Codec::constant: {
      if (array.count < 1) throw Malformed();
      const std::uint64_t value = take_raw(bytes, 1, array.type)[0];
      return std::vector(static_cast<std::size_t>(array.count), value);
    }
    case Codec::packed:
    case Codec::delta: {
      const bool is_delta = static_cast<Codec>(array.codec) == Codec::delta;
      if (!is_whole(array.type) || (is_delta && !array.may_be_delta)) throw Malformed();
      std::vector<std::uint64_t> numbers = take_packed(bytes, array.count);
      if (is_delta) add_up(numbers, array.starts);
      for (std::uint64_t& number : numbers) number = low_bytes(number, array.type);
      return numbers;
    }
    case Codec::decimal:
      if (!is_decimal_type) throw Malformed();
      return take_decimals(bytes, array.count, array.type);
    case Codec::lz4:
      return decompress(decompressed_lz4);
    case Codec::zstd:
      return decompress(decompressed_zstd);
  }
  throw Malformed();
}

}  // namespace

std::uint64_t with_sign(std::uint64_t bits, ElementType type) {
  return type == ElementType::i32
             ? static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(bits)})
             : bits;
}

std::uint64_t low_bytes(std::uint64_t number, ElementType type) {
  const std::int64_t size = element_size(type);
  return size == 8 ? number : number & ((std::uint64_t{1} << (8 * size)) - 1);
}

std::uint64_t decimal_value(std::int64_t integer, int exponent, ElementType type) {
  double power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;  // exact: 10^18 takes less than 53 bits
  const double value = static_cast<double>(integer) / power;
  if (type == ElementType::f64) return std::bit_cast<std::uint64_t>(value);
  return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

std::vector<std::uint64_t> decode(const StoredArray& array) {
  if (array.count > kCountMax) throw TooLarge();
  if (array.codec > static_cast<std::uint64_t>(Codec::zstd)) throw Malformed();
  ByteReader bytes(array.bytes);
  std::vector<std::uint64_t> values = take_values(array, bytes);
  if (bytes.left() > 0) throw Malformed();
  return values;
}

}  // namespace sheaf::conformance::container
