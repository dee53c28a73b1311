// Turns a spec into JSON.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "sheaf/error.h"
#include "sheaf/spec.h"

#include "base/text.h"
#include "core/json_text.h"
#include "dataset/spec_fields.h"
#include "dataset/transforms_json.h"

namespace sheaf {
namespace {

using Json = nlohmann::ordered_json;
using internal::json_of_bytes;

/// Writes the fields whose values differ from the value of an absent field.
class FieldsToJson {
 public:
  explicit FieldsToJson(Json& object) : object_(object) {}

  void whole(std::string_view name, std::int64_t value, std::int64_t otherwise,
             const internal::Whole& range) {
    if (value != otherwise) put(name, value, range);
  }
  void whole(std::string_view name, const std::optional<std::int64_t>& value,
             const std::optional<std::int64_t>& otherwise, const internal::Whole& range) {
    if (value != otherwise) put(name, value, range);
  }
  void seed(std::string_view name, std::uint64_t value, std::uint64_t otherwise) {
    if (value != otherwise) object_[std::string(name)] = value;
  }
  void truth(std::string_view name, bool value, bool otherwise) {
    if (value != otherwise) object_[std::string(name)] = value;
  }
  void text(std::string_view name, const std::string& value, const std::string& otherwise) {
    if (value != otherwise) object_[std::string(name)] = json_of_bytes(value);
  }
  void texts(std::string_view name, const std::map<std::string, std::string>& values) {
    for (const auto& [each, value] : values) {
      object_[std::string(name)][each] = json_of_bytes(value);
    }
  }

  void numbers(std::string_view name, const std::map<std::string, PadValue, std::less<>>& values) {
    for (const auto& [each, value] : values) {
      if (!json_of_bytes(each).is_string()) {
        throw ConfigError(formatted("{}: a name that is not UTF-8 cannot stand in JSON", name));
      }
      Json& field = object_[std::string(name)][each];
      std::visit([&](auto number) { field = number; }, value);
    }
  }

  void names(std::string_view name, const std::vector<std::string>& values) {
    for (const std::string& each : values) {
      object_[std::string(name)].push_back(json_of_bytes(each));
    }
  }

  template <typename T, std::size_t kCount>
  void word(std::string_view name, const std::optional<T>& value, const std::optional<T>& otherwise,
            const std::array<internal::Word<T>, kCount>& words) {
    if (value == otherwise) return;
    for (const internal::Word<T>& each : words) {
      if (each.value == value) object_[std::string(name)] = each.word;
    }
  }
  template <typename T, std::size_t kCount>
  void word(std::string_view name, const T& value, const T& otherwise,
            const std::array<internal::Word<T>, kCount>& words) {
    word(name, std::optional<T>(value), std::optional<T>(otherwise), words);
  }

 private:
  void put(std::string_view name, std::optional<std::int64_t> value, const internal::Whole& range) {
    Json& field = object_[std::string(name)];
    if (!range.word.empty() && value == range.meaning) {
      field = range.word;
    } else {
      field = value.value();
    }
  }

  Json& object_;
};

Json json_of(const StreamOptions& options) {
  StreamOptions stream = options;
  Json object = {{"name", json_of_bytes(stream.name)}};
  FieldsToJson fields(object);
  internal::visit_fields(fields, stream);
  if (stream.sample_shape) {
    Json& shape = object["shape"] = Json::array();
    for (const std::int64_t extent : stream.sample_shape->extents()) {
      shape.push_back(extent == Shape::kVariable ? Json() : Json(extent));
    }
  }
  return object;
}

Json json_of(const DataSpec& data);

Json json_of(const FilesSpec& spec) {
  FilesSpec files = spec;
  Json object = Json::object();
  Json& paths = object["files"] = Json::array();
  for (const std::string& path : files.files) paths.push_back(json_of_bytes(path));
  for (const StreamOptions& stream : files.format.streams) {
    object["streams"].push_back(json_of(stream));
  }
  FieldsToJson fields(object);
  internal::visit_fields(fields, files);
  return object;
}

Json json_of(const std::vector<DataSpec>& members) {
  Json list = Json::array();
  for (const DataSpec& member : members) list.push_back(json_of(member));
  return list;
}

Json json_of(const ConcatenationSpec& concatenation) {
  Json object = {{"concatenate", json_of(concatenation.members)}};
  FieldsToJson(object).word("same_keys", concatenation.same_keys, ConcatenatedKeys::distinct,
                            internal::kSameKeys);
  return object;
}

Json json_of(const JoinSpec& join) {
  Json object = {{"join", json_of(join.members)}};
  FieldsToJson fields(object);
  JoinSpec own = join;
  internal::visit_fields(fields, own);
  return object;
}

// Weights are written as whole numbers, even if they were decimals.
Json json_of(const MixtureSpec& mixture) {
  Json object = {{"mix", json_of(mixture.members)}};
  const MixtureOptions& options = mixture.options;
  for (std::size_t i = 0; i < std::min(mixture.members.size(), options.weights.size()); ++i) {
    object["mix"][i]["weight"] = options.weights[i];
  }
  if (options.exhausted) object["exhausted"] = to_string(*options.exhausted);
  for (const MixtureStage& stage : options.schedule) {
    object["schedule"].push_back({{"from", stage.from}, {"weights", stage.weights}});
  }
  return object;
}

Json json_of(const ObjectSpec& object) { return {{"object", json_of_bytes(object.name)}}; }

Json json_of(const DataSpec& data) {
  Json object = std::visit([](const auto& content) { return json_of(content); }, data.content);
  if (!data.transforms.empty()) {
    object["transforms"] = internal::json_of_transforms(data.transforms);
  }
  if (data.part) object["part"] = to_string(*data.part);
  return object;
}

}  // namespace

std::string to_json(const Spec& spec) {
  ReadSpec read = spec.read;
  Json object = {{"data", json_of(spec.data)}};
  Json& how = object["read"] = Json::object();
  FieldsToJson fields(how);
  internal::visit_fields(fields, read);
  return object.dump(2) + '\n';
}

}  // namespace sheaf
