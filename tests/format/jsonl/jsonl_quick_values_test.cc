#include "format/jsonl/jsonl_quick_values.h"

#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/each_simd_level.h"
#include "format/jsonl/jsonl_test_rows.h"
#include "format/jsonl/jsonl_values.h"

namespace sheaf::jsonl {
namespace {

using internal::ColumnWriter;

Stream stream_like(Storage storage, ElementType type, Shape shape) {
  Stream stream;
  stream.name = "x";
  stream.storage = storage;
  stream.element_type = type;
  stream.sample_shape = std::move(shape);
  return stream;
}

bool have_equal_bytes(const Buffer& a, const Buffer& b) {
  return a.size_bytes() == b.size_bytes() &&
         (a.empty() ||
          std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size_bytes())) == 0);
}

struct BothRead {
  bool is_quick = false;
  bool is_right = false;  // by the other reader
  bool is_equal = false;  // both columns
};

/// Reads a value with both readers.
BothRead read_both(const std::string& value, const Stream& stream) {
  const TestRow row("{\"x\":" + value + "}");
  ColumnWriter quick(stream);
  quick.begin_sequence();
  const char* const begin = row.row().begin + 5;
  const char* const end =
      quick_reader(stream)({begin, row.row().end, stream, internal::field_kernels()}, quick);
  BothRead outcome{.is_quick = end != nullptr && *skip_usual_space(end) == '}' &&
                               skip_usual_space(end) + 1 == row.row().end};
  Line line;
  if (!line.read(row.row())) return outcome;
  ColumnWriter other(stream);
  other.begin_sequence();
  Fault fault;
  const ValueRequest request{line.fields()[0], stream, row.row().end};
  outcome.is_right = value_reader(stream)(request, other, fault);
  if (!outcome.is_right || !outcome.is_quick) return outcome;
  quick.end_sequence(0, 1, true);
  other.end_sequence(0, 1, true);
  const Column a = quick.finish();
  const Column b = other.finish();
  outcome.is_equal = have_equal_bytes(a.values, b.values) &&
                     have_equal_bytes(a.indices, b.indices) &&
                     have_equal_bytes(a.sample_offsets, b.sample_offsets) &&
                     have_equal_bytes(a.sequence_offsets, b.sequence_offsets) &&
                     have_equal_bytes(a.extents, b.extents);
  return outcome;
}

class QuickValuesTest : public internal::EachSimdLevel {
 protected:
  static void expect_quick(const std::vector<std::string>& values, const Stream& stream) {
    for (const std::string& value : values) {
      const BothRead outcome = read_both(value, stream);
      EXPECT_TRUE(outcome.is_quick && outcome.is_right && outcome.is_equal)
          << value << ' ' << outcome.is_quick << outcome.is_right << outcome.is_equal;
    }
  }
  static void expect_slow(const std::vector<std::string>& values, const Stream& stream) {
    for (const std::string& value : values) {
      EXPECT_FALSE(read_both(value, stream).is_quick) << value;
    }
  }
};

const std::vector<ElementType> kNumberTypes = {
    ElementType::f32, ElementType::f64, ElementType::f16, ElementType::bf16,
    ElementType::u8,  ElementType::u16, ElementType::i32, ElementType::i64};

TEST_P(QuickValuesTest, ReadsNumbersOfEachType) {
  for (const ElementType type : kNumberTypes) {
    const Stream single = stream_like(Storage::dense, type, Shape{1});
    expect_quick({"7", "[]", "[ ]", "[1]", "[1,2, 3 ,4]", "true", "false", "[[1],[2]]"}, single);
    expect_slow({"null", "\"7\"",  "{}",     "[1,]",    "[1 2]",   "[01]",    "[1.]",
                 "1.",   "[true]", "[null]", "[[1],2]", "[1,[2]]", "[\"a\"]", "[[1,2]]",
                 "[[]]", "tru",    "[1",     "[[1]",    "1 2",     "1e400"},
                single);
    const Stream triple = stream_like(Storage::dense, type, Shape{3});
    expect_quick({"[1,2,3]", "[[1,2,3],[4,5,6]]", "[ [1,2,3] , [4,5,6] ]", "[]"}, triple);
    expect_slow({"1", "[1,2]", "[1,2,3,4]", "[[1,2,3],[4,5]]", "[[1,2,3],4]"}, triple);
  }
  const Stream floats = stream_like(Storage::dense, ElementType::f32, Shape{1});
  expect_quick({"-0.5", "1e3", "[0.34558418,-1.0732969]", "[0.10000000149011612]"}, floats);
  expect_slow({"[16777217]"}, floats);
  expect_slow({"1.0", "[1e3]"}, stream_like(Storage::dense, ElementType::i32, Shape{1}));
}

