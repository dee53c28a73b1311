#include "format/manifest/manifest_range.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "sheaf/extend/file_system.h"

#include "conformance/read_all.h"
#include "format/manifest/manifest_test_files.h"
#include "support/write_file.h"

namespace sheaf::manifest {
namespace {

using sheaf::testing::write_file;
using testing::counting_wav;
using testing::open_manifest;
using testing::plain_options;

// A recording is converted in pieces. Tests sizes around the borders of a piece.
TEST(ManifestRange, RecordingsAroundThePieceSizeAreComplete) {
  const std::unique_ptr<FileSystem> files = memory_files();
  const auto piece = static_cast<int>(RangeReader::kPieceBytesMax / 2);
  write_file(*files, "a.wav", counting_wav(2 * piece + 2, 1, 1));
  for (const int count : {piece - 1, piece, piece + 1, 2 * piece - 1, 2 * piece + 1}) {
    const auto data =
        open_manifest(*files, R"({"audio_filepath": "a.wav", "offset": 1, "duration": )" +
                                  std::to_string(count) + "}\n");
    Diagnostics diagnostics;
    const Chunk chunk = data->read({.count = 1}, diagnostics);
    const SequenceView view = chunk.view(0, 0);
    ASSERT_EQ(view.sample_count, count);
    const auto* const values = reinterpret_cast<const float*>(view.values);
    for (int i = 0; i < count; ++i) {
      ASSERT_EQ(values[i], static_cast<float>(static_cast<std::int16_t>(i + 1))) << i;
    }
  }
}

TEST(ManifestRange, RangesEqualPartsOfTheChunk) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "a.wav", counting_wav(20));
  std::string lines;
  for (int i = 0; i < 9; ++i) {
    lines += i % 4 == 3 ? "{broken\n\n"
                        : R"({"audio_filepath": "a.wav", "text": "t", "offset": 0.)" +
                              std::to_string(i) + "}\n";
  }
  const auto data = open_manifest(*files, lines);
  const conformance::RangeResult whole = conformance::read_range(*data, {});
  ASSERT_EQ(whole.sequences.size(), 9U);
  EXPECT_EQ(whole.diagnostics.size(), 2U);
  for (std::int64_t size = 1; size < 9; ++size) {
    conformance::RangeResult parts;
    for (std::int64_t first = 0; first < 9; first += size) {
      const auto part = conformance::read_range(*data, {.first = first, .count = size});
      parts.sequences.insert(parts.sequences.end(), part.sequences.begin(), part.sequences.end());
      parts.diagnostics.insert(parts.diagnostics.end(), part.diagnostics.begin(),
                               part.diagnostics.end());
    }
    EXPECT_EQ(parts, whole) << size;
  }
}

}  // namespace
}  // namespace sheaf::manifest
