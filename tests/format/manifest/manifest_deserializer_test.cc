#include "format/manifest/manifest_deserializer.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/file_system.h"

#include "format/kaldi/kaldi_compressed.h"
#include "format/manifest/manifest_test_files.h"
#include "support/error_of.h"
#include "support/write_file.h"

namespace sheaf::manifest {
namespace {

using sheaf::testing::error_of;
using sheaf::testing::write_file;
using testing::bytes_of;
using testing::counting_wav;
using testing::npy;
using testing::open_manifest;
using testing::plain_options;
using testing::told;

std::string line(const std::string& path, const std::string& more) {
  return R"({"audio_filepath": ")" + path + "\", " + more + "}\n";
}

TEST(ManifestDeserializer, DeliversAudioAndTexts) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "a.wav", counting_wav(20));
  write_file(*files, "b.wav", counting_wav(2));
  const std::string lines = line("a.wav", R"("offset": 0.5, "duration": 0.3, "text": "x y")") +
                            line("b.wav", R"("duration": 0.2, "text": "")") +
                            line("a.wav", R"("offset": 1.8, "duration": 0.2, "text": "\u00e9")");
  constexpr std::string_view kAll =
      "a.wav@0.5: |5|6|7 x y\nb.wav: |0|1 \na.wav@1.8: |18|19 \u00e9\n";
  for (const std::int64_t chunk_size : {1, 100, 1 << 20}) {
    FormatOptions options = plain_options();
    options.chunk_size_bytes = chunk_size;
    options.read_size_bytes = chunk_size;
    EXPECT_EQ(told(*open_manifest(*files, lines, options)), kAll);
  }
}

TEST(ManifestDeserializer, ChannelsAreInterleaved) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "a.wav", counting_wav(6, 2));
  EXPECT_EQ(told(*open_manifest(*files, line("a.wav", R"("duration": 0.2)"))), "a.wav: |0 1|2 3\n");
}

TEST(ManifestDeserializer, LinesWithErrorsAreHoles) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "a.wav", counting_wav(20));
  write_file(*files, "stereo.wav", counting_wav(20, 2));
  write_file(*files, "fast.wav", counting_wav(20, 1, 11));
  write_file(*files, "bad.wav", "RIFF????WAVE");
  const std::string lines = line("a.wav", R"("duration": 0.1)") + "{\"x\n" + "[]\n" +
                            line("none.wav", R"("duration": 1)") +
                            line("stereo.wav", R"("duration": 1)") +
                            line("fast.wav", R"("duration": 1)") + line("bad.wav", R"("x": 1)") +
                            line("a.wav", R"("offset": 3)") + line("a.wav", R"("duration": "1")") +
                            line("a.wav", R"("offset": 1.9, "duration": 0.1)");
  std::vector<std::string> codes;
  const std::string all = told(*open_manifest(*files, lines), &codes);
  EXPECT_EQ(all.substr(0, 10), "a.wav: |0\n");
  EXPECT_EQ(all.substr(all.size() - 15), "a.wav@1.9: |19\n");
  EXPECT_EQ(codes, (std::vector<std::string>{
                       "2:4 manifest-json", "3:1 manifest-json", "4:20 manifest-missing-file",
                       "5:20 manifest-other-dim", "6:20 manifest-other-rate", "byte 12 wav-format",
                       "8:39 manifest-range", "9:41 manifest-number"}));
}

TEST(ManifestDeserializer, MissingTextsMayBeAllowed) {
  const std::unique_ptr<FileSystem> files = memory_files();
  FormatOptions options;
  options.streams = {{.name = "text"}, {.name = "lang"}};
  const std::string lines = line("a", R"("text": "x", "lang": "de")") +
                            line("b", R"("text": "y")") + line("c", R"("lang": 7)") +
                            line("d", R"("x": 1)");
  std::vector<std::string> codes;
  EXPECT_EQ(told(*open_manifest(*files, lines, options), &codes),
            "a: x de\nb hole\nc hole\nd hole\n");
  EXPECT_EQ(codes, (std::vector<std::string>{"2:1 manifest-field", "3:1 manifest-field",
                                             "4:1 manifest-field"}));
  options.missing_streams = MissingStreams::allow;
  EXPECT_EQ(told(*open_manifest(*files, lines, options), &codes),
            "a: x de\nb: y -\nc: - 7\nd: - -\n");
  EXPECT_TRUE(codes.empty());
}

