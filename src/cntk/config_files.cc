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

#include "sheaf/nearest.h"

#include "base/saturated.h"
#include "base/text.h"
#include "cntk/config_choice.h"
#include "cntk/config_tree.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kCountMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kSparseDimMax = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kChunkSizeMax = std::int64_t{1} << 40;
constexpr std::int64_t kDenseDimMax = std::numeric_limits<std::int32_t>::max();

struct NamedKind {
  std::string_view name;
  std::optional<DeserializerKind> kind = {};  // none: not built yet
};

// Module names are taken for reader types, too, as CNTK maps the one to the other.
constexpr NamedKind kReaderTypes[] = {
    {"CNTKTextFormatReader", DeserializerKind::text},
    {"Cntk.Deserializers.TextFormat", DeserializerKind::text},
    {"CNTKBinaryReader", DeserializerKind::binary},
    {"Cntk.Deserializers.Binary", DeserializerKind::binary},
    {"HTKDeserializers"},
    {"Cntk.Deserializers.HTK"},
    {"ImageReader"},
    {"Cntk.Deserializers.Image"},
    {"HTKMLFReader"},
    {"Kaldi2Reader"},
    {"KaldiReader"},
    {"LMSequenceReader"},
    {"LUSequenceReader"},
    {"UCIFastReader"},
    {"LibSVMBinaryReader"},
    {"SparsePCReader"},
    {"BinaryReader"},
};

constexpr NamedKind kDeserializers[] = {
    {"CNTKTextFormatDeserializer", DeserializerKind::text},
    {"CNTKBinaryFormatDeserializer", DeserializerKind::binary},
    {"ImageDeserializer"},
    {"Base64ImageDeserializer"},
    {"HTKFeatureDeserializer"},
    {"HTKMLFDeserializer"},
    {"LatticeDeserializer"},
};

DeserializerKind find_kind(const ConfigValue& value, std::span<const NamedKind> all) {
  const auto name = value.as<std::string>();
  std::string built;
  std::vector<std::string> names;
  for (const NamedKind& each : all) {
    if (each.name == name && each.kind) return *each.kind;
    names.emplace_back(each.name);
    const bool is_module = each.name.find('.') != std::string_view::npos;
    if (each.kind && !is_module) {
      built += formatted("{}\"{}\"", built.empty() ? "" : " or ", each.name);
    }
  }
  if (std::ranges::find(all, name, &NamedKind::name) != all.end()) {
    value.refuse(built, "sheaf knows this one, but does not read what it does yet");
  }
  const std::string nearest = nearest_name(name, names);
  value.refuse(built, nearest.empty() ? "" : formatted("did you mean \"{}\"?", nearest));
}

Storage storage_of(const ConfigValue& format) {
  const auto text = format.as<std::string>();
  if (is_same_ignoring_case(text, "dense")) return Storage::dense;
  if (is_same_ignoring_case(text, "sparse")) return Storage::sparse;
  format.refuse("dense or sparse");
}

