// Prints the checksum of the data that a spec delivers. Any order, packing and minibatch size gives
// the same number, and so do checksum.py and checksum.sh.
//
//   checksum SPEC [MEMORY_LIMIT_BYTES]

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <string>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "sheaf/sheaf.h"

namespace {

constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15;

std::uint64_t hash_of(const void* bytes, std::int64_t size, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes, static_cast<std::size_t>(size), seed);
}

// Returns a hash of the stream's name, the sequence's key, and the number and values of the sample.
std::uint64_t hash_of(const sheaf::Minibatch& minibatch, std::int64_t stream, std::int64_t sequence,
                      std::int64_t sample) {
  const sheaf::Stream& info = minibatch.streams()[static_cast<std::size_t>(stream)];
  const sheaf::SequenceKey key = minibatch.keys()[static_cast<std::size_t>(sequence)];
  const std::uint64_t name = hash_of(info.name.data(), std::ssize(info.name), 0);
  const std::array<std::uint64_t, 3> place = {name, key.low, key.high};
  const std::uint64_t seed = hash_of(place.data(), sizeof(place), 0);
  const sheaf::SampleView view = minibatch.sample(stream, sequence, sample);
  const std::uint64_t values =
      hash_of(view.values, view.value_count * element_size(info.element_type),
              seed + static_cast<std::uint64_t>(sample) * kStep);
  if (info.storage == sheaf::Storage::dense) return values;
  return hash_of(view.indices, view.value_count * element_size(info.index_type), values);
}

std::uint64_t checksum_of(const sheaf::Minibatch& minibatch) {
  std::uint64_t sum = 0;
  for (std::int64_t stream = 0; stream < std::ssize(minibatch.streams()); ++stream) {
    const auto lengths = minibatch.batch(stream).lengths.as<std::int64_t>();
    for (std::int64_t i = 0; i < minibatch.sequence_count(); ++i) {
      for (std::int64_t t = 0; t < lengths[static_cast<std::size_t>(i)]; ++t) {
        sum += hash_of(minibatch, stream, i, t);
      }
    }
  }
  return sum;
}

void run(const std::string& path, std::optional<std::int64_t> memory_limit_bytes) {
  sheaf::Reader reader(sheaf::load_spec(path), {.memory_limit_bytes = memory_limit_bytes});
  std::uint64_t sum = 0;
  while (const std::optional<sheaf::Minibatch> minibatch = reader.next()) {
    sum += checksum_of(*minibatch);
  }
  std::printf("sequences %lld, checksum %016llx\n",
              static_cast<long long>(reader.stats().sequences),
              static_cast<unsigned long long>(sum));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::optional<std::int64_t> memory_limit_bytes;  // no limit without a second argument
    if (argc > 2) memory_limit_bytes = std::stoll(argv[2]);
    run(argc > 1 ? argv[1] : "train.json", memory_limit_bytes);
  } catch (const sheaf::Error& error) {
    std::fprintf(stderr, "checksum: error: %s\n", error.what());
    return 2;
  }
}
