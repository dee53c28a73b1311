#include "cntk/config_streams.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cntk/config_choice.h"
#include "cntk/config_tree.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kDimMax = std::numeric_limits<std::int32_t>::max();
constexpr std::string_view kContext = "contextWindow";
constexpr std::string_view kRepeat = "expandToUtterance";

// Returns the paths of a list such as "a.mlf:b.mlf", or of a text file with a path in each line.
std::vector<std::string> listed_paths(const ConfigValue& value) {
  std::vector<std::string> paths;
  if (value.is_array() || value.as<std::string>().find(':') != std::string::npos) {
    for (const ConfigValue& element : value.elements()) paths.push_back(element.as_path());
  } else {
    paths = value.listed_paths();
  }
  if (paths.empty()) value.refuse("at least one file");
  return paths;
}

// Returns the path that the single line of a file specifies.
std::string specified_path(const ConfigValue& value, const CntkFileSetting& setting) {
  const std::string expected = formatted("a file with one line, {}", setting.lines);
  const std::vector<std::string> lines = value.listed_lines();
  if (lines.size() != 1) value.refuse(expected, formatted("the file has {} lines", lines.size()));
  const std::optional<std::string> path = setting.path_of(lines[0]);
  if (!path) {
    constexpr std::int64_t kShown = 1000;  // in bytes; commands are long
    value.refuse(expected, formatted("the file has {}", quoted(lines[0], kShown)));
  }
  return value.path_at(*path);
}

/// Reads the section of one stream.
class StreamReader {
 public:
  StreamReader(const ConfigSection& section, std::string name, const Format& format,
               const CntkStream& names, const ReaderWideOptions& wide, ReaderPlan& plan)
      : section_(section),
        name_(std::move(name)),
        format_(format),
        names_(names),
        wide_(wide),
        plan_(plan),
        is_first_(plan.data.empty()) {}

  // `outer` are the sections around the stream that describe only this stream.
  void read(std::span<const ConfigSection> outer) {
    std::vector<CntkSetting> settings(format_.cntk->settings.begin(), format_.cntk->settings.end());
    settings.insert(settings.end(), names_.settings.begin(), names_.settings.end());
    FilesSpec files;
    read_settings(section_, settings, files, plan_);
    files.files = paths();
    FormatOptions& options = files.format;
    options.format = format_.name;
    options.dtype = wide_.dtype;
    options.keys = wide_.keys;
    options.compatibility = format_.cntk->has_strict
                                ? compatibility_of(section_, wide_.compatibility)
                                : Compatibility::cntk;
    for (const CntkFixedOption& each : names_.options) {
      options.extra.emplace(each.name, each.value);
    }
    check_type(outer.empty());
    check_parts();
    StreamOptions stream{.name = name_, .storage = names_.storage};
    if (!names_.dims.empty()) stream.sample_shape = Shape{dim()};
    if (names_.has_context) read_context(stream);
    stream.defines_minibatch_size = defines_size(outer);
    options.streams.push_back(std::move(stream));
    plan_.has_utterances = true;
    plan_.data.push_back(std::move(files));
  }

 private:
  [[nodiscard]] std::vector<std::string> paths() const {
    std::string known;
    for (const CntkFileSetting& each : names_.files) {
      const std::optional<ConfigValue> value = section_.find(each.name);
      known += formatted("{}{}", known.empty() ? "" : " or ", each.name);
      if (!value) continue;
      if (each.kind == CntkFileSetting::Kind::list || value->is_array()) {
        return listed_paths(*value);
      }
      if (each.kind == CntkFileSetting::Kind::specifier) return {specified_path(*value, each)};
      return {value->as_path()};
    }
    throw ConfigTextError(
        section_.diagnostic("missing", formatted("the setting {}", known), "none"));
  }

  [[nodiscard]] std::int64_t dim() const {
    for (const std::string_view name : names_.dims) {
      if (const auto value = section_.find(name)) return value->as_count(1, kDimMax);
    }
    return section_.at(names_.dims.front()).as_count(1, kDimMax);
  }

