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
/// and each sample has its own length. The numbers of the enumerators never change, because pickled
/// minibatches store them.
enum class ElementType : std::uint8_t { u8, i32, i64, f16, f32, f64, bytes, u16, bf16 };

/// Returns the size of one value, in bytes.
[[nodiscard]] std::int64_t element_size(ElementType type) noexcept;

/// Returns the name in options and documents: "u8", "u16", "i32", "i64", "f16", "bf16", "f32",
/// "f64", "bytes".
[[nodiscard]] std::string_view to_string(ElementType type) noexcept;

/// The ElementType of a C++ type. No C++ type corresponds to `bytes`.
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

/// Returns whether values are whole numbers: u8, u16, i32, i64. The values of `bytes` are not
/// numbers.
[[nodiscard]] bool is_whole(ElementType type) noexcept;

/// Returns whether values are floating-point numbers: f16, bf16, f32, f64.
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

  /// Makes the shape of a scalar: rank 0, one value for each sample.
  Shape() = default;

  /// Throws: ConfigError for more than kRankMax extents, or for an extent that is neither positive
  ///         nor kVariable.
  Shape(std::initializer_list<std::int64_t> extents);
  explicit Shape(std::span<const std::int64_t> extents);

  /// Makes the shape of existing samples. Their extents are known and may be 0.
  ///
  /// Throws: ConfigError for more than kRankMax extents, or for a negative extent.
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

  /// Whether minibatch_size counts the samples of this stream. If no stream is marked,
  /// minibatch_size counts the samples of each sequence's longest stream.
  bool defines_minibatch_size = false;

  /// Whether the samples of a sequence lie together in the layout `packed`, too. `packed` then lays
  /// out the stream as `padded` does. CNTK laid out lattices in this way, because the samples of a
  /// lattice are pieces of one object.
  bool keeps_together = false;

  /// Whether the data of each sequence state the length of the other streams, as a lattice states
  /// its number of frames (Chunk::described_count()). Joins that compare lengths use this number
  /// instead of the number of the stream's own samples.
  bool describes_others = false;

  /// The class names of a stream of class ids, if the data name the classes: (*class_names)[2] is
  /// the name of class 2. Null if there are no names. Copies share the names.
  ///
  /// Names do not change values. to_string() leaves the names out, and comparing streams ignores
  /// them.
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

/// The key of a sequence, which identifies the sequence within its data set. A join matches
/// sequences by their keys.
///
/// A key is either a number (`low`, with `high` 0) or the 128-bit hash of a text. All keys of a
/// data set have the same kind.
struct SequenceKey {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  friend auto operator<=>(const SequenceKey&, const SequenceKey&) = default;  // NOLINT: no null
};

/// Returns a numeric key in decimal, and the hash of a text as 32 hexadecimal digits.
[[nodiscard]] std::string to_string(const SequenceKey& key);

/// Returns the key of a text: the 128-bit XXH3 of the text. Changes a hash whose `high` would be 0,
/// so that the key of a text never equals the key of a number.
[[nodiscard]] SequenceKey key_of_text(std::string_view text) noexcept;

/// Consecutive samples of a sequence. `first` 0 and `count` kAll mean the whole sequence.
struct SampleRange {
  static constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();

  std::int64_t first = 0;
  std::int64_t count = 0;

  friend bool operator==(const SampleRange&, const SampleRange&) = default;
};

}  // namespace sheaf
