#include "dataset/common_streams.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/open.h"
#include "sheaf/writer.h"

#include "support/text_data.h"
#include "support/write_file.h"

namespace sheaf {
namespace {

using testing::error_of;
using testing::sequences_of;
using testing::texts_of;
using testing::write_file;
using Names = std::vector<std::string>;

/// Files in memory that count how often each file is opened.
class CountingFiles final : public FileSystem {
 public:
  std::shared_ptr<const ByteSource> open(const std::string& path) override {
    ++opened[path];
    return files_->open(path);
  }
  bool exists(const std::string& path) override { return files_->exists(path); }
  Names list(const std::string& pattern) override { return files_->list(pattern); }
  std::unique_ptr<ByteSink> create(const std::string& path, const FileOptions& options) override {
    return files_->create(path, options);
  }
  bool check_creatable(const std::string& path) override { return files_->check_creatable(path); }
  bool is_same_file(const std::string& a, const std::string& b) override {
    return files_->is_same_file(a, b);
  }
  void remove(const std::string& path) override { files_->remove(path); }

  std::map<std::string, int> opened;

 private:
  std::unique_ptr<FileSystem> files_ = memory_files();
};

/// Opens texts as files, one after the other.
class CommonStreams : public ::testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) { write_file(files_, path, text); }

  [[nodiscard]] std::shared_ptr<const Deserializer> open_all(FormatOptions format = {}) {
    format.index.mode = IndexMode::off;
    return open_path("*", format, {.files = &files_}).data;
  }

  [[nodiscard]] Names streams_of_all(const FormatOptions& format = {}) {
    Names streams;
    const std::shared_ptr<const Deserializer> data = open_all(format);
    for (const Stream& stream : data->streams()) streams.push_back(to_string(stream));
    return streams;
  }

  CountingFiles files_;
};

TEST_F(CommonStreams, UniteTheStreamsOfAllFilesInOrderOfAppearance) {
  write("1.ctf", "1 |b 1 |y 3:1\n");
  write("2.ctf", "2 |a 1 2 |y 9:1\n");
  write("3.ctf", "3 |y 0:1 |b 5\n");
  FormatOptions format;
  format.missing_streams = MissingStreams::allow;
  EXPECT_EQ(streams_of_all(format),
            (Names{"b: dense f32 [1]", "y: sparse f32 [10]", "a: dense f32 [2]"}));
  const auto sequences = sequences_of(*open_all(format));
  ASSERT_EQ(sequences.size(), 3U);
  EXPECT_FALSE(sequences[0].streams[2].is_present);
  EXPECT_FALSE(sequences[1].streams[0].is_present);
  EXPECT_EQ(sequences[2].streams[0].samples.size(), 1U);
}

TEST_F(CommonStreams, OnlyDifferingFilesAreReopened) {
  write("1.ctf", "1 |x 1 |y 9:1\n");
  write("2.ctf", "2 |x 1 |y 3:1\n");
  write("3.ctf", "3 |x 1 |y 9:1\n");
  static_cast<void>(open_all());
  EXPECT_EQ(files_.opened, (std::map<std::string, int>{{"1.ctf", 1}, {"2.ctf", 2}, {"3.ctf", 1}}));
  files_.opened.clear();
  static_cast<void>(
      open_all(testing::with_streams({testing::dense("x"), testing::sparse("y", 9)})));
  EXPECT_EQ(files_.opened, (std::map<std::string, int>{{"1.ctf", 1}, {"2.ctf", 1}, {"3.ctf", 1}}));
}

TEST_F(CommonStreams, AnOpenDimIsFoundUnderAnAlias) {
  write("1.ctf", "1 |F 1 2 |L 3:1\n");
  write("2.ctf", "2 |F 1 2 |L 9:1\n");
  write("3.ctf", "3 |F 1 2\n");
  FormatOptions format;
  format.missing_streams = MissingStreams::allow;
  format.streams = {{.name = "y", .alias = "L", .storage = Storage::sparse},
                    {.name = "x", .alias = "F"}};
  EXPECT_EQ(streams_of_all(format), (Names{"y: sparse f32 [10]", "x: dense f32 [2]"}));
  EXPECT_EQ(sequences_of(*open_all(format)).size(), 3U);
  format.streams.push_back({.name = "z"});
  EXPECT_EQ(error_of<ConfigError>([&] { static_cast<void>(open_all(format)); }),
            "stream \"z\": no dim is given, and no file has a dense sample to find it from");
}

