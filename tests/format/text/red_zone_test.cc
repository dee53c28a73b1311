#include "format/text/red_zone.h"

#include <array>
#include <cstddef>
#include <type_traits>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

struct Guarded {
  std::array<std::byte, 64> first{};
  [[no_unique_address]] RedZone between;
  std::array<std::byte, 64> second{};
};

/// Writes `size` bytes from the first member on.
void write(Guarded& guarded, std::size_t size) {
  auto* volatile const bytes = reinterpret_cast<std::byte*>(&guarded);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = std::byte{1};
}

#if defined(SHEAF_HAS_ADDRESS_SANITIZER)
TEST(RedZoneDeathTest, AWriteIntoAZoneEndsTheProgram) {
  Guarded guarded;
  write(guarded, 64);
  EXPECT_DEATH(write(guarded, 65), "use-after-poison");
}

TEST(RedZone, ADestroyedZoneReleasesItsMemory) {
  alignas(Guarded) std::array<std::byte, sizeof(Guarded)> memory{};
  auto* const guarded = new (memory.data()) Guarded;
  guarded->~Guarded();
  memory.fill(std::byte{1});
}
#elif !defined(NDEBUG)
TEST(RedZone, AWriteIntoAZoneIsDetected) {
  for (std::size_t size = 64; size <= 64 + sizeof(RedZone); ++size) {
    Guarded guarded;
    write(guarded, size);
    EXPECT_EQ(guarded.between.is_intact(), size == 64) << size;
  }
}
#else
// There is nothing to run: the zone must be empty.
static_assert(std::is_empty_v<RedZone> && std::is_trivially_destructible_v<Guarded>);
static_assert(sizeof(Guarded) == 128);

TEST(RedZone, ZonesTakeNoMemoryWithoutAssertions) {
  Guarded guarded;
  write(guarded, 64);
  EXPECT_EQ(guarded.second[0], std::byte{0});
  EXPECT_TRUE(guarded.between.is_intact());
}
#endif

}  // namespace
}  // namespace sheaf::internal
