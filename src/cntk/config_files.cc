#include "cntk/config_files.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "sheaf/extend/format.h"
#include "sheaf/extend/nearest.h"

#include "base/saturated.h"
#include "base/text.h"
#include "cntk/config_choice.h"
#include "cntk/config_tree.h"
#include "core/json_text.h"
#include "dataset/json_fields.h"
#include "dataset/spec_fields.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kSparseDimMax = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kDenseDimMax = std::numeric_limits<std::int32_t>::max();

// The readers of CNTK that sheaf does not support yet.
constexpr std::string_view kReadersToCome[] = {
    "KaldiReader",        "LMSequenceReader", "LUSequenceReader", "UCIFastReader",
    "LibSVMBinaryReader", "SparsePCReader",   "BinaryReader"};

using NameList = std::span<const std::string_view>;

// Returns the format with the name `value`. `names_of` returns the names of a format. Formats may
// share names. Messages list the first name of each.
template <typename NamesOf>
const Format& find_named(const ConfigValue& value, std::span<const Format> formats,
                         NameList to_come, const NamesOf& names_of) {
  const auto name = value.as<std::string>();
  std::vector<std::string_view> built;
  std::vector<std::string> known(to_come.begin(), to_come.end());
  for (const Format& format : formats) {
    if (format.cntk == nullptr) continue;
    for (const NameList names : names_of(*format.cntk)) {
      if (std::ranges::find(names, name) != names.end()) return format;
      known.insert(known.end(), names.begin(), names.end());
    }
    const NameList names = names_of(*format.cntk).front();
    if (!names.empty() && std::ranges::find(built, names.front()) == built.end()) {
      built.push_back(names.front());
    }
  }
  std::string expected;
  for (const std::string_view each : built) {
    expected += formatted("{}\"{}\"", expected.empty() ? "" : " or ", each);
  }
  if (std::ranges::find(to_come, name) != to_come.end()) {
    value.refuse(expected, "sheaf knows this one, but does not read what it does yet");
  }
  const std::string nearest = nearest_name(name, known);
  value.refuse(expected, nearest.empty() ? "" : formatted("did you mean \"{}\"?", nearest));
}

Storage storage_of(const ConfigValue& format) {
  const auto text = format.as<std::string>();
  if (is_same_ignoring_case(text, "dense")) return Storage::dense;
  if (is_same_ignoring_case(text, "sparse")) return Storage::sparse;
  format.refuse("dense or sparse");
}

// Returns the setting of this section only. CNTK inherits other settings, whether on purpose or
// not.
ConfigValue own(const ConfigSection& section, std::string_view key) {
  std::optional<ConfigValue> value = section.find_here(key);
  if (!value) {
    throw ConfigTextError(section.diagnostic("missing", formatted("the setting {}", key), "none"));
  }
  return *std::move(value);
}

/// The streams of `input`, in CNTK's order.
class Inputs {
 public:
  Inputs(const ConfigSection& input, const Format& format) : format_(format) {
    for (const ConfigValue& value : input.settings()) add(value);
    if (streams_.empty() && format.cntk->declares_streams) {
      throw ConfigTextError(input.diagnostic("missing", "at least one stream", "none"));
    }
  }

  [[nodiscard]] std::vector<StreamOptions> take() && { return std::move(streams_); }

 private:
  void add(const ConfigValue& value) {
    const ConfigSection section = value.section();
    StreamOptions stream{.name = value.key()};
    const std::optional<ConfigValue> alias = section.find_here("alias");
    if (alias) {
      stream.alias = alias->as<std::string>();
      if (stream.alias.empty()) alias->refuse("a name");
    }
    add_name(stream, alias.value_or(value));
    if (format_.cntk->declares_streams || section.has_here("format")) {
      stream.storage = storage_of(own(section, "format"));
    }
    if (format_.cntk->declares_streams || section.has_here("dim")) {
      const std::int64_t dim_max = stream.storage == Storage::sparse ? kSparseDimMax : kDenseDimMax;
      stream.sample_shape = Shape{own(section, "dim").as_count(1, dim_max)};
    }
    add_defining(section, stream);
    streams_.push_back(std::move(stream));
  }

  void add_name(const StreamOptions& stream, const ConfigValue& value) {
    constexpr std::string_view kExpected = "a name that no other stream has in the file";
    const std::string& name = stream.alias.empty() ? stream.name : stream.alias;
    const auto [owner, is_new] = owners_.try_emplace(name, stream.name);
    if (is_new) return;
    if (format_.cntk->declares_streams) {
      value.refuse(kExpected, formatted("\"{}\" has it", owner->second));
    }
    // The last renaming of a stream counts, in CNTK too.
    value.warn("ignored", kExpected, formatted("\"{}\" has it, and is ignored", owner->second));
    std::string& earlier = owner->second;
    std::erase_if(streams_, [&](const StreamOptions& each) { return each.name == earlier; });
    earlier = stream.name;
  }

  void add_defining(const ConfigSection& section, StreamOptions& stream) {
    const std::optional<ConfigValue> defines = section.find("definesMBSize");
    if (!defines || !defines->as<bool>()) return;
    if (!format_.cntk->declares_streams) {
      defines->warn("ignored", formatted("no definesMBSize: a {} file stores the length of each "
                                         "sequence",
                                         title_of(format_)));
      return;
    }
    if (!defining_.empty()) {
      defines->refuse("definesMBSize for one stream alone", formatted("\"{}\" has it", defining_));
    }
    stream.defines_minibatch_size = true;
    defining_ = stream.name;
  }