// The setting of this section alone: CNTK inherits others, by accident or not.
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
  Inputs(const ConfigSection& input, DeserializerKind kind) : kind_(kind) {
    for (const ConfigValue& value : input.settings()) add(value);
    if (streams_.empty() && kind == DeserializerKind::text) {
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
    if (kind_ == DeserializerKind::text || section.has_here("format")) {
      stream.storage = storage_of(own(section, "format"));
    }
    if (kind_ == DeserializerKind::text || section.has_here("dim")) {
      const std::int64_t dim_max = stream.storage == Storage::sparse ? kSparseDimMax : kDenseDimMax;
      stream.sample_shape = Shape{own(section, "dim").as_count(1, dim_max)};
    }
    add_defining(section, stream);
    streams_.push_back(std::move(stream));
  }

  void add_name(const StreamOptions& stream, const ConfigValue& value) {
    const std::string& name = stream.alias.empty() ? stream.name : stream.alias;
    const auto [owner, is_new] = owners_.try_emplace(name, stream.name);
    if (is_new) return;
    value.refuse("a name that no other stream has in the file",
                 formatted("\"{}\" has it", owner->second));
  }

  void add_defining(const ConfigSection& section, StreamOptions& stream) {
    const std::optional<ConfigValue> defines = section.find("definesMBSize");
    if (!defines || !defines->as<bool>()) return;
    if (kind_ == DeserializerKind::binary) {
      defines->warn("ignored", "no definesMBSize: a CBF file stores the length of each sequence");
      return;
    }
    if (!defining_.empty()) {
      defines->refuse("definesMBSize for one stream alone", formatted("\"{}\" has it", defining_));
    }
    stream.defines_minibatch_size = true;
    defining_ = stream.name;
  }

  const DeserializerKind kind_;
  std::vector<StreamOptions> streams_;
  std::map<std::string, std::string> owners_;  // streams, by their names in the file
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

// Settings of text, which a binary file does not have.
void read_text_settings(const ConfigSection& section, const ReaderWideOptions& wide,
                        FilesSpec& files, ReaderPlan& plan) {
  FormatOptions& format = files.format;
  format.format = "ctf";
  format.skip_sequence_ids = section.get<bool>("skipSequenceIds", false);
  format.keys = wide.keys;
  if (const auto size = section.find("chunkSizeInBytes")) {
    format.chunk_size_bytes = size->as_count(1, kChunkSizeMax);
  }
  if (const auto cache = section.find("cacheIndex")) {
    format.index.mode = cache->as<bool>() ? IndexMode::automatic : IndexMode::off;
  }
  if (const auto errors = section.find("maxErrors")) add_tolerated(max_errors_of(*errors), plan);
}

}  // namespace

DeserializerKind kind_of_reader(const ConfigValue& reader_type) {
  return find_kind(reader_type, kReaderTypes);
}

DeserializerKind kind_of_deserializer(const ConfigSection& deserializer) {
  return find_kind(deserializer.at("type"), kDeserializers);
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

void add_tolerated(std::int64_t count, ReaderPlan& plan) {
  plan.read.max_errors = saturated_sum(plan.read.max_errors, count);
}

void ignore(const ConfigSection& section, std::string_view key, std::string_view reason,
            ReaderPlan& plan) {
  const std::optional<ConfigValue> value = section.find(key);
  if (!value) return;
  plan.ignored.push_back(
      {.path = value->path(), .place = value->place(), .reason = std::string(reason)});
}

void add_files(const ConfigSection& section, DeserializerKind kind, const ReaderWideOptions& wide,
               ReaderPlan& plan) {
  FilesSpec files;
  files.paths = paths_of(section.at("file"));
  FormatOptions& format = files.format;
  format.element_type = wide.element_type;
  format.missing_streams = missing_streams_of(section, wide.missing_streams);
  files.same_keys = choice<ConcatenatedKeys>(
      section, "sameKeys",
      {{"refuse", ConcatenatedKeys::distinct}, {"number", ConcatenatedKeys::number}},
      ConcatenatedKeys::distinct);
  format.compatibility = compatibility_of(section, wide.compatibility);
  if (kind == DeserializerKind::text) {
    format.streams = Inputs(own(section, "input").section(), kind).take();
    read_text_settings(section, wide, files, plan);
  } else {
    format.format = "cbf";
    format.compatibility = Compatibility::cntk;  // there, `input` renames, and chooses nothing
    if (const auto input = section.find_here("input")) {
      format.streams = Inputs(input->section(), kind).take();
    }
    for (const std::string_view key : {"skipSequenceIds", "chunkSizeInBytes", "cacheIndex"}) {
      ignore(section, key, "a CBF file says it itself", plan);
    }
    ignore(section, "maxErrors", "CNTK tolerates no error in a CBF file", plan);
  }
  ignore(section, "traceLevel", "what is told does not depend on it", plan);
  ignore(section, "numChunksToCache",
         "it went when CNTK got randomizationWindow; the memory limit says what is kept", plan);
  ignore(section, "keepDataInMemory",
         "what is read again is read from the system's cache, or kept within the memory limit",
         plan);
  plan.data.push_back(std::move(files));
}

}  // namespace sheaf::internal
