#include "format/arrow/saved_dataset.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "support/error_of.h"
#include "support/write_file.h"

namespace sheaf::arrow {
namespace {

using sheaf::testing::error_of;
using sheaf::testing::write_file;

std::vector<std::string> files_of(const std::string& state, const std::string& folder = "d") {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "d/state.json", state);
  return files_of_dataset(folder, *files);
}

TEST(SavedDataset, TheStateNamesTheFiles) {
  const std::string state =
      R"({"_data_files": [{"filename": "data-1.arrow"}, {"filename": "data-0.arrow"}],
          "_fingerprint": "ab", "_indices_data_files": null, "_indices_files": []})";
  const std::vector<std::string> expected = {"d/data-1.arrow", "d/data-0.arrow"};
  EXPECT_EQ(files_of(state), expected);
  EXPECT_EQ(files_of(state, "d/"), expected);
}

TEST(SavedDataset, AnInvalidStateIsRefused) {
  for (const char* const state :
       {"", "[]", "{}", R"({"_data_files": []})", R"({"_data_files": {}})",
        R"({"_data_files": [1]})", R"({"_data_files": [{"filename": 1}]})",
        R"({"_data_files": [{"filename": ""}]})", R"({"_data_files": [{"filename": ".."}]})",
        R"({"_data_files": [{"filename": "../a.arrow"}]})",
        R"({"_data_files": [{"filename": "/a.arrow"}]})",
        R"({"_data_files": [{"filename": "a"})"}) {
    const std::string error = error_of<DataError>([&] { static_cast<void>(files_of(state)); });
    EXPECT_NE(error.find("d/state.json"), std::string::npos) << state;
    EXPECT_NE(error.find("[arrow-state]"), std::string::npos) << state;
  }
}

TEST(SavedDataset, TheStateHasASize) {
  const std::string state = R"({"_data_files": [{"filename": "a.arrow"}]})";
  for (const std::int64_t size : {kStateBytesMax - 1, kStateBytesMax, kStateBytesMax + 1}) {
    const std::string padded =
        state + std::string(static_cast<std::size_t>(size) - state.size(), ' ');
    const std::string error = error_of<DataError>(
        [&] { EXPECT_EQ(files_of(padded), std::vector<std::string>{"d/a.arrow"}); });
    EXPECT_EQ(error.find("found 67108865 bytes") != std::string::npos, size > kStateBytesMax);
  }
}

TEST(SavedDataset, MappingsSplitsAndOtherFoldersAreRefused) {
  for (const char* const entry : {"_indices_data_files", "_indices_files"}) {
    const std::string state = std::string(R"({"_data_files": [{"filename": "a.arrow"}], ")") +
                              entry + R"(": [{"filename": "i.arrow"}]})";
    EXPECT_NE(error_of<ConfigError>([&] {
                static_cast<void>(files_of(state));
              }).find("d/state.json: an indices mapping orders the rows"),
              std::string::npos);
  }
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "s/dataset_dict.json", R"({"splits": ["train", "test"]})");
  EXPECT_EQ(error_of<ConfigError>([&] { static_cast<void>(files_of_dataset("s", *files)); }),
            "s: a dictionary of splits is no data set: name the folder of one: s/train, s/test");
  write_file(*files, "o/a.arrow", "");
  EXPECT_EQ(error_of<ConfigError>([&] { static_cast<void>(files_of_dataset("o", *files)); }),
            "o: a folder without state.json, which saved data sets have: name Arrow files, as "
            "\"o/*.arrow\"");
}

}  // namespace
}  // namespace sheaf::arrow
