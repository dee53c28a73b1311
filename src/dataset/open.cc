#include "sheaf/open.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/extend/archive.h"

#include "base/text.h"
#include "core/memory_limit.h"
#include "dataset/cached_data.h"
#include "dataset/common_streams.h"
#include "dataset/part_data.h"
#include "dataset/transformed_data.h"
#include "format/recognition.h"
#include "index/kept_points.h"

namespace sheaf {
namespace {

// Shares of the memory limit, as divisors.
constexpr std::int64_t kIndexShare = 8;
// For all members of a join together, since a join reads their indexes here and there.
constexpr std::int64_t kJoinedIndexShare = 2;
constexpr std::int64_t kHeldShare = 4;  // for members of a join that have another order

using Limit = std::optional<std::int64_t>;  // in bytes; empty: none

Limit smaller_limit(Limit a, Limit b) {
  return a && b ? std::min(a, b) : std::max(a, b);  // an empty limit is less than any other
}

Limit part_of(Limit limit, std::int64_t share) {
  return limit ? Limit(std::max<std::int64_t>(1, *limit / share)) : limit;
}

std::string names_of(const std::vector<std::string>& names, std::string_view separator) {
  std::string all;
  for (const std::string& name : names) {
    if (!all.empty()) all += separator;
    all += name;
  }
  return all;
}

// Removes the dtype `bytes` from streams, since only the data can say whether samples are opaque
// bytes. Gives these streams the shape [*]. Returns their names.
std::vector<std::string> take_bytes(std::vector<StreamOptions>& streams) {
  std::vector<std::string> names;
  for (StreamOptions& stream : streams) {
    if (stream.dtype != ElementType::bytes) continue;
    const Shape shape = stream.sample_shape.value_or(Shape{Shape::kVariable});
    if (shape != Shape{Shape::kVariable} || stream.storage == Storage::sparse) {
      throw ConfigError(
          formatted("stream {}: samples of the dtype bytes are dense, and of the shape *",
                    sheaf::quoted(stream.name)));
    }
    stream.sample_shape = shape;
    stream.dtype.reset();
    names.push_back(stream.name);
  }
  return names;
}

void check_bytes(const OpenedData& opened, const std::vector<std::string>& names) {
  for (const Stream& stream : opened.data->streams()) {
    if (stream.element_type == ElementType::bytes ||
        std::ranges::find(names, stream.name) == names.end()) {
      continue;
    }
    throw ConfigError(formatted("stream {}: the dtype is bytes, and {} has numbers",
                                sheaf::quoted(stream.name), opened.name));
  }
}

/// Opens data sets. The index files of each get `index_bytes`.
class Opener {
 public:
  Opener(const OpenContext& context, bool groups_chunks)
      : context_(context),
        table_bytes_(part_of(context.memory_limit_bytes, kIndexShare)),
        groups_chunks_(groups_chunks) {}

  [[nodiscard]] OpenedData open(const DataSpec& data, Limit index_bytes) const {
    OpenedData opened =
        std::visit([&](const auto& content) { return open(content, index_bytes); }, data.content);
    opened.window_chunks = default_window_chunks(data);
    return opened;
  }

 private:
  [[nodiscard]] OpenedData open_member(const DataSpec& member, Limit index_bytes) const {
    if (!member.transforms.empty()) {
      throw ConfigError(formatted(
          "transform \"{}\": a member of other data has no transforms; put the transform beside "
          "the members",
          to_string(member.transforms.front())));
    }
    if (member.part) {
      throw ConfigError(
          formatted("part {}: a member of other data has no part; put the part beside the members",
                    to_string(*member.part)));
    }
    if (std::holds_alternative<MixtureSpec>(member.content)) {
      throw ConfigError(
          "data: a mixture is no member of other data: an order draws from the members of the "
          "outermost data set alone; multiply the weights out");
    }
    return open(member, index_bytes);
  }

  // `earlier` is an earlier opening of the same data, or null.
  [[nodiscard]] OpenedData open(const FilesSpec& files, Limit index_bytes,
                                const Deserializer* earlier = nullptr) const {
    FilesSpec own = files;
    const std::vector<std::string> names = take_bytes(own.format.streams);
    OpenedData opened = open_files(own, index_bytes, earlier);
    check_bytes(opened, names);
    return opened;
  }

