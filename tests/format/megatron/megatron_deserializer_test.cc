#include "format/megatron/megatron_deserializer.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/checked.h"
#include "sheaf/open.h"

#include "conformance/read_all.h"
#include "format/megatron/megatron_test_files.h"
#include "support/error_of.h"

namespace sheaf::megatron {
namespace {

using sheaf::testing::error_of;
using testing::FilesInMemory;
using testing::Made;
using testing::made_of;

using Documents = std::vector<std::vector<std::int64_t>>;

/// Returns the tokens of all sequences. The stream has the type T.
template <typename T>
Documents tokens_of(const Deserializer& data) {
  Documents all;
  for (ChunkIndex chunk{}; const auto info = data.index().chunk(chunk); chunk = next(chunk)) {
    Diagnostics diagnostics;
    const Chunk read =
        data.read({.chunk = chunk, .first = 0, .count = info->sequence_count}, diagnostics);
    for (std::int64_t i = 0; i < read.sequence_count(); ++i) {
      const SequenceView view = read.view(0, i);
      std::vector<T> values(static_cast<std::size_t>(view.value_count));
      if (!values.empty()) std::memcpy(values.data(), view.values, values.size() * sizeof(T));
      all.emplace_back(values.begin(), values.end());
    }
  }
  return all;
}

Made numbers() {
  return made_of<std::uint16_t>(8, {{1, 2, 3}, {4}, {}, {65535, 6}, {7, 8, 9, 10}});
}
const Documents kNumbers = {{1, 2, 3}, {4}, {}, {65535, 6}, {7, 8, 9, 10}};

TEST(MegatronDeserializer, DocumentsAreSequencesOfTokens) {
  const FilesInMemory files(numbers());
  const OpenedData opened = open_path("d/t.idx", {}, {.files = &files.files()});
  ASSERT_EQ(opened.data->streams().size(), 1U);
  EXPECT_EQ(to_string(opened.data->streams()[0]), "tokens: dense u16 [1]");
  const auto all = conformance::read_all(*checked(opened.data));
  ASSERT_EQ(all.sequences.size(), 5U);
  EXPECT_EQ(all.sequences[3].key, SequenceKey{3});
  EXPECT_EQ(all.sequences[2].sample_count, 0);
  EXPECT_EQ(tokens_of<std::uint16_t>(*opened.data), kNumbers);
  EXPECT_TRUE(opened.data->warnings().empty());
}

TEST(MegatronDeserializer, SequencesOfADocumentAreMerged) {
  Made made = numbers();
  made.documents = {0, 2, 2, 5};
  const auto data = FilesInMemory(made).open();
  EXPECT_EQ(tokens_of<std::uint16_t>(*data),
            (Documents{{1, 2, 3, 4}, {}, {65535, 6, 7, 8, 9, 10}}));
}

TEST(MegatronDeserializer, ChunkSizeAndReadSizeDoNotChangeTheSequences) {
  const FilesInMemory files(numbers());
  for (const std::int64_t chunk_size : {1, 5, 6, 7, 8, 9, 20, 100}) {
    for (const std::int64_t read_size : {1, 7, 8, 9, 16, 1000}) {
      const auto data = files.open({.chunk_size_bytes = chunk_size, .read_size_bytes = read_size});
      EXPECT_EQ(tokens_of<std::uint16_t>(*data), kNumbers) << chunk_size << ' ' << read_size;
    }
  }
}

TEST(MegatronDeserializer, ChunksEndBeforeADocumentThatDoesNotFit) {
  const auto chunks = [](std::int64_t size) {
    const auto data = FilesInMemory(numbers()).open({.chunk_size_bytes = size});
    std::vector<std::int64_t> counts;
    for (ChunkIndex chunk{}; const auto info = data->index().chunk(chunk); chunk = next(chunk)) {
      counts.push_back(info->sequence_count);
      EXPECT_EQ(data->index().sequences(chunk)->size(), info->sequence_count);
    }
    return counts;
  };
  EXPECT_EQ(chunks(7), (std::vector<std::int64_t>{1, 3, 1}));  // bytes: 6, 2, 0, 4, 8
  EXPECT_EQ(chunks(8), (std::vector<std::int64_t>{3, 1, 1}));
  EXPECT_EQ(chunks(11), (std::vector<std::int64_t>{3, 1, 1}));
  EXPECT_EQ(chunks(12), (std::vector<std::int64_t>{4, 1}));
  EXPECT_EQ(chunks(19), (std::vector<std::int64_t>{4, 1}));
  EXPECT_EQ(chunks(20), (std::vector<std::int64_t>{5}));
}

TEST(MegatronDeserializer, AnyRangeEqualsThatPartOfTheChunk) {
  const auto data = FilesInMemory(numbers()).open();
  const auto whole =
      conformance::read_range(*data, {.chunk = ChunkIndex{}, .first = 0, .count = 5});
  for (std::int64_t first = 0; first < 5; ++first) {
    for (std::int64_t count = 1; first + count <= 5; ++count) {
      const auto part =
          conformance::read_range(*data, {.chunk = ChunkIndex{}, .first = first, .count = count});
      const std::vector<conformance::ReferenceSequence> expected(
          whole.sequences.begin() + first, whole.sequences.begin() + first + count);
      EXPECT_EQ(part.sequences, expected) << first << ' ' << count;
    }
  }
}

// 65,536 numbers of the list are read at a time.
TEST(MegatronDeserializer, LongListsAreReadCompletely) {
  for (const std::int64_t count : {65535, 65536, 65537}) {
    std::vector<std::vector<std::uint8_t>> documents(static_cast<std::size_t>(count), {7});
    documents.back() = {1, 2};
    const auto data =
        FilesInMemory(made_of<std::uint8_t>(1, documents)).open({.chunk_size_bytes = 30'000});
    const Documents found = tokens_of<std::uint8_t>(*data);
    ASSERT_EQ(std::ssize(found), count);
    EXPECT_EQ(found.back(), (std::vector<std::int64_t>{1, 2}));
    EXPECT_LT(data->index().memory_bytes(), 1000);
  }
}

TEST(MegatronDeserializer, TokensAreWidenedToTheDeclaredType) {
  const auto as = [](ElementType type) {
    return FormatOptions{.streams = {{.name = "ids", .dtype = type}}};
  };
  EXPECT_EQ(tokens_of<std::int64_t>(*FilesInMemory(numbers()).open(as(ElementType::i64))),
            kNumbers);
  const FilesInMemory small(made_of<std::int8_t>(2, {{-128, 127}}));
  EXPECT_EQ(to_string(small.open()->streams()[0]), "tokens: dense i32 [1]");
  EXPECT_EQ(tokens_of<std::int32_t>(*small.open()), (Documents{{-128, 127}}));
  EXPECT_EQ(error_of<ConfigError>([] {
              static_cast<void>(FilesInMemory(numbers()).open(
                  {.streams = {{.name = "ids", .dtype = ElementType::f32}}}));
            }),
            "stream \"ids\": tokens of type uint16 cannot be read as f32, which does not hold all "
            "of them; the transform cast gives other types");
}

TEST(MegatronDeserializer, TheTokensMayLieInAnotherFile) {
  const FilesInMemory files(numbers());
  sheaf::testing::write_file(files.files(), "d/other", numbers().tokens);
  files.files().remove("d/t.bin");
  EXPECT_THROW(static_cast<void>(files.open()), IoError);
  const auto data = files.open({.extra = {{"megatron.tokens", "other"}}});
  EXPECT_EQ(tokens_of<std::uint16_t>(*data), kNumbers);
  std::vector<std::string> named;
  data->visit_named_files([&](const std::string& path) { named.push_back(path); });
  EXPECT_EQ(named, std::vector<std::string>{"d/other"});
}

TEST(MegatronDeserializer, LocationsAreThoseOfTheTokens) {
  const Diagnostic location = FilesInMemory(numbers()).open()->location_of(ChunkIndex{}, 3, 0);
  EXPECT_EQ(location.path, "d/t.bin");
  EXPECT_EQ(location.byte_offset, 8);
  EXPECT_EQ(location.sequence_key, "3");
}

TEST(MegatronDeserializer, TheFingerprintDependsOnContentAndOptions) {
  Made other = numbers();
  other.tokens[0] = 'x';
  const std::string first = FilesInMemory(numbers()).open()->fingerprint();
  EXPECT_EQ(FilesInMemory(numbers()).open()->fingerprint(), first);
  EXPECT_NE(FilesInMemory(other).open()->fingerprint(), first);
  EXPECT_NE(FilesInMemory(numbers()).open({.chunk_size_bytes = 7})->fingerprint(), first);
  EXPECT_NE(FilesInMemory(numbers()).open({.dtype = ElementType::i32})->fingerprint(), first);
}

std::string refused(const Made& made) {
  return error_of<DataError>([&] { static_cast<void>(FilesInMemory(made).open()); });
}

TEST(MegatronDeserializer, WrongListsAreRefusedWithTheirLocation) {
  const auto wrong = [](auto change) {
    Made made = numbers();
    change(made);
    return refused(made);
  };
  EXPECT_EQ(wrong([](Made&) {}), "");
  const auto has = [](const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos ? "" : text;
  };
  EXPECT_EQ(has(wrong([](Made& made) { made.code = 9; }), "found 9 [megatron-type]"), "");
  EXPECT_EQ(has(wrong([](Made& made) { made.lengths[1] = -1; }), "found -1 [megatron-length]"), "");
  EXPECT_EQ(has(wrong([](Made& made) { made.pointers[1] = 7; }),
                "found 7, where 6 was expected [megatron-pointer]"),
            "");
  EXPECT_EQ(has(wrong([](Made& made) { made.documents[0] = 1; }), "[megatron-document]"), "");
  EXPECT_EQ(has(wrong([](Made& made) { made.documents[2] = 0; }), "[megatron-document]"), "");
  EXPECT_EQ(has(wrong([](Made& made) { made.documents[2] = 6; }), "[megatron-document]"), "");
  EXPECT_EQ(has(wrong([](Made& made) { made.documents.back() = 4; }), "[megatron-document]"), "");
  EXPECT_EQ(has(wrong([](Made& made) { made.documents.clear(); }), "[megatron-empty]"), "");
  EXPECT_EQ(has(wrong([](Made& made) { made.documents = {0}; }), "[megatron-empty]"), "");
  EXPECT_EQ(has(wrong([](Made& made) { made.behind = "x"; }), "[megatron-size]"), "");
  EXPECT_EQ(has(wrong([](Made& made) { made.tokens.pop_back(); }),
                "found a file of 19 bytes, where sequence 4 ends at 20 [megatron-tokens]"),
            "");
  EXPECT_EQ(has(wrong([](Made& made) { made.lengths[0] = 2'000'000'000; }), "[megatron-tokens]"),
            "");
}

TEST(MegatronDeserializer, EveryTruncatedListIsRefused) {
  const std::string list = numbers().list();
  for (std::size_t size = 0; size < list.size(); ++size) {
    const FilesInMemory files(numbers());
    sheaf::testing::write_file(files.files(), "d/t.idx", list.substr(0, size));
    EXPECT_NE(error_of<DataError>([&] { static_cast<void>(files.open()); }), "") << size;
  }
}

TEST(MegatronDeserializer, HeadersWithImpossibleSizesAreRefused) {
  for (const std::size_t location : {18U, 26U}) {  // the numbers of sequences and of documents
    for (const char high : {'\x04', '\x7F', '\xFF'}) {
      std::string list = numbers().list();
      list[location + 7] = high;
      const FilesInMemory files(numbers());
      sheaf::testing::write_file(files.files(), "d/t.idx", list);
      EXPECT_NE(error_of<DataError>([&] { static_cast<void>(files.open()); }), "");
    }
  }
}

TEST(MegatronDeserializer, ModesAndExtraTokensAreWarnings) {
  Made made = numbers();
  made.behind = "ABCDE";
  made.tokens += "xy";
  const auto data = FilesInMemory(made).open();
  const std::vector<Diagnostic> warnings = data->warnings();
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_EQ(warnings[0].code, "megatron-modes");
  EXPECT_EQ(warnings[1].code, "megatron-more-tokens");
  EXPECT_EQ(warnings[1].byte_offset, 20);
  EXPECT_EQ(warnings[1].found, "2 bytes more");
  EXPECT_EQ(warnings[1].severity, Severity::warning);
  EXPECT_EQ(tokens_of<std::uint16_t>(*data), kNumbers);
}

TEST(MegatronDeserializer, InvalidOptionsAreRefused) {
  const FilesInMemory files(numbers());
  const auto refused_with = [&](const FormatOptions& options) {
    return error_of<ConfigError>([&] { static_cast<void>(files.open(options)); });
  };
  EXPECT_NE(refused_with({.compatibility = Compatibility::cntk}), "");
  EXPECT_NE(refused_with({.keys = KeyType::text}), "");
  EXPECT_EQ(refused_with({.keys = KeyType::numeric}), "");
  EXPECT_NE(refused_with({.skip_sequence_ids = true}), "");
  EXPECT_NE(refused_with({.streams = {{.name = "a"}, {.name = "b"}}}), "");
  EXPECT_NE(refused_with({.streams = {{.name = "a", .storage = Storage::sparse}}}), "");
  EXPECT_NE(refused_with({.streams = {{.name = "a", .sample_shape = Shape{2}}}}), "");
  EXPECT_EQ(refused_with({.streams = {{.name = "a", .sample_shape = Shape{1}}}}), "");
  EXPECT_NE(refused_with({.chunk_size_bytes = 0}), "");
  EXPECT_NE(refused_with({.extra = {{"megatron.token", "x"}}}), "");
}

}  // namespace
}  // namespace sheaf::megatron
