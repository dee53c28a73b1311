#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sheaf/diagnostic.h"

#include "ops/report/sections.h"

namespace sheaf::internal {
namespace {

// Returns the streams that differ between two sequences.
Json differing_streams(const ReportSource& source, const SequencePair& pair) {
  const auto read = [&](const CompactLocation& location) {
    Diagnostics ignored(0);
    return source.data.data->read({ChunkIndex{location.chunk}, std::int64_t{location.sequence}, 1},
                                  ignored);
  };
  const Chunk first = read(pair.first);
  const Chunk second = read(pair.second);
  Json list = Json::array();
  for (std::size_t s = 0; s < source.numbers.streams.size(); ++s) {
    const Stream& stream = source.numbers.streams[s];
    const auto number = static_cast<std::int64_t>(s);
    if (hash_of_view(stream, first.view(number, 0), 0) !=
        hash_of_view(stream, second.view(number, 0), 0)) {
      list.push_back(cut_text(stream.name));
    }
  }
  return list;
}

void append_pairs(const ReportSource& source, const std::vector<SequencePair>& pairs, Json& list) {
  const NamedData named{source.data.data, source.data.name};
  for (const SequencePair& each : pairs) {
    Json json = {{"first", location_json(named, each.first)},
                 {"second", location_json(named, each.second)}};
    json["differs"] = differing_streams(source, each);
    list.push_back(std::move(json));
  }
}

}  // namespace

Json duplicates_section(const ReportSource& source, const Duplicates& duplicates) {
  Json json = {{"looked_at", duplicates.looked_at},
               {"sequences", source.numbers.sequences},
               {"same", duplicates.same}};
  Json labels = Json::array();
  for (std::size_t s = 0; s < source.numbers.labels.size() && labels.size() < 10; ++s) {
    if (source.numbers.labels[s]) labels.push_back(cut_text(source.numbers.streams[s].name));
  }
  if (!labels.empty()) {
    json["labels"] = std::move(labels);
    json["conflicts"] = duplicates.conflicts;
  }
  if (!source.shows_values) return json;
  Json examples = Json::array();
  append_pairs(source, duplicates.conflicting, examples);
  append_pairs(source, duplicates.repeated, examples);
  if (!examples.empty()) json["examples"] = std::move(examples);
  return json;
}

}  // namespace sheaf::internal
