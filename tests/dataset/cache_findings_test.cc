#include "dataset/cache_findings.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/text_data.h"

namespace sheaf::internal {
namespace {

TEST(CacheFindings, ReportEachKindOnce) {
  CacheFindings findings("/tmp/cache");
  EXPECT_TRUE(findings.warnings().empty());
  for (int i = 0; i < 2; ++i) {
    findings.note_slow({.source_seconds = 0.001, .cache_seconds = 0.002, .unit_count = 8}, false);
    findings.note_slow({.source_seconds = 0.001, .cache_seconds = 0.002, .unit_count = 9}, true);
    findings.note_damage("the file of number " + std::to_string(i));
    findings.note_failure("no space left");
    findings.note_full(1000);
    findings.note_memory(500, 100);
    findings.note_unknown_times();
    findings.note_stream("lattice");
  }
  const std::vector<std::string> texts = testing::texts_of(findings.warnings());
  ASSERT_EQ(texts.size(), 8U);
  EXPECT_EQ(
      texts[0],
      "/tmp/cache: warning: expected units that come faster from the cache than from the "
      "data, found 2.00 ms for a unit from the cache, and 1.00 ms from the data, as the median "
      "of 8 units; the cache is not used [cache-slow]\n  leave the cache out for these "
      "data");
  EXPECT_EQ(
      texts[1],
      "/tmp/cache: warning: expected units that come faster from the cache than from the "
      "data, found 2.00 ms for a part of a unit from the cache, and 1.00 ms from the data, as "
      "the median of 9 parts; the cache is not used for parts [cache-slow]\n  leave the cache "
      "out for these data in this order");
  EXPECT_EQ(texts[2],
            "/tmp/cache: warning: expected units as they were written, found 2 damaged, which are "
            "decoded again; the first: the file of number 0 [cache-damage]");
  EXPECT_EQ(
      texts[7],
      "/tmp/cache: warning: stream \"lattice\": expected streams that a cache can keep, found "
      "sequences that state the lengths of other streams, as lattices do; the cache is not "
      "used [cache-stream]\n  leave the cache out for these data");
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(findings.warnings()[i].severity, Severity::warning);
    EXPECT_EQ(findings.warnings()[i].path, "/tmp/cache");
  }
}

}  // namespace
}  // namespace sheaf::internal
