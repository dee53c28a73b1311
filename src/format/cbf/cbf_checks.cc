#include "format/cbf/cbf_checks.h"

#include <algorithm>
#include <cstddef>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/text.h"
#include "format/cbf/cbf_bytes.h"
#include "format/cbf/cbf_cursor.h"
#include "format/cbf/cbf_errors.h"
#include "index/units.h"
#include "io/source_hash.h"

namespace sheaf::cbf {
namespace {

constexpr std::int64_t kNumberSize = 8;
constexpr std::int64_t kHeadSize = 16;        // magic, version, 0
constexpr std::int64_t kRecordHeadSize = 12;  // parts, hash of the lengths

}  // namespace

std::int64_t part_count(std::int64_t chunk_size_bytes, std::int64_t sequence_count) noexcept {
  constexpr std::int64_t kPerUnit = 32;
  const std::int64_t part_size = std::max<std::int64_t>(1, internal::unit_size_bytes() / kPerUnit);
  const std::int64_t units = internal::unit_count(chunk_size_bytes, sequence_count);
  const std::int64_t wanted = (chunk_size_bytes - 1) / (units * part_size) + 1;
  return units * std::clamp<std::int64_t>(wanted, 1, std::min(kPerUnit, sequence_count / units));
}

std::int64_t ChunkLayout::memory_bytes() const noexcept {
  return static_cast<std::int64_t>(sizeof(ChunkLayout) + starts.capacity() * sizeof(std::int64_t) +
                                   hashes.capacity() * sizeof(std::uint64_t));
}

void append_checks_head(std::string& section) {
  append(section, kChecksMagic);
  append(section, kChecksVersion);
  append(section, std::uint32_t{0});
}

void append_chunk_checks(std::string& section, const ChunkChecks& checks) {
  append(section, static_cast<std::uint32_t>(checks.layout.part_count));
  append(section, checks.lengths_hash);
  for (const StreamTotals& totals : checks.totals) {
    append(section, totals.sample_count);
    append(section, totals.value_count);
  }
  const auto parts = static_cast<std::ptrdiff_t>(checks.layout.hashes.size());
  for (std::ptrdiff_t i = 0; i < parts; ++i) append(section, checks.layout.starts.begin()[i]);
  for (const std::uint64_t hash : checks.layout.hashes) append(section, hash);
}

void append_checks_end(std::string& section, std::string_view header) {
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  XXH3_64bits_update(&state, header.data(), header.size());
  XXH3_64bits_update(&state, section.data(), section.size());
  append(section, std::uint64_t{XXH3_64bits_digest(&state)});
}

std::unique_ptr<Checks> Checks::open(const ByteSource& source, const CbfFile& file) {
  const std::int64_t begin = file.end_offset;
  const std::int64_t end = source.size() - kTrailerSize;
  if (end - begin < kHeadSize + kNumberSize) return nullptr;
  Cursor cursor(source, begin, end);
  if (cursor.number<std::uint64_t>() != kChecksMagic) return nullptr;
  if (cursor.number<std::uint32_t>() != kChecksVersion) return nullptr;
  static_cast<void>(cursor.number<std::uint32_t>());
  const std::int64_t hash_at = end - kNumberSize;
  if (internal::hash_of(source, file.header_offset, hash_at) !=
      Cursor(source, hash_at, end).number<std::uint64_t>()) {
    throw_wrong(source, begin, kChecks, "another hash of header and checks",
                "the file was damaged, or changed by a program that does not know the checks");
  }

  std::unique_ptr<Checks> checks(new Checks(source, file));
  const auto streams = std::ssize(file.streams);
  PackedInts::Builder offsets;
  std::vector<PackedInts::Builder> samples(file.streams.size());
  std::vector<PackedInts::Builder> values(file.streams.size());
  for (std::int64_t i = 0; i < file.chunks.size(); ++i) {
    const std::int64_t at = cursor.offset();
    const auto rest = [&] { return cursor.rest() - kNumberSize; };
    const auto refuse = [&](const std::string& found) { throw_wrong(source, at, kChecks, found); };
    if (rest() < kRecordHeadSize + streams * 2 * kNumberSize) refuse("too few of them");
    offsets.push_back(at);
    const std::int64_t parts = cursor.number<std::uint32_t>();
    if (parts < 1 || parts > file.chunks[i].sequence_count) {
      refuse(formatted("{} parts of {} sequences", parts, file.chunks[i].sequence_count));
    }
    cursor.skip(kNumberSize);
    const std::int64_t chunk_size = file.chunks[i].size;
    for (std::size_t stream = 0; stream < file.streams.size(); ++stream) {
      const auto sample_count = cursor.number<std::int64_t>();
      const auto value_count = cursor.number<std::int64_t>();
      const auto is_possible = [&](std::int64_t n) {
        return n >= 0 && n <= chunk_size / kCountSize;
      };
      if (!is_possible(sample_count) || !is_possible(value_count)) {
        refuse(formatted("{} samples and {} values in {} bytes", sample_count, value_count,
                         chunk_size));
      }
      samples[stream].push_back(sample_count);
      values[stream].push_back(value_count);
    }
    if (parts > rest() / (streams * 2 * kNumberSize)) refuse("too few of them");
    cursor.skip(parts * streams * 2 * kNumberSize);
  }
  if (cursor.rest() != kNumberSize) {
    throw_wrong(source, cursor.offset(), kChecks, "more of them than chunks");
  }
  checks->offsets_ = offsets.finish();
  for (PackedInts::Builder& each : samples) checks->sample_counts_.push_back(each.finish());
  for (PackedInts::Builder& each : values) checks->value_counts_.push_back(each.finish());
  return checks;
}

ChunkChecks Checks::chunk(std::int64_t i) const {
  const std::int64_t at = offsets_[i];
  const ChunkTable::Chunk chunk = file_.chunks[i];
  Cursor cursor(source_, at, source_.size() - kTrailerSize, std::int64_t{4} << 10);
  ChunkChecks checks;
  checks.layout.part_count = cursor.number<std::uint32_t>();
  checks.lengths_hash = cursor.number<std::uint64_t>();
  for (std::size_t stream = 0; stream < file_.streams.size(); ++stream) {
    const auto samples = cursor.number<std::int64_t>();
    checks.totals.push_back({samples, cursor.number<std::int64_t>()});
  }
  const std::int64_t count = checks.layout.part_count * std::ssize(file_.streams);
  std::int64_t last = chunk.sequence_count * kCountSize;
  for (std::int64_t k = 0; k < count; ++k) {
    const auto start = cursor.number<std::int64_t>();
    const bool is_wrong = k == 0 ? start != last : start <= last;
    if (is_wrong || start >= chunk.size) {
      throw_wrong(source_, cursor.offset() - kNumberSize, kChecks,
                  formatted("a part at byte {} of chunk {}", start, chunk.number));
    }
    checks.layout.starts.push_back(start);
    last = start;
  }
  checks.layout.starts.push_back(chunk.size);
  for (std::int64_t k = 0; k < count; ++k) {
    checks.layout.hashes.push_back(cursor.number<std::uint64_t>());
  }
  return checks;
}

StreamTotals Checks::totals(std::int64_t chunk, std::int64_t stream) const noexcept {
  const auto i = static_cast<std::size_t>(stream);
  return {sample_counts_[i][chunk], value_counts_[i][chunk]};
}

std::int64_t Checks::memory_bytes() const noexcept {
  std::int64_t bytes = std::int64_t{sizeof(Checks)} + offsets_.size_bytes();
  for (const PackedInts& each : sample_counts_) bytes += each.size_bytes();
  for (const PackedInts& each : value_counts_) bytes += each.size_bytes();
  return bytes;
}

}  // namespace sheaf::cbf
