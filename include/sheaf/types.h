/// \file
/// The types that all headers share: element types, shapes, streams, chunk numbers, sequence keys.
///
///     const sheaf::Stream stream = {.name = "features", .sample_shape = sheaf::Shape{64}};
///     std::cout << to_string(stream) << '\n';  // features: dense f32 [64]
///     std::cout << stream.sample_shape.size() << '\n';

#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/float16.h"

namespace sheaf {

/// The type of one value. `bytes` is opaque data, such as an encoded image: one value is one byte,
/// and each sample has a length of its own.
/// The numbers of the types stay as they are: pickled minibatches have them.
enum class ElementType : std::uint8_t { u8, i32, i64, f16, f32, f64, bytes, u16, bf16 };

/// Returns the size of one value, in bytes.
[[nodiscard]] std::int64_t element_size(ElementType type) noexcept;

/// Returns the name in options and documents: "u8", "u16", "i32", "i64", "f16", "bf16", "f32",
/// "f64", "bytes".
[[nodiscard]] std::string_view to_string(ElementType type) noexcept;

/// The ElementType of a C++ type. No C++ type stands for bytes.
template <typename T>
inline constexpr ElementType element_type_of = [] {
  static_assert(sizeof(T) == 0, "no ElementType stands for this C++ type");
  return ElementType::u8;
}();
template <>
inline constexpr ElementType element_type_of<std::uint8_t> = ElementType::u8;
template <>
inline constexpr ElementType element_type_of<std::uint16_t> = ElementType::u16;
template <>
inline constexpr ElementType element_type_of<std::int32_t> = ElementType::i32;
template <>
inline constexpr ElementType element_type_of<std::int64_t> = ElementType::i64;
template <>
inline constexpr ElementType element_type_of<Float16> = ElementType::f16;
template <>
inline constexpr ElementType element_type_of<BFloat16> = ElementType::bf16;
template <>
inline constexpr ElementType element_type_of<float> = ElementType::f32;
template <>
inline constexpr ElementType element_type_of<double> = ElementType::f64;

/// Whether values are whole numbers: u8, u16, i32, i64. Those of bytes are no numbers.
[[nodiscard]] bool is_whole(ElementType type) noexcept;

/// Whether values are numbers with a fraction: f16, bf16, f32, f64.
[[nodiscard]] bool is_floating(ElementType type) noexcept;

/// Whether a sample stores every value (dense), or pairs of index and value (sparse).
enum class Storage : std::uint8_t { dense, sparse };

/// Returns "dense" or "sparse".
[[nodiscard]] std::string_view to_string(Storage storage) noexcept;

/// The extents of one sample, slowest axis first. An extent of kVariable differs from sample to
/// sample; StreamBatch::extents then has the extents of each sample.
class Shape {
 public:
  static constexpr std::int64_t kVariable = -1;
  static constexpr int kRankMax = 8;

  /// Makes the shape of a scalar: rank 0, one value a sample.
  Shape() = default;

  /// Throws: ConfigError for more than kRankMax extents, or one that is neither positive nor
  ///         kVariable.
  Shape(std::initializer_list<std::int64_t> extents);
  explicit Shape(std::span<const std::int64_t> extents);

  /// Makes the shape of samples that are there. Their extents are known, and may be 0.
  ///
  /// Throws: ConfigError for more than kRankMax extents, or a negative one.
  [[nodiscard]] static Shape of_samples(std::span<const std::int64_t> extents);

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] std::span<const std::int64_t> extents() const noexcept {
    return {extents_.data(), static_cast<std::size_t>(rank_)};
  }

  /// Returns whether no extent is kVariable.
  [[nodiscard]] bool is_fixed() const noexcept;

  /// Returns the number of values of one sample: the product of the extents. A product above the
  /// largest int64 becomes the largest int64.
  ///
  /// Pre: is_fixed().
  [[nodiscard]] std::int64_t size() const noexcept;

  friend bool operator==(const Shape&, const Shape&) = default;

 private:
  std::array<std::int64_t, kRankMax> extents_{};
  int rank_ = 0;
};

/// Returns a text such as "[3, *, 2]", where * is a variable extent.
[[nodiscard]] std::string to_string(const Shape& shape);

/// One named input of every sequence, such as "features" or "labels". In each stream, a sequence
/// has samples, such as frames or tokens, of one type and one shape.
///
/// A sparse stream has a fixed shape of one extent, its *dim*. Indices are 0 .. dim-1.
struct Stream {
  std::string name;
  ElementType element_type = ElementType::f32;
  Shape sample_shape = {};
  Storage storage = Storage::dense;
  ElementType index_type = ElementType::i32;  // i32 or i64; of sparse streams only

  /// Whether the samples of this stream are the samples that minibatch sizes count. Where no stream
  /// is marked, the stream with the most samples counts in each sequence.
  bool defines_minibatch_size = false;

  /// Whether the samples of a sequence lie together in the layout `packed`, too: there the stream
  /// is laid out as `padded`, a row for each sequence. So CNTK had lattices, whose samples are
  /// pieces of one thing.
  bool keeps_together = false;

  /// Whether each sequence says inside how many samples the streams beside it have, as a lattice
  /// has the number of its frames: Chunk::described_count(). Joins that compare lengths compare
  /// this number, and not that of the stream's own samples.
  bool describes_others = false;

  /// The names of the classes of a stream of class ids, where the data name them: (*class_names)[2]
  /// is the name of the class 2. Null where there are no names. Copies share the names.
  ///
  /// The names describe values and change none: to_string() leaves them out, and streams are equal
  /// whatever their names are.
  std::shared_ptr<const std::vector<std::string>> class_names = {};

  friend bool operator==(const Stream& a, const Stream& b) noexcept;
};

/// Returns a text such as "features: dense f32 [64]".
[[nodiscard]] std::string to_string(const Stream& stream);

/// The number of a chunk, from 0. A chunk is a stretch of a file whose sequences are indexed
/// together, 32 MiB by default.
enum class ChunkIndex : std::int64_t {};

/// Returns the number of the next chunk.
[[nodiscard]] constexpr ChunkIndex next(ChunkIndex chunk) noexcept {
  return ChunkIndex{static_cast<std::int64_t>(chunk) + 1};
}

/// The key of a sequence, which names the sequence within its data set. A join finds the sequences
/// that belong together by their keys.
///
/// A key is either a number (`low`, with `high` 0) or the 128-bit hash of a text. All keys of a
/// data set are of one kind.
struct SequenceKey {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  friend auto operator<=>(const SequenceKey&, const SequenceKey&) = default;  // NOLINT: no null
};

/// Returns a number in decimal, and the hash of a text as 32 hexadecimal digits.
[[nodiscard]] std::string to_string(const SequenceKey& key);

/// Returns the key of a text: the 128-bit XXH3 of the text. A hash whose `high` would be 0 is
/// changed, so that no text has the key of a number.
[[nodiscard]] SequenceKey key_of_text(std::string_view text) noexcept;

/// Consecutive samples of a sequence. From sample 0 on, kAll samples are the whole sequence.
struct SampleRange {
  static constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();

  std::int64_t first = 0;
  std::int64_t count = 0;

  friend bool operator==(const SampleRange&, const SampleRange&) = default;
};

}  // namespace sheaf
