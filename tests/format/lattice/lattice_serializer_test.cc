#include "format/lattice/lattice_serializer.h"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/extend/serializer.h"

#include "format/lattice/lattice_deserializer.h"
#include "format/lattice/lattice_test_block.h"
#include "support/error_of.h"
#include "support/write_file.h"

namespace sheaf::lattice {
namespace {

using sheaf::testing::error_of;
using sheaf::testing::text_of;
using sheaf::testing::write_file;
using testing::block;
using testing::with;
using testing::word;

using std::string_literals::operator""s;

struct Lattice {
  std::string key;
  std::string bytes;
  std::int64_t sample_count = 1;
  bool is_present = true;
};

const Stream kBytes = {
    .name = "l", .element_type = ElementType::bytes, .sample_shape = Shape{Shape::kVariable}};
const Stream kFloats = {.name = "l", .element_type = ElementType::f32, .sample_shape = Shape{1}};

std::string filled_up(std::string bytes) {
  bytes.resize((bytes.size() + 3) / 4 * 4);
  return bytes;
}

/// Returns a lattice of `nodes` nodes, and enough tokens for a size of `size` bytes.
std::string block_of_size(std::uint64_t nodes, std::size_t size) {
  std::string bytes = block({.frames = nodes - 1, .nodes = nodes, .edges = 0, .tokens = 0});
  const std::size_t more = size - bytes.size();
  bytes = with(bytes, bytes.size() - 8, word(more / 4));
  return bytes.insert(bytes.size() - 4, more, '\0');
}

/// Returns the lattices as floats.
std::vector<Lattice> as_floats(std::vector<Lattice> lattices) {
  for (Lattice& each : lattices) {
    each.bytes = filled_up(each.bytes);
    each.sample_count = std::ssize(each.bytes) / 4;
  }
  return lattices;
}

const std::vector<Lattice> kLattices = {{"a", block()},
                                        {"b/c.d [x]", block({.frames = 9, .nodes = 4})},
                                        {" ", block({.tokens = 0})},
                                        {"7", block({.nodes = 5})}};

/// Serializers write to files in memory. Nothing is staged, so each file is visible in its final
/// state.
class LatticeSerializerTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<LatticeSerializer> begin(
      const std::vector<Stream>& streams = {kBytes}, const std::string& path = "d/out.toc",
      const std::map<std::string, std::string>& extra = {}) {
    return std::make_unique<LatticeSerializer>(CreateRequest{
        .sink = files_->create(path),
        .streams = streams,
        .options = {.extra = extra},
        .create_file = [this](const std::string& name) { return files_->create(name); },
        .files = files_.get()});
  }

  static void append(LatticeSerializer& serializer, const std::vector<Lattice>& lattices,
                     bool is_floats = false) {
    std::vector<SequenceKey> keys;
    std::vector<std::string_view> texts;
    std::vector<SequenceView> views;
    for (const Lattice& each : lattices) {
      keys.push_back(key_of_text(each.key));
      texts.push_back(each.key);
      views.push_back({.values = std::as_bytes(std::span(each.bytes)).data(),
                       .sample_count = each.sample_count,
                       .value_count = is_floats ? each.sample_count : std::ssize(each.bytes),
                       .is_present = each.is_present});
    }
    const std::vector<std::span<const SequenceView>> spans = {views};
    serializer.append(serializer.encode({.keys = keys, .key_texts = texts, .views = spans}));
  }

  void write(const std::vector<Lattice>& lattices, const Stream& stream = kBytes) {
    const auto serializer = begin({stream});
    if (!lattices.empty()) append(*serializer, lattices, stream.element_type == ElementType::f32);
    serializer->finish();
  }

  [[nodiscard]] std::string refused(const std::vector<Lattice>& lattices,
                                    const Stream& stream = kBytes) {
    const std::string told = error_of<DataError>([&] { write(lattices, stream); });
    return told.substr(0, told.find('\n'));
  }

  [[nodiscard]] std::string refused_stream(const Stream& stream) {
    return error_of<ConfigError>([&] { static_cast<void>(begin({stream})); });
  }

