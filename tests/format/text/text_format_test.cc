#include "format/text/text_format.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

namespace sheaf::internal {
namespace {

constexpr ErrorKind kUtf16{"a-utf16", "UTF-8"};

void take_any_name(const StreamOptions& /*stream*/, std::string_view /*name*/) {}

std::string error_of(const std::vector<StreamOptions>& streams) {
  try {
    static_cast<void>(check_streams({.streams = streams}, "tsv", take_any_name));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(TextFormat, StreamErrorsUseTheWordsOfTheFormat) {
  struct Case {
    std::vector<StreamOptions> streams;
    std::string error;
  };
  const Shape one{1};
  const Case cases[] = {
      {{{.name = "", .sample_shape = one}}, "streams: a stream needs a name"},
      {{{.name = "x"}}, "stream \"x\": sample_shape (dim) is missing, and was not found"},
      {{{.name = "x", .sample_shape = Shape{-1}}},
       "stream \"x\": tsv has samples of fixed shape only, got [*]"},
      {{{.name = "x", .sample_shape = one, .dtype = ElementType::bytes}},
       "stream \"x\": dtype: tsv reads numbers, got bytes"},
      {{{.name = "x", .storage = Storage::sparse, .sample_shape = Shape{2, 2}}},
       "stream \"x\": a sparse stream has one extent, got [2, 2]"},
      {{{.name = "x", .sample_shape = one}, {.name = "x", .alias = "y", .sample_shape = one}},
       "streams: two have the name \"x\""},
      {{{.name = "x", .sample_shape = one}, {.name = "y", .alias = "x", .sample_shape = one}},
       "streams: \"x\" and \"y\" both read \"x\" of the file"},
      {{{.name = "x", .sample_shape = one, .defines_minibatch_size = true},
        {.name = "y", .sample_shape = one, .defines_minibatch_size = true}},
       "streams: \"x\" and \"y\" both define the minibatch size; one can"},
  };
  for (const Case& c : cases) EXPECT_EQ(error_of(c.streams), c.error);

  const CheckedStreams checked =
      check_streams({.streams = {{.name = "x", .alias = "F", .sample_shape = one},
                                 {.name = "y",
                                  .sample_shape = one,
                                  .dtype = ElementType::f32,
                                  .defines_minibatch_size = true}},
                     .dtype = ElementType::f64},
                    "tsv", take_any_name);
  EXPECT_EQ(checked.streams[0].element_type, ElementType::f64);
  EXPECT_EQ(checked.streams[1].element_type, ElementType::f32);
  EXPECT_EQ(checked.file_names, (std::vector<std::string>{"F", "y"}));
  EXPECT_EQ(checked.streams[0].name, "x");
  EXPECT_EQ(checked.defining_stream, 1);
}

TEST(TextFormat, InvalidSizesAreRefused) {
  EXPECT_NO_THROW(check_text_options({}));
  EXPECT_THROW(check_text_options({.chunk_size_bytes = 0}), ConfigError);
  EXPECT_THROW(check_text_options({.read_size_bytes = 0}), ConfigError);
  EXPECT_THROW(check_text_options({.read_size_bytes = std::int64_t{1} << 31}), ConfigError);
  EXPECT_THROW(check_text_options({.inference_size_bytes = -1}), ConfigError);
  EXPECT_THROW(check_text_options({.index = {.memory_limit_bytes = -1}}), ConfigError);
}

TEST(TextFormat, AWiderTypeIsSuggestedForLargeWholeNumbers) {
  EXPECT_EQ(inexact_hint("16777217", ElementType::f32).substr(0, 15), "dtype=\"float64\"");
  EXPECT_EQ(inexact_hint("-16777217 5", ElementType::f32).substr(0, 15), "dtype=\"float64\"");
  EXPECT_EQ(inexact_hint("9007199254740993", ElementType::f32).substr(0, 12), "with a point");
  EXPECT_EQ(inexact_hint("9007199254740993", ElementType::f64).substr(0, 12), "with a point");
}

TEST(TextFormat, DimsAreInferredIfOneIsMissing) {
  EXPECT_TRUE(needs_inference({}));
  EXPECT_TRUE(
      needs_inference({.streams = {{.name = "x", .sample_shape = Shape{1}}, {.name = "y"}}}));
  EXPECT_FALSE(needs_inference({.streams = {{.name = "x", .sample_shape = Shape{1}}}}));
}

TEST(TextFormat, AByteOrderMarkIsSkipped) {
  const auto begin_of = [](std::string bytes) {
    return skip_byte_order_mark(*memory_source(std::move(bytes), "t"), kUtf16);
  };
  EXPECT_EQ(begin_of(""), 0);
  EXPECT_EQ(begin_of("\xEF\xBB"), 0);
  EXPECT_EQ(begin_of("\xEF\xBB\xBF"), 3);
  EXPECT_EQ(begin_of("abc"), 0);
  for (const char* mark : {"\xFF\xFE", "\xFE\xFF"}) {
    try {
      static_cast<void>(begin_of(mark));
      ADD_FAILURE() << "taken";
    } catch (const DataError& error) {
      EXPECT_EQ(error.diagnostics().front().code, "a-utf16");
      EXPECT_EQ(error.diagnostics().front().line, 1);
    }
  }
}

}  // namespace
}  // namespace sheaf::internal
