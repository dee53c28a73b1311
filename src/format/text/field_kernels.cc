#include "format/text/field_kernels.h"

#include "sheaf/extend/simd.h"

#include "base/text_scan.h"
#include "format/text/number_list.h"

namespace sheaf::internal {
namespace {

template <typename Field>
const char* take_nothing(const char* p, Field& /*field*/) noexcept {
  return p;
}

constexpr FieldKernels kBaseline = {.count_until = count_until,
                                    .values_f32 = take_nothing,
                                    .values_f64 = take_nothing,
                                    .pairs_f32_i32 = take_nothing,
                                    .pairs_f32_i64 = take_nothing,
                                    .pairs_f64_i32 = take_nothing,
                                    .pairs_f64_i64 = take_nothing,
                                    .list_f32 = read_number_list,
                                    .list_f64 = read_number_list,
                                    .list_i32 = read_number_list,
                                    .list_i64 = read_number_list};

}  // namespace

const FieldKernels& field_kernels() noexcept {
#if defined(__x86_64__)
  switch (simd_level()) {
    case SimdLevel::avx512:
      return field_kernels_avx512();
    case SimdLevel::avx2:
      return field_kernels_avx2();
    case SimdLevel::baseline:
      break;
  }
#endif
  return kBaseline;
}

}  // namespace sheaf::internal
