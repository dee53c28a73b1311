/// \file
/// What the packers make of Padding.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "sheaf/minibatch.h"
#include "sheaf/types.h"

namespace sheaf::internal {

/// The value that stands where no sample is; by default 0.
class PadFill {
 public:
  PadFill() = default;

  /// Throws: ConfigError where the stream has no such value.
  PadFill(const Stream& stream, const PadValue& value);

  /// Write the value over and over.
  ///
  /// Pre: the size is that of a whole number of values.
  void fill(std::byte* out, std::int64_t size_bytes) const noexcept;

 private:
  std::array<std::byte, sizeof(std::int64_t)> value_{};
  std::int64_t size_ = 1;
  bool is_one_byte_ = true;  // all bytes of the value are the first one
};

/// Throws: ConfigError that names what the layout does not take, and for numbers out of range.
void check_padding(Layout layout, const Padding& padding);

/// Check that there are such streams, and that they have such values.
///
/// Throws: ConfigError.
void check_pad_values(const Padding& padding, std::span<const Stream> streams);

/// The fill of one stream.
///
/// Throws: as PadFill.
[[nodiscard]] PadFill fill_of(const Padding& padding, const Stream& stream);

/// What the name of a packer says of its padding, as "/left/multiple=8/labels=-100"; nothing where
/// that is usual.
[[nodiscard]] std::string padding_name(const Padding& padding);

}  // namespace sheaf::internal
