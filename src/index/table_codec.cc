// A table is coded list by list. If each sample is a line of the file, the first lines of sequences
// follow from the sample counts. So the difference between the two is coded, which is then a line
// of step 0. If the two are unrelated, the first lines are coded as they are. Costs and offsets in
// sources come last. Bits of the byte that says how the first lines are coded say whether there are
// any.

#include "index/table_codec.h"

#include <memory>
#include <utility>

#include "base/int_codec.h"

namespace sheaf::internal {
namespace {

enum class Lines : std::uint8_t { plain = 0, ahead_of_samples = 1 };

constexpr std::uint8_t kLinesMask = 1;
constexpr std::uint8_t kHasCosts = 2;
constexpr std::uint8_t kHasSourceOffsets = 4;

/// Adds to each value the sum of the counts before it, times `factor` (1, or -1 to subtract),
/// modulo 2^64.
PackedInts plus_sums(const PackedInts& values, const PackedInts& counts, std::uint64_t factor) {
  const std::optional<PackedInts::Line> line = values.line();
  const std::optional<std::int64_t> count = counts.constant();
  if (line && count) {  // then the result is a line, too
    const std::uint64_t step =
        static_cast<std::uint64_t>(line->step) + static_cast<std::uint64_t>(*count) * factor;
    return {{.first = line->first, .step = static_cast<std::int64_t>(step)}, values.size()};
  }
  PackedInts::Builder builder;
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < values.size(); ++i) {
    builder.push_back(static_cast<std::int64_t>(static_cast<std::uint64_t>(values[i]) + sum));
    sum += static_cast<std::uint64_t>(counts[i]) * factor;
  }
  return builder.finish();
}

void append_lines(const PackedInts& lines, const PackedInts& sample_counts, std::uint8_t flags,
                  std::string& into) {
  std::string plain(1, static_cast<char>(Lines::plain));
  append_ints(lines, plain);
  if (!lines.line()) {
    std::string ahead(1, static_cast<char>(Lines::ahead_of_samples));
    append_ints(plus_sums(lines, sample_counts, ~std::uint64_t{0}), ahead);
    if (ahead.size() < plain.size()) plain.swap(ahead);
  }
  plain[0] = static_cast<char>(static_cast<std::uint8_t>(plain[0]) | flags);
  into += plain;
}

std::optional<PackedInts> take_lines(std::span<const std::byte>& bytes,
                                     const PackedInts& sample_counts, std::uint8_t& flags) {
  if (bytes.empty()) return std::nullopt;
  const auto first = static_cast<std::uint8_t>(bytes[0]);
  if ((first & ~(kLinesMask | kHasCosts | kHasSourceOffsets)) != 0) return std::nullopt;
  const auto layout = static_cast<Lines>(first & kLinesMask);
  flags = first & (kHasCosts | kHasSourceOffsets);
  bytes = bytes.subspan(1);
  std::optional<PackedInts> lines = take_ints(bytes, sample_counts.size());
  if (lines && layout == Lines::ahead_of_samples) lines = plus_sums(*lines, sample_counts, 1);
  return lines;
}

std::uint8_t flags_of(const SequenceTable& table) {
  const SequenceTable::RareColumns* const rare = table.columns().rare.get();
  if (rare == nullptr) return 0;
  const bool has_costs = rare->costs.size() > 0;
  const bool has_locations = rare->sources.size() > 0;
  return static_cast<std::uint8_t>((has_costs ? kHasCosts : 0) |
                                   (has_locations ? kHasSourceOffsets : 0));
}

/// Returns nothing if the bytes are no valid columns.
std::optional<SequenceTable::RareColumns> take_rare(std::span<const std::byte>& bytes,
                                                    std::int64_t size, std::uint8_t flags) {
  SequenceTable::RareColumns rare;
  const auto take = [&](PackedInts& into) {
    std::optional<PackedInts> found = take_ints(bytes, size);
    if (!found) return false;
    into = *std::move(found);
    return true;
  };
  if ((flags & kHasCosts) != 0 && !take(rare.costs)) return std::nullopt;
  if ((flags & kHasSourceOffsets) != 0 &&
      !(take(rare.sources) && take(rare.source_offsets_bytes))) {
    return std::nullopt;
  }
  return rare;
}

}  // namespace

void append_table(const SequenceTable& table, std::string& into) {
  const SequenceTable::Columns& columns = table.columns();
  const bool has_high = columns.keys_high.size() > 0;
  append_ints(columns.keys_low, into);
  append_ints(has_high ? columns.keys_high : PackedInts({}, table.size()), into);
  append_ints(columns.offsets_bytes, into);
  append_ints(*columns.sample_counts, into);
  const std::uint8_t flags = flags_of(table);
  append_lines(columns.first_lines, *columns.sample_counts, flags, into);
  if ((flags & kHasCosts) != 0) append_ints(columns.rare->costs, into);
  if ((flags & kHasSourceOffsets) != 0) {
    append_ints(columns.rare->sources, into);
    append_ints(columns.rare->source_offsets_bytes, into);
  }
}

std::optional<SequenceTable> take_table(std::span<const std::byte>& bytes, std::int64_t size) {
  std::optional<PackedInts> keys_low = take_ints(bytes, size);
  if (!keys_low) return std::nullopt;
  std::optional<PackedInts> keys_high = take_ints(bytes, size);
  if (!keys_high) return std::nullopt;
  std::optional<PackedInts> offsets_bytes = take_ints(bytes, size);
  if (!offsets_bytes) return std::nullopt;
  std::optional<PackedInts> sample_counts = take_ints(bytes, size);
  if (!sample_counts) return std::nullopt;
  std::uint8_t flags = 0;
  std::optional<PackedInts> first_lines = take_lines(bytes, *sample_counts, flags);
  if (!first_lines) return std::nullopt;
  std::optional<SequenceTable::RareColumns> rare = take_rare(bytes, size, flags);
  if (!rare) return std::nullopt;
  if (keys_high->constant() == 0) keys_high = PackedInts();
  return SequenceTable(
      {.keys_low = *std::move(keys_low),
       .keys_high = *std::move(keys_high),
       .offsets_bytes = *std::move(offsets_bytes),
       .first_lines = *std::move(first_lines),
       .sample_counts = std::make_shared<const PackedInts>(*std::move(sample_counts)),
       .rare = flags == 0 ? nullptr
                          : std::make_shared<const SequenceTable::RareColumns>(*std::move(rare))});
}

}  // namespace sheaf::internal
