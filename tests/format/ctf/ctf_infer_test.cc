#include "format/ctf/ctf_infer.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

namespace sheaf::ctf {
namespace {

std::vector<StreamOptions> inferred(const std::string& text, const FormatOptions& options = {},
                                    Executor* executor = nullptr) {
  const auto source = memory_source(text, "text");
  return infer_streams(find_streams(*source, options, find_beginning(*source, options), executor),
                       options, source->name());
}

std::string in_brief(const std::vector<StreamOptions>& streams) {
  std::string text;
  for (const StreamOptions& stream : streams) {
    text += stream.name + " " + std::string(to_string(stream.storage)) + " " +
            to_string(*stream.sample_shape) + "; ";
  }
  return text;
}

TEST(CtfInfer, FindsNamesStoragesAndDims) {
  EXPECT_EQ(in_brief(inferred("0 |y 3:1 |x 1 2 3\n0 |z |# no |w\n1 |x 4 5 6 |y 7:1 0:2")),
            "y sparse [8]; x dense [3]; z sparse [1]; w sparse [1]; ");
}

TEST(CtfInfer, WrongValuesAreIgnored) {
  EXPECT_EQ(in_brief(inferred("|x 1 2\n|x 1 b 2 3\n|x 1.2.3:5\n|x 5 6\n")), "x dense [2]; ");
}

TEST(CtfInfer, FindsTheDimOfADeclaredStream) {
  FormatOptions options;
  options.streams = {{.name = "label", .alias = "y", .storage = Storage::sparse},
                     {.name = "x", .sample_shape = Shape{2}}};
  const std::vector<StreamOptions> streams = inferred("|x 1 |y 41:1\n|y 12:1\n", options);
  EXPECT_EQ(in_brief(streams), "label sparse [42]; x dense [2]; ");
  EXPECT_EQ(streams[0].alias, "y");
  EXPECT_THROW((void)inferred("|x 1 |y 41\n", options), ConfigError);
}

// Without a limit, a new name in each row would fill all memory.
TEST(CtfInfer, LimitsTheNumberOfNames) {
  const auto text_of = [](std::int64_t count, const std::string& name) {
    std::string text;
    for (std::int64_t i = 0; i < count; ++i) text += "|" + name + std::to_string(i) + " 1\n";
    return text;
  };
  const auto message_of = [](const std::string& text, const FormatOptions& options) {
    try {
      (void)inferred(text, options);
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(inferred(text_of(32'768, "s")).size(), 32'768U);
  EXPECT_EQ(message_of(text_of(32'769, "s"), {}),
            "streams: text has more than 32768 names, too many to find out what they are: declare "
            "the streams that are wanted, with their dims");
  EXPECT_EQ(message_of(text_of(1000, std::string(50'000, 's')), {}).substr(0, 37),
            "streams: text has more than 32768 nam");  // each name counts for 49
  FormatOptions options;
  options.index.memory_limit_bytes = 100 * 1024;
  EXPECT_EQ(inferred(text_of(100, "s"), options).size(), 100U);
  EXPECT_EQ(message_of(text_of(101, "s"), options),
            "streams: text has more than 100 names, too many to find out what they are in the "
            "102400 bytes that the memory limit leaves for them (an eighth of --memory-limit): "
            "declare the streams that are wanted, with their dims");
}

TEST(CtfInfer, WideIndicesUseTheWiderType) {
  EXPECT_EQ(inferred("|y 2147483648:1\n")[0].index_dtype, ElementType::i64);
  EXPECT_EQ(inferred("|y 2147483647:1\n")[0].index_dtype, ElementType::i32);
}

TEST(CtfInfer, ErrorsShowBothContradictingSamples) {
  const auto message_of = [](const std::string& text) -> std::string {
    try {
      (void)inferred(text);
    } catch (const DataError& error) {
      return to_string(error.diagnostics()[0]);
    }
    return "";
  };
  EXPECT_EQ(message_of("|x 1 2\n|x 3 4\n|x 5\n"),
            "text:3:1: error: stream \"x\": expected 2 values, as in line 1, found 1 value "
            "[ctf-contradiction]\n  |x 5\n  ^\n"
            "  line 1 is: |x 1 2; to read on, declare the stream: --stream x:dense:2");
  EXPECT_EQ(message_of("|x 1:2\n\n|x 3 4\n").substr(0, 92),
            "text:3:1: error: stream \"x\": expected index:value, as in line 1, found 2 values "
            "[ctf-contrad");
  EXPECT_EQ(message_of("|x 1 2\n|x 3 4\n"), "");
}

TEST(CtfInfer, CanUseTheFormOfTheFirstSample) {
  const FormatOptions options = {.takes_first_form = true};
  EXPECT_EQ(in_brief(inferred("|x 1 2\n|x 3 4 5\n|y 1:2\n|y 4\n|z 1\n|z 1:2\n", options)),
            "x dense [2]; y sparse [2]; z dense [1]; ");
}

TEST(CtfInfer, AFileWithoutStreamsIsAnErrorAtItsFirstRow) {
  const auto message_of = [](const std::string& text, const FormatOptions& options) -> std::string {
    const auto source = memory_source(text, "text");
    try {
      throw_no_stream(*source, options, find_beginning(*source, options));
    } catch (const DataError& error) {
      return to_string(error.diagnostics()[0]);
    }
  };
  EXPECT_EQ(message_of("1 2 3\n4 5 6\n", {}),
            "text:1:1: error: expected a stream, as \"|name\", found none in the whole file "
            "[ctf-no-stream]\n  1 2 3\n  ^\n  a row of CTF looks like this: 0 |x 1 2");
  EXPECT_EQ(message_of("\n|# 1\n  0 ||||\n", {.inference_size_bytes = 7}).substr(0, 79),
            "text:3:3: error: expected a stream, as \"|name\", found none in the first 7 bytes");
}

TEST(CtfInfer, AnIndexBeyondEveryDimIsReported) {
  const auto message_of = [](const std::string& text) -> std::string {
    try {
      (void)inferred(text);
    } catch (const DataError& error) {
      return to_string(error.diagnostics()[0]);
    }
    return "";
  };
  EXPECT_EQ(message_of("|x 1099511627775:1\n"), "");
  EXPECT_EQ(message_of("|x 1:1\n|x 3:1 1099511627776:1\n").substr(0, 108),
            "text:2:1: error: stream \"x\": expected an index below 1099511627776 (2^40), found a "
            "larger one in this sample");
}

TEST(CtfInfer, DoesNotDependOnThreadsOrReadSize) {
  std::string text = "|# head\n";
  for (int i = 0; i < 200'000; ++i) {
    text += std::to_string(i) + " |x " + std::to_string(i % 10) + " 2 |y " +
            std::to_string(i * 7 % 1000) + ":1\n";
  }
  text += "200000 |x 1 2 |late 1:1 |y 1000:1\n";
  ASSERT_GT(text.size(), std::size_t{4} << 20);  // several blocks
  const std::string expected = "x dense [2]; y sparse [1001]; late sparse [2]; ";
  const auto threads = thread_pool(3);
  FormatOptions options;
  EXPECT_EQ(in_brief(inferred(text, options)), expected);
  options.read_size_bytes = 1000;
  EXPECT_EQ(in_brief(inferred(text, options, threads.get())), expected);
  options.inference_size_bytes = 1000;
  EXPECT_EQ(inferred(text, options, threads.get()).size(), 2U);

  const std::string wrong = text + "|x 1\n";
  try {
    options.inference_size_bytes = {};
    (void)inferred(wrong, options, threads.get());
    ADD_FAILURE() << "not refused";
  } catch (const DataError& error) {
    EXPECT_EQ(error.diagnostics()[0].line, 200'003);
  }
}

}  // namespace
}  // namespace sheaf::ctf
