// Changes every number of a file. A reader must report the change, or read the same content as
// before. The test lists by name the changes that cannot be detected.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/format.h"

#include "conformance/format_under_test.h"
#include "conformance/read_all.h"
#include "format/cbf/cbf_test_file.h"
#include "reference/cbf_reference.h"

namespace sheaf::cbf {
namespace {

using conformance::CbfTestFile;
using conformance::dense_block;
using conformance::ReferenceResult;
using conformance::sparse_block;
using Floats = std::vector<float>;
using Doubles = std::vector<double>;

struct Field {
  std::string name;
  std::int64_t at = 0;
  std::int64_t size = 0;
};

/// Walks over a good file as docs/formats/cbf.md describes, and records its numbers.
class FieldFinder {
 public:
  FieldFinder(const CbfTestFile& file, std::string_view bytes) : file_(file), bytes_(bytes) {}

  std::vector<Field> find() {
    add("magic", 8);
    add("version", 4);
    at_ += std::ssize(file_.gap);
    for (const conformance::CbfTestChunk& chunk : file_.chunks) add_chunk(chunk);
    add("header.magic", 8);
    add("header.chunks", 4);
    add("header.streams", 4);
    for (const conformance::CbfTestStream& stream : file_.streams) {
      add("stream.storage", 1);
      add("stream.name_size", 4);
      at_ += std::ssize(stream.name);
      add("stream.type", 1);
      add(stream.is_sparse ? "sparse.dim" : "dense.dim", 4);
    }
    for (std::size_t i = 0; i < file_.chunks.size(); ++i) {
      add("entry.offset", 8);
      add("entry.sequences", 4);
      add("entry.samples", 4);
    }
    if (file_.parts > 0) add_checks();
    add("trailer", 8);
    EXPECT_EQ(at_, std::ssize(bytes_));
    return fields_;
  }

 private:
  void add(const std::string& name, std::int64_t size) {
    fields_.push_back({name, at_, size});
    at_ += size;
  }

  void add_chunk(const conformance::CbfTestChunk& chunk) {
    for (std::size_t i = 0; i < chunk.lengths.size(); ++i) add("length", 4);
    for (std::size_t k = 0; k < file_.streams.size(); ++k) {
      for (const std::string& block : chunk.blocks[k]) add_block(file_.streams[k], block);
    }
  }

  void add_block(const conformance::CbfTestStream& stream, const std::string& block) {
    const std::int64_t end = at_ + std::ssize(block);
    std::uint32_t samples = 0;
    block.copy(reinterpret_cast<char*>(&samples), sizeof samples);
    add("block.samples", 4);
    if (stream.is_sparse) {
      add("block.entries", 4);
      at_ = end - std::int64_t{4} * samples;  // values and indices are content
      for (std::uint32_t i = 0; i < samples; ++i) add("block.count", 4);
    }
    at_ = end;
  }

  void add_checks() {
    add("checks.magic", 8);
    add("checks.version", 4);
    add("checks.zero", 4);
    for (const conformance::CbfTestChunk& chunk : file_.chunks) {
      if (chunk.lengths.empty()) continue;
      const std::size_t parts = std::min<std::size_t>(file_.parts, chunk.lengths.size());
      add("checks.parts", 4);
      add("checks.lengths_hash", 8);
      for (std::size_t i = 0; i < 2 * file_.streams.size(); ++i) add("checks.total", 8);
      for (std::size_t i = 0; i < 2 * parts * file_.streams.size(); ++i) add("checks.part", 8);
    }
    add("checks.hash", 8);
  }

