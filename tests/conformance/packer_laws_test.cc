// The laws of packings for the data of every format: the arrays, read as minibatch.h says, hold
// what the reference finds in the file.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/packer.h"

#include "conformance/law_case.h"
#include "conformance/read_all.h"
#include "conformance/seeds.h"

namespace sheaf::conformance {
namespace {

using PackerLaws = Laws;

/// Reads the arrays of one stream, with the table of StreamBatch as its only guide.
class BatchReader {
 public:
  BatchReader(const Stream& stream, const StreamBatch& batch) : stream_(stream), batch_(batch) {}

  [[nodiscard]] std::vector<ReferenceStream> sequences() const {
    std::vector<ReferenceStream> result;
    const auto lengths = batch_.lengths.as<std::int64_t>();
    EXPECT_EQ(std::ssize(lengths), batch_.sequence_count);
    std::int64_t samples_before = 0;
    std::set<std::int64_t> rows;
    for (std::int64_t n = 0; n < batch_.sequence_count; ++n) {
      ReferenceStream sequence;
      if (!batch_.presence.empty()) {
        sequence.is_present = at<std::uint8_t>(batch_.presence, n) != 0;
      }
      const std::int64_t length = lengths[static_cast<std::size_t>(n)];
      for (std::int64_t t = 0; t < length; ++t) {
        EXPECT_TRUE(rows.insert(row(n, t)).second) << "two samples in row " << row(n, t);
        sequence.samples.push_back(sample(row(n, t)));
      }
      samples_before += length;
      result.push_back(std::move(sequence));
    }
    EXPECT_EQ(samples_before, batch_.sample_count);
    expect_padding_elsewhere(rows);
    return result;
  }

 private:
  template <typename T>
  static T at(const Buffer& buffer, std::int64_t i) {
    return buffer.as<T>()[static_cast<std::size_t>(i)];
  }

  [[nodiscard]] ReferenceSample sample(std::int64_t row) const {
    ReferenceSample result;
    const bool is_fixed = stream_.sample_shape.is_fixed();
    const bool is_opaque = stream_.element_type == ElementType::bytes;
    const bool is_flat = stream_.storage == Storage::sparse || is_opaque ||
                         (!is_fixed && batch_.layout == Layout::ragged);
    const std::int64_t begin =
        is_flat ? at<std::int64_t>(batch_.row_offsets, row) : row * batch_.row_shape.size();
    const std::int64_t end =
        is_flat ? at<std::int64_t>(batch_.row_offsets, row + 1) : begin + batch_.row_shape.size();
    const std::int64_t rank = stream_.sample_shape.rank();
    for (std::int64_t axis = 0; !is_fixed && axis < rank; ++axis) {
      result.extents.push_back(is_opaque && batch_.layout != Layout::ragged
                                   ? end - begin
                                   : at<std::int64_t>(batch_.extents, row * rank + axis));
    }
    const std::int64_t size = element_size(stream_.element_type);
    for (std::int64_t i = begin; i < end; ++i) {
      std::uint64_t bits = 0;
      if (!is_fixed && !is_flat && !is_in_corner(i - begin, result.extents)) {
        std::memcpy(&bits, batch_.values.data() + i * size, static_cast<std::size_t>(size));
        EXPECT_EQ(bits, 0U) << "around a sample, at " << i;
        continue;
      }
      std::memcpy(&bits, batch_.values.data() + i * size, static_cast<std::size_t>(size));
      result.values.push_back(bits);
      if (stream_.storage == Storage::sparse) {
        result.indices.push_back(stream_.index_type == ElementType::i32
                                     ? at<std::int32_t>(batch_.indices, i)
                                     : at<std::int64_t>(batch_.indices, i));
      }
    }
    return result;
  }

  /// Returns whether a value of an array row belongs to the sample with these extents.
  [[nodiscard]] bool is_in_corner(std::int64_t value,
                                  const std::vector<std::int64_t>& extents) const {
    for (std::size_t axis = extents.size(); axis-- > 0;) {
      const std::int64_t row_extent = batch_.row_shape.extents()[axis];
      if (value % row_extent >= extents[axis]) return false;
      value /= row_extent;
    }
    return true;
  }

