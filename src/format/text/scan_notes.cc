#include "format/text/scan_notes.h"

#include <stdexcept>
#include <utility>

#include <nlohmann/json.hpp>

namespace sheaf::internal {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kNumberMax = std::int64_t{1} << 62;  // so that sums do not overflow

/// Returns a whole number in a range. JSON has other numbers, which the library would convert
/// silently.
std::int64_t number_from_json(const Json& json, std::int64_t least,
                              std::int64_t most = kNumberMax) {
  const bool fits = json.is_number_unsigned()
                        ? json.get<std::uint64_t>() <= static_cast<std::uint64_t>(most)
                        : json.is_number_integer() && json.get<std::int64_t>() <= most;
  if (!fits || json.get<std::int64_t>() < least) throw std::out_of_range("notes of a scan");
  return json.get<std::int64_t>();
}

Json place_to_json(const Diagnostic& place) {
  return {{"line", place.line},
          {"column", place.column},
          {"byte_offset", place.byte_offset},
          {"excerpt", place.excerpt},
          {"excerpt_begin", place.excerpt_begin},
          {"excerpt_size", place.excerpt_size}};
}

Diagnostic place_from_json(const Json& json, std::string_view path) {
  Diagnostic place;
  place.path = path;
  place.line = number_from_json(json.at("line"), 0);
  place.column = number_from_json(json.at("column"), 0);
  place.byte_offset = number_from_json(json.at("byte_offset"), Diagnostic::kNoPlace);
  json.at("excerpt").get_to(place.excerpt);
  // Both count characters. The marked text may lie after the last character.
  place.excerpt_begin = number_from_json(json.at("excerpt_begin"), 0);
  place.excerpt_size = number_from_json(json.at("excerpt_size"), 0);
  if (place.excerpt_begin + place.excerpt_size > std::ssize(place.excerpt) + 1) {
    throw std::out_of_range("notes of a scan");
  }
  return place;
}

Json evidence_to_json(const std::optional<Evidence>& evidence) {
  if (!evidence) return nullptr;
  Json json = place_to_json(evidence->place);
  json["values"] = evidence->value_count;
  return json;
}

std::optional<Evidence> evidence_from_json(const Json& json, std::string_view path) {
  if (json.is_null()) return std::nullopt;
  return Evidence{number_from_json(json.at("values"), 0), place_from_json(json, path)};
}

/// Names may have any bytes, but texts in JSON may not.
Json bytes_to_json(std::string_view bytes) {
  Json json = Json::array();
  for (const char byte : bytes) json.push_back(static_cast<unsigned char>(byte));
  return json;
}

std::string bytes_from_json(const Json& json) {
  std::string bytes;
  for (const Json& byte : json) bytes += static_cast<char>(number_from_json(byte, 0, 255));
  return bytes;
}

}  // namespace

std::string to_json(const FileNotes& notes) {
  Json json;
  json["warnings"] = Json::array();
  for (const Diagnostic& warning : notes.warnings) {
    Json item = place_to_json(warning);
    item["stream"] = warning.stream;
    item["code"] = warning.code;
    item["expected"] = warning.expected;
    item["found"] = warning.found;
    item["hint"] = warning.hint;
    json["warnings"].push_back(std::move(item));
  }
  if (notes.found) {
    json["found"]["how"] = notes.found->how;
    json["found"]["streams"] = Json::array();
    for (const FoundStream& stream : notes.found->streams) {
      Json item = {
          {"name", bytes_to_json(stream.name)},      {"numbers", evidence_to_json(stream.numbers)},
          {"other", evidence_to_json(stream.other)}, {"pairs", evidence_to_json(stream.pairs)},
          {"width_max", stream.width_max},           {"index_max", stream.index_max}};
      // Most formats find neither.
      if (stream.texts) item["texts"] = evidence_to_json(stream.texts);
      if (stream.value_types != 0) item["value_types"] = stream.value_types;
      json["found"]["streams"].push_back(std::move(item));
    }
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<FileNotes> file_notes_from_json(std::string_view text, std::string_view path) {
  try {
    const Json json = Json::parse(text);
    FileNotes notes;
    for (const Json& item : json.at("warnings")) {
      Diagnostic& warning = notes.warnings.emplace_back(place_from_json(item, path));
      warning.severity = Severity::warning;
      item.at("stream").get_to(warning.stream);
      item.at("code").get_to(warning.code);
      item.at("expected").get_to(warning.expected);
      item.at("found").get_to(warning.found);
      item.at("hint").get_to(warning.hint);
    }
    if (!json.contains("found")) return notes;
    FoundStreams& found = notes.found.emplace();
    json.at("found").at("how").get_to(found.how);
    for (const Json& item : json.at("found").at("streams")) {
      FoundStream& stream = found.streams.emplace_back();
      stream.name = bytes_from_json(item.at("name"));
      stream.numbers = evidence_from_json(item.at("numbers"), path);
      stream.other = evidence_from_json(item.at("other"), path);
      stream.pairs = evidence_from_json(item.at("pairs"), path);
      stream.width_max = number_from_json(item.at("width_max"), 0);
      stream.index_max = number_from_json(item.at("index_max"), -1);
      if (item.contains("texts")) stream.texts = evidence_from_json(item.at("texts"), path);
      if (item.contains("value_types")) {
        stream.value_types = number_from_json(item.at("value_types"), 0);
      }
    }
    return notes;
  } catch (const Json::exception&) {
    return std::nullopt;
  } catch (const std::out_of_range&) {
    return std::nullopt;
  }
}

}  // namespace sheaf::internal
