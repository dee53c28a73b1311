#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sheaf/extend/json.h"

#include "ops/report/sections.h"
#include "ops/report/sheaf_estimate.h"

namespace sheaf::internal {
namespace {

constexpr std::size_t kJoinedMax = 16;
constexpr std::size_t kNotesMax = 64;

void append_diagnostics(const std::vector<Diagnostic>& diagnostics, std::size_t count_max,
                        Json& list) {
  for (const Diagnostic& each : diagnostics) {
    if (list.size() == count_max) return;
    Diagnostic shown = each;
    for (std::string* const text : {&shown.path, &shown.sequence_key, &shown.stream,
                                    &shown.expected, &shown.found, &shown.hint}) {
      *text = cut_text(*text, 300);
    }
    shown.excerpt.clear();
    Json json = Json::parse(json_text(shown));
    for (const char* const name : {"excerpt", "excerpt_begin", "excerpt_size", "text"}) {
      json.erase(name);
    }
    list.push_back(std::move(json));
  }
}

// Describes errors by code and location, without quoting values.
void append_codes(const std::vector<Diagnostic>& diagnostics, std::size_t count_max, Json& list) {
  for (const Diagnostic& each : diagnostics) {
    if (list.size() == count_max) return;
    Json json = {{"severity", each.severity == Severity::warning ? "warning" : "error"},
                 {"path", cut_text(each.path, 300)},
                 {"line", each.line},
                 {"column", each.column},
                 {"byte_offset", each.byte_offset},
                 {"code", each.code}};
    list.push_back(std::move(json));
  }
}

std::int64_t sequence_count(const Index& index) {
  std::int64_t count = 0;
  for (ChunkIndex chunk{}; const auto counts = index.chunk_counts(chunk); chunk = next(chunk)) {
    count += counts->sequence_count;
  }
  return count;
}

Json joined_json(const ReportSource& source) {
  Json list = Json::array();
  const std::int64_t joined = source.numbers.sequences + source.numbers.holes;
  for (const OpenedData& member : source.data.members) {
    if (list.size() == kJoinedMax) break;
    const std::int64_t count = sequence_count(member.data->index());
    list.push_back({{"path", cut_text(member.name, 300)},
                    {"sequences", count},
                    {"left_out", std::max<std::int64_t>(0, count - joined)}});
  }
  return list;
}

std::string first_key(const ReportSource& source, const SequenceKey& key, bool is_last) {
  if (key.high == 0) return to_string(key);
  const NamedData named{source.data.data, source.data.name};
  const auto last_chunk = static_cast<std::int64_t>(source.numbers.chunk_end) - 1;
  const auto table = source.data.data->index().sequences(ChunkIndex{last_chunk});
  const CompactLocation location =
      is_last ? CompactLocation{static_cast<std::uint32_t>(last_chunk),
                                static_cast<std::uint32_t>(table->size() - 1)}
              : CompactLocation{0, 0};
  return location_json(named, location)["key"].get<std::string>();
}

}  // namespace

Json data_section(const ReportSource& source) {
  const DataNumbers& numbers = source.numbers;
  Json json = {{"sequences", numbers.sequences},         {"holes", numbers.holes},
               {"samples", numbers.lengths.total()},     {"bytes", numbers.bytes},
               {"streams", numbers.streams.size()},      {"error_places", numbers.error_count},
               {"warning_places", numbers.warning_count}};
  if (numbers.is_cut) json["is_cut"] = true;
  Json list = Json::array();
  const auto count_max = static_cast<std::size_t>(kDescribedMax);
  if (source.shows_values) {
    append_diagnostics(numbers.errors, count_max, list);
    append_diagnostics(numbers.warnings, count_max, list);
  } else {
    append_codes(numbers.errors, count_max, list);
    append_codes(numbers.warnings, count_max, list);
  }
  json["diagnostics"] = std::move(list);
  return json;
}

Json keys_section(const ReportSource& source) {
  const KeyNumbers& keys = source.numbers.keys;
  if (keys.count == 0) return {{"kind", "none"}};
  const bool are_texts = keys.first.high != 0;
  Json json = {{"kind", are_texts ? "texts" : "numbers"}};
  if (!are_texts) json["rising"] = keys.rises;
  if (!are_texts && keys.rises) {
    json["repeats"] = 0;
    json["gaps"] = keys.gaps;
  } else {
    const KeyRepeats repeated = key_repeats(source.data.data->index(), source.numbers.chunk_end);
    json["looked_at"] = repeated.looked_at;
    json["repeats"] = repeated.repeats;
  }
  if (source.shows_values) {
    json["first"] = first_key(source, keys.first, false);
    json["last"] = first_key(source, keys.last, true);
  }
  if (!source.data.members.empty()) json["joined"] = joined_json(source);
  return json;
}

Json storage_section(const ReportSource& source) {
  const DataNumbers& numbers = source.numbers;
  Json json = {{"bytes", numbers.bytes}, {"chunks", static_cast<std::int64_t>(numbers.chunk_end)}};
  if (numbers.lengths.total() > 0) {
    json["bytes_per_sample"] =
        static_cast<double>(numbers.bytes) / static_cast<double>(numbers.lengths.total());
  }
  if (const std::optional<SheafEstimate> as_sheaf = sheaf_estimate(source)) {
    json["as_sheaf"] = {{"bytes", as_sheaf->bytes}, {"looked_at", as_sheaf->looked_at}};
  }
  Json notes = Json::array();
  for (const StorageNote& each : source.data.data->storage()) {
    if (notes.size() == kNotesMax) break;
    notes.push_back({{"stream", cut_text(each.stream)},
                     {"array", each.array},
                     {"codec", each.codec},
                     {"arrays", each.array_count},
                     {"content_bytes", each.content_bytes},
                     {"stored_bytes", each.stored_bytes}});
  }
  if (!notes.empty()) json["notes"] = std::move(notes);
  return json;
}

}  // namespace sheaf::internal