  // Only the oldest readers compare the type. Their streams have no sections around them.
  void check_type(bool is_oldest) const {
    for (const std::string_view name : {"type", "labelType"}) {
      const std::optional<ConfigValue> value = section_.find_here(name);
      if (!value || names_.type.empty() || !is_oldest) continue;
      if (!is_same_ignoring_case(value->as<std::string>(), names_.type)) {
        value->refuse(formatted("\"{}\"", names_.type));
      }
    }
  }

  void check_parts() const {
    for (const std::optional<ConfigValue>& value : {wide_.frames, wide_.truncated}) {
      if (value && !names_.has_parts) {
        value->refuse("false", formatted("the stream {} has whole sequences only",
                                         quoted(std::string_view(name_))));
      }
    }
    for (const CntkSetting& setting : names_.settings) {
      if (!setting.needs_sequences || !wide_.frames) continue;
      const std::optional<ConfigValue> value = section_.find(setting.name);
      if (value && value->as<bool>()) {
        value->refuse("false", formatted("{} needs whole sequences, and frameMode delivers frames",
                                         setting.name));
      }
    }
  }

  void read_context(StreamOptions& stream) const {
    const std::int64_t size = stream.sample_shape->size();
    std::int64_t left = 0;
    std::int64_t right = 0;
    if (const std::optional<ConfigValue> window = section_.find(kContext)) {
      const std::vector<ConfigValue> sides = window->elements();
      if (sides.size() > 2 || sides.empty()) {
        window->refuse("N, or LEFT:RIGHT", "N frames in all, or so many before and after");
      }
      constexpr std::int64_t kMost = 1'000'000;
      if (sides.size() == 2) {
        left = sides[0].as_count(0, kMost);
        right = sides[1].as_count(0, kMost);
      } else {
        const std::int64_t frames = sides[0].as_count(1, 2 * kMost + 1);
        if (frames % 2 == 0) {
          window->refuse("an odd number of frames", "as many frames before as after");
        }
        left = right = frames / 2;
      }
    }
    const std::optional<ConfigValue> repeated = section_.find(kRepeat);
    if (repeated && repeated->as<bool>()) {
      if (is_first_) {
        repeated->refuse("false", "the first stream gives the number of frames to expand to");
      }
      plan_.repeated.push_back(name_);
    }
    TransformSpec context{.type = "context", .streams = {name_}};
    if (left == 0 && right == 0) {  // the file tells which frames are part of the dim
      context.options = {{"dim", formatted("{}", size)}};
      stream.sample_shape.reset();
    } else {
      context.options = {{"left", formatted("{}", left)}, {"right", formatted("{}", right)}};
    }
    plan_.transforms.push_back(std::move(context));
  }

  // Single frames have one sample anyway.
  [[nodiscard]] bool defines_size(std::span<const ConfigSection> outer) const {
    std::vector<ConfigSection> sections = {section_};
    sections.insert(sections.end(), outer.begin(), outer.end());
    for (const ConfigSection& section : sections) {
      const std::optional<ConfigValue> value = section.find_here("definesMBSize");
      if (value) return value->as<bool>() && !wide_.frames;
    }
    return false;
  }

  const ConfigSection& section_;
  const std::string name_;
  const Format& format_;
  const CntkStream& names_;
  const ReaderWideOptions& wide_;
  ReaderPlan& plan_;
  const bool is_first_;
};

bool describes(const ConfigSection& section, const CntkStream& names) {
  if (!names.mark.empty()) return section.has_here(names.mark);
  return std::ranges::any_of(
      names.files, [&](const CntkFileSetting& each) { return section.has_here(each.name); });
}

