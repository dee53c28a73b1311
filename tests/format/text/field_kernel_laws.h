/// \file
/// What must hold of field kernels, whatever the bytes of the field: numbers read one by one say
/// what a kernel may take. Shared by the tests and by fuzz_kernels.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "format/text/field_kernels.h"

namespace sheaf::internal {

/// A field, and how kernels are called for it.
struct FieldCase {
  std::string_view field;
  std::int64_t limit = 0;  // how many values, or pairs, there is room for
  std::int64_t dim = 0;    // of pairs
  char around = '7';       // the byte that fills the memory beside the field
};

/// Calls each kernel of the instructions in use (sheaf/extend/simd.h) and returns the first law
/// that does not hold, with the name of the kernel; "" where all hold:
///
/// - Only the field and kKernelPadding bytes on both sides are read. The memory has exactly that
///   size, so the address sanitizer finds any other access. The first byte behind the field is LF.
/// - The values are those of the first tokens of the field, bit by bit.
/// - The kernel leaves at the token behind the last one that it took.
/// - Nothing is written beyond the limit.
/// - A kernel of values takes every token up to the first that is no number, or that ends 4096
///   bytes or more behind the token before it. A kernel of pairs may take up to seven fewer, since
///   it takes eight at a time. The baseline takes nothing.
/// - count_until() counts as a loop over the bytes does.
[[nodiscard]] std::string broken_law(const FieldCase& given);

}  // namespace sheaf::internal
