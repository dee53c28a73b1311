#include "sheaf/spec.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

namespace sheaf {
namespace {

TEST(Spec, ShuffledOrdersGetADefaultWindow) {
  Spec spec = parse_spec(
      R"({"data": {"join": [{"files": "a"}, {"files": "b", "chunk_size": 1048576}], "primary": 1},
          "read": {"order": "keyed"}})",
      "s");
  EXPECT_EQ(order_of(spec).window_chunks, default_window_chunks(1 << 20));
  EXPECT_EQ(default_window_chunks(spec.data), default_window_chunks(1 << 20));
  EXPECT_EQ(default_window_chunks(DataSpec{ObjectSpec{.name = "o"}}),
            default_window_chunks(FormatOptions{}.chunk_size_bytes));
  DataSpec joined{JoinSpec{.members = {{FilesSpec{}}, {ObjectSpec{"o", 1 << 20}}}, .primary = 1}};
  EXPECT_EQ(default_window_chunks(joined), default_window_chunks(1 << 20));
  spec.read.order.window_samples = 5;
  EXPECT_EQ(order_of(spec).window_chunks, std::nullopt);
  spec.read.order = {};
  EXPECT_EQ(order_of(spec).window_chunks, std::nullopt);
}

TEST(Spec, MaxErrorsAddUpAndSaturate) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  Spec spec;
  spec.read.max_errors = 2;
  EXPECT_EQ(max_errors_of(spec, 3), 5);
  EXPECT_EQ(max_errors_of(spec, kMax - 2), kMax);
  EXPECT_EQ(max_errors_of(spec, kMax - 1), kMax);
  EXPECT_THROW(static_cast<void>(max_errors_of(spec, -1)), ConfigError);
}

TEST(Spec, FilesComeInTheOrderOfTheirStreams) {
  Spec spec = parse_spec(
      R"({"data": {"join": [{"concatenate": [{"files": "a"}, {"files": "b"}]}, {"object": "o"},
                            {"files": "c"}]}})",
      "s");
  std::string paths;
  for (const FilesSpec* const files : files_of(std::as_const(spec).data)) paths += files->files[0];
  EXPECT_EQ(paths, "abc");
  for (FilesSpec* const files : files_of(spec.data)) files->format.chunk_size_bytes = 7;
  EXPECT_EQ(files_of(spec.data)[2]->format.chunk_size_bytes, 7);
}

}  // namespace
}  // namespace sheaf
