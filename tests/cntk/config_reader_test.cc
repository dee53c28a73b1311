#include "sheaf/config_reader.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "cntk/config_section.h"
#include "cntk/config_text.h"

namespace sheaf {
namespace {

using testing::composite_section;
using testing::error_of;
using testing::reader_of;
using testing::text_section;

OrderOptions text_order(std::string_view settings) {
  return reader_of(text_section(settings)).spec.read.order;
}

OrderOptions composite_order(std::string_view settings) {
  return reader_of(composite_section(settings)).spec.read.order;
}

OrderOptions binary_order(std::string_view settings) {
  return reader_of("r=[readerType=CNTKBinaryReader;file=f\n" + std::string(settings) + "]")
      .spec.read.order;
}

std::string reader_warnings(const std::string& text) {
  const Config config = Config::from_text(text, "a.cntk");
  static_cast<void>(configured_reader(config.section_at("r")));
  std::string all;
  for (const Diagnostic& warning : config.warnings())
    all += warning.code + ' ' + warning.hint + '\n';
  return all;
}

TEST(ConfiguredReader, AStandAloneReaderShufflesFourGiBOfChunks) {
  const ConfiguredReader reader = reader_of(text_section(""));
  EXPECT_EQ(reader.spec.read.order.algorithm, OrderAlgorithm::cntk);
  EXPECT_EQ(reader.spec.read.order.window_chunks, 128);
  EXPECT_EQ(reader.spec.read.order.window_samples, std::nullopt);
  EXPECT_EQ(reader.spec.read.order.seed, 0);
  EXPECT_EQ(reader.spec.read.order.timeline, Timeline::global);
  EXPECT_EQ(reader.spec.read.order.sweep_ends, SweepEnds::cut);
  EXPECT_EQ(reader.spec.read.packing, Layout::packed);
  EXPECT_EQ(reader.spec.read.max_errors, 0);
}

TEST(ConfiguredReader, AWindowCountsChunksOrSamples) {
  EXPECT_EQ(text_order("randomizationWindow=30").window_chunks, 30);
  EXPECT_EQ(composite_order("randomizationWindow=30").window_samples, 30);
  EXPECT_EQ(text_order("randomizationWindow=30;sampleBasedRandomizationWindow=true").window_samples,
            30);
  EXPECT_EQ(
      composite_order("randomizationWindow=30;sampleBasedRandomizationWindow=false").window_chunks,
      30);
}

TEST(ConfiguredReader, TheDefaultWindowIsFourGiBOrAllData) {
  EXPECT_EQ(text_order("chunkSizeInBytes=1048576").window_chunks, 4096);
  EXPECT_EQ(text_order("sampleBasedRandomizationWindow=true").window_samples, kAll);
  EXPECT_EQ(composite_order("").window_chunks, 128);
  EXPECT_EQ(composite_order("chunkSizeInBytes=1048576").window_chunks, 4096);
  EXPECT_EQ(binary_order("").window_chunks, 128);
  EXPECT_EQ(binary_order("chunkSizeInBytes=1048576").window_chunks, 128);
  EXPECT_EQ(binary_order("sampleBasedRandomizationWindow=true").window_samples, kAll);
  for (const std::string unit : {"", "sampleBasedRandomizationWindow=false;"}) {
    const ConfiguredReader binary =
        reader_of("r=[" + unit + "deserializers=([type=CNTKBinaryFormatDeserializer;file=f])]");
    EXPECT_EQ(binary.spec.read.order.window_samples, kAll) << unit;
  }
}

TEST(ConfiguredReader, TheWindowOfACompositeReaderOfTextIsItsOwn) {
  // To choose the unit of measure, CNTK reads the setting of the section only.
  EXPECT_EQ(
      reader_of("randomizationWindow=5\n" + composite_section("")).spec.read.order.window_chunks,
      128);
  EXPECT_EQ(error_of([] { composite_order("sampleBasedRandomizationWindow=true"); }),
            "a.cntk:2:32: error: expected a randomizationWindow in samples beside it as "
            "/r/sampleBasedRandomizationWindow, found "
            "\"true\" [config-value]");
}

TEST(ConfiguredReader, RandomizeIsABoolOrAWord) {
  for (const std::string_view off : {"false", "none", "None", "NONE", "0", "F"}) {
    EXPECT_EQ(text_order("randomize=" + std::string(off)).algorithm, OrderAlgorithm::file) << off;
    EXPECT_EQ(composite_order("randomize=" + std::string(off)).algorithm, OrderAlgorithm::file);
  }
  EXPECT_EQ(text_order("randomize=\"auto\"").algorithm, OrderAlgorithm::cntk);
  EXPECT_EQ(reader_warnings(text_section("randomize=auto")),
            "config-auto CNTK 2.x refuses auto for this reader; taken for true\n");
  EXPECT_EQ(reader_warnings(text_section("randomize=true")), "");
  EXPECT_EQ(
      error_of([] { text_order("randomize=yes"); }),
      "a.cntk:4:11: error: expected true or false as /r/randomize, found \"yes\" [config-bool]");
}

TEST(ConfiguredReader, AWindowOfZeroTurnsRandomizationOff) {
  EXPECT_EQ(text_order("randomizationWindow=0").algorithm, OrderAlgorithm::file);
  EXPECT_NE(reader_warnings(text_section("randomizationWindow=0")), "");
}

TEST(ConfiguredReader, AWindowOfZeroMeansOneInACompositeReader) {
  for (const std::string unit : {"true", "false"}) {
    const std::string settings = "randomizationWindow=0;sampleBasedRandomizationWindow=" + unit;
    EXPECT_EQ(composite_order(settings).algorithm, OrderAlgorithm::cntk);
    EXPECT_EQ(composite_order(settings).window_chunks, 1);
    EXPECT_NE(reader_warnings(composite_section(settings)), "");
  }
  EXPECT_NE(error_of([] { composite_order("randomizationWindow=-1"); }), "no error");
}

TEST(ConfiguredReader, FramesAndTruncationChooseThePacking) {
  EXPECT_EQ(reader_of(text_section("frameMode=true")).spec.read.packing, Layout::frames);
  EXPECT_EQ(reader_of(composite_section("frameMode=true")).spec.read.packing, Layout::frames);
  const ConfiguredReader truncated =
      reader_of(composite_section("truncated=true;truncationLength=20"));
  EXPECT_EQ(truncated.spec.read.packing, Layout::truncated);
  EXPECT_EQ(truncated.spec.read.order.truncation_length, 20);
  EXPECT_NE(error_of([] { reader_of(composite_section("truncated=true")); }), "no error");
  EXPECT_EQ(reader_warnings(composite_section("truncated=false;truncationLength=20")), "");
  EXPECT_NE(error_of([] {
              reader_of(composite_section("truncated=true;truncationLength=20;frameMode=true"));
            }),
            "no error");
}

TEST(ConfiguredReader, ABinaryReaderDeliversWholeSequences) {
  const std::string text =
      "r=[readerType=CNTKBinaryReader;file=f;frameMode=true;truncated=true;truncationLength=20]";
  const ConfiguredReader reader = reader_of(text);
  EXPECT_EQ(reader.spec.read.packing, Layout::packed);
  EXPECT_EQ(reader.spec.read.order.truncation_length, std::nullopt);
  EXPECT_EQ(reader.ignored.size(), 3);
  EXPECT_EQ(reader_warnings(text), "");
  EXPECT_EQ(reader_of("r=[frameMode=true;deserializers=([type=CNTKBinaryFormatDeserializer;"
                      "file=f])]")
                .spec.read.packing,
            Layout::frames);
}

TEST(ConfiguredReader, TheLastRenamingOfABinaryStreamCounts) {
  const std::string text =
      "r=[readerType=CNTKBinaryReader;file=f;input=[z=[alias=a];A=[alias=a];B=[];c=[alias=B]]]";
  const ConfiguredReader reader = reader_of(text);
  const std::vector<StreamOptions>& streams = files_of(reader.spec.data).at(0)->format.streams;
  ASSERT_EQ(streams.size(), 2);
  EXPECT_EQ(streams[0].name, "c");
  EXPECT_EQ(streams[1].name, "z");
  EXPECT_EQ(reader_warnings(text),
            "config-ignored \"B\" has it, and is ignored\n"
            "config-ignored \"A\" has it, and is ignored\n");
}

TEST(ConfiguredReader, WriteActionsReadInOrder) {
  const ConfiguredReader reader = reader_of(composite_section("action=Write;frameMode=true"));
  EXPECT_EQ(reader.spec.read.order.algorithm, OrderAlgorithm::file);
  EXPECT_EQ(reader.spec.read.packing, Layout::packed);
}

TEST(ConfiguredReader, WriteActionsIgnoreTheOrderOfTraining) {
  for (const std::string settings :
       {"randomize=yes", "truncated=true", "truncated=true;frameMode=true;truncationLength=0"}) {
    const std::string text = composite_section("action=write;" + settings);
    const ReadSpec read = reader_of(text).spec.read;
    EXPECT_EQ(read.order.algorithm, OrderAlgorithm::file) << settings;
    EXPECT_EQ(read.order.truncation_length, std::nullopt) << settings;
    EXPECT_EQ(read.packing, Layout::packed) << settings;
    EXPECT_EQ(reader_warnings(text), "");
  }
}

TEST(ConfiguredReader, WindowsAndSeedsAreUnsignedNumbers) {
  constexpr std::string_view kMost = "18446744073709551615";
  const std::string window = "randomizationWindow=" + std::string(kMost);
  EXPECT_EQ(text_order(window).window_chunks, kAll);
  EXPECT_EQ(composite_order(window).window_samples, kAll);
  const std::string seed = "randomizationSeed=";
  for (const std::string_view number : {"0", "9223372036854775808", "18446744073709551615"}) {
    EXPECT_EQ(std::to_string(text_order(seed + std::string(number)).seed), number);
    EXPECT_EQ(std::to_string(composite_order(seed + std::string(number)).seed), number);
  }
  for (const std::string number : {"-1", "18446744073709551616", "1.0"}) {
    EXPECT_EQ(error_of([&] { text_order(seed + number); }),
              "a.cntk:4:19: error: expected a whole number from 0 to 18446744073709551615 as "
              "/r/randomizationSeed, found \"" +
                  number + "\" [config-integer]");
  }
}

TEST(ConfiguredReader, WorkersHaveLocalTimelinesByDefault) {
  EXPECT_EQ(composite_order("").timeline, Timeline::local);
  EXPECT_EQ(composite_order("localTimeline=false").timeline, Timeline::global);
}

TEST(ConfiguredReader, ErrorsOfFilesAndReaderAreToleratedTogether) {
  EXPECT_EQ(reader_of(text_section("maxErrors=3")).spec.read.max_errors, 3);
  EXPECT_EQ(reader_of(text_section("maxErrors=-1")).spec.read.max_errors, kAll);
  EXPECT_EQ(reader_of(composite_section("maxErrors=3")).spec.read.max_errors, 3);
  EXPECT_EQ(reader_of("r=[maxErrors=3;deserializers=([type=CNTKTextFormatDeserializer;file=f;"
                      "maxErrors=4;input=[x=[dim=1;format=dense]]])]")
                .spec.read.max_errors,
            7);
  EXPECT_NE(error_of([] { reader_of(text_section("maxErrors=-2")); }), "no error");
}

TEST(ConfiguredReader, KeysFollowTheKeySettings) {
  const auto keys = [](std::string_view settings) {
    return files_of(reader_of(composite_section(settings)).spec.data).at(0)->format.keys;
  };
  EXPECT_EQ(keys(""), std::nullopt);
  EXPECT_EQ(keys("useNumericSequenceKeys=true"), KeyType::numeric);
  EXPECT_EQ(keys("useNumericSequenceKeys=false"), KeyType::text);
  EXPECT_EQ(keys("useNumericSequenceKeys=false;hashSequenceKeys=true"), KeyType::text);
  EXPECT_NE(error_of([&] { keys("hashSequenceKeys=true"); }), "no error");
}

TEST(ConfiguredReader, ADeserializerInheritsOnlyPrecision) {
  const ConfiguredReader reader = reader_of("precision=double;skipSequenceIds=true\n" +
                                            composite_section("chunkSizeInBytes=1000"));
  EXPECT_EQ(files_of(reader.spec.data).at(0)->format.dtype, ElementType::f64);
  EXPECT_FALSE(files_of(reader.spec.data).at(0)->format.skip_sequence_ids);
  EXPECT_EQ(files_of(reader.spec.data).at(0)->format.chunk_size_bytes, 32 << 20);
  EXPECT_NE(error_of([] { reader_of("precision=half\n" + composite_section("")); }), "no error");
}

TEST(ConfiguredReader, SeveralDeserializersAreJoined) {
  const std::string text =
      "r=[missingSequences=absent;deserializers=([type=CNTKTextFormatDeserializer;file=a;input=["
      "x=[dim=1;format=dense]]]:[type=CNTKBinaryFormatDeserializer;file=b])]";
  const ConfiguredReader reader = reader_of(text);
  ASSERT_EQ(files_of(reader.spec.data).size(), 2);
  EXPECT_EQ(files_of(reader.spec.data).at(0)->files, std::vector<std::string>{"a"});
  EXPECT_EQ(files_of(reader.spec.data).at(1)->files, std::vector<std::string>{"b"});
  EXPECT_EQ(std::get<JoinSpec>(reader.spec.data.content).missing_sequences,
            MissingSequences::absent);
}

TEST(ConfiguredReader, UnsupportedReadersAndUnknownReadersGiveDifferentErrors) {
  EXPECT_EQ(error_of([] { reader_of("r=[readerType=KaldiReader;file=f]"); }),
            "a.cntk:1:15: error: expected \"CNTKTextFormatReader\" or \"CNTKBinaryReader\" or "
            "\"HTKDeserializers\" or \"Kaldi2Reader\" or \"ImageReader\" as /r/readerType, found "
            "\"KaldiReader\" "
            "[config-value]");
  EXPECT_EQ(error_of([] { reader_of("r=[deserializers=([type=CNTKTextDeserializer;file=f])]"); }),
            "a.cntk:1:25: error: expected \"CNTKTextFormatDeserializer\" or "
            "\"CNTKBinaryFormatDeserializer\" or \"HTKFeatureDeserializer\" or "
            "\"HTKMLFDeserializer\" or \"LatticeDeserializer\" or \"ImageDeserializer\" or "
            "\"Base64ImageDeserializer\" as "
            "/r/deserializers@0/type, found "
            "\"CNTKTextDeserializer\" [config-value]");
  EXPECT_NE(error_of([] { reader_of("r=[readers=a:b]"); }), "no error");
  EXPECT_NE(error_of([] { reader_of("r=[deserializers=()]"); }), "no error");
}

TEST(ConfiguredReader, UnusedSettingsAreWarnings) {
  EXPECT_EQ(reader_warnings(text_section("randomise=false")),
            "config-unknown did you mean randomize?\n");
  EXPECT_EQ(reader_warnings(text_section("minibatchSize=20")),
            "config-unknown it is the trainer's (SGD); who reads says how large minibatches and "
            "epochs are\n");
  EXPECT_EQ(reader_warnings("r=[file=f;input=[x=[dim=2;format=dense;aliass=y]]]"),
            "config-unknown did you mean alias?\n");
  const std::string ignored = "traceLevel=2;prefetch=false;verbosity=1;checkData=true";
  EXPECT_EQ(reader_warnings(composite_section(ignored)), "");
  EXPECT_EQ(reader_warnings(text_section(ignored)), "");
  EXPECT_EQ(reader_of(text_section(ignored)).ignored.size(), 4);
}

TEST(ConfiguredReader, AWindowHasNoEffectWithoutShuffling) {
  const std::string settings =
      "randomize=false;randomizationWindow=30;sampleBasedRandomizationWindow=false";
  for (const std::string& text : {text_section(settings), composite_section(settings)}) {
    EXPECT_EQ(reader_warnings(text), "");
    const ConfiguredReader reader = reader_of(text);
    EXPECT_EQ(reader.spec.read.order.algorithm, OrderAlgorithm::file);
    ASSERT_EQ(reader.ignored.size(), 2);
    EXPECT_EQ(reader.ignored[0].path, "/r/randomizationWindow");
    EXPECT_EQ(reader.ignored[1].path, "/r/sampleBasedRandomizationWindow");
  }
}

TEST(ConfiguredReader, SettingsWithoutEffectAreListed) {
  const ConfiguredReader reader = reader_of(text_section("traceLevel=2;keepDataInMemory=true"));
  ASSERT_EQ(reader.ignored.size(), 2);
  EXPECT_EQ(reader.ignored[0].path, "/r/traceLevel");
  EXPECT_EQ(reader.ignored[0].location.line, 4);
  EXPECT_EQ(reader.ignored[1].path, "/r/keepDataInMemory");
}

}  // namespace
}  // namespace sheaf
