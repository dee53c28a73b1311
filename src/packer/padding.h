/// \file
/// Applies Padding to streams.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "sheaf/minibatch.h"
#include "sheaf/types.h"

namespace sheaf::internal {

/// The value where there is no sample; by default 0.
class PadFill {
 public:
  PadFill() = default;

  /// Throws: ConfigError if the element type of the stream does not have the value.
  PadFill(const Stream& stream, const PadValue& value);

  /// Fills memory with copies of the value.
  ///
  /// Pre: the size is a multiple of the size of a value.
  void fill(std::byte* out, std::int64_t size_bytes) const noexcept;

 private:
  std::array<std::byte, sizeof(std::int64_t)> value_{};
  std::int64_t size_ = 1;
  bool is_one_byte_ = true;  // whether all bytes of the value are equal
};

/// Throws: ConfigError for options that the layout does not support, and for numbers out of range.
void check_padding(Layout layout, const Padding& padding);

/// Checks that the named streams exist, and that their element types have the values.
///
/// Throws: ConfigError.
void check_pad_values(const Padding& padding, std::span<const Stream> streams);

/// Returns the fill of one stream.
///
/// Throws: as PadFill.
[[nodiscard]] PadFill fill_of(const Padding& padding, const Stream& stream);

/// Returns the part of a packer's name that describes the padding: "/left/multiple=8/labels=-100".
/// Empty for the default padding.
[[nodiscard]] std::string padding_name(const Padding& padding);

}  // namespace sheaf::internal
