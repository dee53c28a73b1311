#include "format/cbf/cbf_serializer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/format.h"
#include "sheaf/extend/packer.h"
#include "sheaf/reader.h"
#include "sheaf/writer.h"

#include "conformance/format_under_test.h"
#include "conformance/read_all.h"
#include "format/cbf/cbf_test_file.h"
#include "support/test_folder.h"

namespace sheaf::cbf {
namespace {

using conformance::CbfTestFile;

const std::filesystem::path kData =
    std::filesystem::path(SHEAF_SHARED_DIR) / "conformance" / "cntk" / "data";

/// Reads a file and writes it again, `minibatch_size` sequences at a time.
std::string rewritten(std::shared_ptr<const Deserializer> data, const WriterOptions& options,
                      std::int64_t minibatch_size = 64) {
  OrderOptions order;
  order.unit = MinibatchUnit::sequences;
  order.minibatch_size = minibatch_size;
  const std::shared_ptr<const Counts> counts(data, &data->index());
  Reader reader(data, make_sequencer(counts, order), ragged_packer());
  std::string bytes;
  Writer writer(memory_sink(bytes, "out.cbf"), reader.streams(), options);
  while (const auto minibatch = reader.next()) writer.write(*minibatch);
  writer.finish();
  return bytes;
}

std::shared_ptr<const Deserializer> open_bytes(const std::string& bytes,
                                               FormatOptions options = {}) {
  if (options.format.empty()) options.format = "cbf";
  return find_format("", options).open({memory_source(bytes, "in"), options});
}

std::string bytes_of(const std::filesystem::path& path) {
  const auto source = open_file(path.string());
  std::string bytes(static_cast<std::size_t>(source->size()), '\0');
  source->read_at(0, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

struct Twin {
  const char* text;
  const char* binary;
  std::vector<StreamOptions> streams;
};

TEST(CbfSerializer, MatchesTheOriginalConverter) {
  if (!std::filesystem::exists(kData)) GTEST_SKIP() << kData << " is not there";
  const Twin twins[] = {
      {"Simple_dense.txt",
       "Simple_dense.bin",
       {{.name = "features", .alias = "F", .sample_shape = Shape{2}},
        {.name = "labels", .alias = "L", .sample_shape = Shape{2}}}},
      {"10x10_dense.txt",
       "10x10_dense.bin",
       {{.name = "features", .alias = "F0", .sample_shape = Shape{5}}}},
  };
  for (const Twin& twin : twins) {
    FormatOptions options;
    options.format = "ctf";
    options.streams = twin.streams;
    const std::string written = rewritten(open_bytes(bytes_of(kData / twin.text), options), {});
    EXPECT_TRUE(written == bytes_of(kData / twin.binary)) << twin.binary;
  }
}

TEST(CbfSerializer, FilesOfTheOriginalConverterRoundTrip) {
  if (!std::filesystem::exists(kData)) GTEST_SKIP() << kData << " is not there";
  for (const char* name :
       {"Simple_dense.bin", "10x10_dense.bin", "50x20_jagged_sequences_dense.bin"}) {
    const std::string bytes = bytes_of(kData / name);
    for (const std::int64_t size : {1, 7, 100'000}) {
      EXPECT_TRUE(rewritten(open_bytes(bytes), {}, size) == bytes) << name;
    }
  }
}

// Returns a file that opens, and that the reference reads with streams that may be missing.
CbfTestFile simple_file() {
  CbfTestFile file;
  file.streams = {{.name = "a"}};
  file.chunks = {{.lengths = {}, .blocks = {{}}}};
  for (std::uint32_t i = 0; i < 10; ++i) {
    file.chunks[0].lengths.push_back(1);
    file.chunks[0].blocks[0].push_back(
        conformance::dense_block(1, std::vector<float>{static_cast<float>(i)}));
  }
  return file;
}

std::vector<std::int64_t> chunk_sizes(const std::string& bytes) {
  const CbfFile file = open_cbf(*memory_source(bytes, "x"));
  std::vector<std::int64_t> sizes;
  for (std::int64_t i = 0; i < file.chunks.size(); ++i) {
    sizes.push_back(file.chunks[i].sequence_count);
  }
  return sizes;
}

TEST(CbfSerializer, AChunkEndsWithTheSequenceThatFillsIt) {
  const auto data = open_bytes(to_bytes(simple_file()));  // 12 bytes for each sequence
  WriterOptions options;
  options.format.chunk_size_bytes = 30;
  EXPECT_EQ(chunk_sizes(rewritten(data, options)), (std::vector<std::int64_t>{3, 3, 3, 1}));
  options.format.chunk_size_bytes = 36;
  EXPECT_EQ(chunk_sizes(rewritten(data, options)), (std::vector<std::int64_t>{3, 3, 3, 1}));
  options.format.chunk_size_bytes = 1;
  EXPECT_EQ(chunk_sizes(rewritten(data, options)), std::vector<std::int64_t>(10, 1));
}

TEST(CbfSerializer, CanCountAsTheOriginalConverterDoes) {
  const auto data = open_bytes(to_bytes(simple_file()));
  WriterOptions options;
  options.format.chunk_size_bytes = 10;  // 2.5 sequences of 4 bytes
  options.format.extra["cbf.chunks"] = "cntk";
  EXPECT_EQ(chunk_sizes(rewritten(data, options)),
            (std::vector<std::int64_t>{3, 1, 1, 1, 1, 1, 1, 1}));
}

TEST(CbfSerializer, StoresTheLengthsOfTheDefiningStream) {
  const std::string text = "0 |a 1 |b 1\n0 |a 2\n0 |a 3\n1 |a 4 |b 5\n";
  FormatOptions options;
  options.format = "ctf";
  const auto lengths = [&](const WriterOptions& how) {
    const auto data = open_bytes(rewritten(open_bytes(text, options), how));
    const auto table = data->index().sequences(ChunkIndex{0});
    return std::vector<std::int64_t>{table->sample_count(0), table->sample_count(1)};
  };
  EXPECT_EQ(lengths({}), (std::vector<std::int64_t>{3, 1}));
  WriterOptions defining;
  defining.streams = {{.name = "a"}, {.name = "b", .defines_minibatch_size = true}};
  EXPECT_EQ(lengths(defining), (std::vector<std::int64_t>{1, 1}));
}

TEST(CbfSerializer, SortsTheEntriesOfASampleAndKeepsTheOrderOfEqualOnes) {
  CbfTestFile file;
  file.streams = {{.name = "b", .is_sparse = true, .dim = 9}};
  file.chunks = {{.lengths = {2},
                  .blocks = {{conformance::sparse_block(2, std::vector<float>{1, 2, 3, 4, 5},
                                                        {7, 2, 7, 1, 0}, {4, 1})}}}};
  CbfTestFile sorted = file;
  sorted.chunks[0].blocks[0][0] =
      conformance::sparse_block(2, std::vector<float>{4, 2, 1, 3, 5}, {1, 2, 7, 7, 0}, {4, 1});
  EXPECT_EQ(rewritten(open_bytes(to_bytes(file)), {}), to_bytes(sorted));
}

// Adjacent blocks of several sequences are written directly from 128 KiB on. Smaller ones go
// through a buffer of 1 MiB.
TEST(CbfSerializer, WritesBlocksOfAnySizeInTheirOrder) {
  for (const std::uint32_t size : {1U << 17, 1U << 20}) {
    for (const std::uint32_t values : {size / 4 - 2, size / 4 - 1, size / 4, size / 4 + 1}) {
      SCOPED_TRACE(values);
      CbfTestFile file;
      file.streams = {{.name = "a"}, {.name = "b"}};
      file.chunks = {{.lengths = {}, .blocks = {{}, {}}}};
      for (const std::uint32_t count : {3U, values, 5U, values, values, 1U}) {
        std::vector<float> numbers(count);
        for (std::uint32_t i = 0; i < count; ++i) numbers[i] = static_cast<float>(i + count);
        file.chunks[0].lengths.push_back(count);
        file.chunks[0].blocks[0].push_back(conformance::dense_block(count, numbers));
        file.chunks[0].blocks[1].push_back(conformance::dense_block(1, std::vector<float>{0.5F}));
      }
      const std::string bytes = to_bytes(file);
      for (const std::int64_t minibatch_size : {1, 2, 6}) {
        EXPECT_TRUE(rewritten(open_bytes(bytes), {}, minibatch_size) == bytes) << minibatch_size;
      }
    }
  }
}

TEST(CbfSerializer, WritesChecksThatFitItsParts) {
  CbfTestFile file = simple_file();
  file.parts = 1;
  WriterOptions options;
  options.format.extra["cbf.checks"] = "on";
  EXPECT_EQ(rewritten(open_bytes(to_bytes(simple_file())), options, 3), to_bytes(file));
}

TEST(CbfSerializer, SequencesThatLackAStreamAreWrittenWithAWarningOrRefused) {
  FormatOptions options;
  options.format = "ctf";
  options.missing_streams = MissingStreams::allow;
  const auto data = open_bytes("0 |a 1 |b 0:1\n1 |a 2\n", options);
  WriterOptions how;
  const std::string bytes = rewritten(data, how);
  FormatOptions of_cbf;
  of_cbf.missing_streams = MissingStreams::allow;
  std::string again;
  Writer writer(memory_sink(again, "out.cbf"), data->streams(), how);
  Diagnostics diagnostics;
  const std::vector<SequenceKey> keys(2);
  writer.write(keys, data->read({.chunk = ChunkIndex{0}}, diagnostics));
  ASSERT_EQ(writer.warnings().size(), 1);
  EXPECT_EQ(to_string(writer.warnings()[0]),
            "out.cbf: warning: expected at least one sample in each sequence, found none 1 times "
            "[cbf-missing-stream]\n  CNTK cannot read such sequences");
  const Chunk chunk = open_bytes(bytes, of_cbf)->read({.chunk = ChunkIndex{0}}, diagnostics);
  EXPECT_FALSE(chunk.view(1, 1).is_present);
  how.format.extra["cbf.missing"] = "refuse";
  EXPECT_THROW(rewritten(data, how), DataError);
}

std::string making_error_of(const std::vector<Stream>& streams, const SerializerOptions& options) {
  std::string bytes;
  try {
    CbfSerializer serializer(memory_sink(bytes, "out.cbf"), streams, options);
    serializer.finish();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(CbfSerializer, RefusesUnsupportedStreams) {
  const Stream good{.name = "a", .sample_shape = {2}};
  const auto with = [&](const std::function<void(Stream&)>& change) {
    Stream stream = good;
    change(stream);
    return making_error_of({stream}, {});
  };
  EXPECT_EQ(making_error_of({}, {}), "streams: cbf needs at least one");
  EXPECT_EQ(making_error_of({good, good}, {}), "streams: two have the name \"a\"");
  EXPECT_EQ(with([](Stream& s) { s.element_type = ElementType::i32; }),
            "stream \"a\": cbf holds f32 or f64, not i32; the dtype float32 or float64 of what is "
            "written, or the transform cast, makes these of it");
  EXPECT_EQ(with([](Stream& s) { s.sample_shape = {Shape::kVariable}; }),
            "stream \"a\": cbf has samples of fixed shape only, not [*]: leave the stream out, or "
            "make samples of one shape of it by a transform");
  EXPECT_EQ(with([](Stream& s) { s.sample_shape = {1LL << 33}; }),
            "stream \"a\": the dim in cbf is at most 4294967295, got 8589934592");
  EXPECT_EQ(with([](Stream& s) { s.name = "\xC3\xA4"; }),
            "stream \"\\xc3\\xa4\": names in cbf are ASCII; cbf.names=utf-8 writes others, which "
            "not every reader takes");
  EXPECT_EQ(making_error_of({good}, {.extra = {{"cbf.no", "on"}}}),
            "extra: cbf has no option \"cbf.no\" for writing; it has cbf.checks, cbf.chunks, "
            "cbf.missing, cbf.names");
  EXPECT_EQ(making_error_of({good}, {.extra = {{"cbf.checks", "yes"}}}),
            "cbf.checks: expected off or on, found \"yes\"");
  EXPECT_EQ(making_error_of({good}, {}),
            "out.cbf: error: expected at least one sequence, found none to write "
            "[cbf-empty]");
}

// Every random file that opens is written and reads back equal. Writing the result again gives the
// same bytes.
RC_GTEST_PROP(CbfSerializerLaw, WrittenDataRoundTrip, ()) {
  const auto formats = conformance::formats_under_test();
  const auto cbf = std::ranges::find(formats, "cbf", &conformance::FormatUnderTest::name);
  FormatOptions options;
  options.format = "cbf";
  options.missing_streams = MissingStreams::allow;
  const std::string bytes = cbf->generate(*rc::gen::arbitrary<std::uint64_t>(), options);
  conformance::ReferenceResult expected = cbf->reference(bytes, options);
  std::erase_if(expected.sequences, [](const auto& each) { return each.is_hole; });
  RC_PRE(!expected.fatal && expected.diagnostics.empty() && !expected.sequences.empty());

  WriterOptions how;
  how.format.chunk_size_bytes = *rc::gen::element<std::int64_t>(1, 50, 1 << 20);
  how.format.extra["cbf.checks"] = *rc::gen::element<std::string>("on", "off");
  const std::string once = rewritten(open_bytes(bytes, options), how, *rc::gen::inRange(1, 9));
  const std::string twice = rewritten(open_bytes(once, options), how, *rc::gen::inRange(1, 9));
  RC_ASSERT(once == twice);
  const conformance::ReferenceResult result = cbf->reference(once, options);
  RC_ASSERT(!result.fatal && result.diagnostics.empty());
  RC_ASSERT(result.sequences.size() == expected.sequences.size());
  for (std::size_t i = 0; i < result.sequences.size(); ++i) {
    // Writing sorts entries, and changes nothing else.
    const auto sorted = [](std::vector<conformance::ReferenceStream> streams) {
      for (conformance::ReferenceStream& stream : streams) {
        for (conformance::ReferenceSample& sample : stream.samples) {
          if (sample.indices.empty()) continue;
          std::vector<std::pair<std::int64_t, std::uint64_t>> entries;
          for (std::size_t k = 0; k < sample.indices.size(); ++k) {
            entries.emplace_back(sample.indices[k], sample.values[k]);
          }
          std::ranges::stable_sort(entries, {}, [](const auto& entry) { return entry.first; });
          for (std::size_t k = 0; k < entries.size(); ++k) {
            sample.indices[k] = entries[k].first;
            sample.values[k] = entries[k].second;
          }
        }
      }
      return streams;
    };
    RC_ASSERT(result.sequences[i].streams == sorted(expected.sequences[i].streams));
  }
}

}  // namespace
}  // namespace sheaf::cbf