// Returns why a section of the oldest readers has no data: it describes a model, or something
// computed from a model. Returns an empty text for all other sections.
std::string_view reason_of_model(const ConfigSection& section) {
  constexpr std::pair<std::string_view, std::string_view> kModels[] = {
      {"phoneFile", "it describes the model, and no data"},
      {"denlatTocFile", "lattices have a deserializer of their own: LatticeDeserializer"},
      {"kaldiModel", "lattices of Kaldi belong to the training by sequences, and are no data"},
  };
  for (const auto& [key, reason] : kModels) {
    if (section.has_here(key)) return reason;
  }
  if (section.has_here("rx") && !section.has_here("scpFile")) {
    return "alignments of Kaldi belong to the training by sequences, and are no data";
  }
  const std::optional<ConfigValue> type = section.find_here("type");
  if (!type) return {};
  const auto word = type->as<std::string>();
  for (const std::string_view computed : {"seqTrainDeriv", "seqTrainObj"}) {
    if (is_same_ignoring_case(word, computed)) return "it is computed from a model, and no data";
  }
  return {};
}

void ignore_model(const ConfigValue& child, const ConfigSection& section, ReaderPlan& plan) {
  const std::string_view reason = reason_of_model(section);
  if (reason.empty()) return;
  plan.ignored.push_back(
      {.path = child.path(), .location = child.location(), .reason = std::string(reason)});
  for (const ConfigValue& setting : section.settings()) {
    static_cast<void>(section.find_here(setting.key()));
  }
}

// Returns whether a section was read as a stream of an earlier kind.
bool is_read(const ReaderPlan& plan, const std::string& name) {
  return std::ranges::any_of(plan.data, [&name](const FilesSpec& files) {
    return files.format.streams.front().name == name;
  });
}

// Reads the child sections of `section` that describe streams of a kind. A section with the files
// of several kinds is of the first kind.
void add_described(const ConfigSection& section, const Format& format, const CntkStream& names,
                   const ReaderWideOptions& wide, ReaderPlan& plan) {
  if (plan.data.empty() && !names.may_be_first) return;
  for (const ConfigValue& child : section.settings()) {
    if (!child.is_section()) continue;
    const ConfigSection stream = child.section();
    if (describes(stream, names) && !is_read(plan, child.key())) {
      StreamReader(stream, child.key(), format, names, wide, plan).read({});
    }
  }
}

}  // namespace

void add_input_stream(const ConfigSection& section, const Format& format,
                      const ReaderWideOptions& wide, ReaderPlan& plan) {
  const CntkStream& names = *format.cntk->stream;
  if (plan.data.empty() && !names.may_be_first) {
    section.at("type").refuse("a deserializer that gives the order, such as features",
                              "put this one behind it: the first deserializer cuts the chunks");
  }
  const std::optional<ConfigValue> input = section.find_here("input");
  if (!input) {
    throw ConfigTextError(section.diagnostic("missing", "the setting input", "none"));
  }
  const ConfigSection streams = input->section();
  const std::vector<ConfigSection> outer = {streams, section};
  bool is_read = false;
  for (const ConfigValue& child : streams.settings()) {
    if (!child.is_section()) continue;
    if (is_read) {
      child.warn("ignored", "one stream in each deserializer",
                 "a deserializer for speech has one stream, the first by name");
      static_cast<void>(child.section());
      continue;
    }
    const ConfigSection stream = child.section();
    StreamReader(stream, child.key(), format, names, wide, plan).read(outer);
    is_read = true;
  }
  if (!is_read) throw ConfigTextError(streams.diagnostic("missing", "a stream", "none"));
}

void add_child_streams(const ConfigSection& section, const ConfigValue& reader_type,
                       std::span<const Format> formats, const ReaderWideOptions& wide,
                       ReaderPlan& plan) {
  const auto type = reader_type.as<std::string>();
  for (const Format& format : formats) {
    if (format.cntk == nullptr || format.cntk->stream == nullptr) continue;
    if (std::ranges::find(format.cntk->readers, type) == format.cntk->readers.end()) continue;
    for (const CntkStream* const names : {format.cntk->stream, format.cntk->second_stream}) {
      if (names != nullptr) add_described(section, format, *names, wide, plan);
    }
  }
  if (plan.data.empty()) {
    throw ConfigTextError(section.diagnostic("missing", "a stream of features", "none",
                                             "a section that names its scpFile"));
  }
  for (const ConfigValue& child : section.settings()) {
    if (child.is_section()) ignore_model(child, child.section(), plan);
  }
}

}  // namespace sheaf::internal
