#include "format/kaldi/kaldi_audio_index.h"

#include <algorithm>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/executor.h"
#include "sheaf/extend/file_system.h"

#include "format/kaldi/kaldi_audio_test_files.h"
#include "support/error_of.h"

namespace sheaf::kaldi {
namespace {

using sheaf::testing::error_of;
using sheaf::testing::write_file;
using testing::audio_options;
using testing::counting;
using testing::recording;

/// A data set of recordings with its index.
struct OpenedAudio {
  OpenedAudio(FileSystem& files, const std::string& path, const FormatOptions& given,
              Executor* executor = nullptr)
      : options(audio_options_of(given, read_options_of(given, path, false))),
        entries(audio_entries(files.open(path), path.ends_with(".ark"), options,
                              {.files = &files, .executor = executor})),
        index(*entries, options, given.index, {.files = &files, .executor = executor}) {}

  AudioOptions options;
  std::unique_ptr<AudioEntries> entries;
  AudioIndex index;
};

/// Returns "samples(bytes)" of each sequence, with a bar before each chunk.
std::string audio_index_told(const AudioIndex& index) {
  std::string text;
  for (ChunkIndex number{}; const auto info = index.chunk(number); number = next(number)) {
    text += "|";
    const auto table = index.sequences(number);
    for (std::int64_t i = 0; i < table->size(); ++i) {
      const std::int64_t end =
          i + 1 < table->size() ? table->offset_bytes(i + 1) : info->size_bytes;
      text += std::to_string(table->sample_count(i)) + "(" +
              std::to_string(end - table->offset_bytes(i)) + ") ";
    }
  }
  return text;
}

TEST(KaldiAudioIndex, CountsSamplesAndBytes) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "x.ark",
             "r " + recording(counting(0, 30), 1, 10) + "s " + recording({1, 2}, 1, 10));
  write_file(*files, "x.scp", "r x.ark:2\nt none\ns x.ark:108\n");
  write_file(*files, "g", "a r 0 1\nb s 0 -1\nc r 1 3\nd r 7 8\n");
  EXPECT_EQ(audio_index_told(OpenedAudio(*files, "x.ark", audio_options()).index),
            "|30(104) 2(48) ");
  EXPECT_EQ(audio_index_told(OpenedAudio(*files, "x.scp", audio_options()).index),
            "|30(104) 0(0) 2(48) ");
  EXPECT_EQ(audio_index_told(OpenedAudio(*files, "x.scp", audio_options("g")).index),
            "|10(20) 2(4) 20(40) 0(0) ");
  FormatOptions small = audio_options("g");
  small.chunk_size_bytes = 24;
  EXPECT_EQ(audio_index_told(OpenedAudio(*files, "x.ark", small).index),
            "|10(20) 2(4) |20(40) |0(0) ");
}

// The heads of 64 utterances are read in a round.
TEST(KaldiAudioIndex, HeadersAreReadByAnyNumberOfThreads) {
  for (const int count : {1, 63, 64, 65, 300}) {
    const std::unique_ptr<FileSystem> files = memory_files();
    std::string archive;
    for (int i = 0; i < count; ++i) {
      archive += "k" + std::to_string(i) + " " + recording(counting(0, i % 7 + 1));
    }
    write_file(*files, "x.ark", archive);
    const std::string expected =
        audio_index_told(OpenedAudio(*files, "x.ark", audio_options()).index);
    const std::unique_ptr<Executor> executor = thread_pool(4);
    EXPECT_EQ(audio_index_told(OpenedAudio(*files, "x.ark", audio_options(), executor.get()).index),
              expected);
    EXPECT_EQ(std::count(expected.begin(), expected.end(), '('), count);
  }
}

TEST(KaldiAudioIndex, AnEarlyRecordingSetsChannelsAndRate) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "r.wav", recording({1, 2}, 2, 8000));
  write_file(*files, "x.scp", "a none\nb rm x |\nc r.wav\n");
  const OpenedAudio found(*files, "x.scp", audio_options());
  EXPECT_EQ(found.index.rate(), 8000);
  EXPECT_EQ(found.index.stream().sample_shape, Shape{2});
  std::string list;
  for (int i = 0; i < 64; ++i) list += "k" + std::to_string(i) + " none\n";
  write_file(*files, "x.scp", list + "a r.wav\n");
  const std::string error =
      error_of<DataError>([&] { OpenedAudio(*files, "x.scp", audio_options()); });
  EXPECT_NE(error.find("x.scp:1:4: "), std::string::npos) << error;
  EXPECT_NE(error.find("kaldi.rate"), std::string::npos) << error;
  FormatOptions declared = audio_options();
  declared.extra["kaldi.rate"] = "8000";
  declared.streams = {{.name = "x", .sample_shape = Shape{2}}};
  EXPECT_EQ(OpenedAudio(*files, "x.scp", declared).index.rate(), 8000);
}

TEST(KaldiAudioIndex, AnIndexFileBelongsToBothFiles) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "r.wav", recording(counting(0, 30), 1, 10));
  write_file(*files, "q.wav", recording(counting(0, 20), 1, 10));
  write_file(*files, "x.scp", "r r.wav\n");
  write_file(*files, "g", "a r 0 -1\n");
  FormatOptions options = audio_options("g");
  options.index.mode = IndexMode::rebuild;
  EXPECT_EQ(audio_index_told(OpenedAudio(*files, "x.scp", options).index), "|30(60) ");
  options.index.mode = IndexMode::automatic;
  write_file(*files, "r.wav", recording(counting(0, 20), 1, 10));
  EXPECT_EQ(audio_index_told(OpenedAudio(*files, "x.scp", options).index), "|30(60) ")
      << "of the index file";
  write_file(*files, "x.scp", "r q.wav\n");
  EXPECT_EQ(audio_index_told(OpenedAudio(*files, "x.scp", options).index), "|20(40) ");
}

}  // namespace
}  // namespace sheaf::kaldi