  const Format& format_;
  std::vector<StreamOptions> streams_;
  std::map<std::string, std::string> owners_;  // streams by their names in the file
  std::string defining_;
};

std::vector<std::string> paths_of(const ConfigValue& file) {
  std::vector<std::string> paths;
  if (file.is_array()) {
    for (const ConfigValue& element : file.elements()) paths.push_back(element.as_path());
    if (paths.empty()) file.refuse("at least one file");
  } else {
    paths.push_back(file.as_path());
  }
  return paths;
}

}  // namespace

const Format& format_of_reader(const ConfigValue& reader_type, std::span<const Format> formats) {
  return find_named(reader_type, formats, kReadersToCome, [](const CntkNames& names) {
    // CNTK maps the former to the latter.
    return std::array<NameList, 2>{names.readers, names.modules};
  });
}

const Format& format_of_deserializer(const ConfigSection& deserializer,
                                     std::span<const Format> formats) {
  return find_named(deserializer.at("type"), formats, {}, [](const CntkNames& names) {
    return std::array<NameList, 1>{names.deserializers};
  });
}

std::string title_of(const Format& format) {
  std::string title(format.name);
  for (char& c : title) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return title;
}

Compatibility compatibility_of(const ConfigSection& section, Compatibility otherwise) {
  return choice<Compatibility>(section, "compatibility",
                               {{"strict", Compatibility::strict}, {"cntk", Compatibility::cntk}},
                               otherwise);
}

MissingStreams missing_streams_of(const ConfigSection& section, MissingStreams otherwise) {
  return choice<MissingStreams>(
      section, "missingStreams",
      {{"error", MissingStreams::error}, {"allow", MissingStreams::allow}}, otherwise);
}

std::int64_t max_errors_of(const ConfigValue& value) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
  const auto count = value.as<std::int64_t>();
  if (count == -1) return kCountMax;
  return value.as_count(0, kMax);
}

void read_settings(const ConfigSection& section, std::span<const CntkSetting> settings,
                   FilesSpec& files, ReaderPlan& plan) {
  constexpr std::string_view kOfFormat = "format_options.";
  auto options = nlohmann::ordered_json::object();
  for (const CntkSetting& setting : settings) {
    if (setting.kind == CntkSetting::Kind::ignored) {
      ignore(section, setting.name, setting.reason, plan);
      continue;
    }
    const std::optional<ConfigValue> value = section.find(setting.name);
    if (!value) continue;
    if (setting.kind == CntkSetting::Kind::fixed) {
      if (value->as<std::string>() != setting.if_true) {
        value->refuse(std::string(setting.if_true), setting.reason);
      }
      continue;
    }
    if (setting.kind == CntkSetting::Kind::errors) {
      add_tolerated(max_errors_of(*value), plan);
      continue;
    }
    const bool is_of_format = setting.option.starts_with(kOfFormat);
    nlohmann::ordered_json& location =
        is_of_format
            ? options["format_options"][std::string(setting.option.substr(kOfFormat.size()))]
            : options[std::string(setting.option)];
    if (setting.kind == CntkSetting::Kind::whole) {
      location = value->as_count(setting.min, setting.max);
    } else if (setting.kind == CntkSetting::Kind::text) {
      location = json_of_bytes(value->as<std::string>());
    } else if (setting.kind == CntkSetting::Kind::path) {
      location = json_of_bytes(value->as_path());
    } else if (setting.if_true.empty()) {
      location = value->as<bool>();
    } else {
      location = value->as<bool>() ? setting.if_true : setting.if_false;
    }
  }
  JsonFields fields(options, section.path());
  visit_fields(fields, files);
  fields.check_all_known();
}

void add_tolerated(std::int64_t count, ReaderPlan& plan) {
  plan.read.max_errors = saturated_sum(plan.read.max_errors, count);
}

void ignore(const ConfigSection& section, std::string_view key, std::string_view reason,
            ReaderPlan& plan) {
  const std::optional<ConfigValue> value = section.find(key);
  if (!value) return;
  const auto is_same = [&](const IgnoredSetting& each) { return each.path == value->path(); };
  if (std::ranges::any_of(plan.ignored, is_same)) return;
  plan.ignored.push_back(
      {.path = value->path(), .location = value->location(), .reason = std::string(reason)});
}

void add_files(const ConfigSection& section, const Format& format, const ReaderWideOptions& wide,
               ReaderPlan& plan) {
  const CntkNames& names = *format.cntk;
  FilesSpec files;
  read_settings(section, names.settings, files, plan);
  files.files = paths_of(section.at("file"));
  FormatOptions& options = files.format;
  options.format = format.name;
  options.dtype = wide.dtype;
  options.missing_streams = missing_streams_of(section, wide.missing_streams);
  files.same_keys = choice<ConcatenatedKeys>(
      section, "sameKeys",
      {{"refuse", ConcatenatedKeys::distinct}, {"number", ConcatenatedKeys::number}},
      ConcatenatedKeys::distinct);
  const Compatibility chosen = compatibility_of(section, wide.compatibility);
  options.compatibility = names.has_strict ? chosen : Compatibility::cntk;
  if (format.keeps_keys) options.keys = wide.keys;
  if (names.declares_streams) {
    options.streams = Inputs(own(section, "input").section(), format).take();
  } else if (const auto input = section.find_here("input")) {
    options.streams = Inputs(input->section(), format).take();
  }
  plan.data.push_back(std::move(files));
}

}  // namespace sheaf::internal