TEST_F(CommonStreams, TwoFilesMayEachDefineOneDim) {
  write("1.ctf", "1 |x 1 2\n");
  write("2.ctf", "2 |y 9:1\n");
  FormatOptions format;
  format.missing_streams = MissingStreams::allow;
  format.streams = {{.name = "x"}, {.name = "y", .storage = Storage::sparse}};
  EXPECT_EQ(streams_of_all(format), (Names{"x: dense f32 [2]", "y: sparse f32 [10]"}));
}

TEST_F(CommonStreams, ContradictionsNameBothFiles) {
  const std::string advice =
      "; files that are read one after the other have the same streams: declare them, with the "
      "largest dim that any file has";
  write("1.ctf", "1 |y 1:1\n");
  write("2.ctf", "2 |x 1\n");
  write("3.ctf", "3 |x 1 2\n");
  EXPECT_EQ(error_of<ConfigError>([&] { static_cast<void>(open_all()); }),
            "2.ctf has the stream x: dense f32 [1], and 3.ctf has it as x: dense f32 [2]" + advice);
  write("3.ctf", "3 |x 1:2\n");
  EXPECT_EQ(
      error_of<ConfigError>([&] { static_cast<void>(open_all()); }),
      "2.ctf has the stream x: dense f32 [1], and 3.ctf has it as x: sparse f32 [2]" + advice);
}

TEST_F(CommonStreams, MembersOfAConcatenationHaveCommonStreams) {
  write("1.ctf", "1 |x 1 |y 3:1\n");
  write("2.libsvm", "1 4:1\n");
  write("3.ctf", "2 |x 1 |y 9:1\n");
  const auto member = [](const std::string& path, std::vector<StreamOptions> streams) {
    return DataSpec{FilesSpec{.files = {path}, .format = {.streams = std::move(streams)}}};
  };
  ConcatenationSpec spec;
  spec.same_keys = ConcatenatedKeys::number;
  spec.members = {
      member("1.ctf", {}),
      member("2.libsvm", {{.name = "x", .alias = "label"},
                          {.name = "y", .alias = "features", .storage = Storage::sparse}}),
      member("3.ctf", {})};
  const OpenedData opened = open(DataSpec{spec}, {.files = &files_});
  EXPECT_EQ(to_string(opened.data->streams()[1]), "y: sparse f32 [10]");
  EXPECT_EQ(opened.name, "1.ctf, 2.libsvm, 3.ctf");
  EXPECT_EQ(sequences_of(*opened.data).size(), 3U);
}

TEST_F(CommonStreams, AFileWithStoredStreamsIsNotMerged) {
  for (const auto& [path, stream] : {std::pair("1.cbf", "x"), std::pair("2.cbf", "z")}) {
    const std::vector<Stream> streams = {{.name = stream, .sample_shape = Shape{1}}};
    Writer writer(path, streams, {.files = &files_});
    Diagnostics diagnostics;
    const auto data = testing::ctf("t", std::string("1 |") + stream + " 1\n").data;
    writer.write(std::vector{SequenceKey{.low = 1}}, data->read({ChunkIndex{}, 0, 1}, diagnostics));
    writer.finish();
  }
  EXPECT_EQ(error_of<ConfigError>([&] { static_cast<void>(open_all()); }),
            "1.cbf: read with the streams that all files together have: stream \"z\": 1.cbf has no "
            "\"z\"; it has \"x\"; declare the streams that are wanted");
}

