#include "cntk/config_files.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "cntk/config_section.h"
#include "cntk/config_text.h"

namespace sheaf::internal {
namespace {

using sheaf::testing::error_of;
using sheaf::testing::reader_of;

FilesSpec files_of(std::string_view settings) {
  return *files_of(reader_of("r=[file=f\n" + std::string(settings) + "]").spec.data).at(0);
}

TEST(ConfigFiles, StreamsComeInAlphabeticalOrder) {
  const FilesSpec files = files_of(
      "input=[y=[dim=3;format=Sparse];B=[dim=2;format=dense;alias=b;definesMBSize=true];"
      "a=[dim=1;format=\"dense\"]]");
  const std::vector<StreamOptions>& streams = files.format.streams;
  ASSERT_EQ(streams.size(), 3);
  EXPECT_EQ(streams[0].name, "a");
  EXPECT_EQ(streams[1].name, "B");
  EXPECT_EQ(streams[1].alias, "b");
  EXPECT_TRUE(streams[1].defines_minibatch_size);
  EXPECT_EQ(streams[2].name, "y");
  EXPECT_EQ(streams[2].storage, Storage::sparse);
  EXPECT_EQ(streams[2].sample_shape, Shape{3});
  EXPECT_EQ(files.format.format, "ctf");
}

TEST(ConfigFiles, SettingsOfTextReachTheFormat) {
  const FilesSpec files = files_of(
      "skipSequenceIds=true;chunkSizeInBytes=1024;cacheIndex=true;compatibility=cntk;"
      "missingStreams=allow;sameKeys=number;input=[x=[dim=1;format=dense]]");
  EXPECT_TRUE(files.format.skip_sequence_ids);
  EXPECT_EQ(files.format.chunk_size_bytes, 1024);
  EXPECT_EQ(files.format.index.mode, IndexMode::automatic);
  EXPECT_EQ(files.format.compatibility, Compatibility::cntk);
  EXPECT_EQ(files.format.missing_streams, MissingStreams::allow);
  EXPECT_EQ(files.same_keys, ConcatenatedKeys::number);
  EXPECT_EQ(files_of("cacheIndex=false;input=[x=[dim=1;format=dense]]").format.index.mode,
            IndexMode::off);
}

TEST(ConfigFiles, AListOfFilesIsOneDataSet) {
  constexpr std::string_view kInput = "input=[x=[dim=1;format=dense]]";
  EXPECT_EQ(files_of(reader_of("r=[file=(\"a b\":c);" + std::string(kInput) + "]").spec.data)
                .at(0)
                ->paths,
            (std::vector<std::string>{"a b", "c"}));
  EXPECT_EQ(
      files_of(reader_of("r=[file=\"c:\\data\\*.txt\";" + std::string(kInput) + "]").spec.data)
          .at(0)
          ->paths,
      (std::vector<std::string>{"c:\\data\\*.txt"}));
  EXPECT_NE(error_of([&] { reader_of("r=[file=();" + std::string(kInput) + "]"); }), "no error");
}

TEST(ConfigFiles, WhatAStreamNeedsIsItsOwn) {
  struct Row {
    std::string_view text;
    std::string_view error;
  };
  const Row rows[] = {
      {"x=1", "expected the setting file in /r, found none [config-missing]"},
      {"file=f", "expected the setting input in /r, found none"},
      {"file=f;input=[]", "at least one stream"},
      {"file=f;dim=1;input=[x=[format=dense]]", "expected the setting dim in /r/input/x"},
      {"file=f;input=[x=[dim=1]]", "expected the setting format in /r/input/x"},
      {"file=f;input=[x=[dim=0;format=dense]]", "from 1"},
      {"file=f;input=[x=[dim=2147483648;format=sparse]]", "2147483647"},
      {"file=f;input=[x=[dim=1;format=full]]", "expected dense or sparse"},
      {"file=f;input=[x=[dim=1;format=dense;alias=\"\"]]", "expected a name"},
      {"file=f;input=[x=[dim=1;format=dense;alias=y];y=[dim=1;format=dense]]",
       "expected a name that no other stream has in the file"},
      {"file=f;definesMBSize=true;input=[x=[dim=1;format=dense];y=[dim=1;format=dense]]",
       "expected definesMBSize for one stream alone"},
      {"file=f;compatibility=CNTK;input=[x=[dim=1;format=dense]]", "expected strict or cntk"},
  };
  for (const Row& row : rows) {
    const std::string error = error_of([&] { reader_of("r=[" + std::string(row.text) + "]"); });
    EXPECT_NE(error.find(row.error), std::string::npos) << row.text << "\n" << error;
    EXPECT_TRUE(error.starts_with("a.cntk:1:")) << error;
  }
}

TEST(ConfigFiles, InABinaryFileInputRenames) {
  const ConfiguredReader reader = reader_of(
      "r=[readerType=CNTKBinaryReader;file=f;maxErrors=3;chunkSizeInBytes=10;input=[x=[alias=a]]]");
  const FilesSpec& files = *files_of(reader.spec.data).at(0);
  EXPECT_EQ(files.format.format, "cbf");
  EXPECT_EQ(files.format.compatibility, Compatibility::cntk);
  ASSERT_EQ(files.format.streams.size(), 1);
  EXPECT_EQ(files.format.streams[0].alias, "a");
  EXPECT_EQ(files.format.streams[0].sample_shape, std::nullopt);
  EXPECT_EQ(reader.spec.read.max_errors, 0);
  EXPECT_EQ(reader.ignored.size(), 2);
}

}  // namespace
}  // namespace sheaf::internal
