// Reads tables of arrays with every type of the table in column_type.h.

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "format/columns/arrow_tables.h"
#include "support/error_of.h"

namespace sheaf::columns {
namespace {

ArrowNode floats(std::vector<float> values) { return numbers_of<float>("f", std::move(values)); }
ArrowNode ints(std::vector<std::int32_t> values) {
  return numbers_of<std::int32_t>("i", std::move(values));
}

TEST(TableDeserializer, NumbersAreSamplesOfOneValue) {
  const auto data = open_columns({named("x", floats({1.5F, -2})), named("n", ints({7, 8}))});
  EXPECT_EQ(to_string(data->streams()[0]), "x: dense f32 [1]");
  EXPECT_EQ(to_string(data->streams()[1]), "n: dense i32 [1]");
  EXPECT_EQ(shown(*data), "0 x=[1.5] n=[7]; 1 x=[-2] n=[8]");
}

TEST(TableDeserializer, AllNumberTypesAreRead) {
  const auto data = open_columns({named("c", numbers_of<std::int8_t>("c", {-128, 127})),
                                  named("C", numbers_of<std::uint8_t>("C", {0, 255})),
                                  named("s", numbers_of<std::int16_t>("s", {-32768, 32767})),
                                  named("S", numbers_of<std::uint16_t>("S", {0, 65535})),
                                  named("I", numbers_of<std::uint32_t>("I", {0, 4294967295U})),
                                  named("l", numbers_of<std::int64_t>("l", {-1, 1})),
                                  named("g", numbers_of<double>("g", {0.1, 1e300})),
                                  named("b", bits_of({true, false}))});
  EXPECT_EQ(data->streams()[0].element_type, ElementType::i32);
  EXPECT_EQ(data->streams()[1].element_type, ElementType::u8);
  EXPECT_EQ(data->streams()[3].element_type, ElementType::u16);
  EXPECT_EQ(data->streams()[4].element_type, ElementType::i64);
  const std::string all = shown(*data);
  EXPECT_TRUE(all.starts_with("0 c=[-128] C=[0] s=[-32768] S=[0] I=[0] l=[-1] g=[0.1] b=[1]; "));
  EXPECT_NE(all.find("1 c=[127] C=[255] s=[32767] S=[65535] I=[4294967295] l=[1] g="),
            std::string::npos);
  EXPECT_TRUE(all.ends_with("b=[0]"));
}

TEST(TableDeserializer, ListsAreSamples) {
  const auto data = open_columns(
      {named("a", list_of({0, 2, 2, 3}, ints({1, 2, 3}))),
       named("b", large_list_of({0, 1, 3, 3}, fixed_list_of(2, floats({1, 2, 3, 4, 5, 6}))))});
  EXPECT_EQ(to_string(data->streams()[1]), "b: dense f32 [2]");
  EXPECT_EQ(shown(*data), "0 a=[1][2] b=[1 2]; 1 a= b=[3 4][5 6]; 2 a=[3] b=");
  EXPECT_EQ(data->index().chunk(ChunkIndex{0})->sample_count, 2 + 2 + 1);
}

TEST(TableDeserializer, FixedListsAreSamplesOfTheirShape) {
  const auto data = open_columns({named(
      "m", fixed_list_of(2, fixed_list_of(3, ints({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}))))});
  EXPECT_EQ(to_string(data->streams()[0]), "m: dense i32 [2, 3]");
  EXPECT_EQ(shown(*data), "0 m=[1 2 3 4 5 6]; 1 m=[7 8 9 10 11 12]");
}

TEST(TableDeserializer, FixedSizeBinariesAreSamplesOfBytesAsNumbers) {
  ArrowNode node = numbers_of<std::uint8_t>("w:3", {1, 2, 3, 4, 5, 6});
  node.length = 2;
  const auto data = open_columns({named("w", std::move(node))});
  EXPECT_EQ(to_string(data->streams()[0]), "w: dense u8 [3]");
  EXPECT_EQ(shown(*data), "0 w=[1 2 3]; 1 w=[4 5 6]");
}

TEST(TableDeserializer, TensorsHaveTheShapeOfTheirExtension) {
  ArrowNode node = named("t", fixed_list_of(6, ints({1, 2, 3, 4, 5, 6})));
  node.metadata = arrow_metadata({{"ARROW:extension:name", "arrow.fixed_shape_tensor"},
                                  {"ARROW:extension:metadata", R"({"shape":[2,3]})"}});
  const auto tensor = [&node](const char* shape) {
    node.metadata = arrow_metadata({{"ARROW:extension:name", "arrow.fixed_shape_tensor"},
                                    {"ARROW:extension:metadata", shape}});
    const auto data = open_columns({node});
    return to_string(data->streams()[0]) + "; " + shown(*data);
  };
  EXPECT_EQ(tensor(R"({"shape":[6]})"), "t: dense i32 [6]; 0 t=[1 2 3 4 5 6]");
  EXPECT_EQ(tensor(R"({"shape":[2,3]})"), "t: dense i32 [2, 3]; 0 t=[1 2 3 4 5 6]");
  EXPECT_EQ(tensor(R"({"shape":[1,2,3]})"), "t: dense i32 [1, 2, 3]; 0 t=[1 2 3 4 5 6]");
  ArrowNode lists = named("t", list_of({0, 0, 1}, node));
  EXPECT_EQ(shown(*open_columns({lists})), "0 t=; 1 t=[1 2 3 4 5 6]");
  lists = named("t", fixed_list_of(1, fixed_list_of(1, ints({7, 8}))));
  lists.children[0].metadata = arrow_metadata({{"ARROW:extension:name", "arrow.fixed_shape_tensor"},
                                               {"ARROW:extension:metadata", R"({"shape":[]})"}});
  EXPECT_EQ(shown(*open_columns({lists})), "0 t=[7]; 1 t=[8]");
  const ArrowNode alone = named("t", lists.children[0]);
  EXPECT_EQ(shown(*open_columns({alone})), "0 t=[7]; 1 t=[8]");

  node.metadata =
      arrow_metadata({{"ARROW:extension:name", "arrow.fixed_shape_tensor"},
                      {"ARROW:extension:metadata", R"({"shape":[2,3],"permutation":[1,0]})"}});
  EXPECT_THROW(open_columns({node}, {{.name = "t"}}), ConfigError);
}

TEST(TableDeserializer, NestedListsHaveTheCommonSampleSize) {
  const auto list = [](std::vector<std::int32_t> inner) {
    return named("x", list_of({0, 1, 3}, list_of(std::move(inner), ints({1, 2, 3, 4, 5, 6}))));
  };
  const auto equal = open_columns({list({0, 2, 4, 6})});
  EXPECT_EQ(to_string(equal->streams()[0]), "x: dense i32 [2]");
  EXPECT_EQ(shown(*equal), "0 x=[1 2]; 1 x=[3 4][5 6]");

  const auto different = open_columns({list({0, 1, 1, 6})});
  EXPECT_EQ(to_string(different->streams()[0]), "x: dense i32 [*]");
  EXPECT_EQ(shown(*different), "0 x=[1]; 1 x=[][2 3 4 5 6]");

  const auto said =
      open_columns({list({0, 2, 4, 6})}, {{.name = "x", .sample_shape = Shape{Shape::kVariable}}});
  EXPECT_EQ(shown(*said), "0 x=[1 2]; 1 x=[3 4][5 6]");
}

TEST(TableDeserializer, ADeclaredDimCutsAListIntoSamples) {
  const ArrowNode list = named("x", list_of({0, 4, 6, 9}, ints({1, 2, 3, 4, 5, 6, 7, 8, 9})));
  std::vector<std::string> wrong;
  EXPECT_EQ(shown(*open_columns({list}, {{.name = "x", .sample_shape = Shape{2}}}), &wrong),
            "0 x=[1 2][3 4]; 1 x=[5 6]; 2 hole");
  EXPECT_EQ(wrong, std::vector<std::string>{"2 x arrow-shape 3"});
  EXPECT_EQ(shown(*open_columns({list}, {{.name = "x", .sample_shape = Shape{Shape::kVariable}}})),
            "0 x=[1 2 3 4]; 1 x=[5 6]; 2 x=[7 8 9]");
}

TEST(TableDeserializer, TextsAndBinariesAreBytes) {
  for (const bool is_view : {false, true}) {
    const std::vector<std::string> texts = {"", "twelve bytes", "thirteen byte", "a",
                                            "and so on..."};
    const ArrowNode node = is_view ? views_of(texts) : texts_of(texts);
    const auto data = open_columns({named("t", node)});
    EXPECT_EQ(to_string(data->streams()[0]), "t: dense bytes [*]");
    EXPECT_EQ(shown(*data),
              "0 t=[]; 1 t=[twelve bytes]; 2 t=[thirteen byte]; 3 t=[a]; 4 t=[and so on...]");
    EXPECT_EQ(shown(*open_columns({named("t", list_of({0, 2, 2, 5}, node))})),
              "0 t=[][twelve bytes]; 1 t=; 2 t=[thirteen byte][a][and so on...]");
  }
}

TEST(TableDeserializer, StructsOfBytesAndPathAreBytes) {
  ArrowNode bytes = with_validity(texts_of({"png", "", "jpg"}), {true, false, true});
  const auto data = open_columns({named(
      "image", struct_of({named("bytes", bytes), named("path", texts_of({"a", "b", "c"}))}))});
  std::vector<std::string> wrong;
  EXPECT_EQ(shown(*data, &wrong), "0 image=[png]; 1 hole; 2 image=[jpg]");
  EXPECT_EQ(wrong, std::vector<std::string>{"1 image arrow-null a null"});
}

TEST(TableDeserializer, StructsOfIndicesAndValuesAreSparse) {
  const auto entries = struct_of({named("indices", list_of({0, 2, 2, 3}, ints({4, 0, 9}))),
                                  named("values", list_of({0, 2, 2, 3}, floats({1.5F, 2, 3})))});
  const auto data = open_columns({named("s", entries)});
  EXPECT_EQ(to_string(data->streams()[0]), "s: sparse f32 [10]");
  EXPECT_EQ(shown(*data), "0 s=[4:1.5 0:2]; 1 s=[]; 2 s=[9:3]");
  EXPECT_EQ(shown(*open_columns({named("s", list_of({0, 1, 3}, entries))})),
            "0 s=[4:1.5 0:2]; 1 s=[][9:3]");
}

TEST(TableDeserializer, ListsOfPairsAreSparse) {
  const auto pairs =
      struct_of({named("index", ints({4, 0, 9})), named("value", floats({1.5F, 2, 3}))});
  EXPECT_EQ(shown(*open_columns({named("s", list_of({0, 2, 3}, pairs))})),
            "0 s=[4:1.5 0:2]; 1 s=[9:3]");
  EXPECT_EQ(shown(*open_columns({named("s", list_of({0, 1, 2}, list_of({0, 2, 3}, pairs)))})),
            "0 s=[4:1.5 0:2]; 1 s=[9:3]");
  ArrowNode map = list_of({0, 2, 3}, pairs);
  map.format = "+m";
  EXPECT_EQ(shown(*open_columns({named("s", std::move(map))})), "0 s=[4:1.5 0:2]; 1 s=[9:3]");
}

TEST(TableDeserializer, StreamMetadataGivesTheDim) {
  ArrowNode pairs = named(
      "s", list_of({0, 1}, struct_of({named("index", ints({4})), named("value", floats({1}))})));
  pairs.metadata = arrow_metadata({{"sheaf.stream", "s:sparse:100:mb:index=i64"}});
  const auto data = open_columns({pairs});
  EXPECT_EQ(data->streams()[0].sample_shape, Shape{100});
  EXPECT_EQ(data->streams()[0].index_type, ElementType::i64);
  EXPECT_TRUE(data->streams()[0].defines_minibatch_size);
}

TEST(TableDeserializer, IndicesMustLieBelowTheDim) {
  const ArrowNode pairs =
      named("s", list_of({0, 1, 2, 3}, struct_of({named("index", ints({3, 4, -1})),
                                                  named("value", floats({1, 2, 3}))})));
  std::vector<std::string> wrong;
  EXPECT_EQ(
      shown(*open_columns({pairs},
                          {{.name = "s", .storage = Storage::sparse, .sample_shape = Shape{4}}}),
            &wrong),
      "0 s=[3:1]; 1 hole; 2 hole");
  EXPECT_EQ(wrong, (std::vector<std::string>{"1 s arrow-index 4", "2 s arrow-index -1"}));
}

TEST(TableDeserializer, DictionariesShareOneVocabulary) {
  std::vector<ArrowNode> batches;
  batches.push_back(struct_of({named("c", classes_of({1, 0}, {"cat", "dog"}))}));
  batches.push_back(struct_of({named("c", classes_of({0, 1, 2}, {"emu", "dog", "cat"}))}));
  const auto data = open_table(std::make_shared<const MemoryBatches>(std::move(batches)));
  EXPECT_EQ(to_string(data->streams()[0]), "c: dense i32 [1]");
  EXPECT_EQ(*data->streams()[0].class_names, (std::vector<std::string>{"cat", "dog", "emu"}));
  EXPECT_EQ(shown(*data), "0 c=[1]; 1 c=[0]; 2 c=[2]; 3 c=[1]; 4 c=[0]");
}

TEST(TableDeserializer, ANumberOutsideTheDictionaryIsAnError) {
  std::vector<std::string> wrong;
  EXPECT_EQ(shown(*open_columns({named("c", classes_of({0, 2, -1, 1}, {"a", "b"}))}), &wrong),
            "0 c=[0]; 1 hole; 2 hole; 3 c=[1]");
  EXPECT_EQ(wrong, (std::vector<std::string>{"1 c arrow-class 2", "2 c arrow-class -1"}));
}

TEST(TableDeserializer, ANullIsAnAbsentStream) {
  const auto data = open_columns(
      {named("x", with_validity(floats({1, 2, 3}), {true, false, true})),
       named("l", with_validity(list_of({0, 1, 2, 2}, ints({5, 6})), {true, false, false}))});
  EXPECT_EQ(shown(*data), "0 x=[1] l=[5]; 1 x=- l=-; 2 x=[3] l=-");
  EXPECT_EQ(data->index().sequences(ChunkIndex{0})->sample_count(1), 0);
}

TEST(TableDeserializer, ANullInAListIsAnError) {
  std::vector<std::string> wrong;
  const ArrowNode items = with_validity(ints({1, 2, 3}), {true, false, true});
  EXPECT_EQ(shown(*open_columns({named("x", list_of({0, 1, 2, 3}, items))}), &wrong),
            "0 x=[1]; 1 hole; 2 x=[3]");
  EXPECT_EQ(wrong, std::vector<std::string>{"1 x arrow-null a null"});
}

TEST(TableDeserializer, AnErrorSpoilsTheWholeRow) {
  std::vector<std::string> wrong;
  const ArrowNode items = with_validity(ints({1, 2, 3}), {true, false, true});
  const auto data =
      open_columns({named("a", floats({1, 2, 3})), named("x", list_of({0, 1, 2, 3}, items)),
                    named("t", texts_of({"p", "q", "r"}))});
  EXPECT_EQ(shown(*data, &wrong), "0 a=[1] x=[1] t=[p]; 1 hole; 2 a=[3] x=[3] t=[r]");
}

TEST(TableDeserializer, FallingAndOutOfRangeOffsetsAreErrors) {
  for (const std::vector<std::int32_t>& offsets :
       {std::vector<std::int32_t>{0, 4, 3}, {0, -1, 3}, {-1, 0, 3}, {0, 1, 4}}) {
    std::vector<std::string> wrong;
    const std::string all =
        shown(*open_columns({named("x", list_of(offsets, ints({1, 2, 3})))}), &wrong);
    EXPECT_NE(all.find("hole"), std::string::npos) << offsets[1];
    ASSERT_FALSE(wrong.empty());
    EXPECT_NE(wrong[0].find("arrow-offsets"), std::string::npos);
  }
}

TEST(TableDeserializer, ValuesBecomeTheDeclaredType) {
  const auto read = [](ArrowNode node, ElementType dtype, std::vector<std::string>* wrong) {
    return shown(*open_columns({named("x", std::move(node))}, {{.name = "x", .dtype = dtype}}),
                 wrong);
  };
  std::vector<std::string> wrong;
  EXPECT_EQ(read(ints({0, 255, 256, -1}), ElementType::u8, &wrong),
            "0 x=[0]; 1 x=[255]; 2 hole; 3 hole");
  EXPECT_EQ(wrong, (std::vector<std::string>{"2 x arrow-range 256", "3 x arrow-range -1"}));
  wrong.clear();
  EXPECT_EQ(read(ints({16777216, 16777217}), ElementType::f32, &wrong), "0 x=[16777216]; 1 hole");
  EXPECT_EQ(wrong, std::vector<std::string>{"1 x arrow-inexact 16777217"});
  wrong.clear();
  EXPECT_EQ(
      read(numbers_of<std::uint64_t>("L", {1, std::uint64_t{1} << 63}), ElementType::i64, &wrong),
      "0 x=[1]; 1 hole");
  EXPECT_EQ(wrong.size(), 1U);
  wrong.clear();
  EXPECT_EQ(read(numbers_of<double>("g", {0.5, 1e300}), ElementType::f32, &wrong),
            "0 x=[0.5]; 1 hole");
  EXPECT_EQ(wrong.size(), 1U);
  EXPECT_EQ(read(floats({2, -3}), ElementType::i32, nullptr), "0 x=[2]; 1 x=[-3]");
}

TEST(TableDeserializer, MessagesNameTheExpectedValue) {
  const auto message_of = [](ArrowNode node, StreamOptions stream) {
    const auto data = open_columns({named("x", std::move(node))}, {std::move(stream)});
    Diagnostics diagnostics;
    static_cast<void>(data->read({.chunk = ChunkIndex{0}}, diagnostics));
    return message(diagnostics.described()[0]);
  };
  EXPECT_EQ(message_of(list_of({0, 3}, ints({1, 2, 3})), {.name = "x", .sample_shape = Shape{2}}),
            "stream \"x\": expected samples of 2 values, found 3");
  EXPECT_EQ(message_of(ints({-1}), {.name = "x", .dtype = ElementType::u8}),
            "stream \"x\": expected a uint8 value, found -1");
  EXPECT_EQ(message_of(numbers_of<double>("g", {0.5}), {.name = "x", .dtype = ElementType::i32}),
            "stream \"x\": expected an int32 value, found 0.5");
  EXPECT_EQ(message_of(ints({16777217}), {.name = "x", .dtype = ElementType::f32}),
            "stream \"x\": expected a whole number that float32 holds exactly, found 16777217");
  EXPECT_EQ(message_of(classes_of({3}, {"a", "b"}), {.name = "x"}),
            "stream \"x\": expected a number below 2, found 3");
  EXPECT_EQ(message_of(
                list_of({0, 1}, struct_of({named("i", numbers_of<std::uint64_t>("L", {UINT64_MAX})),
                                           named("v", floats({1}))})),
                {.name = "x", .storage = Storage::sparse, .sample_shape = Shape{4}}),
            "stream \"x\": expected an index from 0 to 3, found a number above "
            "9223372036854775807");
}

TEST(TableDeserializer, NumbersBeyondABlockAreConverted) {
  for (const std::size_t count : {511U, 512U, 513U, 1025U}) {
    std::vector<std::int32_t> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<std::int32_t>(i);
    const auto end = static_cast<std::int32_t>(count);
    std::string expected = "0 x=";
    for (const std::int32_t value : values) expected += "[" + std::to_string(value) + "]";
    EXPECT_EQ(shown(*open_columns({named("x", list_of({0, end}, ints(values)))},
                                  {{.name = "x", .dtype = ElementType::i64}})),
              expected);
  }
}

TEST(TableDeserializer, SlicesHaveOffsets) {
  const ArrowNode list = named("x", list_of({0, 2, 2, 3, 5}, ints({1, 2, 3, 4, 5})));
  const ArrowNode nulls =
      named("y", with_validity(floats({1, 2, 3, 4}), {true, false, true, false}));
  const ArrowNode bits = named("b", bits_of({true, false, false, true}));
  const ArrowNode fixed = named("f", fixed_list_of(2, ints({1, 2, 3, 4, 5, 6, 7, 8})));
  std::vector<ArrowNode> batches;
  batches.push_back(slice_of(struct_of({list, nulls, bits, fixed}), 2, 2));
  const auto data = open_table(std::make_shared<const MemoryBatches>(std::move(batches)));
  EXPECT_EQ(shown(*data), "0 x=[3] y=[3] b=[0] f=[5 6]; 1 x=[4][5] y=- b=[1] f=[7 8]");
}

TEST(TableDeserializer, RangesArePartsOfTheWhole) {
  for (const bool reads_parts : {false, true}) {
    std::vector<ArrowNode> batches;
    batches.push_back(struct_of({named("x", list_of({0, 2, 2, 3, 5}, ints({1, 2, 3, 4, 5}))),
                                 named("t", texts_of({"a", "bc", "", "def"}))}));
    const auto data =
        open_table(std::make_shared<const MemoryBatches>(std::move(batches), reads_parts));
    const std::vector<std::string> all = {"[1][2] [a]", " [bc]", "[3] []", "[4][5] [def]"};
    for (std::int64_t first = 0; first < 4; ++first) {
      for (std::int64_t count = 1; first + count <= 4; ++count) {
        Diagnostics diagnostics;
        const Chunk chunk =
            data->read({.chunk = ChunkIndex{0}, .first = first, .count = count}, diagnostics);
        ASSERT_EQ(chunk.sequence_count(), count);
        for (std::int64_t i = 0; i < count; ++i) {
          EXPECT_EQ(shown_view(data->streams()[0], chunk.view(0, i)) + " " +
                        shown_view(data->streams()[1], chunk.view(1, i)),
                    all[static_cast<std::size_t>(first + i)]);
        }
      }
    }
  }
}

TEST(TableDeserializer, ValuesOfTheRightTypeAreBorrowed) {
  const auto data = open_columns({named("x", list_of({0, 2, 3}, ints({1, 2, 3})))});
  Diagnostics diagnostics;
  const Chunk chunk = data->read({.chunk = ChunkIndex{0}}, diagnostics);
  EXPECT_EQ(chunk.columns()[0].values.capacity_bytes(), 0);
  EXPECT_EQ(chunk.columns()[0].values.size_bytes(), 12);
}

TEST(TableDeserializer, TheIndexEstimatesEnoughMemory) {
  const auto data = open_columns({named("x", list_of({0, 2, 3}, ints({1, 2, 3}))),
                                  named("t", texts_of({"a", "longer than twelve"}))},
                                 {{.name = "x", .dtype = ElementType::f64}, {.name = "t"}});
  Diagnostics diagnostics;
  const Chunk chunk = data->read({.chunk = ChunkIndex{0}}, diagnostics);
  EXPECT_LE(chunk.memory_bytes(), data->index().chunk(ChunkIndex{0})->decoded_size_bytes);
}

TEST(TableDeserializer, KeysComeFromAColumn) {
  const std::vector<ArrowNode> columns = {named("id", texts_of({"b", "a"})),
                                          named("n", numbers_of<std::uint64_t>("L", {9, 4})),
                                          named("x", ints({1, 2}))};
  EXPECT_EQ(shown(*open_columns(columns, {}, {.extra = {{"arrow.key", "id"}}})),
            "b n=[9] x=[1]; a n=[4] x=[2]");
  EXPECT_EQ(shown(*open_columns(columns, {{.name = "x"}}, {.extra = {{"arrow.key", "n"}}})),
            "9 x=[1]; 4 x=[2]");
  EXPECT_EQ(shown(*open_columns(columns, {{.name = "x"}},
                                {.keys = KeyType::text, .extra = {{"arrow.key", "n"}}})),
            "9 x=[1]; 4 x=[2]");
  EXPECT_THROW(open_columns(columns, {}, {.extra = {{"arrow.key", "idd"}}}), ConfigError);
  EXPECT_THROW(open_columns(columns, {}, {.keys = KeyType::text}), ConfigError);
  EXPECT_THROW(
      open_columns(columns, {}, {.keys = KeyType::numeric, .extra = {{"arrow.key", "id"}}}),
      ConfigError);
}

TEST(TableDeserializer, AMarkedColumnHasTheKeysByDefault) {
  ArrowNode marked = named("id", texts_of({"b", "a"}));
  marked.metadata = arrow_metadata({{"sheaf.key", "1"}});
  const std::vector<ArrowNode> columns = {marked, named("x", ints({1, 2}))};
  EXPECT_EQ(shown(*open_columns(columns)), "b x=[1]; a x=[2]");
  EXPECT_EQ(shown(*open_columns(columns, {}, {.extra = {{"arrow.key", "found"}}})),
            "b x=[1]; a x=[2]");
  EXPECT_EQ(shown(*open_columns(columns, {}, {.extra = {{"arrow.key", "rows"}}})),
            "0 id=[b] x=[1]; 1 id=[a] x=[2]");
  EXPECT_EQ(shown(*open_columns(columns, {}, {.extra = {{"arrow.key", "x"}}})),
            "1 id=[b]; 2 id=[a]");
  EXPECT_THROW(open_columns(columns, {}, {.keys = KeyType::numeric}), ConfigError);
  const std::string wrong = testing::error_of([&] {
    open_columns(columns, {}, {.extra = {{"arrow.key", "name"}}});
  });
  EXPECT_TRUE(
      wrong.ends_with("the columns are \"id\", \"x\"; sheaf wrote the keys as the column "
                      "\"id\": leave arrow.key out for this table"))
      << wrong;
  ArrowNode other = marked;
  other.metadata = arrow_metadata({{"sheaf.key", "0"}});
  EXPECT_EQ(shown(*open_columns({other, named("x", ints({1, 2}))})),
            "0 id=[b] x=[1]; 1 id=[a] x=[2]");
}

TEST(TableDeserializer, ASharedOptionLeavesATableItsMarkedKeys) {
  ArrowNode marked = named("id", texts_of({"b", "a"}));
  marked.metadata = arrow_metadata({{"sheaf.key", "1"}});
  const std::vector<ArrowNode> columns = {marked, named("n", ints({5, 6})),
                                          named("x", list_of({0, 1, 2}, ints({1, 2})))};
  const auto keyed_by = [&columns](const char* name) {
    return shown(*open_columns(columns, {{.name = "x"}},
                               {.extra = {{"arrow.key", name}}, .shares_extra = true}));
  };
  EXPECT_EQ(keyed_by("name"), "b x=[1]; a x=[2]");
  EXPECT_EQ(keyed_by("x"), "b x=[1]; a x=[2]");  // a list is no key
  EXPECT_EQ(keyed_by("n"), "5 x=[1]; 6 x=[2]");
  EXPECT_EQ(keyed_by("rows"), "0 x=[1]; 1 x=[2]");
  EXPECT_EQ(keyed_by("found"), "b x=[1]; a x=[2]");
  const std::vector<ArrowNode> others = {named("n", ints({5, 6})), named("x", ints({1, 2}))};
  EXPECT_THROW(open_columns(others, {}, {.extra = {{"arrow.key", "name"}}, .shares_extra = true}),
               ConfigError);
}

TEST(TableDeserializer, EachRowOfADamagedBatchIsAnError) {
  std::vector<ArrowNode> nodes;
  for (const std::vector<std::int32_t>& values : {std::vector<std::int32_t>{1, 2}, {3, 4}, {5}}) {
    nodes.push_back(struct_of({named("x", ints(values))}));
  }
  for (const bool reads_parts : {false, true}) {
    const auto batches = std::make_shared<MemoryBatches>(nodes, reads_parts);
    batches->damaged = 1;
    std::vector<std::string> wrong;
    EXPECT_EQ(shown(*open_table(batches), &wrong), "0 x=[1]; 1 x=[2]; 2 hole; 3 hole; 4 x=[5]");
    EXPECT_EQ(wrong,
              (std::vector<std::string>{"2  test-damage another", "3  test-damage another"}));
  }
}

// Columns with lengths and keys are read once, for lengths and values, unless lengths are cheap.
TEST(TableDeserializer, ColumnsReadForTheirLengthsServeAsValues) {
  const ArrowNode batch = struct_of({named("n", ints({7, 8})), named("id", texts_of({"b", "a"})),
                                     named("x", list_of({0, 2, 3}, ints({1, 2, 3})))});
  for (const bool is_cheap : {false, true}) {
    auto batches = std::make_shared<MemoryBatches>(std::vector{batch});
    batches->knows_nulls = true;
    batches->has_cheap_lengths = is_cheap;
    const auto data = open_table(batches, {}, {.extra = {{"arrow.key", "id"}}});
    EXPECT_EQ(data->index().chunk(ChunkIndex{0})->sample_count, 3);
    EXPECT_EQ(batches->column_reads, 2);
    EXPECT_EQ(shown(*data), "b n=[7] x=[1][2]; a n=[8] x=[3]");
    EXPECT_EQ(batches->column_reads, is_cheap ? 2 + 3 : 3);
  }
}

TEST(TableDeserializer, LocationOfASequenceHasItsKey) {
  const auto data = open_columns({named("id", texts_of({"b", "a"})), named("x", ints({1, 2}))}, {},
                                 {.extra = {{"arrow.key", "id"}}});
  EXPECT_EQ(data->location_of(ChunkIndex{0}, 1, 0).sequence_key, "a");
  EXPECT_EQ(data->location_of(ChunkIndex{0}, 1, 0).path, "t.arrow");
}

TEST(TableDeserializer, UnsupportedColumnsAreLeftOutWithAWarning) {
  ArrowNode times = numbers_of<std::int64_t>("tsu:", {1, 2});
  const auto data = open_columns({named("when", times), named("x", ints({1, 2}))});
  EXPECT_EQ(shown(*data), "0 x=[1]; 1 x=[2]");
  ASSERT_EQ(data->warnings().size(), 1U);
  EXPECT_EQ(
      message(data->warnings()[0]),
      "stream \"when\": expected a column that can be a stream, found no stream has values of "
      "the type timestamp[us]");
  EXPECT_THROW(open_columns({named("when", times)}), DataError);
  EXPECT_THROW(open_columns({named("when", times)}, {{.name = "when"}}), ConfigError);
}

}  // namespace
}  // namespace sheaf::columns
