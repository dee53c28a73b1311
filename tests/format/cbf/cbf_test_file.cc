#include "format/cbf/cbf_test_file.h"

#include <algorithm>
#include <numeric>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sheaf::conformance {
namespace {

constexpr std::uint64_t kMagic = 0x636E746B5F62696E;

template <typename T>
std::string dense(std::uint32_t samples, const std::vector<T>& values) {
  CbfBytes bytes;
  bytes.put(samples);
  for (const T value : values) bytes.put(value);
  return bytes.bytes();
}

std::uint64_t hash_of(const std::string& bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

std::string lengths_of(const CbfTestChunk& chunk) {
  CbfBytes bytes;
  for (const std::uint32_t length : chunk.lengths) bytes.put(length);
  return bytes.bytes();
}

// Appends the totals of a stream, its samples and values, from the counts of its blocks.
void put_totals(CbfBytes& to, const CbfTestStream& stream, const std::vector<std::string>& blocks) {
  std::uint64_t samples = 0;
  std::uint64_t values = 0;
  for (const std::string& block : blocks) {
    const auto number = [&](std::size_t at) {
      std::uint32_t value = 0;
      block.copy(reinterpret_cast<char*>(&value), sizeof value, at);
      return value;
    };
    samples += number(0);
    values += stream.is_sparse ? number(4) : std::uint64_t{number(0)} * stream.dim;
  }
  to.put(samples).put(values);
}

std::string checks_of(const CbfTestFile& file, const std::string& header) {
  CbfBytes checks;
  checks.put(std::string("sheafchk")).put(std::uint32_t{1}).put(std::uint32_t{0});
  for (const CbfTestChunk& chunk : file.chunks) {
    const std::uint64_t count = chunk.lengths.size();
    if (count == 0) continue;
    const std::uint64_t parts = std::min<std::uint64_t>(file.parts, count);
    checks.put(static_cast<std::uint32_t>(parts)).put(hash_of(lengths_of(chunk)));
    CbfBytes starts;
    CbfBytes hashes;
    std::uint64_t at = 4 * count;
    for (std::size_t i = 0; i < file.streams.size(); ++i) {
      put_totals(checks, file.streams[i], chunk.blocks[i]);
      for (std::uint64_t part = 0; part < parts; ++part) {
        std::string blocks;
        for (std::uint64_t k = part * count / parts; k < (part + 1) * count / parts; ++k) {
          blocks += chunk.blocks[i][k];
        }
        starts.put(at);
        hashes.put(hash_of(blocks));
        at += blocks.size();
      }
    }
    checks.put(starts.bytes()).put(hashes.bytes());
  }
  checks.put(hash_of(header + checks.bytes()));
  return checks.bytes();
}

}  // namespace

std::string dense_block(std::uint32_t samples, const std::vector<float>& values) {
  return dense(samples, values);
}

std::string dense_block(std::uint32_t samples, const std::vector<double>& values) {
  return dense(samples, values);
}

std::string sparse_block(std::uint32_t samples, const std::vector<float>& values,
                         const std::vector<std::int32_t>& indices,
                         const std::vector<std::int32_t>& counts) {
  CbfBytes bytes;
  bytes.put(samples).put(static_cast<std::uint32_t>(values.size()));
  for (const float value : values) bytes.put(value);
  for (const std::int32_t index : indices) bytes.put(index);
  for (const std::int32_t count : counts) bytes.put(count);
  return bytes.bytes();
}

std::string to_bytes(const CbfTestFile& file) {
  CbfBytes bytes;
  bytes.put(kMagic).put(std::uint32_t{1}).put(file.gap);
  CbfBytes table;
  for (const CbfTestChunk& chunk : file.chunks) {
    const std::uint64_t samples =
        std::accumulate(chunk.lengths.begin(), chunk.lengths.end(), std::uint64_t{0});
    table.put(bytes.size());
    table.put(static_cast<std::uint32_t>(chunk.lengths.size()));
    table.put(static_cast<std::uint32_t>(samples));
    bytes.put(lengths_of(chunk));
    for (const std::vector<std::string>& stream : chunk.blocks) {
      for (const std::string& block : stream) bytes.put(block);
    }
    bytes.put(chunk.slack);
  }
  const std::int64_t header_offset = bytes.size();
  CbfBytes header;
  header.put(kMagic).put(static_cast<std::uint32_t>(file.chunks.size()));
  header.put(static_cast<std::uint32_t>(file.streams.size()));
  for (const CbfTestStream& stream : file.streams) {
    header.put(static_cast<std::uint8_t>(stream.is_sparse ? 1 : 0));
    header.put(static_cast<std::uint32_t>(stream.name.size())).put(stream.name);
    header.put(static_cast<std::uint8_t>(stream.is_double ? 1 : 0)).put(stream.dim);
  }
  header.put(table.bytes());
  bytes.put(header.bytes());
  bytes.put(file.parts > 0 ? checks_of(file, header.bytes()) : file.tail);
  bytes.put(header_offset);
  return bytes.bytes();
}

}  // namespace sheaf::conformance
