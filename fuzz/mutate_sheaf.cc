// Changes a container in one of two ways. The first changes a number at a multiple of eight bytes,
// where most numbers of a container are. The second applies a change of libFuzzer. The mutator then
// corrects the hashes in most cases, so that the library reads the changed data.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "format/sheaf/container_test_file.h"
#include "mutation.h"

namespace sheaf::fuzz {
namespace {

constexpr std::size_t kControl = 8;  // see fuzz_format.cc
constexpr std::size_t kNumber = sizeof(std::uint64_t);

void change_number(std::string& bytes, Random& random) {
  if (bytes.size() < kNumber) return;
  std::size_t at = below(random, bytes.size() - kNumber + 1);
  if (below(random, 4) > 0) at -= at % kNumber;
  std::uint64_t number = 0;
  std::memcpy(&number, bytes.data() + at, kNumber);
  number = hard_number(random, number);
  // Lists and packed numbers contain numbers of one byte.
  const std::size_t size = below(random, 3) == 0 ? 1 : kNumber;
  std::memcpy(bytes.data() + at, &number, size);
}

}  // namespace
}  // namespace sheaf::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t size_max, unsigned seed) {
  using namespace sheaf::fuzz;  // NOLINT: an interface in C
  Random random(seed + 1);
  if (size <= kControl || below(random, 4) == 0) return LLVMFuzzerMutate(data, size, size_max);
  std::string bytes(reinterpret_cast<const char*>(data) + kControl, size - kControl);
  for (std::size_t i = below(random, 3) + 1; i > 0; --i) change_number(bytes, random);
  if (below(random, 8) > 0) bytes = sheaf::testing::resealed(std::move(bytes));
  const std::size_t kept = std::min(bytes.size(), size_max - kControl);
  std::memcpy(data + kControl, bytes.data(), kept);
  return kControl + kept;
}
