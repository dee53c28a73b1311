#include "format/sheaf/decimal_packing.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "base/unaligned.h"
#include "format/sheaf/bit_packing.h"
#include "format/sheaf/packing_kernel.h"

namespace sheaf::container {
namespace {

using internal::load;

constexpr std::size_t kExponentMax = 18;
constexpr std::int64_t kNumberSize = sizeof(std::uint64_t);
constexpr std::int64_t kDecimalHeadSize =
    1 + kNumberSize;  // the exponent and the number of exceptions
constexpr std::int64_t kTriedValues = 256;

constexpr std::array<double, kExponentMax + 1> kPowers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,
                                                          1e7,  1e8,  1e9,  1e10, 1e11, 1e12, 1e13,
                                                          1e14, 1e15, 1e16, 1e17, 1e18};

template <typename T>
using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <typename T>
bool is_same(T a, T b) noexcept {
  return std::bit_cast<Bits<T>>(a) == std::bit_cast<Bits<T>>(b);
}

// Returns the integer nearest to value * power, as a double. Returns any number if the product is
// too large.
template <typename T>
double numerator_of(T value, double power) noexcept {
  return (static_cast<double>(value) * power + kRounder) - kRounder;
}

template <typename T>
bool is_decimal(T value, double power) noexcept {
  const double numerator = numerator_of(value, power);
  return std::abs(numerator) < kIntegerMax && is_same(static_cast<T>(numerator / power), value);
}

// Chooses the exponent by some of the values. Returns nothing if hardly any value is a decimal
// fraction.
template <typename T>
std::optional<std::size_t> choose_exponent(std::span<const T> values) {
  const std::int64_t count = std::min(kTriedValues, std::ssize(values));
  std::vector<std::size_t> least;  // exponent of each sample; past the last power if it has none
  std::vector<T> samples;
  for (std::int64_t i = 0; i < count; ++i) {
    // Samples are spread over the values. The formula avoids a product that could overflow.
    const std::int64_t at = i * (std::ssize(values) / count);
    const T value = values[static_cast<std::size_t>(at)];
    std::size_t exponent = 0;
    while (exponent <= kExponentMax && !is_decimal(value, kPowers[exponent])) ++exponent;
    least.push_back(exponent);
    samples.push_back(value);
  }
  std::optional<std::size_t> best;
  double best_bits = 7.0 * sizeof(T);  // a saving of less than an eighth does not pay off
  constexpr double kOffsetBits = 12;   // approximate size of an exception's offset
  for (std::size_t exponent = 0; exponent <= kExponentMax; ++exponent) {
    if (std::ranges::find(least, exponent) == least.end()) continue;
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    std::int64_t exceptions = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      if (!is_decimal(samples[i], kPowers[exponent])) {
        ++exceptions;
        continue;
      }
      const double numerator = numerator_of(samples[i], kPowers[exponent]);
      low = std::min(low, numerator);
      high = std::max(high, numerator);
    }
    const double width = std::log2(std::max(1.0, high - low + 1));
    const double share = static_cast<double>(exceptions) / static_cast<double>(samples.size());
    const double bits = width + share * (kOffsetBits + std::max(0.0, 8.0 * sizeof(T) - width));
    if (bits < best_bits) {
      best_bits = bits;
      best = exponent;
    }
  }
  return best;
}

/// A value that is not a decimal fraction.
struct Exception {
  std::int64_t distance = 0;  // distance of its offset from the previous one
  std::uint64_t high = 0;     // the bits that do not fit its vector
};

/// Flags of the values of one vector that are not decimals.
using OtherFlags = std::array<std::uint8_t, std::size_t{kVectorSize}>;

template <typename T>
std::int64_t multiply(std::span<const T> values, double power, NumberVector& integers,
                      OtherFlags& are_others) noexcept {
  const PackingKernel& kernel = packing_kernel();
  if constexpr (sizeof(T) == sizeof(float)) {
    return kernel.multiply_f32(values.data(), std::ssize(values), power, integers.data(),
                               are_others.data());
  } else {
    return kernel.multiply_f64(values.data(), std::ssize(values), power, integers.data(),
                               are_others.data());
  }
}

