#include "format/kaldi/kaldi_audio.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/file_system.h"

#include "format/kaldi/kaldi_audio_test_files.h"
#include "support/error_of.h"

namespace sheaf::kaldi {
namespace {

using sheaf::testing::error_of;
using sheaf::testing::write_file;
using testing::archive;
using testing::audio_options;
using testing::counting;
using testing::image;
using testing::matrix;
using testing::recording;
using testing::told;

using Codes = std::vector<std::string>;

std::string two() {
  return archive({{"a", recording({1, -2, 3})}, {"b", image(recording({4, 5}))}});
}

TEST(KaldiAudio, AnArchiveAndAListOfItAreTheSame) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "wav.ark", two());
  write_file(*files, "wav.scp", "a wav.ark:2\nb wav.ark:54\n");
  for (const std::int64_t chunk_size : {1, 60, 1 << 20}) {
    FormatOptions options = audio_options();
    options.chunk_size_bytes = chunk_size;
    EXPECT_EQ(told(*files, "wav.ark", options), "a: 1|-2|3\nb: 4|5\n") << chunk_size;
    EXPECT_EQ(told(*files, "wav.scp", options), "a: 1|-2|3\nb: 4|5\n") << chunk_size;
  }
}

TEST(KaldiAudio, RecordingsAreRecognizedByContent) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "wav.ark", two());
  write_file(*files, "wav.scp", "z none.wav\na wav.ark:2\n");
  EXPECT_EQ(told(*files, "wav.ark", {}), "a: 0.000031|-0.000061|0.000092\nb: 0.000122|0.000153\n");
  EXPECT_EQ(told(*files, "wav.scp", {}), "z hole\na: 0.000031|-0.000061|0.000092\n");
  write_file(*files, "other", two());
  EXPECT_EQ(told(*files, "other", audio_options()), "a: 1|-2|3\nb: 4|5\n");
  const auto data = open_kaldi({.source = files->open("wav.scp"), .context = {files.get()}});
  EXPECT_EQ(data->streams()[0].name, "wav");
  EXPECT_EQ(data->streams()[0].sample_shape, Shape{1});
  EXPECT_EQ(data->streams()[0].element_type, ElementType::f32);
}

TEST(KaldiAudio, FilesAndCommandsAreRecordings) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "d/a.wav", recording({1, 2, 3, 4}, 2));
  write_file(*files, "d/wav.scp",
             "a a.wav\nb cat a.wav |\nc sox a.wav -t wav - |\nd sox a.wav -r 8k -t wav - |\n");
  Codes codes;
  EXPECT_EQ(told(*files, "d/wav.scp", audio_options(), &codes),
            "a: 1 2|3 4\nb: 1 2|3 4\nc: 1 2|3 4\nd hole\n");
  EXPECT_EQ(codes, Codes{"4:3 kaldi-command"});
}

TEST(KaldiAudio, RecordingsWithErrorsAreHoles) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "a.wav", recording({1, 2}));
  write_file(*files, "stereo.wav", recording({1, 2}, 2));
  write_file(*files, "slow.wav", recording({1, 2}, 1, 8000));
  write_file(*files, "empty.wav", recording({}));
  write_file(*files, "m.ark", "k " + matrix({1, 2}, 2));
  write_file(*files, "wav.scp",
             "a a.wav\nb stereo.wav\nc slow.wav\nd empty.wav\ne m.ark:2\nf none.wav\ng a.wav:99\n"
             "h a.wav[0:1]\ni\nj a.wav\n");
  Codes codes;
  EXPECT_EQ(told(*files, "wav.scp", audio_options(), &codes),
            "a: 1|2\nb hole\nc hole\nd hole\ne hole\nf hole\ng hole\nh hole\ni hole\nj: 1|2\n");
  EXPECT_EQ(codes,
            (Codes{"byte 22 kaldi-other-channels", "byte 24 kaldi-other-rate",
                   "byte 0 kaldi-no-samples", "byte 2 kaldi-other-kind", "6:3 kaldi-missing-file",
                   "7:3 kaldi-offset", "8:8 kaldi-range", "9:2 kaldi-path"}));
}

