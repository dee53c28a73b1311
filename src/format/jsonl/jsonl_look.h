// Examines the values of fields to find streams.

#pragma once

#include <cstdint>

#include "format/jsonl/jsonl_line.h"

namespace sheaf::jsonl {

/// The form of one value. Empty lists and null are no evidence. A value that cannot belong to a
/// stream is `wrong`, and is no evidence either.
struct Look {
  enum class Kind : std::uint8_t { nothing, numbers, pairs, texts, wrong };

  /// Bits of `types`: the kinds of numbers.
  static constexpr std::int64_t kTruths = 1;
  static constexpr std::int64_t kWhole = 2;  // within 64 bits
  static constexpr std::int64_t kReal = 4;

  Kind kind = Kind::nothing;
  std::int64_t width = 1;       // of dense samples
  std::int64_t index_max = -1;  // largest index of sparse samples
  std::int64_t types = 0;
};

[[nodiscard]] Look look_at(const Field& field);

}  // namespace sheaf::jsonl
