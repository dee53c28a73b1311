#include "format/kaldi/kaldi_deserializer.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/open.h"

#include "conformance/read_all.h"
#include "format/kaldi/kaldi_test_files.h"
#include "support/error_of.h"
#include "support/write_file.h"

namespace sheaf::kaldi {
namespace {

using sheaf::testing::error_of;
using sheaf::testing::write_file;
using testing::archive;
using testing::matrix;
using testing::options_with;
using testing::told;
using std::string_literals::operator""s;

constexpr std::string_view kThree = "a: 1 2|3 4\nb: 5 6\nc:\n";

std::string three() {
  return archive({{"a", matrix({1, 2, 3, 4}, 2)}, {"b", matrix({5, 6}, 2)}, {"c", matrix({}, 2)}});
}

TEST(KaldiDeserializer, AnArchiveAndAListOfItAreTheSame) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "x.ark", three());
  write_file(*files, "x.scp", "a x.ark:2\nb x.ark:35\nc x.ark:60\n");
  for (const std::int64_t chunk_size : {1, 40, 1 << 20}) {
    FormatOptions options = options_with();
    options.chunk_size_bytes = chunk_size;
    EXPECT_EQ(told(*files, "x.ark", options), kThree) << chunk_size;
    EXPECT_EQ(told(*files, "x.scp", options), kThree) << chunk_size;
  }
}

TEST(KaldiDeserializer, ListsSelectPartsInAnyOrder) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "x.ark", three());
  write_file(*files, "y", matrix({7, 8}, 2));
  write_file(*files, "x.scp",
             "b x.ark:35\nz y\na1 x.ark:2[1:1]\na0 x.ark:2[0:0]\nall x.ark:2[0:4]\n");
  EXPECT_EQ(told(*files, "x.scp", options_with()),
            "b: 5 6\nz: 7 8\na1: 3 4\na0: 1 2\nall: 1 2|3 4\n");
  write_file(*files, "x.scp", "a x.ark:2[0:1,1:1]\nb x.ark:35[:,0:0]\n");
  EXPECT_EQ(told(*files, "x.scp", options_with()), "a: 2|4\nb: 5\n");
}

TEST(KaldiDeserializer, SequencesWithErrorsAreHoles) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "x.ark", three());
  write_file(*files, "x.scp",
             "a x.ark:2\nn none.ark:3\np sox x.wav |\nw x.ark:999\nr x.ark:2[0:9]\n"
             "k x.ark:3\nd x.ark:2[:,0:0]\nb x.ark:35\n");
  std::vector<std::string> codes;
  EXPECT_EQ(told(*files, "x.scp", options_with(), &codes),
            "a: 1 2|3 4\nn hole\np hole\nw hole\nr hole\nk hole\nd hole\nb: 5 6\n");
  EXPECT_EQ(codes, (std::vector<std::string>{"2:3 kaldi-missing-file", "3:3 kaldi-command",
                                             "4:3 kaldi-offset", "5:10 kaldi-range-end",
                                             "byte 3 kaldi-object", "byte 2 kaldi-other-dim"}));
}

TEST(KaldiDeserializer, TheRestOfAnArchiveIsLostAfterAnError) {
  const std::unique_ptr<FileSystem> files = memory_files();
  std::vector<std::string> codes;
  write_file(*files, "x.ark", "a "s + matrix({1, 2}, 2) + "b \0BXY "s);
  EXPECT_EQ(told(*files, "x.ark", options_with(), &codes), "a: 1 2\nb hole\n");
  EXPECT_EQ(codes, std::vector<std::string>{"byte 29 fatal kaldi-object"});
  write_file(*files, "x.ark", "a "s + matrix({1, 2}, 2) + "b"s);
  EXPECT_EQ(told(*files, "x.ark", options_with(), &codes), "a: 1 2\n0 hole\n");
  EXPECT_EQ(codes, std::vector<std::string>{"byte 25 fatal kaldi-key"});
  const std::string whole = "a "s + matrix({1, 2}, 2) + "b "s + matrix({3, 4}, 2);
  write_file(*files, "x.ark", whole.substr(0, whole.size() - 1));
  EXPECT_EQ(told(*files, "x.ark", options_with(), &codes), "a: 1 2\nb hole\n");
  EXPECT_EQ(codes, std::vector<std::string>{"byte 49 kaldi-cut"});
}

TEST(KaldiDeserializer, RepeatedKeysAreLeftOut) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "x.ark", "a 1\nb 2\na 3\n");
  EXPECT_EQ(told(*files, "x.ark", options_with()), "b: 2\n");
}

TEST(KaldiDeserializer, NumericKeysMustBeNumbers) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "x.ark", "7 1\nb 2\n");
  FormatOptions options = options_with();
  options.keys = KeyType::numeric;
  const std::string error =
      error_of<DataError>([&] { static_cast<void>(told(*files, "x.ark", options)); });
  EXPECT_NE(error.find("[kaldi-numeric-key]"), std::string::npos) << error;
  write_file(*files, "x.ark", "7 1\n8 2\n");
  EXPECT_EQ(told(*files, "x.ark", options), "7: 1\n8: 2\n");
}

