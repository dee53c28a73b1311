#include "format/kaldi/kaldi_object.h"

#include <limits>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "format/kaldi/kaldi_test_objects.h"

namespace sheaf::internal {
namespace {

using testing::begin_object;
using testing::fault_of;
using testing::good_head;
using testing::head_of;
using testing::put;
using testing::put_marked;

std::string matrix_head(std::string_view token, std::int32_t rows, std::int32_t cols) {
  std::string object = begin_object(token);
  put_marked(object, rows);
  return put_marked(object, cols);
}

std::string compressed_head(std::string_view token, std::int32_t rows, std::int32_t cols) {
  std::string object = begin_object(token);
  put(object, -1.5F);
  put(object, 3.0F);
  put(object, rows);
  return put(object, cols);
}

std::string counted(std::string_view token, std::int32_t count) {
  std::string object = begin_object(token);
  return put_marked(object, count);
}

struct HeadCase {
  const char* name;
  std::string head;
  KaldiKind declared;
  KaldiKind kind;
  std::int64_t rows;
  std::int64_t cols;
  std::int64_t data_begin;
  std::int64_t size;
};

TEST(KaldiObject, HeadersGiveKindShapeAndSize) {
  using enum KaldiKind;
  constexpr std::int64_t kUnknown = KaldiHead::kUnknownSize;
  const HeadCase cases[] = {
      {"FM", matrix_head("FM ", 3, 2), integers, matrix, 3, 2, 15, 15 + 24},
      {"DM", matrix_head("DM ", 3, 2), integers, matrix, 3, 2, 15, 15 + 48},
      {"empty FM", matrix_head("FM ", 0, 0), integers, matrix, 0, 0, 15, 15},
      {"FV", counted("FV ", 7), integers, vector, 7, 1, 10, 10 + 28},
      {"DV", counted("DV ", 7), integers, vector, 7, 1, 10, 10 + 56},
      {"CM", compressed_head("CM ", 9, 2), integers, compressed, 9, 2, 21, 21 + 16 + 18},
      {"CM2", compressed_head("CM2 ", 9, 2), integers, compressed, 9, 2, 22, 22 + 36},
      {"CM3", compressed_head("CM3 ", 9, 2), integers, compressed, 9, 2, 22, 22 + 18},
      {"integers", counted("", 4), integers, integers, 4, 1, 7, 7 + 20},
      {"pairs", counted("", 4), pairs, pairs, 4, 2, 7, 7 + 40},
      {"lists", counted("", 4), lists, lists, 4, 1, 7, kUnknown},
      {"posteriors", counted("", 4), posteriors, posteriors, 4, 1, 7, kUnknown},
      {"SM", counted("SM ", 4), integers, sparse, 4, 0, 10, kUnknown},
      {"text", " [\n 1 2 ]\n", integers, text, 0, 1, 0, kUnknown},
      {"text of blanks", "\n", integers, text, 0, 1, 0, kUnknown},
      {"text sparse", "rows=2 ", integers, text, 0, 1, 0, kUnknown},
  };
  for (const HeadCase& c : cases) {
    SCOPED_TRACE(c.name);
    const auto parsed = parse_kaldi_head(testing::bytes_of(c.head), c.declared);
    ASSERT_EQ(fault_of(parsed), "");
    const auto& head = std::get<KaldiHead>(parsed);
    EXPECT_EQ(head.kind, c.kind);
    EXPECT_EQ(head.rows, c.rows);
    EXPECT_EQ(head.cols, c.cols);
    EXPECT_EQ(head.data_begin, c.data_begin);
    EXPECT_EQ(head.size_bytes, c.size);
    EXPECT_LE(std::ssize(c.head), kKaldiHeadSize);
  }
}

TEST(KaldiObject, TheFirstByteGivesTheSizeOfAScalar) {
  std::string four = begin_object();
  put_marked(four, 2.5F);
  std::string eight = begin_object();
  put_marked(eight, 2.5);
  EXPECT_EQ(good_head(four, KaldiKind::scalar).value_size_bytes, 4);
  EXPECT_EQ(good_head(four, KaldiKind::scalar).size_bytes, 7);
  EXPECT_EQ(good_head(eight, KaldiKind::scalar).value_size_bytes, 8);
  EXPECT_EQ(good_head(eight, KaldiKind::scalar).size_bytes, 11);
  EXPECT_EQ(fault_of(head_of(eight)), "kaldi-mark 2 the byte 8") << "no vector begins so";
}

TEST(KaldiObject, CompressedHeadersHoldTheScale) {
  const auto parsed =
      parse_kaldi_head(testing::bytes_of(compressed_head("CM2 ", 1, 1)), KaldiKind::integers);
  const auto& head = std::get<KaldiHead>(parsed);
  EXPECT_EQ(head.min_value, -1.5F);
  EXPECT_EQ(head.range, 3.0F);
  EXPECT_EQ(head.compression, KaldiCompression::two_byte);
}

TEST(KaldiObject, AnEmptyCompressedMatrixEndsAfterItsHeader) {
  const std::string written = begin_object("CM ") + std::string(20, '\0');
  const KaldiHead head = good_head(written);
  EXPECT_EQ(head.rows, 0);
  EXPECT_EQ(head.size_bytes, 21) << "the four bytes behind belong to no object";
}

TEST(KaldiObject, WavesEndAtTheirRiffSize) {
  std::string wave = "RIFF";
  put(wave, std::uint32_t{36});
  const auto bytes = [](const std::string& text) { return testing::bytes_of(text); };
  const auto parsed = parse_kaldi_head(bytes(wave), KaldiKind::integers);
  EXPECT_EQ(std::get<KaldiHead>(parsed).kind, KaldiKind::wave);
  EXPECT_EQ(std::get<KaldiHead>(parsed).size_bytes, 44);
  const std::string big_endian("RIFX\0\0\1\0", 8);
  EXPECT_EQ(
      std::get<KaldiHead>(parse_kaldi_head(bytes(big_endian), KaldiKind::integers)).size_bytes,
      264);
  for (const std::uint32_t size : {0U, 0xFFFFFFFFU, 0x7FFFF000U}) {
    std::string endless = "RIFF";
    put(endless, size);
    EXPECT_EQ(fault_of(parse_kaldi_head(bytes(endless), KaldiKind::integers)),
              "kaldi-wave-size 4 " + std::to_string(size));
  }
}

TEST(KaldiObject, WrongHeadersHaveAnOffsetAndAFinding) {
  const std::string negative_rows = matrix_head("FM ", -1, 2);
  std::string no_mark = matrix_head("FM ", 1, 2);
  no_mark[10] = '\5';
  const struct {
    std::string head;
    const char* fault;
  } cases[] = {
      {"", "kaldi-cut 0 the end of the file"},
      {std::string("\0B", 2), "kaldi-cut 2 2 bytes"},
      {begin_object("F"), "kaldi-cut 3 3 bytes"},
      {begin_object("FM "), "kaldi-cut 5 5 bytes"},
      {matrix_head("FM ", 1, 2).substr(0, 14), "kaldi-cut 14 14 bytes"},
      {compressed_head("CM ", 1, 2).substr(0, 20), "kaldi-cut 20 20 bytes"},
      {begin_object("FP 123456"), "kaldi-object 2 \"FP\""},
      {begin_object("<Nnet3Eg> 123"), "kaldi-object 2 \"<Nnet3Eg>\""},
      {std::string("\0X", 2), "kaldi-object 0 \"\\x00X\""},
      {"fLaC", "kaldi-flac 0 \"fLaC\""},
      {"AUDIO\x09", "kaldi-audio-size 5 9"},
      {"NPY\1\2", "kaldi-object 0 \"NPY\\x01\\x02\""},
      {"PKL\1\2", "kaldi-pickle 0 \"PKL\""},
      {negative_rows, "kaldi-size 6 -1"},
      {matrix_head("FM ", 1, -2), "kaldi-size 11 -2"},
      {compressed_head("CM ", -3, 2), "kaldi-size 13 -3"},
      {no_mark, "kaldi-mark 10 the byte 5"},
      {matrix_head("FM ", 3, 0), "kaldi-shape 15 3 rows and 0 columns"},
      {matrix_head("DM ", 0, 3), "kaldi-shape 15 0 rows and 3 columns"},
      {compressed_head("CM2 ", 3, 0), "kaldi-shape 22 3 rows and 0 columns"},
      {counted("", -1), "kaldi-size 3 -1"},
  };
  for (const auto& c : cases) EXPECT_EQ(fault_of(head_of(c.head)), c.fault);
}

TEST(KaldiObject, ObjectsMustEndWithinTheFile) {
  const std::string head = matrix_head("FM ", 3, 2);  // 39 bytes
  const auto parse = [&](std::int64_t left) {
    return fault_of(parse_kaldi_head(testing::bytes_of(head), KaldiKind::integers, left));
  };
  EXPECT_EQ(parse(38), "kaldi-cut 38 38 of 39 bytes");
  EXPECT_EQ(parse(39), "");
  EXPECT_EQ(parse(40), "");
}

TEST(KaldiObject, TheLargestSizesDoNotOverflow) {
  constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();
  constexpr std::int64_t kCells = std::int64_t{kMax} * kMax;
  const auto size = [](const std::string& head, KaldiKind declared) {
    return std::get<KaldiHead>(parse_kaldi_head(testing::bytes_of(head), declared)).size_bytes;
  };
  EXPECT_EQ(size(compressed_head("CM3 ", kMax, kMax), KaldiKind::integers), 22 + kCells);
  EXPECT_EQ(size(counted("", kMax), KaldiKind::pairs), 7 + 10 * std::int64_t{kMax});
  EXPECT_EQ(size(matrix_head("DM ", kMax, kMax), KaldiKind::integers),
            std::numeric_limits<std::int64_t>::max())
      << "saturated";
  EXPECT_EQ(fault_of(parse_kaldi_head(testing::bytes_of(matrix_head("DM ", kMax, kMax)),
                                      KaldiKind::integers, 1'000'000)),
            "kaldi-cut 1000000 1000000 of 9223372036854775807 bytes");
}

TEST(KaldiObject, KindsHaveUniqueNames) {
  std::set<std::string_view> names;
  for (int kind = 0; kind <= static_cast<int>(KaldiKind::wave); ++kind) {
    names.insert(to_string(static_cast<KaldiKind>(kind)));
  }
  EXPECT_EQ(names.size(), 11U);
}

}  // namespace
}  // namespace sheaf::internal
