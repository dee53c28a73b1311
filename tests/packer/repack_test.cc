#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sheaf/extend/packer.h"

#include "packer/made_up_data.h"

// Packs delivered sequences again outside a reader. Sequences of any layout go into minibatches of
// another size, order and layout, as if they came from the chunk.

namespace sheaf {
namespace {

using testing::PlainData;
using testing::random_data;
using testing::random_streams;
using testing::to_arrays;
using testing::to_chunk;
using testing::to_list;

Layout random_layout(bool with_padded) {
  return with_padded && *rc::gen::arbitrary<bool>() ? Layout::padded : Layout::ragged;
}

RC_GTEST_PROP(RepackLaws, RepackingMinibatchesEqualsPackingTheOriginals, ()) {
  const bool with_variable = *rc::gen::arbitrary<bool>();
  const PlainData data = random_data(random_streams(with_variable));
  const Chunk chunk = to_chunk(data);
  const auto sequence_count = std::ssize(data.keys);

  // Delivers most sequences in minibatches of random size and layout.
  struct Delivered {
    std::int64_t minibatch;  // -1 means still in the chunk
    std::int64_t sequence;
  };
  std::vector<Minibatch> minibatches;
  std::vector<Delivered> delivered;
  for (std::int64_t first = 0; first < sequence_count;) {
    const auto count = *testing::any_of<std::int64_t>(1, sequence_count - first + 1);
    const bool is_packed = *testing::any_of(0, 4) != 0;
    SequenceList list(data.streams);
    for (std::int64_t i = 0; i < count; ++i) {
      list.add(data.keys[static_cast<std::size_t>(first + i)], chunk, first + i);
      delivered.push_back(is_packed ? Delivered{std::ssize(minibatches), i}
                                    : Delivered{-1, first + i});
    }
    if (is_packed) minibatches.push_back(make_packer(random_layout(!with_variable))->pack(list));
    first += count;
  }

  // Packs all sequences again in random order, some of them twice.
  SequenceList originals(data.streams);
  SequenceList again(data.streams);
  if (sequence_count > 0) {
    const auto order = *rc::gen::container<std::vector<std::int64_t>>(
        testing::any_of<std::int64_t>(0, sequence_count));
    for (const std::int64_t i : order) {
      const SequenceKey& key = data.keys[static_cast<std::size_t>(i)];
      originals.add(key, chunk, i);
      const Delivered& at = delivered[static_cast<std::size_t>(i)];
      if (at.minibatch < 0) {
        again.add(key, chunk, at.sequence);
      } else {
        again.add(minibatches[static_cast<std::size_t>(at.minibatch)], at.sequence);
      }
    }
  }
  const std::unique_ptr<Packer> packer = make_packer(random_layout(!with_variable));
  RC_ASSERT(to_arrays(packer->pack(again)) == to_arrays(packer->pack(originals)));
}

RC_GTEST_PROP(RepackLaws, RepackingPaddedAsRaggedEqualsRagged, ()) {
  const PlainData data = random_data(random_streams(false));
  const Chunk chunk = to_chunk(data);
  const SequenceList list = to_list(data, chunk);
  const Minibatch padded = padded_packer()->pack(list);
  SequenceList from_padded(data.streams);
  for (std::int64_t i = 0; i < padded.sequence_count(); ++i) from_padded.add(padded, i);
  const Minibatch ragged = ragged_packer()->pack(from_padded);
  RC_ASSERT(to_arrays(ragged) == to_arrays(ragged_packer()->pack(list)));

  SequenceList from_ragged(data.streams);
  for (std::int64_t i = 0; i < ragged.sequence_count(); ++i) from_ragged.add(ragged, i);
  RC_ASSERT(to_arrays(padded_packer()->pack(from_ragged)) == to_arrays(padded));
}

}  // namespace
}  // namespace sheaf
