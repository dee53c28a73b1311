#include "ops/input_guard.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/convert.h"
#include "sheaf/error.h"
#include "sheaf/extend/checked.h"
#include "sheaf/extend/concatenate.h"
#include "sheaf/extend/join.h"
#include "sheaf/reader.h"
#include "sheaf/spec.h"

#include "ops/conversion_data.h"
#include "support/error_of.h"

namespace sheaf::internal {
namespace {

using sheaf::testing::ConversionData;
using sheaf::testing::error_of;

constexpr const char* kRefusal = "is a file that is read; write another one";

/// `in.scp` with its utterances in `in.htk`, and the list `again.scp` of the same archive.
class InputGuardTest : public ::testing::Test, protected ConversionData {
 protected:
  InputGuardTest() {
    convert("in.scp");
    write("again.scp", read("in.scp"));
  }

  ConvertReport convert_list(const std::string& path, ConvertOptions options = {}) {
    options.writer.files = &files();
    return sheaf::convert(open("again.scp"), path, options);
  }
};

TEST_F(InputGuardTest, ReferencedArchivesAreNotReplaced) {
  const std::string archive = read("in.htk");
  const std::string list = read("in.scp");
  EXPECT_EQ(error_of<ConfigError>([&] { convert_list("in.scp"); }),
            std::string("in.htk: ") + kRefusal);
  EXPECT_EQ(read("in.htk"), archive);
  EXPECT_EQ(read("in.scp"), list);
  EXPECT_EQ(error_of<ConfigError>([&] { convert_list("./d/../in.scp"); }),
            std::string("./d/../in.htk: ") + kRefusal);
}

// Writing the list x.scp also writes an archive x.ark beside it.
TEST_F(InputGuardTest, TheArchiveOfAListDoesNotReplaceAnInput) {
  convert("x.ark");
  write("t.ark", "a 1\n");
  const std::string archive = read("x.ark");
  ConvertOptions kaldi;
  kaldi.writer.files = &files();
  kaldi.writer.format.format = "kaldi";
  EXPECT_EQ(error_of<ConfigError>([&] { sheaf::convert(open("x.ark"), "x.scp", kaldi); }),
            std::string("x.ark: ") + kRefusal);
  EXPECT_EQ(read("x.ark"), archive);
  EXPECT_FALSE(exists("x.scp"));
  const auto lines = open("t.ark", {.extra = {{"kaldi.as", "text"}}});
  std::vector<std::string> named;
  lines->visit_named_files([&](const std::string& path) { named.push_back(path); });
  EXPECT_EQ(named, std::vector<std::string>{"t.ark"});
}

TEST_F(InputGuardTest, OtherFilesAreReplaced) {
  convert_list("out.scp");
  const std::string archive = read("out.htk");
  write("out.htk", "old");
  convert_list("out.scp");
  EXPECT_EQ(read("out.htk"), archive);
  convert("in.scp");  // from text, which names no files
}

TEST_F(InputGuardTest, FilesReferencedByTheDataOfAReaderAreKnown) {
  Spec spec;
  spec.data.content = FilesSpec{.files = {"again.scp"}};
  Reader reader(spec, {}, {.files = &files()});
  EXPECT_EQ(error_of<ConfigError>(
                [&] { sheaf::convert(reader, "in.scp", {.writer = {.files = &files()}}); }),
            std::string("in.htk: ") + kRefusal);
}

TEST_F(InputGuardTest, ShardsAndUtteranceFilesAreChecked) {
  const ConvertOptions shards = {.shards = 2};
  convert("out.scp", shards);
  write("again.scp", read("out-00001-of-00002.scp"));
  EXPECT_EQ(error_of<ConfigError>([&] { convert_list("out.scp", shards); }),
            std::string("out-00001-of-00002.htk: ") + kRefusal);

  ConvertOptions in_files;
  in_files.writer.format.extra = {{"htk.layout", "files"}};
  convert("u.scp", in_files);
  write("again.scp", "17.htk=.../17.htk[0,1]\n");
  EXPECT_EQ(error_of<ConfigError>([&] { convert_list("v.scp", in_files); }),
            std::string("17.htk: ") + kRefusal);
  EXPECT_FALSE(exists("v.scp"));
}

TEST_F(InputGuardTest, CompositeDataNameTheFilesOfAllMembers) {
  write("again.scp", "b.htk=in.htk[0,1]\n");
  write("other.scp", "a.htk=d/x.htk[0,1]\nb.htk=d/x.htk[2,3]\nc.htk=in.htk\nd.htk=y.htk\n");
  write("d/x.htk", read("in.htk"));
  write("y.htk", read("in.htk"));
  const auto first = open("again.scp");
  const auto second = open("other.scp");
  const auto named = [](const Deserializer& data) {
    std::vector<std::string> paths;
    data.visit_named_files([&](const std::string& path) { paths.push_back(path); });
    return paths;
  };
  const std::vector<std::string> all = {"in.htk", "d/x.htk", "in.htk", "y.htk"};
  EXPECT_EQ(named(*second), std::vector(all.begin() + 1, all.end()));
  EXPECT_EQ(named(*join({{first, "a"}, {second, "b"}})), all);
  const FormatOptions x = {.streams = {{.name = "x"}}};
  EXPECT_EQ(named(*concatenate({{open("again.scp", x), "a"}, {open("other.scp", x), "b"}})), all);
  EXPECT_EQ(named(*checked(second)), std::vector(all.begin() + 1, all.end()));
  Spec spec;
  spec.data.content = FilesSpec{.files = {"again.scp"}};
  spec.data.transforms = {{.type = "reverse"}};
  EXPECT_EQ(named(*sheaf::open(spec, {.files = &files()}).data), std::vector{all.front()});
}

TEST_F(InputGuardTest, InputsAreListedOnceAndOnlyIfAFileIsReplaced) {
  class CountingData final : public Deserializer {
   public:
    explicit CountingData(std::shared_ptr<const Deserializer> data) : data_(std::move(data)) {}
    [[nodiscard]] std::span<const Stream> streams() const noexcept override {
      return data_->streams();
    }
    [[nodiscard]] const Index& index() const noexcept override { return data_->index(); }
    [[nodiscard]] std::string fingerprint() const override { return "counting"; }
    [[nodiscard]] Chunk read(const ChunkRange& range, Diagnostics& diagnostics) const override {
      return data_->read(range, diagnostics);
    }
    void visit_named_files(
        const std::function<void(const std::string& path)>& visit) const override {
      ++count;
      visit("a");
      visit("a");
      visit("d/../b");
    }
    mutable int count = 0;

   private:
    std::shared_ptr<const Deserializer> data_;
  };
  const CountingData data(open("in.ctf"));
  InputGuard guard(files(), data);
  static_cast<void>(guard.create("a"));
  EXPECT_EQ(data.count, 0);
  for (const char* const path : {"a", "b", "c"}) write(path, "");
  static_cast<void>(guard.create("c"));
  for (const char* const path : {"a", "b", "./x/../a"}) {
    EXPECT_EQ(error_of<ConfigError>([&] { static_cast<void>(guard.create(path)); }),
              std::string(path) + ": " + kRefusal);
    EXPECT_NE(error_of<ConfigError>([&] {
                static_cast<void>(guard.create(path, {.existing = Existing::refuse}));
              }).find("exists already"),
              std::string::npos);
  }
  EXPECT_EQ(data.count, 1);
}

}  // namespace
}  // namespace sheaf::internal
