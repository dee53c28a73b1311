#include "sheaf/types.h"

#include <algorithm>
#include <tuple>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "sheaf/error.h"

#include "base/saturated.h"
#include "base/text.h"

namespace sheaf {

std::int64_t element_size(ElementType type) noexcept {
  switch (type) {
    case ElementType::u8:
    case ElementType::bytes:
      return 1;
    case ElementType::u16:
    case ElementType::f16:
    case ElementType::bf16:
      return 2;
    case ElementType::i32:
    case ElementType::f32:
      return 4;
    case ElementType::i64:
    case ElementType::f64:
      return 8;
  }
  return 1;
}

std::string_view to_string(ElementType type) noexcept {
  switch (type) {
    case ElementType::u8:
      return "u8";
    case ElementType::u16:
      return "u16";
    case ElementType::i32:
      return "i32";
    case ElementType::i64:
      return "i64";
    case ElementType::f16:
      return "f16";
    case ElementType::bf16:
      return "bf16";
    case ElementType::f32:
      return "f32";
    case ElementType::f64:
      return "f64";
    case ElementType::bytes:
      return "bytes";
  }
  return "?";
}

bool is_whole(ElementType type) noexcept {
  return type == ElementType::u8 || type == ElementType::u16 || type == ElementType::i32 ||
         type == ElementType::i64;
}

bool is_floating(ElementType type) noexcept {
  return type != ElementType::bytes && !is_whole(type);
}

std::string_view to_string(Storage storage) noexcept {
  return storage == Storage::dense ? "dense" : "sparse";
}

Shape::Shape(std::initializer_list<std::int64_t> extents)
    : Shape(std::span<const std::int64_t>(extents.begin(), extents.size())) {}

Shape::Shape(std::span<const std::int64_t> extents) : rank_(static_cast<int>(extents.size())) {
  if (extents.size() > kRankMax) {
    throw ConfigError(
        formatted("a sample shape has at most {} extents, got {}", kRankMax, extents.size()));
  }
  for (const std::int64_t extent : extents) {
    if (extent < 1 && extent != kVariable) {
      throw ConfigError(formatted("an extent of a sample shape is at least 1, got {}", extent));
    }
  }
  std::ranges::copy(extents, extents_.begin());
}

Shape Shape::of_samples(std::span<const std::int64_t> extents) {
  Shape shape;
  if (extents.size() > kRankMax) {
    throw ConfigError(
        formatted("a sample shape has at most {} extents, got {}", kRankMax, extents.size()));
  }
  shape.rank_ = static_cast<int>(extents.size());
  for (const std::int64_t extent : extents) {
    if (extent < 0) throw ConfigError(formatted("a sample has an extent of {}", extent));
  }
  std::ranges::copy(extents, shape.extents_.begin());
  return shape;
}

bool Shape::is_fixed() const noexcept {
  return std::ranges::find(extents(), kVariable) == extents().end();
}

std::int64_t Shape::size() const noexcept {
  std::int64_t product = 1;
  for (const std::int64_t extent : extents())
    product = internal::saturated_product(product, extent);
  return product;
}

std::string to_string(const Shape& shape) {
  std::string text = "[";
  for (const std::int64_t extent : shape.extents()) {
    if (text.size() > 1) text += ", ";
    text += extent == Shape::kVariable ? "*" : std::to_string(extent);
  }
  return text + "]";
}

bool operator==(const Stream& a, const Stream& b) noexcept {
  const auto compared = [](const Stream& stream) {
    return std::tie(stream.name, stream.element_type, stream.sample_shape, stream.storage,
                    stream.index_type, stream.defines_minibatch_size, stream.keeps_together,
                    stream.describes_others);
  };
  return compared(a) == compared(b);
}

std::string to_string(const Stream& stream) {
  return formatted("{}: {} {} {}", stream.name, to_string(stream.storage),
                   to_string(stream.element_type), to_string(stream.sample_shape));
}

std::string to_string(const SequenceKey& key) {
  if (key.high == 0) return std::to_string(key.low);
  return formatted("{:016x}{:016x}", key.high, key.low);
}

SequenceKey key_of_text(std::string_view text) noexcept {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  // A key whose high half is 0 is a number.
  return {.low = hash.low64, .high = std::max<std::uint64_t>(hash.high64, 1)};
}

}  // namespace sheaf
