#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/report.h"

namespace sheaf {
namespace {

class ReportFile : public ::testing::Test {
 protected:
  ReportFile() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~ReportFile() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }

  void put(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }

  [[nodiscard]] std::string text_of(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  [[nodiscard]] static DataReport made(const std::string& name) {
    DataReport report;
    report.json = "{\"report\":1,\"path\":\"" + name + "\"}\n";
    return report;
  }

 private:
  const std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) / "report_file_test";
};

TEST_F(ReportFile, ReplacesAnEarlierReport) {
  for (const std::string name : {"a.html", "a.json", "a"}) {
    write_report(made("earlier.ctf"), path(name));
    EXPECT_NE(text_of(name).find("earlier.ctf"), std::string::npos);
    write_report(made("later.ctf"), path(name));
    EXPECT_EQ(text_of(name).find("earlier.ctf"), std::string::npos);
    EXPECT_NE(text_of(name).find("later.ctf"), std::string::npos);
  }
  EXPECT_EQ(text_of("a.json"), made("later.ctf").json);
  EXPECT_EQ(text_of("a.html"), to_html(made("later.ctf")));
  EXPECT_EQ(text_of("a"), to_html(made("later.ctf")));
}

TEST_F(ReportFile, ReplacesNoOtherFile) {
  for (const std::string text : {"", "0 |x 1\n", "<!doctype html>\n<p>mine", "{\"a\":1}"}) {
    put("train.ctf", text);
    EXPECT_THROW(write_report(made("a"), path("train.ctf")), ConfigError);
    EXPECT_EQ(text_of("train.ctf"), text);
  }
  write_report(made("a"), path("train.ctf"), Existing::replace);
  EXPECT_EQ(text_of("train.ctf"), to_html(made("a")));
}

TEST_F(ReportFile, NeverReplacesItsData) {
  put("train.json", made("a").json);  // data that resemble a report
  const std::vector<std::string> sources = {path("train.json")};
  EXPECT_THROW(check_report_path(path("train.json"), sources, Existing::replace), ConfigError);
  EXPECT_THROW(check_report_path(path("none/a.html"), {}, Existing::refuse), IoError);
  EXPECT_NO_THROW(check_report_path(path("new.html"), sources, Existing::refuse));
}

}  // namespace
}  // namespace sheaf
