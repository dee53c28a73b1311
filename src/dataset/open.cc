#include "sheaf/open.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sheaf/error.h"

namespace sheaf {
namespace {

// Parts of the memory limit: one in so many.
constexpr std::int64_t kIndexShare = 8;
constexpr std::int64_t kJoinedIndexShare =
    2;                                  // for all members of a join, which ask here and there
constexpr std::int64_t kHeldShare = 4;  // for members of a join that are in another order

// A part so small that the part is nothing must not become no limit at all, which is 0.
std::int64_t part_of(std::int64_t limit_bytes, std::int64_t share) {
  return limit_bytes == 0 ? 0 : std::max<std::int64_t>(1, limit_bytes / share);
}

std::string names_of(const std::vector<std::string>& names, std::string_view separator) {
  std::string all;
  for (const std::string& name : names) {
    if (!all.empty()) all += separator;
    all += name;
  }
  return all;
}

/// Opens data sets, each with `index_bytes` for the indexes of its files.
class Opener {
 public:
  Opener(const OpenContext& context, bool groups_chunks)
      : context_(context),
        table_bytes_(part_of(context.memory_limit_bytes, kIndexShare)),
        groups_chunks_(groups_chunks) {}

  [[nodiscard]] OpenedData open(const DataSpec& data, std::int64_t index_bytes) const {
    return std::visit([&](const auto& content) { return open(content, index_bytes); },
                      data.content);
  }

 private:
  [[nodiscard]] OpenedData open(const FilesSpec& files, std::int64_t index_bytes) const {
    FormatOptions format = files.format;
    format.index.memory_limit_bytes = index_bytes;
    format.groups_chunks |= groups_chunks_;
    return {.data = open_files(files.paths, format, concatenated(files.same_keys),
                               {.files = context_.files, .executor = context_.executor}),
            .name = names_of(files.paths, ", ")};
  }

  [[nodiscard]] OpenedData open(const ConcatenationSpec& spec, std::int64_t index_bytes) const {
    const auto count = static_cast<std::int64_t>(spec.members.size());
    const std::vector<OpenedData> members = open_all(spec.members, part_of(index_bytes, count));
    return {.data = concatenate(named(members), concatenated(spec.same_keys)),
            .name = name_of(members, ", ")};
  }

  [[nodiscard]] OpenedData open(const JoinSpec& spec, std::int64_t /*index_bytes*/) const {
    const auto count = static_cast<std::int64_t>(spec.members.size());
    std::vector<OpenedData> members =
        open_all(spec.members, part_of(context_.memory_limit_bytes, kJoinedIndexShare * count));
    if (count == 1) return std::move(members.front());
    JoinOptions how{.primary = spec.primary,
                    .missing = spec.missing,
                    .memory_limit_bytes = table_bytes_,
                    .executor = context_.executor};
    if (context_.memory_limit_bytes > 0) {
      how.held_bytes = part_of(context_.memory_limit_bytes, kHeldShare);
    }
    OpenedData joined{.data = join(named(members), how), .name = name_of(members, " + ")};
    joined.members = std::move(members);
    return joined;
  }

  [[nodiscard]] OpenedData open(const ObjectSpec& object, std::int64_t /*index_bytes*/) const {
    const NamedData& found = context_.objects.at(object.name);  // check_objects() has found it
    return {.data = found.data, .name = found.name};
  }

  [[nodiscard]] std::vector<OpenedData> open_all(const std::vector<DataSpec>& data,
                                                 std::int64_t index_bytes) const {
    if (data.empty()) {
      throw ConfigError("data: a join or a concatenation needs at least one member");
    }
    std::vector<OpenedData> all;
    for (const DataSpec& each : data) all.push_back(open(each, index_bytes));
    return all;
  }

  [[nodiscard]] ConcatenateOptions concatenated(ConcatenatedKeys keys) const {
    return {.keys = keys, .memory_limit_bytes = table_bytes_};
  }

  [[nodiscard]] static std::vector<NamedData> named(const std::vector<OpenedData>& members) {
    std::vector<NamedData> all;
    for (const OpenedData& member : members) all.push_back({member.data, member.name});
    return all;
  }

  [[nodiscard]] static std::string name_of(const std::vector<OpenedData>& members,
                                           std::string_view separator) {
    std::vector<std::string> names;
    for (const OpenedData& member : members) names.push_back(member.name);
    return names_of(names, separator);
  }

  const OpenContext& context_;
  std::int64_t table_bytes_;
  bool groups_chunks_;
};

OpenedData open(const DataSpec& data, const OpenContext& context, bool groups_chunks) {
  std::vector<std::string> given;
  for (const auto& [name, object] : context.objects) given.push_back(name);
  check_objects(data, given);
  return Opener(context, groups_chunks)
      .open(data, part_of(context.memory_limit_bytes, kIndexShare));
}

}  // namespace

OpenedData open(const DataSpec& data, const OpenContext& context) {
  return open(data, context, false);
}

OpenedData open(const Spec& spec, const OpenContext& context) {
  return open(spec.data, context, spec.read.order.algorithm == OrderAlgorithm::keyed);
}

}  // namespace sheaf
