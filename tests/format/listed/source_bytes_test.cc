#include "format/listed/source_bytes.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/test_sources.h"

namespace sheaf::internal {
namespace {

using sheaf::testing::TestSource;

TEST(SourceBytes, AreReadForAnyReadSize) {
  const TestSource source("0123456789");
  for (const std::int64_t read_size : {1, 3, 5, 6, 7, 100}) {
    SCOPED_TRACE(read_size);
    std::string text(6, ' ');
    const std::int64_t reads_before = source.read_count();
    read_bytes(source, 2, std::as_writable_bytes(std::span(text)), read_size);
    EXPECT_EQ(text, "234567");
    EXPECT_EQ(source.read_count() - reads_before, (6 + read_size - 1) / read_size);
  }
}

TEST(SourceBytes, RequestsCoverTheBytesInOrder) {
  std::string text(7, ' ');
  std::vector<ByteSource::Request> requests;
  append_requests(10, std::as_writable_bytes(std::span(text)), 3, requests);
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[1].offset, 13);
  EXPECT_EQ(requests[2].offset, 16);
  EXPECT_EQ(requests[2].into.size(), 1U);
  append_requests(10, {}, 3, requests);
  EXPECT_EQ(requests.size(), 3U) << "no bytes, no request";
}

}  // namespace
}  // namespace sheaf::internal
