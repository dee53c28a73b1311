// Sections of speech, with formats that consist of a name and settings.

#include "cntk/config_streams.h"

#include <array>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/config_reader.h"

#include "cntk/config_text.h"
#include "support/error_of.h"

namespace sheaf::internal {
namespace {

using sheaf::testing::composite;
using sheaf::testing::error_of;
using sheaf::testing::transforms_of;
using sheaf::testing::with_files;
using Paths = std::vector<std::string>;
using Options = std::map<std::string, std::string>;

constexpr std::array<std::string_view, 2> kReaders = {"SpeechReader", "OldSpeechReader"};
constexpr std::array<std::string_view, 1> kDims = {"dim"};
constexpr std::array<std::string_view, 2> kLabelDims = {"labelDim", "dim"};

constexpr std::array<CntkFileSetting, 1> kFrameFiles = {{{.name = "scpFile"}}};
constexpr std::array<CntkSetting, 2> kFrameSettings = {{
    {.name = "prefixPathInSCP",
     .kind = CntkSetting::Kind::text,
     .option = "format_options.frames.prefix"},
    {.name = "maxSequenceSize",
     .kind = CntkSetting::Kind::whole,
     .option = "format_options.frames.max_samples",
     .min = 1},
}};
constexpr CntkStream kFrameStream = {.files = kFrameFiles,
                                     .dims = kDims,
                                     .settings = kFrameSettings,
                                     .type = "real",
                                     .makes_text_keys = true,
                                     .has_context = true};
constexpr std::array<std::string_view, 1> kFrameTypes = {"FrameDeserializer"};
constexpr CntkNames kFrameNames = {
    .readers = kReaders, .deserializers = kFrameTypes, .stream = &kFrameStream};

constexpr std::array<CntkFileSetting, 2> kLabelFiles = {
    {{.name = "mlfFile"}, {.name = "mlfFileList", .kind = CntkFileSetting::Kind::list}}};
constexpr std::array<CntkSetting, 2> kLabelSettings = {{
    {.name = "labelMappingFile",
     .kind = CntkSetting::Kind::path,
     .option = "format_options.labels.states"},
    {.name = "phoneBoundaries",
     .kind = CntkSetting::Kind::truth,
     .option = "format_options.labels.boundaries",
     .needs_sequences = true},
}};
constexpr std::array<CntkSetting, 1> kLabelChunks = {{{.name = "chunkSizeInBytes",
                                                       .kind = CntkSetting::Kind::whole,
                                                       .option = "chunk_size",
                                                       .min = 1}}};
constexpr CntkStream kLabelStream = {.files = kLabelFiles,
                                     .dims = kLabelDims,
                                     .settings = kLabelSettings,
                                     .storage = Storage::sparse,
                                     .type = "category",
                                     .may_be_first = false,
                                     .makes_text_keys = true};
constexpr std::array<std::string_view, 1> kLabelTypes = {"LabelDeserializer"};
constexpr CntkNames kLabelNames = {.readers = kReaders,
                                   .deserializers = kLabelTypes,
                                   .settings = kLabelChunks,
                                   .stream = &kLabelStream};

constexpr std::array<CntkFileSetting, 1> kBlobFiles = {{{.name = "indexFile"}}};
constexpr std::array<CntkFixedOption, 1> kBlobOptions = {{{.name = "blobs.as", .value = "f32"}}};
constexpr CntkStream kBlobStream = {
    .files = kBlobFiles, .options = kBlobOptions, .may_be_first = false, .has_parts = false};
constexpr std::array<std::string_view, 1> kBlobTypes = {"BlobDeserializer"};
constexpr CntkNames kBlobNames = {.deserializers = kBlobTypes, .stream = &kBlobStream};

Format row(std::string_view name, const CntkNames& names) {
  Format format = builtin_formats()[0];
  format.name = name;
  format.cntk = &names;
  return format;
}

const std::vector<Format>& formats() {
  static const std::vector<Format> all = [] {
    std::vector<Format> rows(builtin_formats().begin(), builtin_formats().end());
    rows.push_back(row("frames", kFrameNames));
    rows.push_back(row("labels", kLabelNames));
    rows.push_back(row("blobs", kBlobNames));
    return rows;
  }();
  return all;
}

ConfiguredReader speech_reader_of(const std::string& text, const ConfigOptions& options = {}) {
  return configured_reader(Config::from_text(text, "a.cntk", options).section_at("r"), formats());
}

std::string frames(std::string_view settings = "dim=33", std::string_view name = "x") {
  return "[type=FrameDeserializer;input=[" + std::string(name) + "=[scpFile=" + std::string(name) +
         ".scp;" + std::string(settings) + "]]]";
}

std::string labels(std::string_view settings = "mlfFile=y.mlf;labelDim=5") {
  return "[type=LabelDeserializer;input=[y=[" + std::string(settings) + "]]]";
}

std::string refusal(const std::string& text) {
  return error_of<ConfigError>([&] { static_cast<void>(speech_reader_of(text)); });
}

TEST(ConfigStreams, TheSectionOfAStreamNamesItsFiles) {
  const ConfiguredReader reader = speech_reader_of(
      composite(frames("dim=33;contextWindow=11;prefixPathInSCP=\"d\\e\";maxSequenceSize=9")));
  const auto& files = std::get<FilesSpec>(reader.spec.data.content);
  EXPECT_EQ(files.files, Paths{"x.scp"});
  EXPECT_EQ(files.format.format, "frames");
  EXPECT_EQ(files.format.extra, (Options{{"frames.prefix", "d\\e"}, {"frames.max_samples", "9"}}));
  EXPECT_EQ(files.format.keys, KeyType::text);
  ASSERT_EQ(files.format.streams.size(), 1U);
  EXPECT_EQ(files.format.streams[0].sample_shape, Shape{33});
  EXPECT_EQ(transforms_of(reader), Paths{"context:x:left=5,right=5"});
  EXPECT_EQ(reader.spec.read.packing, Layout::packed);
  EXPECT_FALSE(reader.spec.read.order.split_frames);
  EXPECT_EQ(reader.spec.read.order.window_samples, kAll);
}

TEST(ConfigStreams, TheDimOfTheFileGivesTheDefaultContextWindow) {
  const ConfiguredReader reader = speech_reader_of(composite(frames("dim=363")));
  const auto& files = std::get<FilesSpec>(reader.spec.data.content);
  EXPECT_EQ(files.format.streams[0].sample_shape, std::nullopt);
  EXPECT_EQ(transforms_of(reader), Paths{"context:x:dim=363"});
  EXPECT_EQ(transforms_of(speech_reader_of(composite(frames("dim=3;contextWindow=1")))),
            Paths{"context:x:dim=3"});
  EXPECT_EQ(transforms_of(speech_reader_of(composite(frames("dim=3;contextWindow=2:1")))),
            Paths{"context:x:left=2,right=1"});
}

TEST(ConfigStreams, SeveralStreamsAreJoinedByTheirTextKeys) {
  const ConfiguredReader reader = speech_reader_of(composite(
      frames() + ":" +
      labels("mlfFile=y.mlf;dim=4;labelDim=5;labelMappingFile=s.list;phoneBoundaries=true")));
  const auto& join = std::get<JoinSpec>(reader.spec.data.content);
  ASSERT_EQ(join.members.size(), 2U);
  EXPECT_EQ(join.lengths, Lengths::any);
  const auto& files = std::get<FilesSpec>(join.members[1].content);
  EXPECT_EQ(files.format.extra,
            (Options{{"labels.states", "s.list"}, {"labels.boundaries", "true"}}));
  EXPECT_EQ(files.format.streams[0].storage, Storage::sparse);
  EXPECT_EQ(files.format.streams[0].sample_shape, Shape{5});
  EXPECT_EQ(files.format.keys, KeyType::text);
}

TEST(ConfigStreams, NumericKeysApplyToAllMembers) {
  const ConfiguredReader reader =
      speech_reader_of(composite(frames() + ":" + labels(), "useNumericSequenceKeys=true"));
  const auto& join = std::get<JoinSpec>(reader.spec.data.content);
  ASSERT_EQ(join.members.size(), 2U);
  for (const DataSpec& member : join.members) {
    EXPECT_EQ(std::get<FilesSpec>(member.content).format.keys, KeyType::numeric);
  }
}

TEST(ConfigStreams, LengthsAreThoseOfTheFirstDataSet) {
  const ConfiguredReader reader = speech_reader_of(
      composite(frames("dim=33;definesMBSize=true") + ":" + labels(), "frameMode=true"));
  EXPECT_EQ(reader.spec.read.packing, Layout::frames);
  EXPECT_TRUE(reader.spec.read.order.split_frames);
  const auto& join = std::get<JoinSpec>(reader.spec.data.content);
  EXPECT_EQ(join.lengths, Lengths::at_least);
  EXPECT_EQ(join.length_streams, Paths{});
  EXPECT_FALSE(files_of(reader.spec.data)[0]->format.streams[0].defines_minibatch_size);
}

TEST(ConfigStreams, TruncatedSequencesAreEquallyLong) {
  constexpr std::string_view kTruncated = "truncated=true;truncationLength=4";
  const ConfiguredReader reader =
      speech_reader_of(composite(frames() + ":" + labels(), kTruncated));
  EXPECT_EQ(std::get<JoinSpec>(reader.spec.data.content).lengths, Lengths::equal);
  const std::string members = frames() + ":" + frames("dim=9;expandToUtterance=true", "v");
  const ConfiguredReader repeated = speech_reader_of(composite(members, kTruncated));
  EXPECT_EQ(std::get<JoinSpec>(repeated.spec.data.content).length_streams, Paths{"x"});
}

TEST(ConfigStreams, AnExpandedStreamIsRepeatedForEachFrame) {
  const std::string members = frames("dim=33;contextWindow=3") + ":" +
                              frames("dim=9;expandToUtterance=true", "v") + ":" + labels();
  const ConfiguredReader reader = speech_reader_of(composite(members, "frameMode=true"));
  EXPECT_EQ(transforms_of(reader),
            (Paths{"broadcast:v:like=x", "context:x:left=1,right=1", "context:v:dim=9"}));
  EXPECT_EQ(std::get<JoinSpec>(reader.spec.data.content).length_streams, (Paths{"x", "y"}));
}

TEST(ConfigStreams, TheSizeMayBeDefinedAtAnyLevelOfTheDeserializer) {
  const auto defines = [](const std::string& member) {
    const ConfiguredReader reader = speech_reader_of(composite(frames("dim=1") + ":" + member));
    return files_of(reader.spec.data)[1]->format.streams[0].defines_minibatch_size;
  };
  EXPECT_FALSE(defines(frames("dim=1", "v")));
  EXPECT_TRUE(defines(frames("dim=1;definesMBSize=true", "v")));
  EXPECT_TRUE(
      defines("[type=FrameDeserializer;input=[definesMBSize=true;v=[scpFile=v.scp;dim=1]]]"));
  EXPECT_TRUE(
      defines("[type=FrameDeserializer;definesMBSize=true;input=[v=[scpFile=v.scp;dim=1]]]"));
}

TEST(ConfigStreams, AnExpandedStreamMayCountTruncatedSequences) {
  const auto defines = [](std::string_view settings) {
    const std::string v = frames("dim=1;expandToUtterance=true;definesMBSize=true", "v");
    const ConfiguredReader reader = speech_reader_of(composite(frames() + ":" + v, settings));
    return files_of(reader.spec.data)[1]->format.streams[0].defines_minibatch_size;
  };
  EXPECT_TRUE(defines(""));
  EXPECT_TRUE(defines("truncated=true;truncationLength=4"));
  EXPECT_FALSE(defines("frameMode=true"));
}

TEST(ConfigStreams, FilesMayBeAListOrListed) {
  const auto paths = [](const std::string& settings, const ConfigOptions& options = {}) {
    const ConfiguredReader reader =
        speech_reader_of(composite(frames() + ":" + labels(settings + ";dim=5")), options);
    return files_of(reader.spec.data)[1]->files;
  };
  EXPECT_EQ(paths("mlfFileList=a.mlf:b.mlf"), (Paths{"a.mlf", "b.mlf"}));
  EXPECT_EQ(paths("mlfFileList=(a.mlf:b.mlf)"), (Paths{"a.mlf", "b.mlf"}));
  const ConfigOptions files = with_files({{"l.txt", "a.mlf\r\n\n  d/b.mlf \nc.mlf"}});
  EXPECT_EQ(paths("mlfFileList=l.txt", files), (Paths{"a.mlf", "d/b.mlf", "c.mlf"}));
  EXPECT_NE(error_of<ConfigError>([&] {
              static_cast<void>(paths("mlfFileList=e.txt", with_files({{"e.txt", "\n\n"}})));
            }).find("at least one file"),
            std::string::npos);
}

TEST(ConfigStreams, BlobsAreAlwaysReadAsFloats) {
  const ConfiguredReader reader = speech_reader_of(
      composite(frames() + ":[type=BlobDeserializer;input=[b=[indexFile=b.index]]]"));
  const FilesSpec& files = *files_of(reader.spec.data)[1];
  EXPECT_EQ(files.format.extra, (Options{{"blobs.as", "f32"}}));
  EXPECT_EQ(files.format.streams[0].sample_shape, std::nullopt);
}

TEST(ConfigStreams, TheOldReadersHaveStreamsAsSections) {
  const ConfiguredReader reader = speech_reader_of(
      "r=[readerType=OldSpeechReader;miniBatchMode=partial;\n"
      "z=[scpFile=z.scp;dim=2;type=Real]\n"
      "b=[mlfFile=b.mlf;labelDim=5;labelType=category]\n"
      "m=[phoneFile=p]\n"
      "A=[scpFile=a.scp;dim=3]]");
  const auto all = files_of(reader.spec.data);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0]->format.streams[0].name, "A");
  EXPECT_EQ(all[1]->format.streams[0].name, "z");
  EXPECT_EQ(all[2]->format.streams[0].name, "b");
  EXPECT_EQ(reader.spec.read.packing, Layout::frames);
  EXPECT_TRUE(reader.spec.read.order.split_frames);
  EXPECT_EQ(reader.spec.read.order.algorithm, OrderAlgorithm::cntk);
  EXPECT_EQ(reader.spec.read.order.window_samples, kAll);
  EXPECT_EQ(reader.spec.read.order.timeline, Timeline::global);
  ASSERT_EQ(reader.ignored.size(), 2U);
  EXPECT_EQ(reader.ignored[0].path, "/r/m");
}

