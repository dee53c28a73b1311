// Files written by other programs: CNTK's own test data, and two data sets in CTF.

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/format.h"

#include "conformance/read_all.h"
#include "reference/ctf_reference.h"

namespace sheaf::conformance {
namespace {

struct DataCase {
  const char* file;
  std::int64_t sequence_count;
  std::int64_t sample_count;
  std::vector<StreamOptions> streams;
};

void PrintTo(const DataCase& data, std::ostream* out) { *out << data.file; }

StreamOptions stream(std::string alias, Storage storage, std::int64_t dim) {
  return {.name = "stream " + alias,
          .alias = std::move(alias),
          .storage = storage,
          .sample_shape = Shape{dim}};
}
StreamOptions dense(std::string alias, std::int64_t dim) {
  return stream(std::move(alias), Storage::dense, dim);
}
StreamOptions sparse(std::string alias, std::int64_t dim) {
  return stream(std::move(alias), Storage::sparse, dim);
}

std::string shared_dir() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing changes the environment
  const char* const given = std::getenv("SHEAF_SHARED_DIR");
  return given != nullptr ? given : SHEAF_SHARED_DIR;
}

class CtfSharedData : public ::testing::TestWithParam<DataCase> {};

TEST_P(CtfSharedData, AgreesWithTheReference) {
  const std::string path = shared_dir() + "/conformance/" + GetParam().file;
  std::ifstream file(path, std::ios::binary);
  if (!file) GTEST_SKIP() << path << " is not there; SHEAF_SHARED_DIR says where to look";
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};

  FormatOptions options;
  options.streams = GetParam().streams;
  for (const ElementType type : {ElementType::f32, ElementType::f64}) {
    for (StreamOptions& each : options.streams) each.dtype = type;
    options.chunk_size_bytes = type == ElementType::f32 ? 10'000 : 1 << 25;
    const ReferenceResult expected = ctf_reference(bytes, options);
    const ReferenceResult actual = read_all(format_named("ctf"), bytes, options);
    EXPECT_TRUE(actual.diagnostics.empty());
    EXPECT_FALSE(actual.fatal);
    EXPECT_EQ(std::ssize(actual.sequences), GetParam().sequence_count);
    std::int64_t samples = 0;
    for (const ReferenceSequence& sequence : actual.sequences) samples += sequence.sample_count;
    EXPECT_EQ(samples, GetParam().sample_count);
    EXPECT_TRUE(actual == expected) << "the texts would be too long to show";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Files, CtfSharedData,
    ::testing::Values(
        DataCase{"cntk/data/10x10_dense.txt", 10, 100, {dense("F0", 5)}},
        DataCase{"cntk/data/10x10_sparse.txt", 10, 100, {sparse("F0", 100)}},
        DataCase{"cntk/data/3x5_MI_sparse.txt",
                 3,
                 15,
                 {sparse("F0", 2), sparse("F1", 20), sparse("F2", 200)}},
        DataCase{"cntk/data/1x10_dense.txt", 1, 10, {dense("F0", 10)}},
        DataCase{"cntk/data/1x10_sparse.txt", 1, 10, {sparse("F0", 100)}},
        DataCase{"cntk/data/100x1_dense.txt", 100, 100, {dense("F", 100), dense("L", 100)}},
        DataCase{"cntk/data/Simple_dense.txt", 10'000, 10'000, {dense("F", 2), dense("L", 2)}},
        DataCase{"cntk/data/MNIST_dense.txt", 1'000, 1'000, {dense("F", 784), dense("L", 10)}},
        DataCase{"cntk/data/space_separated.txt",
                 1,
                 2,
                 {dense("F1", 15), dense("F2", 12), dense("F3", 1)}},
        DataCase{"cntk/data/missing_trailing_newline.txt", 1, 2, {dense("features", 1)}},
        DataCase{"order/data/atis.test.ctf",
                 893,
                 10'984,
                 {sparse("S0", 943), sparse("S1", 26), sparse("S2", 129)}},
        DataCase{"order/data/classify.ctf", 1'247, 5'433, {sparse("x", 2'000), dense("y", 5)}}),
    [](const ::testing::TestParamInfo<DataCase>& test) {
      std::string name = test.param.file;
      for (char& c : name) {
        if (c == '/' || c == '.') c = '_';
      }
      return name;
    });

}  // namespace
}  // namespace sheaf::conformance
