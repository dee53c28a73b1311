#include "dataset/part_data.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/concatenate.h"
#include "sheaf/open.h"
#include "sheaf/spec.h"

#include "ops/conversion_data.h"
#include "support/error_of.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kChunkSize = 400;

class PartDataTest : public ::testing::Test, protected testing::ConversionData {
 protected:
  std::shared_ptr<const Deserializer> whole(const std::string& path = "in.ctf") {
    return open(path, {.chunk_size_bytes = kChunkSize});
  }

  static std::vector<std::int64_t> keys(const Deserializer& data) {
    std::vector<std::int64_t> all;
    for (ChunkIndex chunk{}; data.index().chunk(chunk); chunk = next(chunk)) {
      const auto table = data.index().sequences(chunk);
      for (std::int64_t i = 0; i < table->size(); ++i) {
        all.push_back(static_cast<std::int64_t>(table->key(i).low));
      }
    }
    return all;
  }
};

TEST_F(PartDataTest, PartsFollowEachOther) {
  const auto data = whole();
  const std::vector<std::int64_t> expected = keys(*data);
  ASSERT_EQ(std::ssize(expected), kSequenceCount);
  for (const std::int64_t count : {1, 2, 3, 17, 1000}) {
    std::vector<std::int64_t> all;
    for (std::int64_t i = 0; i < count; ++i) {
      const PartData part(data, {.number = i, .count = count}, nullptr);
      const std::vector<std::int64_t> more = keys(part);
      all.insert(all.end(), more.begin(), more.end());
    }
    EXPECT_EQ(all, expected) << count;
  }
}

TEST_F(PartDataTest, SequencesAndLocationsAreThoseOfTheFile) {
  const auto data = whole();
  const PartData part(data, {.number = 1, .count = 2}, nullptr);
  const auto first = part.index().chunk(ChunkIndex{});
  ASSERT_TRUE(first);
  EXPECT_GT(first->offset_bytes, 0);
  Diagnostics diagnostics;
  const Chunk chunk = part.read({ChunkIndex{}, 1, 1}, diagnostics);
  const auto key = part.index().sequences(ChunkIndex{})->key(1).low;
  EXPECT_EQ(chunk.view(0, 0).values != nullptr, true);
  EXPECT_EQ(chunk.columns()[0].values.as<float>()[0], static_cast<float>(key));
  std::int64_t before = 0;
  while (data->index().chunk(ChunkIndex{before})->offset_bytes < first->offset_bytes) ++before;
  EXPECT_EQ(part.location_of(ChunkIndex{}, 1, 0), data->location_of(ChunkIndex{before}, 1, 0));
  EXPECT_EQ(part.index().chunk_cost(ChunkIndex{}), data->index().chunk_cost(ChunkIndex{before}));
  EXPECT_EQ(part.streams().size(), data->streams().size());
  EXPECT_EQ(part.fingerprint(), data->fingerprint() + "; part 1/2");
}

TEST_F(PartDataTest, BytesOfPartsFollowEachOther) {
  const auto data = whole();
  EXPECT_FALSE(part_bytes(*data));
  const std::int64_t size = files().open("in.ctf")->size();
  for (const std::int64_t count : {1, 2, 3, 17}) {
    std::int64_t end = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto bytes = part_bytes(PartData(data, {.number = i, .count = count}, nullptr));
      ASSERT_TRUE(bytes);
      EXPECT_EQ(bytes->offset_bytes, end) << i << "/" << count;
      EXPECT_GT(bytes->size_bytes, 0) << i << "/" << count;
      end += bytes->size_bytes;
    }
    EXPECT_EQ(end, size) << count;
  }
  const auto none = part_bytes(PartData(data, {.number = 0, .count = 1000}, nullptr));
  ASSERT_TRUE(none);
  EXPECT_EQ(none->offset_bytes, 0);
  EXPECT_EQ(none->size_bytes, 0);
}

TEST_F(PartDataTest, WarningsBelongToTheLastPart) {
  write("odd.ctf", "0 |x 1 |y 2\n1 |x 3\n");
  const auto data = open("odd.ctf", {.streams = {{.name = "x", .sample_shape = Shape{1}}}});
  const PartData first(data, {.number = 0, .count = 2}, nullptr);
  const PartData last(data, {.number = 1, .count = 2}, nullptr);
  EXPECT_TRUE(first.warnings().empty());
  EXPECT_EQ(last.warnings(), data->warnings());
  EXPECT_EQ(last.warnings().size(), 1U);
}

