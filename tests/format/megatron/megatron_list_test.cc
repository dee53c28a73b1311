#include "format/megatron/megatron_list.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/byte_source.h"

#include "format/megatron/megatron_test_files.h"
#include "support/error_of.h"

namespace sheaf::megatron {
namespace {

using sheaf::testing::error_of;
using testing::Made;
using testing::made_of;

std::shared_ptr<const ByteSource> list_of(const Made& made) {
  return memory_source(made.list(), "t.idx");
}

TEST(MegatronList, HeadersRoundTrip) {
  const Made made = made_of<std::int32_t>(4, {{1}, {2, 3}});
  const auto list = list_of(made);
  const ListHeader header = read_header(*list);
  EXPECT_EQ(header.type.name, "int32");
  EXPECT_EQ(header.sequence_count, 2);
  EXPECT_EQ(header.document_count, 2);
  EXPECT_EQ(header.size_bytes(), list->size());
  const auto bytes = header_bytes(header);
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  EXPECT_EQ(text, made.list().substr(0, kHeaderSize));
}

TEST(MegatronList, OtherFilesAreRefused) {
  for (const std::string& bytes : {std::string(), std::string(33, 'x'), std::string(100, 'x')}) {
    const auto source = memory_source(bytes, "t.idx");
    const std::string error = error_of<DataError>([&] { static_cast<void>(read_header(*source)); });
    EXPECT_NE(error.find("[megatron-header]"), std::string::npos) << error;
  }
}

TEST(MegatronList, DocumentsHaveTheOffsetOfTheirTokens) {
  Made made = made_of<std::uint16_t>(8, {{1, 2, 3}, {4}, {5, 6}});
  made.documents = {0, 2, 2, 3, 3};
  const auto list = list_of(made);
  const ListHeader header = read_header(*list);
  const auto read = [&](std::int64_t first, std::int64_t count) {
    return read_documents(*list, header, first, count, 12);
  };
  EXPECT_EQ(read(0, 4).token_counts, (std::vector<std::int64_t>{4, 0, 2, 0}));
  EXPECT_EQ(read(0, 4).token_count, 6);
  EXPECT_EQ(read(2, 1).first_token_byte, 8);
  EXPECT_EQ(read(2, 1).token_counts, std::vector<std::int64_t>{2});
  EXPECT_EQ(read(3, 1).token_counts, std::vector<std::int64_t>{0});
}

// A list that changed after it was scanned never leads outside the files.
TEST(MegatronList, AChangedListIsAnIoError) {
  const auto changed = [](auto change) {
    Made made = made_of<std::uint16_t>(8, {{1, 2, 3}, {4}, {5, 6}});
    change(made);
    const auto list = list_of(made);
    return error_of<IoError>(
        [&] { static_cast<void>(read_documents(*list, read_header(*list), 0, 3, 12)); });
  };
  const std::string expected = "t.idx: was changed after it was opened";
  EXPECT_EQ(changed([](Made&) {}), "");
  EXPECT_EQ(changed([](Made& made) { made.documents[0] = -1; }), expected);
  EXPECT_EQ(changed([](Made& made) { made.documents[1] = 3; }), expected);
  EXPECT_EQ(changed([](Made& made) { made.documents[3] = 4; }), expected);
  EXPECT_EQ(changed([](Made& made) { made.lengths[1] = -1; }), expected);
  EXPECT_EQ(changed([](Made& made) { made.lengths[1] = 2; }), expected);
  EXPECT_EQ(changed([](Made& made) { made.pointers[0] = -2; }), expected);
  EXPECT_EQ(changed([](Made& made) { made.pointers[0] = 2; }), expected);
}

}  // namespace
}  // namespace sheaf::megatron
