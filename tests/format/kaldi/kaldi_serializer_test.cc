#include "format/kaldi/kaldi_serializer.h"

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/writer.h"

#include "format/kaldi/kaldi_test_files.h"
#include "support/error_of.h"
#include "support/write_file.h"

namespace sheaf::kaldi {
namespace {

using sheaf::testing::error_of;
using sheaf::testing::write_file;
using testing::options_with;
using testing::told;

using Extra = std::map<std::string, std::string>;

/// Writes the sequences of an archive to another path.
void copy(FileSystem& files, const FormatOptions& read, const std::string& to,
          const Extra& extra = {}) {
  const auto data =
      open_kaldi({.source = files.open("in.ark"), .options = read, .context = {&files}});
  Writer writer(to, data->streams(),
                {.format = {.format = "kaldi", .extra = extra}, .files = &files});
  for (ChunkIndex chunk{}; data->index().chunk(chunk); chunk = next(chunk)) {
    const auto table = data->index().sequences(chunk);
    std::vector<SequenceKey> keys;
    for (std::int64_t i = 0; i < table->size(); ++i) keys.push_back(table->key(i));
    Diagnostics diagnostics;
    writer.write(keys, data->read({.chunk = chunk}, diagnostics));
  }
  writer.finish();
}

FormatOptions sparse(const char* as) {
  FormatOptions options = options_with(as);
  options.streams = {{.name = "in", .storage = Storage::sparse, .sample_shape = Shape{9}}};
  return options;
}

TEST(KaldiSerializer, WrittenDataRoundTrip) {
  struct Case {
    std::string_view archive;
    FormatOptions options;
    Extra extra;
  };
  FormatOptions doubles = options_with();
  doubles.dtype = ElementType::f64;
  const Case cases[] = {
      {"a [\n 1 2\n 3 4.5 ]\nb [\n 5 6 ]\n", options_with(), {}},
      {"a [\n 1 2\n 3 4.5 ]\nb [\n 5 6 ]\n", options_with(), {{"kaldi.form", "text"}}},
      {"a [\n 1 2\n 1 2 ]\n", options_with(), {{"kaldi.compression", "two_byte"}}},
      {"a [\n 0.1 2 ]\n", doubles, {}},
      {"a 1 -2 3\nb 4\nc \n", options_with(), {}},
      {"a 1 -2 3\nb 4\n", options_with(), {{"kaldi.form", "text"}}},
      {"a [ 1 0.5 8 0.25 ] [ ]\nb [ 4 1 ]\n",
       sparse("posteriors"),
       {{"kaldi.sparse", "posterior"}}},
      {"a [ 1 0.5 8 0.25 ] [ ]\nb [ 4 1 ]\n",
       sparse("posteriors"),
       {{"kaldi.sparse", "posterior"}, {"kaldi.form", "text"}}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.archive);
    const std::unique_ptr<FileSystem> files = memory_files();
    write_file(*files, "in.ark", c.archive);
    const std::string expected = told(*files, "in.ark", c.options);
    copy(*files, c.options, "d/out.scp", c.extra);
    EXPECT_EQ(told(*files, "d/out.ark", c.options), expected) << c.archive;
    EXPECT_EQ(told(*files, "d/out.scp", c.options), expected) << c.archive;
    copy(*files, c.options, "alone.ark", c.extra);
    EXPECT_EQ(told(*files, "alone.ark", c.options), expected);
    EXPECT_FALSE(files->exists("alone.scp"));
  }
}

TEST(KaldiSerializer, SparseMatricesKeepTheirDim) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "in.ark", "a [ 1 0.5 8 0.25 ] [ ]\nb [ 4 1 ]\n");
  copy(*files, sparse("posteriors"), "out.ark");
  const auto data = open_kaldi(
      {.source = files->open("out.ark"), .options = options_with(), .context = {files.get()}});
  EXPECT_EQ(to_string(data->streams()[0]), "out: sparse f32 [9]");
  EXPECT_EQ(told(*data), "a: 1:0.5 8:0.25|\nb: 4:1\n");
}

