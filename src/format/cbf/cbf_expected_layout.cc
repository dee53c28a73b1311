#include "format/cbf/cbf_expected_layout.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "format/cbf/cbf_bytes.h"
#include "index/units.h"

namespace sheaf::cbf {
namespace {

constexpr std::size_t kStreamsMax = 8;  // with more streams, not every choice is tried

// Returns whether a stream has one sample in each sequence, according to the bits of `choice`. The
// last stream has the lowest bit. So of two choices with the same size, the search finds the one
// with single labels first, because labels usually come last.
bool is_single(std::uint32_t choice, std::size_t stream, std::size_t stream_count) noexcept {
  return (choice >> (stream_count - 1 - stream) & 1U) != 0;
}

// Returns which streams have one sample in each sequence, or nothing if no choice fits.
std::optional<std::uint32_t> find_choice(std::span<const FileStream> streams,
                                         const ChunkTable::Chunk& chunk,
                                         std::int64_t sample_count) {
  for (std::uint32_t choice = 0; choice < 1U << streams.size(); ++choice) {
    std::int64_t rest = chunk.size - chunk.sequence_count * kCountSize;
    for (std::size_t i = 0; i < streams.size() && rest >= 0; ++i) {
      const std::int64_t samples =
          is_single(choice, i, streams.size()) ? chunk.sequence_count : sample_count;
      std::int64_t size = 0;
      if (__builtin_mul_overflow(samples, streams[i].sample_size(), &size) || size > chunk.size) {
        rest = -1;
      } else {
        rest -= chunk.sequence_count * kCountSize + size;
      }
    }
    if (rest == 0) return choice;
  }
  return std::nullopt;
}

}  // namespace

std::optional<ChunkLayout> expected_layout(std::span<const FileStream> streams,
                                           const ChunkTable::Chunk& chunk,
                                           std::span<const std::uint32_t> lengths) {
  const bool are_dense = std::ranges::all_of(
      streams, [](Storage each) { return each == Storage::dense; }, &FileStream::storage);
  if (!are_dense || streams.size() > kStreamsMax) return std::nullopt;
  const std::int64_t sample_count =
      std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  const std::optional<std::uint32_t> choice = find_choice(streams, chunk, sample_count);
  if (!choice) return std::nullopt;

  const internal::Units parts(chunk.sequence_count, part_count(chunk.size, chunk.sequence_count));
  std::vector<std::int64_t> samples_before;  // samples before each part
  std::int64_t samples = 0;
  for (std::int64_t part = 0; part < parts.count(); ++part) {
    samples_before.push_back(samples);
    for (std::int64_t i = parts.first(part); i < parts.first(part + 1); ++i) {
      samples += lengths[static_cast<std::size_t>(i)];
    }
  }
  ChunkLayout layout;
  layout.part_count = parts.count();
  layout.starts.reserve(streams.size() * samples_before.size() + 1);
  std::int64_t begin = chunk.sequence_count * kCountSize;
  for (std::size_t k = 0; k < streams.size(); ++k) {
    const bool has_one_each = is_single(*choice, k, streams.size());
    const std::int64_t sample_size = streams[k].sample_size();
    for (std::int64_t part = 0; part < parts.count(); ++part) {
      const std::int64_t first = parts.first(part);
      const std::int64_t before = samples_before[static_cast<std::size_t>(part)];
      layout.starts.push_back(begin + first * kCountSize +
                              (has_one_each ? first : before) * sample_size);
    }
    begin += chunk.sequence_count * kCountSize +
             (has_one_each ? chunk.sequence_count : sample_count) * sample_size;
  }
  layout.starts.push_back(chunk.size);
  return layout;
}

}  // namespace sheaf::cbf
