#include <string>

#include <gtest/gtest.h>

#include "sheaf/config_reader.h"

#include "cntk/config_section.h"

namespace sheaf {
namespace {

using testing::reader_of;

std::string words_of(const std::string& text) {
  std::string all;
  for (const std::string& line : describe(reader_of(text))) all += line + '\n';
  return all;
}

TEST(ConfigWords, DescribeAStandAloneReader) {
  EXPECT_EQ(words_of("r=[file=train.ctf;randomizationWindow=3;randomizationSeed=7;traceLevel=2;"
                     "maxErrors=-1;input=[x=[dim=2;format=dense];y=[dim=9;format=sparse;alias=l;"
                     "definesMBSize=true]]]"),
            "reads: train.ctf, CTF, as float, in chunks of 33554432 bytes\n"
            "  stream x (dense, 2 values)\n"
            "  stream y (sparse, 9 indices, there called \"l\", whose samples the minibatch size "
            "counts)\n"
            "order: shuffled as CNTK does it, seed 7, window of 3 chunks\n"
            "minibatches: packed, cut where a sweep ends; workers share each stretch of the order\n"
            "errors: any are tolerated\n"
            "ignores /r/traceLevel: what is told does not depend on it\n");
}

TEST(ConfigWords, DescribeAJoin) {
  EXPECT_EQ(words_of("precision=double\nr=[randomize=false;truncated=true;truncationLength=5;"
                     "deserializers=([type=CNTKBinaryFormatDeserializer;file=a.bin;input=["
                     "x=[alias=a]]]:[type=CNTKTextFormatDeserializer;file=(b:c);skipSequenceIds="
                     "true;compatibility=cntk;input=[y=[dim=9;format=sparse]]])]"),
            "reads: a.bin, CBF, as double\n"
            "  stream x (as in the file, there called \"a\")\n"
            "  and all other streams of the file\n"
            "joined by key with: b + c, CTF, as double, in chunks of 33554432 bytes, each row a "
            "sequence, with CNTK's leniencies\n"
            "  stream y (sparse, 9 indices)\n"
            "sequences that not all have: left out, and told\n"
            "order: that of the file\n"
            "minibatches: truncated, in pieces of 5 samples, cut where a sweep ends; workers share "
            "the minibatch size\n"
            "errors: 0 tolerated\n");
}

TEST(ConfigWords, DescribeAWindowOfAllSamples) {
  const std::string words = words_of(
      "r=[deserializers=([type=CNTKBinaryFormatDeserializer;"
      "file=a])]");
  EXPECT_NE(words.find("window of all samples"), std::string::npos) << words;
}

}  // namespace
}  // namespace sheaf
