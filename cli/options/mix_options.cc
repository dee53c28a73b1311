#include "options/mix_options.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "sheaf/error.h"
#include "sheaf/mixture.h"

#include "options/data_options.h"
#include "options/options.h"

namespace sheaf::cli {
namespace {

constexpr const char* kMixGroup = "Mixture";
constexpr const char* kMix = "--mix";
constexpr const char* kExhausted = "--exhausted";
constexpr const char* kSchedule = "--mix-schedule";

// Returns the offset of the weight. A path may contain "=", a weight may not.
std::size_t weight_begin(const std::string& member) {
  const std::size_t sign = member.rfind('=');
  if (sign != std::string::npos && sign > 0 && sign + 1 < member.size()) return sign + 1;
  throw ConfigError(fmt::format("--mix: expected PATH=WEIGHT, found \"{}\"", member));
}

std::vector<std::string> split_at_colons(std::string_view text) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t colon = text.find(':');
    parts.emplace_back(text.substr(0, colon));
    if (colon == std::string_view::npos) return parts;
    text.remove_prefix(colon + 1);
  }
}

MixtureStage parse_stage(const std::string& text) {
  const std::size_t sign = text.find('=');
  MixtureStage stage;
  const char* const end = text.data() + (sign == std::string::npos ? 0 : sign);
  const auto [behind, error] = std::from_chars(text.data(), end, stage.from);
  if (sign == std::string::npos || error != std::errc() || behind != end) {
    throw ConfigError(
        fmt::format("--mix-schedule: expected DRAW=WEIGHT:WEIGHT..., found \"{}\"", text));
  }
  stage.weights = integer_weights(split_at_colons(std::string_view(text).substr(sign + 1)));
  return stage;
}

}  // namespace

void add_mix_options(CLI::App& verb, DataOptions& options) {
  verb.add_option(kMix, options.mix.members,
                  "Draw sequences from this file, or pattern, by weight. Repeat the option for "
                  "each member of the mixture. A weight is a decimal number, such as 2 or 0.35; "
                  "only the ratios of the weights count. A --stream belongs to all members")
      ->type_name("PATH=WEIGHT")
      ->allow_extra_args(false)
      ->group(kMixGroup);
  add_choice(verb, kExhausted, options.mix.exhausted, {"repeat", "stop", "drop", "error"},
             "What to do when a member of the mixture has no sequences left. repeat: begin its "
             "next sweep; stop: end the sweep of the mixture; drop: go on with the other members; "
             "error: raise an error")
      ->group(kMixGroup);
  verb.add_option(kSchedule, options.mix.schedule,
                  "Weights of all members from a draw on. Repeat the option for each stage. Draws "
                  "are counted from 0, from the start of the run with --exhausted repeat, and "
                  "else from the start of each sweep")
      ->type_name("DRAW=W:W...")
      ->allow_extra_args(false)
      ->group(kMixGroup);
}

void check_mix_options(const DataOptions& options) {
  const MixChoice& choice = options.mix;
  if (choice.members.empty()) {
    if (!choice.exhausted.empty() || !choice.schedule.empty()) {
      throw ConfigError(fmt::format("{} belongs to a mixture: --mix says what is mixed",
                                    choice.exhausted.empty() ? kSchedule : kExhausted));
    }
    return;
  }
  if (!options.paths.empty()) {
    throw ConfigError(fmt::format("{} and --mix both say what is read: leave \"{}\" out, or --mix",
                                  options.names.path, options.paths.front()));
  }
  if (!options.joined.empty()) {
    throw ConfigError("--join and --mix exclude each other: a spec can mix joined data");
  }
  if (choice.exhausted.empty()) {
    throw ConfigError(
        "--mix: say what happens when a member has no sequences left: --exhausted repeat, stop, "
        "drop or error");
  }
}

std::vector<std::string> mixed_paths(const MixChoice& choice) {
  std::vector<std::string> paths;
  for (const std::string& member : choice.members) {
    paths.push_back(member.substr(0, weight_begin(member) - 1));
  }
  return paths;
}

MixtureOptions mixture_options(const MixChoice& choice) {
  std::vector<std::string> weights;
  for (const std::string& member : choice.members) {
    weights.push_back(member.substr(weight_begin(member)));
  }
  MixtureOptions options{.weights = integer_weights(weights), .exhausted = {}, .schedule = {}};
  for (const Exhausted each :
       {Exhausted::repeat, Exhausted::stop, Exhausted::drop, Exhausted::error}) {
    if (to_string(each) == choice.exhausted) options.exhausted = each;
  }
  for (const std::string& stage : choice.schedule) options.schedule.push_back(parse_stage(stage));
  return options;
}

}  // namespace sheaf::cli
