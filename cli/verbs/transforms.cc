#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sheaf/extend/transform.h"

#include "output/output.h"
#include "verbs/verbs.h"

namespace sheaf::cli {
namespace {

nlohmann::ordered_json json_of(const TransformType& type) {
  nlohmann::ordered_json options = nlohmann::ordered_json::array();
  for (const TransformOption& option : type.options) {
    options.push_back(
        {{"name", option.name}, {"default", option.default_text}, {"help", option.help}});
  }
  return {{"name", type.name},
          {"description", type.description},
          {"takes_all", type.takes_all},
          {"options", std::move(options)}};
}

std::string text_of(const TransformType& type) {
  std::string text = fmt::format("{}  {}{}\n", type.name, type.description,
                                 type.takes_all ? "; of all streams where none is named" : "");
  for (const TransformOption& option : type.options) {
    const bool has_default = !option.default_text.empty();
    text += fmt::format("  {}{}{}  {}\n", option.name, has_default ? "=" : "", option.default_text,
                        option.help);
  }
  return text;
}

int run_transforms(bool has_json) {
  Output output;
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const TransformType& type : builtin_transforms()) {
    if (has_json) {
      all.push_back(json_of(type));
    } else {
      output.text() += text_of(type);
    }
  }
  if (has_json) output.text() = all.dump(2) + '\n';
  output.flush();
  return kExitGood;
}

constexpr const char* kTransformsDescription = R"(List the transforms, and their options

A transform changes one sequence at a time, before sheaf packs sequences into minibatches.
--transform names a transform, its streams and its options. The list shows the default of an option
behind =.)";

constexpr const char* kTransformsFooter = R"(Examples:
  sheaf transforms
  sheaf transforms --json
  sheaf read train.ctf --transform reverse:features)";

}  // namespace

Verb add_transforms(CLI::App& parent) {
  CLI::App* const app = parent.add_subcommand("transforms", kTransformsDescription);
  app->footer(kTransformsFooter);
  const auto has_json = std::make_shared<bool>(false);
  app->add_flag("--json", *has_json,
                "Print a JSON list of objects: name, description, takes_all (whether a transform "
                "without streams is of all streams), options (name, default, help)")
      ->group("Output");
  return {app, [has_json] { return run_transforms(*has_json); }};
}

}  // namespace sheaf::cli
