// Finds the format options that a front end takes once for all files of a join.

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/extend/concatenate.h"
#include "sheaf/extend/nearest.h"
#include "sheaf/open.h"

#include "base/text.h"
#include "format/recognition.h"

namespace sheaf {
namespace {

using Rows = std::vector<const Format*>;

bool has_option(const Rows& rows, std::string_view name) {
  return std::ranges::any_of(rows, [&](const Format* row) {
    return std::ranges::find(row->read_options, name, &FormatOption::name) !=
           row->read_options.end();
  });
}

// Returns the formats that files may have. Lists files only for a pattern without an extension.
Rows rows_of(const FilesSpec& files, const OpenContext& context) {
  FileSystem& system = context.files != nullptr ? *context.files : system_files();
  Rows rows = internal::formats_of_path(files.files.front(), files.format, context.formats, system);
  if (!rows.empty()) return rows;
  return internal::formats_of_path(find_files(files.files, system).front(), files.format,
                                   context.formats, system);
}

[[noreturn]] void throw_unknown_option(const std::string& name, const std::vector<Rows>& members,
                                       std::span<const std::string> of_objects) {
  Rows told;
  std::vector<std::string> names;
  std::string text =
      formatted("extra: no file has a format with the option {}", quoted(std::string_view(name)));
  for (const Rows& rows : members) {
    for (const Format* const row : rows) {
      if (std::ranges::find(told, row) != told.end()) continue;
      told.push_back(row);
      text += formatted("; {} has", row->name);
      if (row->read_options.empty()) text += " none";
      for (const FormatOption& option : row->read_options) {
        text += formatted("{} {}", &option == row->read_options.data() ? "" : ",", option.name);
        names.emplace_back(option.name);
      }
    }
  }
  for (const std::string& option : of_objects) {
    text += formatted("{} {}", &option == of_objects.data() ? "; other data have" : ",", option);
    names.push_back(option);
  }
  const std::string nearest = nearest_name(name, names);
  if (!nearest.empty()) text += formatted("; did you mean {}?", nearest);
  throw ConfigError(text);
}

}  // namespace

void share_format_options(DataSpec& data, const OpenContext& context,
                          std::span<const std::string> of_objects) {
  auto* const join = std::get_if<JoinSpec>(&data.content);
  if (join == nullptr) return;
  std::vector<FilesSpec*> members;
  std::vector<Rows> rows;
  for (DataSpec& member : join->members) {
    auto* const files = std::get_if<FilesSpec>(&member.content);
    if (files == nullptr || files->files.empty() || files->format.extra.empty()) continue;
    rows.push_back(rows_of(*files, context));
    members.push_back(files);
    if (rows.back().empty()) return;  // open() will report that the name tells no format
  }
  for (const FilesSpec* const files : members) {
    for (const auto& option : files->format.extra) {
      const bool is_known = std::ranges::find(of_objects, option.first) != of_objects.end() ||
                            std::ranges::any_of(rows, [&option](const Rows& each) {
                              return has_option(each, option.first);
                            });
      if (!is_known) throw_unknown_option(option.first, rows, of_objects);
    }
  }
  for (std::size_t i = 0; i < members.size(); ++i) {
    std::erase_if(members[i]->format.extra,
                  [&](const auto& option) { return !has_option(rows[i], option.first); });
  }
  for (FilesSpec* const files : members) {
    files->format.shares_extra = std::ranges::any_of(files->format.extra, [&](const auto& option) {
      const auto has_it = [&](const FilesSpec* each) {
        return each->format.extra.contains(option.first);
      };
      return std::ranges::find(of_objects, option.first) != of_objects.end() ||
             std::ranges::count_if(members, has_it) > 1;
    });
  }
}

}  // namespace sheaf
