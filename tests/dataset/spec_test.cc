#include "sheaf/spec.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf {
namespace {

TEST(Spec, AnOrderThatShufflesGetsAWindowThatFitsTheChunks) {
  Spec spec = parse_spec(
      R"({"data": {"join": [{"files": "a"}, {"files": "b", "chunk_size": 1048576}], "primary": 1},
          "read": {"order": "keyed"}})",
      "s");
  EXPECT_EQ(order_of(spec).window_chunks, default_window_chunks(1 << 20));
  spec.read.order.window_samples = 5;
  EXPECT_EQ(order_of(spec).window_chunks, std::nullopt);
  spec.read.order = {};
  EXPECT_EQ(order_of(spec).window_chunks, std::nullopt);
}

TEST(Spec, FilesComeInTheOrderOfTheirStreams) {
  Spec spec = parse_spec(
      R"({"data": {"join": [{"concatenate": [{"files": "a"}, {"files": "b"}]}, {"object": "o"},
                            {"files": "c"}]}})",
      "s");
  std::string paths;
  for (const FilesSpec* const files : files_of(std::as_const(spec).data)) paths += files->paths[0];
  EXPECT_EQ(paths, "abc");
  for (FilesSpec* const files : files_of(spec.data)) files->format.chunk_size_bytes = 7;
  EXPECT_EQ(files_of(spec.data)[2]->format.chunk_size_bytes, 7);
}

}  // namespace
}  // namespace sheaf
