#include <algorithm>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/extend/nearest.h"
#include "sheaf/open.h"

#include "base/text.h"

namespace sheaf {
namespace {

void add_objects_of(const DataSpec& data, std::vector<std::string>& names) {
  if (const auto* const object = std::get_if<ObjectSpec>(&data.content)) {
    names.push_back(object->name);
  }
  for (const DataSpec& member : members_of(data)) add_objects_of(member, names);
}

// Returns a hint with the nearest of the known names, or with all of them.
std::string hint_of(const std::string& written, std::span<const std::string> known,
                    const char* who) {
  const std::string nearest = nearest_name(written, known);
  if (!nearest.empty()) return formatted("; did you mean \"{}\"?", nearest);
  if (known.empty()) return formatted("; {} none", who);
  std::string all;
  for (const std::string& name : known) all += formatted("{}\"{}\"", all.empty() ? "" : ", ", name);
  return formatted("; {} {}", who, all);
}

void check_all_in(std::span<const std::string> names, std::span<const std::string> known,
                  const char* what, const char* who) {
  for (const std::string& name : names) {
    if (std::ranges::find(known, name) != known.end()) continue;
    throw ConfigError(formatted("{} \"{}\"{}", what, name, hint_of(name, known, who)));
  }
}

}  // namespace

void check_objects(const DataSpec& data, std::span<const std::string> given) {
  std::vector<std::string> named;
  add_objects_of(data, named);
  check_all_in(named, given, "data: no object is called", "the program gives");
  check_all_in(given, named, "objects: the spec names no object", "the spec names");
}

}  // namespace sheaf
