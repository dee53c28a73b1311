// Many numbers of a text at once. Kernels are written for sets of instructions; each takes what is
// regular, and leaves at what is not: a token that is no plain decimal, a whole number that the
// type does not have, a value too many, the end. What it took is what lex_number() and lex_index()
// would have made of it.

#pragma once

#include <cstdint>

namespace sheaf::internal {

/// Where a kernel may look: so many bytes before a text, and behind its end.
inline constexpr std::int64_t kKernelPadding = 64;

/// Values, one after another, with blanks between them.
template <typename T>
struct ValueField {
  T* values = nullptr;     // where the next one goes
  std::int64_t limit = 0;  // how many there may be
  std::int64_t count = 0;
};

/// Pairs of an index below `dim` and a value; `is_sorted` as long as indices ascend.
template <typename T, typename Index>
struct PairField {
  T* values = nullptr;
  Index* indices = nullptr;
  std::int64_t dim = 0;
  std::int64_t limit = 0;  // pairs that there is room for
  std::int64_t count = 0;
  bool is_sorted = true;
};

/// Kernels of one set of instructions. Those of fields return where they left: at a blank, at what
/// begins a token, or at a byte that ends the field: "|", or a control byte but tab.
///
/// Pre: `p` is behind a blank, or at one; the field ends before the text does; kKernelPadding bytes
///      before `p` and behind the end may be read.
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

  template <typename T>
  [[nodiscard]] auto values() const noexcept {
    if constexpr (sizeof(T) == 4) {
      return values_f32;
    } else {
      return values_f64;
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

/// Those of the instructions in use (sheaf/extend/simd.h). The baseline's take nothing: one number
/// after another is as fast there.
[[nodiscard]] const FieldKernels& field_kernels() noexcept;

#if defined(__x86_64__)
[[nodiscard]] const FieldKernels& field_kernels_avx2() noexcept;
[[nodiscard]] const FieldKernels& field_kernels_avx512() noexcept;
#endif

}  // namespace sheaf::internal