// Returns the range of the numbers that are not flagged, or an empty range if all are.
NumberRange range_of_decimals(const NumberVector& integers, const OtherFlags& are_others,
                              std::size_t count) noexcept {
  constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  std::int64_t least = kMax;
  std::int64_t most = kMin;
  for (std::size_t i = 0; i < count; ++i) {
    const auto number = static_cast<std::int64_t>(integers[i]);
    least = std::min(least, are_others[i] != 0 ? kMax : number);
    most = std::max(most, are_others[i] != 0 ? kMin : number);
  }
  if (least > most) return {};
  const std::uint64_t distance =
      static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least);
  return {static_cast<std::uint64_t>(least), static_cast<unsigned>(std::bit_width(distance))};
}

// Stores the low bits of exceptions in the vector, as many as its width allows. The other bits go
// to the list of exceptions. Returns the range of the vector, which exceptions do not change.
template <typename T>
NumberRange take_exceptions(std::span<const T> values, OtherFlags& are_others, std::int64_t first,
                            std::int64_t& last_index, NumberVector& integers,
                            std::vector<Exception>& exceptions) {
  const NumberRange range = range_of_decimals(integers, are_others, values.size());
  const std::uint64_t mask = (std::uint64_t{1} << range.width) - 1;
  constexpr std::size_t kFlags = sizeof(std::uint64_t);  // tested at once
  std::fill(are_others.begin() + std::ssize(values), are_others.end(), std::uint8_t{0});
  for (std::size_t begin = 0; begin < values.size(); begin += kFlags) {
    if (load<std::uint64_t>(reinterpret_cast<const std::byte*>(are_others.data() + begin)) == 0) {
      continue;
    }
    const std::size_t end = std::min(values.size(), begin + kFlags);
    for (std::size_t i = begin; i < end; ++i) {
      if (are_others[i] == 0) continue;
      const std::uint64_t bits = std::bit_cast<Bits<T>>(values[i]);
      integers[i] = range.base + (bits & mask);
      const std::int64_t index = first + static_cast<std::int64_t>(i);
      exceptions.push_back({index - last_index, bits >> range.width});
      last_index = index;
    }
  }
  return range;
}

// Packs each vector as soon as its integers are known, so that integers stay in the cache of the
// processor.
template <typename T>
std::optional<Buffer> pack_values(std::span<const T> values, std::int64_t size_max_bytes) {
  const std::optional<std::size_t> exponent = choose_exponent(values);
  if (!exponent || size_max_bytes < kDecimalHeadSize) return std::nullopt;
  const double power = kPowers[*exponent];
  Buffer packed;
  const std::int64_t room =
      std::min(size_max_bytes - kDecimalHeadSize, packed_size_max(std::ssize(values)));
  packed.resize(kDecimalHeadSize + room);
  VectorPacker packer(std::ssize(values), packed.mutable_data() + kDecimalHeadSize, room);
  std::vector<Exception> exceptions;
  std::int64_t last_index = 0;
  NumberVector integers;
  OtherFlags are_others;
  for (std::size_t i = 0; i < values.size(); i += kVectorSize) {
    const std::span<const T> vector =
        values.subspan(i, std::min(values.size() - i, std::size_t{kVectorSize}));
    const std::int64_t count = std::ssize(vector);
    const bool has_others = multiply(vector, power, integers, are_others) > 0;
    const NumberRange range =
        has_others ? take_exceptions(vector, are_others, static_cast<std::int64_t>(i), last_index,
                                     integers, exceptions)
                   : range_of(integers, count);
    if (!packer.put(integers, count, range)) return std::nullopt;
    if (std::ssize(exceptions) > size_max_bytes / 2) return std::nullopt;
  }
  const auto feed_of = [&](auto Exception::*member) {
    return [&, member](std::int64_t first, std::int64_t count, std::uint64_t* into) {
      for (std::int64_t i = 0; i < count; ++i) {
        into[i] =
            static_cast<std::uint64_t>(exceptions[static_cast<std::size_t>(first + i)].*member);
      }
    };
  };
  const NumberFeed distances = feed_of(&Exception::distance);
  const NumberFeed highs = feed_of(&Exception::high);
  const std::int64_t exception_count = std::ssize(exceptions);
  const std::int64_t front = packer.end() - packed.data();
  const std::int64_t size =
      front + packed_size(exception_count, distances) + packed_size(exception_count, highs);
  if (size > size_max_bytes) return std::nullopt;
  packed.resize(size);
  std::byte* at = packed.mutable_data();
  *at = static_cast<std::byte>(*exponent);
  std::memcpy(at + 1, &exception_count, sizeof exception_count);
  at = pack(exception_count, distances, at + front);
  pack(exception_count, highs, at);
  return packed;
}