TEST(KaldiDeserializer, OptionsResolveTheAmbiguousByteFour) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "x.ark", "a 1 2\nb 3 4\n");
  EXPECT_EQ(told(*files, "x.ark", options_with()), "a: 1|2\nb: 3|4\n");
  EXPECT_EQ(told(*files, "x.ark", options_with("pairs")), "a: 1 2\nb: 3 4\n");
  EXPECT_EQ(told(*files, "x.ark", options_with("lists")), "a: 1 2\nb: 3 4\n");
  FormatOptions one_hot = options_with("one_hot");
  one_hot.streams = {{.name = "x", .storage = Storage::sparse, .sample_shape = Shape{5}}};
  EXPECT_EQ(told(*files, "x.ark", one_hot), "a: 1:1|2:1\nb: 3:1|4:1\n");
  one_hot.streams[0].index_dtype = ElementType::i64;
  EXPECT_EQ(told(*files, "x.ark", one_hot), "a: 1:1|2:1\nb: 3:1|4:1\n");
  write_file(*files, "p.ark", "a [ 1 0.5 2 0.25 ] [ ]\nb [ 4 1 ]\n");
  FormatOptions posteriors = options_with("posteriors");
  posteriors.streams = one_hot.streams;
  EXPECT_EQ(told(*files, "p.ark", posteriors), "a: 1:0.5 2:0.25|\nb: 4:1\n");
  write_file(*files, "v.ark", "a [ 1 2 ]\nb [ 3 4 ]\n");
  EXPECT_EQ(told(*files, "v.ark", options_with()), "a: 1 2\nb: 3 4\n");
  EXPECT_EQ(told(*files, "v.ark", options_with("frames")), "a: 1|2\nb: 3|4\n");
  write_file(*files, "s.ark", "a 1\nb 2\n");
  EXPECT_EQ(told(*files, "s.ark", options_with("scalars")), "a: 1\nb: 2\n");
}

TEST(KaldiDeserializer, ListsMayNameObjectsOfAnyKind) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "p", "[ 1 0.5 ] [ ]\n");
  write_file(*files, "p.scp", "a p\n");
  FormatOptions posteriors = options_with("posteriors");
  posteriors.streams = {{.name = "p", .storage = Storage::sparse, .sample_shape = Shape{9}}};
  EXPECT_EQ(told(*files, "p.scp", posteriors), "a: 1:0.5|\n");
  write_file(*files, "i", "1 2 ; 3 4\n");
  write_file(*files, "i.scp", "a i\n");
  EXPECT_EQ(told(*files, "i.scp", options_with("pairs")), "a: 1 2|3 4\n");
  write_file(*files, "v", "[ 1 2 3 ]\n");
  write_file(*files, "v.scp", "a v\nb v[1:2]\n");
  EXPECT_EQ(told(*files, "v.scp", options_with("frames")), "a: 1|2|3\nb: 2|3\n");
  write_file(*files, "e", matrix({}, 2));
  write_file(*files, "e.scp", "a e\nb x\n");
  write_file(*files, "x", matrix({1, 2}, 2));
  FormatOptions declared = options_with();
  declared.streams = {{.name = "e", .sample_shape = Shape{2}}};
  EXPECT_EQ(told(*files, "e.scp", declared), "a:\nb: 1 2\n");
}

TEST(KaldiDeserializer, AStreamThatTheFirstObjectContradictsIsRefused) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "x.ark", three());
  FormatOptions options = options_with();
  options.streams = {{.name = "x", .sample_shape = Shape{3}}};
  const std::string error =
      error_of<ConfigError>([&] { static_cast<void>(told(*files, "x.ark", options)); });
  EXPECT_NE(error.find("the first object does not fit"), std::string::npos) << error;
}

TEST(KaldiDeserializer, TheFingerprintDependsOnFilesAndOptions) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "x.ark", three());
  write_file(*files, "y.ark", "a 1\n");
  const auto print = [&](const char* path, const FormatOptions& options) {
    return open_kaldi({.source = files->open(path), .options = options, .context = {files.get()}})
        ->fingerprint();
  };
  EXPECT_EQ(print("x.ark", options_with()), print("x.ark", options_with()));
  EXPECT_NE(print("x.ark", options_with()), print("y.ark", options_with()));
  EXPECT_NE(print("y.ark", options_with()), print("y.ark", options_with("pairs")));
}

TEST(KaldiDeserializer, SeveralFilesHaveTheNameOfTheFirst) {
  const std::unique_ptr<FileSystem> files = memory_files();
  for (const char* const number : {"1", "2", "10"}) {
    write_file(*files, "ali."s + number + ".ark", "k"s + number + " 1 2\n");
  }
  const OpenedData data = open(DataSpec{FilesSpec{.files = {"ali.*.ark"}}}, {.files = files.get()});
  EXPECT_EQ(data.data->streams()[0].name, "ali");
}

TEST(KaldiDeserializer, NamedFilesAreVisited) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "d/x.ark", three());
  write_file(*files, "d/x.scp", "a x.ark:2\nb zcat x.ark |\n");
  const auto data = open_kaldi(
      {.source = files->open("d/x.scp"), .options = options_with(), .context = {files.get()}});
  std::vector<std::string> paths;
  data->visit_named_files([&](const std::string& path) { paths.push_back(path); });
  EXPECT_EQ(paths, (std::vector<std::string>{"d/x.ark", "d/x.ark"}));
}

}  // namespace
}  // namespace sheaf::kaldi
