#include "format/ctf/cntk/ctf_cntk_parser.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/chunk.h"

#include "format/ctf/ctf_deserializer.h"
#include "format/ctf/ctf_outcome.h"

namespace sheaf::ctf {
namespace {

std::string cntk_outcome(std::string text, std::vector<StreamOptions> streams) {
  FormatOptions options;
  options.streams = std::move(streams);
  options.compatibility = Compatibility::cntk;
  return outcome(std::move(text), options);
}

TEST(CtfCntkParser, ChecksLessIfTheFileEndsWithoutANewline) {
  const auto A = dense("A", 1);
  for (const std::string text : {"1", "-123", "45.", "6.78", "9.10e-11"}) {
    EXPECT_TRUE(cntk_outcome("|A " + text, {A}).ends_with("err 0")) << text;
  }
  for (const std::string text : {"", "\t", " ", "     ", " -", " +", " 12.+", " 12.+e", " 1:"}) {
    EXPECT_EQ(cntk_outcome("|A" + text, {A}), "0/1! err 1") << text;
  }
  const auto B = sparse("B", 9);
  EXPECT_EQ(cntk_outcome("0|B 1:1\n0|B ", {B}), "0/2:{1:1}{} err 0");
  EXPECT_EQ(cntk_outcome("0|B \n0|B ", {B}), "0/2:{} err 2");
  EXPECT_EQ(cntk_outcome("0|B 1:2", {B}), "0/1:{1:2} err 0");
  EXPECT_EQ(cntk_outcome("0|B 1:1\n0|B 1:2 3", {B}), "0/2:{1:1} err 2");
}

TEST(CtfCntkParser, RefusesOverflowingIdsThatCntkDetects) {
  const auto A = dense("A", 1);
  EXPECT_THROW((void)cntk_outcome("99999999999999999999 |A 1\n", {A}), DataError);
  EXPECT_EQ(cntk_outcome("30000000000000000000 |A 1\n", {A}), "11553255926290448384/1:(1) err 0");
}

TEST(CtfCntkParser, UsesNoMoreMemoryThanTheIndexStates) {
  std::string text;
  for (int i = 0; i < 100; ++i)
    text += "0|A\x01|B 1:1 2:1\n0|B\xC3|A\xC3\n0|A 1|B 3:1 |# " + std::string(50, 'x') + "\n";
  FormatOptions options;
  options.streams = {dense("A", 1000), sparse("B", 9)};
  options.compatibility = Compatibility::cntk;
  const CtfDeserializer data(memory_source(text, "text"), options);
  Diagnostics diagnostics;
  const Chunk chunk = data.read({.chunk = ChunkIndex{}}, diagnostics);
  EXPECT_EQ(chunk.view(0, 0).sample_count, 300) << "filled up with zeros";
  EXPECT_EQ(chunk.view(1, 0).sample_count, 300);
  constexpr std::int64_t kRounding = 2 * 6 * 64;  // rounds each buffer up to whole cache lines
  EXPECT_LE(chunk.memory_bytes(), data.index().chunk(ChunkIndex{})->decoded_size_bytes + kRounding);
}

TEST(CtfCntkParser, WarnsAboutErrorsThatCntkIgnores) {
  const auto warnings_of = [](const std::string& text) {
    FormatOptions options;
    options.streams = {dense("A", 3)};
    options.compatibility = Compatibility::cntk;
    const CtfDeserializer data(memory_source(text, "text"), options);
    Diagnostics diagnostics;
    static_cast<void>(data.read({.chunk = ChunkIndex{0}}, diagnostics));
    EXPECT_EQ(diagnostics.error_count(), 0) << text;
    std::string lines;
    for (const Diagnostic& each : diagnostics.described()) {
      const std::string whole = to_string(each);
      lines += whole.substr(0, whole.find('\n')) + '\n';
    }
    return lines;
  };
  EXPECT_EQ(warnings_of("0 |A 1 2 3\n"), "");
  EXPECT_EQ(warnings_of("0 |A 1 2 3\n0 |B 9 |A 4\n1 |A\n"),
            "text:2:8: warning: stream \"A\": expected 3 values, found 1, filled up with zeros "
            "[ctf-few-values]\n"
            "text:3:3: warning: stream \"A\": expected 3 values, found 0, filled up with zeros "
            "[ctf-few-values]\n");
  EXPECT_EQ(warnings_of("0 |A 1 2 3 |A 4 5 6\n0 |# nothing in this row"),
            "text:1:1: warning: expected each stream at most once in a row, found 2 samples of 1 "
            "streams [ctf-repeated-stream]\n"
            "text:2:25: warning: expected a newline at the end of the file, found none "
            "[ctf-no-newline]\n");
}

TEST(CtfCntkParser, DescribesTheFirstWarningsOnly) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += std::to_string(i) + " |A 1\n";
  text += "1000 |A x\n";
  FormatOptions options;
  options.streams = {dense("A", 3)};
  options.compatibility = Compatibility::cntk;
  const CtfDeserializer data(memory_source(text, "text"), options);
  Diagnostics diagnostics;
  static_cast<void>(data.read({.chunk = ChunkIndex{0}}, diagnostics));
  EXPECT_EQ(diagnostics.warning_count(), 1000);
  ASSERT_EQ(diagnostics.described().size(), 103U);
  EXPECT_EQ(diagnostics.described()[99].severity, Severity::warning);
  EXPECT_EQ(diagnostics.described()[100].code, "ctf-number");
}

}  // namespace
}  // namespace sheaf::ctf