TEST_F(PartDataTest, AnIndexErrorEndsTheLastPart) {
  write("a.ctf", "0 |x 1\n1 |x 2\n");
  write("b.ctf", "2 |x 1\n1 |x 2\n");  // repeats a key of the first file
  const std::shared_ptr<const Deserializer> data =
      concatenate({{open("a.ctf"), "a.ctf"}, {open("b.ctf"), "b.ctf"}});
  const PartData first(data, {.number = 0, .count = 2}, nullptr);
  EXPECT_NO_THROW(static_cast<void>(keys(first)));
  const PartData last(data, {.number = 1, .count = 2}, nullptr);
  EXPECT_THROW(static_cast<void>(keys(last)), DataError);
  const auto bytes = part_bytes(last);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->offset_bytes, 0);
  EXPECT_EQ(bytes->size_bytes, files().open("a.ctf")->size());  // the chunk before the error
}

TEST_F(PartDataTest, APartIsTakenBeforeTransforms) {
  DataSpec spec{.content =
                    FilesSpec{.files = {"in.ctf"}, .format = {.chunk_size_bytes = kChunkSize}}};
  spec.part = {.number = 1, .count = 4};
  const OpenedData plain = sheaf::open(spec, {.files = &files()});
  ASSERT_NE(part_in(*plain.data), nullptr);
  EXPECT_EQ(part_in(*plain.data)->part(), *spec.part);
  spec.transforms = {parse_transform("reverse:x")};
  const OpenedData reversed = sheaf::open(spec, {.files = &files()});
  ASSERT_NE(part_in(*reversed.data), nullptr);
  const auto plain_bytes = part_bytes(*plain.data);
  const auto reversed_bytes = part_bytes(*reversed.data);
  ASSERT_TRUE(plain_bytes && reversed_bytes);
  EXPECT_GT(plain_bytes->offset_bytes, 0);
  EXPECT_EQ(reversed_bytes->offset_bytes, plain_bytes->offset_bytes);
  EXPECT_EQ(reversed_bytes->size_bytes, plain_bytes->size_bytes);
  EXPECT_EQ(keys(*reversed.data), keys(*plain.data));
  EXPECT_EQ(part_in(*whole()), nullptr);
}

TEST_F(PartDataTest, InvalidPartsAreRefused) {
  const auto data = whole();
  EXPECT_EQ(testing::error_of([&] { PartData(data, {.number = 2, .count = 2}, nullptr); }),
            "part 2/2: the number of a part is from 0 to 1");
  const std::shared_ptr<const Deserializer> mixed =
      concatenate({{data, "a"}, {whole(), "b"}},
                  {.mixture = MixtureOptions{.weights = {1, 1}, .exhausted = Exhausted::stop}});
  EXPECT_EQ(testing::error_of([&] { PartData(mixed, {.number = 0, .count = 2}, nullptr); }),
            "part 0/2: a mixture has no parts: its order draws from all members");
  DataSpec member{.content = FilesSpec{.files = {"in.ctf"}}};
  member.part = {.number = 0, .count = 2};
  const DataSpec outer{.content = ConcatenationSpec{.members = {member}}};
  EXPECT_EQ(testing::error_of([&] { static_cast<void>(sheaf::open(outer, {.files = &files()})); }),
            "part 0/2: a member of other data has no part; put the part beside the members");
}

TEST_F(PartDataTest, SpecsCanNameAPart) {
  const Spec spec = parse_spec(R"({"data": {"files": "a.ctf", "part": "3/8"}})", "s.json");
  EXPECT_EQ(spec.data.part, (DataPart{.number = 3, .count = 8}));
  EXPECT_EQ(parse_spec(to_json(spec), "again.json").data.part, spec.data.part);
  const auto refusal = [](const std::string& data) {
    return testing::error_of([&] { static_cast<void>(parse_spec(data, "s.json")); });
  };
  EXPECT_EQ(refusal(R"({"data": {"files": "a.ctf", "part": "8/8"}})"),
            "s.json: data.part: part 8/8: the number of a part is from 0 to 7");
  EXPECT_EQ(refusal(R"({"data": {"files": "a.ctf", "part": 3}})"),
            "s.json: data.part: expected a text, found 3");
  EXPECT_EQ(refusal(R"({"data": {"concatenate": [{"files": "a.ctf", "part": "0/2"}]}})"),
            "s.json: data.concatenate[0].part: a member has no part: put the part beside the "
            "members, into data.part");
}

}  // namespace
}  // namespace sheaf::internal
