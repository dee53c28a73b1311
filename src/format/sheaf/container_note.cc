#include "format/sheaf/container_note.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <utility>

#include <nlohmann/json.hpp>

#include "sheaf/error.h"

#include "core/json_numbers.h"
#include "core/json_text.h"
#include "format/sample_shape.h"

namespace sheaf::container {
namespace {

using NoteJson = nlohmann::ordered_json;

constexpr std::array kTypes = {ElementType::u8,  ElementType::u16, ElementType::i32,
                               ElementType::i64, ElementType::f16, ElementType::bf16,
                               ElementType::f32, ElementType::f64, ElementType::bytes};
constexpr std::array kKinds = {ArrayKind::key_sizes, ArrayKind::key_text, ArrayKind::presence,
                               ArrayKind::lengths,   ArrayKind::extents,  ArrayKind::entries,
                               ArrayKind::indices,   ArrayKind::values};

NoteJson json_of(const Stream& stream) {
  NoteJson json = {{"name", stream.name},
                   {"storage", to_string(stream.storage)},
                   {"type", to_string(stream.element_type)}};
  if (stream.storage == Storage::sparse) json["index_type"] = to_string(stream.index_type);
  json["shape"] = NoteJson::array();
  for (const std::int64_t extent : stream.sample_shape.extents()) json["shape"].push_back(extent);
  if (stream.defines_minibatch_size) json["defines_minibatch_size"] = true;
  if (stream.class_names) {
    json["class_names"] = NoteJson::array();
    for (const std::string& name : *stream.class_names) {
      json["class_names"].push_back(internal::json_of_bytes(name));
    }
  }
  return json;
}

NoteJson json_of_content(const ContainerNote& note) {
  NoteJson json = {{"keys", note.has_text_keys ? "texts" : "numbers"},
                   {"streams", NoteJson::array()}};
  for (const Stream& stream : note.streams) json["streams"].push_back(json_of(stream));
  if (!note.cost_name.empty()) json["costs"] = internal::json_of_bytes(note.cost_name);
  return json;
}

// Reading throws an exception of the JSON library if a type is wrong, and returns std::nullopt if a
// value is wrong. note_of() returns std::nullopt in both cases.
template <typename T>
std::optional<T> one_of(const auto& values, const std::string& text, const auto& name_of) {
  for (const T value : values) {
    if (name_of(value) == text) return value;
  }
  return std::nullopt;
}

const NoteJson::array_t& list_of(const NoteJson& json) {
  return json.get_ref<const NoteJson::array_t&>();
}

std::optional<ElementType> type_named(const std::string& name) {
  return one_of<ElementType>(kTypes, name, [](ElementType type) { return to_string(type); });
}

std::optional<Shape> shape_of(const NoteJson& json) {
  std::vector<std::int64_t> extents;
  for (const NoteJson& extent : list_of(json)) {
    if (!extent.is_number_integer() || extent.is_number_unsigned() != (extent >= 0)) {
      return std::nullopt;
    }
    extents.push_back(extent.get<std::int64_t>());
  }
  if (extents.size() > std::size_t{Shape::kRankMax}) return std::nullopt;
  if (std::ranges::any_of(
          extents, [](std::int64_t extent) { return extent < 1 && extent != Shape::kVariable; })) {
    return std::nullopt;
  }
  return Shape(extents);
}

// Returns whether a stream obeys the rules of streams in memory.
bool is_possible(const Stream& stream) {
  const bool is_bytes = stream.element_type == ElementType::bytes;
  if (stream.name.empty()) return false;
  if (stream.storage == Storage::sparse) {
    if (is_bytes || stream.sample_shape.rank() != 1 || !stream.sample_shape.is_fixed())
      return false;
    if (stream.index_type != ElementType::i32 && stream.index_type != ElementType::i64)
      return false;
  }
  if (is_bytes && stream.sample_shape != Shape{Shape::kVariable}) return false;
  if (!stream.sample_shape.is_fixed()) return true;
  try {
    internal::check_sample_shape(stream.name, stream.sample_shape, stream.storage,
                                 stream.index_type);
  } catch (const ConfigError&) {
    return false;
  }
  return true;
}

std::optional<Stream> stream_of(const NoteJson& json) {
  Stream stream;
  stream.name = json.at("name").get<std::string>();
  const auto storage = json.at("storage").get<std::string>();
  if (storage != "dense" && storage != "sparse") return std::nullopt;
  stream.storage = storage == "sparse" ? Storage::sparse : Storage::dense;
  const std::optional<ElementType> type = type_named(json.at("type").get<std::string>());
  const std::optional<Shape> shape = shape_of(json.at("shape"));
  if (!type || !shape) return std::nullopt;
  stream.element_type = *type;
  stream.sample_shape = *shape;
  if (stream.storage == Storage::sparse) {
    const auto index_type = type_named(json.at("index_type").get<std::string>());
    if (!index_type) return std::nullopt;
    stream.index_type = *index_type;
  }
  stream.defines_minibatch_size = json.value("defines_minibatch_size", false);
  if (json.contains("class_names")) {
    std::vector<std::string> names;
    for (const NoteJson& each : list_of(json.at("class_names"))) {
      std::optional<std::string> name = internal::bytes_of_json(each);
      if (!name) return std::nullopt;
      names.push_back(*std::move(name));
    }
    stream.class_names = std::make_shared<const std::vector<std::string>>(std::move(names));
  }
  if (!is_possible(stream)) return std::nullopt;
  return stream;
}

bool take_storage(const NoteJson& json, ContainerNote& note) {
  for (const NoteJson& each : list_of(json)) {
    const auto column = internal::whole_of(each.at("column"));
    const auto kind = one_of<ArrayKind>(kKinds, each.at("array").get<std::string>(),
                                        [](ArrayKind value) { return to_string(value); });
    const auto codec_name = each.at("codec").get<std::string>();
    std::optional<Codec> codec;
    for (std::uint64_t i = 0; i < kCodecCount; ++i) {
      if (to_string(Codec{i}) == codec_name) codec = Codec{i};
    }
    if (!kind || !codec || column < 0 || column >= note.column_count()) return false;
    note.storage[{column, *kind, *codec}] = {
        .array_count = internal::whole_of(each.at("arrays")),
        .content_bytes = internal::whole_of(each.at("content_bytes")),
        .stored_bytes = internal::whole_of(each.at("stored_bytes"))};
  }
  return true;
}

bool take_streams(const NoteJson& json, ContainerNote& note) {
  for (const NoteJson& each : list_of(json)) {
    std::optional<Stream> stream = stream_of(each);
    if (!stream) return false;
    if (std::ranges::find(note.streams, stream->name, &Stream::name) != note.streams.end()) {
      return false;
    }
    note.streams.push_back(*std::move(stream));
  }
  return !note.streams.empty() &&
         std::ranges::count(note.streams, true, &Stream::defines_minibatch_size) <= 1;
}

}  // namespace

std::string to_json(const ContainerNote& note) {
  NoteJson json = json_of_content(note);
  json["storage"] = NoteJson::array();
  for (const auto& [key, sizes] : note.storage) {
    const auto& [column, kind, codec] = key;
    json["storage"].push_back({{"column", column},
                               {"array", to_string(kind)},
                               {"codec", to_string(codec)},
                               {"arrays", sizes.array_count},
                               {"content_bytes", sizes.content_bytes},
                               {"stored_bytes", sizes.stored_bytes}});
  }
  if (!note.part.empty()) json["part"] = NoteJson::parse(note.part);
  return json.dump();
}

std::string content_of(const ContainerNote& note) { return json_of_content(note).dump(); }

std::optional<ContainerNote> note_of(std::string_view text) {
  try {
    const NoteJson json = internal::parse_json(text, "note");
    ContainerNote note;
    const auto keys = json.at("keys").get<std::string>();
    if (keys != "texts" && keys != "numbers") return std::nullopt;
    note.has_text_keys = keys == "texts";
    if (!take_streams(json.at("streams"), note)) return std::nullopt;
    if (!take_storage(json.at("storage"), note)) return std::nullopt;
    if (json.contains("costs")) {
      std::optional<std::string> name = internal::bytes_of_json(json.at("costs"));
      if (!name || name->empty()) return std::nullopt;
      note.cost_name = *std::move(name);
    }
    if (json.contains("part")) {
      if (!json.at("part").is_object()) return std::nullopt;
      note.part = json.at("part").dump();
    }
    return note;
  } catch (const ConfigError&) {
    return std::nullopt;
  } catch (const NoteJson::exception&) {
    return std::nullopt;
  }
}

}  // namespace sheaf::container
