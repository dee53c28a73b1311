#include "format/arrow/saved_dataset.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include <nlohmann/json.hpp>

#include "sheaf/error.h"
#include "sheaf/extend/byte_source.h"

#include "base/text.h"
#include "format/arrow/arrow_errors.h"

namespace sheaf::arrow {
namespace {

using Json = nlohmann::json;

std::string path_in(const std::string& folder, std::string_view name) {
  return folder.ends_with('/') ? folder + std::string(name) : folder + '/' + std::string(name);
}

Json json_of(const ByteSource& file) {
  if (file.size() > kStateBytesMax) {
    fail(file, kState, 0, formatted("{} bytes", file.size()));
  }
  std::string text(static_cast<std::size_t>(file.size()), '\0');
  file.read_at(0, std::as_writable_bytes(std::span(text)));
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) fail(file, kState, 0, "another text");
  return json;
}

// Returns the names in an entry of the object, or nothing if the entry is not a list of names.
std::optional<std::vector<std::string>> names_in(const Json& json, const char* entry) {
  std::vector<std::string> names;
  const auto list = json.find(entry);
  if (list == json.end() || !list->is_array()) return std::nullopt;
  for (const Json& each : *list) {
    const Json& name = each.is_object() && each.contains("filename") ? each["filename"] : each;
    if (!name.is_string()) return std::nullopt;
    names.push_back(name.get<std::string>());
  }
  return names;
}

[[noreturn]] void refuse_splits(const std::string& folder, const ByteSource& file) {
  std::string splits;
  for (const std::string& name :
       names_in(json_of(file), "splits").value_or(std::vector<std::string>())) {
    splits += formatted("{}{}", splits.empty() ? ": " : ", ", path_in(folder, name));
  }
  throw ConfigError(formatted("{}: a dictionary of splits is no data set: name the folder of one{}",
                              folder, splits));
}

}  // namespace

std::vector<std::string> files_of_dataset(const std::string& folder, FileSystem& files) {
  const std::string path = path_in(folder, kStateName);
  if (!files.exists(path)) {
    const std::string splits = path_in(folder, kSplitsName);
    if (files.exists(splits)) refuse_splits(folder, *files.open(splits));
    throw ConfigError(
        formatted("{}: a folder without {}, which saved data sets have: name Arrow "
                  "files, as {}",
                  folder, kStateName, sheaf::quoted(path_in(folder, "*.arrow"))));
  }
  const std::shared_ptr<const ByteSource> state = files.open(path);
  const Json json = json_of(*state);
  const auto has_indices = [&json](const char* entry) {
    const auto indices = json.find(entry);
    return indices != json.end() && !indices->empty();  // a null is empty, too
  };
  if (has_indices("_indices_data_files") || has_indices("_indices_files")) {
    throw ConfigError(formatted(
        "{}: an indices mapping orders the rows: save dataset.flatten_indices() in its place",
        path));
  }
  const std::optional<std::vector<std::string>> names = names_in(json, "_data_files");
  if (!names || names->empty()) fail(*state, kState, 0, "another text");
  std::vector<std::string> paths;
  for (const std::string& name : *names) {
    const bool is_inside = !name.empty() && name.find('/') == std::string::npos && name != "..";
    if (!is_inside) fail(*state, kState, 0, formatted("the name {}", sheaf::quoted(name)));
    paths.push_back(path_in(folder, name));
  }
  return paths;
}

}  // namespace sheaf::arrow
