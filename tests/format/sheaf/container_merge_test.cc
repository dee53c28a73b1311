#include "format/sheaf/container_merge.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/concatenate.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/extend/packer.h"
#include "sheaf/extend/sequencer.h"
#include "sheaf/reader.h"

#include "ops/conversion_data.h"
#include "support/error_of.h"

namespace sheaf::container {
namespace {

class ContainerMerge : public ::testing::Test, protected testing::ConversionData {
 protected:
  // Makes two files: one with the first sequences, one with the others.
  ContainerMerge() {
    std::string text = read("in.ctf");
    const std::size_t half = text.find("\n200 ") + 1;
    write("a.ctf", text.substr(0, half));
    write("b.ctf", text.substr(half));
    const ConvertOptions options{
        .writer = {.format = {.chunk_size_bytes = 700}, .files = &files()}};
    for (const char* const name : {"a", "b"}) {
      sheaf::convert(open(name + std::string(".ctf")), name + std::string(".sheaf"), options);
    }
    sheaf::convert(concatenate({{open("a.ctf"), "a"}, {open("b.ctf"), "b"}}), "whole.sheaf",
                   options);
  }

  void merge(const std::string& path, const std::vector<std::string>& parts) {
    PartsRequest request{.sink = files().create(path)};
    request.progress = [this](std::int64_t bytes) { told_ = bytes; };
    for (const std::string& part : parts) request.parts.push_back(files().open(part));
    merge_containers(std::move(request));
  }

  std::int64_t told_ = 0;
};

TEST_F(ContainerMerge, TheBytesEqualThoseOfOneFile) {
  merge("merged.sheaf", {"a.sheaf", "b.sheaf"});
  EXPECT_EQ(read("merged.sheaf"), read("whole.sheaf"));
  EXPECT_GT(told_, 0);
  EXPECT_LT(told_, std::ssize(read("whole.sheaf")));
  merge("one.sheaf", {"a.sheaf"});
  EXPECT_EQ(read("one.sheaf"), read("a.sheaf"));
}

TEST_F(ContainerMerge, PartsHaveCostsOfOneKind) {
  const auto data = open("b.ctf");
  Reader reader(data, make_sequencer({data, &data->index()}, {.minibatch_size = 7}),
                ragged_packer());
  sheaf::convert(reader, "without.sheaf", {.writer = {.files = &files()}});
  EXPECT_EQ(testing::error_of<ConfigError>([&] {
              merge("m.sheaf", {"a.sheaf", "without.sheaf"});
            }),
            "without.sheaf: the part has costs in \"\", and the parts before it have costs in "
            "\"bytes\"; write all parts anew");
  EXPECT_FALSE(exists("m.sheaf"));
}

TEST_F(ContainerMerge, AColumnMayBeLargerThanABlock) {
  const auto row = [](int key) {
    std::string text = std::to_string(key) + " |x";
    for (int i = 0; i < 400'000; ++i) text += (i * 7919 + key) % 101 < 50 ? " 1.5" : " 2";
    return text + "\n";
  };
  write("c.ctf", row(1));
  write("d.ctf", row(2) + row(3));
  for (const char* const compression : {"none", "fast"}) {
    ConvertOptions options{.writer = {.files = &files()}};
    options.writer.format.extra = {{"sheaf.compression", compression}};
    for (const char* const name : {"c", "d"}) {
      sheaf::convert(open(name + std::string(".ctf")), name + std::string(".sheaf"), options);
    }
    sheaf::convert(concatenate({{open("c.ctf"), "c"}, {open("d.ctf"), "d"}}), "large.sheaf",
                   options);
    merge("merged.sheaf", {"c.sheaf", "d.sheaf"});
    EXPECT_GT(read("c.sheaf").size(), compression == std::string("none") ? 1'600'000U : 50'000U);
    EXPECT_EQ(read("merged.sheaf"), read("large.sheaf")) << compression;
    EXPECT_EQ(open("merged.sheaf")->index().chunk(ChunkIndex{0})->sequence_count, 1);
  }
}

TEST_F(ContainerMerge, DamagedBytesAreNotCopied) {
  const std::string good = read("b.sheaf");
  for (std::size_t at = 0; at < good.size(); at += 13) {
    std::string damaged = good;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    write("b.sheaf", damaged);
    EXPECT_THROW(merge("merged.sheaf", {"a.sheaf", "b.sheaf"}), DataError) << at;
    EXPECT_FALSE(exists("merged.sheaf")) << at;
  }
}

}  // namespace
}  // namespace sheaf::container