  [[nodiscard]] std::string text(const std::string& path) { return text_of(*files_->open(path)); }

  std::unique_ptr<FileSystem> files_ = memory_files();
};

TEST_F(LatticeSerializerTest, ATableNamesItsArchiveOnce) {
  write(kLattices);
  EXPECT_EQ(text("d/out.toc"), "a=out.lat[0]\nb/c.d [x]=[106]\n =[214]\n7=[304]\n");
  EXPECT_EQ(text("d/out.lat"), block() + block({.frames = 9, .nodes = 4}) + block({.tokens = 0}) +
                                   block({.nodes = 5}));
}

TEST_F(LatticeSerializerTest, TheBlockSizeDoesNotChangeTheBytes) {
  const auto serializer = begin();
  for (const Lattice& each : kLattices) append(*serializer, {each});
  serializer->finish();
  const std::string table = text("d/out.toc");
  const std::string archive = text("d/out.lat");
  write(kLattices);
  EXPECT_EQ(text("d/out.toc"), table);
  EXPECT_EQ(text("d/out.lat"), archive);
}

TEST_F(LatticeSerializerTest, WrittenDataRoundTrip) {
  write(kLattices);
  const LatticeDeserializer data(files_->open("d/out.toc"), {.keys = KeyType::text},
                                 {.files = files_.get()});
  Diagnostics diagnostics;
  const Chunk chunk = data.read({.chunk = ChunkIndex{}, .first = 0, .count = 4}, diagnostics);
  EXPECT_EQ(diagnostics.error_count(), 0);
  for (std::int64_t i = 0; i < 4; ++i) {
    const Lattice& wanted = kLattices[static_cast<std::size_t>(i)];
    EXPECT_EQ(chunk.key_text(i), wanted.key);
    const SequenceView view = chunk.view(0, i);
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(view.values),
                          static_cast<std::size_t>(view.value_count)),
              wanted.bytes);
  }
}

TEST_F(LatticeSerializerTest, FloatsAreWrittenWithoutTheirPadding) {
  write(kLattices);
  const std::string table = text("d/out.toc");
  const std::string archive = text("d/out.lat");
  ASSERT_NE(kLattices.front().bytes.size() % 4, 0U) << "there is something to leave out";
  write(as_floats(kLattices), kFloats);
  EXPECT_EQ(text("d/out.toc"), table);
  EXPECT_EQ(text("d/out.lat"), archive);
}

TEST_F(LatticeSerializerTest, FloatsWithoutAKnownEndAreRefused) {
  std::string one = filled_up(block());
  one.back() = '\1';
  EXPECT_EQ(refused(as_floats({{"a", one}}), kFloats),
            "d/out.toc: sequence a: error: stream \"l\": expected the end of the lattice behind "
            "the tag \"END \", found 2 more bytes at byte 106 of the lattice [lattice-end]");
  const std::string four_more = block({.nodes = 2}) + "\0\0\0\0"s;
  EXPECT_NE(refused(as_floats({{"a", four_more}}), kFloats).find("found 4 more bytes"),
            std::string::npos);
  EXPECT_EQ(refused(as_floats({{"a", with(block(), 4, word(1))}}), kFloats),
            "d/out.toc: sequence a: error: stream \"l\": expected version 2: of another lattice, "
            "floats do not say where the bytes end, found version 1 [lattice-version]");
  EXPECT_EQ(refused({{"a", with(block(), 4, word(1))}}), "") << "of bytes the end is known";
}

