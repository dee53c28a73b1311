#include "format/kaldi/kaldi_walk.h"

#include <algorithm>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "format/kaldi/kaldi_encode.h"
#include "format/kaldi/kaldi_test_objects.h"

namespace sheaf::internal {
namespace {

using testing::begin_object;
using testing::fault_of;
using testing::good_head;
using testing::put_marked;

const std::vector<std::int64_t> kCounts = {2, 0, 5, 1};
const std::vector<std::int32_t> kIndices = {7, 1, 0, 1, 2, 3, 4, 9};
const std::vector<float> kWeights = {0.5F, 0.25F, 1, 2, 3, 4, 5, 6};

std::string object_of(KaldiKind kind) {
  std::string object;
  if (kind == KaldiKind::lists) {
    encode_lists(kIndices, kCounts, object);
  } else if (kind == KaldiKind::posteriors) {
    encode_posterior(kWeights, kIndices, kCounts, object);
  } else {
    encode_sparse(kWeights, kIndices, kCounts, 10, object);
  }
  return object;
}

TEST(KaldiWalk, TheEndDoesNotDependOnTheReadSizes) {
  for (const KaldiKind kind : {KaldiKind::lists, KaldiKind::posteriors, KaldiKind::sparse}) {
    const std::string object = object_of(kind);
    const std::string more = object + "next key";
    const KaldiHead head = good_head(more, kind);
    for (std::int64_t size = 1; size <= std::ssize(more); ++size) {
      KaldiWalk walk(head, std::ssize(more));
      while (!walk.is_done()) {
        const auto at = static_cast<std::size_t>(walk.position());
        ASSERT_LT(at, object.size());
        const auto rest = testing::bytes_of(more).subspan(at);
        ASSERT_EQ(
            fault_of(walk.take(rest.first(std::min(rest.size(), static_cast<std::size_t>(size))))),
            "");
      }
      ASSERT_EQ(walk.position(), std::ssize(object)) << to_string(kind) << ' ' << size;
      ASSERT_EQ(walk.value_count(), 8);
      ASSERT_EQ(walk.dim(), kind == KaldiKind::sparse ? 10 : 0);
    }
  }
}

TEST(KaldiWalk, ObjectsWithoutRowsEndImmediately) {
  std::string object;
  encode_lists({}, {}, object);
  EXPECT_TRUE(KaldiWalk(good_head(object, KaldiKind::lists)).is_done());
}

std::string walked(const std::string& object, KaldiKind kind, std::int64_t size_left) {
  const auto parsed = parse_kaldi_head(testing::bytes_of(object), kind);
  KaldiWalk walk(std::get<KaldiHead>(parsed), size_left);
  return fault_of(
      walk.take(testing::bytes_of(object).subspan(static_cast<std::size_t>(walk.position()))));
}

TEST(KaldiWalk, WrongRowsHaveAnOffset) {
  const std::string posterior = object_of(KaldiKind::posteriors);
  std::string mark = posterior;
  mark[32] = '\7';  // the mark of the second frame: 7, a start of 5, two pairs
  EXPECT_EQ(walked(mark, KaldiKind::posteriors, kKaldiNoEnd), "kaldi-mark 32 the byte 7");

  std::string negative = begin_object();
  put_marked(negative, std::int32_t{1});
  put_marked(negative, std::int32_t{-5});
  EXPECT_EQ(walked(negative, KaldiKind::lists, kKaldiNoEnd), "kaldi-size 8 -5");

  std::string token = object_of(KaldiKind::sparse);
  token[11] = 'X';
  EXPECT_EQ(walked(token, KaldiKind::sparse, kKaldiNoEnd), "kaldi-sparse-row 10 \"SX \"");

  std::string dims = begin_object("SM ");
  put_marked(dims, std::int32_t{2});
  for (const std::int32_t dim : {3, 4}) {
    dims += "SV ";
    put_marked(dims, dim);
    put_marked(dims, std::int32_t{0});
  }
  EXPECT_EQ(walked(dims, KaldiKind::sparse, kKaldiNoEnd), "kaldi-row-dim 27 4 after 3");
}

TEST(KaldiWalk, RowsMustEndWithinTheFile) {
  const std::string object = object_of(KaldiKind::posteriors);
  const std::int64_t size = std::ssize(object);
  EXPECT_EQ(walked(object, KaldiKind::posteriors, size), "");
  EXPECT_EQ(walked(object, KaldiKind::posteriors, size - 1),
            "kaldi-cut 106 106 of at least 107 bytes");

  std::string large = begin_object();
  put_marked(large, std::numeric_limits<std::int32_t>::max());
  put_marked(large, std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(walked(large, KaldiKind::posteriors, kKaldiNoEnd), "") << "the end is not known";
  EXPECT_EQ(walked(large, KaldiKind::posteriors, 1000).substr(0, 14), "kaldi-cut 1000");
}

}  // namespace
}  // namespace sheaf::internal
