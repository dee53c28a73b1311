// Chooses a few sequences to show: typical ones and the most unusual ones.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/base64.h"
#include "base/unaligned.h"
#include "base/utf8.h"
#include "core/element_cast.h"
#include "ops/report/pictures.h"
#include "ops/report/sections.h"
#include "ops/report/stream_ids.h"

namespace sheaf::internal {
namespace {

constexpr std::size_t kShownMax = 10;
constexpr std::size_t kShownStreamsMax = 6;
constexpr std::int64_t kIdsMax = 64;
constexpr std::int64_t kLineMax = 256;
constexpr std::size_t kTextBytesMax = 400;
constexpr std::size_t kShownBytesMax = 150'000;  // of JSON for all sequences together
constexpr std::int64_t kHolesMax = 100;          // holes to skip in search of a readable sequence

/// A sequence to show and the reason for its choice.
struct Shown {
  std::string why;
  CompactLocation location;
};

double shown_value(ElementType type, const std::byte* values, std::int64_t i) {
  return with_zero_of(type, [&](auto zero) {
    return static_cast<double>(arithmetic(load<decltype(zero)>(values, i)));
  });
}

Json number_json(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

Json bytes_json(std::span<const std::byte> bytes) {
  std::string text;
  append_base64(bytes, text);
  return text;
}

Json image_json(const Thumbnail& thumbnail) {
  return {{"width", thumbnail.width},
          {"height", thumbnail.height},
          {"channels", 3},
          {"pixels", bytes_json(thumbnail.pixels)}};
}

void set_opaque(const SequenceView& view, Json& json) {
  const std::int64_t size = view.sample_offsets != nullptr
                                ? view.sample_offsets[1] - view.sample_offsets[0]
                                : view.value_count;
  json["bytes"] = size;
  const std::span bytes(view.values, static_cast<std::size_t>(size));
  if (const std::optional<Thumbnail> thumbnail = thumbnail_of(bytes)) {
    json["image"] = image_json(*thumbnail);
    return;
  }
  const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::string text = cut_text(all, kTextBytesMax);
  if (is_utf8(text) && text.find('\0') == std::string::npos) json["text"] = text;
}

void set_pairs(const Stream& stream, const SequenceView& view, Json& json) {
  Json list = Json::array();
  for (std::int64_t i = 0; i < std::min(view.value_count, kIdsMax); ++i) {
    Json pair = Json::array();
    static_cast<void>(visit_ids(stream, view.indices + i * element_size(stream.index_type), 1,
                                [&](std::int64_t id) { pair.push_back(id); }));
    pair.push_back(number_json(shown_value(stream.element_type, view.values, i)));
    list.push_back(std::move(pair));
  }
  json["ids"] = std::move(list);
  if (view.value_count > kIdsMax) json["more"] = view.value_count - kIdsMax;
}

// Picks values evenly if the line is long.
void set_line(const Stream& stream, const SequenceView& view, std::int64_t count, Json& json) {
  Json list = Json::array();
  const std::int64_t shown = std::min(count, kLineMax);
  for (std::int64_t i = 0; i < shown; ++i) {
    list.push_back(number_json(shown_value(stream.element_type, view.values, i * count / shown)));
  }
  json["line"] = std::move(list);
}

// Guesses whether a sample is a square image, written pixel row by pixel row. A sample whose
// integer values have a square count most likely is. Returns the side of the square, or 0.
std::int64_t pixel_side(const Stream& stream, const SequenceView& view, std::int64_t count) {
  constexpr std::int64_t kSideMin = 8;
  if (view.sample_count != 1 || stream.sample_shape.rank() != 1) return 0;
  const auto side = static_cast<std::int64_t>(std::lround(std::sqrt(static_cast<double>(count))));
  if (side < kSideMin || side * side != count) return 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double value = shown_value(stream.element_type, view.values, i);
    if (value != std::floor(value)) return 0;
  }
  return side;
}

void set_dense(const Stream& stream, const SequenceView& view, Json& json) {
  const Shape& shape = stream.sample_shape;
  std::vector<std::int64_t> extents(shape.extents().begin(), shape.extents().end());
  if (view.extents != nullptr) {
    extents.assign(view.extents, view.extents + shape.rank());
  } else if (!shape.is_fixed()) {
    return;
  }
  if (const auto thumbnail = thumbnail_of(stream.element_type, extents, view.values)) {
    json["image"] = image_json(*thumbnail);
    return;
  }
  std::int64_t size = 1;  // values of the first sample
  for (const std::int64_t each : extents) size *= each;
  std::int64_t rows = shape.is_fixed() ? view.sample_count : 1;
  if (rows == 1 && extents.size() > 1) {  // a matrix in one sample
    rows = extents.front();
    size /= std::max<std::int64_t>(1, rows);
  }
  if (size == 0 || rows == 0) return;
  if (const std::int64_t side = pixel_side(stream, view, rows * size); side > 0) {
    rows = size = side;
  }
  if (size == 1 || rows == 1) {
    set_line(stream, view, size * rows, json);
    return;
  }
  if (const auto map = heat_map(stream.element_type, view.values, rows, size)) {
    json["heat"] = {{"rows", map->rows},
                    {"columns", map->columns},
                    {"low", map->low},
                    {"high", map->high},
                    {"levels", bytes_json(map->levels)}};
  }
}

Json shown_stream(const Stream& stream, const SequenceView& view) {
  Json json = {{"name", cut_text(stream.name)}, {"samples", view.sample_count}};
  if (view.value_count == 0) return json;
  if (stream.element_type == ElementType::bytes) {
    set_opaque(view, json);
  } else if (stream.storage == Storage::sparse) {
    set_pairs(stream, view, json);
  } else {
    set_dense(stream, view, json);
  }
  return json;
}

Chunk read_range(const Deserializer& data, const ChunkRange& range) {
  Diagnostics ignored(0);
  return data.read(range, ignored);
}

/// Chooses the sequences to show.
class Chooser {
 public:
  explicit Chooser(const ReportSource& source)
      : numbers_(source.numbers), data_(*source.data.data) {}