TEST_F(LatticeSerializerTest, UnreadableBlocksAreRefused) {
  EXPECT_EQ(refused({{"a", block()}, {"b", with(block(), 40, "XXXX")}}),
            "d/out.toc: sequence b: error: stream \"l\": expected the tag \"NODS\" and a count, "
            "found \"XXXX\" at byte 40 of the lattice [lattice-nodes]");
  for (const Stream& stream : {kBytes, kFloats}) {
    const auto refusal = [&](const std::string& bytes) {
      const std::vector<Lattice> lattices = {{"a", bytes}};
      return refused(stream == kBytes ? lattices : as_floats(lattices), stream);
    };
    EXPECT_NE(refusal("LATX").find("lattice-tag"), std::string::npos);
    EXPECT_NE(refusal(with(block(), 4, word(3))).find("lattice-version"), std::string::npos);
    EXPECT_NE(refusal(block().substr(0, 36)).find("lattice-cut"), std::string::npos);
    EXPECT_NE(refusal(block().substr(0, 100)).find("lattice-cut"), std::string::npos);
    EXPECT_NE(refusal(with(block(), 32, word(6))).find("lattice-frames"), std::string::npos);
  }
  EXPECT_NE(refused({{"a", block() + "\0"s}}).find("lattice-end"), std::string::npos);
  EXPECT_NE(refused({{"a", ""}}).find("lattice-tag"), std::string::npos);
}

TEST_F(LatticeSerializerTest, SizesHaveALimit) {
  std::string bytes = with(block(), 4, word(1));
  bytes.resize(49'999'999);
  EXPECT_EQ(refused({{"a", bytes}}), "");
  bytes += '\0';
  EXPECT_EQ(refused({{"a", bytes}}),
            "d/out.toc: sequence a: error: stream \"l\": expected a lattice of less than 50000000 "
            "bytes, found 50000000 bytes [lattice-size]");
  const std::string even = block_of_size(1, 49'999'998);
  ASSERT_EQ(even.size(), 49'999'998U);
  EXPECT_EQ(refused(as_floats({{"a", even}}), kFloats), "");
  EXPECT_EQ(text("d/out.lat").size(), even.size());
  const std::string large = block_of_size(2, 50'000'000);
  ASSERT_EQ(large.size(), 50'000'000U);
  EXPECT_NE(refused(as_floats({{"a", large}}), kFloats).find("lattice-size"), std::string::npos);
}

TEST_F(LatticeSerializerTest, ASequenceMustBeOneLattice) {
  EXPECT_EQ(refused({{"a", block() + block(), 2}}),
            "d/out.toc: sequence a: error: stream \"l\": expected one lattice, found 2 "
            "[lattice-count]");
  EXPECT_NE(refused({{"a", "", 0}}).find("found 0 "), std::string::npos);
  EXPECT_NE(refused({{"a", "", 0}}, kFloats).find("found 0 "), std::string::npos);
  EXPECT_NE(refused({{"a", "", 0, false}}).find("found none: the stream is absent"),
            std::string::npos);
  EXPECT_NE(refused({}).find("expected at least one lattice, found none [lattice-empty]"),
            std::string::npos);
}

TEST_F(LatticeSerializerTest, UnsupportedKeysAreRefused) {
  for (const std::string& key :
       {""s, "a=b"s, "="s, "a\nb"s, "a\r"s, "a\0b"s, "\xEF\xBB\xBFz"s, "\xFF\xFEz"s, "\xFE\xFF"s}) {
    // The text of an error ends at a zero byte, but the diagnostic has all of it.
    try {
      write({{key, block()}});
      ADD_FAILURE() << key;
    } catch (const DataError& error) {
      EXPECT_EQ(error.diagnostics().front().expected,
                "a key that is not empty, begins with no byte order mark, and has no =, line ends "
                "and bytes of value 0");
    }
  }
  EXPECT_EQ(refused({{"a]b[c] ", block()}, {"\xEF\xBB", block()}}), "");
  const std::string repeated = refused({{"a", block()}, {"b", block()}, {"a", block()}});
  EXPECT_NE(repeated.find("lattice-repeated-key"), std::string::npos) << repeated;
}

TEST_F(LatticeSerializerTest, NumericKeysAreWrittenAsDigits) {
  const auto serializer = begin();
  const std::string bytes = block();
  const std::vector<SequenceView> views = {{.values = std::as_bytes(std::span(bytes)).data(),
                                            .sample_count = 1,
                                            .value_count = std::ssize(bytes)}};
  const std::vector<std::span<const SequenceView>> spans = {views};
  const std::vector<SequenceKey> number = {{.low = ~std::uint64_t{0}}};
  serializer->append(serializer->encode({.keys = number, .views = spans}));
  const std::vector<SequenceKey> hash = {key_of_text("text")};
  EXPECT_NE(error_of<DataError>([&] {
              static_cast<void>(serializer->encode({.keys = hash, .views = spans}));
            }).find("expected the text of the key, found its hash alone"),
            std::string::npos);
  serializer->finish();
  EXPECT_EQ(text("d/out.toc"), "18446744073709551615=out.lat[0]\n");
}

