#include "format/libsvm/libsvm_infer.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "sheaf/extend/executor.h"

namespace sheaf::libsvm {
namespace {

std::vector<StreamOptions> infer(const std::string& text, const FormatOptions& options,
                                 Executor* executor = nullptr) {
  const auto source = memory_source(text, "t");
  return infer_streams(find_dims(*source, options, find_beginning(*source, options), executor),
                       options);
}

TEST(LibsvmInfer, StreamsAreLabelAndFeatures) {
  const std::vector<StreamOptions> streams = infer("1 2:1 7:1\n-1 3:1 # 9:1\n", {});
  ASSERT_EQ(streams.size(), 2U);
  EXPECT_EQ(streams[0].name, "label");
  EXPECT_EQ(streams[0].storage, Storage::dense);
  EXPECT_EQ(streams[0].sample_shape, Shape{1});
  EXPECT_EQ(streams[1].name, "features");
  EXPECT_EQ(streams[1].storage, Storage::sparse);
  EXPECT_EQ(streams[1].sample_shape, Shape{7});
}

TEST(LibsvmInfer, DimsAreAsSmallAsTheDataAllow) {
  FormatOptions options;
  options.streams = {{.name = "features", .storage = Storage::sparse}};
  struct Case {
    std::string text;
    std::int64_t from_1;
    std::int64_t from_0;
  };
  const Case cases[] = {
      {"1\n2\n", 1, 1},                              // no indices at all
      {"1 0:1\n", 1, 1},                             //
      {"1 5:1 3:1\n", 5, 6},                         // order does not matter here
      {"1 5:1\n1 9:x\n1 8 7:1\n1 7:1 6\n", 5, 6},    // wrong rows do not count
      {"1 4:1e5\n5:-.5#\n1 qid:1 3:1\n", 5, 6},      //
      {"1 3000000000:1\n", 3000000000, 3000000001},  //
      {"1 5:1\n1 99999999999999999999:1\n", 5, 6},   // more than any dim
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    options.extra = {};
    EXPECT_EQ(infer(c.text, options)[0].sample_shape, Shape{c.from_1});
    options.extra = {{"libsvm.base", "0"}};
    const StreamOptions stream = infer(c.text, options)[0];
    EXPECT_EQ(stream.sample_shape, Shape{c.from_0});
    EXPECT_EQ(stream.index_dtype, c.from_0 > 2147483648 ? ElementType::i64 : ElementType::i32);
  }
}

TEST(LibsvmInfer, ListsOfLabelsHaveADim) {
  FormatOptions options;
  options.streams = {{.name = "y", .alias = "label", .storage = Storage::sparse}};
  EXPECT_TRUE(needs_dims(options));
  EXPECT_EQ(infer("1,7\n3\n-9\n8,x\n9,\n,9\n2:1\n", options)[0].sample_shape, Shape{8});
  options.streams[0].storage = Storage::dense;
  EXPECT_FALSE(needs_dims(options));
  EXPECT_EQ(infer_streams({}, options)[0].sample_shape, Shape{1});
}

TEST(LibsvmInfer, AnyNumberOfThreadsGivesTheSameResult) {
  std::string text;
  for (int i = 0; i < 900'000; ++i) text += "1 " + std::to_string(i % 77'777 + 1) + ":1\n";
  const std::unique_ptr<Executor> threads = thread_pool(3);
  FormatOptions options;
  EXPECT_EQ(infer(text, options, threads.get())[1].sample_shape, Shape{77'777});
  options.inference_size_bytes = 100;
  EXPECT_LT(infer(text, options, threads.get())[1].sample_shape->size(), 20);
  const auto source = memory_source(text, "t");
  EXPECT_EQ(found_how(*source, options), "bytes=100");
  options.inference_size_bytes = source->size();
  EXPECT_EQ(found_how(*source, options), "bytes=all");
}

}  // namespace
}  // namespace sheaf::libsvm
