#include "reader/fetch/unit.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/buffer.h"

#include "index/units.h"
#include "reader/run_all.h"

namespace sheaf::internal {
namespace {

/// A unit of four sequences. Its stream has one value for each sample, and some sequences are
/// holes.
class UnitTest : public ::testing::Test {
 protected:
  UnitTest() {
    sheaf::testing::FakeData data;
    data.sample_size_bytes = kUnitSizeBytes / 4;
    data.lengths = {{1, 1, 1, 1, 1, 1, 1, 1}};
    const auto deserializer = sheaf::testing::fake(data);
    const auto cut = std::make_shared<const RangeCut>(deserializer->index(), ChunkRange{});
    unit_.emplace(UnitUse{cut.get(), cut->unit_at(4)});
  }

  void set_content(std::vector<std::int64_t> holes, const std::vector<std::int64_t>& named) {
    std::vector<Column> columns(1);
    for (int i = 0; i < 4; ++i) columns[0].values.push_back(1.F);
    Diagnostics diagnostics(kept_max_);
    for (std::size_t i = 0; i < named.size(); ++i) {
      Diagnostic diagnostic;
      diagnostic.byte_offset = static_cast<std::int64_t>(i);
      diagnostic.severity = i == 1                ? Severity::fatal
                            : warned_.contains(i) ? Severity::warning
                                                  : Severity::error;
      diagnostics.add(named[i], std::move(diagnostic));
    }
    const std::vector<Stream> streams = {{.name = "x", .sample_shape = {1}}};
    unit_->set_content(Chunk(streams, 4, std::move(columns), std::move(holes)),
                       std::move(diagnostics), streams);
  }

  [[nodiscard]] std::vector<std::int64_t> offsets_of(std::int64_t sequence) const {
    std::vector<SequenceError> errors;
    unit_->append_errors(sequence, errors);
    std::vector<std::int64_t> offsets;
    for (const SequenceError& error : errors) {
      EXPECT_EQ(error.number, std::ssize(offsets));
      EXPECT_EQ(error.severity == Severity::fatal, error.byte_offset == 1);
      offsets.push_back(error.byte_offset);
    }
    return offsets;
  }

  std::optional<Unit> unit_;      // sequences 4 to 7 of the chunk
  std::set<std::size_t> warned_;  // numbers of the diagnostics that are warnings
  std::int64_t kept_max_ = 100;
};

TEST_F(UnitTest, HasTheErrorsOfEachSequence) {
  set_content({1}, {5, 5, 6, 4, 5});
  EXPECT_EQ(offsets_of(4), (std::vector<std::int64_t>{3}));
  EXPECT_EQ(offsets_of(5), (std::vector<std::int64_t>{0, 1, 4}));  // the hole
  EXPECT_EQ(offsets_of(6), (std::vector<std::int64_t>{2}));
  EXPECT_EQ(offsets_of(7), std::vector<std::int64_t>());
}

TEST_F(UnitTest, AWarningMakesNoHole) {
  warned_ = {0, 2};
  set_content({1}, {4, 5, 6});
  EXPECT_EQ(offsets_of(4), (std::vector<std::int64_t>{0}));
  try {
    set_content({0, 1}, {4, 5, 6});
    ADD_FAILURE() << "the first hole has nothing but a warning";
  } catch (const InternalError& error) {
    EXPECT_EQ(error.what(), std::string("Deserializer::read of chunk 0, sequences 4 to 7: "
                                        "sequence 4 is a hole without an error"));
  }
}

TEST_F(UnitTest, GivesAllErrorsButOnlyTheWarningsThatAreDescribed) {
  warned_ = {0, 2, 3};
  kept_max_ = 2;
  set_content({1}, {4, 5, 6, 6, 7, 7});
  EXPECT_EQ(offsets_of(4), (std::vector<std::int64_t>{0}));
  EXPECT_EQ(offsets_of(5), (std::vector<std::int64_t>{1}));
  EXPECT_EQ(offsets_of(6), (std::vector<std::int64_t>{2}));     // without the third warning
  EXPECT_EQ(offsets_of(7), (std::vector<std::int64_t>{4, 5}));  // with the third error
}

TEST_F(UnitTest, HasThePlannedForm) {
  set_content({}, {});
  EXPECT_FALSE(unit_->chunk->is_narrow());
  const std::shared_ptr<const RangeCut> cut = unit_->cut;  // emplace() destroys the old unit first
  UnitUse use = unit_->use;
  use.form = UnitForm::narrow;
  unit_.emplace(use);
  set_content({}, {});
  EXPECT_TRUE(unit_->chunk->is_narrow());
  EXPECT_EQ(unit_->chunk->rows().sequence_count(), 4);
}

TEST_F(UnitTest, RefusesHolesWithoutErrorsAndUnrequestedSequences) {
  struct Case {
    std::vector<std::int64_t> holes;
    std::vector<std::int64_t> named;
    const char* text;
  };
  const Case cases[] = {
      {{1, 2}, {5}, "sequence 6 is a hole without an error"},               // one of two holes
      {{}, {3}, "a diagnostic names sequence 3, which was not asked for"},  // before the first
      {{}, {4, 7, 8}, "a diagnostic names sequence 8, which was not asked for"},  // after the last
  };
  for (const Case& c : cases) {
    try {
      set_content(c.holes, c.named);
      ADD_FAILURE() << c.text;
    } catch (const InternalError& error) {
      EXPECT_EQ(error.what(),
                std::string("Deserializer::read of chunk 0, sequences 4 to 7: ") + c.text);
    }
  }
}

}  // namespace
}  // namespace sheaf::internal
