#include "sheaf/merge.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/open.h"
#include "sheaf/spec.h"

#include "ops/conversion_data.h"
#include "support/error_of.h"

namespace sheaf {
namespace {

class Merge : public ::testing::Test, protected testing::ConversionData {
 protected:
  std::shared_ptr<const Deserializer> data(std::optional<DataPart> part,
                                           const std::string& path = "in.ctf") {
    DataSpec spec{
        .content = FilesSpec{.files = {path}, .format = {.chunk_size_bytes = input_chunk_size_}}};
    spec.part = part;
    return sheaf::open(spec, {.files = &files()}).data;
  }

  ConvertReport convert_part(const std::string& path, DataPart part, ConvertOptions options = {}) {
    options.writer.files = &files();
    options.for_merge = true;
    return sheaf::convert(data(part), path, options);
  }

  std::vector<std::string> convert_parts(const std::string& whole, std::int64_t count,
                                         const ConvertOptions& options = {}) {
    std::vector<std::string> paths;
    for (std::int64_t i = 0; i < count; ++i) {
      paths.push_back("part-" + std::to_string(i) + "-" + whole);
      convert_part(paths.back(), {.number = i, .count = count}, options);
    }
    std::ranges::reverse(paths);
    return paths;
  }

  ConvertReport merge(const std::string& path, const std::vector<std::string>& parts,
                      MergeOptions options = {}) {
    options.files = &files();
    return sheaf::merge(path, parts, options);
  }

  std::string refusal(const std::vector<std::string>& parts) {
    return testing::error_of([&] { merge("merged.cbf", parts); });
  }

  std::string whole(const std::string& path, ConvertOptions options = {}) {
    options.writer.files = &files();
    sheaf::convert(data({}), path, options);
    return read(path);
  }