// Returns a row of a CTF text with some of the streams. Dense samples have one width, or any width
// up to it, which CNTK allows.
std::string ctf_row(std::uint64_t key, bool is_ragged) {
  std::string row = std::to_string(key);
  for (const char* const name : {"a", "b", "c", "d"}) {
    if (*rc::gen::inRange(0, 4) == 0) continue;
    row += std::string(" |") + name;
    if (name[0] == 'a' || name[0] == 'c') {
      const int width = is_ragged ? *rc::gen::inRange(1, 4) : 3;
      for (int i = 0; i < width; ++i) row += ' ' + std::to_string(*rc::gen::inRange(0, 9));
    } else {
      row += ' ' + std::to_string(*rc::gen::inRange(0, 30)) + ":1";
    }
  }
  return row + '\n';
}

std::string libsvm_row() {
  return std::to_string(*rc::gen::inRange(0, 5)) + ' ' + std::to_string(*rc::gen::inRange(1, 30)) +
         ":1\n";
}

FormatOptions some_options(bool is_ctf) {
  FormatOptions format;
  format.format = is_ctf ? "ctf" : "libsvm";
  format.index.mode = IndexMode::off;
  if (!is_ctf) return format;
  format.missing_streams = *rc::gen::element(MissingStreams::error, MissingStreams::allow);
  format.compatibility = *rc::gen::element(Compatibility::strict, Compatibility::cntk);
  if (*rc::gen::inRange(0, 2) == 0) return format;
  format.streams = {{.name = "B", .alias = "b", .storage = Storage::sparse}, {.name = "a"}};
  if (*rc::gen::inRange(0, 2) == 0) format.streams[0].sample_shape = Shape{20};
  return format;
}

// The delivered sequences of a data set, or the first word or the code of the error. Messages are
// not compared, because they contain the names of files.
struct Delivered {
  std::vector<conformance::ReferenceSequence> sequences;
  Names streams;
  Names codes;  // of errors
  std::string refusal;
};

Delivered delivered(FileSystem& files, const std::string& pattern, const FormatOptions& format,
                    ConcatenatedKeys keys) {
  Delivered all;
  try {
    const FilesSpec spec{.files = {pattern}, .format = format, .same_keys = keys};
    const OpenedData opened = open(DataSpec{spec}, {.files = &files});
    const conformance::ReferenceResult result = conformance::read_all(*opened.data);
    all.sequences = sequences_of(*opened.data);
    for (const Stream& stream : opened.data->streams()) all.streams.push_back(to_string(stream));
    for (const auto& location : result.diagnostics) {
      if (location.counts()) all.codes.push_back(location.sequence_key + ' ' + location.code);
    }
  } catch (const ConfigError& error) {
    const std::string text = error.what();
    all.refusal = text.substr(0, text.find(':'));
  } catch (const DataError& error) {
    all.refusal = error.diagnostics().back().code;
  }
  return all;
}

RC_GTEST_PROP(CommonStreamsLaw, SeveralFilesEqualOneFileOfTheirTexts, ()) {
  const bool is_ctf = *rc::gen::inRange(0, 3) > 0;
  const FormatOptions format = some_options(is_ctf);
  const bool is_ragged = format.compatibility == Compatibility::cntk;
  const int row_count = *rc::gen::inRange(1, 12);
  Names texts(1);
  std::string all;
  for (int i = 0; i < row_count; ++i) {
    if (!texts.back().empty() && *rc::gen::inRange(0, 3) == 0) texts.emplace_back();
    const std::string row =
        is_ctf ? ctf_row(static_cast<std::uint64_t>(i), is_ragged) : libsvm_row();
    texts.back() += row;
    all += row;
  }
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "whole", all);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    write_file(*files, "part-" + std::string(1, static_cast<char>('a' + i)), texts[i]);
  }
  const ConcatenatedKeys keys = is_ctf ? ConcatenatedKeys::distinct : ConcatenatedKeys::number;
  const Delivered parts = delivered(*files, "part-*", format, keys);
  const Delivered whole = delivered(*files, "whole", format, keys);
  RC_LOG() << ::testing::PrintToString(texts) << whole.refusal << '\n';
  RC_ASSERT(parts.refusal == whole.refusal);
  RC_ASSERT(parts.streams == whole.streams);
  RC_ASSERT(parts.codes == whole.codes);
  RC_ASSERT(parts.sequences == whole.sequences);
}

}  // namespace
}  // namespace sheaf
