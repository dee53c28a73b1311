#include "format/manifest/manifest_line.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sheaf/diagnostic.h"

#include "base/text.h"
#include "format/manifest/manifest_cut.h"

namespace sheaf::manifest {
namespace {

constexpr std::array<std::string_view, 2> kPathFields = {"audio_filepath", "audio_filename"};

// Returns the fields of a line, or no fields if the line is not an object.
JsonFields fields_of(std::string_view line, LineFaults& faults) {
  JsonValue value;
  std::vector<JsonMember> members;
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  const std::size_t begin = line.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  const std::string_view text = line.substr(begin);
  if (const auto fault = parse_json_text(text, value, members)) {
    const std::size_t at = begin + fault->begin;
    const std::string_view found = line.substr(at, 20);
    faults.add(kJson, {.begin = at, .size = std::min<std::size_t>(1, found.size())},
               formatted("{}, where {} is expected",
                         found.empty() ? "the end of the line" : quoted(found), fault->expected));
    members.clear();
    value.text = text;
  } else if (value.kind != JsonKind::object) {
    faults.add(kJson, value.text, quoted(value.text));
    members.clear();
  }
  return {value.text, std::move(members), faults};
}

const JsonValue* find_path(const JsonFields& fields) {
  for (const std::string_view name : kPathFields) {
    if (const JsonValue* const found = fields.find(name)) return found;
  }
  return nullptr;
}

std::optional<LineKind> kind_of(const JsonFields& fields) {
  if (find_path(fields) != nullptr) return LineKind::nemo;
  const bool is_cut = fields.has("id") && fields.has("start") && fields.has("duration") &&
                      (fields.has("recording") || fields.has("features"));
  return is_cut ? std::optional(LineKind::cut) : std::nullopt;
}

void refuse_other(const JsonFields& fields, LineFaults& faults) {
  faults.add(kNoUtterance, fields.as_written().substr(0, 1), "neither");
}

// Parses an utterance. Its key is the path as written, and the start of the utterance.
void parse_utterance(const JsonFields& fields, const LineRules& rules, LineFaults& faults,
                     ManifestLine& line) {
  const JsonValue& path = *find_path(fields);
  line.path_location = faults.location_of(path.text);
  if (path.kind != JsonKind::string) {
    return faults.add(kString, path.text, formatted("{} as {}", quoted(path.text), kPathFields[0]));
  }
  line.path = unescaped_json(inside_quotes(path));
  line.key = line.path;
  line.part.begin = fields.seconds("offset").value_or(0);
  line.part.duration = fields.seconds("duration");
  const JsonValue* const duration = fields.find("duration");
  const JsonValue* const offset = fields.find("offset");
  line.part_location = faults.location_of(duration != nullptr ? duration->text
                                          : offset != nullptr ? offset->text
                                                              : path.text);
  if (line.part.begin > 0) line.key += '@' + std::string(offset->text);
  const JsonValue* const shard = fields.find("shard_id");
  if (shard != nullptr && rules.samples != Samples::none) {
    faults.add(kTarred, shard->text, formatted("shard {}", quoted(shard->text)));
  }
}

void take_key(const JsonFields& fields, const std::string& field, std::string& key) {
  if (!field.empty() && fields.need(field) != nullptr) key = fields.text(field).value_or("");
}

void take_texts(const JsonFields& fields, const LineRules& rules, bool keeps_texts,
                LineFaults& faults, ManifestLine& line) {
  for (const std::string& name : rules.text_fields) {
    std::optional<std::string> text =
        line.kind == LineKind::cut ? text_of_cut(fields, name) : fields.text(name);
    if (!text && !rules.allows_missing_texts) {
      faults.add(kNoField, fields.as_written().substr(0, 1), formatted("no {}", quoted(name)));
    }
    if (!keeps_texts && text) text->clear();
    line.texts.push_back(std::move(text));
  }
}

}  // namespace

LineContents contents_of(std::string_view line) {
  LineFaults faults(line);
  const JsonFields fields = fields_of(line, faults);
  LineContents contents;
  const std::optional<LineKind> kind = kind_of(fields);
  if (!kind) refuse_other(fields, faults);
  contents.kind = kind.value_or(LineKind::nemo);
  const bool is_cut = contents.kind == LineKind::cut;
  contents.has_features = is_cut && fields.has("features");
  contents.has_text = is_cut ? text_of_cut(fields, "text").has_value() : fields.has("text");
  contents.fault = faults.first();
  return contents;
}

ManifestLine parse_line(std::string_view line, const LineRules& rules, bool keeps_texts) {
  LineFaults faults(line);
  ManifestLine result;
  const JsonFields fields = fields_of(line, faults);
  const std::optional<LineKind> kind = kind_of(fields);
  if (!kind) {
    refuse_other(fields, faults);
  } else if (*kind != rules.kind) {
    faults.add(kOtherLine, fields.as_written().substr(0, 1),
               *kind == LineKind::cut ? "a cut of lhotse" : "an utterance of NeMo");
  } else {
    result.kind = *kind;
    if (*kind == LineKind::cut) {
      parse_cut(fields, rules, faults, result);
    } else {
      parse_utterance(fields, rules, faults, result);
    }
    const bool is_path = !result.path.empty() && result.path.find('\0') == std::string::npos;
    if (!is_path && rules.samples != Samples::none) {
      faults.add(kPath, result.path_location, quoted(result.path));
    }
    take_key(fields, rules.key_field, result.key);
    take_texts(fields, rules, keeps_texts, faults, result);
  }
  result.fault = faults.first();
  return result;
}

bool ManifestLines::is_blank(std::string_view line) noexcept {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

ManifestLines::ScannedLine ManifestLines::parse(std::string_view line) {
  line_ = parse_line(line, rules_, false);
  const bool is_good = !line_.fault;
  ScannedLine scanned{.key = line_.key, .path = line_.path, .is_good = is_good};
  if (!is_good) {
    scanned.count = 0;
  } else if (rules_.samples == Samples::none) {
    const auto is_there = [](const std::optional<std::string>& text) { return text.has_value(); };
    scanned.count = std::ranges::any_of(line_.texts, is_there) ? 1 : 0;
  }
  return scanned;
}

}  // namespace sheaf::manifest
