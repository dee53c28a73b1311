#include "options/stream_option.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sheaf/error.h"

namespace sheaf::cli {
namespace {

struct ParseCase {
  const char* text;
  StreamOptions expected;
};

StreamOptions sparse(std::string name, std::optional<Shape> shape) {
  return {.name = std::move(name), .storage = Storage::sparse, .sample_shape = shape};
}

std::vector<ParseCase> parse_cases() {
  const auto with = [](StreamOptions stream, auto change) {
    change(stream);
    return stream;
  };
  return {
      {"x:dense:64", {.name = "x", .sample_shape = Shape{64}}},     // one extent
      {"x:dense:8x4", {.name = "x", .sample_shape = Shape{8, 4}}},  // a shape
      {"x:dense:*x*x3",
       {.name = "x", .sample_shape = Shape{Shape::kVariable, Shape::kVariable, 3}}},
      {"x:dense", {.name = "x"}},                       // found in the data
      {"x:dense:?", {.name = "x"}},                     // the same, said
      {"x:sparse", sparse("x", {})},                    // no DIM
      {"x:sparse:9", sparse("x", Shape{9})},            // DIM
      {"x:sparse:9:index=i32", sparse("x", Shape{9})},  // the default
      {"x:dense:3:alias=F0", {.name = "x", .alias = "F0", .sample_shape = Shape{3}}},
      {R"(a\:b:dense:3:alias=c\\d\:)",  // what backslashes protect
       {.name = "a:b", .alias = "c\\d:", .sample_shape = Shape{3}}},
      {"a\\b:dense:1", {.name = "a\\b", .sample_shape = Shape{1}}},  // any other backslash
      {"x:dense:1:dtype=int64", {.name = "x", .sample_shape = Shape{1}, .dtype = ElementType::i64}},
      {"x:dense:dtype=bfloat16", {.name = "x", .dtype = ElementType::bf16}},
      {"x:dense:*:dtype=bytes",
       {.name = "x", .sample_shape = Shape{Shape::kVariable}, .dtype = ElementType::bytes}},
      {"x:dense:2:dtype=float32",
       {.name = "x", .sample_shape = Shape{2}, .dtype = ElementType::f32}},
      {"x:sparse:mb",
       with(sparse("x", {}), [](StreamOptions& s) { s.defines_minibatch_size = true; })},
      {"x:sparse:?:index=i64:mb", with(sparse("x", {}),
                                       [](StreamOptions& s) {
                                         s.index_dtype = ElementType::i64;
                                         s.defines_minibatch_size = true;
                                       })},
  };
}

TEST(StreamOption, SaysWhatItSays) {
  for (const ParseCase& each : parse_cases()) {
    SCOPED_TRACE(each.text);
    const StreamOptions found = parse_stream_option(each.text);
    EXPECT_EQ(each.expected.name, found.name);
    EXPECT_EQ(each.expected.alias, found.alias);
    EXPECT_EQ(each.expected.storage, found.storage);
    EXPECT_EQ(each.expected.sample_shape, found.sample_shape);
    EXPECT_EQ(each.expected.dtype, found.dtype);
    EXPECT_EQ(each.expected.index_dtype, found.index_dtype);
    EXPECT_EQ(each.expected.defines_minibatch_size, found.defines_minibatch_size);
  }
}

TEST(StreamOption, ARefusalRepeatsTheOption) {
  for (const char* text :
       {"", "x", ":dense:1", "x:", "x:dense:", "x:dense:x", "x:dense:1x", "x:a:1", "x:sparse:2x2",
        "x:dense:-1", "x:dense:**", "x:sparse:*", "x:dense:1:what",
        "x:dense:1:dtype=", "x:dense:1:dtype=i64", "x:dense:1:1"}) {
    SCOPED_TRACE(text);
    try {
      static_cast<void>(parse_stream_option(text));
      FAIL() << "taken";
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find("--stream " + std::string(text) + ":"),
                std::string::npos)
          << error.what();
    }
  }
}

// What a POSIX shell makes of one line: words, with the single quotes that we write.
std::vector<std::string> shell_words(const std::string& line) {
  std::vector<std::string> words(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\'') {
      is_quoted = !is_quoted;
    } else if (line[i] == '\\' && !is_quoted) {
      words.back() += line[++i];
    } else if (line[i] == ' ' && !is_quoted) {
      words.emplace_back();
    } else {
      words.back() += line[i];
    }
  }
  return words;
}

RC_GTEST_PROP(StreamOption, RoundTrips, ()) {
  std::vector<Stream> streams;
  const int count = *rc::gen::inRange(1, 4);
  for (int i = 0; i < count; ++i) {
    Stream stream;
    stream.name = *rc::gen::nonEmpty(rc::gen::container<std::string>(
        rc::gen::oneOf(rc::gen::elementOf(std::string(R"(:\'" ab$x=?`;|&)")),
                       rc::gen::inRange<char>(0x20, 0x7F))));
    if (*rc::gen::arbitrary<bool>()) {
      stream.storage = Storage::sparse;
      stream.sample_shape = Shape{*rc::gen::inRange<std::int64_t>(1, 1'000'000'000'000)};
      if (*rc::gen::arbitrary<bool>()) stream.index_type = ElementType::i64;
    } else {
      stream.sample_shape =
          Shape(*rc::gen::resize(3, rc::gen::nonEmpty(rc::gen::container<std::vector<std::int64_t>>(
                                        rc::gen::inRange<std::int64_t>(1, 100)))));
    }
    stream.defines_minibatch_size = *rc::gen::arbitrary<bool>();
    stream.element_type =
        *rc::gen::element(ElementType::f32, ElementType::i64, ElementType::u16, ElementType::bf16);
    streams.push_back(stream);
  }
  const std::vector<std::string> words = shell_words(stream_options_for_shell(streams));
  RC_ASSERT(words.size() == 2 * streams.size());
  for (std::size_t i = 0; i < streams.size(); ++i) {
    RC_ASSERT(words[2 * i] == "--stream");
    const StreamOptions found = parse_stream_option(words[2 * i + 1]);
    RC_ASSERT(found.name == streams[i].name);
    RC_ASSERT(found.alias.empty());
    RC_ASSERT(found.storage == streams[i].storage);
    RC_ASSERT(found.sample_shape == streams[i].sample_shape);
    RC_ASSERT(found.dtype.value_or(ElementType::f32) == streams[i].element_type);
    RC_ASSERT(found.index_dtype == streams[i].index_type);
    RC_ASSERT(found.defines_minibatch_size == streams[i].defines_minibatch_size);
  }
}

TEST(StreamOption, PlainNamesNeedNoQuotes) {
  const std::vector<Stream> streams = {
      {.name = "x", .sample_shape = Shape{100}, .storage = Storage::sparse},
      {.name = "y", .sample_shape = Shape{3, 2}},
      {.name = "a b", .sample_shape = {}}};
  EXPECT_EQ("--stream x:sparse:100 --stream y:dense:3x2 --stream 'a b:dense:1'",
            stream_options_for_shell(streams));
}

}  // namespace
}  // namespace sheaf::cli
