#include "format/sheaf/container_deserializer.h"

#include <cstdint>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "conformance/read_all.h"
#include "format/sheaf/container_data.h"
#include "support/error_of.h"
#include "support/text_data.h"

namespace sheaf::container {
namespace {

using ::sheaf::testing::container_of;
using ::sheaf::testing::error_of;
using ::sheaf::testing::jsonl_of_every_form;
using ::sheaf::testing::open_container_bytes;
using ::sheaf::testing::sequences_of;
using ::sheaf::testing::text_data_of;

// Returns the first error of a file, from opening or reading. Returns an empty text if the file is
// sound.
std::string damage_of(const std::string& bytes) {
  std::string found;
  const std::string thrown = error_of<DataError>([&] {
    const auto data = open_container_bytes(bytes);
    for (const conformance::ReferenceDiagnostic& each : conformance::read_all(*data).diagnostics) {
      found = each.code;
    }
  });
  return thrown.empty() ? found : thrown;
}

TEST(ContainerDeserializer, EveryKindOfStreamRoundTrips) {
  const auto data = text_data_of("jsonl", jsonl_of_every_form(300));
  const auto back = open_container_bytes(container_of(*data));
  ASSERT_EQ(back->streams().size(), data->streams().size());
  for (std::size_t i = 0; i < data->streams().size(); ++i) {
    EXPECT_EQ(back->streams()[i], data->streams()[i]);
  }
  EXPECT_EQ(sequences_of(*back), sequences_of(*data));
}

TEST(ContainerDeserializer, AbsentStreamsRoundTrip) {
  FormatOptions options;
  options.missing_streams = MissingStreams::allow;
  const auto data =
      text_data_of("ctf", "1 |x 1 |y 2:1\n2 |x 2\n3 |y 1:1\n4 |x 1 |y 0:2\n", options);
  const auto back = open_container_bytes(container_of(*data));
  EXPECT_EQ(sequences_of(*back), sequences_of(*data));
}

TEST(ContainerDeserializer, TextKeysRoundTrip) {
  FormatOptions options;
  options.keys = KeyType::text;
  const auto data = text_data_of("ctf", "a |x 1\nlonger |x 2\n# |x 3\n", options);
  const auto back = open_container_bytes(container_of(*data));
  EXPECT_EQ(sequences_of(*back), sequences_of(*data));
  EXPECT_EQ(conformance::read_all(*back).sequences[1].key_text, "longer");
}

// Tests a file with every form of stream, and with several chunks.
TEST(ContainerDeserializer, EveryFlippedBitIsDetected) {
  const auto data = text_data_of("jsonl", jsonl_of_every_form(12));
  const std::string bytes = container_of(*data, {.chunk_size_bytes = 400});
  ASSERT_EQ(damage_of(bytes), "");
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string other = bytes;
    other[i] = static_cast<char>(other[i] ^ (1 << (i % 8)));
    ASSERT_NE(damage_of(other), "") << i;
  }
}

TEST(ContainerDeserializer, EveryTruncationIsDetected) {
  const auto data = text_data_of("jsonl", jsonl_of_every_form(12));
  const std::string bytes = container_of(*data, {.chunk_size_bytes = 400});
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ASSERT_NE(damage_of(bytes.substr(0, size)), "") << size;
  }
  EXPECT_NE(damage_of(bytes + '\0'), "");
  EXPECT_NE(damage_of(bytes + bytes), "");
}

std::string contents_of(const std::string& name) {
  std::ifstream file(std::string(SHEAF_TESTDATA_DIR) + "/sheaf/" + name, std::ios::binary);
  EXPECT_TRUE(file.good()) << name;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Files of earlier builds. testdata/sheaf/README.md says how they were made. Files with zstd and
// lz4 are only read, because the compressed bytes differ between releases.
TEST(ContainerDeserializer, GoldenFilesRoundTrip) {
  const auto data = text_data_of("jsonl", contents_of("every_form.jsonl"));
  const auto expected = sequences_of(*data);
  ASSERT_GT(expected.size(), 100U);
  for (const char* compression : {"fast", "none", "small"}) {
    SCOPED_TRACE(compression);
    const std::string golden = contents_of(std::string("every_form.") + compression + ".sheaf");
    EXPECT_EQ(sequences_of(*open_container_bytes(golden)), expected);
    if (golden.find("lz4") != std::string::npos || golden.find("zstd") != std::string::npos) {
      continue;
    }
    EXPECT_EQ(container_of(
                  *data, {.extra = {{"sheaf.compression", compression}}, .chunk_size_bytes = 4000}),
              golden);
  }
}

TEST(ContainerDeserializer, TheGoldenFileWithCostsRoundTrips) {
  const auto data = text_data_of("jsonl", contents_of("every_form.jsonl"));
  const std::string golden = contents_of("every_form.costs.sheaf");
  const auto back = open_container_bytes(golden);
  EXPECT_EQ(sequences_of(*back), sequences_of(*data));
  EXPECT_EQ(back->index().cost_measure().name, "bytes");
  EXPECT_EQ(container_of(*data, {.extra = {{"sheaf.compression", "none"}},
                                 .chunk_size_bytes = 4000,
                                 .cost_name = "bytes"}),
            golden);
}

TEST(ContainerDeserializer, ALocationIsTheColumnOfTheBlock) {
  FormatOptions options;
  options.keys = KeyType::text;
  const auto data = text_data_of("ctf", "a |x 1 |y 5\nb |x 2 |y 6\n", options);
  const auto back = open_container_bytes(container_of(*data));
  const Diagnostic x = back->location_of(ChunkIndex{}, 1, 0);
  const Diagnostic y = back->location_of(ChunkIndex{}, 1, 1);
  EXPECT_EQ(x.path, "t.sheaf");
  EXPECT_EQ(x.sequence_key, "b");
  EXPECT_GT(x.byte_offset, 64);  // after the column of keys
  EXPECT_GT(y.byte_offset, x.byte_offset);
  EXPECT_EQ(y.byte_offset % 64, 0);
}

TEST(ContainerDeserializer, TheFingerprintDependsOnContent) {
  const auto of = [](const std::string& text) {
    return open_container_bytes(container_of(*text_data_of("ctf", text)))->fingerprint();
  };
  EXPECT_EQ(of("1 |x 1\n"), of("1 |x 1\n"));
  EXPECT_NE(of("1 |x 1\n"), of("1 |x 2\n"));
  EXPECT_NE(of("1 |x 1\n"), of("2 |x 1\n"));
  EXPECT_NE(of("1 |x 1\n"), of("1 |y 1\n"));
  EXPECT_NE(of("1 |x 1\n"), of("1 |x 1\n2 |x 1\n"));
}

}  // namespace
}  // namespace sheaf::container
