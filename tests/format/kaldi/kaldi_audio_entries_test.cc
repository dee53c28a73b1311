#include "format/kaldi/kaldi_audio_entries.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/file_system.h"

#include "format/kaldi/kaldi_audio_test_files.h"
#include "support/error_of.h"

namespace sheaf::kaldi {
namespace {

using sheaf::testing::write_file;
using testing::audio_options;
using testing::recording;

std::unique_ptr<AudioEntries> entries_of(FileSystem& files, const std::string& path,
                                         const FormatOptions& options) {
  return audio_entries(files.open(path), path.ends_with(".ark"),
                       audio_options_of(options, read_options_of(options, path, false)),
                       {.files = &files});
}

/// Returns "key path+byte" of each utterance, or its error.
std::string entries_told(const AudioEntries& entries) {
  std::vector<EntryLocation> locations;
  std::int64_t end = 0;
  EXPECT_TRUE(entries.scan([&](const internal::ListEntry& entry, std::string_view /*path*/) {
    locations.push_back({.offset_bytes = entry.offset,
                         .line = std::int64_t{entry.line} + 1,
                         .object_bytes = entry.location});
    end = entry.offset + entry.size;
    return true;
  }));
  std::string text;
  for (const Utterance& each : entries.utterances(locations, end)) {
    text += each.key + " ";
    if (each.fault != nullptr) {
      text += std::string(each.fault->code) + " " + each.found + "\n";
      continue;
    }
    text += each.source_name + "+" + std::to_string(each.location.begin_bytes);
    if (each.location.is_whole_file) text += " whole";
    if (each.entry_bytes >= 0) text += " entry " + std::to_string(each.entry_bytes);
    if (each.segment) text += " from " + std::to_string(each.segment->start);
    text += "\n";
  }
  return text;
}

TEST(KaldiAudioEntries, LocateEachUtterance) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "x.ark", "r " + recording({1}) + " s " + recording({2}));
  EXPECT_EQ(entries_told(*entries_of(*files, "x.ark", audio_options())),
            " +2 entry 0\n +51 entry 49\n");
  write_file(*files, "x.scp", "r x.ark:2\n\ns a.wav\nt\nu x |\n");
  EXPECT_EQ(entries_told(*entries_of(*files, "x.scp", audio_options())),
            "r x.ark+2\ns a.wav+0 whole\nt kaldi-path \"\"\nu kaldi-command \"x |\"\n");
  write_file(*files, "g", "1 s 0.5 1\n2 r 0 1\n3 t 0 1\n4 v 0 1\n5 r\n");
  EXPECT_EQ(entries_told(*entries_of(*files, "x.scp", audio_options("g"))),
            "1 a.wav+0 whole from 0.500000\n2 x.ark+2 from 0.000000\n"
            "3 kaldi-path \"t\", whose line 4 of x.scp has \"\"\n"
            "4 kaldi-segment-recording \"v\", which is not in x.scp\n5 kaldi-segment \"5 r\"\n");
  EXPECT_EQ(entries_told(*entries_of(*files, "x.ark", audio_options("g"))).substr(0, 30),
            "1 +51 from 0.500000\n2 +2 from ");
}

TEST(KaldiAudioEntries, HaveAnIdentityOfFilesAndOptions) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "x.scp", "r x.ark:2\n");
  write_file(*files, "y.scp", "r y.ark:2\n");
  write_file(*files, "g", "1 r 0.5 1\n");
  const auto identity = [&](const char* path, const FormatOptions& options) {
    return entries_of(*files, path, options)->identity();
  };
  EXPECT_EQ(identity("x.scp", audio_options()), "list");
  EXPECT_EQ(identity("x.scp", audio_options("g")), identity("x.scp", audio_options("g")));
  EXPECT_NE(identity("x.scp", audio_options("g")), identity("y.scp", audio_options("g")));
  const auto entries = entries_of(*files, "x.scp", audio_options("g"));
  EXPECT_EQ(entries->path_of("1 r 0.5 1"), "r");
  EXPECT_EQ(entries_of(*files, "x.scp", audio_options())->path_of("r x.ark:2"), "x.ark");
}

TEST(KaldiAudioEntries, ASegmentsFileMustExist) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "x.scp", "r x.ark:2\n");
  const std::string error = sheaf::testing::error_of<IoError>(
      [&] { static_cast<void>(entries_of(*files, "x.scp", audio_options("none"))); });
  EXPECT_NE(error.find("none"), std::string::npos) << error;
}

}  // namespace
}  // namespace sheaf::kaldi
