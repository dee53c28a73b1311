// Converts many numbers of a text at once. There is a kernel for each instruction set.
//
// A kernel converts regular tokens to the same values as lex_number() and lex_index(). It stops at
// a token that is not a plain decimal, at a whole number that the type cannot represent, at a value
// too many, and at the end.

#pragma once

#include <cstdint>
#include <type_traits>

namespace sheaf::internal {

/// The number of bytes before and after a text that a kernel may read.
inline constexpr std::int64_t kKernelPadding = 64;

/// Values separated by blanks.
template <typename T>
struct ValueField {
  T* values = nullptr;     // destination of the next value
  std::int64_t limit = 0;  // largest number of values
  std::int64_t count = 0;
};

/// Pairs of an index below `dim` and a value. `is_sorted` holds while the indices ascend.
template <typename T, typename Index>
struct PairField {
  T* values = nullptr;
  Index* indices = nullptr;
  std::int64_t dim = 0;
  std::int64_t limit = 0;  // largest number of pairs
  std::int64_t count = 0;
  bool is_sorted = true;
};

/// The kernels of one instruction set. A field kernel returns the position where it stopped: at a
/// blank, at the start of a token, or at a byte that ends the field. Such bytes are "|" and control
/// bytes other than tab.
///
/// Pre: `p` points to a blank or to the byte after one. The field ends before the text does.
///      kKernelPadding bytes before `p` and after the end may be read.
struct FieldKernels {
  /// As count_until() (base/text_scan.h).
  const char* (*count_until)(const char* first, const char* last, char stop, char counted,
                             std::int64_t& count);

  const char* (*values_f32)(const char* p, ValueField<float>& field);
  const char* (*values_f64)(const char* p, ValueField<double>& field);
  const char* (*pairs_f32_i32)(const char* p, PairField<float, std::int32_t>& field);
  const char* (*pairs_f32_i64)(const char* p, PairField<float, std::int64_t>& field);
  const char* (*pairs_f64_i32)(const char* p, PairField<double, std::int32_t>& field);
  const char* (*pairs_f64_i64)(const char* p, PairField<double, std::int64_t>& field);

  // The same as read_number_list() of number_list.h, for any bytes after the list. They may refuse
  // a list with 4096 bytes or more between the ends of two elements, or before the "]". If they
  // refuse a list, `count` may be less than the number of elements before the error, because they
  // check the commas of 4096 bytes before they convert these bytes. But a list with too many
  // elements always leaves `count` at `limit` if no byte of the list is wrong.
  const char* (*list_f32)(const char* p, ValueField<float>& field);
  const char* (*list_f64)(const char* p, ValueField<double>& field);
  const char* (*list_i32)(const char* p, ValueField<std::int32_t>& field);
  const char* (*list_i64)(const char* p, ValueField<std::int64_t>& field);

  template <typename T>
  [[nodiscard]] auto values() const noexcept {
    if constexpr (sizeof(T) == 4) {
      return values_f32;
    } else {
      return values_f64;
    }
  }
  /// Returns the kernel of lists of T, which is float, double, int32 or int64.
  template <typename T>
  [[nodiscard]] auto list() const noexcept {
    if constexpr (std::is_same_v<T, float>) {
      return list_f32;
    } else if constexpr (std::is_same_v<T, double>) {
      return list_f64;
    } else if constexpr (sizeof(T) == 4) {
      return list_i32;
    } else {
      return list_i64;
    }
  }
  template <typename T, typename Index>
  [[nodiscard]] auto pairs() const noexcept {
    if constexpr (sizeof(Index) == 4) {
      if constexpr (sizeof(T) == 4) {
        return pairs_f32_i32;
      } else {
        return pairs_f64_i32;
      }
    } else if constexpr (sizeof(T) == 4) {
      return pairs_f32_i64;
    } else {
      return pairs_f64_i64;
    }
  }
};

/// Returns the kernels of the instruction set in use (sheaf/extend/simd.h). The baseline kernels of
/// fields convert nothing, because converting one number after another is as fast there.
[[nodiscard]] const FieldKernels& field_kernels() noexcept;

#if defined(__x86_64__)
[[nodiscard]] const FieldKernels& field_kernels_avx2() noexcept;
[[nodiscard]] const FieldKernels& field_kernels_avx512() noexcept;
#endif

}  // namespace sheaf::internal
