#include "format/ctf/ctf_short_rows.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "format/ctf/ctf_deserializer.h"

namespace sheaf::ctf {
namespace {

/// Returns everything that a text decodes to, including errors, as text.
std::string decoded(const std::string& text, const std::vector<std::string>& names,
                    std::int64_t read_size) {
  FormatOptions options;
  options.read_size_bytes = read_size;
  for (const std::string& name : names) {
    options.streams.push_back(
        {.name = name, .storage = Storage::sparse, .sample_shape = Shape{1'000'000'000}});
  }
  const CtfDeserializer data(memory_source(text, "text"), options);
  std::string all;
  for (ChunkIndex i{}; const auto info = data.index().chunk(i); i = next(i)) {
    Diagnostics diagnostics;
    const Chunk chunk = data.read({.chunk = i}, diagnostics);
    all += std::to_string(info->sample_count) + " samples by the index";
    for (const Diagnostic& d : diagnostics.described()) {
      all += " " + std::to_string(d.line) + " " + d.code;
    }
    for (std::int64_t k = 0; k < chunk.sequence_count(); ++k) {
      all += "; sequence at line " +
             std::to_string(data.index().sequences(i)->first_line(k) + info->first_line);
      for (std::int64_t s = 0; s < chunk.stream_count(); ++s) {
        const SequenceView view = chunk.view(s, k);
        all += " (" + std::to_string(view.sample_count) + ")";
        for (std::int64_t v = 0; v < view.value_count; ++v) {
          all += " " + std::to_string(reinterpret_cast<const std::int32_t*>(view.indices)[v]) +
                 ":" + std::to_string(reinterpret_cast<const float*>(view.values)[v]);
        }
      }
    }
  }
  return all;
}

/// Adds a blank before each "|", so that only the tokenizer accepts the rows.
std::string spaced(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '|') result += ' ';
    result += c;
  }
  return result;
}

void expect_same(const std::string& text, const std::vector<std::string>& names) {
  SCOPED_TRACE(text);
  for (const std::int64_t read_size : {1, 7, 64, 1 << 20}) {
    EXPECT_EQ(decoded(text, names, read_size), decoded(spaced(text), names, 1 << 20));
  }
}

TEST(CtfShortRows, AgreeWithTheTokenizer) {
  const std::string row = "0 |w 12:1 |t 3:1\n";
  const std::string before = row + row;
  // Each row differs from the short form in one thing, or not at all.
  for (const char* const other : {"0 |w 12:9 |t 3:0\n",
                                  "0 |w 1234567:1 |t 3:1\n",
                                  "0 |w 12345678:1 |t 3:1\n",
                                  "0 |w 999999999:1 |t 3:1\n",
                                  "0 |w 1000000000:1 |t 3:1\n",
                                  "0 |w :1 |t 3:1\n",
                                  "0 |w 12:1 |t 3:1\r\n",
                                  "0 |w 12:1 |t 3:1 \n",
                                  "0 |w 12:1 |t 3:12\n",
                                  "0 |w 12:1 |t 3:x\n",
                                  "0 |w 12:: |t 3:1\n",
                                  "0 |w 12:1\t|t 3:1\n",
                                  "0 |w 12:1|t 3:1\n",
                                  "0 |t 12:1 |w 3:1\n",
                                  "0 |w 12:1 |w 3:1\n",
                                  "0 |w 12:1\n",
                                  "0 |w 12:1 |u 3:1\n",
                                  "0 |w 12:1 |t 3:1 4:1\n",
                                  "0 |w 12 |t 3:1\n",
                                  "1 |w 12:1 |t 3:1\n",
                                  "00 |w 12:1 |t 3:1\n",
                                  "|w 12:1 |t 3:1\n",
                                  "\n",
                                  "0 |w 12:1 |t 3:1 |# x\n",
                                  "0\n",
                                  "0 |w 12:1 |t 3:1"}) {
    expect_same(before + other, {"w", "t"});
    if (std::string(other).back() == '\n') expect_same(before + other + before, {"w", "t"});
  }
}

TEST(CtfShortRows, MayHaveIdsOfAnySize) {
  for (std::string id : {"7", "1234567", "12345678", "123456789", "18446744073709551615"}) {
    std::string text;
    for (int i = 0; i < 5; ++i) text += id + " |w 1:1\n";
    id.back() = '0';  // another id in its last byte
    for (int i = 0; i < 5; ++i) text += id + " |w 2:1\n";
    expect_same(text, {"w"});
  }
}

TEST(CtfShortRows, FallBackForUnusualNamesAndStreams) {
  for (const std::int64_t size : {ShortRows::kNameSizeMax, ShortRows::kNameSizeMax + 1}) {
    const std::string name(static_cast<std::size_t>(size), 'n');
    const std::string row = "0 |" + name + " 5:1\n";
    expect_same(row + row + row + "0 |" + name.substr(1) + "m 5:1\n" + row, {name});
  }
  for (const std::size_t count : {ShortRows::kItemsMax, ShortRows::kItemsMax + 1}) {
    std::vector<std::string> names;
    std::string row = "0";
    for (std::size_t i = 0; i < count; ++i) {
      names.emplace_back(1, static_cast<char>('a' + i));
      row += " |" + names.back() + " 5:1";
    }
    expect_same(row + "\n" + row + "\n" + row + "\n", names);
  }
}

TEST(CtfShortRows, FillColumnsThatGrow) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "0 |w " + std::to_string(i) + ":1 |t 3:1\n";
  expect_same(text + "0 |w 1:1 2:1 |t 3:1\n" + text, {"w", "t"});
}

}  // namespace
}  // namespace sheaf::ctf
