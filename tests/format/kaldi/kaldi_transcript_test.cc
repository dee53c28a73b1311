#include "format/kaldi/kaldi_transcript.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/file_system.h"

#include "format/kaldi/kaldi_test_files.h"
#include "support/error_of.h"
#include "support/write_file.h"

namespace sheaf::kaldi {
namespace {

using sheaf::testing::error_of;
using sheaf::testing::write_file;
using testing::options_with;
using testing::told;
using std::string_literals::operator""s;

std::unique_ptr<FileSystem> files_with(std::string text) {
  std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "d/text", std::move(text));
  write_file(*files, "words.txt", "<eps> 0\n<unk> 7\na 1\nb 2\n3 30\n");
  return files;
}

FormatOptions with_symbols(std::string unknown = "") {
  FormatOptions options = options_with("text");
  options.extra["kaldi.symbols"] = "words.txt";
  if (!unknown.empty()) options.extra["kaldi.unknown"] = std::move(unknown);
  return options;
}

std::unique_ptr<Deserializer> opened(FileSystem& files, const FormatOptions& options) {
  return open_kaldi({.source = files.open("d/text"), .options = options, .context = {&files}});
}

// Returns a line for each sequence, with its texts in brackets.
std::string texts(const Deserializer& data, std::vector<std::string>* codes = nullptr) {
  const conformance::ReferenceResult all = conformance::read_all(data);
  std::string told;
  for (const conformance::ReferenceSequence& sequence : all.sequences) {
    told += sequence.key_text + (sequence.is_hole ? " hole" : ":");
    for (const conformance::ReferenceSample& sample : sequence.streams[0].samples) {
      told += " [";
      for (const std::uint64_t byte : sample.values) told += static_cast<char>(byte);
      told += "]";
    }
    told += '\n';
  }
  if (codes != nullptr) {
    for (const conformance::ReferenceDiagnostic& each : all.diagnostics) {
      codes->push_back(std::to_string(each.line) + ":" + std::to_string(each.column) + " " +
                       each.code);
    }
  }
  return told;
}

TEST(KaldiTranscript, LinesAreDeliveredAsTexts) {
  const auto files = files_with("u1 a  b\r\nu2\n\n u3\tcaf\xC3\xA9\nu4 [ 1 2 ]");
  for (const std::int64_t chunk_size : {1, 9, 1 << 20}) {
    for (const std::int64_t read_size : {1, 7, 1 << 20}) {
      FormatOptions options = options_with("text");
      options.chunk_size_bytes = chunk_size;
      options.read_size_bytes = read_size;
      const auto data = opened(*files, options);
      EXPECT_EQ(data->streams()[0].name, "text");
      EXPECT_EQ(data->streams()[0].element_type, ElementType::bytes);
      EXPECT_EQ(texts(*data), "u1: [a  b]\nu2: []\nu3: [caf\xC3\xA9]\nu4: [[ 1 2 ]]\n");
    }
  }
}

TEST(KaldiTranscript, WordsBecomeIds) {
  const auto files = files_with("u1 a  b a\nu2\n\nu3 3\r\n");
  for (const std::int64_t chunk_size : {1, 12, 1 << 20}) {
    FormatOptions options = with_symbols();
    options.chunk_size_bytes = chunk_size;
    EXPECT_EQ(told(*opened(*files, options)), "u1: 1|2|1\nu2:\nu3: 30\n");
  }
  const auto data = opened(*files, with_symbols());
  EXPECT_EQ(data->streams()[0].element_type, ElementType::i32);
  EXPECT_EQ(data->streams()[0].sample_shape, Shape{1});
}

TEST(KaldiTranscript, UnknownWordsAreErrorsOrHaveAnId) {
  const auto files = files_with("u1 a\nu2 x b y\nu3 b\n");
  std::vector<std::string> codes;
  EXPECT_EQ(told(*opened(*files, with_symbols()), &codes), "u1: 1\nu2 hole\nu3: 2\n");
  EXPECT_EQ(codes, (std::vector<std::string>{"2:4 kaldi-word", "2:8 kaldi-word"}));
  EXPECT_EQ(told(*opened(*files, with_symbols("<unk>"))), "u1: 1\nu2: 7|2|7\nu3: 2\n");
  // As in Kaldi, digits are an id, even if the table has such a word.
  EXPECT_EQ(told(*opened(*files, with_symbols("3"))), "u1: 1\nu2: 3|2|3\nu3: 2\n");
  for (const std::string_view unknown : {"x", "-1", "2147483648"}) {
    const std::string error = error_of<ConfigError>(
        [&] { static_cast<void>(opened(*files, with_symbols(std::string(unknown)))); });
    EXPECT_NE(error.find("kaldi.unknown: expected"), std::string::npos) << error;
  }
}

TEST(KaldiTranscript, LinesWithErrorsAreHoles) {
  const std::string longest(65'536, 'k');
  const auto files = files_with("u1 a\0b\nu2 a\n"s + longest + " b\n" + longest + "k a\n");
  for (const FormatOptions& options : {options_with("text"), with_symbols()}) {
    std::vector<std::string> codes;
    const std::string found = told(*opened(*files, options), &codes);
    EXPECT_TRUE(found.starts_with("u1 hole\nu2:")) << found.substr(0, 40);
    EXPECT_TRUE(found.ends_with("k hole\n"));
    EXPECT_NE(found.find("\n" + longest + ":"), std::string::npos);
    EXPECT_EQ(codes, (std::vector<std::string>{"1:5 kaldi-text", "4:1 kaldi-key"}));
  }
}

TEST(KaldiTranscript, KeysMustBeUnique) {
  const auto files = files_with("a 1\nb 2\na 3\n");
  const auto data = opened(*files, options_with("text"));
  EXPECT_EQ(texts(*data), "b: [2]\n");
  EXPECT_EQ(data->warnings().size(), 1U);
  FormatOptions numbers = options_with("text");
  numbers.keys = KeyType::numeric;
  EXPECT_NE(error_of<DataError>([&] {
              static_cast<void>(opened(*files, numbers));
            }).find("[kaldi-numeric-key]"),
            std::string::npos);
  const auto others = files_with("7 a\n8 b\n");
  FormatOptions ids = with_symbols();
  ids.keys = KeyType::numeric;
  EXPECT_EQ(told(*opened(*others, ids)), "7: 1\n8: 2\n");
}

TEST(KaldiTranscript, AFileMustHaveALine) {
  for (const char* const text : {"", "\n \n"}) {
    const auto files = files_with(text);
    EXPECT_NE(error_of<DataError>([&] {
                static_cast<void>(opened(*files, options_with("text")));
              }).find("[kaldi-empty]"),
              std::string::npos);
  }
}

TEST(KaldiTranscript, TheFingerprintDependsOnTheSymbolTable) {
  const auto files = files_with("u a\n");
  const std::string before = opened(*files, with_symbols())->fingerprint();
  EXPECT_EQ(opened(*files, with_symbols())->fingerprint(), before);
  EXPECT_NE(opened(*files, with_symbols("<unk>"))->fingerprint(), before);
  EXPECT_NE(opened(*files, options_with("text"))->fingerprint(), before);
  write_file(*files, "words.txt", "a 2\n");
  const auto data = opened(*files, with_symbols());
  EXPECT_NE(data->fingerprint(), before);
  std::vector<std::string> paths;
  data->visit_named_files([&](const std::string& path) { paths.push_back(path); });
  EXPECT_EQ(paths, (std::vector<std::string>{"d/text", "words.txt"}));
}

TEST(KaldiTranscript, AnIndexFileKeepsTheCounts) {
  const auto files = files_with("u1 a b\nu2\nu3 b\n");
  FormatOptions options = with_symbols();
  options.index.mode = IndexMode::rebuild;
  EXPECT_EQ(told(*opened(*files, options)), "u1: 1|2\nu2:\nu3: 2\n");
  options.index.mode = IndexMode::require;
  EXPECT_EQ(told(*opened(*files, options)), "u1: 1|2\nu2:\nu3: 2\n");
  // The index of words differs from the index of texts, and does not depend on the table.
  EXPECT_FALSE(error_of<Error>([&] {
                 FormatOptions texts = options_with("text");
                 texts.index.mode = IndexMode::require;
                 static_cast<void>(opened(*files, texts));
               }).empty());
  write_file(*files, "words.txt", "a 4\nb 5\n");
  EXPECT_EQ(told(*opened(*files, options)), "u1: 4|5\nu2:\nu3: 5\n");
}

TEST(KaldiTranscript, InvalidOptionsAreRefused) {
  const auto files = files_with("u a\n");
  const auto refused = [&](const FormatOptions& options, std::string_view text) {
    const std::string error =
        error_of<ConfigError>([&] { static_cast<void>(opened(*files, options)); });
    EXPECT_NE(error.find(text), std::string::npos) << error;
  };
  FormatOptions values = options_with("values");
  values.extra["kaldi.symbols"] = "words.txt";
  refused(values, "kaldi.symbols");
  FormatOptions unknown = options_with("text");
  unknown.extra["kaldi.unknown"] = "x";
  refused(unknown, "kaldi.unknown");
  FormatOptions lengths = options_with("text");
  lengths.extra["kaldi.lengths"] = "utt2num_frames";
  refused(lengths, "kaldi.lengths");
  FormatOptions segments = options_with("text");
  segments.extra["kaldi.segments"] = "segments";
  refused(segments, "options of recordings");
  FormatOptions sparse = options_with("text");
  sparse.streams = {{.name = "x", .storage = Storage::sparse, .sample_shape = Shape{5}}};
  refused(sparse, "gives dense samples");
  FormatOptions floats = with_symbols();
  floats.dtype = ElementType::f32;
  refused(floats, "gives i32, not f32");
  FormatOptions wide = with_symbols();
  wide.streams = {{.name = "x", .sample_shape = Shape{2}}};
  refused(wide, "gives samples of shape");
  FormatOptions fixed = options_with("text");
  fixed.streams = {{.name = "x", .sample_shape = Shape{2}}};
  refused(fixed, "gives samples of shape");
  FormatOptions named = with_symbols();
  named.streams = {{.name = "x", .sample_shape = Shape{1}, .defines_minibatch_size = true}};
  const auto data = opened(*files, named);
  EXPECT_EQ(data->streams()[0].name, "x");
  EXPECT_TRUE(data->streams()[0].defines_minibatch_size);
}

}  // namespace
}  // namespace sheaf::kaldi