TEST(KaldiAudio, AnArchiveContinuesAfterARecordingWithAnError) {
  const std::unique_ptr<FileSystem> files = memory_files();
  Codes codes;
  std::string wrong = recording({7});
  wrong[20] = 99;  // the format
  const std::string start = "a " + recording({1}) + "b " + wrong + "c " + recording({2});
  write_file(*files, "wav.ark", start + "d " + matrix({1, 2}, 2) + "e " + recording({3}));
  EXPECT_EQ(told(*files, "wav.ark", audio_options(), &codes), "a: 1\nb hole\nc: 2\nd hole\ne: 3\n");
  EXPECT_EQ(codes, (Codes{"byte 70 wav-encoding", "byte 146 kaldi-other-kind"}));
  write_file(*files, "wav.ark", start + "d fLaC1234 e " + recording({3}));
  EXPECT_EQ(told(*files, "wav.ark", audio_options(), &codes), "a: 1\nb hole\nc: 2\nd hole\n");
  EXPECT_EQ(codes, (Codes{"byte 70 wav-encoding", "byte 146 fatal kaldi-flac"}));
  write_file(*files, "wav.ark", start + "d");
  EXPECT_EQ(told(*files, "wav.ark", audio_options(), &codes), "a: 1\nb hole\nc: 2\n0 hole\n");
  EXPECT_EQ(codes, (Codes{"byte 70 wav-encoding", "byte 144 fatal kaldi-key"}));
  write_file(*files, "wav.ark", start.substr(0, start.size() - 1));
  EXPECT_EQ(told(*files, "wav.ark", audio_options(), &codes), "a: 1\nb hole\nc hole\n");
  EXPECT_EQ(codes, (Codes{"byte 70 wav-encoding", "byte 143 kaldi-cut"}));
}

TEST(KaldiAudio, SegmentsAreTheSequences) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "x.ark",
             archive({{"r", recording(counting(0, 10), 1, 10)},
                      {"s", recording(counting(20, 4), 1, 10)}}));
  write_file(*files, "wav.scp", "r x.ark:2\ns x.ark:68\nt none.wav\nu rm x |\n");
  write_file(
      *files, "segments",
      "s1 r 0.2 0.5\nall s 0 -1\n\nlate r 0.8 1.5\nfar r 0.8 1.7\nbehind r 1 2\nshort r 0.21 "
      "0.22\nno x 0 1\ngone t 0 1\nrun u 0 1\nodd r 1 0\nagain r 0.1 0.3\n");
  for (const char* const path : {"wav.scp", "x.ark"}) {
    Codes codes;
    const bool is_list = std::string(path) == "wav.scp";
    EXPECT_EQ(told(*files, path, audio_options("segments"), &codes),
              "s1: 2|3|4\nall: 20|21|22|23\nlate: 8|9\nfar hole\nbehind hole\nshort hole\nno hole\n"
              "gone hole\nrun hole\nodd hole\nagain: 1|2\n");
    EXPECT_EQ(codes, (Codes{"5:11 kaldi-segment-end", "6:10 kaldi-segment-start",
                            "7:14 kaldi-segment-short", "8:4 kaldi-segment-recording",
                            is_list ? "9:6 kaldi-missing-file" : "9:6 kaldi-segment-recording",
                            is_list ? "10:5 kaldi-command" : "10:5 kaldi-segment-recording",
                            "11:9 kaldi-segment-time"}));
  }
}

TEST(KaldiAudio, SegmentsSelectChannels) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "wav.scp", "r r.wav\n");
  write_file(*files, "r.wav", recording({1, -1, 2, -2, 3, -3}, 2, 10));
  write_file(*files, "segments", "a r 0 0.2 0\nb r 0.1 -1 1\nc r 0 1\nd r 0 0.2 2\n");
  Codes codes;
  EXPECT_EQ(told(*files, "wav.scp", audio_options("segments"), &codes),
            "a: 1|2\nb: -2|-3\nc hole\nd hole\n");
  EXPECT_EQ(codes, (Codes{"byte 22 kaldi-other-channels", "4:11 kaldi-segment-channel"}));
  write_file(*files, "segments", "c r 0.1 0.3\n");
  EXPECT_EQ(told(*files, "wav.scp", audio_options("segments")), "c: 2 -2|3 -3\n");
}

