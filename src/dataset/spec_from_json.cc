// Turns JSON into a spec.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "sheaf/error.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/format.h"
#include "sheaf/spec.h"

#include "base/text.h"
#include "core/json_text.h"
#include "dataset/json_fields.h"
#include "dataset/mixture_json.h"
#include "dataset/spec_fields.h"
#include "dataset/transforms_json.h"
#include "transform/transform_types.h"

namespace sheaf {
namespace {

using Json = nlohmann::ordered_json;
using internal::JsonFields;
using internal::refuse_json;

constexpr std::int64_t kFileSizeMax = std::int64_t{16} << 20;

/// Builds a spec from JSON.
class SpecBuilder {
 public:
  explicit SpecBuilder(std::string folder) : folder_(std::move(folder)) {}

  [[nodiscard]] Spec spec(const Json& json, const std::string& name) const {
    Spec spec;
    JsonFields fields(json, name, ": ");
    const Json* const data = fields.find("data");
    const Json* const read = fields.find("read");
    fields.check_all_known();
    if (data == nullptr) throw ConfigError(formatted("{}: expected data, found none", name));
    spec.data = data_of(*data, fields.location_of("data"));
    if (read != nullptr) {
      JsonFields how(*read, fields.location_of("read"));
      internal::visit_fields(how, spec.read);
      how.check_all_known();
      std::string& cache = spec.read.cache.folder;
      if (!cache.empty()) cache = resolved(cache);
    }
    return spec;
  }

 private:
  // `has_weight` says whether a weight is allowed, as in a member of a mixture.
  [[nodiscard]] DataSpec data_of(const Json& json, const std::string& location,
                                 bool has_weight = false) const {
    JsonFields fields(json, location);
    if (has_weight) static_cast<void>(fields.find("weight"));
    constexpr std::array<std::string_view, 5> kKinds = {"files", "concatenate", "join", "mix",
                                                        "object"};
    std::vector<std::string_view> kinds;
    for (const std::string_view kind : kKinds) {
      if (fields.find(kind) != nullptr) kinds.push_back(kind);
    }
    if (kinds.size() > 1) {
      throw ConfigError(formatted("{}: expected one of \"{}\" and \"{}\", found both", location,
                                  kinds[0], kinds[1]));
    }
    DataSpec data;
    if (const Json* const transforms = fields.find("transforms")) {
      data.transforms = internal::transforms_of_json(*transforms, fields.location_of("transforms"));
      for (TransformSpec& transform : data.transforms) resolve_paths(transform);
    }
    if (const Json* const part = fields.find("part")) {
      data.part = part_of_json(*part, fields.location_of("part"));
    }
    if (kinds.empty()) {
      FilesSpec known;  // to report misspelled names first
      static_cast<void>(fields.find("streams"));
      visit_fields(fields, known);
      fields.check_all_known();
      throw ConfigError(formatted(
          "{}: expected \"files\", \"concatenate\", \"join\", \"mix\" or \"object\", found none",
          location));
    }
    if (kinds[0] == "files") {
      data.content = files_of(fields);
    } else if (kinds[0] == "concatenate") {
      ConcatenationSpec concatenation{.members = members_of(fields, "concatenate")};
      fields.word("same_keys", concatenation.same_keys, ConcatenatedKeys::distinct,
                  internal::kSameKeys);
      data.content = std::move(concatenation);
    } else if (kinds[0] == "join") {
      data.content = join_of(fields);
    } else if (kinds[0] == "mix") {
      data.content = mixture_of(fields);
    } else {
      ObjectSpec object;
      fields.text("object", object.name, "");
      data.content = std::move(object);
    }
    fields.check_all_known();
    return data;
  }

  [[nodiscard]] FilesSpec files_of(JsonFields& fields) const {
    FilesSpec files;
    const Json& paths = *fields.find("files");
    const std::string location = fields.location_of("files");
    if (paths.is_array()) {
      for (std::size_t i = 0; i < paths.size(); ++i) {
        files.files.push_back(path_of(paths[i], formatted("{}[{}]", location, i)));
      }
      if (paths.empty()) refuse_json(location, "at least one path", paths);
    } else {
      files.files.push_back(path_of(paths, location));
    }
    if (const Json* const streams = fields.find("streams")) {
      if (!streams->is_array()) refuse_json(fields.location_of("streams"), "a list", *streams);
      for (std::size_t i = 0; i < streams->size(); ++i) {
        const std::string each = formatted("{}[{}]", fields.location_of("streams"), i);
        files.format.streams.push_back(stream_of((*streams)[i], each));
      }
    }
    visit_fields(fields, files);
    if (!files.format.index.directory.empty()) {
      files.format.index.directory = resolved(files.format.index.directory);
    }
    for (std::string* const path : paths_among(files.format.extra)) *path = resolved(*path);
    return files;
  }

  [[nodiscard]] static DataPart part_of_json(const Json& json, const std::string& location) {
    try {
      return parse_part(internal::text_of_json(json, location));
    } catch (const ConfigError& error) {
      const std::string reason = error.what();
      throw ConfigError(reason.starts_with(location) ? reason
                                                     : formatted("{}: {}", location, reason));
    }
  }