  std::vector<Shown> choose() {
    add_near("the first", ChunkIndex{0}, 0);
    const auto chunks = static_cast<std::int64_t>(numbers_.chunk_end);
    const ChunkIndex middle{chunks / 2};
    add_near("one in the middle", middle,
             chunks % 2 == 1 ? data_.index().sequences(middle)->size() / 2 : 0);
    add("the longest", numbers_.longest.location);
    add("the shortest", numbers_.shortest.location);
    for (std::size_t s = 0; s < numbers_.detailed(); ++s) add_strange(s);
    return std::move(shown_);
  }

 private:
  // A sequence that is chosen twice gets two reasons.
  void add(const std::string& why, const CompactLocation& location) {
    if (!location.is_known()) return;
    const auto same = std::ranges::find(shown_, location, &Shown::location);
    if (same != shown_.end()) {
      same->why += ", " + why;
    } else if (shown_.size() < kShownMax) {
      shown_.push_back({why, location});
    }
  }

  void add_near(const std::string& why, ChunkIndex chunk, std::int64_t first) {
    const std::int64_t count = std::min(kHolesMax, data_.index().sequences(chunk)->size() - first);
    const Chunk read = read_range(data_, {chunk, first, count});
    add_first(why, read, {chunk, first, count}, [](std::int64_t /*sequence*/) { return true; });
  }

  void add_strange(std::size_t s) {
    const StreamPart& part = numbers_.stream_numbers[s].part;
    const Stream& stream = numbers_.streams[s];
    if (stream.element_type == ElementType::bytes || shown_.size() == kShownMax) return;
    if (part.non_finite_in) {
      add_with(s, "the first that is not finite in " + cut_text(stream.name), *part.non_finite_in,
               [](double value) { return !std::isfinite(value); });
    }
    if (is_floating(stream.element_type) && part.largest > 0 && stream.storage == Storage::dense &&
        !numbers_.labels[s]) {
      add_with(s, "the largest value of " + cut_text(stream.name), part.largest_in,
               [&](double value) { return std::abs(value) == part.largest; });
    }
  }

  template <typename Test>
  void add_with(std::size_t s, const std::string& why, const ChunkRange& range, const Test& test) {
    const Chunk chunk = read_range(data_, range);
    const ElementType type = numbers_.streams[s].element_type;
    add_first(why, chunk, range, [&](std::int64_t sequence) {
      const SequenceView view = chunk.view(static_cast<std::int64_t>(s), sequence);
      for (std::int64_t i = 0; i < view.value_count; ++i) {
        if (test(shown_value(type, view.values, i))) return true;
      }
      return false;
    });
  }

  template <typename Test>
  void add_first(const std::string& why, const Chunk& chunk, const ChunkRange& range,
                 const Test& test) {
    for (std::int64_t i = 0; i < chunk.sequence_count(); ++i) {
      if (chunk.is_hole(i) || !test(i)) continue;
      add(why,
          {static_cast<std::uint32_t>(range.chunk), static_cast<std::uint32_t>(range.first + i)});
      return;
    }
  }

  const DataNumbers& numbers_;
  const Deserializer& data_;
  std::vector<Shown> shown_;
};

std::int64_t sequences_before(const Index& index, const CompactLocation& location) {
  std::int64_t count = location.sequence;
  for (ChunkIndex chunk{}; chunk < ChunkIndex{location.chunk}; chunk = next(chunk)) {
    count += index.chunk_counts(chunk)->sequence_count;
  }
  return count;
}

}  // namespace

Json sequences_section(const ReportSource& source) {
  Json list = Json::array();
  if (source.numbers.sequences == 0) return list;
  const Deserializer& data = *source.data.data;
  const NamedData named{source.data.data, source.data.name};
  std::size_t bytes = 0;
  for (const Shown& each : Chooser(source).choose()) {
    const ChunkIndex chunk{each.location.chunk};
    const std::int64_t number = each.location.sequence;
    const Chunk read = read_range(data, {chunk, number, 1});
    if (read.is_hole(0)) continue;
    Json json = {{"why", each.why}};
    json.update(location_json(named, each.location));
    json["sequence"] = sequences_before(data.index(), each.location);
    json["samples"] = data.index().sequences(chunk)->sample_count(number);
    Json streams = Json::array();
    for (std::size_t s = 0; s < std::min(kShownStreamsMax, source.numbers.streams.size()); ++s) {
      streams.push_back(
          shown_stream(source.numbers.streams[s], read.view(static_cast<std::int64_t>(s), 0)));
    }
    json["streams"] = std::move(streams);
    bytes += json.dump(-1, ' ', false, Json::error_handler_t::replace).size();
    if (bytes > kShownBytesMax) break;
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace sheaf::internal