  [[nodiscard]] OpenedData open_files(const FilesSpec& files, Limit index_bytes,
                                      const Deserializer* earlier) const {
    FormatOptions format = files.format;
    const Context context{.files = context_.files, .executor = context_.executor};
    Limit& limit = format.index.memory_limit_bytes;
    limit = smaller_limit(limit, index_bytes);
    format.groups_chunks |= groups_chunks_;
    std::string name = names_of(files.files, ", ");
    const std::vector<std::string> paths = find_files(files.files, context.file_system());
    if (const Format* const row = format_of_paths(paths.front(), format, context)) {
      return {.data = row->open({.options = format, .context = context, .paths = paths}),
              .name = std::move(name),
              .format = std::string(row->name)};
    }
    if (paths.size() == 1) {
      OpenedFile file = open_file(paths.front(), format, context, {.earlier = earlier});
      return {.data = std::move(file.data),
              .name = std::move(name),
              .format = std::string(file.format)};
    }
    limit = part_of(limit, std::ssize(paths));
    const std::vector<const FormatOptions*> options(paths.size(), &files.format);
    const bool refuses_same_keys = files.same_keys == ConcatenatedKeys::distinct;
    std::vector<OpenedFile> opened(paths.size());
    std::vector<NamedData> members =
        internal::open_with_common_streams(options, [&](const internal::MemberRequest& request) {
          format.streams.assign(request.streams.begin(), request.streams.end());
          format.index.is_for_streams = files.format.index.is_for_streams || request.is_for_streams;
          const std::string& path = paths[request.member];
          KnownBefore known{.earlier = request.earlier, .first_path = paths.front()};
          if (refuses_same_keys && request.member > 0) {
            known.previous = opened[request.member - 1].data;
          }
          opened[request.member] = open_file(path, format, context, known);
          return NamedData{opened[request.member].data, path};
        });
    return {.data = concatenate(std::move(members), concatenated(files.same_keys)),
            .name = std::move(name),
            .format = std::string(opened.front().format)};
  }

  // Returns the format that opens all files or folders at once, or null if each is opened
  // separately.
  [[nodiscard]] const Format* format_of_paths(const std::string& path, const FormatOptions& options,
                                              const Context& context) const {
    const auto rows =
        internal::formats_of_path(path, options, context_.formats, context.file_system());
    if (rows.size() == 1 && rows.front()->opens_folders) return rows.front();
    if (rows.size() == 1 && rows.front()->opens_paths && context.file_system().is_folder(path)) {
      return rows.front();
    }
    if (std::ranges::none_of(rows, &Format::opens_paths)) return nullptr;
    const Format& row = find_format(path, *open_file_or_entry(path, context.file_system()), options,
                                    context_.formats);
    return row.opens_paths ? &row : nullptr;
  }

  /// The data known before a file is opened, as in OpenRequest.
  struct KnownBefore {
    const Deserializer* earlier = nullptr;
    std::shared_ptr<const Deserializer> previous = nullptr;
    std::string first_path = {};
  };

  /// An open file. The name of its format lives as long as the formats.
  struct OpenedFile {
    std::shared_ptr<const Deserializer> data = nullptr;
    std::string_view format = {};
  };

  // Opens a file, or an entry of an archive. A compressed file is read as its decompressed content.
  [[nodiscard]] OpenedFile open_file(const std::string& path, const FormatOptions& options,
                                     const Context& context, const KnownBefore& known) const {
    // If there is no such file, only its name can tell a format.
    if (internal::formats_of_name(path, options, context_.formats).empty() &&
        !context.file_system().exists(path)) {
      static_cast<void>(find_format(path, options, context_.formats));
    }
    const std::shared_ptr<const ByteSource> source = internal::decompressed_by_index(
        open_file_or_entry(path, context.file_system()), options.index, context);
    const Format& format = find_format(path, *source, options, context_.formats);
    return {.data = format.open({.source = source,
                                 .options = options,
                                 .context = context,
                                 .earlier = known.earlier,
                                 .previous = known.previous,
                                 .first_path = known.first_path}),
            .format = format.name};
  }

  // Opens members with common streams, for concatenations and mixtures.
  [[nodiscard]] std::vector<NamedData> open_alike(const std::vector<DataSpec>& members,
                                                  Limit index_bytes) const {
    check_any(members);
    const Limit bytes = part_of(index_bytes, std::ssize(members));
    std::vector<const FormatOptions*> options;
    for (const DataSpec& member : members) {
      const auto* const files = std::get_if<FilesSpec>(&member.content);
      options.push_back(files == nullptr ? nullptr : &files->format);
    }
    return internal::open_with_common_streams(options, [&](const internal::MemberRequest& request) {
      const DataSpec& member = members[request.member];
      OpenedData opened;
      const auto* const files = std::get_if<FilesSpec>(&member.content);
      if (files != nullptr && member.transforms.empty() && !member.part) {
        FilesSpec own = *files;
        own.format.streams.assign(request.streams.begin(), request.streams.end());
        own.format.index.is_for_streams |= request.is_for_streams;
        opened = open(own, bytes, request.earlier);
      } else {
        opened = open_member(member, bytes);
      }
      return NamedData{std::move(opened.data), std::move(opened.name)};
    });
  }

  [[nodiscard]] OpenedData open(const ConcatenationSpec& spec, Limit index_bytes) const {
    std::vector<NamedData> members = open_alike(spec.members, index_bytes);
    std::string name = name_of(members, ", ");
    return {.data = concatenate(std::move(members), concatenated(spec.same_keys)),
            .name = std::move(name)};
  }

  [[nodiscard]] OpenedData open(const MixtureSpec& spec, Limit index_bytes) const {
    check_mixture(spec.options, std::ssize(spec.members));
    std::vector<NamedData> members = open_alike(spec.members, index_bytes);
    std::string name = name_of(members, ", ");
    ConcatenateOptions options = concatenated(ConcatenatedKeys::distinct);
    options.mixture = spec.options;
    return {.data = concatenate(std::move(members), options), .name = std::move(name)};
  }

