// Sections of images, with formats that consist of a name and settings.

#include "cntk/config_images.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/config_reader.h"

#include "base/text.h"
#include "cntk/config_text.h"
#include "support/error_of.h"

namespace sheaf::internal {
namespace {

using sheaf::testing::composite;
using sheaf::testing::error_of;
using sheaf::testing::transforms_of;
using Texts = std::vector<std::string>;
using Extra = std::map<std::string, std::string>;

constexpr CntkImages kImages = {.image = "image",
                                .label = "label",
                                .view = "view",
                                .labels = "pictures.labels",
                                .classes = "pictures.classes",
                                .views = "pictures.views",
                                .is_chunk_each = true};
constexpr std::array<std::string_view, 1> kPictureReaders = {"PictureReader"};
constexpr std::array<std::string_view, 1> kPictureTypes = {"PictureDeserializer"};
constexpr CntkNames kPictureNames = {
    .readers = kPictureReaders, .deserializers = kPictureTypes, .images = &kImages};

ConfiguredReader images_of(const ConfigSection& section) {
  static const std::vector<Format> kFormats = [] {
    std::vector<Format> rows(builtin_formats().begin(), builtin_formats().end());
    Format format = rows[0];
    format.name = "pictures";
    format.cntk = &kPictureNames;
    rows.push_back(format);
    return rows;
  }();
  return configured_reader(section, kFormats);
}

ConfiguredReader image_reader_of(const std::string& text) {
  return images_of(Config::from_text(text, "a.cntk", {}).section_at("r"));
}

std::string deserializer(std::string_view transforms, std::string_view settings = "",
                         std::string_view name = "x") {
  return "[type=PictureDeserializer;file=" + std::string(name) + ".map;" + std::string(settings) +
         ";input=[" + std::string(name) + "=[transforms=(" + std::string(transforms) + ")];" +
         std::string(name) + "_class=[labelDim=4]]]";
}

Texts steps_of(std::string_view transforms, std::string_view settings = "") {
  return transforms_of(image_reader_of(composite(deserializer(transforms, settings))));
}

std::string image_refusal(std::string_view transforms) {
  return error_of<ConfigError>([&] { static_cast<void>(steps_of(transforms)); });
}

TEST(ConfigImages, AMapFileHasAnImageAndALabelStream) {
  const ConfiguredReader reader = image_reader_of(composite(deserializer("")));
  const auto& files = std::get<FilesSpec>(reader.spec.data.content);
  EXPECT_EQ(files.files, Texts{"x.map"});
  EXPECT_EQ(files.format.format, "pictures");
  EXPECT_EQ(files.format.extra, (Extra{{"pictures.labels", "one_hot"}, {"pictures.classes", "4"}}));
  ASSERT_EQ(files.format.streams.size(), 2U);
  EXPECT_EQ(files.format.streams[0].name, "x");
  EXPECT_EQ(files.format.streams[0].alias, "image");
  EXPECT_EQ(files.format.streams[1].name, "x_class");
  EXPECT_EQ(files.format.streams[1].alias, "label");
  EXPECT_EQ(files.format.streams[1].sample_shape, Shape{4});
  EXPECT_EQ(transforms_of(reader),
            (Texts{"decode:x:color=bgr,rules=opencv", "same_size:x", "cast:x:dtype=float32"}));
  EXPECT_EQ(reader.spec.read.order.window_chunks, 1);
  EXPECT_EQ(reader.spec.read.packing, Layout::frames);
}

TEST(ConfigImages, TransformsHaveTheirOrderAndSettings) {
  EXPECT_EQ(
      steps_of("[type=Crop;cropType=RandomSide;sideRatio=0.5:1;jitterType=UniRatio;seed=3]:"
               "[type=Scale;width=8;height=4;channels=1;interpolations=Cubic;scaleMode=pad;"
               "padValue=7]:[type=Color;brightnessRadius=0.2]:[type=Mean;meanFile=m.xml]:"
               "[type=Intensity;intensityStdDev=0.1;intensityFile=i.xml]:[type=Transpose]",
               "grayscale=true"),
      (Texts{"decode:x:color=grey,rules=opencv",
             "crop:x:at=random,draws=ordered,flip=true,jitter=uniform,seed=3,side_ratio=0.5:1",
             "resize:x:antialias=false,channels=1,filter=cubic,mode=pad,pad_value=7,size=4x8",
             "color:x:brightness=0.2,draws=ordered", "mean:x:color=bgr,file=m.xml",
             "intensity:x:color=bgr,deviation=0.1,draws=ordered,file=i.xml", "transpose:x",
             "cast:x:dtype=float32"}));
}

TEST(ConfigImages, TransformsWithoutEffectAreLeftOut) {
  EXPECT_EQ(steps_of("[type=Color;contrastRadius=0]:[type=Mean]:[type=Mean;meanFile=\"\"]:"
                     "[type=Intensity;intensityStdDev=0.1]:[type=Cast]"),
            (Texts{"decode:x:color=bgr,rules=opencv", "same_size:x", "cast:x:dtype=float32",
                   "cast:x:dtype=float32"}));
}

TEST(ConfigImages, ImagesMustHaveOneSizeUnlessAScaleMakesIt) {
  constexpr std::string_view kScale = "[type=Scale;width=8;height=4;channels=3]";
  constexpr std::string_view kCrop = "[type=Crop;cropSize=2]";
  const auto is_checked = [](std::string_view transforms) {
    const Texts steps = steps_of(transforms);
    return std::ranges::find(steps, "same_size:x") != steps.end();
  };
  EXPECT_FALSE(is_checked(kScale));
  EXPECT_FALSE(is_checked(formatted("{}:{}", kCrop, kScale)));
  EXPECT_TRUE(is_checked(formatted("{}:{}", kScale, kCrop)));
  EXPECT_EQ(steps_of(formatted("{}:[type=Transpose]", kCrop)),
            (Texts{"decode:x:color=bgr,rules=opencv", "crop:x:at=center,draws=ordered,size=2x2",
                   "same_size:x", "transpose:x", "cast:x:dtype=float32"}));
  EXPECT_FALSE(is_checked(formatted("[type=Cast]:{}", kScale)));
  EXPECT_FALSE(is_checked("[type=Mean;meanFile=m.xml]"));
  EXPECT_TRUE(is_checked("[type=Mean]"));
}

TEST(ConfigImages, CropSizesAreConverted) {
  const auto crop = [](std::string_view settings) {
    return steps_of("[type=Crop;" + std::string(settings) + "]")[1];
  };
  EXPECT_EQ(crop("cropSize=20"), "crop:x:at=center,draws=ordered,size=20x20");
  EXPECT_EQ(crop("cropSize=5:3;sideRatio=0.5"), "crop:x:at=center,draws=ordered,size=3x5");
  EXPECT_EQ(crop("cropSize=0;areaRatio=0.5;hflip=true"),
            "crop:x:area_ratio=0.5,at=center,draws=ordered,flip=true");
  EXPECT_EQ(crop("cropType=randomarea;areaRatio=0.5;hflip=false;aspectRatio=0.7:1.4"),
            "crop:x:area_ratio=0.5,aspect_ratio=0.7:1.4,at=random,draws=ordered");
}

TEST(ConfigImages, EachOfTenViewsIsASequence) {
  const ConfiguredReader reader =
      image_reader_of(composite(deserializer("[type=Crop;cropType=MultiView10;cropSize=4:3]")));
  const auto& files = std::get<FilesSpec>(reader.spec.data.content);
  EXPECT_EQ(files.format.extra.at("pictures.views"), "10");
  ASSERT_EQ(files.format.streams.size(), 3U);
  EXPECT_EQ(files.format.streams[2].name, "x_view");
  EXPECT_EQ(files.format.streams[2].alias, "view");
  EXPECT_EQ(transforms_of(reader),
            (Texts{"decode:x:color=bgr,rules=opencv", "crop_views:x:size=3x4,view=x_view",
                   "same_size:x", "cast:x:dtype=float32", "select:x+x_class"}));
}

TEST(ConfigImages, TheSizeOfViewsMayBeDrawn) {
  const auto views = [](std::string_view settings) {
    return steps_of(formatted("[type=Crop;cropType=multiview10;{}]", settings))[1];
  };
  EXPECT_EQ(views("sideRatio=0.5;jitterType=UniRatio"), "crop_views:x:side_ratio=0.5,view=x_view");
  EXPECT_EQ(views("sideRatio=0.5:1"), "crop_views:x:side_ratio=0.5:1,view=x_view");
  EXPECT_EQ(views("sideRatio=0.5:1;jitterType=UniRatio;seed=4"),
            "crop_views:x:draws=ordered,jitter=uniform,seed=4,side_ratio=0.5:1,view=x_view");
  EXPECT_EQ(views("areaRatio=0.5;aspectRatio=2"),
            "crop_views:x:area_ratio=0.5,aspect_ratio=2,draws=ordered,view=x_view");
}

TEST(ConfigImages, TheWindowOfTheSectionIsUsed) {
  const auto order_of = [](const std::string& settings) {
    return image_reader_of(composite(deserializer(""), settings)).spec.read;
  };
  EXPECT_EQ(order_of("").order.window_chunks, 1);
  EXPECT_EQ(order_of("randomizationWindow=10").order.window_samples, 10);
  EXPECT_EQ(order_of("randomizationWindow=10").packing, Layout::frames);
  EXPECT_EQ(
      order_of("randomizationWindow=10;sampleBasedRandomizationWindow=false").order.window_chunks,
      10);
}

TEST(ConfigImages, PrecisionSetsTheTypeOfTheResult) {
  const ConfiguredReader reader = image_reader_of(
      composite(deserializer("[type=Mean;meanFile=m.xml]:[type=Color;contrastRadius=1]"),
                "precision=double"));
  EXPECT_EQ(transforms_of(reader),
            (Texts{"decode:x:color=bgr,rules=opencv", "mean:x:color=bgr,dtype=float64,file=m.xml",
                   "color:x:contrast=1,draws=ordered,dtype=float64", "cast:x:dtype=float64"}));
}

TEST(ConfigImages, JoinedImagesUseTheCommonOrder) {
  const ConfiguredReader reader =
      image_reader_of(composite(deserializer("") + ":" + deserializer("", "", "y")));
  EXPECT_EQ(std::get<JoinSpec>(reader.spec.data.content).members.size(), 2U);
  EXPECT_EQ(reader.spec.read.order.window_samples, kAll);
  EXPECT_EQ(reader.spec.read.packing, Layout::packed);
  EXPECT_EQ(transforms_of(reader).size(), 6U);
}

TEST(ConfigImages, TheOldestReaderHasAllSettingsInOneSection) {
  const ConfiguredReader reader = image_reader_of(
      "r=[readerType=PictureReader;file=x.map;randomize=none;numCPUThreads=2\n"
      "x=[width=4;height=8;channels=3;cropType=Center;sideRatio=1.0;jitterType=UniRatio]\n"
      "y=[labelDim=4]]");
  EXPECT_EQ(transforms_of(reader),
            (Texts{"decode:x:color=bgr,rules=opencv",
                   "crop:x:at=center,draws=ordered,jitter=uniform,side_ratio=1.0",
                   "resize:x:antialias=false,channels=3,mode=fill,size=8x4", "transpose:x",
                   "cast:x:dtype=float32", "to_dense:y"}));
  EXPECT_EQ(reader.spec.read.order.algorithm, OrderAlgorithm::file);
  EXPECT_EQ(std::get<FilesSpec>(reader.spec.data.content).format.keys, KeyType::text);
}

TEST(ConfigImages, TheOldestReaderRandomizesByAWord) {
  const auto algorithm = [](std::string_view setting) {
    return image_reader_of(formatted("r=[readerType=PictureReader;file=x.map;{}\n"
                                     "x=[width=4;height=8;channels=3]\ny=[labelDim=4]]",
                                     setting))
        .spec.read.order.algorithm;
  };
  EXPECT_EQ(algorithm(""), OrderAlgorithm::cntk);
  EXPECT_EQ(algorithm("randomize=Auto"), OrderAlgorithm::cntk);
  EXPECT_EQ(algorithm("randomize=None"), OrderAlgorithm::file);
  for (const std::string_view wrong : {"randomize=true", "randomize=false", "randomize=10"}) {
    EXPECT_NE(error_of<ConfigError>([&] {
                static_cast<void>(algorithm(wrong));
              }).find("expected auto or none as /r/randomize"),
              std::string::npos);
  }
}

TEST(ConfigImages, UnusedLabelsAreNotRead) {
  const ConfiguredReader reader =
      image_reader_of(composite("[type=PictureDeserializer;file=x.map;input=[x=[transforms=()];"
                                "_ignore_labels_7=[labelDim=2]]]"));
  const auto& files = std::get<FilesSpec>(reader.spec.data.content);
  EXPECT_EQ(files.format.extra, (Extra{{"pictures.labels", "none"}}));
  ASSERT_EQ(files.format.streams.size(), 1U);
  EXPECT_EQ(files.format.streams[0].name, "x");
}

TEST(ConfigImages, AMeanFileMayStorePlanes) {
  EXPECT_EQ(steps_of("[type=Mean;meanFile=m.xml;meanLayout=planes]")[1],
            "mean:x:color=bgr,file=m.xml,layout=planes");
  EXPECT_EQ(steps_of("[type=Mean;meanFile=m.xml;meanLayout=pixels]")[1],
            "mean:x:color=bgr,file=m.xml");
  EXPECT_NE(image_refusal("[type=Mean;meanLayout=rows]"), "");
}

TEST(ConfigImages, OnlyACastFollowsTranspose) {
  EXPECT_EQ(steps_of("[type=Transpose]:[type=Cast;precision=double]"),
            (Texts{"decode:x:color=bgr,rules=opencv", "same_size:x", "transpose:x",
                   "cast:x:dtype=float32", "cast:x:dtype=float32"}));
  EXPECT_NE(image_refusal("[type=Cast;precision=half]"), "");
  for (const std::string_view after : {"[type=Transpose]", "[type=Crop]", "[type=Mean]"}) {
    EXPECT_NE(image_refusal("[type=Transpose]:" + std::string(after))
                  .find("Cast, or nothing, behind Transpose"),
              std::string::npos);
  }
}

TEST(ConfigImages, PairsInConfigDataAreTextsOrLists) {
  using Members = ConfigData::Members;
  using List = ConfigData::List;
  const auto crop = [](const ConfigData& size, const ConfigData& ratio) {
    const Members step = {{"type", "Crop"}, {"cropSize", size}, {"sideRatio", ratio}};
    const Members input = {{"x", Members{{"transforms", List{step}}}},
                           {"y", Members{{"labelDim", 4}}}};
    const Members said = {{"type", "PictureDeserializer"}, {"file", "x.map"}, {"input", input}};
    return transforms_of(images_of(Config::from_data({{"deserializers", List{said}}}).root()))[1];
  };
  EXPECT_EQ(crop("20:10", "0:0"), "crop:x:at=center,draws=ordered,size=10x20");
  EXPECT_EQ(crop(List{20, 10}, 0), "crop:x:at=center,draws=ordered,size=10x20");
  EXPECT_EQ(crop("0:0", "0.5:0.75"), "crop:x:at=center,draws=ordered,side_ratio=0.5:0.75");
  EXPECT_EQ(crop(0, List{0.5, 0.75}), "crop:x:at=center,draws=ordered,side_ratio=0.5:0.75");
  EXPECT_EQ(crop(0, 0.7), "crop:x:at=center,draws=ordered,side_ratio=0.7");
  for (const ConfigData& wrong :
       {ConfigData("1:2:3"), ConfigData("4:-1"), ConfigData("x"), ConfigData(""), ConfigData(1.5),
        ConfigData(65537), ConfigData(List{})}) {
    EXPECT_NE(error_of<ConfigError>([&] {
                static_cast<void>(crop(wrong, 0));
              }).find("a whole number from 0 to 65536, or two as WIDTH:HEIGHT"),
              std::string::npos);
  }
  for (const ConfigData& wrong : {ConfigData("0.1:0.2:0.3"), ConfigData("x"), ConfigData(List{})}) {
    EXPECT_NE(error_of<ConfigError>([&] {
                static_cast<void>(crop(0, wrong));
              }).find("a number, or two as MIN:MAX"),
              std::string::npos);
  }
  EXPECT_EQ(crop(65536, 0), "crop:x:at=center,draws=ordered,size=65536x65536");
}

TEST(ConfigImages, RefusesTransformsThatCntkRefuses) {
  EXPECT_NE(image_refusal("[type=Blur]"), "");
  EXPECT_NE(image_refusal("[type=Crop;cropType=left]"), "");
  EXPECT_NE(image_refusal("[type=Crop;cropType=randomside]"), "");
  EXPECT_NE(image_refusal("[type=Crop;sideRatio=0.5;areaRatio=0.5]"), "");
  EXPECT_NE(image_refusal("[type=Crop;jitterType=much]"), "");
  EXPECT_NE(image_refusal("[type=Scale;width=4;height=4]"), "");
  EXPECT_NE(image_refusal("[type=Scale;width=4;height=4;channels=3;interpolations=fancy]"), "");
  EXPECT_NE(image_refusal("[type=Scale;width=4;height=4;channels=3;padValue=-2]"), "");
  EXPECT_NE(image_refusal("[type=Color;contrastRadius=1.5]"), "");
  const auto error = [](const std::string& text) {
    return error_of<ConfigError>([&] { static_cast<void>(image_reader_of(text)); });
  };
  const std::string two =
      "[type=PictureDeserializer;file=x.map;input=[a=[transforms=()];"
      "b=[transforms=()];c=[labelDim=4]]]";
  EXPECT_NE(error(composite(two)).find("images have one stream of each kind"), std::string::npos);
  EXPECT_NE(error(composite("[type=PictureDeserializer;file=x.map;input=[a=[transforms=()]]]"))
                .find("a section with labelDim"),
            std::string::npos);
  const std::string views = "[type=Crop;cropType=multiview10;sideRatio=0.5]";
  EXPECT_NE(error(composite(deserializer("") + ":" + deserializer(views, "", "y")))
                .find("ten sequences of one key"),
            std::string::npos);
}

}  // namespace
}  // namespace sheaf::internal
