#include "output/checksum.h"

#include <array>
#include <cstddef>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sheaf::cli {
namespace {

constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15;  // makes the seeds of samples unrelated

// Adds the values of a sample that fills one corner of a larger row of the array.
void add_corner(const std::byte* row, std::int64_t row_size,
                std::span<const std::int64_t> row_extents, std::span<const std::int64_t> extents,
                XXH3_state_t& state) noexcept {
  const std::int64_t step = row_extents[0] == 0 ? 0 : row_size / row_extents[0];
  if (extents.size() == 1) {
    XXH3_64bits_update(&state, row, static_cast<std::size_t>(extents[0] * step));
    return;
  }
  for (std::int64_t i = 0; i < extents[0]; ++i) {
    add_corner(row + i * step, step, row_extents.subspan(1), extents.subspan(1), state);
  }
}

// Returns the hash of the values of a sample without the padding around them in its array row.
std::uint64_t hash_of_corner(const StreamBatch& batch, std::int64_t row, std::int64_t value_size,
                             std::uint64_t seed) noexcept {
  const std::span<const std::int64_t> row_extents = batch.row_shape.extents();
  const std::int64_t row_size = batch.row_shape.size() * value_size;
  const std::int64_t rank = batch.row_shape.rank();
  XXH3_state_t state;
  XXH3_64bits_reset_withSeed(&state, seed);
  add_corner(batch.values.data() + row * row_size, row_size, row_extents,
             {batch.extents.as<std::int64_t>().data() + row * rank, row_extents.size()}, state);
  return XXH3_64bits_digest(&state);
}

}  // namespace

Checksum::Checksum(std::span<const Stream> streams) {
  stream_hashes_.reserve(streams.size());
  for (const Stream& stream : streams) {
    stream_hashes_.push_back(XXH3_64bits(stream.name.data(), stream.name.size()));
  }
}

void Checksum::add(const Minibatch& minibatch) noexcept {
  for (std::size_t i = 0; i < stream_hashes_.size(); ++i) {
    add(minibatch.streams()[i], minibatch.batch(static_cast<std::int64_t>(i)), minibatch.keys(),
        minibatch.slices(), stream_hashes_[i]);
  }
}

// In every layout, the samples of a sequence are evenly spaced rows of the array.
void Checksum::add(const Stream& stream, const StreamBatch& batch,
                   std::span<const SequenceKey> keys, std::span<const SequenceSlice> slices,
                   std::uint64_t stream_hash) noexcept {
  const bool is_sparse = stream.storage == Storage::sparse;
  const std::int64_t value_size = element_size(stream.element_type);
  const std::int64_t index_size = is_sparse ? element_size(stream.index_type) : 0;
  const bool is_variable = batch.row_offsets.empty() && !stream.sample_shape.is_fixed();
  const std::int64_t sample_size = batch.row_offsets.empty() ? stream.sample_shape.size() : 0;
  const std::span<const std::int64_t> lengths = batch.lengths.as<std::int64_t>();
  const std::span<const std::int64_t> offsets = batch.row_offsets.as<std::int64_t>();
  const std::int64_t row_step = batch.slot_count > 0 ? batch.slot_count : 1;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (lengths[i] == 0) continue;
    const std::array<std::uint64_t, 3> name = {stream_hash, keys[i].low, keys[i].high};
    std::uint64_t seed = XXH3_64bits(name.data(), sizeof(name));
    if (!slices.empty()) seed += static_cast<std::uint64_t>(slices[i].first) * kStep;
    std::int64_t row = batch.row(static_cast<std::int64_t>(i), 0);
    for (std::int64_t sample = 0; sample < lengths[i]; ++sample, row += row_step, seed += kStep) {
      if (is_variable) {
        sum += hash_of_corner(batch, row, value_size, seed);
        continue;
      }
      const auto r = static_cast<std::size_t>(row);
      const std::int64_t first = offsets.empty() ? row * sample_size : offsets[r];
      const std::int64_t count = offsets.empty() ? sample_size : offsets[r + 1] - first;
      std::uint64_t hash = XXH3_64bits_withSeed(batch.values.data() + first * value_size,
                                                static_cast<std::size_t>(count * value_size), seed);
      if (is_sparse) {
        hash = XXH3_64bits_withSeed(batch.indices.data() + first * index_size,
                                    static_cast<std::size_t>(count * index_size), hash);
      }
      sum += hash;
    }
  }
  sum_ += sum;
}

}  // namespace sheaf::cli
