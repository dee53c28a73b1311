// The fuzz target of the kernels that convert text. For any bytes of a field or a list, each kernel
// must accept the same values as the slow functions (tests/format/text/field_kernel_laws.h). The
// target tries every set of instructions of the machine.
//
// An input has kControlBytes and then a text:
//
//   size           two bytes: a shorter text is repeated up to this many bytes, so that a few bytes
//                  become several pieces of a kernel
//   limit          two bytes: how many values too few the output has room for
//   dim            which of kDims
//   around         the byte beside the field

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "sheaf/extend/simd.h"

#include "format/text/field_kernel_laws.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace sheaf::internal {
namespace {

constexpr std::size_t kControlBytes = 6;
constexpr std::size_t kSizeMax = 10'000;  // of a repeated text; more than two pieces
constexpr std::array<std::int64_t, 8> kDims = {
    1000, 1, 10, 99'999'999, 100'000'000, 100'000'001, 2'147'483'647, std::int64_t{1} << 40};

std::size_t number_at(const std::uint8_t* bytes) {
  return static_cast<std::size_t>(bytes[0]) | static_cast<std::size_t>(bytes[1]) << 8;
}

void check_input(const std::uint8_t* data, std::size_t size) {
  if (size < kControlBytes) return;
  std::string field(reinterpret_cast<const char*>(data) + kControlBytes, size - kControlBytes);
  const std::size_t wanted = std::min(number_at(data), kSizeMax);
  for (std::size_t i = 0; !field.empty() && field.size() < wanted; ++i) field += field[i];

  const auto room = static_cast<std::int64_t>(field.size() / 2 + 1);
  const FieldCase given{
      .field = field,
      .limit = std::max<std::int64_t>(0, room - static_cast<std::int64_t>(number_at(data + 2))),
      .dim = kDims[data[4] % kDims.size()],
      .around = static_cast<char>(data[5])};
  for (const SimdLevel level : simd_levels()) {
    set_simd_level(level);
    const std::string broken = broken_law(given);
    if (broken.empty()) continue;
    std::fprintf(stderr, "%.*s, %zu bytes, limit %lld, dim %lld: %s\n%.*s\n",
                 static_cast<int>(to_string(level).size()), to_string(level).data(), field.size(),
                 static_cast<long long>(given.limit), static_cast<long long>(given.dim),
                 broken.c_str(), static_cast<int>(std::min<std::size_t>(field.size(), 2000)),
                 field.data());
    std::abort();
  }
}

}  // namespace
}  // namespace sheaf::internal

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sheaf::internal::check_input(data, size);
  return 0;
}
