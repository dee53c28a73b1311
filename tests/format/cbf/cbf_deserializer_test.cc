#include "format/cbf/cbf_deserializer.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/sequencer.h"
#include "sheaf/reader.h"

#include "format/cbf/cbf_test_file.h"
#include "support/test_folder.h"

namespace sheaf::cbf {
namespace {

using conformance::CbfTestFile;
using conformance::dense_block;

// Returns many chunks of one sequence each, as written by CNTK's converter.
CbfTestFile tiny_chunks(std::size_t count) {
  CbfTestFile file{.streams = {{.name = "a"}}, .chunks = {}};
  for (std::size_t i = 0; i < count; ++i) {
    file.chunks.push_back(
        {.lengths = {1}, .blocks = {{dense_block(1, std::vector<float>{static_cast<float>(i)})}}});
  }
  return file;
}

std::string fingerprint_of(const std::string& bytes, const FormatOptions& options) {
  return CbfDeserializer(memory_source(bytes, "x.cbf"), options).fingerprint();
}

TEST(CbfDeserializer, TheFingerprintDependsOnOptions) {
  const std::string bytes = to_bytes(tiny_chunks(3));
  const std::string plain = fingerprint_of(bytes, {});
  FormatOptions options;
  options.groups_chunks = true;
  EXPECT_NE(plain, fingerprint_of(bytes, options));
  options = {};
  options.missing_streams = MissingStreams::allow;
  EXPECT_NE(plain, fingerprint_of(bytes, options));
  options = {};
  options.extra["cbf.lengths"] = "trust";
  EXPECT_NE(plain, fingerprint_of(bytes, options));
  options = {};
  options.streams = {{.name = "x", .alias = "a"}};
  EXPECT_NE(plain, fingerprint_of(bytes, options));
  options.streams = {{.name = "a"}};
  EXPECT_EQ(plain, fingerprint_of(bytes, options));
}

std::vector<float> values_of(const std::string& path, OrderAlgorithm algorithm) {
  ReaderOptions options;
  options.order.algorithm = algorithm;
  options.order.minibatch_size = 7;
  options.packing = Layout::ragged;
  Reader reader(path, options);
  std::vector<float> values;
  while (const auto minibatch = reader.next()) {
    for (const float value : minibatch->batch(0).values.as<float>()) values.push_back(value);
  }
  return values;
}

TEST(CbfDeserializer, TinyChunksAreGroupedForShuffledOrders) {
  const TestFolder folder;
  folder.write("x.cbf", to_bytes(tiny_chunks(500)));
  const std::vector<float> file = values_of(folder.path("x.cbf"), OrderAlgorithm::file);
  ASSERT_EQ(file.size(), 500);
  EXPECT_TRUE(std::ranges::is_sorted(file));
  for (const OrderAlgorithm algorithm : {OrderAlgorithm::keyed, OrderAlgorithm::cntk}) {
    std::vector<float> values = values_of(folder.path("x.cbf"), algorithm);
    EXPECT_NE(values, file);
    std::ranges::sort(values);
    EXPECT_EQ(values, file);
  }
}

}  // namespace
}  // namespace sheaf::cbf
