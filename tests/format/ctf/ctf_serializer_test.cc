#include "format/ctf/ctf_serializer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/byte_sink.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/format.h"

#include "conformance/format_under_test.h"
#include "conformance/read_all.h"
#include "packer/made_up_data.h"
#include "support/error_of.h"

namespace sheaf::ctf {
namespace {

using testing::Bytes;
using testing::error_of;
using testing::PlainData;
using testing::PlainSample;
using testing::PlainSequence;
using testing::to_buffer;
using testing::to_chunk;

/// The result of one or several calls of encode() and append().
struct Written {
  std::vector<SequenceKey> keys = {};
  std::vector<std::string> texts = {};
  std::vector<std::string> comments = {};
  std::map<std::string, std::string> extra = {};
  std::int64_t batch_size = 1000;

  [[nodiscard]] std::string text(std::span<const Stream> streams, const Chunk& chunk) const;
};

std::string Written::text(std::span<const Stream> streams, const Chunk& chunk) const {
  std::string bytes;
  CtfSerializer serializer(memory_sink(bytes, "out.ctf"), streams, {.format = {}, .extra = extra});
  const auto some = [](const auto& all, std::int64_t first, std::int64_t count) {
    return std::span(all).subspan(all.empty() ? 0 : static_cast<std::size_t>(first),
                                  all.empty() ? 0 : static_cast<std::size_t>(count));
  };
  const std::vector<std::string_view> text_views(texts.begin(), texts.end());
  const std::vector<std::string_view> comment_views(comments.begin(), comments.end());
  for (std::int64_t first = 0; first < std::ssize(keys); first += batch_size) {
    const std::int64_t count = std::min(batch_size, std::ssize(keys) - first);
    std::vector<std::vector<SequenceView>> views(streams.size());
    std::vector<std::span<const SequenceView>> spans;
    for (std::size_t i = 0; i < streams.size(); ++i) {
      for (std::int64_t n = first; n < first + count; ++n) {
        views[i].push_back(chunk.view(static_cast<std::int64_t>(i), n));
      }
      spans.emplace_back(views[i]);
    }
    serializer.append(serializer.encode({.keys = some(keys, first, count),
                                         .key_texts = some(text_views, first, count),
                                         .comments = some(comment_views, first, count),
                                         .views = spans}));
  }
  serializer.finish();
  return bytes;
}

std::vector<SequenceKey> keys_of(const std::vector<std::uint64_t>& numbers) {
  std::vector<SequenceKey> keys;
  for (const std::uint64_t number : numbers) keys.push_back({.low = number});
  return keys;
}

const std::vector<Stream> kStreams = {
    {.name = "features", .element_type = ElementType::f32, .sample_shape = {2, 2}},
    {.name = "labels",
     .element_type = ElementType::f64,
     .sample_shape = {10},
     .storage = Storage::sparse},
};

/// Returns three sequences: 2 and 1 samples; 0 (absent) and 2, of which one is empty; 1 and 1.
Chunk small_chunk() {
  std::vector<Column> columns(2);
  columns[0].values = to_buffer<float>({1, 2, -3, 0.5F, 0.1F, -0.0F, 1e-7F, 1e20F, 5, 6, 7, 8});
  columns[0].sequence_offsets = to_buffer<std::int64_t>({0, 2, 2, 3});
  columns[0].presence = to_buffer<std::uint8_t>({1, 0, 1});
  columns[1].values = to_buffer<double>({1, 0.25, 0.1, 0});
  columns[1].indices = to_buffer<std::int32_t>({4, 0, 9, 3});
  columns[1].sample_offsets = to_buffer<std::int64_t>({0, 1, 1, 3, 4});
  columns[1].sequence_offsets = to_buffer<std::int64_t>({0, 1, 3, 4});
  return {kStreams, 3, std::move(columns)};
}

TEST(CtfSerializer, WritesARowForEachSample) {
  const Written written = {.keys = keys_of({7, 18446744073709551615U, 0})};
  EXPECT_EQ(written.text(kStreams, small_chunk()),
            "7 |features 1 2 -3 0.5 |labels 4:1\n"
            "7 |features 0.1 -0 1e-7 1e20\n"
            "18446744073709551615 |labels\n"
            "18446744073709551615 |labels 0:0.25 9:0.1\n"
            "0 |features 5 6 7 8 |labels 3:0\n");
}

TEST(CtfSerializer, IdsMayAppearOnlyOnTheFirstRowOfASequence) {
  const Written written = {.keys = keys_of({7, 8, 9}), .extra = {{"ctf.ids", "first"}}};
  EXPECT_EQ(written.text(kStreams, small_chunk()),
            "7 |features 1 2 -3 0.5 |labels 4:1\n"
            "|features 0.1 -0 1e-7 1e20\n"
            "8 |labels\n"
            "|labels 0:0.25 9:0.1\n"
            "9 |features 5 6 7 8 |labels 3:0\n");
}

const std::vector<Stream> kScalar = {{.name = "v", .element_type = ElementType::f32}};

Chunk scalars(const std::vector<float>& values) {
  std::vector<Column> columns(1);
  columns[0].values = to_buffer(values);
  return {kScalar, std::ssize(values), std::move(columns)};
}

TEST(CtfSerializer, WithoutIdsRowsAreSequencesWhoseKeysCountFromZero) {
  Written written = {.keys = keys_of({0, 1, 2}), .extra = {{"ctf.ids", "none"}}, .batch_size = 2};
  EXPECT_EQ(written.text(kScalar, scalars({4, 5, 6})), "|v 4\n|v 5\n|v 6\n");

  const auto refusal = [&](const std::vector<std::uint64_t>& keys) {
    written.keys = keys_of(keys);
    return error_of([&] { static_cast<void>(written.text(kScalar, scalars({4, 5, 6}))); });
  };
  EXPECT_EQ(refusal({1, 2, 3}),
            "out.ctf: sequence 1: error: expected keys that count from 0, as rows have no ids, "
            "found 1 where 0 would be read [ctf-id-needed]");
  EXPECT_EQ(refusal({0, 2, 3}),
            "out.ctf: sequence 2: error: expected keys that count from 0, as rows have no ids, "
            "found 2 where 1 would be read [ctf-id-needed]");
  EXPECT_EQ(refusal({0, 1, 3}),
            "out.ctf: sequence 3: error: expected keys that count from 0, as rows have no ids, "
            "found 3 where 2 would be read [ctf-id-needed]");

  written.keys = keys_of({0, 1, 2});
  EXPECT_EQ(error_of([&] { static_cast<void>(written.text(kStreams, small_chunk())); }),
            "out.ctf: sequence 0: error: expected one row, as rows have no ids, found 2 samples "
            "[ctf-id-needed]");
  written.keys = {key_of_text("a"), key_of_text("b"), key_of_text("c")};
  written.texts = {"a", "b", "c"};
  EXPECT_EQ(error_of([&] {
              static_cast<void>(written.text(kScalar, scalars({4, 5, 6})));
            }),
            "out.ctf: sequence a: error: expected keys that count from 0, as rows have no ids, "
            "found \"a\" [ctf-id-needed]");
}

TEST(CtfSerializer, CommentsFollowOnTheFirstRow) {
  const Written written = {.keys = keys_of({1, 2, 3}), .comments = {"one", "", "a|b || c"}};
  EXPECT_EQ(written.text(kStreams, small_chunk()),
            "1 |features 1 2 -3 0.5 |labels 4:1 |# one\n"
            "1 |features 0.1 -0 1e-7 1e20\n"
            "2 |labels\n"
            "2 |labels 0:0.25 9:0.1\n"
            "3 |features 5 6 7 8 |labels 3:0 |# a|#b |#|# c\n");
}

TEST(CtfSerializer, TextKeysAreWrittenAsIds) {
  Written written = {.texts = {"utt-1", "#2", "\xC3\xA9"}};
  for (const std::string& text : written.texts) written.keys.push_back(key_of_text(text));
  EXPECT_EQ(written.text(kScalar, scalars({1, 2, 3})), "utt-1 |v 1\n#2 |v 2\n\xC3\xA9 |v 3\n");
}

// An id may begin like another encoding or like a byte order mark. At the front of a file, such an
// id needs a mark before it.
TEST(CtfSerializer, IdsThatLookLikeMarksRoundTrip) {
  for (const std::string front : {"\xEF\xBB\xBF", "\xFF\xFE", "\xFE\xFF", "\xEF\xBB"}) {
    Written written = {.texts = {front + "a", front}};
    for (const std::string& text : written.texts) written.keys.push_back(key_of_text(text));
    const std::string text = written.text(kScalar, scalars({1, 2}));
    FormatOptions options;
    options.streams = {{.name = "v", .sample_shape = Shape()}};
    options.keys = KeyType::text;
    const auto result = conformance::read_all(conformance::format_named("ctf"), text, options);
    ASSERT_EQ(result.sequences.size(), 2U);
    EXPECT_EQ(result.sequences[0].key_text, front + "a");
    EXPECT_EQ(result.sequences[1].key_text, front);
    EXPECT_EQ(text.size(),
              2 * front.size() + 13 + (front.size() == 3 || front[0] != '\xEF' ? 3 : 0));
  }
}

TEST(CtfSerializer, UnsupportedValuesAreADataError) {
  const auto refusal = [](const Written& written, std::span<const Stream> streams,
                          const Chunk& chunk) {
    try {
      static_cast<void>(written.text(streams, chunk));
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  const Written one = {.keys = keys_of({5, 6})};
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(refusal(one, kScalar, scalars({1, kInfinity})),
            "out.ctf: sequence 6: error: stream \"v\": expected a finite number, found inf in "
            "sample 0 [ctf-number]");
  EXPECT_EQ(refusal(one, kScalar, scalars({std::nanf(""), 1})),
            "out.ctf: sequence 5: error: stream \"v\": expected a finite number, found nan in "
            "sample 0 [ctf-number]");
  EXPECT_EQ(refusal({.keys = keys_of({5, 6, 5})}, kScalar, scalars({1, 2, 3})),
            "out.ctf: sequence 5: error: expected an id that no earlier sequence has, found one "
            "that has, sequence number 2 from 0 [ctf-repeated-id]");
  EXPECT_EQ(refusal({.keys = keys_of({5, 5})}, kScalar, scalars({1, 2})),
            "out.ctf: sequence 5: error: expected an id that no earlier sequence has, found one "
            "that has, sequence number 1 from 0 [ctf-repeated-id]");
  EXPECT_EQ(refusal({.keys = keys_of({1, 2}), .comments = {"", "a\nb"}}, kScalar, scalars({1, 2})),
            "out.ctf: sequence 2: error: expected a comment without line ends, found \"a\\nb\" "
            "[ctf-comment]");
  EXPECT_EQ(refusal({}, kScalar, scalars({})),
            "out.ctf: error: expected at least one row with data, found no sequence at all "
            "[ctf-empty]");
  const std::vector<std::pair<std::string, std::string>> wrong_keys = {
      {"", ""},
      {"a b", ": sequence a b"},
      {"a|b", ": sequence a|b"},
      {"a\tb", ": sequence a\\u0009b"},
      {"\x7F", ": sequence \\u007f"},
      {"a\n", ": sequence a\\u000a"}};
  for (const auto& [text, location] : wrong_keys) {
    EXPECT_EQ(refusal({.keys = {key_of_text(text)}, .texts = {text}}, kScalar, scalars({1})),
              "out.ctf" + location +
                  ": error: expected a key without blanks, \"|\" and control bytes, found " +
                  sheaf::quoted(text) + " [ctf-id]");
  }
  EXPECT_EQ(refusal({.keys = {{.low = 1, .high = 2}}}, kScalar, scalars({1})),
            "out.ctf: sequence 00000000000000020000000000000001: error: expected the text of the "
            "key, found its hash alone [ctf-id]");

  std::vector<Column> columns(1);
  columns[0].values = to_buffer<float>({1});
  columns[0].sequence_offsets = to_buffer<std::int64_t>({0, 1, 1});
  const Chunk without(kScalar, 2, std::move(columns));
  EXPECT_EQ(refusal(one, kScalar, without),
            "out.ctf: sequence 6: error: stream \"v\": expected at least one sample, found none "
            "[ctf-missing-stream]\n"
            "  a stream without samples has to be absent from its sequence");
  std::vector<Column> absent(1);
  absent[0].sequence_offsets = to_buffer<std::int64_t>({0, 0});
  absent[0].presence = to_buffer<std::uint8_t>({0});
  EXPECT_EQ(refusal({.keys = keys_of({5})}, kScalar, Chunk(kScalar, 1, std::move(absent))),
            "out.ctf: sequence 5: error: expected at least one sample, found none of any stream "
            "[ctf-missing-stream]");
}

TEST(CtfSerializer, IndicesMustBeBelowTheDim) {
  const std::vector<Stream> streams = {kStreams[1]};
  for (const std::int32_t index : {-1, 10}) {
    std::vector<Column> columns(1);
    columns[0].values = to_buffer<double>({1, 2});
    columns[0].indices = to_buffer<std::int32_t>({0, index});
    columns[0].sample_offsets = to_buffer<std::int64_t>({0, 2});
    const Chunk chunk(streams, 1, std::move(columns));
    EXPECT_EQ(
        error_of([&] { static_cast<void>(Written{.keys = keys_of({3})}.text(streams, chunk)); }),
        "out.ctf: sequence 3: error: stream \"labels\": expected an index from 0 to 9, found " +
            std::to_string(index) + " in sample 0 [ctf-index-range]");
  }
}

TEST(CtfSerializer, PairsAreWrittenAsTheyAre) {
  const std::vector<Stream> streams = {kStreams[1]};
  std::vector<Column> columns(1);
  columns[0].values = to_buffer<double>({1, 2, 3});
  columns[0].indices = to_buffer<std::int32_t>({5, 2, 5});
  columns[0].sample_offsets = to_buffer<std::int64_t>({0, 3});
  const Chunk chunk(streams, 1, std::move(columns));
  EXPECT_EQ(Written{.keys = keys_of({3})}.text(streams, chunk), "3 |labels 5:1 2:2 5:3\n");
}

TEST(CtfSerializer, KeysAreAllNumbersOrAllTexts) {
  std::string bytes;
  CtfSerializer serializer(memory_sink(bytes, "out.ctf"), kScalar, {});
  const Chunk chunk = scalars({1, 2});
  const std::vector<SequenceView> views = {chunk.view(0, 0)};
  const std::vector<std::span<const SequenceView>> spans = {views};
  const std::vector<SequenceKey> number = keys_of({1});
  const std::vector<SequenceKey> hash = {key_of_text("a")};
  const std::vector<std::string_view> text = {"a"};
  serializer.append(serializer.encode({.keys = hash, .key_texts = text, .views = spans}));
  EXPECT_EQ(
      error_of([&] { serializer.append(serializer.encode({.keys = number, .views = spans})); }),
      "out.ctf: sequence 1: error: expected keys that are all numbers, or all texts, found "
      "both [ctf-id]");
}

TEST(CtfSerializer, UnsupportedStreamsAreRefused) {
  const auto refusal = [](const std::vector<Stream>& streams,
                          const std::map<std::string, std::string>& extra = {}) {
    std::string bytes;
    try {
      const CtfSerializer serializer(memory_sink(bytes, "out.ctf"), streams,
                                     {.format = {}, .extra = extra});
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(
      refusal({{.name = "x", .element_type = ElementType::bytes}}),
      "stream \"x\": ctf has numbers only, got bytes: leave the stream out, or make numbers of "
      "it by a transform");
  EXPECT_EQ(refusal({{.name = "x", .sample_shape = {Shape::kVariable}}}),
            "stream \"x\": ctf has samples of fixed shape only, got [*]: leave the stream out, or "
            "make samples of one shape of it by a transform");
  EXPECT_EQ(refusal({{.name = "x"}, {.name = "x"}}), "streams: two have the name \"x\"");
  EXPECT_EQ(refusal({}), "streams: ctf needs at least one");
  for (const std::string name : {"", "a b", "a|b", "#a", "a\tb", "a\x01"}) {
    EXPECT_EQ(refusal({{.name = name}}),
              "stream " + sheaf::quoted(name) +
                  ": ctf cannot call a stream so: a name has no blank, no \"|\", no control byte, "
                  "and does not begin with \"#\"; give it an alias");
  }
  for (const std::string name : {"a", "a#", "-", "\xC3\xA9", "0:1"}) {
    EXPECT_EQ(refusal({{.name = name}}), "none");
  }
  EXPECT_EQ(refusal({{.name = "x"}}, {{"ctf.id", "all"}}),
            "extra: ctf has no option \"ctf.id\" for writing; it has ctf.ids");
  EXPECT_EQ(refusal({{.name = "x"}}, {{"ctf.ids", "some"}}),
            "ctf.ids: expected all, first or none, found \"some\"");
}

// The law: a written chunk reads back equal, bit by bit, and writing the result again gives the
// same bytes, for any batches.

template <typename T>
Bytes random_values(std::int64_t count) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  Bytes bytes;
  for (std::int64_t i = 0; i < count; ++i) {
    T value{};
    switch (*testing::any_of(0, 4)) {
      case 0:
        value = static_cast<T>(*testing::any_of(-1000, 1000));
        break;
      case 1:
        value = static_cast<T>(*testing::any_of(-1'000'000, 1'000'000)) / T{1000};
        break;
      case 2:
        value = *rc::gen::element(T{0}, -T{0}, std::numeric_limits<T>::max(),
                                  std::numeric_limits<T>::lowest(), std::numeric_limits<T>::min(),
                                  std::numeric_limits<T>::denorm_min(), T{1} / 3, T{0.1F});
        break;
      default:
        value = std::bit_cast<T>(
            static_cast<Bits>(*rc::gen::arbitrary<std::uint64_t>() * 0x9E3779B97F4A7C15U));
        if (!std::isfinite(value)) value = T{1};
    }
    const auto* const first = reinterpret_cast<const std::byte*>(&value);
    bytes.insert(bytes.end(), first, first + sizeof(T));
  }
  return bytes;
}

PlainSample random_sample(const Stream& stream) {
  PlainSample sample;
  std::int64_t count = stream.sample_shape.size();
  if (stream.storage == Storage::sparse) {
    std::set<std::int64_t> indices;
    for (std::int64_t i = *testing::any_of(0, 4); i > 0; --i) {
      indices.insert(*testing::any_of<std::int64_t>(0, stream.sample_shape.size()));
    }
    count = std::ssize(indices);
    for (const std::int64_t index : indices) {
      const auto* const bytes = reinterpret_cast<const std::byte*>(&index);  // little-endian
      sample.indices.insert(sample.indices.end(), bytes, bytes + element_size(stream.index_type));
    }
  }
  sample.values = stream.element_type == ElementType::f32 ? random_values<float>(count)
                                                          : random_values<double>(count);
  return sample;
}

PlainData random_ctf_data() {
  const std::vector<Stream> kinds = {
      {.name = "a", .element_type = ElementType::f32, .sample_shape = {}},
      {.name = "b-1", .element_type = ElementType::f64, .sample_shape = {2, 3}},
      {.name = "\xC3\xA9",
       .element_type = ElementType::f32,
       .sample_shape = {7},
       .storage = Storage::sparse},
      {.name = "wide",
       .element_type = ElementType::f64,
       .sample_shape = {std::int64_t{1} << 40},
       .storage = Storage::sparse,
       .index_type = ElementType::i64}};
  auto streams = std::make_shared<std::vector<Stream>>();
  for (const Stream& kind : kinds) {
    if (*rc::gen::arbitrary<bool>()) streams->push_back(kind);
  }
  if (streams->empty()) streams->push_back(*rc::gen::elementOf(kinds));

  PlainData data = {.streams = streams, .keys = {}, .sequences = {}};
  const auto sequence_count = *testing::any_of<std::int64_t>(1, 6);
  std::set<std::uint64_t> used;
  while (std::ssize(data.keys) < sequence_count) {
    auto key = *rc::gen::arbitrary<std::uint64_t>();
    while (!used.insert(key).second) ++key;
    data.keys.push_back({.low = key});
  }
  data.sequences.resize(streams->size());
  for (std::int64_t n = 0; n < sequence_count; ++n) {
    const auto always = *testing::any_of<std::size_t>(0, streams->size());
    for (std::size_t i = 0; i < streams->size(); ++i) {
      PlainSequence& sequence = data.sequences[i].emplace_back();
      if (i != always && *testing::any_of(0, 4) == 0) continue;  // absent
      sequence.emplace();
      for (int t = *testing::any_of(1, 4); t > 0; --t) {
        sequence->push_back(random_sample((*streams)[i]));
      }
    }
  }
  return data;
}

FormatOptions options_of(std::span<const Stream> streams) {
  FormatOptions options;
  for (const Stream& stream : streams) {
    options.streams.push_back({.name = stream.name,
                               .storage = stream.storage,
                               .sample_shape = stream.sample_shape,
                               .dtype = stream.element_type,
                               .index_dtype = stream.index_type});
  }
  options.missing_streams = MissingStreams::allow;
  return options;
}

/// Returns the only chunk of a text.
std::pair<Chunk, std::vector<SequenceKey>> read_back(const std::string& text,
                                                     const FormatOptions& options) {
  const auto data = find_format("a.ctf", {}).open({memory_source(text, "back.ctf"), options});
  Diagnostics diagnostics;
  Chunk chunk = data->read({.chunk = {}}, diagnostics);
  RC_ASSERT(diagnostics.empty());
  RC_ASSERT(!data->index().chunk(ChunkIndex{1}));
  std::vector<SequenceKey> keys;
  const auto table = data->index().sequences(ChunkIndex{});
  for (std::int64_t n = 0; n < table->size(); ++n) keys.push_back(table->key(n));
  return {std::move(chunk), std::move(keys)};
}

RC_GTEST_PROP(CtfSerializer, WrittenDataRoundTrip, ()) {
  const PlainData data = random_ctf_data();
  Written written = {.keys = data.keys};
  written.batch_size = *testing::any_of<std::int64_t>(1, 4);
  if (*rc::gen::arbitrary<bool>()) written.extra = {{"ctf.ids", "first"}};
  const std::string text = written.text(*data.streams, to_chunk(data));

  auto [chunk, keys] = read_back(text, options_of(*data.streams));
  PlainData back = {.streams = data.streams, .keys = keys, .sequences = {}};
  for (std::size_t i = 0; i < data.streams->size(); ++i) {
    std::vector<PlainSequence>& sequences = back.sequences.emplace_back();
    for (std::int64_t n = 0; n < chunk.sequence_count(); ++n) {
      sequences.push_back(
          testing::to_plain((*data.streams)[i], chunk.view(static_cast<std::int64_t>(i), n)));
    }
  }
  RC_ASSERT(back == data);

  written.batch_size = 1000;
  RC_ASSERT(written.text(*data.streams, chunk) == text);
}

/// Returns the delivered sequences, without the properties that change when they are written again.
/// Leaves out sequences without any stream: they consist of rows of unknown streams and cannot be
/// written.
std::vector<conformance::ReferenceSequence> delivered(const conformance::ReferenceResult& result) {
  std::vector<conformance::ReferenceSequence> sequences;
  for (const conformance::ReferenceSequence& sequence : result.sequences) {
    const auto is_present = [](const auto& stream) { return stream.is_present; };
    if (sequence.is_hole || std::ranges::none_of(sequence.streams, is_present)) continue;
    sequences.push_back(sequence);
    sequences.back().first_line = 0;
  }
  return sequences;
}

/// Reads a text and writes the delivered sequences.
std::string rewritten(const std::string& text, const FormatOptions& options) {
  const auto data = find_format("a.ctf", {}).open({memory_source(text, "in.ctf"), options});
  std::string bytes;
  std::vector<Stream> streams(data->streams().begin(), data->streams().end());
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const std::string& alias = options.streams[i].alias;
    if (!alias.empty()) streams[i].name = alias;
  }
  CtfSerializer serializer(memory_sink(bytes, "out.ctf"), streams, {});
  for (ChunkIndex index{}; data->index().chunk(index); index = next(index)) {
    Diagnostics diagnostics;
    const Chunk chunk = data->read({.chunk = index}, diagnostics);
    const auto table = data->index().sequences(index);
    std::vector<SequenceKey> keys;
    std::vector<std::string_view> texts;
    std::vector<std::vector<SequenceView>> views(streams.size());
    for (std::int64_t n = 0; n < chunk.sequence_count(); ++n) {
      bool has_samples = false;
      for (std::int64_t i = 0; i < chunk.stream_count(); ++i) {
        has_samples = has_samples || chunk.view(i, n).sample_count > 0;
      }
      if (!has_samples) continue;  // without samples, or a hole
      keys.push_back(table->key(n));
      if (options.keys == KeyType::text) texts.push_back(chunk.key_text(n));
      for (std::size_t i = 0; i < streams.size(); ++i) {
        views[i].push_back(chunk.view(static_cast<std::int64_t>(i), n));
      }
    }
    const std::vector<std::span<const SequenceView>> spans(views.begin(), views.end());
    serializer.append(serializer.encode({.keys = keys, .key_texts = texts, .views = spans}));
  }
  serializer.finish();
  return bytes;
}

TEST(CtfSerializer, ConformanceFilesRoundTrip) {
  const Format& format = conformance::format_named("ctf");
  int file_count = 0;
  for (const conformance::FormatUnderTest& tested : conformance::formats_under_test()) {
    if (tested.name != "ctf") continue;
    for (const conformance::OptionSet& set : tested.option_sets) {
      if (set.options.compatibility == Compatibility::cntk) continue;
      if (set.options.streams.empty()) continue;
      for (std::uint64_t seed = 0; seed < 100; ++seed) {
        FormatOptions options = set.options;
        const std::string text = tested.generate(seed, options);
        const auto first = conformance::read_all(format, text, options);
        const auto sequences = delivered(first);
        if (first.fatal || sequences.empty()) continue;
        SCOPED_TRACE(set.name + "\n" + text);
        const std::string again = rewritten(text, options);
        options.skip_sequence_ids = false;  // the sequences have ids now
        const auto second = conformance::read_all(format, again, options);
        ASSERT_EQ(second.error_count(), 0) << again;
        ASSERT_EQ(delivered(second), sequences) << again;
        ASSERT_EQ(rewritten(again, options), again);
        ++file_count;
      }
    }
  }
  EXPECT_GT(file_count, 500);
}

}  // namespace
}  // namespace sheaf::ctf
