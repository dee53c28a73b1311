// Options of lattices.

#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sheaf/extend/format.h"
#include "sheaf/types.h"

namespace sheaf::lattice {

inline constexpr std::array<std::string_view, 2> kAsValues = {"bytes", "f32"};
inline constexpr FormatOption kAsOption = {
    "lattice.as", kAsValues,
    "a lattice as one sample of bytes, or as f32 samples with the bits of every four bytes"};
inline constexpr std::array kReadOptions = {kAsOption};

/// The checked options of a data set of lattices.
struct ReadOptions {
  Stream stream;
  bool has_text_keys = false;
  bool checks_blocks = true;
  std::int64_t chunk_size_bytes = 0;
  std::int64_t read_size_bytes = 0;
  std::int64_t row_size_max_bytes = 0;

  [[nodiscard]] bool gives_bytes() const noexcept {
    return stream.element_type == ElementType::bytes;
  }

  /// Returns the bytes of the values of a lattice with `size_bytes`.
  [[nodiscard]] std::int64_t value_bytes(std::int64_t size_bytes) const noexcept {
    return gives_bytes() ? size_bytes : (size_bytes + 3) / 4 * 4;
  }
};

/// Checks the options.
///
/// Throws: ConfigError.
[[nodiscard]] ReadOptions read_options_of(const FormatOptions& options);

}  // namespace sheaf::lattice