  [[nodiscard]] std::int64_t row(std::int64_t n, std::int64_t t) const {
    switch (batch_.layout) {
      case Layout::padded:
        return n * batch_.sample_count_max + t;
      case Layout::ragged:
        return at<std::int64_t>(batch_.sequence_offsets, n) + t;
      case Layout::packed:
      case Layout::truncated:
        return (at<std::int64_t>(batch_.begins, n) + t) * batch_.slot_count +
               at<std::int64_t>(batch_.slots, n);
      case Layout::frames:
        break;
    }
    return n;
  }

  /// Expects that array rows without a sample are masked, and zero or without entries.
  void expect_padding_elsewhere(const std::set<std::int64_t>& rows) const {
    const bool has_mask = batch_.layout == Layout::padded || batch_.layout == Layout::packed;
    EXPECT_EQ(batch_.mask.size_bytes(), has_mask ? batch_.row_count() : 0);
    for (std::int64_t i = 0; i < batch_.row_count(); ++i) {
      const bool is_taken = rows.contains(i);
      EXPECT_TRUE(is_taken || has_mask || batch_.layout == Layout::frames)
          << "row " << i << " has no sample";
      if (has_mask) {
        EXPECT_EQ(at<std::uint8_t>(batch_.mask, i), is_taken ? 1 : 0);
      }
      if (is_taken) continue;
      const ReferenceSample padding = sample(i);
      const bool is_flat =
          stream_.storage == Storage::sparse || stream_.element_type == ElementType::bytes;
      EXPECT_TRUE(!is_flat || padding.values.empty());
      for (const std::uint64_t bits : padding.values) EXPECT_EQ(bits, 0U);
    }
  }

  const Stream& stream_;
  const StreamBatch& batch_;
};

bool takes(const Packer& packer, std::span<const Stream> streams) {
  try {
    packer.check(streams);
    return true;
  } catch (const ConfigError&) {
    return false;
  }
}

bool has_views(const Minibatch& minibatch) {
  for (std::int64_t s = 0; s < std::ssize(minibatch.streams()); ++s) {
    if (!minibatch.has_views(s)) return false;
  }
  return true;
}

/// Selects sequences whose samples have the same shape in each stream.
class OneShape {
 public:
  explicit OneShape(const std::vector<Stream>& streams) : streams_(streams) {}

  /// Returns whether the samples have the same shapes as the samples before.
  bool add(const ReferenceSequence& sequence) {
    Shapes shapes = shapes_;
    shapes.resize(streams_.size());
    for (std::size_t s = 0; s < streams_.size(); ++s) {
      if (streams_[s].element_type == ElementType::bytes) continue;
      for (const ReferenceSample& sample : sequence.streams[s].samples) {
        if (shapes[s].empty()) shapes[s] = sample.extents;
        if (shapes[s] != sample.extents) return false;
      }
    }
    shapes_ = std::move(shapes);
    return true;
  }

 private:
  using Shapes = std::vector<std::vector<std::int64_t>>;

  const std::vector<Stream>& streams_;
  Shapes shapes_;
};

/// Returns the sequences of a minibatch, from its arrays alone.
std::vector<ReferenceSequence> contents(const Minibatch& minibatch) {
  std::vector<ReferenceSequence> sequences;
  for (const SequenceKey& key : minibatch.keys()) sequences.emplace_back().key = key;
  const std::span<const std::string_view> texts = minibatch.key_texts();
  for (std::size_t n = 0; n < texts.size(); ++n) sequences[n].key_text = texts[n];
  for (std::int64_t s = 0; s < std::ssize(minibatch.streams()); ++s) {
    const BatchReader reader(minibatch.streams()[static_cast<std::size_t>(s)], minibatch.batch(s));
    std::vector<ReferenceStream> of_stream = reader.sequences();
    for (std::size_t n = 0; n < sequences.size(); ++n) {
      sequences[n].streams.push_back(std::move(of_stream[n]));
    }
  }
  return sequences;
}

/// A layout. `has_rows` gives `packed` a row_samples above the length of the longest sequence.
struct Packing {
  Layout layout;
  bool has_rows = false;
};

constexpr Packing kPackings[] = {
    {Layout::padded}, {Layout::ragged}, {Layout::packed}, {Layout::packed, true}, {Layout::frames}};

/// Returns whether the layout supports the sequence: `frames` takes sequences of one sample only.
bool takes(Layout layout, const ReferenceSequence& sequence) {
  return layout != Layout::frames ||
         std::ranges::all_of(sequence.streams, [](const ReferenceStream& stream) {
           return !stream.is_present || stream.samples.size() == 1;
         });
}

/// The first chunk of a file, with the result of the reference.
struct ChunkData {
  explicit ChunkData(const LawCase& law_case, const std::string& bytes)
      : data(law_case.implementation().open(
            {memory_source(bytes, std::string(kMemoryName)), law_case.set.options})),
        streams(std::make_shared<const std::vector<Stream>>(data->streams().begin(),
                                                            data->streams().end())),
        chunk(data->read({.chunk = ChunkIndex{}}, diagnostics)),
        reference(law_case.reference(bytes).sequences) {}

