// Runs tests/cases/<format>/*.case, one test each.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/format.h"

#include "case/case_file.h"
#include "conformance/format_under_test.h"
#include "conformance/read_all.h"

namespace sheaf::conformance {
namespace {

struct CasePath {
  std::filesystem::path path;
};

void PrintTo(const CasePath& file, std::ostream* out) { *out << file.path.string(); }

std::vector<CasePath> case_paths() {
  std::vector<CasePath> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(SHEAF_CASES_DIR)) {
    if (entry.path().extension() == ".case") paths.push_back({entry.path()});
  }
  std::ranges::sort(paths, {}, &CasePath::path);
  return paths;
}

/// What a data set has to say, as lines, by place.
struct Told {
  std::vector<std::string> errors;
  std::vector<std::string> warnings;  // about sequences and about the file
};

Told told_by(const Deserializer& data) {
  std::vector<Diagnostic> all;
  for (ChunkIndex chunk{}; data.index().chunk(chunk); chunk = next(chunk)) {
    Diagnostics diagnostics;
    static_cast<void>(data.read({.chunk = chunk}, diagnostics));
    std::ranges::copy(diagnostics.described(), std::back_inserter(all));
  }
  std::ranges::copy(data.warnings(), std::back_inserter(all));
  std::ranges::stable_sort(all, {}, &Diagnostic::byte_offset);
  Told told;
  for (const Diagnostic& diagnostic : all) {
    const bool is_warning = diagnostic.severity == Severity::warning;
    (is_warning ? told.warnings : told.errors).push_back(diagnostic_line(diagnostic));
  }
  return told;
}

class Case : public testing::TestWithParam<CasePath> {};

TEST_P(Case, IsReadAsItSays) {
  std::ifstream file(GetParam().path, std::ios::binary);
  ASSERT_TRUE(file) << GetParam().path;
  const CaseFile expected = CaseFile::parse(
      std::string{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
  const std::string format_name = GetParam().path.parent_path().filename().string();
  const Format& format = format_named(format_name);
  const auto open = [&] {
    return format.open({memory_source(expected.input, std::string(kMemoryName)), expected.options});
  };

  if (!expected.config_error.empty()) {
    try {
      static_cast<void>(open());
      FAIL() << "the options were taken";
    } catch (const ConfigError& error) {
      for (const std::string& part : expected.config_error) {
        EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
      }
    }
    return;
  }

  const bool is_good = expected.data_error.empty() && expected.diagnostics.empty();
  if (is_good && format.recognize != nullptr) {
    const std::string_view bytes =
        std::string_view(expected.input).substr(0, static_cast<std::size_t>(kRecognizedBytes));
    EXPECT_NE(format.recognize(bytes), Recognition::no);
  }
  const FormatUnderTest& under_test =
      *std::ranges::find(formats_under_test(), format_name, &FormatUnderTest::name);
  const ReferenceResult reference = under_test.reference(expected.input, expected.options);
  EXPECT_EQ(read_all(format, expected.input, expected.options), reference);
  FormatOptions tiny = expected.options;
  tiny.chunk_size_bytes = 1;
  tiny.read_size_bytes = 1;
  EXPECT_EQ(read_all(format, expected.input, tiny), reference);

  if (!expected.data_error.empty()) {
    try {
      static_cast<void>(read_all(*open()));  // some things only indexing finds
      FAIL() << "the file was taken";
    } catch (const DataError& error) {
      EXPECT_EQ(std::vector<std::string>{diagnostic_line(error.diagnostics().back())},
                expected.data_error);
    }
    return;
  }
  const std::unique_ptr<Deserializer> data = open();
  std::vector<std::string> lines;
  for (const ReferenceSequence& sequence : read_all(*data).sequences) {
    lines.push_back(expect_line(sequence, expected.options.streams));
  }
  EXPECT_EQ(lines, expected.expect);
  const Told told = told_by(*data);
  EXPECT_EQ(told.errors, expected.diagnostics);
  if (!expected.has_warnings) return;
  EXPECT_EQ(told.warnings, expected.warnings);
}

INSTANTIATE_TEST_SUITE_P(Files, Case, testing::ValuesIn(case_paths()),
                         [](const testing::TestParamInfo<CasePath>& test) {
                           std::string name = test.param.path.parent_path().filename().string() +
                                              '_' + test.param.path.stem().string();
                           std::ranges::replace_if(
                               name, [](char c) { return c == '-' || c == '.' || c == ' '; }, '_');
                           return name;
                         });

}  // namespace
}  // namespace sheaf::conformance
