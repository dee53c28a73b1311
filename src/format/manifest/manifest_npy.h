// Reads arrays from NumPy files.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include "format/manifest/manifest_errors.h"

namespace sheaf::manifest {

inline constexpr ErrorKind kNpy{"manifest-npy",
                                "a NumPy file of version 1, 2 or 3 with an array of two axes, in C "
                                "order, of the type f2, f4 or f8"};
inline constexpr ErrorKind kNpyCut{"manifest-npy-cut", "all bytes of the array"};

/// The rows of an array of floats.
struct FloatArray {
  std::int64_t row_count = 0;
  std::int64_t dim = 0;
  std::int64_t value_size = 0;  // 2, 4 or 8 bytes
  bool is_big_endian = false;
  std::int64_t data_bytes = 0;  // offset of the first value in the file

  friend bool operator==(const FloatArray&, const FloatArray&) = default;
};

/// The reason why a file cannot be read.
struct FileFault {
  const ErrorKind* kind = nullptr;
  std::int64_t byte_offset = 0;
  std::string found;
};

/// The bytes of a file to read to find its array. NumPy writes 128.
inline constexpr std::int64_t kNpyHeadBytes = 512;

/// Parses the head of a file of `size_bytes`.
///
/// Pre:    `head` is the first kNpyHeadBytes of the file, or all bytes.
/// Errors: another type or shape than those of FloatArray, Fortran order, fewer bytes than the
///         shape needs.
/// Source: numpy.lib.format.
[[nodiscard]] std::variant<FloatArray, FileFault> parse_npy_head(std::span<const std::byte> head,
                                                                 std::int64_t size_bytes);

/// Converts values.
///
/// Pre: `from` has to.size() values of the array, aligned or not.
void convert_npy(const std::byte* from, const FloatArray& array, std::span<float> to) noexcept;

}  // namespace sheaf::manifest
