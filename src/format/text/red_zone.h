// Guard bytes between the members of one object.
//
// The address sanitizer detects a write past the end of an object, but not a write from one member
// into the next. A RedZone between two members detects that. Under the address sanitizer such an
// access ends the program at once. With assertions alone, is_intact() reports it afterwards. Other
// builds have no zones.

#pragma once

#include <array>
#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define SHEAF_HAS_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SHEAF_HAS_ADDRESS_SANITIZER 1
#endif
#endif

#if defined(SHEAF_HAS_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#endif

namespace sheaf::internal {

#if defined(SHEAF_HAS_ADDRESS_SANITIZER)

/// A zone that the address sanitizer watches.
class RedZone {
 public:
  RedZone() noexcept { __asan_poison_memory_region(bytes_.data(), bytes_.size()); }
  ~RedZone() { __asan_unpoison_memory_region(bytes_.data(), bytes_.size()); }
  RedZone(const RedZone&) = delete;
  RedZone& operator=(const RedZone&) = delete;

  [[nodiscard]] bool is_intact() const noexcept { return true; }

 private:
  alignas(16) std::array<std::byte, 256> bytes_;  // longer than any one step of an overrun
};

#elif !defined(NDEBUG)

/// A zone that is filled with a known byte.
class RedZone {
 public:
  RedZone() noexcept { bytes_.fill(kUntouched); }

  /// Returns whether every byte is unchanged.
  [[nodiscard]] bool is_intact() const noexcept {
    for (const std::byte byte : bytes_) {
      if (byte != kUntouched) return false;
    }
    return true;
  }

 private:
  static constexpr std::byte kUntouched{0xA5};

  alignas(16) std::array<std::byte, 256> bytes_{};  // longer than any one step of an overrun
};

#else

/// An empty zone, which takes no memory as a [[no_unique_address]] member.
struct RedZone {
  [[nodiscard]] static constexpr bool is_intact() noexcept { return true; }
};

#endif

}  // namespace sheaf::internal