  /// Returns the sequences that the layout supports, in reverse order: a packer depends only on the
  /// order of the list.
  [[nodiscard]] std::pair<SequenceList, std::vector<ReferenceSequence>> list_for(
      Layout layout) const {
    const auto table = data->index().sequences(ChunkIndex{});
    SequenceList list(streams);
    std::vector<ReferenceSequence> expected;
    const bool is_any_shape = layout == Layout::ragged || layout == Layout::padded;
    OneShape one_shape(*streams);
    for (std::int64_t i = chunk.sequence_count() - 1; i >= 0; --i) {
      const ReferenceSequence& sequence = reference[static_cast<std::size_t>(i)];
      if (chunk.is_hole(i) || !takes(layout, sequence)) continue;
      if (!is_any_shape && !one_shape.add(sequence)) continue;
      list.add(table->key(i), chunk, i);
      expected.push_back(
          {.key = sequence.key, .key_text = sequence.key_text, .streams = sequence.streams});
    }
    return {std::move(list), std::move(expected)};
  }

  [[nodiscard]] std::unique_ptr<Packer> packer(const Packing& packing) const {
    if (!packing.has_rows) return make_packer(packing.layout);
    std::size_t longest = 0;
    for (const ReferenceSequence& sequence : reference) {
      for (const ReferenceStream& stream : sequence.streams) {
        longest = std::max(longest, stream.samples.size());
      }
    }
    return packed_packer(static_cast<std::int64_t>(longest) + 2);
  }

  std::unique_ptr<Deserializer> data;
  std::shared_ptr<const std::vector<Stream>> streams;
  Diagnostics diagnostics;
  Chunk chunk;
  std::vector<ReferenceSequence> reference;
};

TEST_P(PackerLaws, TheArraysHoldTheValuesOfTheFile) {
  for (std::uint64_t seed = 0; seed < seeds(100); ++seed) {
    SCOPED_TRACE(seed);
    const ChunkData data(GetParam(), file_that_opens(seed));
    for (const Packing& packing : kPackings) {
      const Layout layout = packing.layout;
      const std::unique_ptr<Packer> packer = data.packer(packing);
      SCOPED_TRACE(packer->name());
      if (!takes(*packer, *data.streams)) {
        EXPECT_NE(layout, Layout::ragged) << "ragged takes every stream";
        continue;
      }
      const auto [list, expected] = data.list_for(layout);
      const Minibatch minibatch = packer->pack(list);
      for (std::size_t s = 0; s < data.streams->size(); ++s) {
        EXPECT_EQ(minibatch.batch(static_cast<std::int64_t>(s)).layout, layout);
      }
      EXPECT_EQ(contents(minibatch), expected);
      if (has_views(minibatch)) {
        EXPECT_EQ(to_reference(minibatch), expected);
      } else {
        EXPECT_NE(layout, Layout::ragged) << "ragged lets samples lie together";
      }
    }
  }
}

TEST_P(PackerLaws, PackingAMinibatchAgainChangesNothing) {
  for (std::uint64_t seed = 0; seed < seeds(40); ++seed) {
    SCOPED_TRACE(seed);
    const ChunkData data(GetParam(), file_that_opens(seed));
    for (const Packing& packing : kPackings) {
      const std::unique_ptr<Packer> packer = data.packer(packing);
      SCOPED_TRACE(packer->name());
      if (!takes(*packer, *data.streams)) continue;
      const auto [list, expected] = data.list_for(packing.layout);
      const Minibatch once = ragged_packer()->pack(list);
      SequenceList again(data.streams);
      for (std::int64_t i = 0; i < once.sequence_count(); ++i) again.add(once, i);
      EXPECT_EQ(contents(packer->pack(again)), contents(packer->pack(list)));
    }
  }
}

SHEAF_LAWS(PackerLaws);

}  // namespace
}  // namespace sheaf::conformance
