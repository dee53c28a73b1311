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

Json location_to_json(const Diagnostic& location) {
  return {{"line", location.line},
          {"column", location.column},
          {"byte_offset", location.byte_offset},
          {"excerpt", location.excerpt},
          {"excerpt_begin", location.excerpt_begin},
          {"excerpt_size", location.excerpt_size}};
}

Diagnostic location_from_json(const Json& json, std::string_view path) {
  Diagnostic location;
  location.path = path;
  location.line = number_from_json(json.at("line"), 0);
  location.column = number_from_json(json.at("column"), 0);
  location.byte_offset = number_from_json(json.at("byte_offset"), Diagnostic::kNoOffset);
  json.at("excerpt").get_to(location.excerpt);
  // Both count characters. The marked text may lie after the last character.
  location.excerpt_begin = number_from_json(json.at("excerpt_begin"), 0);
  location.excerpt_size = number_from_json(json.at("excerpt_size"), 0);
  if (location.excerpt_begin + location.excerpt_size > std::ssize(location.excerpt) + 1) {
    throw std::out_of_range("notes of a scan");
  }
  return location;
}

Json evidence_to_json(const std::optional<Evidence>& evidence) {
  if (!evidence) return nullptr;
  Json json = location_to_json(evidence->location);
  json["values"] = evidence->value_count;
  return json;
}

std::optional<Evidence> evidence_from_json(const Json& json, std::string_view path) {
  if (json.is_null()) return std::nullopt;
  return Evidence{number_from_json(json.at("values"), 0), location_from_json(json, path)};
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
    Json item = location_to_json(warning);
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
      Diagnostic& warning = notes.warnings.emplace_back(location_from_json(item, path));
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
