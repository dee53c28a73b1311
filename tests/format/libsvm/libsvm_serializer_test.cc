#include "format/libsvm/libsvm_serializer.h"

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/format.h"

#include "conformance/format_under_test.h"
#include "conformance/read_all.h"

namespace sheaf::libsvm {
namespace {

using Extra = std::map<std::string, std::string>;

/// Writes the sequences of the data without holes, in batches of `batch_size`.
std::string written(const Deserializer& data, const Extra& extra, std::int64_t batch_size,
                    std::string_view comment = "") {
  std::string bytes;
  LibsvmSerializer serializer(memory_sink(bytes, "out.svm"), data.streams(), {.extra = extra});
  for (ChunkIndex i{}; data.index().chunk(i); i = next(i)) {
    Diagnostics diagnostics;
    const Chunk chunk = data.read({.chunk = i}, diagnostics);
    const auto table = data.index().sequences(i);
    for (std::int64_t first = 0; first < chunk.sequence_count(); first += batch_size) {
      std::vector<SequenceKey> keys;
      std::vector<std::string_view> comments;
      std::vector<std::vector<SequenceView>> views(data.streams().size());
      for (std::int64_t k = first; k < std::min(first + batch_size, chunk.sequence_count()); ++k) {
        if (chunk.is_hole(k)) continue;
        keys.push_back(table->key(k));
        if (!comment.empty()) comments.push_back(comment);
        for (std::size_t s = 0; s < views.size(); ++s) {
          views[s].push_back(chunk.view(static_cast<std::int64_t>(s), k));
        }
      }
      const std::vector<std::span<const SequenceView>> spans(views.begin(), views.end());
      serializer.append(serializer.encode({.keys = keys, .comments = comments, .views = spans}));
    }
  }
  serializer.finish();
  return bytes;
}

std::unique_ptr<Deserializer> opened(const std::string& text, const FormatOptions& options,
                                     std::string_view format = "libsvm") {
  FormatOptions named = options;
  named.format = format;
  return find_format("", named).open({memory_source(text, "t"), named});
}

std::vector<StreamOptions> streams_of(Storage label, Storage features) {
  return {
      {.name = "label", .storage = label, .sample_shape = Shape{label == Storage::dense ? 1 : 9}},
      {.name = "features", .storage = features, .sample_shape = Shape{4}}};
}

std::string rewritten(const std::string& text, const FormatOptions& options, const Extra& extra) {
  return written(*opened(text, options), extra, 100);
}

TEST(LibsvmSerializer, WritesDocumentedRows) {
  const std::string text = "+1 1:0.50 3:-2\n-1 2:1e2\n0\n";
  const FormatOptions options{.streams = streams_of(Storage::dense, Storage::sparse)};
  EXPECT_EQ(rewritten(text, options, {}), "1 qid:0 1:0.5 3:-2\n-1 qid:1 2:100\n0 qid:2\n");
  EXPECT_EQ(rewritten(text, options, {{"libsvm.qid", "none"}}), "1 1:0.5 3:-2\n-1 2:100\n0\n");
  EXPECT_EQ(rewritten(text, options, {{"libsvm.qid", "drop"}, {"libsvm.base", "0"}}),
            "1 0:0.5 2:-2\n-1 1:100\n0\n");
  const std::string queries = "2 qid:7 1:1\n1 qid:7\n3 qid:5 4:1\n";
  EXPECT_EQ(rewritten(queries, options, {}), queries);
  EXPECT_EQ(rewritten(queries, options, {{"libsvm.qid", "drop"}}), "2 1:1\n1\n3 4:1\n");
  EXPECT_EQ(written(*opened(queries, options), {}, 1, "a # b"),
            "2 qid:7 1:1 # a # b\n1 qid:7\n3 qid:5 4:1 # a # b\n");
}

TEST(LibsvmSerializer, WritesEveryKindOfStream) {
  const std::string lists = "1,3 2:5\n7\n 4:1\n";
  EXPECT_EQ(rewritten(lists, {.streams = streams_of(Storage::sparse, Storage::dense)},
                      {{"libsvm.qid", "none"}}),
            "1,3 2:5\n7\n4:1\n");
  EXPECT_EQ(rewritten("1 1:-0 2:0 3:2\n", {.streams = streams_of(Storage::dense, Storage::dense)},
                      {{"libsvm.qid", "none"}}),
            "1 1:-0 3:2\n");
  FormatOptions alone;
  alone.streams = {streams_of(Storage::dense, Storage::sparse)[1]};
  EXPECT_EQ(rewritten("5 2:1\n6\n", alone, {{"libsvm.qid", "none"}}), "0 2:1\n0\n");
  alone.streams = {streams_of(Storage::dense, Storage::sparse)[0]};
  EXPECT_EQ(rewritten("5 2:1\n6\n", alone, {}), "5 qid:0\n6 qid:1\n");
}

/// Returns the sequences that are not holes.
std::vector<conformance::ReferenceSequence> good_of(conformance::ReferenceResult result) {
  std::erase_if(result.sequences, &conformance::ReferenceSequence::is_hole);
  for (conformance::ReferenceSequence& sequence : result.sequences) sequence.first_line = 0;
  return std::move(result.sequences);
}

/// Writes the good sequences of a text and reads them again. Returns how many sequences there were.
std::int64_t check_round_trip(const conformance::FormatUnderTest& format, const std::string& text,
                              const FormatOptions& options) {
  const conformance::ReferenceResult read = format.reference(text, options);
  const std::vector<conformance::ReferenceSequence> expected = good_of(read);
  std::set<std::uint64_t> keys;
  for (const auto& sequence : expected) keys.insert(sequence.key.low);
  if (expected.empty() || keys.size() < expected.size()) return 0;
  const std::unique_ptr<Deserializer> data = opened(text, options);
  const std::string bytes = written(*data, options.extra, 1000);
  EXPECT_EQ(written(*data, options.extra, 1), bytes);
  FormatOptions again = options;
  again.skip_sequence_ids = false;
  const conformance::ReferenceResult found =
      conformance::read_all(conformance::format_named("libsvm"), bytes, again);
  EXPECT_TRUE(found.diagnostics.empty()) << bytes;
  EXPECT_EQ(good_of(found), expected) << bytes;
  EXPECT_EQ(written(*opened(bytes, again), options.extra, 7), bytes);
  return std::ssize(expected);
}

// For any option set, written sequences read back equal. Any batches give the same bytes.
TEST(LibsvmSerializer, WrittenDataRoundTrip) {
  for (const conformance::FormatUnderTest& format : conformance::formats_under_test()) {
    if (format.name != "libsvm") continue;
    for (const conformance::OptionSet& set : format.option_sets) {
      FormatOptions options = set.options;
      for (StreamOptions& stream : options.streams) {
        if (!stream.alias.empty()) stream.name = std::exchange(stream.alias, "");
      }
      std::int64_t sequences = 0;
      for (std::uint64_t seed = 0; seed < 300; ++seed) {
        SCOPED_TRACE(set.name + " " + std::to_string(seed));
        sequences += check_round_trip(format, format.generate(seed, options), options);
      }
      EXPECT_GT(sequences, 300) << set.name;
    }
  }
}

/// Returns the error of writing sequences read from CTF.
std::string error_of(const std::string& ctf, const FormatOptions& options, const Extra& extra) {
  try {
    static_cast<void>(written(*opened(ctf, options, "ctf"), extra, 100));
  } catch (const DataError& error) {
    const Diagnostic& wrong = error.diagnostics().front();
    return wrong.path + " " + wrong.sequence_key + ": " + message(wrong) + " [" + wrong.code + "]";
  }
  return "";
}

TEST(LibsvmSerializer, RefusesUnsupportedSequences) {
  const FormatOptions dense{.streams = streams_of(Storage::dense, Storage::sparse)};
  const FormatOptions lists{.streams = streams_of(Storage::sparse, Storage::dense)};
  FormatOptions absent = dense;
  absent.missing_streams = MissingStreams::allow;
  struct Case {
    std::string ctf;
    FormatOptions options;
    Extra extra;
    std::string key;
    std::string error;
  };
  const Extra none = {{"libsvm.qid", "none"}};
  const Case cases[] = {
      {"5|label 1|features\n5|features 1:1\n",
       dense,
       {},
       "5",
       "stream \"features\": expected as many samples as there are rows, found 2, where \"label\" "
       "has 1 [libsvm-missing-stream]"},
      {"5|label 1\n",
       absent,
       {},
       "5",
       "stream \"features\": expected at least one sample, found none: it is absent "
       "[libsvm-missing-stream]"},
      {"0|label 1|features\n2|label 1|features\n", dense, none, "2",
       "expected keys that count from 0, as rows have no qids, found 2 where 1 would be read "
       "[libsvm-qid-needed]"},
      {"1|label 1|features\n", dense, none, "1",
       "found 1 where 0 would be read [libsvm-qid-needed]"},
      {"0|label 1|features\n0|label 1|features\n", dense, none, "0",
       "expected one sample, as rows have no qids, found 2 [libsvm-qid-needed]"},
      {"0|label 3:0.5|features 0 0 0 0\n",
       lists,
       {},
       "0",
       "stream \"label\": expected the value 1 for each label of a list, found 0.5 for 3 in sample "
       "0 [libsvm-label]"},
      {"|label|features 0 0 0 0\n", lists, none, "0",
       "expected a label, a qid or a pair in each row, found none in row 0 [libsvm-empty-row]"},
  };
  for (const Case& c : cases) {
    const std::string error = error_of(c.ctf, c.options, c.extra);
    EXPECT_NE(error.find(c.error), std::string::npos) << error;
    EXPECT_TRUE(error.starts_with("out.svm " + c.key + ": ")) << error;
  }
}

TEST(LibsvmSerializer, RefusesUnsupportedValuesAndKeys) {
  const std::vector<Stream> streams = {
      {.name = "features", .sample_shape = Shape{9}, .storage = Storage::sparse}};
  std::vector<float> values = {1, 2};
  std::vector<std::int32_t> indices = {3, 5};
  const std::int64_t offsets[] = {0, 2};
  const auto write = [&](const std::vector<SequenceKey>& keys, std::string_view comment,
                         const Extra& extra) -> std::string {
    std::string bytes;
    LibsvmSerializer serializer(memory_sink(bytes, "out.svm"), streams, {.extra = extra});
    const SequenceView view{.values = std::as_bytes(std::span(values)).data(),
                            .indices = std::as_bytes(std::span(indices)).data(),
                            .sample_offsets = offsets,
                            .sample_count = 1,
                            .value_count = 2};
    const std::vector<SequenceView> views(keys.size(), view);
    const std::vector<std::string_view> comments(keys.size(), comment);
    const std::span<const SequenceView> spans[] = {views};
    try {
      serializer.append(serializer.encode({.keys = keys, .comments = comments, .views = spans}));
      serializer.finish();
    } catch (const DataError& error) {
      return error.what();
    }
    return bytes;
  };
  const auto has = [](const std::string& text, std::string_view part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  const Extra drop = {{"libsvm.qid", "drop"}};
  EXPECT_EQ(write({{.low = 8}}, "", {}), "0 qid:8 4:1 6:2\n");
  has(write({{.low = 8}, {.low = 9}, {.low = 8}}, "", {}), "[libsvm-repeated-qid]");
  EXPECT_EQ(write({{.low = 8}, {.low = 8}}, "", drop), "0 4:1 6:2\n0 4:1 6:2\n");
  has(write({key_of_text("x")}, "", {}), "expected a key that is a number, as qids are");
  EXPECT_EQ(write({key_of_text("x")}, "", drop), "0 4:1 6:2\n");
  has(write({{.low = 8}}, "a\nb", {}), "[libsvm-comment]");
  has(write({}, "", {}), "no sequence at all [libsvm-empty]");
  values[1] = std::numeric_limits<float>::infinity();
  has(write({{.low = 8}}, "", {}), "expected a finite number, found inf in sample 0");
  values[1] = 2;
  indices[1] = 3;
  has(write({{.low = 8}}, "", {}), "found 3 behind 3 in sample 0 [libsvm-order]");
  indices[1] = 9;
  has(write({{.low = 8}}, "", {}), "[libsvm-order]");
}

TEST(LibsvmSerializer, RefusesUnsupportedStreamsAndOptions) {
  const auto refused = [](const std::vector<Stream>& streams, const Extra& extra) -> std::string {
    std::string bytes;
    try {
      const LibsvmSerializer serializer(memory_sink(bytes, "out.svm"), streams, {.extra = extra});
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  const Stream label{.name = "label", .sample_shape = Shape{1}};
  EXPECT_EQ(refused({label}, {}), "");
  EXPECT_NE(refused({{.name = "y", .sample_shape = Shape{1}}}, {}).find("no \"y\""),
            std::string::npos);
  EXPECT_NE(refused({{.name = "label", .sample_shape = Shape{2}}}, {}), "");
  EXPECT_NE(
      refused({{.name = "label", .element_type = ElementType::bytes, .sample_shape = Shape{1}}},
              {}),
      "");
  EXPECT_NE(refused({}, {}), "");
  EXPECT_EQ(refused({label}, {{"libsvm.qid", "x"}}),
            "libsvm.qid: expected all, none or drop, found \"x\"");
  EXPECT_NE(refused({label}, {{"libsvm.base", "3"}}), "");
  EXPECT_NE(refused({label}, {{"base", "1"}}), "");
}

}  // namespace
}  // namespace sheaf::libsvm
