#include "later_options.h"

#include <string>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "sheaf/error.h"

#include "options.h"

namespace sheaf::cli {
namespace {

constexpr const char* kHidden = "";  // the group that help leaves out

struct LaterOption {
  const char* name;
  const char* instead;  // what this version does
};

constexpr LaterOption kLaterOptions[] = {
    {"--seed", "this version delivers in the order of the file, which has no seed"},
    {"--window-chunks", "this version delivers in the order of the file; nothing is shuffled"},
    {"--window-samples", "this version delivers in the order of the file; nothing is shuffled"},
    {"--epoch-size", "this version has no epochs; --sweeps says how often to deliver the file"},
    {"--truncation-length", "this version delivers whole sequences; none is cut"},
    {"--config", "this version takes its options from the command line alone"},
    {"--section", "this version takes its options from the command line alone"},
    {"--set", "this version takes its options from the command line alone"},
};

[[noreturn]] void refuse(std::string_view name, std::string_view instead) {
  throw ConfigError(fmt::format("{} belongs to a later version: {}", name, instead));
}

void check_epochs(const std::string& text) {
  if (parse_count("--epochs", text, {1}) != 1) {
    refuse("--epochs", "this version has no epochs; --sweeps says how often to deliver the file");
  }
}

void check_worker(const std::string& text) {
  const auto fail = [&text] {
    throw ConfigError(
        fmt::format("--worker is R/W, worker R of W, with R from 0 to W - 1: got \"{}\"", text));
  };
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) fail();
  std::int64_t worker = 0;
  std::int64_t worker_count = 0;
  try {
    worker = parse_count("--worker", text.substr(0, slash), {});
    worker_count = parse_count("--worker", text.substr(slash + 1), {1});
  } catch (const ConfigError&) {
    fail();
  }
  if (worker >= worker_count) fail();
  if (worker_count > 1) {
    refuse("--worker", "in this version one worker reads the whole file, which is --worker 0/1");
  }
}

void check_order(const std::string& order) {
  if (order == "file") return;
  refuse("--order " + order,
         "this version delivers in the order of the file, which is --order file");
}

}  // namespace

void add_later_options(CLI::App& verb) {
  for (const LaterOption& option : kLaterOptions) {
    verb.add_option_function<std::string>(
            option.name,
            [option](const std::string& /*value*/) { refuse(option.name, option.instead); })
        ->group(kHidden);
  }
  verb.add_flag_callback(
          "--split-frames",
          [] { refuse("--split-frames", "this version delivers whole sequences; none is cut"); })
      ->group(kHidden);
  verb.add_option_function<std::string>("--epochs", check_epochs)->group(kHidden);
  verb.add_option_function<std::string>("--worker", check_worker)->group(kHidden);
  verb.add_option_function<std::string>(
          "--order",
          [](const std::string& order) {
            if (order != "file" && order != "cntk" && order != "keyed") {
              throw ConfigError(
                  fmt::format("--order is one of file, cntk, keyed: got \"{}\"", order));
            }
            check_order(order);
          },
          "The order of delivery: that of the file")
      ->type_name("file|cntk|keyed")
      ->default_str("file")
      ->group("Order and size of minibatches");
}

}  // namespace sheaf::cli
