#include "format/csv/csv_serializer.h"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/format.h"

#include "format/csv/csv_test_files.h"
#include "support/error_of.h"

namespace sheaf::csv {
namespace {

using testing::error_of;

/// Writes the sequences of the data without holes, in batches of `batch_size`.
std::string written(const Deserializer& data, const Extra& extra, std::int64_t batch_size = 3) {
  std::string bytes;
  CsvSerializer serializer(memory_sink(bytes, "out.csv"), data.streams(), {.extra = extra});
  for (ChunkIndex i{}; data.index().chunk(i); i = next(i)) {
    Diagnostics diagnostics;
    const Chunk chunk = data.read({.chunk = i}, diagnostics);
    const auto table = data.index().sequences(i);
    for (std::int64_t first = 0; first < chunk.sequence_count(); first += batch_size) {
      std::vector<SequenceKey> keys;
      std::vector<std::string_view> texts;
      std::vector<std::vector<SequenceView>> views(data.streams().size());
      for (std::int64_t k = first; k < std::min(first + batch_size, chunk.sequence_count()); ++k) {
        if (chunk.is_hole(k)) continue;
        keys.push_back(table->key(k));
        if (table->key(k).high != 0) texts.push_back(chunk.key_text(k));
        for (std::size_t s = 0; s < views.size(); ++s) {
          views[s].push_back(chunk.view(static_cast<std::int64_t>(s), k));
        }
      }
      const std::vector<std::span<const SequenceView>> spans(views.begin(), views.end());
      serializer.append(serializer.encode({.keys = keys, .key_texts = texts, .views = spans}));
    }
  }
  serializer.finish();
  return bytes;
}

std::unique_ptr<Deserializer> ctf(const std::string& text, std::vector<StreamOptions> streams) {
  FormatOptions options;
  options.format = "ctf";
  options.streams = std::move(streams);
  options.missing_streams = MissingStreams::allow;
  return find_format("", options).open({memory_source(text, "t"), options});
}

TEST(CsvSerializer, WritesAColumnForEachValueOfASample) {
  const auto data = ctf("0 |y 1 |x 1.5 -2 1e-9\n1 |y 3 |x 0 0.1 4\n",
                        {{.name = "y", .sample_shape = Shape{1}, .dtype = ElementType::i64},
                         {.name = "x", .sample_shape = Shape{3}}});
  const std::string text = "y,x0,x1,x2\n1,1.5,-2,1e-9\n3,0,0.1,4\n";
  EXPECT_EQ(written(*data, {}), text);
  FormatOptions options = options_with({{"csv.columns", "y,x=x0..x2"}});
  EXPECT_EQ(written(*opened(text, options), {}), text);
  EXPECT_EQ(written(*opened(text, options), {{"csv.header", "no"}, {"csv.delimiter", "tab"}}),
            "1\t1.5\t-2\t1e-9\n3\t0\t0.1\t4\n");
}

TEST(CsvSerializer, KeysJoinTheRowsOfASequence) {
  const auto data = ctf("7 |x 1\n7 |x 2\n9 |x 3\n", {{.name = "x", .sample_shape = Shape{1}}});
  EXPECT_EQ(written(*data, {{"csv.key", "id"}}), "id,x\n7,1\n7,2\n9,3\n");
}

TEST(CsvSerializer, TextsAreQuotedAndAbsentStreamsAreEmpty) {
  FormatOptions options = options_with({{"csv.key", "k"}, {"csv.missing", "absent"}});
  options.keys = KeyType::text;
  const std::string text = "k,a,t\n\"x,y\",1,\"say \"\"a\"\"\nb\"\n\"z\",,\"\"\n\"w\",2,\n";
  EXPECT_EQ(written(*opened(text, options), {{"csv.key", "k"}}), text);
  EXPECT_EQ(written(*opened(text, options), {{"csv.keys", "drop"}}),
            "a,t\n1,\"say \"\"a\"\"\nb\"\n,\"\"\n2,\n");
}

TEST(CsvSerializer, NamesAreQuotedIfNecessary) {
  const std::string text = "\"a,b\",\"c\"\"d\",\"\xC3\xA4\",plain\n1,2,3,4\n";
  EXPECT_EQ(written(*opened(text), {}), text);
}

TEST(CsvSerializer, RefusesUnsupportedData) {
  struct Case {
    std::string text;
    std::vector<StreamOptions> streams;
    Extra extra;
    std::string error;
  };
  const StreamOptions x{.name = "x", .sample_shape = Shape{1}};
  const StreamOptions y{.name = "y", .sample_shape = Shape{1}};
  const Case cases[] = {
      {"1 |x 1\n", {x}, {}, "found 1 where 0 would be read"},
      {"0 |x 1\n0 |x 2\n", {x}, {}, "expected one sample, as rows have no keys, found 2 samples"},
      {"0 |x 1 |y 1\n0 |x 2\n",
       {x, y},
       {{"csv.key", "k"}},
       "stream \"y\": expected as many samples as the other streams have, found 1, where \"x\" has "
       "2"},
      {"0 |x 1:1\n",
       {{.name = "x", .storage = Storage::sparse, .sample_shape = Shape{3}}},
       {},
       "stream \"x\": csv has dense streams only"},
      {"0 |x 1 2 |x0 1\n",
       {{.name = "x", .sample_shape = Shape{2}}, {.name = "x0", .sample_shape = Shape{1}}},
       {},
       "csv: two columns would have the name \"x0\""},
      {"0 |x 1\n", {x}, {{"csv.key", "x"}}, "csv: two columns would have the name \"x\""},
  };
  for (const Case& c : cases) {
    const auto data = ctf(c.text, c.streams);
    const std::string error = error_of<Error>([&] { static_cast<void>(written(*data, c.extra)); });
    EXPECT_NE(error.find(c.error), std::string::npos) << error;
  }
  FormatOptions nan = options_with({{"csv.missing", "nan"}});
  const auto data = opened("a,b\n,1\n", nan);
  EXPECT_THROW(static_cast<void>(written(*data, {})), DataError);
}

TEST(CsvSerializer, ARowHasAtMost1048576Columns) {
  constexpr std::int64_t kMost = std::int64_t{1} << 20;
  const auto refused = [](std::int64_t first, std::int64_t second) {
    const std::vector<Stream> streams = {{.name = "a", .sample_shape = Shape{first}},
                                         {.name = "b", .sample_shape = Shape{second}}};
    std::string bytes;
    return error_of<ConfigError>(
        [&] { const CsvSerializer serializer(memory_sink(bytes, "out.csv"), streams, {}); });
  };
  EXPECT_EQ(refused(kMost - 2, 1), "");
  EXPECT_EQ(refused(kMost - 1, 1), "");
  EXPECT_NE(refused(kMost - 1, 2).find("stream \"b\": a row of csv would have more than 1048576"),
            std::string::npos);
}

}  // namespace
}  // namespace sheaf::csv
