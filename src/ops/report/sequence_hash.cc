#include "ops/report/sequence_hash.h"

#include <array>
#include <cstddef>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "ops/report/id_counts.h"

namespace sheaf::internal {
namespace {

std::uint64_t hash_of(const void* bytes, std::int64_t size, std::uint64_t seed) noexcept {
  return XXH3_64bits_withSeed(bytes, static_cast<std::size_t>(size), seed);
}

}  // namespace

std::uint64_t hash_of_view(const Stream& stream, const SequenceView& view,
                           std::uint64_t name_hash) noexcept {
  if (!view.is_present) return 0;
  // The seed has the number of samples, since one call less saves much time in short sequences.
  const std::uint64_t seed = spread_bits(name_hash + static_cast<std::uint64_t>(view.sample_count));
  std::uint64_t hash =
      hash_of(view.values, view.value_count * element_size(stream.element_type), seed);
  if (view.indices != nullptr) {
    hash = hash_of(view.indices, view.value_count * element_size(stream.index_type), hash);
  }
  if (view.sample_offsets != nullptr && view.sample_count > 1) {
    std::array<std::int64_t, 64> sizes{};  // sizes of samples; absolute offsets are not content
    for (std::int64_t i = 0; i < view.sample_count;) {
      std::int64_t count = 0;
      for (; count < std::ssize(sizes) && i < view.sample_count; ++i, ++count) {
        sizes[static_cast<std::size_t>(count)] =
            view.sample_offsets[i + 1] - view.sample_offsets[i];
      }
      hash = hash_of(sizes.data(), count * std::int64_t{sizeof sizes[0]}, hash);
    }
  }
  if (view.extents != nullptr && stream.sample_shape.rank() > 1) {
    hash = hash_of(
        view.extents,
        view.sample_count * stream.sample_shape.rank() * std::int64_t{sizeof(std::int64_t)}, hash);
  }
  return hash;
}

std::uint64_t hash_of_name(std::string_view name) noexcept {
  return hash_of(name.data(), static_cast<std::int64_t>(name.size()), 0);
}

}  // namespace sheaf::internal