TEST(ConfigStreams, OnlyTheOldReadersCompareTheType) {
  const ConfiguredReader reader = speech_reader_of(
      composite(frames("dim=3;type=other") + ":" + labels("mlfFile=y;dim=5;labelType=other")));
  EXPECT_EQ(files_of(reader.spec.data).size(), 2U);
  EXPECT_NE(error_of([] {
              static_cast<void>(speech_reader_of(
                  "r=[readerType=SpeechReader\nx=[scpFile=x.scp;dim=2;type=other]]"));
            }).find("\"real\""),
            std::string::npos);
}

TEST(ConfigStreams, ASectionWithFilesOfTwoKindsIsOfTheFirstKind) {
  const ConfiguredReader reader = speech_reader_of(
      "r=[readerType=SpeechReader\nx=[scpFile=x.scp;mlfFile=x.mlf;dim=2;labelDim=3]]");
  const auto all = files_of(reader.spec.data);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0]->files, Paths{"x.scp"});
}

TEST(ConfigStreams, TheOldReadersShuffleAWindowOfSamplesOrNotAtAll) {
  const auto order = [](const std::string& settings) {
    return speech_reader_of("r=[readerType=SpeechReader;" + settings + "\nx=[scpFile=x.scp;dim=2]]")
        .spec.read;
  };
  EXPECT_EQ(order("randomize=450000").order.window_samples, 450000);
  EXPECT_EQ(order("randomize=Auto").order.window_samples, kAll);
  EXPECT_EQ(order("readMethod=none;randomize=none").order.algorithm, OrderAlgorithm::file);
  EXPECT_EQ(order("readMethod=RollingWindow;randomize=None").order.algorithm, OrderAlgorithm::file);
  for (const std::string refused : {"rollingWindow", "rollingWindow;randomize=auto", "other"}) {
    EXPECT_NE(error_of([&] {
                static_cast<void>(order("readMethod=" + refused));
              }).find("expected blockRandomize or none"),
              std::string::npos);
  }
  EXPECT_EQ(order("frameMode=false").packing, Layout::packed);
  const ReadSpec truncated = order("frameMode=false;truncated=true;truncationLength=20");
  EXPECT_EQ(truncated.packing, Layout::truncated);
  EXPECT_EQ(truncated.order.truncation_length, 20);
  EXPECT_EQ(order("readMethod=none;action=write").packing, Layout::packed);
}