TEST(KaldiSerializer, AListNamesItsArchiveByTheOutputPath) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "in.ark", "utt1 1\nb 2\n");
  copy(*files, options_with(), "d/out.scp");
  const auto list = files->open("d/out.scp");
  std::string text(static_cast<std::size_t>(list->size()), '\0');
  list->read_at(0, std::as_writable_bytes(std::span(text)));
  EXPECT_EQ(text, "utt1 d/out.ark:5\nb d/out.ark:19\n");
}

TEST(KaldiSerializer, UnsupportedStreamsAreRefused) {
  const std::unique_ptr<FileSystem> files = memory_files();
  struct Case {
    Stream stream;
    Extra extra;
    const char* message;
  };
  const Case cases[] = {
      {{.name = "x", .element_type = ElementType::i64, .sample_shape = Shape{1}},
       {},
       "f32, f64 and i32"},
      {{.name = "x", .element_type = ElementType::i32, .sample_shape = Shape{2}},
       {},
       "one value a sample"},
      {{.name = "x", .sample_shape = Shape{Shape::kVariable}}, {}, "one fixed shape"},
      {{.name = "x", .element_type = ElementType::i32, .sample_shape = Shape{1}},
       {{"kaldi.compression", "auto"}},
       "can be compressed"},
      {{.name = "x", .sample_shape = Shape{3}, .storage = Storage::sparse},
       {{"kaldi.form", "text"}},
       "kaldi.sparse=posterior"},
  };
  for (const Case& c : cases) {
    const std::string error = error_of<ConfigError>([&] {
      Writer writer("out.ark", std::vector{c.stream},
                    {.format = {.format = "kaldi", .extra = c.extra}, .files = files.get()});
    });
    EXPECT_NE(error.find(c.message), std::string::npos) << error;
  }
}

TEST(KaldiSerializer, NonFiniteValuesCannotBeCompressed) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "in.ark", "a [\n 1 inf ]\n");
  const std::string error = error_of<DataError>([&] {
    copy(*files, options_with(), "out.ark", {{"kaldi.compression", "auto"}});
  });
  EXPECT_NE(error.find("[kaldi-value]"), std::string::npos) << error;
  EXPECT_FALSE(files->exists("out.ark"));
}

TEST(KaldiSerializer, UnreadableObjectsAreRefused) {
  const std::unique_ptr<FileSystem> files = memory_files();
  const auto refused = [&](const Stream& stream, const std::vector<float>& values,
                           const std::vector<std::int32_t>& indices, const Extra& extra = {}) {
    return error_of<DataError>([&] {
      KaldiSerializer serializer(
          {.sink = files->create("out.ark"), .streams = {stream}, .options = {.extra = extra}});
      const std::vector<std::int64_t> offsets = {0, std::ssize(values)};
      const std::vector<SequenceView> views = {
          {.values = std::as_bytes(std::span(values)).data(),
           .indices = indices.empty() ? nullptr : std::as_bytes(std::span(indices)).data(),
           .sample_offsets = indices.empty() ? nullptr : offsets.data(),
           .sample_count = indices.empty() ? std::ssize(values) : 1,
           .value_count = std::ssize(values)}};
      const std::vector<SequenceKey> keys = {SequenceKey{.low = 7}};
      const std::vector<std::span<const SequenceView>> spans = {views};
      static_cast<void>(serializer.encode({.keys = keys, .views = spans}));
    });
  };
  const Stream sparse{.name = "x", .sample_shape = Shape{5}, .storage = Storage::sparse};
  const Stream dense{.name = "x", .sample_shape = Shape{1}};
  EXPECT_NE(refused(sparse, {1, 2}, {4, 5}).find("[kaldi-class]"), std::string::npos);
  EXPECT_NE(refused(sparse, {1, 2}, {4, -1}).find("[kaldi-class]"), std::string::npos);
  EXPECT_NE(refused(sparse, {1, 2}, {4, 4}).find("[kaldi-repeated-class]"), std::string::npos);
  EXPECT_EQ(refused(sparse, {1, 2}, {4, 0}), "");
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_NE(refused(dense, {-infinity}, {}, {{"kaldi.form", "text"}}).find("[kaldi-value]"),
            std::string::npos);
  EXPECT_EQ(refused(dense, {-infinity}, {}), "");
  EXPECT_EQ(refused(dense, {infinity}, {}, {{"kaldi.form", "text"}}), "");
}

}  // namespace
}  // namespace sheaf::kaldi
