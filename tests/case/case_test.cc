// Runs tests/cases/<format>/*.case, one test each.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/extend/format.h"
#include "sheaf/open.h"
#include "sheaf/spec.h"

#include "case/case_file.h"
#include "conformance/format_under_test.h"
#include "conformance/read_all.h"
#include "support/write_file.h"

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

CaseFile parsed_case(const CasePath& path) {
  std::ifstream file(path.path, std::ios::binary);
  EXPECT_TRUE(file) << path.path;
  return CaseFile::parse(
      std::string{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
}

/// Returns whether a spec can express these options.
bool is_said_by_specs(const FormatOptions& options) {
  const auto has_word = [](const std::optional<ElementType>& type) {
    return !type || type == ElementType::f32 || type == ElementType::f64;
  };
  const auto is_said = [&](const StreamOptions& stream) {
    const bool has_extents =
        !stream.sample_shape ||
        std::ranges::all_of(stream.sample_shape->extents(), [](std::int64_t extent) {
          return extent >= 1 && extent <= std::numeric_limits<std::int32_t>::max();
        });
    const bool is_index =
        stream.index_dtype == ElementType::i32 || stream.index_dtype == ElementType::i64;
    return !stream.name.empty() && has_word(stream.dtype) && has_extents && is_index;
  };
  return options.read_size_bytes == FormatOptions{}.read_size_bytes &&
         options.chunk_size_bytes >= 1 && std::ranges::all_of(options.streams, is_said);
}

/// The expected diagnostics and warnings of a data set, as lines in file order.
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

class Case : public ::testing::TestWithParam<CasePath> {
 protected:
  [[nodiscard]] static CaseFile parsed() { return parsed_case(GetParam()); }
  [[nodiscard]] static std::string format_name() {
    return GetParam().path.parent_path().filename().string();
  }
};

TEST_P(Case, IsReadAsItSays) {
  const CaseFile expected = parsed();
  const std::string format_name = Case::format_name();
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
      static_cast<void>(read_all(*open()));  // some errors are only found while indexing
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

// The delivered sequences and diagnostics of a data set, or the error that refuses the data.
struct Outcome {
  std::string refusal = {};
  ReferenceResult result = {};
  Told told = {};
};

template <typename Open>
Outcome outcome_of(const Open& open) {
  try {
    const std::shared_ptr<const Deserializer> data = open();
    ReferenceResult result = read_all(*data);
    return {.result = std::move(result), .told = told_by(*data)};
  } catch (const Error& error) {
    return {.refusal = error.what()};
  }
}

TEST_P(Case, IsReadThroughASpecAsWithoutOne) {
  const CaseFile expected = parsed();
  if (!is_said_by_specs(expected.options)) return;
  const Format& format = format_named(format_name());
  const std::string name(kMemoryName);
  const Outcome direct = outcome_of([&]() -> std::shared_ptr<const Deserializer> {
    return format.open({memory_source(expected.input, name), expected.options});
  });

  const std::unique_ptr<FileSystem> files = memory_files();
  testing::write_file(*files, name, expected.input);
  FilesSpec said{.files = {name}, .format = expected.options};
  said.format.format = format_name();
  const std::string json = to_json(Spec{.data = {said}});
  const Spec spec = parse_spec(json, "case.json");
  EXPECT_EQ(to_json(spec), json);
  const Outcome through = outcome_of([&] {
    return open(spec, {.files = files.get(), .formats = {&format, 1}}).data;
  });

  EXPECT_EQ(through.refusal, direct.refusal) << json;
  EXPECT_EQ(through.result, direct.result) << json;
  EXPECT_EQ(through.told.errors, direct.told.errors);
  EXPECT_EQ(through.told.warnings, direct.told.warnings);
}

TEST(CaseSpecs, SayMostCases) {
  const std::vector<CasePath> paths = case_paths();
  const auto said = std::ranges::count_if(
      paths, [](const CasePath& path) { return is_said_by_specs(parsed_case(path).options); });
  EXPECT_GT(said, std::ssize(paths) * 3 / 4) << said << " of " << paths.size();
}

INSTANTIATE_TEST_SUITE_P(Files, Case, ::testing::ValuesIn(case_paths()),
                         [](const ::testing::TestParamInfo<CasePath>& test) {
                           std::string name = test.param.path.parent_path().filename().string() +
                                              '_' + test.param.path.stem().string();
                           std::ranges::replace_if(
                               name, [](char c) { return c == '-' || c == '.' || c == ' '; }, '_');
                           return name;
                         });

}  // namespace
}  // namespace sheaf::conformance
