#include "format/ctf/ctf_cntk_parser.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "format/ctf/ctf_deserializer.h"

namespace sheaf::ctf {
namespace {

StreamOptions dense(std::string name, std::int64_t dim) {
  return {.name = std::move(name), .sample_shape = Shape{dim}, .element_type = ElementType::f64};
}

StreamOptions sparse(std::string name, std::int64_t dim) {
  StreamOptions stream = dense(std::move(name), dim);
  stream.storage = Storage::sparse;
  return stream;
}

StreamOptions defining(StreamOptions stream) {
  stream.defines_minibatch_size = true;
  return stream;
}

void append_samples(std::string& out, const Stream& stream, const SequenceView& view) {
  const auto* const values = reinterpret_cast<const double*>(view.values);
  const auto* const indices = reinterpret_cast<const std::int32_t*>(view.indices);
  const auto short_text = [](double value) {
    std::string text = std::to_string(value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text;
  };
  std::int64_t at = 0;
  for (std::int64_t k = 0; k < view.sample_count; ++k) {
    const bool is_sparse = stream.storage == Storage::sparse;
    const std::int64_t count = is_sparse ? view.sample_offsets[k + 1] - view.sample_offsets[k]
                                         : stream.sample_shape.size();
    out += is_sparse ? '{' : '(';
    for (std::int64_t i = 0; i < count; ++i, ++at) {
      if (i > 0) out += ' ';
      if (is_sparse) out += std::to_string(indices[at]) + ':';
      out += short_text(values[at]);
    }
    out += is_sparse ? '}' : ')';
  }
}

/// What CNTK makes of a text: "key/rows:samples ..." and how much of the error budget it used; a
/// sequence that is fatal is "key/rows!".
std::string outcome(std::string text, std::vector<StreamOptions> streams,
                    KeyType keys = KeyType::numeric) {
  FormatOptions options;
  options.streams = std::move(streams);
  options.compatibility = Compatibility::cntk;
  options.keys = keys;
  const CtfDeserializer data(memory_source(std::move(text), "text"), options);
  std::string out;
  std::int64_t errors = 0;
  for (ChunkIndex i{}; data.index().chunk(i); i = next(i)) {
    const auto table = data.index().sequences(i);
    Diagnostics diagnostics;
    const Chunk chunk = data.read({.chunk = i}, diagnostics);
    for (const Diagnostic& diagnostic : diagnostics.described()) {
      if (diagnostic.severity == Severity::error) ++errors;
    }
    for (std::int64_t k = 0; k < table->size(); ++k) {
      out += keys == KeyType::text ? std::string(chunk.key_text(k)) : to_string(table->key(k));
      out += "/" + std::to_string(table->sample_count(k));
      if (chunk.is_hole(k)) {
        out += "! ";
        continue;
      }
      for (std::size_t s = 0; s < data.streams().size(); ++s) {
        out += ':';
        append_samples(out, data.streams()[s], chunk.view(static_cast<std::int64_t>(s), k));
      }
      out += ' ';
    }
  }
  return out + "err " + std::to_string(errors);
}

struct Vector {
  std::string_view text;
  std::vector<StreamOptions> streams;
  std::string_view expected;
};

// The vectors of CNTK's own behaviour, by number.
TEST(CtfCntkParser, DoesWhatCntkDoes) {
  const auto A = dense("A", 1);
  const auto A3 = dense("A", 3);
  const auto B = sparse("B", 5);
  const auto B1 = dense("B", 1);
  const Vector vectors[] = {
      {"|A 1\n\n|A 2\n", {A}, "0/1:(1) 1/1! 2/1:(2) err 1"},                       // 1
      {"0 |A 1\n\n1 |A 2\n", {A}, "0/2:(1) 1/1:(2) err 2"},                        // 2
      {"0 |A 1\n1 |A 2\n\n", {A}, "0/1:(1) 1/2:(2) err 2"},                        // 3
      {"0 |A 1\n1 |A 2\n  ", {A}, "0/1:(1) 1/2:(2) err 1"},                        // 4
      {"0 |A 1\n|# c\n0 |A 2\n", {A}, "0/3:(1)(2) err 2"},                         // 5
      {"|# c\n0 |A 1\n0 |A 2\n", {A}, "0/1! 1/1:(1) 2/1:(2) err 1"},               // 6
      {"0 |A 1|#c\n 0 |A 2\n", {A}, "0/2:(1)(2) err 1"},                           // 7
      {" 0 |A 1\n 1 |A 2\n", {A}, "0/2:(1)(2) err 1"},                             // 8
      {"\n\n|A 1\n|A 2\n", {A}, "2/1:(1) 3/1:(2) err 0"},                          // 9
      {"\xEF\xBB\xBF 0 |A 1\n1 |A 2\n", {A}, "0/1:(1) 1/1:(2) err 0"},             // 10
      {"0|A 1\n1|A 2\n0|A 3\n", {A}, "0/1:(1) 1/1:(2) 0/1:(3) err 0"},             // 11
      {"0|A 1\n00|A 2\n000 |A 3\n", {A}, "0/3:(1)(2)(3) err 0"},                   // 12
      {"|A 1\n0 |A 2\n0 |A 3\n", {A}, "0/1:(1) 1/1:(2) 2/1:(3) err 0"},            // 13
      {"0ab |A 1\n1.5 |A 2\n", {A}, "0/1:(1) 1/1:(2) err 2"},                      // 14
      {"1 |A 1\n2\n2 |A 2\n", {A}, "1/1:(1) 2/2:(2) err 2"},                       // 15
      {"0|A 1 |#|A 3\n", {A}, "0/1:(1)(3) err 1"},                                 // 16
      {"0|A 1 |# x |# y |#A 3 |\n", {A}, "0/1:(1) err 1"},                         // 17
      {"|A 1 ||A 2\n", {A}, "0/1:(1)(2) err 2"},                                   // 18
      {"|A|A 1\n", {A}, "0/1:(0)(1) err 1"},                                       // 19
      {"|A 1|B 2 |AB 3|ABC\n", {A}, "0/1:(1) err 0"},                              // 20
      {"0 |A 1\n0 |C 3\n0 |A 2\n", {A}, "0/3:(1)(2) err 2"},                       // 21
      {"|A 1\r|A 2\r", {A}, "0/1:(1)(2) err 1"},                                   // 22
      {"|A 1\r\n|A 2\r\n", {A}, "0/1:(1) 1/1:(2) err 0"},                          // 23
      {"|A 1\n", {A3}, "0/1:(1 0 0) err 0"},                                       // 24
      {"0|A 1 2 3\n0|A 4 5", {A3}, "0/2:(1 2 3)(4 5 0) err 0"},                    // 25
      {"|A 1 2 3 4 5", {A3}, "0/1:(1 2 3) err 0"},                                 // 26
      {"|A 1-2\n", {dense("A", 2)}, "0/1:(1 -2) err 0"},                           // 27
      {"|A 1|B 3:1 1:2 3:7\n", {A, B}, "0/1:(1):{3:1 1:2 3:7} err 0"},             // 28
      {"|A 1|B 5:1\n", {A, B}, "0/1! err 1"},                                      // 29
      {"|A 1|B\n", {A, B}, "0/1:(1):{} err 0"},                                    // 30
      {"|A 1|B", {A, B}, "0/1! err 1"},                                            // 30
      {"0 |B 1:1\n0 |B\n0 |B 2:1\n", {sparse("B", 3)}, "0/3:{1:1}{}{2:1} err 0"},  // 31
      {"0|A 1|A 2\n0|B 1\n", {A, B1}, "0/2:(1)(2):(1) err 0"},                     // 32
      {"0|A 1\n0|B 1\n", {A, B1}, "0/2:(1):(1) err 1"},                            // 33
      {"0|A 1\n0|A 2\n0|B 1\n1|A 3|B 2\n",
       {A, defining(B1)},
       "0/1:(1)(2):(1) 1/1:(3):(2) err 0"},  // 34
      {"0|A 1\n0|A 2\n0|B 1\n1|A 3|B 2\n",
       {defining(A), B1},
       "0/2:(1)(2):(1) 1/1:(3):(2) err 0"},                                                   // 35
      {"0|A 1\n0|A 2\n1|A 3|B 2\n", {A, defining(B1)}, "1/1:(3):(2) err 0"},                  // 36
      {"0|A 1|A 7|B 1\n1|A 3|B 2\n", {A, defining(B1)}, "0/1:(1)(7):(1) 1/1:(3):(2) err 0"},  // 37
      {"30000000000000000000 |A 1\n", {A}, "11553255926290448384/1:(1) err 0"},               // 38
      {"|A 1 |C", {A}, "0/1:(1) err 1"},                                                      // 39
      {"|A 1 |C 5", {A}, "0/1:(1) err 0"},                                                    // 40
      {"0 junk |A 1 |B 2\n", {A, B1}, "0/1:(1):(2) err 1"},                                   // 41
      {"0 |A 1\n1 |A 2\n3", {A}, "0/1:(1) 1/1:(2) err 0"},                                    // 42
      {"|A 1 |# caf\xC3\xA9\n", {A}, "0/1:(1) err 0"},                                        // 46
  };
  for (const Vector& vector : vectors) {
    EXPECT_EQ(outcome(std::string(vector.text), vector.streams), vector.expected) << vector.text;
  }
  EXPECT_EQ(outcome("utt1 |A 1\nutt1 |A 2\nutt2 |A 3\n", {A}, KeyType::text),
            "utt1/2:(1)(2) utt2/1:(3) err 3");  // 45
  EXPECT_THROW((void)outcome("99999999999999999999 |A 1\n", {A}), DataError);
}

TEST(CtfCntkParser, ChecksLessWhereTheFileEndsWithoutANewline) {
  const auto A = dense("A", 1);
  for (const std::string text : {"1", "-123", "45.", "6.78", "9.10e-11"}) {
    EXPECT_TRUE(outcome("|A " + text, {A}).ends_with("err 0")) << text;
  }
  for (const std::string text : {"", "\t", " ", "     ", " -", " +", " 12.+", " 12.+e", " 1:"}) {
    EXPECT_EQ(outcome("|A" + text, {A}), "0/1! err 1") << text;
  }
  const auto B = sparse("B", 9);
  EXPECT_EQ(outcome("0|B 1:1\n0|B ", {B}), "0/2:{1:1}{} err 0");
  EXPECT_EQ(outcome("0|B \n0|B ", {B}), "0/2:{} err 2");
  EXPECT_EQ(outcome("0|B 1:2", {B}), "0/1:{1:2} err 0");
  EXPECT_EQ(outcome("0|B 1:1\n0|B 1:2 3", {B}), "0/2:{1:1} err 2");
}

TEST(CtfCntkParser, WarnsOfWhatCntkLetsPass) {
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
