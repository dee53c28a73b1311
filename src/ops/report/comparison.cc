#include "ops/report/comparison.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "ops/report/drift.h"

namespace sheaf::internal {
namespace {

constexpr std::size_t kExamplesMax = 10;
constexpr std::size_t kUnseenIdsMax = 20;

// Returns the ids of a stream that only the other data have.
Json unseen_json(const ReportSource& source, std::size_t s, const IdCounts& ids,
                 const IdCounts& other) {
  std::int64_t count = 0;
  std::int64_t samples = 0;
  Json examples = Json::array();
  const auto visit = [&](const std::vector<std::int64_t>& own,
                         const std::vector<std::int64_t>& others, bool has_examples) {
    for (std::size_t i = 0; i < others.size(); ++i) {
      if (others[i] == 0 || (i < own.size() && own[i] > 0)) continue;
      ++count;
      samples += others[i];
      if (has_examples && examples.size() < kUnseenIdsMax) examples.push_back(i);
    }
  };
  visit(ids.own(), other.own(), true);
  visit(ids.shared(), other.shared(), false);
  if (count == 0) return nullptr;
  Json json = {
      {"stream", cut_text(source.numbers.streams[s].name)}, {"ids", count}, {"samples", samples}};
  if (source.shows_values && !examples.empty()) json["examples"] = std::move(examples);
  return json;
}

Json unseen_section(const ReportSource& source, const DataNumbers& others) {
  Json list = Json::array();
  for (std::size_t s = 0; s < source.numbers.detailed(); ++s) {
    const StreamNumbers& stream = source.numbers.stream_numbers[s];
    const auto same =
        std::ranges::find(others.streams, source.numbers.streams[s].name, &Stream::name);
    const auto other_s = static_cast<std::size_t>(same - others.streams.begin());
    if (other_s >= others.detailed() || !stream.part.has_ids) continue;
    const StreamNumbers& other = others.stream_numbers[other_s];
    if (!other.part.has_ids || stream.ids.total() == 0) continue;
    Json json = unseen_json(source, s, stream.ids, other.ids);
    if (!json.is_null()) list.push_back(std::move(json));
  }
  return list;
}

Json leaks_section(const ReportSource& source, const OpenedData& other,
                   const CommonSequences& common) {
  Json json = {
      {"looked_at", common.looked_at}, {"same", common.same}, {"same_input", common.same_input}};
  if (!source.shows_values || common.examples.empty()) return json;
  const NamedData own{source.data.data, source.data.name};
  const NamedData others{other.data, other.name};
  Json examples = Json::array();
  for (const SequencePair& each : common.examples) {
    examples.push_back({{"key", location_json(own, each.first)["key"]},
                        {"other_key", location_json(others, each.second)["key"]}});
  }
  json["examples"] = std::move(examples);
  return json;
}

}  // namespace

ComparedData compared_data(const ReportSource& source, std::vector<HashedSequence> hashes,
                           const OpenedData& other, DataNumbers& others, std::string_view path) {
  const std::uint64_t threshold =
      std::min(source.numbers.hashes.threshold(), others.hashes.threshold());
  std::erase_if(hashes, [&](const HashedSequence& each) { return each.input > threshold; });
  const CommonSequences common =
      common_sequences(hashes, others.hashes.take(threshold), kExamplesMax);
  ComparedData compared;
  compared.found.leaks = {
      .looked_at = common.looked_at, .same = common.same, .same_input = common.same_input};
  compared.found.drift = drift_between(source.numbers, others);
  Json drift = Json::array();
  for (const Drift& each : compared.found.drift) {
    drift.push_back({{"what", cut_text(each.what)}, {"size", each.size}});
  }
  compared.section = {{"path", cut_text(path, 300)},
                      {"sequences", others.sequences},
                      {"holes", others.holes},
                      {"error_places", others.error_count},
                      {"leaks", leaks_section(source, other, common)},
                      {"drift", std::move(drift)}};
  if (Json unseen = unseen_section(source, others); !unseen.empty()) {
    compared.section["unseen"] = std::move(unseen);
  }
  return compared;
}

std::vector<bool> same_labels(const DataNumbers& numbers, std::span<const Stream> streams) {
  std::vector<bool> marks(streams.size());
  for (std::size_t s = 0; s < numbers.streams.size(); ++s) {
    if (!numbers.labels[s]) continue;
    const auto same = std::ranges::find(streams, numbers.streams[s].name, &Stream::name);
    if (same != streams.end()) marks[static_cast<std::size_t>(same - streams.begin())] = true;
  }
  return marks;
}

}  // namespace sheaf::internal
