// Changes a CBF file in one of three ways. The first changes a number of the header, the table, the
// lengths or the blocks. The second inserts or removes bytes and moves the rest. The third repeats
// the sequences of a chunk until the chunk exceeds the sizes inside the library. The mutator then
// corrects the hashes of the checks, or only the last hash, which covers the others.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "mutation.h"

namespace sheaf::fuzz {
namespace {

constexpr std::size_t kControlBytes = 8;  // see fuzz_format.cc
constexpr std::size_t kPrefixSize = 12;
constexpr std::size_t kTrailerSize = 8;
constexpr std::size_t kEntrySize = 16;
constexpr std::size_t kFieldsMax = 200;
constexpr std::string_view kChecksMagic = "sheafchk";

/// Returns a number of the file, or nothing if the file is too short.
std::optional<std::uint64_t> number_at(std::string_view bytes, std::size_t at, std::size_t size) {
  if (at > bytes.size() || bytes.size() - at < size) return std::nullopt;
  std::uint64_t number = 0;
  std::memcpy(&number, bytes.data() + at, size);
  return number;
}

void set_number(std::string& bytes, std::size_t at, std::size_t size, std::uint64_t number) {
  std::memcpy(bytes.data() + at, &number, size);
}

std::uint64_t hash_of(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

struct Field {
  std::size_t at;
  std::size_t size;
};

/// Finds the numbers of a file. Numbers behind a wrong one may be missing.
class Layout {
 public:
  explicit Layout(std::string_view bytes) : bytes_(bytes) {
    if (bytes.size() < kPrefixSize + kTrailerSize) return;
    add(8, 4);
    add(bytes.size() - kTrailerSize, 8);
    header_at_ = static_cast<std::size_t>(*number_at(bytes, bytes.size() - kTrailerSize, 8));
    if (header_at_ < bytes.size()) read_header();
  }

  [[nodiscard]] const std::vector<Field>& fields() const { return fields_; }
  [[nodiscard]] const std::vector<std::size_t>& entries() const { return entries_; }
  [[nodiscard]] std::size_t header_at() const { return header_at_; }
  [[nodiscard]] std::size_t table_end() const { return table_end_; }
  [[nodiscard]] std::size_t stream_count() const { return streams_.size(); }

  /// The blocks of a chunk: the start of each block, stream by stream, and the end of the last
  /// block. Empty if the blocks cannot be found. `totals` has the samples and the values of each
  /// stream.
  struct Blocks {
    std::vector<std::uint64_t> starts;  // from the start of the chunk
    std::vector<std::uint64_t> totals;
  };
  [[nodiscard]] const Blocks& blocks(std::size_t entry) const { return blocks_[entry]; }

 private:
  struct Stream {
    bool is_sparse;
    std::size_t value_size;
    std::uint64_t dim;
  };

  /// Notes the location of a number and returns the number, or 0 if the file is too short.
  std::uint64_t add(std::size_t at, std::size_t size) {
    const std::optional<std::uint64_t> number = number_at(bytes_, at, size);
    if (number && fields_.size() < kFieldsMax) fields_.push_back({at, size});
    return number.value_or(0);
  }

  void read_header() {
    const std::uint64_t chunk_count = add(header_at_ + 8, 4);
    const std::uint64_t stream_count = add(header_at_ + 12, 4);
    std::size_t at = header_at_ + 16;
    for (std::uint64_t i = 0; i < stream_count && at < bytes_.size(); ++i) {
      const bool is_sparse = add(at, 1) == 1;
      const std::uint64_t name_size = add(at + 1, 4);
      if (name_size > bytes_.size()) return;
      at += 5 + static_cast<std::size_t>(name_size);
      const std::size_t value_size = add(at, 1) == 1 ? 8 : 4;
      streams_.push_back({is_sparse, value_size, add(at + 1, 4)});
      at += 5;
    }
    for (std::uint64_t i = 0; i < chunk_count && at + kEntrySize <= bytes_.size(); ++i) {
      entries_.push_back(at);
      blocks_.emplace_back();
      const std::uint64_t offset = add(at, 8);
      const std::uint64_t sequences = add(at + 8, 4);
      add(at + 12, 4);
      if (offset < bytes_.size()) read_chunk(static_cast<std::size_t>(offset), sequences);
      at += kEntrySize;
    }
    table_end_ = at;
  }

  void read_chunk(std::size_t at, std::uint64_t sequences) {
    const std::size_t begin = at;
    Blocks blocks;
    for (std::uint64_t i = 0; i < sequences && at < bytes_.size(); ++i, at += 4) add(at, 4);
    for (const Stream& stream : streams_) {
      blocks.totals.resize(blocks.totals.size() + 2);
      for (std::uint64_t i = 0; i < sequences; ++i) {
        const std::size_t size = read_block(stream, at, &blocks.totals.back() - 1);
        if (at >= bytes_.size() || size > bytes_.size() - at) return;
        blocks.starts.push_back(at - begin);
        at += size;
      }
    }
    blocks.starts.push_back(at - begin);
    blocks_.back() = blocks;
  }

  /// Returns the size of a block, and adds its samples and values to `totals`.
  std::size_t read_block(const Stream& stream, std::size_t at, std::uint64_t* totals) {
    const std::uint64_t samples = add(at, 4);
    const std::uint64_t entries = stream.is_sparse ? add(at + 4, 4) : samples * stream.dim;
    if (samples > bytes_.size() || entries > bytes_.size()) return bytes_.size() + 1;
    totals[0] += samples;
    totals[1] += entries;
    if (!stream.is_sparse) return 4 + entries * stream.value_size;
    const std::size_t indices = at + 8 + entries * stream.value_size;
    for (std::uint64_t i = 0; i < entries + samples && indices + i * 4 < bytes_.size(); ++i) {
      add(indices + i * 4, 4);
    }
    return 8 + entries * (stream.value_size + 4) + samples * 4;
  }

  std::string_view bytes_;
  std::vector<Field> fields_;
  std::vector<std::size_t> entries_;  // offsets of the entries
  std::vector<Blocks> blocks_;        // of each entry
  std::size_t header_at_ = 0;
  std::size_t table_end_ = 0;
  std::vector<Stream> streams_;
};

/// Corrects the record of a chunk. Returns where the next record begins, or 0 if the record or its
/// blocks cannot be found.
std::size_t mend_record(std::string& bytes, const Layout& layout, std::size_t number,
                        std::size_t at) {
  const std::string_view all = bytes;
  const std::size_t streams = layout.stream_count();
  const std::uint64_t sequences = *number_at(all, layout.entries()[number] + 8, 4);
  const std::uint64_t chunk_at = *number_at(all, layout.entries()[number], 8);
  const std::uint64_t parts = number_at(all, at, 4).value_or(0);
  if (parts < 1 || parts > sequences) return 0;
  const std::size_t count = static_cast<std::size_t>(parts) * streams;
  const std::size_t starts = at + 12 + streams * 16;
  const std::size_t hashes = starts + count * 8;
  if (!number_at(all, hashes + count * 8, 8)) return 0;
  const Layout::Blocks& blocks = layout.blocks(number);
  const std::uint64_t end = number + 1 < layout.entries().size()
                                ? *number_at(all, layout.entries()[number + 1], 8)
                                : layout.header_at();
  if (blocks.starts.empty() || chunk_at + blocks.starts.back() != end) return 0;

  const std::string_view chunk = all.substr(static_cast<std::size_t>(chunk_at));
  set_number(bytes, at + 4, 8, hash_of(chunk.substr(0, static_cast<std::size_t>(sequences) * 4)));
  for (std::size_t i = 0; i < blocks.totals.size(); ++i) {
    set_number(bytes, at + 12 + i * 8, 8, blocks.totals[i]);
  }
  const auto start_of = [&](std::size_t i) {  // start of a part, or end of the last part
    const std::uint64_t block = i / parts * sequences + i % parts * sequences / parts;
    return static_cast<std::size_t>(blocks.starts[static_cast<std::size_t>(block)]);
  };
  for (std::size_t i = 0; i < count; ++i) {
    set_number(bytes, starts + i * 8, 8, start_of(i));
    const std::string_view part = chunk.substr(start_of(i), start_of(i + 1) - start_of(i));
    set_number(bytes, hashes + i * 8, 8, hash_of(part));
  }
  return hashes + count * 8;
}

/// Corrects all checks. If `lies`, corrects only the hash of the checks.
void mend_checks(std::string& bytes, bool lies) {
  const Layout layout(bytes);
  if (layout.table_end() == 0 || bytes.size() < layout.table_end() + 32) return;
  if (bytes.compare(layout.table_end(), kChecksMagic.size(), kChecksMagic) != 0) return;
  std::size_t at = layout.table_end() + 16;
  for (std::size_t i = 0; !lies && i < layout.entries().size(); ++i) {
    if (*number_at(bytes, layout.entries()[i] + 8, 4) == 0) continue;
    at = mend_record(bytes, layout, i, at);
    if (at == 0) return;  // the next record cannot be found
  }
  const std::size_t hash_at = bytes.size() - kTrailerSize - 8;
  const auto covered =
      std::string_view(bytes).substr(layout.header_at(), hash_at - layout.header_at());
  set_number(bytes, hash_at, 8, hash_of(covered));
}

/// Inserts or removes words in the chunks, and corrects header and trailer.
void resize(Random& random, std::string& bytes, const Layout& layout) {
  const std::size_t at =
      kPrefixSize + 4 * below(random, (layout.header_at() - kPrefixSize) / 4 + 1);
  const std::size_t count = 4 * (1 + below(random, 4));
  const bool grows = below(random, 2) == 0;
  if (!grows && layout.header_at() - at < count) return;
  const std::uint64_t change = grows ? count : 0 - std::uint64_t{count};
  for (const std::size_t entry : layout.entries()) {
    const std::uint64_t offset = *number_at(bytes, entry, 8);
    if (offset > at) set_number(bytes, entry, 8, offset + change);
  }
  set_number(bytes, bytes.size() - kTrailerSize, 8, layout.header_at() + change);
  if (grows) {
    const std::size_t from = kPrefixSize + below(random, bytes.size() - kPrefixSize - count);
    bytes.insert(at, bytes.substr(from, count));
  } else {
    bytes.erase(at, count);
  }
}

/// Repeats the sequences of a chunk, and corrects header and trailer.
void multiply(Random& random, std::string& bytes, const Layout& layout) {
  constexpr std::size_t kSizeMax = 60'000;
  const std::size_t number = below(random, layout.entries().size());
  const std::size_t entry = layout.entries()[number];
  const std::vector<std::uint64_t>& starts = layout.blocks(number).starts;
  const std::size_t begin = static_cast<std::size_t>(*number_at(bytes, entry, 8));
  const std::uint64_t sequences = *number_at(bytes, entry + 8, 4);
  if (starts.size() < 2 || sequences == 0 || bytes.size() >= kSizeMax) return;
  const auto size = static_cast<std::size_t>(starts.back());
  const std::size_t wanted =
      std::min(std::size_t{64} << below(random, 11), kSizeMax - bytes.size());
  const std::size_t times = 1 + wanted / size;

  const std::string chunk = bytes.substr(begin, size);
  std::string larger;
  const auto append = [&](std::size_t from, std::size_t to) {
    for (std::size_t n = 0; n < times; ++n) larger.append(chunk, from, to - from);
  };
  append(0, static_cast<std::size_t>(starts.front()));  // lengths
  const std::size_t stream_count = layout.stream_count();
  for (std::size_t i = 0; i < stream_count; ++i) {
    append(static_cast<std::size_t>(starts[i * static_cast<std::size_t>(sequences)]),
           static_cast<std::size_t>(starts[(i + 1) * static_cast<std::size_t>(sequences)]));
  }
  const std::uint64_t change = larger.size() - chunk.size();
  set_number(bytes, entry + 8, 4, sequences * times);
  set_number(bytes, entry + 12, 4, *number_at(bytes, entry + 12, 4) * times);
  for (const std::size_t other : layout.entries()) {
    const std::uint64_t offset = *number_at(bytes, other, 8);
    if (offset > begin) set_number(bytes, other, 8, offset + change);
  }
  set_number(bytes, bytes.size() - kTrailerSize, 8, layout.header_at() + change);
  bytes.replace(begin, size, larger);
}

void change(Random& random, std::string& bytes) {
  const Layout layout(bytes);
  if (layout.fields().empty() || layout.header_at() > bytes.size() - kTrailerSize ||
      layout.header_at() < kPrefixSize) {
    return;
  }
  if (below(random, 4) == 0 && bytes.size() > 60) return resize(random, bytes, layout);
  if (below(random, 64) == 0 && !layout.entries().empty()) return multiply(random, bytes, layout);
  const Field field = layout.fields()[below(random, layout.fields().size())];
  const std::uint64_t before = *number_at(bytes, field.at, field.size);
  set_number(bytes, field.at, field.size, hard_number(random, before));
}

}  // namespace
}  // namespace sheaf::fuzz

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t size_max,
                                    unsigned seed) {
  using sheaf::fuzz::kControlBytes;
  sheaf::fuzz::Random random(seed);
  const bool is_raw = size < kControlBytes || sheaf::fuzz::below(random, 3) == 0;
  if (is_raw) size = LLVMFuzzerMutate(data, size, size_max);
  if (size < kControlBytes) return size;
  char* const file = reinterpret_cast<char*>(data) + kControlBytes;
  std::string bytes(file, size - kControlBytes);
  for (std::size_t n = is_raw ? 0 : 1 + sheaf::fuzz::below(random, 3); n > 0; --n) {
    sheaf::fuzz::change(random, bytes);
  }
  const std::size_t mending = sheaf::fuzz::below(random, 8);
  if (mending != 0) sheaf::fuzz::mend_checks(bytes, mending == 1);
  if (kControlBytes + bytes.size() > size_max) return LLVMFuzzerMutate(data, size, size_max);
  std::memcpy(file, bytes.data(), bytes.size());
  return kControlBytes + bytes.size();
}