TEST(KaldiAudio, ARepeatedRecordingIsAnError) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "r.wav", recording({1, 2}, 1, 10));
  write_file(*files, "wav.scp", "r r.wav\nq r.wav\nr r.wav\n");
  write_file(*files, "segments", "a r 0 0.2\nb q 0 0.2\n");
  Codes codes;
  EXPECT_EQ(told(*files, "wav.scp", audio_options("segments"), &codes), "a hole\nb: 1|2\n");
  EXPECT_EQ(codes, Codes{"1:3 kaldi-segment-recording"});
}

TEST(KaldiAudio, KeysOfSegmentsMayBeNumbers) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "r.wav", recording({1, 2}, 1, 10));
  write_file(*files, "wav.scp", "r r.wav\n");
  write_file(*files, "segments", "7 r 0 0.2\n");
  FormatOptions options = audio_options("segments");
  options.keys = KeyType::numeric;
  EXPECT_EQ(told(*files, "wav.scp", options), "7: 1|2\n");
}

TEST(KaldiAudio, TheFingerprintDependsOnFilesAndOptions) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "r.wav", recording({1, 2}, 1, 10));
  write_file(*files, "wav.scp", "r r.wav\n");
  write_file(*files, "one", "a r 0 0.2\n");
  write_file(*files, "two", "a r 0 0.1\n");
  const auto print = [&](const FormatOptions& options) {
    return open_kaldi(
               {.source = files->open("wav.scp"), .options = options, .context = {files.get()}})
        ->fingerprint();
  };
  EXPECT_EQ(print(audio_options("one")), print(audio_options("one")));
  EXPECT_NE(print(audio_options("one")), print(audio_options("two")));
  EXPECT_NE(print(audio_options("one")), print(audio_options()));
  EXPECT_NE(print({}), print(audio_options()));
}

TEST(KaldiAudio, NamedFilesAreVisited) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "d/r.wav", recording({1, 2}, 1, 10));
  write_file(*files, "d/wav.scp", "r r.wav\ns r.wav\nt cat r.wav |\nu\n");
  write_file(*files, "d/segments", "a r 0 0.2\n");
  const auto data = open_kaldi({.source = files->open("d/wav.scp"),
                                .options = audio_options("d/segments"),
                                .context = {files.get()}});
  std::vector<std::string> paths;
  data->visit_named_files([&](const std::string& path) { paths.push_back(path); });
  EXPECT_EQ(paths, (std::vector<std::string>{"d/segments", "d/r.wav"}));
}

TEST(KaldiAudio, OptionsOfRecordingsNeedRecordings) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "x.ark", "a " + matrix({1, 2}, 2));
  const std::string error =
      error_of<DataError>([&] { static_cast<void>(told(*files, "x.ark", audio_options())); });
  EXPECT_NE(error.find("expected a recording, found a matrix"), std::string::npos) << error;
  FormatOptions frames = audio_options();
  frames.extra["kaldi.as"] = "frames";
  EXPECT_NE(error_of<ConfigError>([&] {
              static_cast<void>(told(*files, "x.ark", frames));
            }).find("kaldi.as=frames"),
            std::string::npos);
  FormatOptions several = audio_options("segments");
  write_file(*files, "segments", "a r 0 1\n");
  write_file(*files, "y.ark", two());
  EXPECT_NE(error_of<ConfigError>([&] {
              static_cast<void>(open_kaldi({.source = files->open("y.ark"),
                                            .options = several,
                                            .context = {files.get()},
                                            .first_path = "x.ark"}));
            }).find("not with several"),
            std::string::npos);
}

}  // namespace
}  // namespace sheaf::kaldi
