#include "dataset/member_locations.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>

#include "base/text.h"

namespace sheaf::internal {
namespace {

/// Returns the key as the file has it.
std::string key_text(const Deserializer& data, SequenceNumber location, const SequenceKey& key) {
  if (key.high == 0) return to_string(key);
  Diagnostics ignored;
  const Chunk chunk = data.read({location.chunk, location.sequence, 1}, ignored);
  if (!chunk.key_text(0).empty() || key == key_of_text("")) return std::string(chunk.key_text(0));
  return to_string(key);
}

}  // namespace

MemberSizes sizes_of(const ChunkInfo& chunk, const SequenceTable& table,
                     std::int64_t sequence) noexcept {
  const std::int64_t end =
      sequence + 1 < table.size() ? table.offset_bytes(sequence + 1) : chunk.size_bytes;
  const std::int64_t bytes = end - table.offset_bytes(sequence);
  const SequenceTable::RareColumns* const rare = table.columns().rare.get();
  const double share = chunk.size_bytes > 0
                           ? static_cast<double>(bytes) / static_cast<double>(chunk.size_bytes)
                           : 1 / static_cast<double>(chunk.sequence_count);
  return {.source_bytes = bytes,
          .decoded_bytes = static_cast<std::int64_t>(
              std::ceil(share * static_cast<double>(chunk.decoded_size_bytes))),
          .cost = rare != nullptr && rare->costs.size() > 0 ? rare->costs[sequence] : bytes};
}

bool all_read_parts(std::span<const NamedData> members) {
  return std::ranges::all_of(
      members, [](const NamedData& member) { return member.data->index().reads_parts(); });
}

bool all_can_be_cut(std::span<const NamedData> members) noexcept {
  return std::ranges::all_of(
      members, [](const NamedData& member) { return member.data->index().can_be_cut(); });
}

CostMeasure common_measure(std::span<const NamedData> members, bool must_all) {
  const NamedData* first = nullptr;
  CostMeasure found;
  for (const NamedData& member : members) {
    CostMeasure own = member.data->index().cost_measure();
    const bool matters = must_all || !own.name.empty();
    if (first == nullptr) {
      if (found.reason.empty()) found.reason = own.reason;
      if (!matters) continue;
      first = &member;
      found = std::move(own);
    } else if (matters && own.name != found.name) {
      const auto said = [](const CostMeasure& measure) {
        return measure.name.empty() ? "no cost" : formatted("\"{}\"", measure.name);
      };
      return {.name = {},
              .reason = formatted("{} declares {}, and {} declares {}", first->name, said(found),
                                  member.name, said(own))};
    }
  }
  return found;
}

SequenceNumber SequenceNumbers::locate(std::int64_t number) const noexcept {
  const auto end = std::ranges::upper_bound(ends_, number);
  const std::int64_t first = end == ends_.begin() ? 0 : *(end - 1);
  return {.chunk = ChunkIndex{end - ends_.begin()}, .sequence = number - first};
}

Diagnostic location_of(const NamedData& member, SequenceNumber location) {
  if (const auto* files = dynamic_cast<const FilesInside*>(member.data.get()); files != nullptr) {
    const NamedData file = files->file_of(location.chunk);
    return location_of(file, location);
  }
  const Index& index = member.data->index();
  const std::optional<ChunkInfo> info = index.chunk(location.chunk);
  const std::shared_ptr<const SequenceTable> table = index.sequences(location.chunk);
  Diagnostic diagnostic;
  diagnostic.path = member.name;
  diagnostic.line =
      info->first_line == 0 ? 0 : info->first_line + table->first_line(location.sequence);
  diagnostic.byte_offset = info->offset_bytes + table->offset_bytes(location.sequence);
  const std::optional<SourceLocation> at = table->location(location.sequence);
  if (at && diagnostic.line > 0) {
    diagnostic.byte_offset = Diagnostic::kNoOffset;  // the line belongs to the list of the files
  } else if (at) {
    diagnostic.path = index.source_name(at->source);
    diagnostic.byte_offset = at->offset_bytes;
  }
  diagnostic.sequence_key = key_text(*member.data, location, table->key(location.sequence));
  return diagnostic;
}

std::string location_text(const Diagnostic& location) {
  return location.line > 0 ? formatted("{}:{}", location.path, location.line)
                           : formatted("{}: byte {}", location.path, location.byte_offset);
}

std::vector<Diagnostic> warnings_of(std::span<const NamedData> members) {
  std::vector<Diagnostic> warnings;
  for (const NamedData& member : members) {
    std::ranges::move(member.data->warnings(), std::back_inserter(warnings));
  }
  return warnings;
}

}  // namespace sheaf::internal
