#include "format/ctf/ctf_scanner.h"

#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::ctf {
namespace {

FormatOptions options_of(Compatibility compatibility, bool defines) {
  FormatOptions options;
  options.streams = {{.name = "A", .sample_shape = Shape{1}, .defines_minibatch_size = defines},
                     {.name = "B", .storage = Storage::sparse, .sample_shape = Shape{9}}};
  options.compatibility = compatibility;
  return options;
}

/// The sizes of the chunks in bytes, and the texts of the warnings.
struct Scan {
  std::vector<std::int64_t> chunk_sizes;
  std::vector<std::string> warnings;
};

Scan scan(const std::string& text, const FormatOptions& options, std::int64_t chunk_size) {
  const auto source = memory_source(text, "t");
  const Schema schema = make_schema(options);
  const Beginning beginning = find_beginning(*source, options);
  const auto scanner = make_scanner(
      *source, schema, beginning.mode,
      {.begin = beginning.offset, .end = source->size(), .chunk_size_bytes = chunk_size});
  Scan result;
  while (const std::optional<ScannedChunk> chunk = scanner->next()) {
    result.chunk_sizes.push_back(chunk->info.size_bytes);
  }
  for (const Diagnostic& warning : scanner->warnings()) {
    result.warnings.push_back(std::to_string(warning.line) + " " + warning.code);
  }
  return result;
}

/// The chunks that a builder makes of sequences, in the form of the golden file.
class GoldenChunks {
 public:
  explicit GoldenChunks(std::int64_t limit) : builder_(schema_, limit) {}

  void add(std::int64_t offset, std::int64_t size) {
    const ChunkBuilder::Sequence sequence = {.key = {},
                                             .offset = offset,
                                             .end = offset + size,
                                             .line = 1,
                                             .sample_count = 1,
                                             .key_text_size = 0};
    note(builder_.add(sequence, std::vector<StreamCounts>(2)));
  }
  std::vector<std::string> finish() {
    note(builder_.finish());
    return lines_;
  }

 private:
  void note(const std::optional<ScannedChunk>& chunk) {
    if (!chunk) return;
    const std::int64_t begin = chunk->info.offset_bytes;
    lines_.push_back("chunk sequences " + std::to_string(chunk->sequences.size()) + " bytes " +
                     std::to_string(begin) + ".." + std::to_string(begin + chunk->info.size_bytes));
  }

  Schema schema_ = make_schema(options_of(Compatibility::cntk, false));
  ChunkBuilder builder_;
  std::vector<std::string> lines_;
};

TEST(CntkGolden, ChunksMatchCntk) {
  std::ifstream file(std::string(SHEAF_GOLDEN_DIR) + "/17_index_chunks.txt");
  std::optional<GoldenChunks> chunks;
  std::vector<std::string> expected;
  int compared = 0;
  const auto compare = [&] {
    if (chunks) {
      EXPECT_EQ(chunks->finish(), expected);
    }
    compared += static_cast<int>(expected.size());
    expected.clear();
  };
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    std::int64_t number = 0;
    if (word == "limit") {
      compare();
      words >> number;
      chunks.emplace(number);
    } else if (word == "seq") {
      std::int64_t size = 0;
      std::int64_t offset = 0;
      words >> number >> word >> size >> word >> offset;
      chunks->add(offset, size);
    } else {
      expected.push_back(line.substr(line.find("chunk")));
    }
  }
  compare();
  EXPECT_EQ(compared, 24);
}

TEST(CtfScanner, SplitsChunksAsCntkDoes) {
  using Sizes = std::vector<std::int64_t>;
  for (const Compatibility mode : {Compatibility::strict, Compatibility::cntk}) {
    const FormatOptions options = options_of(mode, false);
    const std::string rows = "0|A 1\n1|A 2\n2|A 3\n3|A 4\n";  // six bytes each
    EXPECT_EQ(scan(rows, options, 11).chunk_sizes, Sizes({6, 6, 6, 6}));
    EXPECT_EQ(scan(rows, options, 12).chunk_sizes, Sizes({12, 12}));
    EXPECT_EQ(scan(rows, options, 18).chunk_sizes, Sizes({18, 6}));
    EXPECT_EQ(scan("0|A 1\n0|A 1\n0|A 1\n1|A 2\n", options, 5).chunk_sizes, Sizes({18, 6}));
    // Text dropped between sequences does not count for the next sequence.
    EXPECT_EQ(scan("|A 1\n|B 1\n|A 1\n|A 1\n", options_of(mode, true), 10).chunk_sizes,
              Sizes({15, 5}));
  }
}

TEST(CtfScanner, WarnsAboutSkippedContent) {
  EXPECT_EQ(scan("0|A 1|C 2\n0|C 3|D\n1|B 1:1\n2|B\n3|A 1\n",
                 options_of(Compatibility::strict, true), 100)
                .warnings,
            (std::vector<std::string>{"1 ctf-unknown-stream", "2 ctf-unknown-stream",
                                      "3 ctf-dropped-sequence"}));
  EXPECT_EQ(scan("|A 1\n4|A 2\n5|A 2\n", options_of(Compatibility::strict, false), 100).warnings,
            (std::vector<std::string>{"2 ctf-ignored-id"}));
}

}  // namespace
}  // namespace sheaf::ctf
