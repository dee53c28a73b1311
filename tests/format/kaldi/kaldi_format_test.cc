#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "sheaf/extend/format.h"

#include "format/kaldi/kaldi_deserializer.h"

namespace sheaf {
namespace {

using std::string_view_literals::operator""sv;

TEST(KaldiFormat, IsRecognizedByItsExtension) {
  EXPECT_EQ(find_format("a.ark", {}).name, "kaldi");
  EXPECT_EQ(find_format("a.scp", {}).name, "htk") << "files that are written";
}

TEST(KaldiFormat, FirstBytesDistinguishListsOfKaldiAndHtk) {
  struct Case {
    std::string_view bytes;
    std::string_view format;
  };
  const Case cases[] = {
      {"utt1 a.ark:17\n", "kaldi"},          //
      {"utt1 a=b.ark:17\n", "kaldi"},        // an equals sign after the blank
      {"utt1\ta.ark\n", "kaldi"},            //
      {"utt1 gunzip -c a.gz |\n", "kaldi"},  //
      {"utt1.mfc=a.htk[0,9]\n", "htk"},      //
      {"a/b c.mfc=a.htk\n", "kaldi"},        // HTK's names have no blanks
      {"a.mfc\n", "htk"},                    //
  };
  for (const Case& c : cases) {
    const auto source = memory_source(std::string(c.bytes), "a.scp");
    EXPECT_EQ(find_format("a.scp", *source, {}).name, c.format) << c.bytes;
  }
}

TEST(KaldiFormat, FirstBytesIdentifyArchives) {
  struct Case {
    std::string_view bytes;
    bool is_archive;
  };
  const Case cases[] = {
      {"utt \0BFM "sv, true},          //
      {"\0\0\0\0utt \0BFM "sv, true},  //
      {"utt  [\n 1 2 ]\n", true},      //
      {"utt [ 1 2 ]\n", true},         //
      {"utt 1 2 3\n", true},           //
      {"utt 1 2 ; 3 4\n", true},       //
      {"utt \n", true},                // no integers
      {"utt rows=2 dim=3 [ ]", true},  //
      {"utt a.ark:17\n", false},       //
      {"utt a.gz\n", false},           //
      {"utt", false},                  //
      {"", false},                     //
  };
  for (const Case& c : cases) EXPECT_EQ(kaldi::begins_archive(c.bytes), c.is_archive) << c.bytes;
}

TEST(KaldiFormat, HasTheNamesOfCntk) {
  const Format* const format = find_cntk_format("Kaldi2Reader");
  ASSERT_NE(format, nullptr);
  EXPECT_EQ(format->name, "kaldi");
  EXPECT_TRUE(format->cntk->makes_text_keys());
  ASSERT_NE(format->cntk->second_stream, nullptr);
  EXPECT_EQ(format->cntk->second_stream->storage, Storage::sparse);
}

}  // namespace
}  // namespace sheaf