  std::int64_t input_chunk_size_ = 300;
};

TEST_F(Merge, TheBytesEqualThoseOfOneConversion) {
  for (const std::string extension : {"cbf", "sheaf", "ctf"}) {
    const std::string path = "whole." + extension;
    const std::string expected = whole(path);
    for (const std::int64_t count : {1, 2, 3, 17, 200}) {
      const std::string merged = std::to_string(count) + "." + extension;
      merge(merged, convert_parts("of" + merged, count));
      EXPECT_EQ(read(merged), expected) << merged;
    }
  }
}

// Includes formats with lossy compression: a part holds the values as they were read.
TEST_F(Merge, EveryFormatThatCanHoldTheDataIsMerged) {
  std::set<std::string> merged_formats;
  for (const Format& format : builtin_formats()) {
    if (format.create == nullptr) continue;
    std::vector<std::map<std::string, std::string>> extras = {{}};
    for (const FormatOption& option : format.write_options) {
      for (const std::string_view value : option.values) {
        extras.push_back({{std::string(option.name), std::string(value)}});
      }
    }
    for (const std::map<std::string, std::string>& extra : extras) {
      ConvertOptions options;
      options.writer.format.format = format.name;
      options.writer.format.extra = extra;
      const std::string name = "/out." + std::string(format.extensions.front());
      try {
        whole("w" + name, options);
      } catch (const Error&) {
        continue;  // the format cannot hold these data
      }
      std::vector<std::string> parts;
      for (std::int64_t i = 0; i < 4; ++i) {
        parts.push_back("p/" + std::to_string(i));
        options.writer.format.format = format.name;
        convert_part(parts.back(), {.number = i, .count = 4}, options);
      }
      merge("m" + name, parts, {.format = std::string(format.name)});
      EXPECT_EQ(read("m" + name), read("w" + name)) << format.name;
      const auto written = open("w" + name, {.format = std::string(format.name)});
      written->visit_named_files([&](const std::string& path) {
        if (path.starts_with("w/")) {
          EXPECT_EQ(read("m" + path.substr(1)), read(path)) << path;
        }
      });
      merged_formats.emplace(format.name);
    }
  }
  for (const char* const format :
       {"arrow", "cbf", "csv", "ctf", "htk", "jsonl", "kaldi", "sheaf"}) {
    EXPECT_TRUE(merged_formats.contains(format)) << format;
  }
}

TEST_F(Merge, ChunksOfAnySizeEndAsInOneConversion) {
  for (const std::int64_t input : {100, 1000, 100000}) {
    input_chunk_size_ = input;
    for (const std::int64_t output : {1, 64, 100, 333, 5000}) {
      for (const std::string extension : {"cbf", "sheaf"}) {
        ConvertOptions options;
        options.writer.format.chunk_size_bytes = output;
        const std::string tag =
            std::to_string(input) + "-" + std::to_string(output) + "." + extension;
        const std::string expected = whole("whole-" + tag, options);
        merge("merged-" + tag, convert_parts(tag, 3, options));
        EXPECT_EQ(read("merged-" + tag), expected) << tag;
      }
    }
  }
}

TEST_F(Merge, OptionsOfTheFormatAndSelectionsAreKept) {
  ConvertOptions options;
  options.writer.format.extra = {{"cbf.checks", "off"}};
  options.writer.streams = {{.name = "x", .alias = "y", .dtype = ElementType::f64}};
  options.selected = {.min_length = 2, .share = parse_share("0.5")};
  const std::string expected = whole("whole.cbf", options);
  merge("merged.cbf", convert_parts("a.cbf", 5, options));
  EXPECT_EQ(read("merged.cbf"), expected);
}

TEST_F(Merge, AnotherFormatUsesItsDefaultOptions) {
  ConvertOptions options;
  options.writer.format.extra = {{"cbf.checks", "off"}};
  const std::vector<std::string> parts = convert_parts("a.cbf", 3, options);
  merge("merged.ctf", parts);
  EXPECT_EQ(read("merged.ctf"), whole("whole.ctf"));
  merge("merged", parts);
  EXPECT_EQ(read("merged"), whole("whole.cbf", options));
  merge("merged.x", parts, {.format = "sheaf"});
  EXPECT_EQ(read("merged.x"), whole("whole.sheaf"));
}

TEST_F(Merge, DividedDataHavePartsOfEachFile) {
  ConvertOptions options{.split = parse_split("train=0.75,test=0.25")};
  options.writer.files = &files();
  sheaf::convert(data({}), "whole.cbf", options);
  convert_parts("a.cbf", 3, options);
  std::vector<std::string> parts;
  for (const char* const i : {"0", "1", "2"}) {
    parts.push_back("part-" + std::string(i) + "-a.test.cbf");
  }
  merge("test.cbf", parts);
  EXPECT_EQ(read("test.cbf"), read("whole.test.cbf"));
  parts[1] = "part-1-a.train.cbf";
  EXPECT_EQ(refusal(parts),
            "part-0-a.test.cbf and part-1-a.train.cbf are no parts of one conversion: one is of "
            "\"test\", the other of \"train\"");
}

TEST_F(Merge, PartsOfDifferentConversionsAreRefused) {
  const std::vector<std::string> parts = convert_parts("a.cbf", 3);  // 2, 1, 0
  EXPECT_EQ(refusal({}), "merge: there is no part to merge");
  EXPECT_EQ(refusal({parts[0], parts[2]}), "part 1/3 is missing");
  EXPECT_EQ(refusal({parts[0], parts[1]}), "part 0/3 is missing");
  EXPECT_EQ(refusal({parts[2], parts[1]}), "part 2/3 is missing");
  EXPECT_EQ(refusal({parts[0], parts[1], parts[1], parts[2]}),
            "part-1-a.cbf and part-1-a.cbf are both part 1/3");
  EXPECT_EQ(refusal({parts[0], "merged.cbf"}),
            "merged.cbf: is a part, and cannot be the file to write");
  whole("whole.sheaf");
  EXPECT_EQ(refusal({parts[0], "whole.sheaf"}),
            "whole.sheaf: is a whole file, and no part of a conversion");
  EXPECT_EQ(refusal({"in.ctf", parts[0]}), "in.ctf: is no part of a conversion");
  convert_part("two.cbf", {.number = 0, .count = 2});
  EXPECT_EQ(refusal({"two.cbf", parts[0]}),
            "two.cbf and part-2-a.cbf are no parts of one conversion: one is of 2 parts, the other "
            "of 3");
  ConvertOptions options;
  options.selected.min_length = 3;
  convert_part("few.cbf", {.number = 0, .count = 3}, options);
  EXPECT_EQ(refusal({"few.cbf", parts[0]}),
            "few.cbf and part-2-a.cbf are no parts of one conversion: they select other sequences");
  options = {};
  options.writer.format.chunk_size_bytes = 77;
  convert_part("small.cbf", {.number = 0, .count = 3}, options);
  EXPECT_EQ(refusal({"small.cbf", parts[0]}),
            "small.cbf and part-2-a.cbf are no parts of one conversion: they have other options of "
            "the file to write");
  input_chunk_size_ = 4000;
  convert_part("other.cbf", {.number = 0, .count = 3});
  EXPECT_EQ(refusal({"other.cbf", parts[0]}),
            "other.cbf and part-2-a.cbf are no parts of one conversion: the data differ, or the "
            "options that read the data");
  EXPECT_FALSE(exists("merged.cbf"));
}

TEST_F(Merge, InvalidPartsAreRefusedImmediately) {
  const auto refusal_of = [this](ConvertOptions options, std::optional<DataPart> part,
                                 const std::string& path = "p.cbf") {
    options.writer.files = &files();
    options.for_merge = true;
    return testing::error_of([&] { sheaf::convert(data(part), path, options); });
  };
  const DataPart part{.number = 0, .count = 2};
  EXPECT_EQ(refusal_of({}, {}), "for_merge: the data are no part: DataSpec::part says one");
  EXPECT_TRUE(refusal_of({.shards = 2}, part).starts_with("part and shards both divide"));
  EXPECT_TRUE(refusal_of({.order = {.algorithm = OrderAlgorithm::keyed}}, part)
                  .starts_with("part: parts follow each other in the order of the file"));
  ConvertOptions wrong;
  wrong.writer.format.extra = {{"cbf.chekcs", "off"}};
  EXPECT_NE(refusal_of(wrong, part).find("cbf.checks"), std::string::npos);
  wrong = {};
  wrong.writer.streams = {{.name = "x", .dtype = ElementType::f16}};
  EXPECT_NE(refusal_of(wrong, part), "none");  // CBF cannot have these numbers
  EXPECT_FALSE(exists("p.cbf"));
}

TEST_F(Merge, AnExistingFileIsKeptUnlessReplaced) {
  const std::vector<std::string> parts = convert_parts("a.cbf", 2);
  write("merged.cbf", "mine");
  EXPECT_NE(testing::error_of([&] { merge("merged.cbf", parts, {.existing = Existing::refuse}); }),
            "none");
  EXPECT_EQ(read("merged.cbf"), "mine");
  merge("merged.cbf", parts);
  EXPECT_EQ(read("merged.cbf"), whole("whole.cbf"));
}

}  // namespace
}  // namespace sheaf
