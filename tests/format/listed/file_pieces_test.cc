#include "format/listed/file_pieces.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "support/test_sources.h"

namespace sheaf::internal {
namespace {

using sheaf::testing::TestSource;

std::string text_of(std::int64_t size) {
  std::string text(static_cast<std::size_t>(size), '\0');
  std::uint32_t state = 1;
  for (char& c : text) {
    state = state * 1664525 + 1013904223;
    c = static_cast<char>(state >> 24);
  }
  return text;
}

/// Reads pieces and checks their bytes. Returns the numbers of the pieces in the order of the
/// calls.
std::vector<std::size_t> read_and_check(const std::vector<FilePiece>& pieces,
                                        const std::string& text,
                                        std::int64_t read_size = std::int64_t{1} << 30) {
  std::vector<std::size_t> order;
  read_pieces(pieces, read_size, [&](std::size_t i, const std::byte* bytes) {
    const FilePiece& piece = pieces[i];
    order.push_back(i);
    EXPECT_EQ(std::memcmp(bytes, text.data() + piece.offset_bytes,
                          static_cast<std::size_t>(piece.size_bytes)),
              0)
        << i;
  });
  return order;
}

TEST(FilePieces, AreReadInOrderOfFilesAndOffsets) {
  const std::string text = text_of(100);
  const TestSource a(text);
  const TestSource b(text);
  const std::vector<FilePiece> pieces = {{&b, 50, 10}, {&a, 70, 5}, {&b, 0, 3},
                                         {&a, 70, 5},  {&a, 0, 0},  {&b, 45, 55}};
  for (const std::int64_t read_size : {1, 7, 1000}) {
    EXPECT_EQ(read_and_check(pieces, text, read_size),
              (std::vector<std::size_t>{2, 5, 0, 4, 1, 3}));
  }
  EXPECT_TRUE(read_and_check({}, text).empty());
}

TEST(FilePieces, SmallGapsAreReadAsWell) {
  const std::string text = text_of(kPieceGapMax * 2);
  for (const std::int64_t gap : {kPieceGapMax - 1, kPieceGapMax, kPieceGapMax + 1}) {
    const TestSource source(text);
    static_cast<void>(read_and_check({{&source, 0, 10}, {&source, 10 + gap, 20}}, text));
    EXPECT_EQ(source.read_count(), gap <= kPieceGapMax ? 1 : 2) << gap;
  }
}

TEST(FilePieces, TheGapLimitCanBeChanged) {
  const std::string text = text_of(100);
  for (const std::int64_t gap : {9, 10, 11}) {
    const TestSource source(text);
    const std::vector<FilePiece> pieces = {{&source, 0, 5}, {&source, 5 + gap, 5}};
    int calls = 0;
    read_pieces(
        pieces, 1000, [&](std::size_t, const std::byte*) { ++calls; }, 10);
    EXPECT_EQ(calls, 2);
    EXPECT_EQ(source.read_count(), gap <= 10 ? 1 : 2) << gap;
  }
}

TEST(FilePieces, MergedReadsHaveAtMost8MiB) {
  constexpr std::int64_t kRun = std::int64_t{8} << 20;
  const std::string text = text_of(kRun + 10);
  for (const std::int64_t size : {kRun - 1, kRun, kRun + 1}) {
    const TestSource source(text);
    static_cast<void>(read_and_check({{&source, 0, 5}, {&source, 5, size - 5}}, text));
    EXPECT_EQ(source.read_count(), size <= kRun ? 1 : 2) << size;
    const TestSource whole(text);
    static_cast<void>(read_and_check({{&whole, 0, size}}, text));
    EXPECT_EQ(whole.read_count(), 1) << "a piece is read at once";
  }
}

// 16 MiB are in flight together. Tests one byte less, as many, one more, and several times as many.
TEST(FilePieces, AnyNumberOfBytesIsRead) {
  constexpr std::int64_t kBatch = std::int64_t{16} << 20;
  const std::string text = text_of(3 * kBatch);
  for (const std::int64_t size : {kBatch - 1, kBatch, kBatch + 1, 3 * kBatch}) {
    const TestSource a(text);
    const TestSource b(text);
    std::vector<FilePiece> pieces;
    constexpr std::int64_t kStep = 3 << 20;
    for (std::int64_t at = 0; at < size; at += kStep) {
      pieces.push_back({&a, at, std::min(kStep - 7, size - at)});
      pieces.push_back({&b, at, std::min<std::int64_t>(5, size - at)});
    }
    EXPECT_EQ(read_and_check(pieces, text).size(), pieces.size()) << size;
  }
}

TEST(FilePieces, AdjacentPiecesAreReadDirectly) {
  const std::string text = text_of(100);
  const TestSource source(text);
  std::string to(100, '\0');
  auto* const bytes = reinterpret_cast<std::byte*>(to.data());
  struct Case {
    std::vector<FilePiece> pieces;
    bool is_direct;
  };
  const Case cases[] = {
      {{{&source, 10, 5, bytes}, {&source, 15, 7, bytes + 5}}, true},     //
      {{{&source, 15, 7, bytes + 5}, {&source, 10, 5, bytes}}, true},     // in any order
      {{{&source, 10, 5, bytes}, {&source, 15, 7, bytes + 6}}, false},    // a gap in memory
      {{{&source, 10, 5, bytes}, {&source, 16, 7, bytes + 5}}, false},    // a gap in the file
      {{{&source, 10, 5, bytes}, {&source, 14, 7, bytes + 4}}, false},    // an overlap
      {{{&source, 10, 5, bytes}, {&source, 15, 7, nullptr}}, false},      // to be decoded
      {{{&source, 10, 5, nullptr}, {&source, 15, 7, bytes + 5}}, false},  // to be decoded
  };
  for (const Case& c : cases) {
    bool is_direct = true;
    read_pieces(c.pieces, 1000, [&](std::size_t i, const std::byte* at) {
      is_direct &= at == c.pieces[i].location;
      EXPECT_EQ(std::memcmp(at, text.data() + c.pieces[i].offset_bytes,
                            static_cast<std::size_t>(c.pieces[i].size_bytes)),
                0);
    });
    EXPECT_EQ(is_direct, c.is_direct) << &c - cases;
  }
}

TEST(FilePieces, TheErrorOfTheFirstFileIsThrown) {
  const std::string text = text_of(10);
  TestSource a(text);
  const TestSource b(text);
  a.fail_read(1);
  EXPECT_THROW(static_cast<void>(read_and_check({{&b, 0, 5}, {&a, 0, 5}}, text)), IoError);
  EXPECT_EQ(read_and_check({{&b, 0, 5}, {&a, 0, 5}}, text).size(), 2U) << "the next call works";
}

}  // namespace
}  // namespace sheaf::internal
