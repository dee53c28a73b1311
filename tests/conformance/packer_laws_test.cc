// What every packing promises over the data of every format: the arrays, read as minibatch.h says,
// hold what the reference found in the file.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/packer.h"

#include "conformance/law_case.h"
#include "conformance/read_all.h"

namespace sheaf::conformance {
namespace {

using PackerLaws = Laws;

/// Reads the arrays of one stream, by the table of StreamBatch and nothing else.
class BatchReader {
 public:
  BatchReader(const Stream& stream, const StreamBatch& batch) : stream_(stream), batch_(batch) {}

  [[nodiscard]] std::vector<ReferenceStream> sequences() const {
    std::vector<ReferenceStream> result;
    const auto lengths = batch_.lengths.as<std::int64_t>();
    EXPECT_EQ(std::ssize(lengths), batch_.sequence_count);
    std::int64_t samples_before = 0;
    for (std::int64_t n = 0; n < batch_.sequence_count; ++n) {
      ReferenceStream sequence;
      if (!batch_.presence.empty()) {
        sequence.is_present = at<std::uint8_t>(batch_.presence, n) != 0;
      }
      const std::int64_t length = lengths[static_cast<std::size_t>(n)];
      const std::int64_t first_row = batch_.layout == Layout::padded
                                         ? n * batch_.sample_count_max
                                         : at<std::int64_t>(batch_.sequence_offsets, n);
      for (std::int64_t t = 0; t < length; ++t) {
        sequence.samples.push_back(sample(first_row + t, samples_before + t));
      }
      if (batch_.layout == Layout::padded) {
        for (std::int64_t t = 0; t < batch_.sample_count_max; ++t) {
          EXPECT_EQ(at<std::uint8_t>(batch_.mask, first_row + t), t < length ? 1 : 0);
          if (t >= length) expect_padding(sample(first_row + t, 0));
        }
      } else {
        EXPECT_EQ(at<std::int64_t>(batch_.sequence_offsets, n + 1), first_row + length);
      }
      samples_before += length;
      result.push_back(std::move(sequence));
    }
    EXPECT_EQ(samples_before, batch_.sample_count);
    return result;
  }

 private:
  template <typename T>
  static T at(const Buffer& buffer, std::int64_t i) {
    return buffer.as<T>()[static_cast<std::size_t>(i)];
  }

  [[nodiscard]] ReferenceSample sample(std::int64_t row, std::int64_t number) const {
    ReferenceSample result;
    const bool is_fixed = stream_.sample_shape.is_fixed();
    std::int64_t begin = 0;
    std::int64_t end = 0;
    if (stream_.storage == Storage::sparse || !is_fixed) {
      begin = at<std::int64_t>(batch_.row_offsets, row);
      end = at<std::int64_t>(batch_.row_offsets, row + 1);
    } else {
      begin = row * stream_.sample_shape.size();
      end = begin + stream_.sample_shape.size();
    }
    const std::int64_t size = element_size(stream_.element_type);
    for (std::int64_t i = begin; i < end; ++i) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, batch_.values.data() + i * size, static_cast<std::size_t>(size));
      result.values.push_back(bits);
      if (stream_.storage == Storage::sparse) {
        result.indices.push_back(stream_.index_type == ElementType::i32
                                     ? at<std::int32_t>(batch_.indices, i)
                                     : at<std::int64_t>(batch_.indices, i));
      }
    }
    for (std::int64_t axis = 0; !is_fixed && axis < stream_.sample_shape.rank(); ++axis) {
      result.extents.push_back(
          at<std::int64_t>(batch_.extents, number * stream_.sample_shape.rank() + axis));
    }
    return result;
  }

  void expect_padding(const ReferenceSample& sample) const {
    EXPECT_TRUE(stream_.storage == Storage::dense || sample.values.empty());
    for (const std::uint64_t bits : sample.values) EXPECT_EQ(bits, 0U);
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

TEST_P(PackerLaws, TheArraysHoldWhatTheFileHas) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    const std::string bytes = file_that_opens(seed);
    const ReferenceResult reference = GetParam().reference(bytes);
    const auto data = GetParam().implementation().open(
        memory_source(bytes, std::string(kMemoryName)), GetParam().set.options);
    const auto streams =
        std::make_shared<const std::vector<Stream>>(data->streams().begin(), data->streams().end());
    Diagnostics diagnostics;
    const Chunk chunk = data->read({.chunk = ChunkIndex{}}, diagnostics);
    const auto table = data->index().sequences(ChunkIndex{});

    // All of the chunk, backwards: a packer cares for the order of the list only.
    SequenceList list(streams);
    std::vector<const ReferenceSequence*> expected;
    for (std::int64_t i = chunk.sequence_count() - 1; i >= 0; --i) {
      if (chunk.is_hole(i)) continue;
      list.add(table->key(i), chunk, i);
      expected.push_back(&reference.sequences[static_cast<std::size_t>(i)]);
    }
    for (const Layout layout : {Layout::padded, Layout::ragged}) {
      const std::unique_ptr<Packer> packer = make_packer(layout);
      if (!takes(*packer, *streams)) {
        EXPECT_EQ(layout, Layout::padded) << "ragged takes every stream";
        continue;
      }
      const Minibatch minibatch = packer->pack(list);
      ASSERT_EQ(minibatch.sequence_count(), std::ssize(expected));
      for (std::size_t s = 0; s < streams->size(); ++s) {
        const StreamBatch& batch = minibatch.batch(static_cast<std::int64_t>(s));
        EXPECT_EQ(batch.layout, layout);
        const std::vector<ReferenceStream> found = BatchReader((*streams)[s], batch).sequences();
        for (std::size_t n = 0; n < expected.size(); ++n) {
          EXPECT_EQ(minibatch.keys()[n], expected[n]->key);
          EXPECT_EQ(found[n], expected[n]->streams[s])
              << to_string(layout) << ", sequence " << n << ", stream " << s;
        }
      }
      EXPECT_EQ(std::ssize(to_reference(minibatch)), std::ssize(expected));
    }
  }
}

TEST_P(PackerLaws, PackingWhatWasPackedChangesNothing) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const auto data = GetParam().implementation().open(
        memory_source(file_that_opens(seed), std::string(kMemoryName)), GetParam().set.options);
    const auto streams =
        std::make_shared<const std::vector<Stream>>(data->streams().begin(), data->streams().end());
    Diagnostics diagnostics;
    const Chunk chunk = data->read({.chunk = ChunkIndex{}}, diagnostics);
    const auto table = data->index().sequences(ChunkIndex{});
    SequenceList list(streams);
    for (std::int64_t i = 0; i < chunk.sequence_count(); ++i) {
      if (!chunk.is_hole(i)) list.add(table->key(i), chunk, i);
    }
    const Minibatch once = ragged_packer()->pack(list);
    for (const Layout layout : {Layout::padded, Layout::ragged}) {
      const std::unique_ptr<Packer> packer = make_packer(layout);
      if (!takes(*packer, *streams)) continue;
      const Minibatch from_chunk = packer->pack(list);
      SequenceList again(streams);
      for (std::int64_t i = 0; i < once.sequence_count(); ++i) again.add(once, i);
      EXPECT_EQ(to_reference(packer->pack(again)), to_reference(once));
      EXPECT_EQ(to_reference(from_chunk), to_reference(once));
    }
  }
}

SHEAF_LAWS(PackerLaws);

}  // namespace
}  // namespace sheaf::conformance