TEST(ConfigStreams, TheOldReadersDefaultTheTruncationLengthToTheMinibatchSize) {
  const auto order = [](const std::string& settings, std::int64_t minibatch_size) {
    const Config config = Config::from_text(
        "r=[readerType=SpeechReader;frameMode=false;" + settings + "\nx=[scpFile=x.scp;dim=2]]",
        "a.cntk", {});
    return configured_reader(config.section_at("r"), formats(), minibatch_size).spec.read;
  };
  for (const std::string length : {"", ";truncationLength=0"}) {
    const ReadSpec one = order("truncated=true" + length, 20);
    EXPECT_EQ(one.packing, Layout::truncated);
    EXPECT_EQ(one.order.truncation_length, 20);
    EXPECT_EQ(one.order.minibatch_size, 20);
    const ReadSpec three = order("truncated=true;nbruttsineachrecurrentiter=3" + length, 20);
    EXPECT_EQ(three.order.truncation_length, 20);
    EXPECT_EQ(three.order.minibatch_size, 60);
  }
  const ReadSpec said = order("truncated=true;truncationLength=5;nbruttsineachrecurrentiter=3", 20);
  EXPECT_EQ(said.order.truncation_length, 5);
  EXPECT_EQ(said.order.minibatch_size, 20);
  const ReadSpec whole = order("nbruttsineachrecurrentiter=3", 20);
  EXPECT_FALSE(whole.order.truncation_length);
  EXPECT_EQ(whole.order.minibatch_size, 20);
  constexpr std::int64_t kHalf = std::int64_t{1} << 62;
  EXPECT_EQ(order("truncated=true", kHalf).order.minibatch_size, kHalf);
  EXPECT_NE(error_of([&] {
              static_cast<void>(order("truncated=true;nbruttsineachrecurrentiter=2", kHalf));
            }).find("fewer utterances"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              static_cast<void>(order("truncated=true;nbruttsineachrecurrentiter=0", 20));
            }).find("nbruttsineachrecurrentiter"),
            std::string::npos);
  EXPECT_EQ(error_of([&] { static_cast<void>(order("", 0)); }),
            "minibatch_size must be at least 1: got 0");
}

