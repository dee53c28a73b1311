#include "io/source_hash.h"

#include <cstdint>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "sheaf/extend/byte_source.h"

namespace sheaf::internal {
namespace {

TEST(SourceHash, MatchesTheHashOfTheBytes) {
  std::string bytes;
  for (int i = 0; i < 200'000; ++i) bytes += static_cast<char>(i * 7 + i / 251);
  const std::shared_ptr<const ByteSource> source = memory_source(bytes, "x");
  for (const std::int64_t begin : {0, 1, 70'000}) {
    for (const std::int64_t size : {0, 1, 65'535, 65'536, 65'537, 130'000}) {
      EXPECT_EQ(hash_of(*source, begin, begin + size),
                XXH3_64bits(bytes.data() + begin, static_cast<std::size_t>(size)))
          << begin << " " << size;
    }
  }
}

}  // namespace
}  // namespace sheaf::internal
