#include "dataset/source_stamp.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "sheaf/open.h"

#include "support/test_folder.h"
#include "support/text_data.h"

namespace sheaf::internal {
namespace {

DataSpec spec_of_files(std::vector<std::string> files) {
  return {FilesSpec{.files = std::move(files)}};
}

std::optional<std::string> stamp_of(const DataSpec& spec, FileSystem& files = system_files()) {
  const OpenedData opened = open(spec, {.files = &files});
  return source_stamp(spec, *opened.data, files);
}

void touch(const std::string& path) {
  std::filesystem::last_write_time(
      path, std::filesystem::last_write_time(path) + std::chrono::seconds(5));
}

TEST(SourceStamp, ChangesWithEachFileOfAPattern) {
  const TestFolder folder;
  folder.write("a.ctf", "1 |x 1\n");
  folder.write("b.ctf", "2 |x 2\n");
  folder.write("c.ctf", "3 |x 2\n");
  const DataSpec spec = spec_of_files({folder.path("[ab].ctf")});
  const std::optional<std::string> first = stamp_of(spec);
  EXPECT_EQ(stamp_of(spec), first);
  ASSERT_TRUE(first.has_value());
  touch(folder.path("c.ctf"));
  EXPECT_EQ(stamp_of(spec), first);
  touch(folder.path("b.ctf"));
  EXPECT_NE(stamp_of(spec), first);
}

TEST(SourceStamp, ChangesWithReferencedFiles) {
  const TestFolder folder;
  folder.write("a.bin", "1");
  folder.write("b.bin", "2");
  // A data set that names an existing file, a file in an archive, and a missing file.
  class Naming final : public Deserializer {
   public:
    Naming(std::shared_ptr<const Deserializer> data, std::vector<std::string> paths)
        : data_(std::move(data)), paths_(std::move(paths)) {}
    [[nodiscard]] std::span<const Stream> streams() const noexcept override {
      return data_->streams();
    }
    [[nodiscard]] const Index& index() const noexcept override { return data_->index(); }
    [[nodiscard]] std::string fingerprint() const override { return data_->fingerprint(); }
    [[nodiscard]] Chunk read(const ChunkRange& range, Diagnostics& diagnostics) const override {
      return data_->read(range, diagnostics);
    }
    void visit_named_files(const std::function<void(const std::string&)>& visit) const override {
      for (const std::string& path : paths_) visit(path);
    }

   private:
    std::shared_ptr<const Deserializer> data_;
    std::vector<std::string> paths_;
  };
  folder.write("x.zip", "archive");
  const NamedData text = testing::ctf("t", "1 |x 1\n");
  const Naming data(text.data, {folder.path("a.bin"), folder.path("x.zip") + "/1.jpg",
                                folder.path("later.bin"), folder.path("a.bin")});
  const DataSpec none = spec_of_files({folder.path("a.bin")});
  const auto named = [&] { return source_stamp(none, data, system_files()); };
  const auto first = named();
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(named(), first);
  touch(folder.path("b.bin"));
  EXPECT_EQ(named(), first);
  touch(folder.path("x.zip"));
  const auto second = named();
  EXPECT_NE(second, first);
  folder.write("later.bin", "here now");
  EXPECT_NE(named(), second);
}

TEST(SourceStamp, IsUnknownWithoutModificationTimes) {
  const std::unique_ptr<FileSystem> files = memory_files();
  const auto sink = files->create("a.ctf");
  const std::string text = "1 |x 1\n";
  sink->write(std::as_bytes(std::span(text)));
  sink->finish();
  EXPECT_EQ(stamp_of(spec_of_files({"a.ctf"}), *files), std::nullopt);
}

}  // namespace
}  // namespace sheaf::internal
