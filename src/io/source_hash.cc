#include "io/source_hash.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <span>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sheaf::internal {

std::uint64_t hash_of(const ByteSource& source, std::int64_t begin, std::int64_t end) {
  constexpr std::int64_t kPieceSize = std::int64_t{64} << 10;
  const auto piece = std::make_unique<std::array<std::byte, kPieceSize>>();
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  while (begin < end) {
    const auto bytes =
        std::span(*piece).first(static_cast<std::size_t>(std::min(kPieceSize, end - begin)));
    source.read_at(begin, bytes);
    XXH3_64bits_update(&state, bytes.data(), bytes.size());
    begin += std::ssize(bytes);
  }
  return XXH3_64bits_digest(&state);
}

}  // namespace sheaf::internal