  [[nodiscard]] static StreamOptions stream_of(const Json& json, const std::string& location) {
    StreamOptions stream;
    JsonFields fields(json, location);
    fields.text("name", stream.name, "");
    internal::visit_fields(fields, stream);
    const Json* const shape = fields.find("shape");
    fields.check_all_known();
    if (stream.name.empty()) {
      throw ConfigError(
          formatted("{}: expected the name of a stream, found none", fields.location_of("name")));
    }
    if (shape != nullptr) stream.sample_shape = shape_of(*shape, fields.location_of("shape"));
    return stream;
  }

  // Reads [8, 8], or 64 for [64]. Null is a variable extent.
  [[nodiscard]] static Shape shape_of(const Json& json, const std::string& location) {
    constexpr internal::Whole kExtent{.min = 1, .max = internal::kDimMax};
    if (json.is_number()) return Shape{internal::whole_of_json(json, location, kExtent)};
    if (!json.is_array() || json.size() > Shape::kRankMax) {
      refuse_json(location, formatted("a list of at most {} whole numbers", Shape::kRankMax), json);
    }
    std::vector<std::int64_t> extents;
    for (std::size_t i = 0; i < json.size(); ++i) {
      extents.push_back(
          json[i].is_null()
              ? Shape::kVariable
              : internal::whole_of_json(json[i], formatted("{}[{}]", location, i), kExtent));
    }
    return Shape(std::span<const std::int64_t>(extents));
  }

  [[nodiscard]] std::vector<DataSpec> members_of(JsonFields& fields, std::string_view name,
                                                 bool has_weights = false) const {
    const Json& list = *fields.find(name);
    const std::string location = fields.location_of(name);
    if (!list.is_array() || list.empty()) refuse_json(location, "a list of data", list);
    std::vector<DataSpec> members;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string each = formatted("{}[{}]", location, i);
      if (list[i].is_object() && list[i].contains("transforms")) {
        throw ConfigError(formatted(
            "{}.transforms: a member has no transforms: put them beside the members, into "
            "data.transforms",
            each));
      }
      if (list[i].is_object() && list[i].contains("part")) {
        throw ConfigError(formatted(
            "{}.part: a member has no part: put the part beside the members, into data.part",
            each));
      }
      members.push_back(data_of(list[i], each, has_weights));
    }
    return members;
  }

  [[nodiscard]] JoinSpec join_of(JsonFields& fields) const {
    JoinSpec join{.members = members_of(fields, "join")};
    internal::visit_fields(fields, join);
    return join;
  }

  // Members have a weight besides their own fields.
  [[nodiscard]] MixtureSpec mixture_of(JsonFields& fields) const {
    MixtureSpec mixture{.members = members_of(fields, "mix", true)};
    const Json& list = *fields.find("mix");
    std::vector<const Json*> weights;
    for (const Json& member : list) {
      const auto found = member.find("weight");
      weights.push_back(found == member.end() ? nullptr : &*found);
    }
    mixture.options.weights =
        internal::weights_of_json(weights, fields.location_of("mix"), ".weight");
    fields.word("exhausted", mixture.options.exhausted, {}, internal::kExhausted);
    if (const Json* const schedule = fields.find("schedule")) {
      mixture.options.schedule =
          internal::schedule_of_json(*schedule, fields.location_of("schedule"));
    }
    return mixture;
  }

  [[nodiscard]] std::string path_of(const Json& json, const std::string& location) const {
    const std::string path = internal::text_of_json(json, location);
    if (path.empty()) refuse_json(location, "a path", json);
    return resolved(path);
  }

  void resolve_paths(TransformSpec& transform) const {
    for (const TransformOption& option : internal::transform_type(transform.type)->options) {
      const auto given = transform.options.find(std::string(option.name));
      if (option.is_path && given != transform.options.end()) {
        given->second = resolved(given->second);
      }
    }
  }

  [[nodiscard]] std::string resolved(const std::string& path) const {
    return folder_.empty() ? path : (std::filesystem::path(folder_) / path).string();
  }

  std::string folder_;
};

}  // namespace

Spec parse_spec(std::string_view json, const std::string& name, const std::string& folder) {
  return SpecBuilder(folder).spec(internal::parse_json(json, name), name);
}

std::vector<TransformSpec> parse_transforms(std::string_view json, const std::string& name) {
  return internal::transforms_of_json(internal::parse_json(json, name), name);
}

Spec load_spec(const std::string& path, FileSystem& files) {
  const std::shared_ptr<const ByteSource> source = files.open(path);
  if (source->size() > kFileSizeMax) {
    throw ConfigError(
        formatted("{}: has {} bytes: a spec has at most {}", path, source->size(), kFileSizeMax));
  }
  std::string text(static_cast<std::size_t>(source->size()), '\0');
  source->read_at(0, std::as_writable_bytes(std::span(text)));
  return parse_spec(text, path, std::filesystem::path(path).parent_path().string());
}

}  // namespace sheaf
