#include "reader/fetch/unit.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <string>

#include "sheaf/error.h"

#include "base/text.h"

namespace sheaf::internal {

Unit::Unit(const UnitUse& unit_use)
    : use(unit_use), cut(use.cut->shared_from_this()), first(use.first()), count(use.count()) {}

std::pair<std::size_t, std::size_t> Unit::entries_of(std::int64_t sequence) const noexcept {
  const auto first_of = [this](std::int64_t wanted) {  // or of the next later sequence
    std::size_t begin = 0;
    std::size_t end = diagnostics.entries().size();
    while (begin < end) {
      const std::size_t middle = begin + (end - begin) / 2;
      if (entry(middle).sequence < wanted) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    return begin;
  };
  if (diagnostics.entries().empty()) return {0, 0};
  return {first_of(sequence), first_of(sequence + 1)};
}

void Unit::append_errors(std::int64_t sequence, std::vector<SequenceError>& errors) const {
  const auto [begin, end] = entries_of(sequence);
  for (std::size_t i = begin; i < end; ++i) {
    const Diagnostics::Entry& found = entry(i);
    const bool is_described = found.description >= 0;
    if (!found.counts() && !is_described) continue;  // enough warnings are described
    SequenceError wrong{.chunk = use.cut->chunk(),
                        .sequence = sequence,
                        .number = static_cast<std::int64_t>(i - begin),
                        .byte_offset = found.byte_offset,
                        .severity = found.severity,
                        .diagnostic = nullptr};
    if (is_described) {
      wrong.diagnostic = std::make_shared<const Diagnostic>(
          diagnostics.described()[static_cast<std::size_t>(found.description)]);
    }
    errors.push_back(std::move(wrong));
  }
}

void Unit::set_content(Chunk content, Diagnostics content_diagnostics,
                       std::span<const Stream> streams) {
  const auto broken = [&](const std::string& promise) {
    return InternalError(formatted("Deserializer::read of chunk {}, sequences {} to {}: {}",
                                   static_cast<std::int64_t>(use.cut->chunk()), first,
                                   first + count - 1, promise));
  };
  if (content.sequence_count() != count) {
    throw broken(
        formatted("{} sequences were asked for, {} came", count, content.sequence_count()));
  }
  if (content.stream_count() != std::ssize(streams)) {
    throw broken(formatted("streams() has {} streams, the chunk has {}", streams.size(),
                           content.stream_count()));
  }

  diagnostics = std::move(content_diagnostics);
  const std::span<const Diagnostics::Entry> entries = diagnostics.entries();
  for (const Diagnostics::Entry& each : entries) {
    if (each.sequence >= first && each.sequence < first + count) continue;
    throw broken(
        formatted("a diagnostic names sequence {}, which was not asked for", each.sequence));
  }
  if (!std::ranges::is_sorted(entries, {}, &Diagnostics::Entry::sequence)) {
    entry_order.resize(entries.size());
    std::iota(entry_order.begin(), entry_order.end(), std::size_t{0});
    std::ranges::stable_sort(entry_order, {}, [&](std::size_t i) { return entries[i].sequence; });
  }
  for (const std::int64_t hole : content.holes()) {
    auto [at, end] = entries_of(first + hole);
    while (at < end && !entry(at).counts()) ++at;
    if (at == end) throw broken(formatted("sequence {} is a hole without an error", first + hole));
  }
  chunk = use.form == UnitForm::narrow ? std::make_shared<const HeldChunk>(
                                             std::move(content), streams, default_memory(), false)
                                       : std::make_shared<const HeldChunk>(std::move(content));
}

void Unit::set_content(FoundRange content) noexcept {
  chunk = std::move(content.chunk);
  chunk_first = content.first;
}

// Each unit that shares a chunk counts its share of the memory.
std::int64_t Unit::held_bytes() const noexcept {
  return chunk->held_bytes(count) + diagnostics.memory_bytes() +
         static_cast<std::int64_t>(entry_order.capacity() * sizeof(std::size_t));
}

}  // namespace sheaf::internal
