// CNTK has two kinds of readers. A stand-alone reader reads one file, and a single section
// describes it. The composite reader joins deserializers. The settings of both have the same names,
// but different defaults and units of measure. Most of this file deals with these differences.

#include "sheaf/config_reader.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "cntk/config_choice.h"
#include "cntk/config_files.h"
#include "cntk/config_images.h"
#include "cntk/config_streams.h"
#include "cntk/config_tree.h"
#include "cntk/conversions.h"

namespace sheaf {
namespace {

using internal::ReaderPlan;
using internal::ReaderWideOptions;

constexpr std::string_view kUsualReader = "CNTKTextFormatReader";
constexpr std::int64_t kChunkSizeMax = std::int64_t{1} << 40;
constexpr std::int64_t kDefaultChunkSize = std::int64_t{32} << 20;

ElementType precision_of(const ConfigSection& section) {
  return internal::choice<ElementType>(section, "precision",
                                       {{"float", ElementType::f32}, {"double", ElementType::f64}},
                                       ElementType::f32);
}

// Returns whether the reader shuffles. The setting is a bool, or a word: `none` means false, as in
// CNTK, and `auto` means true, as in the oldest documents.
bool randomizes(const ConfigSection& section) {
  const std::optional<ConfigValue> value = section.find("randomize");
  if (!value) return true;
  const auto text = value->as<std::string>();
  if (internal::is_same_ignoring_case(text, "none")) return false;
  if (internal::is_same_ignoring_case(text, "auto")) {
    value->warn("auto", "true or false", "CNTK 2.x refuses auto for this reader; taken for true");
    return true;
  }
  return value->as<bool>();
}

/// The settings of the window in a section, as far as there are any.
struct WindowSettings {
  std::optional<ConfigValue> size;
  std::optional<bool> counts_samples;
};

WindowSettings window_settings(const ConfigSection& section) {
  WindowSettings settings;
  settings.size = section.find("randomizationWindow");
  if (const auto unit = section.find("sampleBasedRandomizationWindow")) {
    settings.counts_samples = unit->as<bool>();
  }
  return settings;
}

// CNTK counts windows in 64 bits without a sign. No data have more than kAll chunks or samples.
void set_window(const ConfigValue& size, bool counts_samples, OrderOptions& order) {
  const std::optional<std::uint64_t> count = internal::unsigned_of(size.as<std::string>());
  const bool has_all = count && *count > static_cast<std::uint64_t>(kAll);
  (counts_samples ? order.window_samples : order.window_chunks) = has_all ? kAll : size.as_count(1);
}

bool is_zero(const ConfigValue& value) {
  return internal::unsigned_of(value.as<std::string>()) == 0;
}

std::int64_t chunk_size_of(const ConfigSection& section) {
  const std::optional<ConfigValue> value = section.find("chunkSizeInBytes");
  return value ? value->as_count(1, kChunkSizeMax) : kDefaultChunkSize;
}

// If the settings do not say what the window counts, it counts chunks. Without a window, it has 4
// GiB of chunks, or all samples.
void set_stand_alone_order(const ConfigSection& section, const CntkNames& names,
                           OrderOptions& order) {
  const WindowSettings window = window_settings(section);
  if (window.size && is_zero(*window.size)) {
    window.size->warn("window", "at least 1", "0 turns randomization off, as it does in CNTK");
    return;
  }
  order.algorithm = OrderAlgorithm::cntk;
  const bool counts_samples = window.counts_samples.value_or(false);
  if (window.size) {
    set_window(*window.size, counts_samples, order);
  } else if (counts_samples) {
    order.window_samples = kAll;
  } else {
    order.window_chunks =
        default_window_chunks(names.cuts_chunks() ? chunk_size_of(section) : kDefaultChunkSize);
  }
}

// If the settings do not say what the window counts, it counts samples. Without a window, it has
// all samples, or 4 GiB of chunks if chunkSizeInBytes cuts files into chunks. For such files, only
// settings of the section itself count.
void set_composite_order(const ConfigSection& section, bool cuts_chunks, OrderOptions& order) {
  order.algorithm = OrderAlgorithm::cntk;
  const WindowSettings window = window_settings(section);
  if (cuts_chunks && !section.has_here("randomizationWindow")) {
    const auto counts_samples = section.find_here("sampleBasedRandomizationWindow");
    if (counts_samples && counts_samples->as<bool>()) {
      counts_samples->refuse("a randomizationWindow in samples beside it",
                             "without one, the window of text counts chunks");
    }
    order.window_chunks = default_window_chunks(chunk_size_of(section));
  } else if (window.size && is_zero(*window.size)) {
    window.size->warn("window", "at least 1", "0 means 1, as it does in CNTK");
    order.window_chunks = 1;  // one sample means the same: chunks do not mix
  } else if (window.size) {
    set_window(*window.size, window.counts_samples.value_or(true), order);
  } else {
    order.window_samples = kAll;  // in chunks, it would have all of them, too
  }
}

// Data that are not shuffled have no window, so its settings are ignored.
void ignore_window(const ConfigSection& section, ReaderPlan& plan) {
  for (const std::string_view key : {"randomizationWindow", "sampleBasedRandomizationWindow"}) {
    internal::ignore(section, key, "the order of the file has no window", plan);
  }
}

std::uint64_t seed_of(const ConfigSection& section) {
  const std::optional<ConfigValue> value = section.find("randomizationSeed");
  if (!value) return 0;
  const std::optional<std::uint64_t> seed = internal::unsigned_of(value->as<std::string>());
  if (seed) return *seed;
  throw ConfigTextError(value->diagnostic(
      "integer",
      formatted("a whole number from 0 to {}", std::numeric_limits<std::uint64_t>::max())));
}

// Returns whether the reader serves a command that writes results.
bool is_writing(const ConfigSection& section) {
  const std::optional<ConfigValue> action = section.find("action");
  return action && internal::is_same_ignoring_case(action->as<std::string>(), "write");
}

// Results are written in the order of the file, in whole sequences. Settings that say otherwise are
// ignored.
void ignore_order_of_training(const ConfigSection& section, ReaderPlan& plan) {
  for (const std::string_view key : {"randomize", "frameMode", "truncated", "truncationLength"}) {
    internal::ignore(section, key, "results are written in the order of the file, uncut", plan);
  }
}

// Returns a setting if it is true.
std::optional<ConfigValue> truth_of(const ConfigSection& section, std::string_view key) {
  std::optional<ConfigValue> value = section.find(key);
  if (value && !value->as<bool>()) value.reset();
  return value;
}

void set_packing(const ConfigSection& section, bool has_frames, ReaderPlan& plan) {
  const bool is_truncated = section.get<bool>("truncated", false);
  if (has_frames) plan.read.packing = Layout::frames;
  plan.read.order.split_frames = has_frames && plan.has_utterances;
  if (!is_truncated) {
    internal::ignore(section, "truncationLength", "truncated is false", plan);
    return;
  }
  if (has_frames) {
    section.at("truncated").refuse("either frameMode or truncated, not both");
  }
  plan.read.packing = Layout::truncated;
  plan.read.order.truncation_length = section.at("truncationLength").as_count(1);
}

// If the truncation length is left out or 0, the oldest readers use the size of a minibatch. A
// minibatch then has this many samples of each parallel utterance.
void set_oldest_packing(const ConfigSection& section, bool has_frames, ReaderPlan& plan) {
  const std::optional<ConfigValue> length = section.find("truncationLength");
  const bool is_truncated = section.get<bool>("truncated", false);
  if (has_frames || !is_truncated || (length && length->as_count() > 0)) {
    set_packing(section, has_frames, plan);
    return;
  }
  plan.read.packing = Layout::truncated;
  plan.parallel_utterances = section.find("nbruttsineachrecurrentiter");
  plan.has_pieces_of_minibatch_size = true;
}

// Sets the size of a minibatch, and everything that depends on it.
void set_minibatch_size(std::int64_t size, ReaderPlan& plan) {
  if (size < 1) throw ConfigError(formatted("minibatch_size must be at least 1: got {}", size));
  OrderOptions& order = plan.read.order;
  order.minibatch_size = size;
  if (!plan.has_pieces_of_minibatch_size) return;
  order.truncation_length = size;
  const std::optional<ConfigValue>& parallel = plan.parallel_utterances;
  if (parallel && __builtin_mul_overflow(parallel->as_count(1), size, &order.minibatch_size)) {
    parallel->refuse("fewer utterances: a minibatch has minibatch_size samples of each");
  }
}

// Each image is shuffled as a chunk, so the window has one chunk. The layout is `frames`.
void set_image_order(const ConfigSection& section, ReaderPlan& plan) {
  ignore_window(section, plan);
  plan.read.order.algorithm = OrderAlgorithm::cntk;
  plan.read.order.window_chunks = 1;
  plan.read.packing = Layout::frames;
}

// Lists the settings that change nothing in any reader.
void ignore_all(const ConfigSection& section, ReaderPlan& plan) {
  constexpr std::pair<std::string_view, std::string_view> kIgnored[] = {
      {"verbosity", "what is told does not depend on it"},
      {"traceLevel", "what is told does not depend on it"},
      {"prefetch", "sheaf always reads ahead"},
      {"multiThreadedDeserialization", "sheaf decodes on all its threads"},
      {"checkData", "it has no effect in CNTK; sheaf always checks"},
      {"keepDataInMemory", "what is read again is kept within the memory limit"},
  };
  for (const auto& [key, reason] : kIgnored) internal::ignore(section, key, reason, plan);
  if (plan.parallel_utterances) return;
  internal::ignore(section, "nbruttsineachrecurrentiter", "the packer chooses the slots", plan);
}

// Returns whether the oldest readers of images shuffle.
bool randomizes_images(const ConfigSection& section) {
  const std::optional<ConfigValue> value = section.find("randomize");
  if (!value) return true;
  const auto text = value->as<std::string>();
  if (internal::is_same_ignoring_case(text, "auto")) return true;
  if (!internal::is_same_ignoring_case(text, "none")) value->refuse("auto or none");
  return false;
}

// Plans the oldest readers of images.
ReaderPlan images(const ConfigSection& section, const Format& format) {
  ReaderPlan plan;
  internal::add_image_reader(section, format,
                             {.dtype = precision_of(section), .keys = KeyType::text}, plan);
  plan.read.order.timeline = Timeline::global;
  plan.read.order.seed = seed_of(section);
  plan.read.packing = Layout::frames;
  if (randomizes_images(section)) set_image_order(section, plan);
  internal::ignore(section, "numCPUThreads", "the threads of the reader are an option of the run",
                   plan);
  ignore_all(section, plan);
  return plan;
}

ReaderPlan stand_alone(const ConfigSection& section, const Format& format) {
  ReaderPlan plan;
  internal::add_files(section, format, {.dtype = precision_of(section)}, plan);
  OrderOptions& order = plan.read.order;
  order.timeline = Timeline::global;
  order.seed = seed_of(section);
  const bool is_shuffled = randomizes(section);
  if (is_shuffled) {
    set_stand_alone_order(section, *format.cntk, order);
  } else {
    ignore_window(section, plan);
  }
  if (format.cntk->has_frame_mode) {
    if (section.get<bool>("frameMode", false)) plan.read.packing = Layout::frames;
  } else {
    for (const std::string_view key : {"frameMode", "truncated", "truncationLength"}) {
      internal::ignore(section, key, "in CNTK, this reader delivers whole sequences", plan);
    }
  }
  ignore_all(section, plan);
  return plan;
}

// By default, keys are texts if there is speech. Otherwise they are numbers, which is also the
// default of the formats.
std::optional<KeyType> keys_of(const ConfigSection& section, bool has_speech) {
  const bool is_told = section.find("useNumericSequenceKeys").has_value();
  const bool are_numbers = section.get<bool>("useNumericSequenceKeys", !has_speech);
  const std::optional<ConfigValue> hashes = section.find("hashSequenceKeys");
  if (hashes && hashes->as<bool>() && are_numbers) {
    hashes->refuse("no hashSequenceKeys where keys are numbers",
                   "useNumericSequenceKeys=false makes them texts");
  }
  if (!are_numbers) return KeyType::text;
  return is_told ? std::optional(KeyType::numeric) : std::nullopt;
}

MissingSequences missing_of(const ConfigSection& section) {
  return internal::choice<MissingSequences>(section, "missingSequences",
                                            {{"drop", MissingSequences::drop},
                                             {"error", MissingSequences::error},
                                             {"absent", MissingSequences::absent}},
                                            MissingSequences::drop);
}

ReaderPlan composite(const ConfigSection& section, const ConfigValue& deserializers,
                     std::span<const Format> formats) {
  ReaderPlan plan;
  const std::vector<ConfigSection> members = deserializers.sections();
  if (members.empty()) deserializers.refuse("at least one deserializer");
  std::vector<const Format*> rows;
  rows.reserve(members.size());
  for (const ConfigSection& member : members) {
    rows.push_back(&internal::format_of_deserializer(member, formats));
  }
  const bool has_speech =
      std::ranges::any_of(rows, [](const Format* row) { return row->cntk->makes_text_keys(); });
  const bool cuts_chunks =
      std::ranges::any_of(rows, [](const Format* row) { return row->cntk->cuts_chunks(); });
  const bool writes = is_writing(section);
  const ReaderWideOptions wide{
      .dtype = precision_of(section),
      .keys = keys_of(section, has_speech),
      .compatibility = internal::compatibility_of(section, Compatibility::strict),
      .missing_streams = internal::missing_streams_of(section, MissingStreams::error),
      .frames = writes ? std::nullopt : truth_of(section, "frameMode"),
      .truncated = writes ? std::nullopt : truth_of(section, "truncated")};
  for (std::size_t i = 0; i < members.size(); ++i) {
    static_cast<void>(members[i].find("module"));
    static_cast<void>(members[i].find("composable"));
    if (rows[i]->cntk->images != nullptr) {
      internal::add_images(members[i], *rows[i], wide, plan);
    } else if (rows[i]->cntk->stream != nullptr) {
      internal::add_input_stream(members[i], *rows[i], wide, plan);
    } else {
      internal::add_files(members[i], *rows[i], wide, plan);
    }
  }
  if (const auto errors = section.find("maxErrors")) {
    internal::add_tolerated(internal::max_errors_of(*errors), plan);
  }
  plan.missing = missing_of(section);
  OrderOptions& order = plan.read.order;
  order.seed = seed_of(section);
  const bool is_shuffled = !writes && randomizes(section);
  if (!section.get<bool>("localTimeline", true)) order.timeline = Timeline::global;
  if (writes) {
    ignore_order_of_training(section, plan);
  } else {
    set_packing(section, wide.frames.has_value(), plan);
  }
  if (is_shuffled && plan.has_image_chunks && plan.data.size() == 1) {
    if (window_settings(section).size) {
      plan.read.packing = Layout::frames;
      set_composite_order(section, false, order);
    } else {
      set_image_order(section, plan);
    }
  } else if (is_shuffled) {
    set_composite_order(section, cuts_chunks, order);
  } else {
    ignore_window(section, plan);
  }
  ignore_all(section, plan);
  return plan;
}

// Warns of settings that belong to the section of the trainer, and have no effect here.
void warn_of_trainer_settings(const ConfigSection& section) {
  for (const std::string_view key : {"minibatchSize", "epochSize", "maxEpochs"}) {
    if (const auto value = section.find_here(key)) {
      value->warn("unknown", "a setting of readers",
                  "it is the trainer's (SGD); who reads says how large minibatches and epochs are");
    }
  }
}

// Applies to speech only. The first data set gives the number of frames. The other data sets have
// at least as many, or are repeated. Frames behind the last one belong to context windows, so they
// stay. Truncated sequences have the same length in all streams.
void set_lengths(const ReaderPlan& plan, JoinSpec& join) {
  const OrderOptions& order = plan.read.order;
  if (order.split_frames) {
    join.lengths = Lengths::at_least;
  } else if (plan.has_utterances && order.truncation_length) {
    join.lengths = Lengths::equal;
  } else {
    return;
  }
  if (plan.repeated.empty()) return;
  for (const FilesSpec& files : plan.data) {
    for (const StreamOptions& stream : files.format.streams) {
      if (std::ranges::find(plan.repeated, stream.name) != plan.repeated.end()) continue;
      join.length_streams.push_back(stream.name);
    }
  }
}

// Keeps all streams except those that only transforms read.
void drop_streams(const ReaderPlan& plan, std::vector<TransformSpec>& transforms) {
  if (plan.dropped.empty()) return;
  TransformSpec select{.type = "select"};
  for (const FilesSpec& files : plan.data) {
    for (const StreamOptions& stream : files.format.streams) {
      if (std::ranges::find(plan.dropped, stream.name) == plan.dropped.end()) {
        select.streams.push_back(stream.name);
      }
    }
  }
  transforms.push_back(std::move(select));
}

DataSpec joined(ReaderPlan& plan) {
  std::vector<TransformSpec> transforms;
  for (const std::string& name : plan.repeated) {
    transforms.push_back({.type = "broadcast",
                          .streams = {name},
                          .options = {{"like", plan.data.front().format.streams.front().name}}});
  }
  std::ranges::move(plan.transforms, std::back_inserter(transforms));
  drop_streams(plan, transforms);
  if (plan.data.size() == 1) return {std::move(plan.data.front()), std::move(transforms)};
  JoinSpec join;
  join.missing_sequences = plan.missing;
  set_lengths(plan, join);
  for (FilesSpec& files : plan.data) join.members.push_back({std::move(files)});
  return {std::move(join), std::move(transforms)};
}

// The window of the oldest readers is a number of samples, or all of them. The method rollingWindow
// has an order of its own, unless it does not shuffle.
void set_speech_order(const ConfigSection& section, OrderOptions& order) {
  const std::optional<ConfigValue> method = section.find("readMethod");
  const std::optional<ConfigValue> window = section.find("randomize");
  const std::string word = method ? method->as<std::string>() : "blockRandomize";
  const bool is_shuffled = internal::is_same_ignoring_case(word, "blockRandomize");
  const std::string size = window ? window->as<std::string>() : "auto";
  const bool is_none = internal::is_same_ignoring_case(size, "none");
  if (!is_shuffled && !internal::is_same_ignoring_case(word, "none")) {
    const bool is_rolling = internal::is_same_ignoring_case(word, "rollingWindow");
    if (!is_rolling || !is_none) {
      method->refuse("blockRandomize or none",
                     is_rolling ? "rollingWindow needs randomize=none: the order of the file" : "");
    }
  }
  if (!is_shuffled) return;
  if (is_none) window->refuse("auto, or a window in samples", "readMethod=none turns it off");
  order.algorithm = OrderAlgorithm::cntk;
  const bool is_auto = internal::is_same_ignoring_case(size, "auto");
  order.window_samples = is_auto ? kAll : window->as_count(1);
}

// Plans a reader of speech. Each stream has a section of its own, next to the settings.
ReaderPlan speech(const ConfigSection& section, const ConfigValue& type,
                  std::span<const Format> formats) {
  ReaderPlan plan;
  const bool has_frames = section.get<bool>("frameMode", true);
  const bool writes = is_writing(section);
  std::optional<ConfigValue> frames;
  if (has_frames && !writes) frames = section.has("frameMode") ? section.find("frameMode") : type;
  const ReaderWideOptions wide{
      .dtype = precision_of(section),
      .keys = keys_of(section, true),
      .compatibility = internal::compatibility_of(section, Compatibility::strict),
      .frames = std::move(frames),
      .truncated = truth_of(section, "truncated")};
  internal::add_child_streams(section, type, formats, wide, plan);
  if (const auto errors = section.find("maxErrors")) {
    internal::add_tolerated(internal::max_errors_of(*errors), plan);
  }
  OrderOptions& order = plan.read.order;
  order.timeline = Timeline::global;
  order.seed = seed_of(section);
  set_speech_order(section, order);
  if (writes && order.algorithm != OrderAlgorithm::file) {
    section.at("action").refuse("readMethod=none beside it",
                                "results are written in the order of the file");
  }
  set_oldest_packing(section, has_frames && !writes, plan);
  constexpr std::pair<std::string_view, std::string_view> kIgnored[] = {
      {"miniBatchMode", "it has no effect in CNTK"},
      {"useMersenneTwisterRand", "the order is CNTK's anyway"},
      {"minimizeReaderMemoryFootprint", "the memory limit says what is held"},
      {"seqTrainCriterion", "sheaf delivers features and labels, and trains no model"},
  };
  for (const auto& [key, reason] : kIgnored) internal::ignore(section, key, reason, plan);
  ignore_all(section, plan);
  return plan;
}

}  // namespace

ConfiguredReader configured_reader(const ConfigSection& section, std::span<const Format> formats,
                                   std::int64_t minibatch_size) {
  if (const auto readers = section.find("readers")) {
    readers->refuse("readerType or deserializers", "sections of several readers are not read yet");
  }
  const std::optional<ConfigValue> deserializers = section.find("deserializers");
  const std::optional<ConfigValue> type = section.find("readerType");
  ReaderPlan plan;
  if (deserializers) {
    plan = composite(section, *deserializers, formats);
  } else if (type) {
    const Format& format = internal::format_of_reader(*type, formats);
    if (format.cntk->images != nullptr) {
      plan = images(section, format);
    } else if (format.cntk->stream != nullptr) {
      plan = speech(section, *type, formats);
    } else {
      plan = stand_alone(section, format);
    }
  } else if (const Format* const usual = find_cntk_format(kUsualReader, formats)) {
    plan = stand_alone(section, *usual);
  } else {
    static_cast<void>(section.at("readerType"));
  }
  set_minibatch_size(minibatch_size, plan);
  // A trainer that reads a configuration asks for this.
  plan.read.order.sweep_ends = SweepEnds::cut;
  warn_of_trainer_settings(section);
  constexpr std::array<std::string_view, 3> kTold = {"minibatchSize", "epochSize", "maxEpochs"};
  section.warn_unused(kTold);
  return {.spec = {.data = joined(plan), .read = plan.read}, .ignored = std::move(plan.ignored)};
}

}  // namespace sheaf
