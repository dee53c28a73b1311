// Tests inputs one byte below, at and one byte above every internal size: a block and a piece of a
// kernel, a read, a block of a scan, a step of the search for a row, a chunk, a unit, and a buffer.
// The library must agree with the reference parser.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/sheaf.h"

#include "base/unit_size.h"
#include "conformance/format_under_test.h"
#include "conformance/read_all.h"
#include "support/scoped_unit_size.h"
#include "support/test_folder.h"

namespace sheaf::conformance {
namespace {

constexpr std::int64_t kBlock = 64;      // of a kernel, in bytes
constexpr std::int64_t kPiece = 4096;    // of a kernel
constexpr std::int64_t kSearch = 16384;  // a step of find_row()

#if defined(SHEAF_SANITIZED)  // sanitizers are slow
constexpr std::int64_t kStride = 5;
constexpr std::array kTokenSizes = {kBlock, kPiece};
#else
constexpr std::int64_t kStride = 1;
constexpr std::array kTokenSizes = {kBlock, 2 * kBlock, kPiece, 2 * kPiece};
#endif

const FormatUnderTest& format_of(std::string_view name) {
  return *std::ranges::find(formats_under_test(), name, &FormatUnderTest::name);
}

/// Compares both parsers on a text, for every instruction set. Returns false if they differ.
bool agree(std::string_view format, const std::string& bytes, const FormatOptions& options) {
  const ReferenceResult expected = format_of(format).reference(bytes, options);
  const std::vector<SimdLevel> levels = simd_levels();
  bool is_same = true;
  for (const SimdLevel level : levels) {
    set_simd_level(level);
    const ReferenceResult found = read_all(format_named(format), bytes, options);
    if (found == expected) continue;
    is_same = false;
    ADD_FAILURE() << format << " by " << to_string(level) << ", " << bytes.size()
                  << " bytes: " << quoted(bytes, 200) << "\nthe reference has\n"
                  << to_string(expected).substr(0, 2000) << "and the format\n"
                  << to_string(found).substr(0, 2000);
  }
  set_simd_level(levels.back());
  return is_same;
}

/// Returns `text` repeated, cut to `size` bytes.
std::string repeated(std::string_view text, std::int64_t size) {
  std::string all;
  while (std::ssize(all) < size) all += text;
  all.resize(static_cast<std::size_t>(size));
  return all;
}

StreamOptions stream_of(std::string name, Storage storage, std::int64_t dim) {
  return {.name = std::move(name), .storage = storage, .sample_shape = Shape{dim}};
}

/// A format with streams, and the contexts in which tokens may stand in its rows.
struct TextRows {
  std::string name;
  std::string format;
  FormatOptions options;
  std::vector<std::string> locations;  // the text before the tokens
  std::vector<std::string> tokens;
  std::string good_row;
};

std::vector<TextRows> all_text_rows() {
  const std::vector<std::string> locations = {"0 |A ", "0 |B ", "0 |A 1 |# ", "0 |A 1 |", ""};
  const std::vector<std::string> tokens = {
      ":",  "0",  "1 ", "1:1 ", "7:1", "::",   ": ",   ":1 ", "1: ", " ",    "\t",  "|",
      "|#", "|A", "#",  ".",    "-",   "1e5 ", "|A 1", "1e",  ",",   "\x7F", "\xFF"};
  TextRows ctf{.name = "ctf",
               .format = "ctf",
               .options = {},
               .locations = locations,
               .tokens = tokens,
               .good_row = "1 |A 1 |B 3:1\n"};
  ctf.options.streams = {stream_of("A", Storage::dense, 1), stream_of("B", Storage::sparse, 9)};
  ctf.options.missing_streams = MissingStreams::allow;
  TextRows cntk = ctf;
  cntk.name = "cntk";
  cntk.options.streams[1].dtype = ElementType::f64;
  cntk.options.streams[1].index_dtype = ElementType::i64;
  cntk.options.compatibility = Compatibility::cntk;
  TextRows libsvm{.name = "libsvm",
                  .format = "libsvm",
                  .options = {},
                  .locations = {"1 ", "1 1:1 ", "1 1:1 # ", ""},
                  .tokens = tokens,
                  .good_row = "1 3:1\n"};
  libsvm.options.streams = {stream_of("label", Storage::dense, 1),
                            stream_of("features", Storage::sparse, 9)};
#if defined(SHEAF_SANITIZED)
  return {ctf, libsvm};  // rows in CNTK's dialect use the same code
#else
  return {ctf, cntk, libsvm};
#endif
}

class RowsOfOneToken : public ::testing::TestWithParam<TextRows> {};

TEST_P(RowsOfOneToken, AgreeWithTheReference) {
  const TextRows& rows = GetParam();
  for (const std::string& location : rows.locations) {
    for (const std::string& token : rows.tokens) {
      for (const std::int64_t size : kTokenSizes) {
        for (const std::int64_t distance : {-1, 0, 1}) {
          const std::string tokens = repeated(token, size + distance);
          const std::string text = location + tokens + '\n' + rows.good_row;
          ASSERT_TRUE(agree(rows.format, text, rows.options)) << quoted(location) << quoted(token);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, RowsOfOneToken, ::testing::ValuesIn(all_text_rows()),
                         [](const auto& test) { return test.param.name; });

/// Returns `size` bytes of values, or of pairs with rising indices. Sets `count` to their number.
std::string tokens_of(bool has_pairs, std::int64_t width, std::int64_t size, std::int64_t& count) {
  std::string text;
  count = 0;
  for (;;) {
    std::string token = has_pairs ? std::to_string(count + 1) + ':' : std::string();
    while (std::ssize(token) < width || token.ends_with(':')) {
      token += static_cast<char>('0' + (count + std::ssize(token)) % 10);
    }
    const std::int64_t rest = size - std::ssize(text);
    if (rest < 2 * std::ssize(token) + 2) {  // the last token fills the rest
      token.append(static_cast<std::size_t>(std::max<std::int64_t>(0, rest - std::ssize(token))),
                   '7');
      if (token.size() > static_cast<std::size_t>(width) + 2) token[token.size() - 2] = '.';
      ++count;
      return text + token;
    }
    text += token + ' ';
    ++count;
  }
}

class FieldsOfTokens : public ::testing::TestWithParam<bool> {};

TEST_P(FieldsOfTokens, AgreeWithTheReferenceAroundBlockAndPieceSizes) {
  const bool has_pairs = GetParam();
  const Storage storage = has_pairs ? Storage::sparse : Storage::dense;
  for (const std::int64_t border : {kBlock, 2 * kBlock, kPiece, 2 * kPiece}) {
    for (std::int64_t size = border - 5; size <= border + 5; size += kStride) {
      for (const std::int64_t width : {1, 2, 5, 9}) {
        std::int64_t count = 0;
        const std::string field = tokens_of(has_pairs, width, size, count);
        FormatOptions ctf;
        ctf.streams = {stream_of("A", storage, count + 2)};
        ctf.streams[0].dtype = width == 9 ? ElementType::f64 : ElementType::f32;
        if (!has_pairs) ctf.streams[0].sample_shape = Shape{count};
        ASSERT_TRUE(agree("ctf", "0 |A " + field + "\n1 |A " + field + "|A 1\n", ctf)) << size;
        if (!has_pairs) continue;
        FormatOptions libsvm;
        libsvm.streams = {stream_of("label", Storage::dense, 1),
                          stream_of("features", storage, count + 2)};
        ASSERT_TRUE(agree("libsvm", "1 " + field + "\n2 " + field + " 1\n", libsvm)) << size;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Storages, FieldsOfTokens, ::testing::Bool(), [](const auto& test) {
  return std::string(test.param ? "sparse" : "dense");
});

/// Returns a row of `size` bytes, the line end included. If `size` is too small for a sample, the
/// row is blank.
std::string row_of(std::string_view format, std::int64_t id, std::int64_t size) {
  const std::string begin = format == "ctf" ? std::to_string(id) + " |A 1" : std::string("1 1:1");
  if (size <= std::ssize(begin)) return repeated(" ", size - 1) + '\n';
  return begin + repeated(" ", size - 1 - std::ssize(begin)) + '\n';
}

FormatOptions options_of(std::string_view format) {
  FormatOptions options;
  if (format == "ctf") {
    options.streams = {stream_of("A", Storage::dense, 1)};
  } else {
    options.streams = {stream_of("label", Storage::dense, 1),
                       stream_of("features", Storage::sparse, 9)};
  }
  return options;
}

constexpr std::array<std::string_view, 2> kTexts = {"ctf", "libsvm"};

/// Indexes a text with several threads in blocks, then reads it.
ReferenceResult read_at_once(std::string_view format, const std::string& bytes,
                             const FormatOptions& options) {
  static const std::unique_ptr<Executor> threads = thread_pool(2);
  const auto data =
      format_named(format).open({memory_source(bytes, std::string(kMemoryName)), options});
  static_cast<void>(build_index(*data, *threads, 1000));
  return read_all(*data);
}

TEST(RowsAndReads, RowsAsLongAsAReadAgreeWithTheReference) {
  for (const std::string_view format : kTexts) {
    FormatOptions options = options_of(format);
    for (const std::int64_t read : {3, 64, 4096, 65536}) {
      options.read_size_bytes = read;
      for (int i = 0; i<27; i += read> 64 ? 2 : 1) {
        std::string text;
        for (const int digit : {i % 3, i / 3 % 3, i / 9}) {
          text += row_of(format, std::ssize(text), (digit == 1 ? 2 : 1) * read + digit - 1);
        }
        text += row_of(format, std::ssize(text), 12);
        ASSERT_TRUE(agree(format, text, options)) << read;
        ASSERT_TRUE(agree(format, text.substr(0, text.size() - 1), options)) << read;
      }
    }
  }
}

TEST(RowsAndReads, RowsAsLongAsABlockOrASearchStepAreFound) {
  constexpr std::int64_t kReadsPerBlock = 8;
  for (const std::string_view format : kTexts) {
    FormatOptions options = options_of(format);
    for (const std::int64_t read : {8, 64}) {
      options.read_size_bytes = read;
      for (const std::int64_t size : {read * kReadsPerBlock, kSearch, 2 * kSearch}) {
        for (std::int64_t distance = -2; distance <= 2; ++distance) {
          std::string text = row_of(format, 0, 13);
          while (std::ssize(text) < 3 * size) {
            text += row_of(format, std::ssize(text), size + distance);
            text += row_of(format, std::ssize(text), 13);
          }
          const ReferenceResult expected = format_of(format).reference(text, options);
          ASSERT_EQ(read_at_once(format, text, options), expected) << read << ' ' << size;
        }
      }
    }
  }
}

TEST(RowsAndChunks, AChunkEndsBeforeASequenceThatDoesNotFit) {
  for (const std::string_view format : kTexts) {
    std::string text;
    std::vector<std::int64_t> ends;
    for (std::int64_t i = 0; i < 6; ++i) {
      text += row_of(format, i, 12 + 3 * i);
      ends.push_back(std::ssize(text));
    }
    FormatOptions options = options_of(format);
    const ReferenceResult expected = format_of(format).reference(text, options);
    for (std::size_t i = 0; i < ends.size(); ++i) {
      for (const std::int64_t distance : {-1, 0, 1}) {
        options.chunk_size_bytes = ends[i] + distance;
        const auto data =
            format_named(format).open({memory_source(text, std::string(kMemoryName)), options});
        const std::int64_t count = data->index().chunk(ChunkIndex{})->sequence_count;
        const auto fitting = static_cast<std::int64_t>(i) + (distance < 0 ? 0 : 1);
        EXPECT_EQ(count, std::max<std::int64_t>(1, fitting)) << options.chunk_size_bytes;
        EXPECT_EQ(read_all(*data), expected);
        EXPECT_EQ(read_at_once(format, text, options), expected);
      }
    }
  }
}

/// Returns all sequences that a run in file order delivers.
std::vector<ReferenceSequence> delivered(std::shared_ptr<const Deserializer> data) {
  const std::shared_ptr<const Counts> counts(data, &data->index());
  const OrderOptions order{.minibatch_size = 3};
  Reader reader(data, make_sequencer(counts, order), ragged_packer(), {.threads = 2});
  std::vector<ReferenceSequence> all;
  while (const std::optional<Minibatch> minibatch = reader.next()) {
    std::ranges::move(to_reference(*minibatch), std::back_inserter(all));
  }
  return all;
}

/// Checks that ranges of 1, 2 and 5 sequences add up to the whole.
void expect_ranges(const Deserializer& data, const ReferenceResult& whole) {
  for (const std::int64_t size : {1, 2, 5}) {
    std::vector<ReferenceSequence> all;
    for (ChunkIndex chunk{}; const auto info = data.index().chunk(chunk); chunk = next(chunk)) {
      for (std::int64_t first = 0; first < info->sequence_count; first += size) {
        std::ranges::move(
            read_range(data, {.chunk = chunk, .first = first, .count = size}).sequences,
            std::back_inserter(all));
      }
    }
    EXPECT_EQ(all, whole.sequences) << size << " at a time";
  }
}

/// Returns a text of sequences of several sizes, some with several rows.
std::string some_rows(std::string_view format) {
  std::string text;
  for (std::int64_t i = 0; i < 12; ++i) text += row_of(format, i - i % 4 / 3, 10 + i * 5 % 17);
  return text;
}

TEST(Units, OfTextsGiveTheSameSequencesForEverySize) {
  const TestFolder folder;
  for (const std::string_view format : kTexts) {
    const std::string text = some_rows(format);
    FormatOptions options = options_of(format);
    options.index.directory = folder.path(".");
    options.read_size_bytes = 7;
    const ReferenceResult expected = format_of(format).reference(text, options);
    const std::vector<ReferenceSequence> run = [&] {
      return delivered(
          format_named(format).open({memory_source(text, std::string(kMemoryName)), options}));
    }();
    for (std::int64_t size = 1; size <= std::ssize(text) + 1; size += size < 40 ? 1 : 7 * kStride) {
      SCOPED_TRACE(size);
      const testing::ScopedUnitSize units(size);
      for (const std::int64_t chunk_size : {std::int64_t{1} << 20, std::int64_t{60}}) {
        options.chunk_size_bytes = chunk_size;
        for (const IndexMode mode : {IndexMode::rebuild, IndexMode::require}) {
          options.index.mode = mode;
          const std::shared_ptr<const Deserializer> data =
              format_named(format).open({memory_source(text, std::string(kMemoryName)), options});
          ASSERT_EQ(read_all(*data), expected);
          expect_ranges(*data, expected);
          ASSERT_EQ(delivered(data), run);
        }
      }
    }
  }
}

/// Returns the sequences of a text as CBF, with or without checks.
std::string as_cbf(const std::string& text, bool has_checks) {
  const auto source =
      format_named("ctf").open({memory_source(text, std::string(kMemoryName)), options_of("ctf")});
  std::string bytes;
  SerializerOptions options;
  options.chunk_size_bytes = 200;
  if (!has_checks) options.extra["cbf.checks"] = "off";
  Writer writer(memory_sink(bytes, "data.cbf"), source->streams(), {.format = options});
  for (ChunkIndex i{}; source->index().chunk(i); i = next(i)) {
    const auto table = source->index().sequences(i);
    std::vector<SequenceKey> keys;
    for (std::int64_t k = 0; k < table->size(); ++k) keys.push_back(table->key(k));
    Diagnostics diagnostics;
    writer.write(keys, source->read({.chunk = i}, diagnostics));
  }
  writer.finish();
  return bytes;
}

TEST(Units, OfCbfGiveTheSameSequencesForEverySize) {
  const std::string text = some_rows("ctf");
  const ReferenceResult expected = format_of("cbf").reference(as_cbf(text, true), {});
  ASSERT_EQ(expected.error_count(), 0);
  for (std::int64_t size = 1; size <= 1200; size += size < 300 ? 1 : 60 * kStride) {
    SCOPED_TRACE(size);
    const testing::ScopedUnitSize units(size);
    for (const bool has_checks : {false, true}) {
      const std::string bytes = as_cbf(text, has_checks);
      const std::shared_ptr<const Deserializer> data =
          format_named("cbf").open({memory_source(bytes, std::string(kMemoryName)), {}});
      ASSERT_EQ(read_all(*data), expected);
      expect_ranges(*data, expected);
    }
  }
}

TEST(Units, RowsLongerThanABufferAgreeWithTheReference) {
  constexpr std::int64_t kUnit = 64;
  constexpr std::int64_t kBuffer = 4 * kUnit;
  const testing::ScopedUnitSize units(kUnit);
  for (const std::string_view format : kTexts) {
    FormatOptions options = options_of(format);
    for (const std::int64_t read : {1, 16, 64, 1000}) {
      options.read_size_bytes = read;
      for (const std::int64_t border : {kBuffer, 2 * kBuffer, 4 * kBuffer}) {
        for (std::int64_t size = border - 2; size <= border + 2; ++size) {
          const std::string text = row_of(format, 0, 20) + row_of(format, 1, size) +
                                   row_of(format, 2, 30) + row_of(format, 3, size - 1);
          ASSERT_TRUE(agree(format, text, options)) << size << " read by " << read;
          ASSERT_TRUE(agree(format, text.substr(0, text.size() - 1), options));
        }
      }
    }
  }
}

}  // namespace
}  // namespace sheaf::conformance