TEST(ManifestDeserializer, DeliversCutsOfAudio) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "a.wav", counting_wav(40, 2));
  const auto cut = [](const std::string& id, const std::string& channel, const std::string& start) {
    return R"({"id": ")" + id + R"(", "start": )" + start + R"(, "duration": 0.2, "channel": )" +
           channel +
           R"(, "supervisions": [{"text": "a"}, {"text": "b"}], "recording": {"sources": [{)"
           R"("type": "file", "channels": [0, 1], "source": "a.wav"}]}, "type": "MonoCut"})"
           "\n";
  };
  std::vector<std::string> codes;
  EXPECT_EQ(told(*open_manifest(*files, cut("x", "0", "0") + cut("y", "1", "1.5") +
                                            line("a.wav", R"("text": "t")") + cut("z", "2", "0")),
                 &codes),
            "x: |0|2 a b\ny: |31|33 a b\n hole\nz hole\n");
  EXPECT_EQ(codes, (std::vector<std::string>{"3:1 manifest-other-line", "4:117 manifest-channel"}));
}

TEST(ManifestDeserializer, DeliversCutsOfFeatures) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "d/k.npy", npy("<f4", "(3, 2)", bytes_of({1, 2, 3, 4, 5, 6})));
  write_file(*files, "d/h.npy", npy("<f2", "(1, 2)", std::string("\x00\x3e\x00\xc0", 4)));
  write_file(*files, "d/w.npy", npy("<f4", "(1, 1)", bytes_of({1})));
  const auto cut = [](const std::string& id, const std::string& times, const std::string& key) {
    return R"({"id": ")" + id + "\", " + times +
           R"(, "features": {"storage_type": "numpy_files", "storage_path": "d", )"
           R"("storage_key": ")" +
           key + R"(", "frame_shift": 0.1, "sampling_rate": 1000, "start": 1}})" + "\n";
  };
  std::vector<std::string> codes;
  EXPECT_EQ(told(*open_manifest(*files, cut("x", R"("start": 1, "duration": 0.3)", "k.npy") +
                                            cut("y", R"("start": 1.1, "duration": 0.1)", "k.npy") +
                                            cut("h", R"("start": 1, "duration": 0.1)", "h.npy") +
                                            cut("w", R"("start": 1, "duration": 0.1)", "w.npy")),
                 &codes),
            "x: |1 2|3 4|5 6\ny: |3 4\nh: |1.5 -2\nw hole\n");
  EXPECT_EQ(codes.size(), 1U);
}

