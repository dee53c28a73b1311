#include "format/wav/wav_index.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "format/wav/wav_test_files.h"
#include "support/error_of.h"

namespace sheaf::wav {
namespace {

using testing::error_of;
using testing::mono;
using testing::RiffBytes;
using testing::WavFilesInMemory;

TEST(WavIndex, ASequenceHasItsLocationLengthAndCost) {
  WavFilesInMemory files = {{"a.wav", mono({1, 2, 3})}, {"b.wav", mono({1, 2})}};
  const auto data = files.open();
  const ChunkInfo chunk = *data->index().chunk(ChunkIndex{});
  EXPECT_EQ(chunk.size_bytes, 10);
  EXPECT_EQ(chunk.sample_count, 5);
  const auto table = data->index().sequences(ChunkIndex{});
  EXPECT_EQ(table->key(1), key_of_text("b"));
  EXPECT_EQ(table->offset_bytes(1), 6);
  EXPECT_EQ(table->location(1), (SourceLocation{.source = 1, .offset_bytes = 44}));
  EXPECT_EQ(data->index().source_name(1), "b.wav");
  EXPECT_EQ(data->index().cost_measure().name, "milliseconds");
  EXPECT_EQ((*data->index().costs(ChunkIndex{}))[0], 1) << "a part of a millisecond counts";
}

TEST(WavIndex, TheCostIsTheMillisecondsRoundedUp) {
  for (const std::int64_t count : {7, 8, 9, 7999, 8000, 8001}) {
    const RiffBytes file = {
        .rate = 8000, .bits = 8, .data = std::string(static_cast<std::size_t>(count), '\x80')};
    WavFilesInMemory files = {{"a.wav", file.bytes()}};
    const auto costs = *files.open()->index().costs(ChunkIndex{});
    EXPECT_EQ(costs[0], (count + 7) / 8);
  }
}

TEST(WavIndex, ChunksAreAsLargeAsTheirSizeAllows) {
  WavFilesInMemory files = {
      {"a.wav", mono({1, 2})}, {"b.wav", mono({1, 2})}, {"c.wav", mono({1, 2})}};
  const auto counts = [&](std::int64_t size) {
    std::string text;
    const auto data = files.open({.chunk_size_bytes = size});
    for (ChunkIndex i{}; const auto chunk = data->index().chunk(i); i = next(i)) {
      text +=
          std::to_string(chunk->sequence_count) + '@' + std::to_string(chunk->offset_bytes) + ' ';
    }
    return text;
  };
  EXPECT_EQ(counts(3), "1@0 1@4 1@8 ");
  EXPECT_EQ(counts(4), "1@0 1@4 1@8 ");
  EXPECT_EQ(counts(7), "1@0 1@4 1@8 ");
  EXPECT_EQ(counts(8), "2@0 1@8 ");
  EXPECT_EQ(counts(11), "2@0 1@8 ");
  EXPECT_EQ(counts(12), "3@0 ");
}

TEST(WavIndex, TwoFilesOfOneKeyAreRefused) {
  WavFilesInMemory files = {{"x/a.wav", mono({1})}, {"x/b.wav", mono({1})}, {"y/a.wav", mono({1})}};
  EXPECT_EQ(error_of([&] { static_cast<void>(files.open()); }),
            "y/a.wav: error: expected keys that differ, found \"a\", the key of x/a.wav "
            "[wav-repeated-key]\n  wav.keys=path takes the path as the key");
  EXPECT_EQ(testing::told(*files.open({.extra = {{"wav.keys", "path"}}})),
            "x/a.wav [1]\nx/b.wav [1]\ny/a.wav [1]\n");
}

TEST(WavIndex, KeysMayBeNumbers) {
  WavFilesInMemory files = {{"17.wav", mono({1})}, {"4.wav", mono({1})}};
  const FormatOptions options = {.keys = KeyType::numeric};
  const auto data = files.open(options);
  EXPECT_EQ(data->index().sequences(ChunkIndex{})->key(0), (SequenceKey{.low = 17}));
  files.add("x.wav", mono({1}));
  EXPECT_EQ(error_of([&] { static_cast<void>(files.open(options)); }),
            "x.wav: error: expected a key that is a number from 0 to 2^64-1, found \"x\" "
            "[wav-numeric-key]\n  keys=text (--keys text) takes any key");
}

TEST(WavIndex, TheFirstValidFileSetsTheChannels) {
  WavFilesInMemory files = {{"a.wav", "RIFF"}, {"b.wav", "x"}};
  EXPECT_EQ(error_of([&] { static_cast<void>(files.open()); }),
            "a.wav: byte 4: error: expected RIFF or RIFX, a size, and WAVE, found the end of the "
            "file after 4 bytes [wav-riff]\n  no file tells how many channels the stream "
            "has; this is the first one");
  FormatOptions options;
  options.streams = {{.name = "x", .sample_shape = Shape{1}}};
  EXPECT_EQ(files.open(options)->index().chunk(ChunkIndex{})->sample_count, 0);
  files.add("c.wav", RiffBytes{.channels = 2, .data = "abc"}.bytes());
  EXPECT_EQ(files.open()->streams()[0].sample_shape, Shape{2});
}

TEST(WavIndex, AFileTakesLittleMemory) {
  WavFilesInMemory files = {};
  constexpr std::int64_t kCount = 5000;
  for (std::int64_t i = 0; i < kCount; ++i) {
    files.add("folder/recording-" + std::to_string(i) + ".wav", mono({1, 2}));
  }
  EXPECT_LT(files.open()->index().memory_bytes(), kCount * 120);
}

}  // namespace
}  // namespace sheaf::wav
