#include "format/wav/wav_range.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "format/wav/wav_test_files.h"
#include "support/error_of.h"
#include "support/test_sources.h"

namespace sheaf::wav {
namespace {

using testing::error_of;
using testing::mono;
using testing::RiffBytes;
using testing::WavFilesInMemory;

std::vector<float> values_of(const Chunk& chunk, std::int64_t sequence) {
  const SequenceView view = chunk.view(0, sequence);
  std::vector<float> values(static_cast<std::size_t>(view.value_count));
  if (!values.empty()) std::memcpy(values.data(), view.values, values.size() * sizeof(float));
  return values;
}

TEST(WavRange, RecordingsAroundThePieceSizeAreComplete) {
  for (const std::int64_t size : {1, 2, 3}) {  // bytes for each sample
    const std::int64_t piece = RangeReader::kPieceBytesMax / size;
    for (const std::int64_t count :
         {piece - 1, piece, piece + 1, 2 * piece - 1, 2 * piece, 2 * piece + 1}) {
      RiffBytes file = {.bits = static_cast<std::uint32_t>(8 * size)};
      std::vector<float> expected;
      for (std::int64_t i = 0; i < count; ++i) {
        const auto number = static_cast<std::uint32_t>(i % 127);
        file.data += file.number(size == 1 ? number + 128 : number, static_cast<int>(size));
        expected.push_back(std::ldexp(static_cast<float>(number), static_cast<int>(1 - 8 * size)));
      }
      WavFilesInMemory files = {{"a.wav", file.bytes()}};
      Diagnostics diagnostics;
      const Chunk chunk = files.open({.extra = {{"wav.scale", "unit"}}})
                              ->read({.chunk = ChunkIndex{}, .first = 0, .count = 1}, diagnostics);
      EXPECT_TRUE(values_of(chunk, 0) == expected) << size << " bytes, " << count << " samples";
    }
  }
}

TEST(WavRange, ARangeOpensOnlyItsFiles) {
  WavFilesInMemory files = {{"a.wav", mono({1})}, {"b.wav", mono({2})}, {"c.wav", mono({3})}};
  const auto data = files.open();
  files.file_system().remove("a.wav");
  files.file_system().remove("c.wav");
  Diagnostics diagnostics;
  const Chunk chunk = data->read({.chunk = ChunkIndex{}, .first = 1, .count = 1}, diagnostics);
  EXPECT_EQ(chunk.key_text(0), "b");
  EXPECT_EQ(values_of(chunk, 0), std::vector<float>{2});
  EXPECT_THROW(
      static_cast<void>(data->read({.chunk = ChunkIndex{}, .first = 0, .count = 1}, diagnostics)),
      IoError);
}

TEST(WavRange, AChangedFileIsAnIoError) {
  WavFilesInMemory files = {{"a.wav", mono({1, 2, 3})}};
  const auto data = files.open();
  Diagnostics diagnostics;
  testing::write_file(files.file_system(), "a.wav", mono({1, 2}));
  EXPECT_EQ(
      error_of([&] {
        static_cast<void>(data->read({.chunk = ChunkIndex{}, .first = 0, .count = 1}, diagnostics));
      }),
      "a.wav: was changed after it was indexed");
}

TEST(WavRange, OnlyTheBytesOfTheSamplesAreRead) {
  const std::string bytes =
      RiffBytes{.data = std::string(1000, 'x'), .behind = {{"id3 ", std::string(5000, 'y')}}}
          .bytes();
  const auto source = std::make_shared<testing::TestSource>(bytes);
  OpenRequest request;
  request.source = source;
  const WavDeserializer data(request);
  const std::int64_t before = source->read_bytes();
  EXPECT_EQ(before, internal::kRiffHeadBytes);
  Diagnostics diagnostics;
  static_cast<void>(data.read({.chunk = ChunkIndex{}, .first = 0, .count = 1}, diagnostics));
  EXPECT_EQ(source->read_bytes() - before, 1000);
}

}  // namespace
}  // namespace sheaf::wav