TEST(ManifestDeserializer, DeliversCutsOfKaldiMatrices) {
  const std::unique_ptr<FileSystem> files = memory_files();
  const std::vector<float> values{0, 1, 2, 3, 4, 5, 6, 7};
  std::string compressed;
  ASSERT_TRUE(internal::encode_compressed(
      values, 4, 2, internal::KaldiMethod::one_byte_unsigned_integer, compressed));
  const std::string plain = testing::matrix_of_kaldi(values, 2);
  write_file(*files, "x.ark", "p " + plain + "c " + compressed + "v 1 2\n");
  const auto cut = [](const std::string& id, const std::string& times, std::int64_t begin) {
    return R"({"id": ")" + id + "\", " + times + R"(, "features": {"storage_type": "kaldiio", )" +
           R"("storage_key": "k", "storage_path": "x.ark:)" + std::to_string(begin) +
           R"(", "frame_shift": 0.1, "sampling_rate": 1000}})" + "\n";
  };
  const std::int64_t c_begin = std::ssize(plain) + 4;
  const std::string whole = R"("start": 0, "duration": 0.4)";
  const std::string part = R"("start": 0.1, "duration": 0.2)";
  std::vector<std::string> codes;
  EXPECT_EQ(told(*open_manifest(*files, cut("a", whole, 2) + cut("b", part, 2) +
                                            cut("c", whole, c_begin) + cut("d", part, c_begin) +
                                            cut("e", whole, c_begin + std::ssize(compressed) + 2) +
                                            cut("f", whole, 1 << 20)),
                 &codes),
            "a: |0 1|2 3|4 5|6 7\nb: |2 3|4 5\nc: |0 1|2 3|4 5|6 7\nd: |2 3|4 5\n"
            "e hole\nf hole\n");
  EXPECT_EQ(codes,
            (std::vector<std::string>{
                "byte " + std::to_string(c_begin + std::ssize(compressed) + 2) + " manifest-object",
                "byte 1048576 manifest-offset"}));
}

TEST(ManifestDeserializer, ChangedFilesAreDetected) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "a.wav", counting_wav(20));
  const std::string lines = line("a.wav", R"("x": 1)");
  FormatOptions options = plain_options();
  options.index.mode = IndexMode::rebuild;
  static_cast<void>(open_manifest(*files, lines, options));
  write_file(*files, "a.wav", counting_wav(19));
  options.index.mode = IndexMode::automatic;
  std::vector<std::string> codes;
  EXPECT_EQ(told(*open_manifest(*files, lines, options), &codes), "a.wav hole\n");
  EXPECT_EQ(codes, std::vector<std::string>{"1:20 manifest-changed"});
}

TEST(ManifestDeserializer, RepeatedKeysAreLeftOut) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "a.wav", counting_wav(2));
  write_file(*files, "b.wav", counting_wav(1));
  const std::string lines =
      line("a.wav", R"("id": 1)") + line("b.wav", R"("id": 2)") + line("a.wav", R"("id": 3)");
  const auto data = open_manifest(*files, lines);
  EXPECT_EQ(told(*data), "b.wav: |0\n");
  ASSERT_EQ(data->warnings().size(), 1U);
  EXPECT_EQ(data->warnings()[0].code, "manifest-repeated-key");
  FormatOptions options = plain_options();
  options.extra["manifest.keys"] = "id";
  EXPECT_EQ(told(*open_manifest(*files, lines, options)), "1: |0|1\n2: |0\n3: |0|1\n");
  options.keys = KeyType::numeric;
  EXPECT_EQ(told(*open_manifest(*files, lines, options)), "1: |0|1\n2: |0\n3: |0|1\n");
  options.extra.erase("manifest.keys");
  EXPECT_NE(error_of<DataError>([&] {
              static_cast<void>(open_manifest(*files, lines, options));
            }).find("[manifest-numeric-key]"),
            std::string::npos);
}

TEST(ManifestDeserializer, OtherFilesAreRefused) {
  const std::unique_ptr<FileSystem> files = memory_files();
  const auto refusal = [&](const std::string& lines) {
    return error_of<DataError>([&] { static_cast<void>(open_manifest(*files, lines)); });
  };
  EXPECT_NE(refusal("{}\n").find("[manifest-line]"), std::string::npos);
  EXPECT_NE(refusal("x\n").find("m.jsonl:1:1"), std::string::npos);
  EXPECT_NE(refusal("\n").find("[manifest-empty]"), std::string::npos);
}

TEST(ManifestDeserializer, ListsItsFiles) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "a.wav", counting_wav(2));
  std::vector<std::string> names;
  open_manifest(*files, line("a.wav", R"("x": 1)") + line("a.wav", R"("offset": 0.1)"))
      ->visit_named_files([&](const std::string& name) { names.push_back(name); });
  EXPECT_EQ(names, std::vector<std::string>{"a.wav"});
}

}  // namespace
}  // namespace sheaf::manifest
