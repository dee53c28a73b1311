// Tests how Arrow files are recognized, and how several files form one table.

#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/extend/format.h"

#include "format/columns/arrow_tables.h"
#include "support/error_of.h"
#include "support/write_file.h"

namespace sheaf {
namespace {

using testing::error_of;

std::string bytes_of(const char* name) {
  const auto file = open_file(std::string(SHEAF_TESTDATA_DIR "/arrow/") + name);
  std::string bytes(static_cast<std::size_t>(file->size()), '\0');
  file->read_at(0, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

TEST(ArrowFormat, IsRecognizedByExtensionAndFirstBytes) {
  for (const char* const name : {"a.arrow", "a.feather", "a.ipc", "A.ARROW", "a.arrow.gz"}) {
    EXPECT_EQ(find_format(name, FormatOptions{}).name, "arrow") << name;
  }
  const Format& row = find_format("a.arrow", FormatOptions{});
  EXPECT_EQ(row.recognize(bytes_of("types.arrow").substr(0, 4096)), Recognition::certain);
  EXPECT_NE(row.recognize(bytes_of("types.stream").substr(0, 4096)), Recognition::no);
  EXPECT_EQ(row.recognize(""), Recognition::no);
  EXPECT_EQ(row.recognize("ARROW"), Recognition::no);
}

TEST(ArrowFormat, CanBeWritten) {
  EXPECT_EQ(find_writable_format("a.arrow", {}).name, "arrow");
  EXPECT_EQ(find_writable_format("a.feather", {}).name, "arrow");
}

TEST(ArrowFormat, SeveralFilesFormOneTable) {
  const std::unique_ptr<FileSystem> files = memory_files();
  const std::string bytes = bytes_of("types.stream");
  testing::write_file(*files, "1.arrow", bytes);
  testing::write_file(*files, "2.arrow", bytes);
  const Format& row = find_format("1.arrow", FormatOptions{});
  FormatOptions options;
  options.streams = {{.name = "required"}};
  const Context context{.files = files.get()};
  const auto one = row.open({.options = options, .context = context, .paths = {"1.arrow"}});
  const auto two =
      row.open({.options = options, .context = context, .paths = {"1.arrow", "2.arrow"}});
  const std::string all = columns::shown(*one);
  EXPECT_TRUE(all.starts_with("0 required=[")) << all;
  const std::string both = columns::shown(*two);
  EXPECT_TRUE(both.starts_with(all + "; 3 required=[")) << both;
  EXPECT_NE(one->fingerprint(), two->fingerprint());
}

TEST(ArrowFormat, FilesWithDifferentColumnsAreRefused) {
  const std::unique_ptr<FileSystem> files = memory_files();
  testing::write_file(*files, "1.arrow", bytes_of("types.stream"));
  testing::write_file(*files, "2.arrow", bytes_of("deltas.arrow"));
  const Format& row = find_format("1.arrow", FormatOptions{});
  EXPECT_THROW(
      static_cast<void>(row.open(
          {.options = {}, .context = {.files = files.get()}, .paths = {"1.arrow", "2.arrow"}})),
      ConfigError);
}

}  // namespace
}  // namespace sheaf
