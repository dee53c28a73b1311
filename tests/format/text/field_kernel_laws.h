/// \file
/// The laws of field kernels, for fields of any bytes. Numbers that are read one by one determine
/// what a kernel may take. The tests and fuzz_kernels share the laws.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "format/text/field_kernels.h"

namespace sheaf::internal {

/// A field, and the arguments for the kernels.
struct FieldCase {
  std::string_view field;
  std::int64_t limit = 0;  // how many values or pairs fit
  std::int64_t dim = 0;    // of pairs
  char around = '7';       // the byte that fills the memory around the field
};

/// Calls each kernel of the current instruction set (sheaf/extend/simd.h). Returns the first law
/// that a kernel breaks, with the name of the kernel, or "":
///
/// - The kernel reads only the field and kKernelPadding bytes on both sides. The memory has exactly
///   that size, so the address sanitizer finds any other access. The first byte after the field is
///   LF.
/// - The values equal those of the first tokens of the field, bit by bit.
/// - The kernel stops at the token after the last one that it took.
/// - Nothing is written beyond the limit.
/// - A kernel of values takes every token up to the first that is not a number, or that ends 4096
///   bytes or more after the token before. A kernel of pairs may take up to seven fewer, because it
///   takes eight at a time. The baseline takes nothing.
/// - A kernel of lists reads the field as the rest of a list, once as it is and once with a "]" at
///   its end. It takes the same elements as read_number_list() and stops where that function stops,
///   or refuses the list, too. It may refuse a list with 4096 bytes or more between the ends of two
///   elements, or from the last element to the "]". A refused list never counts more elements than
///   stand before the error.
/// - count_until() counts like a loop over the bytes.
[[nodiscard]] std::string broken_law(const FieldCase& given);

}  // namespace sheaf::internal
