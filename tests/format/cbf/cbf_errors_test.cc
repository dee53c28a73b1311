#include "format/cbf/cbf_errors.h"

#include <string>

#include <gtest/gtest.h>

#include "sheaf/error.h"

namespace sheaf::cbf {
namespace {

std::string text_of(const WrongNumber& wrong, const ErrorLocation& location) {
  return to_string(wrong_at(*memory_source("", "x.cbf"), wrong, location));
}

TEST(WrongAt, HasOffsetAndField) {
  EXPECT_EQ(text_of({&kIndexRange, 40, -1, 9}, {.chunk = 2, .sequence = 3, .stream = "bits"}),
            "x.cbf: byte 40: error: stream \"bits\": expected an index below 9, found -1 (chunk "
            "2, sequence 3 of it) [cbf-index-range]");
  EXPECT_EQ(text_of({&kSampleEntries, 40, 3, 4}, {.chunk = 0, .sequence = 1, .stream = "b"}),
            "x.cbf: byte 40: error: stream \"b\": expected counts of entries that add up to 4, "
            "found 3 (chunk 0, sequence 1 of it) [cbf-sample-entries]");
  EXPECT_EQ(text_of({&kSampleEntries, 40, -3, 0}, {.chunk = 0, .sequence = 1, .stream = "b"}),
            "x.cbf: byte 40: error: stream \"b\": expected counts of entries of 0 or more, found "
            "-3 (chunk 0, sequence 1 of it) [cbf-sample-entries]");
  EXPECT_EQ(text_of({&kSlack, 40, 8, 0}, {.chunk = 5}),
            "x.cbf: byte 40: error: expected the end of the chunk behind its last block, found 8 "
            "more bytes (chunk 5) [cbf-slack]");
}

TEST(ThrowWrong, IsADataErrorWithOneDiagnostic) {
  try {
    throw_wrong(*memory_source("", "x.cbf"), 7, kVersionWrong, "version 9", "what to do");
    FAIL() << "nothing was thrown";
  } catch (const DataError& error) {
    ASSERT_EQ(error.diagnostics().size(), 1);
    EXPECT_EQ(error.diagnostics()[0].byte_offset, 7);
    EXPECT_EQ(error.diagnostics()[0].code, "cbf-version");
    EXPECT_EQ(error.diagnostics()[0].hint, "what to do");
  }
}

}  // namespace
}  // namespace sheaf::cbf
