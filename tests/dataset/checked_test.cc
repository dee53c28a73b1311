#include "sheaf/extend/checked.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/executor.h"

#include "conformance/read_all.h"
#include "support/error_of.h"
#include "support/fake_deserializer.h"
#include "support/text_data.h"

namespace sheaf {
namespace {

using testing::ctf;
using testing::dense;
using testing::error_of;
using testing::FakeData;
using testing::FakeDeserializer;
using testing::sparse;
using testing::with_streams;

std::shared_ptr<const FakeDeserializer> fake(FakeData data) {
  return std::make_shared<const FakeDeserializer>(std::move(data));
}

/// Returns three sequences of one sample in "x" and in "y". The second sequence has `more` extra
/// samples in "x", and the first has entries in "y".
Chunk made_up(std::int64_t more, const std::vector<std::int32_t>& indices) {
  const auto data = fake({});
  const std::vector<Stream> streams(data->streams().begin(), data->streams().end());
  std::vector<Column> columns(2);
  for (std::int64_t i = 0; i < 2 * (3 + more); ++i) columns[0].values.push_back(1.F);
  for (const std::int64_t offset : {std::int64_t{0}, std::int64_t{1}, 2 + more, 3 + more}) {
    columns[0].sequence_offsets.push_back(offset);
  }
  for (const std::int32_t index : indices) {
    columns[1].values.push_back(1.F);
    columns[1].indices.push_back(index);
  }
  const auto count = static_cast<std::int64_t>(indices.size());
  for (const std::int64_t offset : {std::int64_t{0}, count, count, count}) {
    columns[1].sample_offsets.push_back(offset);
  }
  return {streams, 3, std::move(columns)};
}

std::string error_of_chunk(const std::function<Chunk()>& chunk) {
  FakeData data;
  data.lengths = {{1, 1, 1}};
  data.on_chunk = [&](const Chunk&) { return chunk(); };
  const auto checked_data = checked(fake(data));
  Diagnostics diagnostics;
  try {
    static_cast<void>(checked_data->read({ChunkIndex{0}, 0, 3}, diagnostics));
  } catch (const InternalError& error) {
    return error.what();
  }
  return "";
}

TEST(Checked, PassesValidDataThrough) {
  const auto data = ctf("x.ctf", "1 |x 1 |y 2:1\n1 |x 2\n2 |y 0:1 1:1\n3 |x 7 |x\n4 |x 1 |y 0:1\n",
                        with_streams({dense("x"), sparse("y", 3)}))
                        .data;
  const auto same = checked(data);
  EXPECT_EQ(same->fingerprint(), data->fingerprint());
  EXPECT_EQ(testing::keys_of(*same), testing::keys_of(*data));
  EXPECT_EQ(testing::sequences_of(*same), testing::sequences_of(*data));
  EXPECT_EQ(error_of_chunk([] { return made_up(0, {0, 99}); }), "");
}

TEST(Checked, NamesTheBrokenPromise) {
  struct Case {
    std::int64_t more;
    std::vector<std::int32_t> indices;
    const char* text;
  };
  const Case cases[] = {
      {2, {}, "sequence 1 has 3 samples, and 1 in the index"},
      {0, {0, 100}, "sequence 0 has the index 100 in stream \"y\", whose dim is 100"},
      {0, {-1}, "sequence 0 has the index -1 in stream \"y\", whose dim is 100"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(error_of_chunk([&] { return made_up(c.more, c.indices); }),
              std::string("Deserializer::read of chunk 0: ") + c.text);
  }
  EXPECT_EQ(error_of_chunk([] { return Chunk({}, 3, {}); }),
            "Deserializer::read of chunk 0: streams() has 2 streams, the chunk has 0");
  EXPECT_EQ(error_of_chunk([] { return Chunk({}, 7, {}); }),
            "Deserializer::read of chunk 0: 3 sequences were asked for, 7 came");
}

TEST(Checked, ChecksDataDecodedDuringIndexing) {
  FakeData data;
  data.lengths = {{1, 2, 3}, {4, 0}};
  data.is_decoded_ahead = true;
  const auto made = fake(data);
  const auto threads = thread_pool(1);
  EXPECT_EQ(conformance::build_index(*checked(made), *threads, 2).size(), 3U);
  EXPECT_EQ(conformance::build_index(*checked(made), *threads, 1).size(), 0U);
  data.on_chunk = [](Chunk /*chunk*/) { return Chunk({}, 3, {}); };
  EXPECT_EQ(error_of<InternalError>(
                [&] { (void)conformance::build_index(*checked(fake(data)), *threads, 2); }),
            "Deserializer::read of chunk 0: streams() has 2 streams, the chunk has 0");
}

TEST(Checked, RefusesWrongCosts) {
  FakeData data;
  data.lengths = {{1, 1}};
  data.measure = {.name = "points"};
  data.costs = {{3, 0}};
  const auto error_of_costs = [&] {
    const auto checked_data = checked(fake(data));
    Diagnostics diagnostics;
    return error_of([&] {
      static_cast<void>(checked_data->read({ChunkIndex{0}, 0, 2}, diagnostics));
    });
  };
  EXPECT_EQ(error_of_costs(), "no error");
  data.costs = {{3, -1}};
  EXPECT_EQ(error_of_costs(),
            "Deserializer::read of chunk 0: the cost -1 of sequence 1 is negative or too large");
}

}  // namespace
}  // namespace sheaf
