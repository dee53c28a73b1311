// Tests how recordings are recognized.

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/format.h"
#include "sheaf/open.h"

#include "format/wav/wav_test_files.h"
#include "support/error_of.h"

namespace sheaf {
namespace {

using testing::error_of;
using testing::mono;
using testing::WavFilesInMemory;

TEST(WavFormat, IsRecognizedByExtensionAndFirstBytes) {
  const Format& row = find_format("a.wav", FormatOptions{});
  EXPECT_EQ(row.name, "wav");
  EXPECT_EQ(find_format("A.WAVE", FormatOptions{}).name, "wav");
  EXPECT_EQ(row.recognize(mono({1})), Recognition::certain);
  EXPECT_EQ(row.recognize("RIFF"), Recognition::no);
  for (const char* const name :
       {"a.flac", "a.ogg", "a.oga", "a.opus", "a.mp3", "a.sph", "a.FLAC", "a.flac.gz"}) {
    EXPECT_EQ(find_format(name, FormatOptions{}).name, "wav") << name;
  }
  for (const char* const bytes : {"fLaC", "OggS", "NIST_1A\n"}) {
    EXPECT_EQ(row.recognize(bytes), Recognition::certain) << bytes;
  }
  for (const char* const bytes : {"fLa", "ID3", "\xFF\xFB"}) {
    EXPECT_EQ(row.recognize(bytes), Recognition::no) << bytes;
  }
  EXPECT_EQ(row.recognize(""), Recognition::no);
  EXPECT_EQ(error_of([] { static_cast<void>(find_writable_format("a.wav", {})); }).substr(0, 25),
            "a.wav: wav is read only; ");
}

TEST(WavFormat, APatternFormsOneDataSet) {
  WavFilesInMemory files = {{"d/b.wav", mono({3, 4})}, {"d/a.wav", mono({1})}, {"d/c.txt", ""}};
  DataSpec spec;
  spec.content = FilesSpec{.files = {"d/*.wav"}, .format = {.extra = {{"wav.scale", "int16"}}}};
  const OpenedData data = open(spec, {.files = &files.file_system()});
  EXPECT_EQ(testing::told(*data.data), "a [1]\nb [3] [4]\n");
}

}  // namespace
}  // namespace sheaf