TEST_P(QuickValuesTest, ReadsSparseSamples) {
  for (const ElementType index : {ElementType::i32, ElementType::i64}) {
    Stream stream = stream_like(Storage::sparse, ElementType::f32, Shape{100});
    stream.index_type = index;
    expect_quick(
        {R"({"indices":[],"values":[]})", R"({"indices": [1, 5, 99], "values": [1, 0.5, -2]})",
         R"({"indices":[3,4]})", R"({ "indices" : [3] , "values" : [1] })", "[]",
         R"([{"indices":[1],"values":[1]}, {"indices":[1,2],"values":[3,4]}])"},
        stream);
    expect_slow({R"({"indices":[100],"values":[1]})", R"({"indices":[-1],"values":[1]})",
                 R"({"indices":[2,1],"values":[1,2]})", R"({"indices":[1,1],"values":[1,2]})",
                 R"({"indices":[1],"values":[1,2]})", R"({"indices":[1,2],"values":[1]})",
                 R"({"values":[1],"indices":[1]})", R"({"indices":[1],"values":[1],"more":1})",
                 R"({"indices":[1],"values":1})", R"({"indices":1})", "{}", "[1]", "7",
                 R"({"indices":[1.0],"values":[1]})", R"([{"indices":[1]},])",
                 R"({"indices":[-0],"values":[1]})", R"({"indices": [ -0, 1]})"},
                stream);
  }
}

TEST_P(QuickValuesTest, ReadsPlainTexts) {
  const Stream stream = stream_like(Storage::dense, ElementType::bytes, Shape{Shape::kVariable});
  expect_quick({R"("")", R"("a")", R"("a text of more than eight bytes, with }],[{: in it")",
                R"(["a", "bc" , ""])", "[]", "\"caf\xc3\xa9\"",
                "\"\xe2\x82\xac\xf0\x9f\x99\x82 \xe5\xba\x8f\xe5\x88\x97 seven more \xc2\x80\""},
               stream);
  expect_slow({R"("a\n")", R"("a\u0041")", "\"caf\xc3\"", "\"\xff\"", "\"\xc0\x80\"",
               "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\"\xc3\xa9\\n\"", "\"\xc3\xa9\t\"",
               "\"a\tb\"", "\"a", "1", R"(["a",1])", "\"0123456789\\\"\"", "null"},
              stream);
  // At each position of texts that end within, at and behind a word of eight bytes.
  for (std::size_t size = 0; size <= 17; ++size) {
    for (std::size_t before = 0; before <= size; ++before) {
      const auto text = [&](const std::string& middle) {
        return '"' + std::string(before, 'a') + middle + std::string(size - before, 'b') + '"';
      };
      expect_quick({text(""), text("\xc3\xa9")}, stream);
      expect_slow({text("\xc3"), text("\xa9"), text("\n"), text("\\n")}, stream);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, QuickValuesTest,
                         ::testing::Values(SimdLevel::baseline, SimdLevel::avx2, SimdLevel::avx512),
                         [](const auto& each) { return std::string(to_string(each.param)); });

TEST(SkipQuickly, MovesOverPlainValues) {
  for (const std::string value :
       {"1", "-0.5e3", "true", "false", "null", "\"a text\"", "\"\"", "\"\xc3\xa9\""}) {
    const TestRow row("{\"x\":" + value + "}");
    const char* const begin = row.row().begin + 5;
    EXPECT_EQ(skip_quickly(begin, row.row().end), begin + value.size()) << value;
  }
  for (const std::string value : {"[1]", "{}", "\"a\\n\"", "\"a", "nan", "-", "\"\xc3\""}) {
    const TestRow row("{\"x\":" + value + "}");
    EXPECT_EQ(skip_quickly(row.row().begin + 5, row.row().end), nullptr) << value;
  }
}

}  // namespace
}  // namespace sheaf::jsonl
