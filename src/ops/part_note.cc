#include "ops/part_note.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "sheaf/error.h"
#include "sheaf/extend/format.h"
#include "sheaf/types.h"

#include "base/text.h"
#include "core/json_numbers.h"
#include "core/json_text.h"
#include "dataset/part_data.h"
#include "dataset/transformed_data.h"

namespace sheaf::internal {
namespace {

using PartJson = nlohmann::ordered_json;

// Keys are stored as a hash, since a selection may have very many keys.
std::string text_of(const Selection& selected) {
  if (selected.is_all()) return "all";
  std::string keys;
  for (const std::string& key : selected.keys.value_or(std::vector<std::string>())) {
    keys += formatted("{}:{}", key.size(), key);
  }
  return formatted("length {} to {}, share {}, keys {}", selected.min_length, selected.max_length,
                   selected.share, selected.keys ? to_string(key_of_text(keys)) : "all");
}

std::string text_of(const PartJson& json, const char* name) {
  return bytes_of_json(json.at(name)).value();
}

}  // namespace

std::string PartNote::shared() const {
  PartNote same = *this;
  same.part.number = 0;
  same.open_chunks.clear();
  return to_json(same);
}

const Format& part_format() {
  return *std::ranges::find(builtin_formats(), true, &Format::holds_parts);
}

PartNote part_note_of(const Deserializer& data, const std::string& path,
                      const ConvertOptions& options) {
  const PartData* const part = part_in(data);
  if (part == nullptr) {
    throw ConfigError("for_merge: the data are no part: DataSpec::part says one");
  }
  if (options.shards) {
    throw ConfigError(
        "part and shards both divide what is written: convert each part without a merge into "
        "shards of its own, or leave one out");
  }
  if (options.order.algorithm != OrderAlgorithm::file) {
    throw ConfigError(
        "part: parts follow each other in the order of the file: leave out the order");
  }
  std::string source = part->whole()->fingerprint();
  if (const TransformChain* const chain = chain_of(data)) source += "; " + chain->text();
  const SerializerOptions& written = options.writer.format;
  return {.part = part->part(),
          .source = std::move(source),
          .selected = text_of(options.selected),
          .format = std::string(find_writable_format(path, written).name),
          .chunk_size_bytes = written.chunk_size_bytes,
          .options = written.extra};
}

std::string to_json(const PartNote& note) {
  PartJson json = {{"number", note.part.number},
                   {"count", note.part.count},
                   {"source", json_of_bytes(note.source)},
                   {"selected", json_of_bytes(note.selected)},
                   {"file", json_of_bytes(note.file)},
                   {"format", note.format},
                   {"chunk_size_bytes", note.chunk_size_bytes},
                   {"options", PartJson::object()}};
  for (const auto& [name, value] : note.options) json["options"][name] = json_of_bytes(value);
  return json.dump();
}

std::string with_file(const std::string& json, const std::string& file) {
  PartJson note = PartJson::parse(json);
  note["file"] = json_of_bytes(file);
  return note.dump();
}

std::optional<PartNote> part_note_of(const std::string& text) {
  try {
    const PartJson json = parse_json(text, "part");
    PartNote note{
        .part = {.number = whole_of(json.at("number")), .count = whole_of(json.at("count"))},
        .source = text_of(json, "source"),
        .selected = text_of(json, "selected"),
        .file = text_of(json, "file"),
        .format = json.at("format").get<std::string>(),
        .chunk_size_bytes = whole_of(json.at("chunk_size_bytes"))};
    for (const PartJson& chunk : json.at("open_chunks")) {
      note.open_chunks.push_back(whole_of(chunk));
    }
    for (const auto& [name, value] : json.at("options").items()) {
      note.options[name] = bytes_of_json(value).value();
    }
    check_part(note.part);
    if (note.chunk_size_bytes < 1) return std::nullopt;
    return note;
  } catch (const ConfigError&) {
    return std::nullopt;
  } catch (const PartJson::exception&) {
    return std::nullopt;
  } catch (const std::bad_optional_access&) {
    return std::nullopt;
  }
}

}  // namespace sheaf::internal
