// Reads the note of a `.sheaf` file: its streams, as JSON.

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "sheaf/dtype.h"
#include "sheaf/types.h"

#include "reference/sheaf_bytes.h"
#include "reference/sheaf_layout.h"

namespace sheaf::conformance::container {
namespace {

using Json = nlohmann::json;

const Json& field(const Json& object, const char* name) {
  if (!object.is_object() || !object.contains(name)) throw Malformed();
  return object[name];
}

std::string text_of(const Json& json) {
  if (!json.is_string()) throw Malformed();
  return json.get<std::string>();
}

ElementType type_of(const Json& json) {
  const std::string name = text_of(json);
  for (const DtypeName& each : kDtypeNames) {
    if (name == to_string(each.type)) return each.type;
  }
  if (name != "bytes") throw Malformed();
  return ElementType::bytes;
}

std::vector<std::int64_t> shape_of(const Json& json) {
  if (!json.is_array() || json.size() > Shape::kRankMax) throw Malformed();
  std::vector<std::int64_t> shape;
  for (const Json& extent : json) {
    if (!extent.is_number_integer()) throw Malformed();
    const bool is_large = extent.is_number_unsigned() &&
                          extent.get<std::uint64_t>() >
                              static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (is_large) throw Malformed();
    const auto value = extent.get<std::int64_t>();
    if (value < 1 && value != Shape::kVariable) throw Malformed();
    shape.push_back(value);
  }
  return shape;
}

FileStream stream_of(const Json& json) {
  FileStream stream;
  stream.name = text_of(field(json, "name"));
  if (stream.name.empty()) throw Malformed();
  const std::string storage = text_of(field(json, "storage"));
  if (storage != "dense" && storage != "sparse") throw Malformed();
  stream.is_sparse = storage == "sparse";
  stream.type = type_of(field(json, "type"));
  stream.shape = shape_of(field(json, "shape"));
  if (stream.is_sparse) {
    stream.index_type = type_of(field(json, "index_type"));
    const bool is_index =
        stream.index_type == ElementType::i32 || stream.index_type == ElementType::i64;
    if (!is_index || stream.shape.size() != 1 || !stream.is_fixed()) throw Malformed();
  }
  constexpr std::int64_t kSizeMax = std::int64_t{1} << 40;  // of a sample; a limit of the whole
                                                            // library
  if (stream.is_fixed() && stream.sample_size() > kSizeMax) throw Malformed();
  constexpr std::int64_t kDimMax = std::int64_t{1} << 31;
  if (stream.is_sparse && stream.index_type == ElementType::i32 && stream.shape[0] > kDimMax) {
    throw Malformed();
  }
  if (stream.type == ElementType::bytes) {
    const std::vector<std::int64_t> any_length = {Shape::kVariable};
    if (stream.is_sparse || stream.shape != any_length) throw Malformed();
  }
  if (json.contains("defines_minibatch_size")) {
    const Json& defines = field(json, "defines_minibatch_size");
    if (!defines.is_boolean()) throw Malformed();
    stream.defines_size = defines.get<bool>();
  }
  if (json.contains("class_names")) {
    const Json& names = field(json, "class_names");
    if (!names.is_array()) throw Malformed();
    for (const Json& name : names) {
      const bool is_object = name.is_object() && name.size() == 1;
      static_cast<void>(text_of(is_object ? field(name, "latin-1") : name));
    }
  }
  return stream;
}

// Throws Malformed if a line of `storage` is impossible.
void check_storage(const Json& line, std::size_t column_count) {
  const std::set<std::string> arrays = {"sizes",   "text",    "presence", "lengths",
                                        "extents", "entries", "indices",  "values"};
  const std::set<std::string> codecs = {"raw",     "constant", "packed", "delta",
                                        "decimal", "lz4",      "zstd"};
  for (const char* name : {"column", "arrays", "content_bytes", "stored_bytes"}) {
    if (!field(line, name).is_number()) throw Malformed();
  }
  const auto column = field(line, "column").get<std::int64_t>();
  if (column < 0 || column >= static_cast<std::int64_t>(column_count)) throw Malformed();
  if (!arrays.contains(text_of(field(line, "array")))) throw Malformed();
  if (!codecs.contains(text_of(field(line, "codec")))) throw Malformed();
}

}  // namespace

std::vector<FileColumn> columns_of_note(std::string_view note) {
  const Json json = Json::parse(note, nullptr, false);  // discarded if it is not JSON
  std::vector<FileColumn> columns;
  const std::string keys = text_of(field(json, "keys"));
  if (keys != "numbers" && keys != "texts") throw Malformed();
  if (keys == "texts") columns.push_back({.has_keys = true, .stream = {}});
  const Json& streams = field(json, "streams");
  if (!streams.is_array() || streams.empty()) throw Malformed();
  std::set<std::string> names;
  int defining = 0;
  for (const Json& each : streams) {
    columns.push_back({.has_keys = false, .stream = stream_of(each)});
    if (!names.insert(columns.back().stream.name).second) throw Malformed();
    defining += columns.back().stream.defines_size ? 1 : 0;
  }
  if (defining > 1 || !field(json, "storage").is_array()) throw Malformed();
  for (const Json& line : field(json, "storage")) check_storage(line, columns.size());
  return columns;
}

bool note_has_costs(std::string_view note) {
  const Json json = Json::parse(note, nullptr, false);
  if (!json.contains("costs")) return false;
  const Json& costs = json["costs"];
  // A name that is not UTF-8 is an object.
  const std::string name = text_of(costs.is_object() ? field(costs, "latin-1") : costs);
  if (name.empty()) throw Malformed();
  return true;
}

}  // namespace sheaf::conformance::container