  [[nodiscard]] OpenedData open(const JoinSpec& spec, Limit /*index_bytes*/) const {
    check_any(spec.members);
    const auto count = static_cast<std::int64_t>(spec.members.size());
    const Limit bytes = part_of(context_.memory_limit_bytes, kJoinedIndexShare * count);
    std::vector<OpenedData> members;
    for (const DataSpec& member : spec.members) members.push_back(open_member(member, bytes));
    if (count == 1) return std::move(members.front());
    JoinOptions how{.primary = spec.primary,
                    .missing_sequences = spec.missing_sequences,
                    .lengths = spec.lengths,
                    .length_tolerance = spec.length_tolerance,
                    .length_streams = spec.length_streams,
                    .memory_limit_bytes = table_bytes_,
                    .executor = context_.executor};
    if (context_.memory_limit_bytes) {
      how.held_bytes = *part_of(context_.memory_limit_bytes, kHeldShare);
    }
    OpenedData joined{.data = join(named(members), how), .name = name_of(members, " + ")};
    joined.members = std::move(members);
    return joined;
  }

  [[nodiscard]] OpenedData open(const ObjectSpec& object, Limit /*index_bytes*/) const {
    const NamedData& found = context_.objects.at(object.name);  // check_objects() has found it
    return {.data = found.data, .name = found.name};
  }

  static void check_any(const std::vector<DataSpec>& members) {
    if (!members.empty()) return;
    throw ConfigError("data: a join, a concatenation or a mixture needs at least one member");
  }

  [[nodiscard]] ConcatenateOptions concatenated(ConcatenatedKeys keys) const {
    return {.keys = keys, .memory_limit_bytes = table_bytes_};
  }

  [[nodiscard]] static std::vector<NamedData> named(const std::vector<OpenedData>& members) {
    std::vector<NamedData> all;
    all.reserve(members.size());
    for (const OpenedData& member : members) all.push_back({member.data, member.name});
    return all;
  }

  template <typename Members>
  [[nodiscard]] static std::string name_of(const Members& members, std::string_view separator) {
    std::vector<std::string> names;
    names.reserve(members.size());
    for (const auto& member : members) names.push_back(member.name);
    return names_of(names, separator);
  }

  const OpenContext& context_;
  Limit table_bytes_;
  bool groups_chunks_;
};

// Returns the text of a file that a transform names.
std::string text_of_file(const std::string& path, FileSystem& files) {
  constexpr std::int64_t kSizeMax = std::int64_t{1} << 30;
  const std::shared_ptr<const ByteSource> source = files.open(path);
  if (source->size() > kSizeMax) {
    throw ConfigError(
        formatted("{}: has {} bytes, at most {} are read", path, source->size(), kSizeMax));
  }
  std::string text(static_cast<std::size_t>(source->size()), '\0');
  source->read_at(0, std::as_writable_bytes(std::span(text)));
  return text;
}

std::shared_ptr<const Deserializer> transformed(std::shared_ptr<const Deserializer> data,
                                                const std::vector<TransformSpec>& transforms,
                                                std::uint64_t seed, const OpenContext& context) {
  if (transforms.empty()) return data;
  FileSystem& files = context.files != nullptr ? *context.files : system_files();
  internal::TransformChain chain(
      data->streams(), transforms,
      {.seed = seed,
       .read_file = [&files](const std::string& path) { return text_of_file(path, files); },
       .functions = &context.functions});
  return std::make_shared<const internal::TransformedData>(std::move(data), std::move(chain));
}

OpenedData open(const DataSpec& data, const OpenContext& context, const CacheOptions& cache,
                bool groups_chunks, std::uint64_t seed) {
  internal::check_memory_limit("memory_limit_bytes", context.memory_limit_bytes);
  std::vector<std::string> given;
  for (const auto& [name, object] : context.objects) given.push_back(name);
  check_objects(data, given);
  OpenedData opened =
      Opener(context, groups_chunks).open(data, part_of(context.memory_limit_bytes, kIndexShare));
  opened.data = internal::with_cache(std::move(opened.data), data, cache,
                                     context.files != nullptr ? *context.files : system_files(),
                                     context.memory_limit_bytes);
  if (data.part) {
    opened.data = std::make_shared<const internal::PartData>(std::move(opened.data), *data.part,
                                                             context.executor);
  }
  opened.data = transformed(std::move(opened.data), data.transforms, seed, context);
  return opened;
}

}  // namespace

OpenedData open(const DataSpec& data, const OpenContext& context) {
  return open(data, context, {}, false, 0);
}

OpenedData open(const Spec& spec, const OpenContext& context) {
  return open(spec.data, context, spec.read.cache,
              spec.read.order.algorithm == OrderAlgorithm::keyed,
              static_cast<std::uint64_t>(spec.read.order.seed));
}

OpenedData open_path(const std::string& path, const FormatOptions& format,
                     const OpenContext& context) {
  return open(DataSpec{FilesSpec{.files = {path}, .format = format}}, context);
}

}  // namespace sheaf
