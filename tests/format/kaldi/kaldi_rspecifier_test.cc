#include "format/kaldi/kaldi_rspecifier.h"

#include <string>

#include <gtest/gtest.h>

namespace sheaf::kaldi {
namespace {

TEST(KaldiRspecifier, FindsTheFileName) {
  EXPECT_EQ(file_of_rspecifier("scp:x.scp"), "x.scp");
  EXPECT_EQ(file_of_rspecifier("ark:a/b.ark"), "a/b.ark");
  EXPECT_EQ(file_of_rspecifier("ark: x.ark "), "x.ark");
  EXPECT_EQ(file_of_rspecifier("ark:with blanks.ark"), "with blanks.ark");
}

TEST(KaldiRspecifier, OptionsAreIgnored) {
  EXPECT_EQ(file_of_rspecifier("scp,p:x.scp"), "x.scp");
  EXPECT_EQ(file_of_rspecifier("s,cs,ark:x.ark"), "x.ark");
  EXPECT_EQ(file_of_rspecifier("ark,o,ns,ncs,np,bg,t,b,no:x.ark"), "x.ark");
}

TEST(KaldiRspecifier, CommandsThatReadOneFileAreAccepted) {
  EXPECT_EQ(file_of_rspecifier("ark:gunzip -c x.gz|"), "x.gz");
  EXPECT_EQ(file_of_rspecifier("ark:gunzip -c x.gz |"), "x.gz");
  EXPECT_EQ(file_of_rspecifier("ark,s,cs:zcat x.gz |"), "x.gz");
  EXPECT_EQ(file_of_rspecifier("scp:cat 'x.scp' |"), "x.scp");
}

TEST(KaldiRspecifier, OtherTextsNameNoFile) {
  for (const char* const text : {"",
                                 "x.scp",
                                 "scp",
                                 "scp:",
                                 "ark: ",
                                 ":x",
                                 "ark,scp:x",
                                 "ark,ark:x",
                                 "p:x",
                                 "ark,q:x",
                                 "ark,,s:x",
                                 "ark:-",
                                 "ark:copy-feats scp:x.scp ark:- |",
                                 "ark:|x",
                                 "ark:gunzip -c a b c d|",
                                 "ark:gunzip -c *.gz|",
                                 "ark:flac -c -d -s x.flac |",
                                 "ark:x.ark:17",
                                 "scp:x.scp[0:1]",
                                 "ark:scp:x.scp"}) {
    EXPECT_EQ(file_of_rspecifier(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace sheaf::kaldi
