#include "format/mlf/mlf_parser.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/file_system.h"

#include "format/mlf/mlf_deserializer.h"
#include "support/write_file.h"

namespace sheaf::mlf {
namespace {

struct Found {
  std::vector<std::int32_t> ids;
  std::vector<float> values;
  std::string wrong;  // "line:column code severity" of each error
};

Found read(const std::string& ranges, FormatOptions options = {}) {
  const std::unique_ptr<FileSystem> files = memory_files();
  testing::write_file(*files, "states", "sil[2]\nah\nb\n");
  if (options.extra.contains("mlf.states")) options.extra["mlf.states"] = "states";
  if (options.streams.empty()) {
    options.streams = {{.name = "y", .storage = Storage::sparse, .sample_shape = Shape{3}}};
  }
  const MlfDeserializer data(memory_source("#!MLF!#\n\"u\"\n" + ranges + ".\n", "t"), options,
                             {.files = files.get()});
  Diagnostics diagnostics;
  const Chunk chunk = data.read({.chunk = ChunkIndex{}, .first = 0, .count = 1}, diagnostics);
  Found found;
  const auto ids = chunk.columns()[0].indices.as<std::int32_t>();
  found.ids.assign(ids.begin(), ids.end());
  const auto values = chunk.columns()[0].values.as<float>();
  found.values.assign(values.begin(), values.end());
  for (const Diagnostic& each : diagnostics.described()) {
    found.wrong += std::to_string(each.line) + ":" + std::to_string(each.column) + " " + each.code +
                   (each.severity == Severity::fatal ? " fatal " : " ");
  }
  EXPECT_EQ(chunk.is_hole(0), !found.wrong.empty());
  return found;
}

FormatOptions with(std::map<std::string, std::string> extra,
                   Compatibility compatibility = Compatibility::strict) {
  FormatOptions options;
  options.extra = std::move(extra);
  options.compatibility = compatibility;
  return options;
}

TEST(MlfParser, StatesAreMappedToIds) {
  const Found found = read("0 2 sil[2] -1.5 x\n2 3\tb\n3 4 ah\n", with({{"mlf.states", ""}}));
  EXPECT_EQ(found.ids, (std::vector<std::int32_t>{0, 0, 2, 1})) << found.wrong;
  EXPECT_EQ(found.values, (std::vector<float>{1, 1, 1, 1}));
  EXPECT_EQ(read("0 2 sil 0\n2 3\n3 4 ah\n", with({{"mlf.states", ""}})).wrong,
            "3:5 mlf-state 4:1 mlf-columns ");
}

TEST(MlfParser, GapsMayBeFilled) {
  const FormatOptions filled =
      with({{"mlf.states", ""}, {"mlf.gap", "ah"}, {"mlf.phone_boundaries", "true"}});
  const Found found = read("2 4 b\n4 5 b\n6 7 b\n", filled);
  EXPECT_EQ(found.ids, (std::vector<std::int32_t>{1, 1, 2, 2, 2, 1, 2})) << found.wrong;
  EXPECT_EQ(found.values, (std::vector<float>{2, 1, 2, 1, 2, 2, 2}));
  EXPECT_EQ(read("2 4 b\n3 5 b\n", filled).wrong, "4:1 mlf-overlap ");
}

// CNTK stopped when it could not read a line, and left out utterances that it could read but that
// were wrong.
TEST(MlfParser, SomeErrorsAreFatalInCntkMode) {
  const auto wrong = [](const std::string& ranges, std::map<std::string, std::string> extra = {}) {
    return read(ranges, with(std::move(extra), Compatibility::cntk)).wrong;
  };
  EXPECT_EQ(wrong("1 2 x 1\n"), "3:1 mlf-gap ");
  EXPECT_EQ(wrong("0 2 x 1\n1 3 x 1\n"), "4:1 mlf-overlap ");
  EXPECT_EQ(wrong("0 9 x 1\n", {{"mlf.frames_max", "8"}}), "3:3 mlf-long ");
  EXPECT_EQ(wrong("0 1 x 3\n"), "3:7 mlf-id-range fatal ");
  EXPECT_EQ(wrong("0 1 x y\n"), "3:7 mlf-id fatal ");
  EXPECT_EQ(wrong("0 1 nobody\n", {{"mlf.states", ""}}), "3:5 mlf-state fatal ");
  EXPECT_EQ(wrong("1 0 x 1\n"), "3:3 mlf-order fatal ");
  EXPECT_EQ(wrong("x 0 x 1\n"), "3:1 mlf-time fatal ");
  EXPECT_EQ(wrong("0\n"), "3:1 mlf-columns fatal ");
  EXPECT_EQ(wrong("0 0 x 1\n"), "2:1 mlf-empty fatal ");
}

// maxErrors of CNTK counts utterances.
TEST(MlfParser, AnUtteranceWithSeveralGapsIsOneErrorInCntkMode) {
  const std::string ranges = "0 1 x 1\n2 3 x 1\n5 6 x 1\n5 7 x 1\n";
  EXPECT_EQ(read(ranges, with({}, Compatibility::cntk)).wrong, "4:1 mlf-gap ");
  EXPECT_EQ(read(ranges, with({})).wrong, "4:1 mlf-gap 5:1 mlf-gap 6:1 mlf-overlap ");
  EXPECT_EQ(read("1 2 x 1\n2 3 x y\n", with({}, Compatibility::cntk)).wrong,
            "3:1 mlf-gap 4:7 mlf-id fatal ");
}

TEST(MlfParser, AnyStartIsAcceptedAfterUnreadableTimes) {
  EXPECT_EQ(read("0 x x 1\n7 8 x 1\n9 10 x 1\n").wrong, "3:3 mlf-time 5:1 mlf-gap ");
}

}  // namespace
}  // namespace sheaf::mlf
