/// \file
/// What transforms need of the streams that they read.

#pragma once

#include <cassert>
#include <cstdint>
#include <string>
#include <string_view>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"
#include "sheaf/types.h"

#include "base/text.h"

namespace sheaf::internal {

/// Throws a ConfigError that names the stream, what the stream must be, and what the stream is.
[[noreturn]] inline void refuse_stream(const Stream& stream, std::string_view needed) {
  Stream nameless = stream;
  nameless.name.clear();
  throw ConfigError(formatted("stream {} must be {}: got {}", quoted(std::string_view(stream.name)),
                              needed, to_string(nameless).substr(2)));  // without ": "
}

/// Returns whether visit_number_type() takes the type.
[[nodiscard]] constexpr bool is_number_type(ElementType type) noexcept {
  return type != ElementType::f16 && type != ElementType::bytes;
}

/// Calls `visit` with a 0 of the C++ type of `type`.
///
/// Pre: is_number_type(type).
template <typename Visit>
void visit_number_type(ElementType type, const Visit& visit) {
  assert(is_number_type(type));
  switch (type) {
    case ElementType::u8:
      return visit(std::uint8_t{0});
    case ElementType::i32:
      return visit(std::int32_t{0});
    case ElementType::i64:
      return visit(std::int64_t{0});
    case ElementType::f32:
      return visit(float{0});
    case ElementType::f64:
      return visit(double{0});
    case ElementType::f16:
    case ElementType::bytes:
      return;
  }
}

}  // namespace sheaf::internal
