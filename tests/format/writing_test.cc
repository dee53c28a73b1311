#include "format/writing.h"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/buffer.h"

#include "support/error_of.h"

namespace sheaf::internal {
namespace {

constexpr ErrorKind kKind{"some-code", "something else"};

using testing::error_of;

TEST(Writing, StreamsMustHaveUniqueNames) {
  EXPECT_EQ(error_of<Error>([] { check_written_streams("abc", {}); }),
            "streams: abc needs at least one");
  std::vector<Stream> streams = {{.name = "a"}, {.name = "b"}};
  EXPECT_EQ(error_of<Error>([&] { check_written_streams("abc", streams); }), "");
  streams.push_back({.name = "a"});
  EXPECT_EQ(error_of<Error>([&] { check_written_streams("abc", streams); }),
            "streams: two have the name \"a\"");
}

TEST(Writing, AnErrorNamesFileKeyAndStream) {
  EXPECT_EQ(error_of<Error>([] {
              throw_unwritable({.path = "out", .key = "7", .stream = "s"}, kKind, "this", "a hint");
            }),
            "out: sequence 7: error: stream \"s\": expected something else, found this "
            "[some-code]\n  a hint");
  EXPECT_EQ(error_of<Error>([] { throw_unwritable({.path = "out"}, kKind, "this"); }),
            "out: error: expected something else, found this [some-code]");
}

TEST(Writing, RunningKeysMustBeConsecutive) {
  const std::vector<SequenceKey> keys = {{.low = 3}, {.low = 4}, {.low = 6}};
  EXPECT_EQ(error_of<Error>([&] { check_running("out", std::span(keys).first(2), 3, kKind); }), "");
  EXPECT_EQ(error_of<Error>([&] { check_running("out", keys, 3, kKind); }),
            "out: sequence 6: error: expected something else, found 6 where 5 would be read "
            "[some-code]");
}

TEST(Writing, ARepeatedKeyIsNamed) {
  EXPECT_EQ(error_of<Error>([] { check_repeated("out", std::nullopt, kKind); }), "");
  const WrittenKeys::Repeated repeated{.sequence = 4, .key = SequenceKey{.low = 9}};
  EXPECT_EQ(error_of<Error>([&] { check_repeated("out", repeated, kKind); }),
            "out: sequence 9: error: expected something else, found one that has, sequence number "
            "4 from 0 [some-code]");
}

TEST(Writing, ABlockCopiesItsKeysAndCountsItsMemory) {
  const std::vector<SequenceKey> keys = {{.low = 3}, {.low = 4}};
  Buffer bytes;
  bytes.reserve(100);
  const TextBlock block(std::move(bytes), {.keys = keys});
  EXPECT_EQ(block.keys, keys);
  EXPECT_FALSE(block.has_key_texts);
  EXPECT_GE(block.memory_bytes(), 100 + 32);
}

}  // namespace
}  // namespace sheaf::internal
