#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "ops/report/sections.h"
#include "ops/report/stream_roles.h"

namespace sheaf::internal {
namespace {

constexpr std::size_t kTopMax = 20;
constexpr std::size_t kUnseenMax = 20;

// Returns the number of ids that a stream can have, or the number that it has.
std::int64_t class_count(const Stream& stream, const IdCounts& ids) {
  if (stream.class_names != nullptr) return std::ssize(*stream.class_names);
  const IdSource source = id_source_of(stream);
  const bool is_vector = source == IdSource::indices || source == IdSource::one_hot;
  if (is_vector) return stream.sample_shape.size();
  const std::vector<std::int64_t>& own = ids.own();
  const auto last = std::find_if(own.rbegin(), own.rend(), [](std::int64_t n) { return n > 0; });
  return own.rend() - last;
}

// Returns the entropy of the ids. Each shared counter counts as one id.
double entropy_bits(const IdCounts& ids) {
  const auto all = static_cast<double>(ids.total());
  double bits = 0;
  const auto add = [&](std::int64_t count) {
    if (count == 0) return;
    const double share = static_cast<double>(count) / all;
    bits -= share * std::log2(share);
  };
  std::ranges::for_each(ids.own(), add);
  std::ranges::for_each(ids.shared(), add);
  return std::max(0.0, bits);
}

void set_counts(const Stream& stream, const IdCounts& ids, Json& json) {
  const std::vector<std::int64_t>& own = ids.own();
  std::vector<std::size_t> order(own.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t count = std::min(kTopMax, order.size());
  std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(count), {},
                            [&](std::size_t id) { return std::pair(-own[id], id); });
  Json top = Json::array();
  Json names = Json::array();
  std::int64_t rest = ids.total();
  for (std::size_t i = 0; i < count && own[order[i]] > 0; ++i) {
    top.push_back({order[i], own[order[i]]});
    rest -= own[order[i]];
    if (stream.class_names != nullptr && order[i] < stream.class_names->size()) {
      names.push_back(cut_text((*stream.class_names)[order[i]], 60));
    }
  }
  if (names.size() == top.size() && !names.empty()) json["names"] = std::move(names);
  json["counts"] = std::move(top);
  json["rest"] = rest;
}

void set_unseen(const IdCounts& ids, std::int64_t classes, Json& json) {
  Json unseen = Json::array();
  for (std::int64_t id = 0; id < std::min(classes, IdCounts::kOwn); ++id) {
    if (unseen.size() == kUnseenMax) break;
    if (id < std::ssize(ids.own()) && ids.own()[static_cast<std::size_t>(id)] > 0) continue;
    unseen.push_back(id);
  }
  if (!unseen.empty()) json["unseen"] = std::move(unseen);
}

Json label_json(const ReportSource& source, std::size_t s) {
  const Stream& stream = source.numbers.streams[s];
  const StreamNumbers& numbers = source.numbers.stream_numbers[s];
  const IdCounts& ids = numbers.ids;
  const std::int64_t classes = class_count(stream, ids);
  Json json = {{"stream", cut_text(stream.name)},
               {"label", static_cast<bool>(source.numbers.labels[s])},
               {"classes", classes},
               {"seen", ids.seen()}};
  if (ids.shared_total() > 0) json["is_estimate"] = true;
  if (source.shows_values) {
    set_counts(stream, ids, json);
    set_unseen(ids, classes, json);
  }
  json["entropy_bits"] = entropy_bits(ids);
  const std::int64_t largest = ids.own().empty() ? 0 : std::ranges::max(ids.own());
  json["largest_share"] = static_cast<double>(largest) / static_cast<double>(ids.total());
  if (numbers.part.stored_min >= 0) {
    json["per_sample"] = {{"min", numbers.part.stored_min},
                          {"max", numbers.part.stored_max},
                          {"mean", static_cast<double>(numbers.part.values.count) /
                                       static_cast<double>(numbers.part.samples)}};
  }
  return json;
}

}  // namespace

Json labels_section(const ReportSource& source) {
  Json list = Json::array();
  for (std::size_t s = 0; s < source.numbers.detailed(); ++s) {
    const StreamNumbers& stream = source.numbers.stream_numbers[s];
    if (stream.part.has_ids && stream.ids.total() > 0) list.push_back(label_json(source, s));
  }
  return list;
}

}  // namespace sheaf::internal
