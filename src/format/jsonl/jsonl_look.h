// What the value of a field looks like to who looks for streams.

#pragma once

#include <cstdint>

#include "format/jsonl/jsonl_line.h"

namespace sheaf::jsonl {

/// What one value looks like. Empty lists and null say nothing; what can be no stream is `wrong`,
/// and says nothing either.
struct Look {
  enum class Kind : std::uint8_t { nothing, numbers, pairs, texts, wrong };

  /// Bits of `types`: what the numbers are.
  static constexpr std::int64_t kTruths = 1;
  static constexpr std::int64_t kWhole = 2;  // within 64 bits
  static constexpr std::int64_t kReal = 4;

  Kind kind = Kind::nothing;
  std::int64_t width = 1;       // of dense samples
  std::int64_t index_max = -1;  // of sparse ones
  std::int64_t types = 0;
};

[[nodiscard]] Look look_at(const Field& field);

}  // namespace sheaf::jsonl