  const CbfTestFile& file_;
  std::string_view bytes_;
  std::int64_t at_ = 0;
  std::vector<Field> fields_;
};

/// Returns a file with every feature: four streams of both storages and types, an empty chunk
/// between other chunks, sequences of several lengths, and samples without entries.
CbfTestFile several_chunks() {
  CbfTestFile file;
  file.streams = {{.name = "a", .dim = 2},
                  {.name = "bits", .is_sparse = true, .dim = 9},
                  {.name = "wide", .is_double = true, .dim = 1},
                  {.name = "far", .is_sparse = true, .is_double = true, .dim = 3}};
  const std::string far_entry = [] {
    conformance::CbfBytes block;
    block.put(std::uint32_t{1}).put(std::int32_t{1}).put(2.5).put(std::int32_t{2});
    return block.put(std::int32_t{1}).bytes();
  }();
  const std::string one = sparse_block(1, {7}, {8}, {1});
  file.chunks = {{.lengths = {2, 1},
                  .blocks = {{dense_block(1, Floats{1, 2}), dense_block(1, Floats{3, 4})},
                             {sparse_block(2, {5, 6}, {0, 8}, {2, 0}), one},
                             {dense_block(2, Doubles{1, 2}), dense_block(1, Doubles{3})},
                             {far_entry, far_entry}}},
                 {.lengths = {}, .blocks = {{}, {}, {}, {}}},
                 {.lengths = {3},
                  .blocks = {{dense_block(3, Floats{1, 2, 3, 4, 5, 6})},
                             {sparse_block(1, {}, {}, {0})},
                             {dense_block(1, Doubles{1})},
                             {far_entry}}},
                 {.lengths = {1, 1},
                  .blocks = {{dense_block(1, Floats{1, 2}), dense_block(1, Floats{3, 4})},
                             {one, one},
                             {dense_block(1, Doubles{1}), dense_block(1, Doubles{2})},
                             {far_entry, far_entry}}}};
  return file;
}

/// Returns chunks of one sequence with one dense value, where little else can be wrong.
CbfTestFile single_values() {
  CbfTestFile file;
  file.streams = {{.name = "a"}};
  for (int i = 0; i < 3; ++i) {
    file.chunks.push_back({.lengths = {1}, .blocks = {{dense_block(1, Floats{1})}}});
  }
  file.gap = std::string(4, '\0');
  return file;
}

ReferenceResult read(const std::string& bytes) {
  FormatOptions options;
  options.format = "cbf";
  return conformance::read_all(conformance::format_named("cbf"), bytes, options);
}

/// Returns the streams as a reader sees them, or "none" if the file is refused.
std::string streams_of(const std::string& bytes) {
  FormatOptions options;
  options.format = "cbf";
  std::string text;
  try {
    const auto data = find_format("", options).open({memory_source(bytes, "x.cbf"), options});
    for (const Stream& stream : data->streams()) text += to_string(stream) + ' ';
  } catch (const DataError&) {
    return "none";
  }
  return text;
}

/// Reads a file with `field` set to each of several values. Returns the names of the fields whose
/// change alters the content without an error.
std::set<std::string> unnoticed_changes(const CbfTestFile& file) {
  const std::string good = conformance::to_bytes(file);
  const ReferenceResult expected = read(good);
  EXPECT_EQ(expected.error_count(), 0) << conformance::to_string(expected);
  std::set<std::string> unnoticed;
  for (const Field& field : FieldFinder(file, good).find()) {
    std::uint64_t value = 0;
    std::memcpy(&value, good.data() + field.at, static_cast<std::size_t>(field.size));
    std::set<std::uint64_t> others = {0,
                                      1,
                                      2,
                                      value - 1,
                                      value + 1,
                                      ~std::uint64_t{0},
                                      std::uint64_t{std::numeric_limits<std::int32_t>::max()}};
    for (std::int64_t bit = 0; bit < field.size * 8; ++bit) {
      others.insert(value ^ std::uint64_t{1} << bit);
    }
    for (const std::uint64_t other : others) {
      std::string bytes = good;
      std::memcpy(bytes.data() + field.at, &other, static_cast<std::size_t>(field.size));
      const ReferenceResult result = read(bytes);
      const ReferenceResult slow = conformance::parse_cbf(bytes, {});
      if (!slow.is_forged) {
        EXPECT_EQ(result, slow) << field.name << " at byte " << field.at << " is " << other;
      }
      const bool is_noticed = result.fatal || result.error_count() > 0;
      const bool is_same = result == expected && streams_of(bytes) == streams_of(good);
      if (!is_same && !is_noticed) unnoticed.insert(field.name);
    }
  }
  return unnoticed;
}

using Names = std::set<std::string>;

// A larger sparse dim fits all indices.
TEST(CbfFields, OnlyAWrongSparseDimIsUndetected) {
  EXPECT_EQ(unnoticed_changes(several_chunks()), Names{"sparse.dim"});
  EXPECT_EQ(unnoticed_changes(single_values()), Names{});
}

TEST(CbfFields, WithChecksEveryWrongFieldIsDetected) {
  CbfTestFile file = several_chunks();
  for (const std::uint32_t parts : {1U, 2U}) {
    file.parts = parts;
    EXPECT_EQ(unnoticed_changes(file), Names{}) << parts << " parts";
  }
  CbfTestFile single = single_values();
  single.parts = 1;
  EXPECT_EQ(unnoticed_changes(single), Names{});
}

}  // namespace
}  // namespace sheaf::cbf
