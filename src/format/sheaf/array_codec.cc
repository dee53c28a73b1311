#include "format/sheaf/array_codec.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "base/unaligned.h"
#include "format/sheaf/bit_packing.h"
#include "format/sheaf/block_compression.h"
#include "format/sheaf/decimal_packing.h"

namespace sheaf::container {
namespace {

using internal::load;

// Calls `visit` with a zero of the given whole type.
template <typename Visit>
decltype(auto) with_whole(ElementType type, const Visit& visit) {
  switch (type) {
    case ElementType::u8:
      return visit(std::uint8_t{0});
    case ElementType::u16:
      return visit(std::uint16_t{0});
    case ElementType::i32:
      return visit(std::int32_t{0});
    default:
      return visit(std::int64_t{0});
  }
}

template <typename T>
std::span<const T> values_of(std::span<const std::byte> bytes) noexcept {
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

bool is_constant(const PlainArray& array) noexcept {
  const auto size = static_cast<std::size_t>(element_size(array.type));
  // Every value equals its predecessor.
  return std::memcmp(array.bytes.data(), array.bytes.data() + size, array.bytes.size() - size) == 0;
}

NumberFeed numbers_of(const PlainArray& array) {
  return [&array](std::int64_t first, std::int64_t count, std::uint64_t* into) {
    with_whole(array.type, [&](auto zero) {
      using T = decltype(zero);
      const std::byte* at = array.bytes.data() + first * std::int64_t{sizeof(T)};
      for (std::int64_t i = 0; i < count; ++i) {
        into[i] = static_cast<std::uint64_t>(std::int64_t{load<T>(at, i)});
      }
    });
  };
}

// Feeds the distance of each number from its predecessor. The first number of a run counts from 0.
//
// Each pass must ask for the numbers in order. There may be several passes.
NumberFeed distances_of(const PlainArray& array) {
  return [&array, plain = numbers_of(array), before = std::uint64_t{0}, run = std::size_t{0}](
             std::int64_t first, std::int64_t count, std::uint64_t* into) mutable {
    if (first == 0) run = 0;
    plain(first, count, into);
    for (std::int64_t i = 0; i < count; ++i) {
      bool begins = false;
      for (; run < array.runs.size() && array.runs[run] == first + i; ++run) begins = true;
      const std::uint64_t number = into[i];
      into[i] = begins ? number : number - before;
      before = number;
    }
  };
}

Buffer packed_bytes(const PlainArray& array, const NumberFeed& feed, std::int64_t size) {
  Buffer packed;
  packed.reserve(size);
  packed.resize(size);
  pack(array.count(), feed, packed.mutable_data());
  return packed;
}

std::optional<EncodedArray> pack_whole(const PlainArray& array, std::int64_t size_max) {
  const NumberFeed plain = numbers_of(array);
  const std::int64_t size = packed_size(array.count(), plain);
  if (!array.runs.empty()) {
    const NumberFeed distances = distances_of(array);
    const std::int64_t distances_size = packed_size(array.count(), distances);
    if (distances_size < size && distances_size <= size_max) {
      return EncodedArray{Codec::delta, packed_bytes(array, distances, distances_size)};
    }
  }
  if (size > size_max) return std::nullopt;
  return EncodedArray{Codec::packed, packed_bytes(array, plain, size)};
}

std::optional<EncodedArray> pack_numbers(const PlainArray& array, std::int64_t size_max) {
  if (is_whole(array.type)) return pack_whole(array, size_max);
  std::optional<Buffer> decimals;
  if (array.type == ElementType::f32) {
    decimals = pack_decimals(values_of<float>(array.bytes), size_max);
  } else if (array.type == ElementType::f64) {
    decimals = pack_decimals(values_of<double>(array.bytes), size_max);
  }
  if (!decimals) return std::nullopt;
  return EncodedArray{Codec::decimal, *std::move(decimals)};
}

bool decode_packed(const StoredArray& array, std::byte* into) {
  std::optional<Unpacker> packed = Unpacker::open(array.bytes, array.count);
  if (!packed || packed->size_bytes() != std::ssize(array.bytes)) return false;
  const bool has_distances = array.codec == Codec::delta;
  if (has_distances && array.runs.empty()) return false;
  return with_whole(array.type, [&](auto zero) {
    using T = decltype(zero);
    T* at = reinterpret_cast<T*>(into);
    NumberVector numbers;
    std::uint64_t before = 0;
    std::size_t run = 0;
    std::int64_t first = 0;
    while (const std::int64_t count = packed->next(numbers)) {
      if (has_distances) {
        for (std::int64_t i = 0; i < count;) {
          for (; run < array.runs.size() && array.runs[run] == first + i; ++run) before = 0;
          const std::int64_t end =
              run < array.runs.size() ? std::min(count, array.runs[run] - first) : count;
          for (; i < end; ++i) {
            before += numbers[static_cast<std::size_t>(i)];
            at[i] = static_cast<T>(before);
          }
        }
      } else {
        for (std::int64_t i = 0; i < count; ++i) {
          at[i] = static_cast<T>(numbers[static_cast<std::size_t>(i)]);
        }
      }
      at += count;
      first += count;
    }
    return true;
  });
}

bool decode_constant(const StoredArray& array, std::byte* into) noexcept {
  const auto size = static_cast<std::size_t>(element_size(array.type));
  if (array.bytes.size() != size || array.count < 1) return false;
  // Copy the filled part behind itself until the array is full.
  const std::size_t all = static_cast<std::size_t>(array.count) * size;
  std::memcpy(into, array.bytes.data(), size);
  for (std::size_t done = size; done < all; done *= 2) {
    std::memcpy(into + done, into, std::min(done, all - done));
  }
  return true;
}

}  // namespace

std::string_view to_string(Codec codec) noexcept {
  constexpr std::array<std::string_view, kCodecCount> kNames = {
      "raw", "constant", "packed", "delta", "decimal", "lz4", "zstd"};
  return kNames[static_cast<std::size_t>(codec)];
}

EncodedArray encode_array(const PlainArray& array, Compression compression) {
  if (array.bytes.empty()) return {};
  if (is_constant(array)) {
    EncodedArray constant{Codec::constant, {}};
    constant.bytes.resize(element_size(array.type));
    std::memcpy(constant.bytes.mutable_data(), array.bytes.data(),
                static_cast<std::size_t>(element_size(array.type)));
    return constant;
  }
  if (compression == Compression::none) return {};
  // A codec that decodes slower than a copy must save at least an eighth.
  const std::int64_t size_max = std::ssize(array.bytes) / 8 * 7;
  std::optional<EncodedArray> best = pack_numbers(array, size_max);
  if (!best && is_compressible(array.bytes)) {
    if (std::optional<Buffer> packed = compress_lz4(array.bytes, size_max)) {
      best = EncodedArray{Codec::lz4, *std::move(packed)};
    }
  }
  if (compression == Compression::small) {
    const std::int64_t least = best ? best->bytes.size_bytes() - 1 : size_max;
    if (std::optional<Buffer> packed = compress_zstd(array.bytes, least)) {
      best = EncodedArray{Codec::zstd, *std::move(packed)};
    }
  }
  return best ? *std::move(best) : EncodedArray{};
}

bool decode_array(const StoredArray& array, std::byte* into) {
  const bool is_number = is_whole(array.type);
  const auto size =
      static_cast<std::size_t>(array.count) * static_cast<std::size_t>(element_size(array.type));
  const std::span<std::byte> room(into, size);
  switch (array.codec) {
    case Codec::raw:
      if (array.bytes.size() != size) return false;
      if (size > 0) std::memcpy(into, array.bytes.data(), size);
      return true;
    case Codec::constant:
      return decode_constant(array, into);
    case Codec::packed:
    case Codec::delta:
      return is_number && decode_packed(array, into);
    case Codec::decimal:
      if (array.type == ElementType::f32) {
        return unpack_decimals(array.bytes, {reinterpret_cast<float*>(into), size / sizeof(float)});
      }
      return array.type == ElementType::f64 &&
             unpack_decimals(array.bytes, {reinterpret_cast<double*>(into), size / sizeof(double)});
    case Codec::lz4:
      return decompress_lz4(array.bytes, room);
    case Codec::zstd:
      return decompress_zstd(array.bytes, room);
  }
  return false;
}

}  // namespace sheaf::container
