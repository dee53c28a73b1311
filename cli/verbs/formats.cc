#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "sheaf/extend/format.h"

#include "output/output.h"
#include "verbs/verbs.h"

namespace sheaf::cli {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(std::span<const std::string_view> words) {
  Json list = Json::array();
  for (const std::string_view word : words) list.push_back(word);
  return list;
}

Json json_of(std::span<const FormatOption> options) {
  Json list = Json::array();
  for (const FormatOption& option : options) {
    list.push_back(
        {{"name", option.name}, {"values", json_of(option.values)}, {"help", option.help}});
  }
  return list;
}

Json json_of(const Format& format) {
  Json json = {{"name", format.name},
               {"description", format.description},
               {"extensions", json_of(format.extensions)},
               {"opens_folders", format.opens_folders},
               {"is_writable", format.create != nullptr},
               {"keeps_keys", format.keeps_keys},
               {"read_options", json_of(format.read_options)},
               {"write_options", json_of(format.write_options)}};
  Json cntk = Json::array();
  if (format.cntk != nullptr) {
    for (const auto names :
         {format.cntk->readers, format.cntk->modules, format.cntk->deserializers}) {
      for (const std::string_view name : names) cntk.push_back(name);
    }
  }
  json["cntk_names"] = std::move(cntk);
  return json;
}

void append_options(std::string& text, std::span<const FormatOption> options,
                    std::string_view use) {
  for (const FormatOption& option : options) {
    text += fmt::format("  {}={}  for {}: {}\n", option.name, fmt::join(option.values, "|"), use,
                        option.help);
  }
}

std::string text_of(const Format& format) {
  std::string extensions;
  for (const std::string_view extension : format.extensions) {
    extensions += fmt::format(" .{}", extension);
  }
  if (format.opens_folders) extensions += " FOLDER";
  std::string text = fmt::format("{}{}  {}{}\n", format.name, extensions, format.description,
                                 format.create == nullptr ? ", read only" : "");
  append_options(text, format.read_options, "reading");
  append_options(text, format.write_options, "writing");
  return text;
}

int run_formats(bool has_json) {
  Output output;
  Json all = Json::array();
  for (const Format& format : builtin_formats()) {
    if (has_json) {
      all.push_back(json_of(format));
    } else {
      output.text() += text_of(format);
    }
  }
  if (has_json) output.text() = all.dump(2) + '\n';
  output.flush();
  return kExitGood;
}

constexpr const char* kFormatsDescription = R"(List the formats, and the options that only one has

The extension of a file tells its format. A folder has the format with FOLDER. An option that is
not given has the first of its values.
Options for reading are given as --format-option KEY=VALUE, those for writing as --out-option.)";

constexpr const char* kFormatsFooter = R"(Examples:
  sheaf formats
  sheaf formats --json)";

}  // namespace

Verb add_formats(CLI::App& parent) {
  CLI::App* const app = parent.add_subcommand("formats", kFormatsDescription);
  app->footer(kFormatsFooter);
  const auto has_json = std::make_shared<bool>(false);
  app->add_flag("--json", *has_json,
                "A JSON list of objects: name, description, extensions, opens_folders, "
                "is_writable, keeps_keys, read_options, write_options, cntk_names")
      ->group("Output");
  return {app, [has_json] { return run_formats(*has_json); }};
}

}  // namespace sheaf::cli