TEST(ConfigStreams, ErrorsNameTheSettingAtFault) {
  const struct {
    std::string text;
    std::string_view part;
  } cases[] = {
      {composite(labels()), "LabelDeserializer"},
      {composite(labels() + ":" + frames()), "put this one behind it"},
      {composite(frames("dim=3;contextWindow=4")), "contextWindow"},
      {composite(frames("dim=3;contextWindow=1:2:3")), "contextWindow"},
      {composite(frames("dim=3;contextWindow=0")), "contextWindow"},
      {composite(frames("dim=0")), "dim"},
      {composite(frames("")), "dim"},
      {composite(frames("dim=3;expandToUtterance=true")), "expandToUtterance"},
      {composite("[type=FrameDeserializer;input=[x=[dim=3]]]"), "scpFile"},
      {composite("[type=FrameDeserializer;input=[x=3]]"), "a stream"},
      {composite("[type=FrameDeserializer]"), "input"},
      {composite(frames() + ":" + labels("mlfFile=y;dim=5;phoneBoundaries=true"), "frameMode=true"),
       "phoneBoundaries"},
      {composite(frames() + ":[type=BlobDeserializer;input=[b=[indexFile=b]]]", "frameMode=true"),
       "whole sequences"},
      {composite(frames() + ":[type=BlobDeserializer;input=[b=[indexFile=b]]]",
                 "truncated=true;truncationLength=3"),
       "whole sequences"},
      {composite(frames(), "frameMode=true;truncated=true"), "either frameMode or truncated"},
      {"r=[readerType=SpeechReader;y=[mlfFile=y.mlf;dim=5]]", "a stream of features"},
      {"r=[readerType=SpeechReader;randomize=none;x=[scpFile=x;dim=5]]", "readMethod=none"},
      {"r=[readerType=SpeechReader;readMethod=rollingWindow;x=[scpFile=x;dim=5]]",
       "blockRandomize or none"},
      {"r=[readerType=SpeechReader;truncated=true;x=[scpFile=x;dim=5]]",
       "either frameMode or truncated"},
      {"r=[readerType=SpeechReader;action=write;x=[scpFile=x;dim=5]]", "readMethod=none"},
      {"r=[readerType=SpeechReader;x=[scpFile=x;dim=5;type=category]]", "\"real\""},
  };
  for (const auto& each : cases) {
    EXPECT_NE(refusal(each.text).find(each.part), std::string::npos) << each.text << "\n"
                                                                     << refusal(each.text);
  }
}

TEST(ConfigStreams, FurtherStreamsOfADeserializerAreIgnoredWithAWarning) {
  const Config config = Config::from_text(
      composite("[type=FrameDeserializer;input=[b=[scpFile=b.scp;dim=1];a=[scpFile=a.scp;dim=1]]]"),
      "a.cntk");
  const ConfiguredReader reader = configured_reader(config.section_at("r"), formats());
  EXPECT_EQ(files_of(reader.spec.data)[0]->format.streams[0].name, "a");
  ASSERT_FALSE(config.warnings().empty());
  EXPECT_NE(config.warnings()[0].hint.find("one stream, the first by name"), std::string::npos);
}

}  // namespace
}  // namespace sheaf::internal
