#include "format/sheaf/array_codec.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::container {
namespace {

template <typename T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <typename T>
std::vector<T> make(std::int64_t count,
                    const std::function<T(std::mt19937_64&, std::int64_t)>& of) {
  std::mt19937_64 random(11);
  std::vector<T> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(of(random, i));
  return values;
}

// Encodes, decodes and compares an array. Returns the codec.
Codec round_trip(const PlainArray& array, Compression compression = Compression::fast) {
  const EncodedArray encoded = encode_array(array, compression);
  const bool is_raw = encoded.codec == Codec::raw;
  const std::span<const std::byte> stored =
      is_raw
          ? array.bytes
          : std::span(encoded.bytes.data(), static_cast<std::size_t>(encoded.bytes.size_bytes()));
  if (!is_raw && encoded.codec != Codec::constant) {
    EXPECT_LE(std::ssize(stored), std::ssize(array.bytes) / 8 * 7);
  }
  std::vector<std::int64_t> back((array.bytes.size() + 7) / 8 + 1, -1);  // aligned
  const StoredArray read{.type = array.type,
                         .count = array.count(),
                         .codec = encoded.codec,
                         .bytes = stored,
                         .runs = array.runs};
  std::byte* const into = reinterpret_cast<std::byte*>(back.data());
  EXPECT_TRUE(decode_array(read, into));
  EXPECT_EQ(std::vector<std::byte>(into, into + array.bytes.size()),
            std::vector<std::byte>(array.bytes.begin(), array.bytes.end()));
  return encoded.codec;
}

template <typename T>
Codec round_trip_of(ElementType type, const std::vector<T>& values,
                    Compression compression = Compression::fast,
                    const std::vector<std::int64_t>& runs = {}) {
  const std::vector<std::byte> bytes = bytes_of(values);
  return round_trip({.type = type, .bytes = bytes, .runs = runs}, compression);
}

TEST(ArrayCodec, EachKindOfValuesGetsItsCodec) {
  const std::int64_t count = 5000;
  const auto ids = [](std::mt19937_64& random, std::int64_t) {
    return static_cast<std::int32_t>(random() % 50'000);
  };
  EXPECT_EQ(round_trip_of(ElementType::i32, make<std::int32_t>(count, ids)), Codec::packed);
  const auto steps = [](std::mt19937_64& random, std::int64_t i) {
    return i * 1000 + static_cast<std::int64_t>(random() % 1000) - 10'000;
  };
  const std::vector<std::int64_t> times = make<std::int64_t>(count, steps);
  EXPECT_EQ(round_trip_of(ElementType::i64, times), Codec::packed);
  EXPECT_EQ(round_trip_of(ElementType::i64, times, Compression::fast, {0, count}), Codec::delta);
  const auto cents = [](std::mt19937_64& random, std::int64_t) {
    return static_cast<float>(random() % 10'000) / 100;
  };
  EXPECT_EQ(round_trip_of(ElementType::f32, make<float>(count, cents)), Codec::decimal);
  const auto any = [](std::mt19937_64& random, std::int64_t) {
    return std::bit_cast<double>(random());
  };
  EXPECT_EQ(round_trip_of(ElementType::f64, make<double>(count, any)), Codec::raw);
  EXPECT_EQ(round_trip_of(ElementType::f64, std::vector<double>(count, -0.0)), Codec::constant);
  EXPECT_EQ(round_trip_of(ElementType::i64, std::vector<std::int64_t>(1, 7)), Codec::constant);
  EXPECT_EQ(round_trip_of(ElementType::i64, std::vector<std::int64_t>()), Codec::raw);
  const auto letters = [](std::mt19937_64& random, std::int64_t) {
    return static_cast<std::uint8_t>('a' + random() % 4);
  };
  const std::vector<std::uint8_t> text = make<std::uint8_t>(count, letters);
  EXPECT_EQ(round_trip_of(ElementType::bytes, text), Codec::lz4);
  EXPECT_EQ(round_trip_of(ElementType::bytes, text, Compression::small), Codec::zstd);
  EXPECT_EQ(round_trip_of(ElementType::u8, text), Codec::packed);
  EXPECT_EQ(round_trip_of(ElementType::u8, text, Compression::none), Codec::raw);
  const auto halves = [](std::mt19937_64& random, std::int64_t) {
    return static_cast<std::uint16_t>(random() % 3);
  };
  EXPECT_EQ(round_trip_of(ElementType::f16, make<std::uint16_t>(count, halves)), Codec::lz4);
  EXPECT_EQ(round_trip_of(ElementType::u16, make<std::uint16_t>(count, halves)), Codec::packed);
}

template <typename T>
void check_whole_type(ElementType type) {
  for (const std::int64_t count : {1, 2, 3, 1023, 1024, 1025, 3000}) {
    for (int bits = 1; bits <= static_cast<int>(8 * sizeof(T)); ++bits) {
      const auto number = [&](std::mt19937_64& random, std::int64_t) {
        return static_cast<T>(random() >> (64 - bits));
      };
      const std::vector<T> values = make<T>(count, number);
      for (const Compression compression :
           {Compression::none, Compression::fast, Compression::small}) {
        SCOPED_TRACE(bits);
        round_trip_of(type, values, compression);
        round_trip_of(type, values, compression, {0, count / 2, count / 2, count});
      }
    }
  }
}

TEST(ArrayCodec, WholeNumbersOfEverySizeRoundTrip) {
  check_whole_type<std::uint8_t>(ElementType::u8);
  check_whole_type<std::uint16_t>(ElementType::u16);
  check_whole_type<std::int32_t>(ElementType::i32);
  check_whole_type<std::int64_t>(ElementType::i64);
}

TEST(ArrayCodec, DifferencesRestartWithEachRun) {
  // Sorted ids in samples of different sizes. Some runs are empty, also at both ends, and some
  // cross vectors.
  std::mt19937_64 random(3);
  std::vector<std::int32_t> ids;
  std::vector<std::int64_t> runs = {0, 0};
  for (const std::int64_t size : {1, 0, 5, 1018, 1, 4200, 3}) {
    std::int32_t id = 1'000'000'000 + static_cast<std::int32_t>(random() % 9);
    for (std::int64_t i = 0; i < size; ++i) {
      ids.push_back(id);
      id += static_cast<std::int32_t>(random() % 5);
    }
    runs.push_back(std::ssize(ids));
  }
  runs.push_back(std::ssize(ids));
  EXPECT_EQ(round_trip_of(ElementType::i32, ids, Compression::fast, runs), Codec::packed);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] += static_cast<std::int32_t>(i * 200'000);
  EXPECT_EQ(round_trip_of(ElementType::i32, ids, Compression::fast, runs), Codec::delta);
}

TEST(ArrayCodec, TheBytesDependOnlyOnTheValues) {
  const auto number = [](std::mt19937_64& random, std::int64_t) {
    return static_cast<std::int32_t>(random() % 1000);
  };
  const std::vector<std::int32_t> values = make<std::int32_t>(5000, number);
  const std::vector<std::byte> bytes = bytes_of(values);
  std::vector<std::byte> moved(bytes.size() + 4);
  std::memcpy(moved.data() + 4, bytes.data(), bytes.size());
  const EncodedArray a =
      encode_array({.type = ElementType::i32, .bytes = bytes, .runs = {}}, Compression::fast);
  const EncodedArray b =
      encode_array({.type = ElementType::i32, .bytes = std::span(moved).subspan(4), .runs = {}},
                   Compression::fast);
  ASSERT_EQ(a.bytes.size_bytes(), b.bytes.size_bytes());
  EXPECT_EQ(
      std::memcmp(a.bytes.data(), b.bytes.data(), static_cast<std::size_t>(a.bytes.size_bytes())),
      0);
}

TEST(ArrayCodec, BytesOfAnotherCodecOrTypeAreRefused) {
  std::vector<std::int64_t> into(100);
  std::byte* const room = reinterpret_cast<std::byte*>(into.data());
  const std::vector<std::byte> bytes(64);
  const auto is_read = [&](ElementType type, Codec codec, std::int64_t count, std::size_t size) {
    return decode_array({.type = type,
                         .count = count,
                         .codec = codec,
                         .bytes = std::span(bytes).first(size),
                         .runs = {}},
                        room);
  };
  EXPECT_TRUE(is_read(ElementType::f32, Codec::raw, 4, 16));
  EXPECT_FALSE(is_read(ElementType::f32, Codec::raw, 4, 15));
  EXPECT_FALSE(is_read(ElementType::f32, Codec::raw, 4, 17));
  EXPECT_TRUE(is_read(ElementType::f32, Codec::constant, 4, 4));
  EXPECT_FALSE(is_read(ElementType::f32, Codec::constant, 4, 5));
  EXPECT_FALSE(is_read(ElementType::f32, Codec::constant, 4, 3));
  EXPECT_FALSE(is_read(ElementType::f32, Codec::constant, 0, 4));
  EXPECT_TRUE(is_read(ElementType::i32, Codec::packed, 4, 9));
  EXPECT_FALSE(is_read(ElementType::i32, Codec::packed, 4, 10));
  EXPECT_FALSE(is_read(ElementType::f32, Codec::packed, 4, 9));
  EXPECT_FALSE(is_read(ElementType::bytes, Codec::packed, 4, 9));
  EXPECT_FALSE(is_read(ElementType::i32, Codec::delta, 4, 9));  // no runs
  EXPECT_TRUE(is_read(ElementType::f64, Codec::decimal, 4, 18));
  EXPECT_FALSE(is_read(ElementType::i64, Codec::decimal, 4, 18));
  EXPECT_FALSE(is_read(ElementType::f16, Codec::decimal, 4, 18));
  EXPECT_FALSE(is_read(ElementType::u8, Codec::lz4, 0, 0));
  EXPECT_FALSE(is_read(ElementType::u8, Codec::zstd, 4, 0));
}

TEST(ArrayCodec, CodecsHaveNames) {
  std::string names;
  for (std::uint64_t i = 0; i < kCodecCount; ++i) names += std::string(to_string(Codec{i})) + " ";
  EXPECT_EQ(names, "raw constant packed delta decimal lz4 zstd ");
}

}  // namespace
}  // namespace sheaf::container