// Takes `count` packed numbers off the front. Returns nothing if the bytes do not hold that many.
std::optional<std::vector<std::uint64_t>> take_packed(std::span<const std::byte>& bytes,
                                                      std::int64_t count) {
  std::optional<Unpacker> packed = Unpacker::open(bytes, count);
  if (!packed) return std::nullopt;
  std::vector<std::uint64_t> numbers;
  numbers.reserve(static_cast<std::size_t>(count));
  NumberVector vector;
  while (const std::int64_t n = packed->next(vector)) {
    numbers.insert(numbers.end(), vector.begin(), vector.begin() + n);
  }
  bytes = bytes.subspan(static_cast<std::size_t>(packed->size_bytes()));
  return numbers;
}

// Turns distances into offsets. Returns whether the offsets ascend and stay below `end`.
bool add_up(std::vector<std::uint64_t>& distances, std::uint64_t end) {
  std::uint64_t index = 0;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    if ((i > 0 && distances[i] == 0) || distances[i] >= end - index) return false;
    index += distances[i];
    distances[i] = index;
  }
  return true;
}

// Divides the integers of a vector. The kernels accept integers below 2^51, which is all that
// writers make.
template <typename T>
void divide(const NumberVector& integers, std::int64_t count, const Unpacker& packed, double power,
            T* into) {
  constexpr unsigned kSmallWidthMax = 50;
  constexpr auto kSmallBaseMax = std::int64_t{1} << kSmallWidthMax;
  const auto base = static_cast<std::int64_t>(packed.base());
  if (packed.width() <= kSmallWidthMax && base >= -kSmallBaseMax && base <= kSmallBaseMax) {
    const PackingKernel& kernel = packing_kernel();
    if constexpr (sizeof(T) == sizeof(float)) {
      kernel.divide_f32(integers.data(), count, power, into);
    } else {
      kernel.divide_f64(integers.data(), count, power, into);
    }
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const auto integer = static_cast<std::int64_t>(integers[static_cast<std::size_t>(i)]);
    into[i] = static_cast<T>(static_cast<double>(integer) / power);
  }
}

template <typename T>
bool unpack_values(std::span<const std::byte> bytes, std::span<T> into) {
  if (std::ssize(bytes) < kDecimalHeadSize) return false;
  const auto exponent = std::to_integer<std::size_t>(bytes[0]);
  const auto exception_count = load<std::uint64_t>(bytes.data() + 1);
  if (exponent > kExponentMax || exception_count > into.size()) return false;
  bytes = bytes.subspan(std::size_t{kDecimalHeadSize});
  std::optional<Unpacker> packed = Unpacker::open(bytes, std::ssize(into));
  if (!packed) return false;
  bytes = bytes.subspan(static_cast<std::size_t>(packed->size_bytes()));
  auto indices = take_packed(bytes, static_cast<std::int64_t>(exception_count));
  if (!indices || !add_up(*indices, into.size())) return false;
  const auto highs = take_packed(bytes, static_cast<std::int64_t>(exception_count));
  if (!highs || !bytes.empty()) return false;

  const double power = kPowers[exponent];
  NumberVector numbers;
  std::size_t next = 0;  // among the exceptions
  std::size_t first = 0;
  while (const std::int64_t count = packed->next(numbers)) {
    T* const at = into.data() + first;
    divide(numbers, count, *packed, power, at);
    const std::size_t end = first + static_cast<std::size_t>(count);
    for (; next < indices->size() && (*indices)[next] < end; ++next) {
      const std::size_t index = (*indices)[next] - first;
      std::uint64_t bits = numbers[index] - packed->base();
      if (packed->width() < 64) bits |= (*highs)[next] << packed->width();
      at[index] = std::bit_cast<T>(static_cast<Bits<T>>(bits));
    }
    first = end;
  }
  return true;
}

}  // namespace

std::optional<Buffer> pack_decimals(std::span<const float> values, std::int64_t size_max_bytes) {
  return pack_values(values, size_max_bytes);
}
std::optional<Buffer> pack_decimals(std::span<const double> values, std::int64_t size_max_bytes) {
  return pack_values(values, size_max_bytes);
}
bool unpack_decimals(std::span<const std::byte> bytes, std::span<float> into) {
  return unpack_values(bytes, into);
}
bool unpack_decimals(std::span<const std::byte> bytes, std::span<double> into) {
  return unpack_values(bytes, into);
}

}  // namespace sheaf::container
