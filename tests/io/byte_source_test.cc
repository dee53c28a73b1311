#include "sheaf/extend/byte_source.h"

#include <cstdint>
#include <span>
#include <string>

#include <gtest/gtest.h>

#include "sheaf/error.h"

namespace sheaf {
namespace {

std::string read(const ByteSource& source, std::int64_t offset, std::size_t size) {
  std::string bytes(size, '?');
  source.read_at(offset, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

TEST(Fingerprint, IsEqualForCopiesAndDependsOnBothEnds) {
  const std::string text(300'000, 'x');
  const auto of = [](const std::string& bytes) {
    return memory_source(bytes, "name does not count")->fingerprint();
  };
  std::string head = text;
  head[0] = 'y';
  std::string tail = text;
  tail.back() = 'y';
  EXPECT_EQ(of(text), of(std::string(text)));
  EXPECT_NE(of(text), of(head));
  EXPECT_NE(of(text), of(tail));
  EXPECT_NE(of(text), of(text + 'x'));
  EXPECT_NE(of(""), of("x"));
  EXPECT_EQ(to_string(of("")), "0-2d06800538d394c2");  // the published XXH3 hash of no bytes
}

TEST(MemorySource, RefusesReadsOutsideItsBytes) {
  const auto source = memory_source("abc", "text");
  EXPECT_EQ(read(*source, 1, 2), "bc");
  EXPECT_THROW((void)read(*source, 2, 2), IoError);
  EXPECT_THROW((void)read(*source, 4, 0), IoError);
  EXPECT_THROW((void)read(*source, -1, 1), IoError);
}

}  // namespace
}  // namespace sheaf