TEST_F(LatticeSerializerTest, UnsupportedStreamsAreRefused) {
  EXPECT_EQ(refused_stream(kBytes), "");
  EXPECT_EQ(refused_stream(kFloats), "");
  const std::string expected =
      "stream \"l\": lattices are opaque bytes, or dense f32 samples of shape [1] with these "
      "bytes, not ";
  Stream stream = kFloats;
  stream.sample_shape = Shape{2};
  EXPECT_EQ(refused_stream(stream), expected + "l: dense f32 [2]");
  stream = kFloats;
  stream.element_type = ElementType::f64;
  EXPECT_EQ(refused_stream(stream), expected + "l: dense f64 [1]");
  stream = kFloats;
  stream.storage = Storage::sparse;
  EXPECT_EQ(refused_stream(stream).substr(0, expected.size()), expected);
  EXPECT_EQ(error_of<ConfigError>([&] {
              Stream other = kBytes;
              other.name = "m";
              static_cast<void>(begin({kBytes, other}));
            }),
            "streams: lattice holds one stream, not 2; choose one");
}

TEST_F(LatticeSerializerTest, AnArchiveHasTheNameOfItsTable) {
  for (const auto& [table, archive] : std::map<std::string, std::string>{{"a.b/x", "a.b/x.lat"},
                                                                         {"x.y.toc", "x.y.lat"},
                                                                         {".toc", ".toc.lat"},
                                                                         {"[=.t", "[=.lat"}}) {
    const auto serializer = begin({kBytes}, table);
    append(*serializer, kLattices);
    serializer->finish();
    EXPECT_TRUE(files_->exists(archive)) << archive;
    const LatticeDeserializer data(files_->open(table), {.keys = KeyType::text},
                                   {.files = files_.get()});
    EXPECT_EQ(data.index().chunk(ChunkIndex{})->sequence_count, 4);
  }
}

TEST_F(LatticeSerializerTest, UnsupportedTableNamesAreRefused) {
  for (const char* const path : {"a\\b.toc", "a\nb.toc", "a\rb.toc"}) {
    EXPECT_EQ(error_of<ConfigError>([&] { static_cast<void>(begin({kBytes}, path)); }),
              std::string(path) +
                  ": a table of this name cannot name its archive: leave out \\ and line ends");
  }
}

TEST_F(LatticeSerializerTest, AConflictingArchiveIsDetected) {
  write_file(*files_, "out.lat", "another one");
  EXPECT_EQ(error_of<ConfigError>([&] { static_cast<void>(begin()); }),
            "d/out.toc: the working directory has another out.lat, which readers would take for "
            "the archive of this table; give the table another name");
  static_cast<void>(begin({kBytes}, "out.toc"));  // the archive itself, which would be replaced
  static_cast<void>(begin({kBytes}, "d/other.toc"));
}

TEST_F(LatticeSerializerTest, AnOutputWithoutAPathIsRefused) {
  std::string bytes;
  EXPECT_EQ(error_of<ConfigError>([&] {
              const LatticeSerializer serializer(
                  {.sink = memory_sink(bytes, "out.toc"), .streams = {kBytes}});
            }),
            "out.toc: cannot be written as lattice, which is a list and the files that it names: "
            "give the list a path");
}

TEST_F(LatticeSerializerTest, OptionsAreRefused) {
  EXPECT_NE(error_of<ConfigError>([&] {
              static_cast<void>(begin({kBytes}, "d/out.toc", {{"lattice.as", "bytes"}}));
            }),
            "")
      << "an option for reading";
}

}  // namespace
}  // namespace sheaf::lattice
