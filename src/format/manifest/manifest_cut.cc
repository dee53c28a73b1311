#include "format/manifest/manifest_cut.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include "sheaf/diagnostic.h"

#include "base/text.h"

namespace sheaf::manifest {
namespace {

// Returns the channel of a cut. A cut of several channels is not a MonoCut.
std::int64_t channel_of(const JsonFields& fields, LineFaults& faults) {
  const JsonValue* const channel = fields.find("channel");
  if (channel == nullptr) return 0;
  const std::optional<std::int64_t> number = count_of(*channel);
  if (!number) faults.add(kCutType, channel->text, formatted("channel {}", quoted(channel->text)));
  return number.value_or(0);
}

// Takes the source that has the channel, and the number of the channel in its file.
void take_source(const JsonFields& recording, std::int64_t channel, LineFaults& faults,
                 ManifestLine& line) {
  if (const auto transforms = recording.elements("transforms"); !transforms.empty()) {
    faults.add(kTransforms, transforms.front().value.text, quoted(transforms.front().value.text));
  }
  for (const JsonFields& source : recording.objects("sources")) {
    const std::vector<JsonMember> channels = source.elements("channels");
    const auto found = std::ranges::find_if(
        channels, [&](const JsonMember& each) { return count_of(each.value) == channel; });
    if (found == channels.end()) continue;
    line.channel = found - channels.begin();
    const std::string type = source.string("type");
    if (faults.has_any()) return;
    if (type != "file") return faults.add(kSourceType, source.find("type")->text, quoted(type));
    line.path = source.string("source");
    if (const JsonValue* const path = source.find("source")) {
      line.path_location = faults.location_of(path->text);
    }
    return;
  }
  faults.add(kNoChannel, recording.as_written().substr(0, 1), formatted("no channel {}", channel));
}

// Takes FILE:OFFSET, or just FILE for an object at its beginning.
void take_object(std::string_view path, LineFaults& faults, ManifestLine& line) {
  if (path.ends_with(".scp") || path.starts_with('|') || path.ends_with('|')) {
    return faults.add(kKaldiPath, line.path_location, quoted(path));
  }
  line.object_begin = 0;
  const std::size_t colon = path.rfind(':');
  const std::string_view digits = colon == std::string_view::npos ? "" : path.substr(colon + 1);
  if (!digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos) {
    std::int64_t offset = 0;
    const auto [next, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), offset);
    if (error != std::errc()) return faults.add(kOffset, line.path_location, quoted(digits));
    line.object_begin = offset;
    path = path.substr(0, colon);
  }
  line.path = path;
}

void take_features(const JsonFields& features, LineFaults& faults, ManifestLine& line) {
  const std::string type = features.string("storage_type");
  const std::string folder = features.string("storage_path");
  const std::string key = features.string("storage_key");
  line.part.frame_shift = features.positive("frame_shift");
  line.part.rate = features.positive("sampling_rate");
  const double start = features.seconds("start").value_or(0);
  if (faults.has_any()) return;
  if (type == "kaldiio") {
    line.path_location = faults.location_of(features.find("storage_path")->text);
    take_object(folder, faults, line);
  } else if (type == "numpy_files") {
    line.path_location = faults.location_of(features.find("storage_key")->text);
    line.path = folder.empty() ? key : folder + '/' + key;
  } else {
    faults.add(kStorage, features.find("storage_type")->text, quoted(type));
  }
  // For lhotse, starts that differ by less are the same.
  constexpr double kNearSeconds = 1e-3;
  if (line.part.begin < start - kNearSeconds) {
    return faults.add(kBeyond, line.part_location,
                      formatted("a cut that starts at {} s, where the features start at {} s",
                                line.part.begin, start));
  }
  line.part.begin = std::max(0.0, line.part.begin - start);
}

}  // namespace

void parse_cut(const JsonFields& fields, const LineRules& rules, LineFaults& faults,
               ManifestLine& line) {
  line.key = fields.string("id");
  const std::optional<double> start = fields.seconds("start");
  line.part.begin = start.value_or(0);
  line.part.duration = fields.seconds("duration");
  line.part_location = faults.location_of(fields.find("duration")->text);
  line.path_location = line.part_location;
  if (const JsonValue* const type = fields.find("type")) {
    if (fields.string("type") != "MonoCut") {
      faults.add(kCutType, type->text, quoted(type->text));
    }
  }
  const std::int64_t channel = channel_of(fields, faults);
  if (rules.samples == Samples::none || faults.has_any()) return;
  if (rules.samples == Samples::audio) {
    take_source(fields.object("recording"), channel, faults, line);
  } else {
    take_features(fields.object("features"), faults, line);
  }
}

std::optional<std::string> text_of_cut(const JsonFields& fields, std::string_view name) {
  std::optional<std::string> all;
  for (const JsonFields& supervision : fields.objects("supervisions")) {
    const std::optional<std::string> text = supervision.text(name);
    if (!text) continue;
    if (all) {
      *all += ' ';
      *all += *text;
    } else {
      all = text;
    }
  }
  return all;
}

}  // namespace sheaf::manifest
