// Converts keywords to the options of the library, and opens data.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "sheaf/config_reader.h"
#include "sheaf/extend/concatenate.h"
#include "sheaf/extend/config.h"
#include "sheaf/position.h"
#include "sheaf/spec.h"

#include "bind/bind_contents.h"
#include "bind/bindings.h"
#include "choice.h"
#include "data.h"
#include "element_types.h"
#include "free_gil.h"
#include "text.h"

namespace nb = nanobind;

namespace sheaf::python {
namespace {

std::optional<ElementType> optional_type(const std::optional<std::string>& dtype) {
  if (!dtype) return std::nullopt;
  return element_type_named(*dtype);
}

Layout layout_named(std::string_view name) {
  return choice<Layout>("packing", name,
                        {{"padded", Layout::padded},
                         {"ragged", Layout::ragged},
                         {"packed", Layout::packed},
                         {"frames", Layout::frames},
                         {"truncated", Layout::truncated}});
}

void make_stream_options(StreamOptions* self, std::string name, std::string alias,
                         const std::optional<std::vector<std::int64_t>>& shape, bool sparse,
                         const std::optional<std::string>& dtype, bool has_long_indices,
                         bool defines_minibatch_size) {
  new (self) StreamOptions{
      .name = std::move(name),
      .alias = std::move(alias),
      .storage = sparse ? Storage::sparse : Storage::dense,
      .sample_shape = shape ? std::optional<Shape>(*shape) : std::nullopt,
      .dtype = dtype == "bytes" ? ElementType::bytes : optional_type(dtype),
      .index_dtype = has_long_indices ? ElementType::i64 : ElementType::i32,
      .defines_minibatch_size = defines_minibatch_size,
  };
}

// Pre: whole numbers fit in 64 bits.
void set_padding(Plan& self, const nb::dict& pad_values, const std::string& pad_side,
                 std::int64_t pad_multiple, std::int64_t pad_length) {
  Padding padding{
      .pad_values = {},
      .pad_side = choice<PadSide>("pad_side", pad_side,
                                  {{"right", PadSide::right}, {"left", PadSide::left}}),
      .pad_multiple = unless_zero(pad_multiple),
      .pad_length = unless_zero(pad_length),
  };
  for (const auto& [name, value] : pad_values) {
    padding.pad_values.insert_or_assign(nb::cast<std::string>(name),
                                        nb::isinstance<nb::int_>(value)
                                            ? PadValue(nb::cast<std::int64_t>(value))
                                            : PadValue(nb::cast<double>(value)));
  }
  self.spec.read.padding = std::move(padding);
}

SweepEnds sweep_ends_named(const std::string& name) {
  return choice<SweepEnds>("sweep_ends", name,
                           {{"cross", SweepEnds::cross}, {"cut", SweepEnds::cut}});
}

void make_order_options(OrderOptions* self, std::int64_t minibatch_size, const std::string& unit,
                        std::int64_t sweeps, std::int64_t epoch_size, std::int64_t rank,
                        std::int64_t world_size, const std::string& order, std::uint64_t seed,
                        std::optional<std::int64_t> window_chunks,
                        std::optional<std::int64_t> window_samples, const std::string& sweep_ends,
                        const std::string& timeline, const std::string& balance,
                        const std::string& batching, const std::string& sizes, bool drop_last,
                        bool split_frames, std::int64_t truncation_length,
                        const std::string& long_sequences) {
  new (self) OrderOptions{
      .minibatch_size = minibatch_size,
      .unit = choice<MinibatchUnit>("unit", unit,
                                    {{"samples", MinibatchUnit::samples},
                                     {"sequences", MinibatchUnit::sequences},
                                     {"cost", MinibatchUnit::cost}}),
      .sweeps = unless_zero(sweeps),
      .epoch_size = unless_zero(epoch_size),
      .sweep_ends = sweep_ends_named(sweep_ends),
      .split_frames = split_frames,
      .long_sequences = choice<LongSequences>("long", long_sequences,
                                              {{"error", LongSequences::error},
                                               {"split", LongSequences::split},
                                               {"truncate", LongSequences::truncate},
                                               {"drop", LongSequences::drop}}),
      .worker_index = rank,
      .worker_count = world_size,
      .timeline = choice<Timeline>("timeline", timeline,
                                   {{"local", Timeline::local}, {"global", Timeline::global}}),
      .algorithm = choice<OrderAlgorithm>("order", order,
                                          {{"file", OrderAlgorithm::file},
                                           {"cntk", OrderAlgorithm::cntk},
                                           {"keyed", OrderAlgorithm::keyed}}),
      .seed = seed,
      .window_chunks = window_chunks,
      .window_samples = window_samples,
      .truncation_length = unless_zero(truncation_length),
      .balance =
          choice<Balance>("balance", balance, {{"cost", Balance::cost}, {"count", Balance::count}}),
      .batching = choice<Batching>("batching", batching,
                                   {{"plain", Batching::plain}, {"bucketed", Batching::bucketed}}),
      .sizes = choice<Sizes>("sizes", sizes, {{"even", Sizes::even}, {"exact", Sizes::exact}}),
      .drop_last = drop_last,
  };
}

void make_format_options(FormatOptions* self, const std::string& format,
                         const std::map<std::string, std::string>& format_options,
                         const std::optional<std::string>& dtype,
                         const std::optional<std::string>& keys, const std::string& missing_streams,
                         const std::string& compatibility, bool skip_sequence_ids,
                         std::int64_t chunk_size, const std::string& index,
                         const std::string& index_dir, bool shares_options) {
  new (self) FormatOptions{
      .format = format,
      .dtype = optional_type(dtype),
      .chunk_size_bytes = chunk_size,
      .compatibility =
          choice<Compatibility>("compatibility", compatibility,
                                {{"strict", Compatibility::strict}, {"cntk", Compatibility::cntk}}),
      .missing_streams = choice<MissingStreams>(
          "missing_streams", missing_streams,
          {{"error", MissingStreams::error}, {"allow", MissingStreams::allow}}),
      .keys = keys ? std::optional(choice<KeyType>(
                         "keys", *keys, {{"numeric", KeyType::numeric}, {"text", KeyType::text}}))
                   : std::nullopt,
      .skip_sequence_ids = skip_sequence_ids,
      .index = {.mode = index_mode_named(index), .directory = index_dir},
      .extra = format_options,
      .shares_extra = shares_options,
  };
}

void add_files(Plan& self, std::vector<std::string> paths, std::vector<StreamOptions> streams,
               const FormatOptions& format, const std::string& same_keys) {
  FilesSpec files{.files = std::move(paths),
                  .format = format,
                  .same_keys = choice<ConcatenatedKeys>("same_keys", same_keys,
                                                        {{"refuse", ConcatenatedKeys::distinct},
                                                         {"number", ConcatenatedKeys::number}})};
  files.format.streams = std::move(streams);
  self.add({std::move(files)});
}

// Sets the size of the chunks of the members that are the object with this name.
void set_chunk_size(DataSpec& data, std::string_view object, std::int64_t chunk_size_bytes) {
  if (auto* const own = std::get_if<ObjectSpec>(&data.content); own && own->name == object) {
    own->chunk_size_bytes = chunk_size_bytes;
  }
  for (DataSpec& member : members_of(data)) set_chunk_size(member, object, chunk_size_bytes);
}

// Sets the order. Adds a window to a shuffled order that has none.
void set_order(Plan& self, const OrderOptions& order, std::int64_t chunk_size_bytes) {
  self.spec.read.order = order;
  const bool has_window = order.window_chunks || order.window_samples;
  if (order.algorithm != OrderAlgorithm::file && !has_window) {
    self.spec.read.order.window_chunks = default_window_chunks(chunk_size_bytes);
  }
}

// Sets the lengths of epochs and the workers, which plan_of_config() does not set.
void set_sizes(Plan& self, const OrderOptions& order) {
  OrderOptions& own = self.spec.read.order;
  own.unit = order.unit;
  own.sweeps = order.sweeps;
  own.epoch_size = order.epoch_size;
  own.worker_index = order.worker_index;
  own.worker_count = order.worker_count;
}

void set_worker(Plan& self, std::int64_t rank, std::int64_t world_size) {
  OrderOptions order = order_of(self.spec);
  order.worker_index = rank;
  order.worker_count = world_size;
  self.spec.read.order = order;
}

void set_missing_sequences(Plan& self, const std::string& word) {
  const auto missing = choice<MissingSequences>("missing_sequences", word,
                                                {{"drop", MissingSequences::drop},
                                                 {"error", MissingSequences::error},
                                                 {"absent", MissingSequences::absent}});
  if (auto* const join = std::get_if<JoinSpec>(&self.spec.data.content))
    join->missing_sequences = missing;
}

void set_lengths(Plan& self, const std::string& word, std::int64_t tolerance,
                 const std::vector<std::string>& streams) {
  const auto lengths = choice<Lengths>("lengths", word,
                                       {{"any", Lengths::any},
                                        {"equal", Lengths::equal},
                                        {"primary", Lengths::primary},
                                        {"at_least", Lengths::at_least}});
  if (tolerance < 0) {
    throw ConfigError("length_tolerance must be at least 0: got " + std::to_string(tolerance));
  }
  auto* const join = std::get_if<JoinSpec>(&self.spec.data.content);
  if (join == nullptr) return;
  join->lengths = lengths;
  join->length_tolerance = tolerance;
  join->length_streams = streams;
}

// Appends the transforms of a JSON list.
void add_transforms(Plan& self, const std::string& json) {
  std::vector<TransformSpec>& all = self.spec.data.transforms;
  for (TransformSpec& each : parse_transforms(json, "transforms")) all.push_back(std::move(each));
}

ConfigSection chosen_section(const Config& config, const std::string& path) {
  if (!path.empty()) return config.section_at(path);
  const std::vector<ConfigSection> sections = config.reader_sections();
  if (sections.size() == 1) return sections.front();
  std::string all;
  for (const ConfigSection& section : sections)
    all += "\n  section=\"" + section.path().substr(1) + '"';
  throw ConfigError(sections.empty() ? "config: it has no reader section"
                                     : "config: it has several reader sections, name one:" + all);
}

// Returns the plan and the warnings of a configuration.
nb::tuple plan_of_config(const std::string& config, const std::string& section,
                         const std::vector<std::string>& settings, std::int64_t minibatch_size) {
  const Config text = Config::from_file(config, settings);
  const ConfigSection chosen = chosen_section(text, section);
  Plan plan{.spec = configured_reader(chosen, builtin_formats(), minibatch_size).spec};
  return nb::make_tuple(std::move(plan), to_python(text.warnings()));
}

// Returns the plan of a spec: the file `name`, or JSON that messages call `name`.
Plan plan_of_spec(const std::string& name, const std::optional<std::string>& json) {
  return {.spec = json ? parse_spec(*json, name) : load_spec(name)};
}

void set_index(Plan& self, const std::optional<std::string>& index,
               const std::optional<std::string>& index_dir) {
  for (FilesSpec* const files : files_of(self.spec.data)) {
    if (index) files->format.index.mode = index_mode_named(*index);
    if (index_dir) files->format.index.directory = *index_dir;
  }
}

// Sets the options of the cache. None keeps the option of the spec. 0 means no limit.
void set_cache(Plan& self, const std::optional<std::string>& cache,
               std::optional<std::int64_t> cache_limit) {
  CacheOptions& own = self.spec.read.cache;
  if (cache) own.folder = *cache;
  if (cache_limit) own.limit_bytes = unless_zero(*cache_limit);
}

std::shared_ptr<Data> resized(const Data& self, std::int64_t minibatch_size,
                              const std::string& sweep_ends, std::int64_t rank,
                              std::int64_t world_size) {
  OrderOptions order = self.plan().spec.read.order;
  order.minibatch_size = minibatch_size;
  order.sweep_ends = sweep_ends_named(sweep_ends);
  order.worker_index = rank;
  order.worker_count = world_size;
  return std::make_shared<Data>(self, order);
}

std::vector<std::string> paths_of(const Data& self) {
  std::vector<std::string> all;
  for (const FilesSpec* const files : files_of(self.plan().spec.data)) {
    const std::vector<std::string> more = find_files(files->files);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

// Returns the names of the classes of each stream, or None.
nb::list class_names_of(const Data& self) {
  nb::list list;
  for (const Stream& stream : self.deserializer().streams()) {
    if (!stream.class_names) {
      list.append(nb::none());
      continue;
    }
    nb::list names;
    for (const std::string& name : *stream.class_names) names.append(to_text(name));
    list.append(nb::tuple(names));
  }
  return list;
}

// Returns (name, shape, is sparse, element type, index type, defines minibatch size) of each
// stream.
nb::list streams_of(const Data& self) {
  nb::list list;
  for (const Stream& stream : self.deserializer().streams()) {
    nb::list shape;
    for (const std::int64_t extent : stream.sample_shape.extents()) shape.append(extent);
    list.append(nb::make_tuple(stream.name, nb::tuple(shape), stream.storage == Storage::sparse,
                               std::string(to_string(stream.element_type)),
                               std::string(to_string(stream.index_type)),
                               stream.defines_minibatch_size));
  }
  return list;
}

std::shared_ptr<Data> open(const Plan& plan, std::int64_t row_samples, int num_threads,
                           std::int64_t memory_limit, std::int64_t max_errors) {
  const FreeGil free;  // opening may wait for the disk
  return std::make_shared<Data>(plan, unless_zero(row_samples),
                                RunOptions{.threads = unless_zero(num_threads),
                                           .memory_limit_bytes = unless_zero(memory_limit),
                                           .max_errors = max_errors_of(plan.spec, max_errors)});
}

void check_position(const Data& self, const std::string& position) {
  check_same_run(position_from_json(position), self.identity());
}

void bind_options(nb::module_& module) {
  nb::class_<StreamOptions>(module, "StreamOptions")
      .def("__init__", make_stream_options, nb::kw_only(), nb::arg("name"), nb::arg("alias"),
           nb::arg("shape").none(), nb::arg("sparse"), nb::arg("dtype").none(),
           nb::arg("has_long_indices"), nb::arg("defines_minibatch_size"));

  nb::class_<OrderOptions>(module, "OrderOptions")
      .def("__init__", make_order_options, nb::kw_only(), nb::arg("minibatch_size"),
           nb::arg("unit"), nb::arg("sweeps"), nb::arg("epoch_size"), nb::arg("rank"),
           nb::arg("world_size"), nb::arg("order"), nb::arg("seed"),
           nb::arg("window_chunks").none(), nb::arg("window_samples").none(), nb::arg("sweep_ends"),
           nb::arg("timeline"), nb::arg("balance"), nb::arg("batching"), nb::arg("sizes"),
           nb::arg("drop_last"), nb::arg("split_frames"), nb::arg("truncation_length"),
           nb::arg("long"));

  nb::class_<FormatOptions>(module, "FormatOptions")
      .def("__init__", make_format_options, nb::kw_only(), nb::arg("format"),
           nb::arg("format_options"), nb::arg("dtype").none(), nb::arg("keys").none(),
           nb::arg("missing_streams"), nb::arg("compatibility"), nb::arg("skip_sequence_ids"),
           nb::arg("chunk_size"), nb::arg("index"), nb::arg("index_dir"),
           nb::arg("shares_options"));

  nb::class_<Plan>(module, "Plan", "The data to read, their order, and their packing.")
      .def(nb::init<>())
      .def_static("of_config", plan_of_config, nb::arg("config"), nb::arg("section"),
                  nb::arg("settings"), nb::arg("minibatch_size"),
                  nb::sig("def of_config(config: str, section: str, settings: "
                          "collections.abc.Sequence[str], minibatch_size: int) -> tuple[Plan, "
                          "list[sheaf.errors.Diagnostic]]"))
      .def_static("of_spec", plan_of_spec, nb::arg("name"), nb::arg("json").none())
      .def("to_json", [](const Plan& self) { return to_json(self.spec); })
      .def("add_files", add_files, nb::arg("paths"), nb::arg("streams"), nb::arg("format"),
           nb::arg("same_keys"))
      .def(
          "add_object",
          [](Plan& self, std::string object, std::int64_t chunk_size) {
            self.add({ObjectSpec{.name = std::move(object), .chunk_size_bytes = chunk_size}});
          },
          nb::arg("object"), nb::arg("chunk_size"),
          "Also read the object with this name. The size of its chunks gives the default window.")
      .def(
          "set_chunk_size",
          [](Plan& self, const std::string& object, std::int64_t chunk_size) {
            set_chunk_size(self.spec.data, object, chunk_size);
          },
          nb::arg("object"), nb::arg("chunk_size"),
          "Tell the size of an object's chunks, as add_object().")
      .def(
          "check_objects",
          [](const Plan& self, const std::vector<std::string>& given) {
            check_objects(self.spec.data, given);
          },
          nb::arg("given"), "Raise ConfigError unless these are the objects that the spec names.")
      .def("set_order", set_order, nb::arg("order"), nb::arg("chunk_size_bytes"))
      .def("set_sizes", set_sizes, nb::arg("order"))
      .def("set_worker", set_worker, nb::arg("rank"), nb::arg("world_size"))
      .def("set_index", set_index, nb::arg("index").none(), nb::arg("index_dir").none())
      .def_prop_ro(
          "has_cache", [](const Plan& self) { return !self.spec.read.cache.folder.empty(); },
          "Whether a cache keeps decoded sequences.")
      .def("set_cache", set_cache, nb::arg("cache").none(), nb::arg("cache_limit").none())
      .def("set_missing_sequences", set_missing_sequences, nb::arg("word"))
      .def("set_lengths", set_lengths, nb::arg("word"), nb::arg("tolerance"), nb::arg("streams"))
      .def(
          "share_format_options",
          [](Plan& self, const std::vector<std::string>& of_objects) {
            share_format_options(self.spec.data, {}, of_objects);
            std::vector<std::string> kept;
            for (const FilesSpec* const files : files_of(std::as_const(self.spec.data))) {
              for (const auto& option : files->format.extra) kept.push_back(option.first);
            }
            return kept;
          },
          nb::arg("of_objects"), nb::call_guard<FreeGil>(),
          "Remove options of other formats from each joined file. Return the names of the options "
          "that each file keeps. Raises ConfigError for an option that no format of the files has, "
          "unless of_objects names the option.")
      .def("add_transforms", add_transforms, nb::arg("json"),
           "Add transforms: a list in JSON, as in a spec.")
      .def(
          "set_part",
          [](Plan& self, const std::string& part) { self.spec.data.part = parse_part(part); },
          nb::arg("part"), "Read only a part of the data, such as \"3/8\".")
      .def(
          "drop_transforms", [](Plan& self) { self.spec.data.transforms.clear(); },
          "Read the data without transforms.")
      .def_prop_ro("has_end",
                   [](const Plan& self) {
                     const OrderOptions& order = self.spec.read.order;
                     return order.sweeps || order.epoch_size;
                   })
      .def("set_padding", set_padding, nb::arg("pad_values"), nb::arg("pad_side"),
           nb::arg("pad_multiple"), nb::arg("pad_length"),
           nb::sig("def set_padding(self, pad_values: dict[str, int | float], pad_side: str, "
                   "pad_multiple: int, pad_length: int) -> None"),
           "Set the padding. A number of 0 stands for the default.")
      .def_prop_ro("row_samples",
                   [](const Plan& self) { return self.spec.read.row_samples.value_or(0); })
      .def_prop_rw(
          "packing",
          [](const Plan& self) { return std::string(to_string(self.spec.read.packing)); },
          [](Plan& self, const std::string& name) { self.spec.read.packing = layout_named(name); });
}

}  // namespace

IndexMode index_mode_named(std::string_view name) {
  return choice<IndexMode>("index", name,
                           {{"auto", IndexMode::automatic},
                            {"off", IndexMode::off},
                            {"rebuild", IndexMode::rebuild},
                            {"require", IndexMode::require}});
}

void bind_data(nb::module_& module) {
  bind_options(module);
  using NoGil = nb::call_guard<FreeGil>;
  nb::class_<Data> type(module, "Data", nb::dynamic_attr(),
                        "Open data, and the threads that read them.");
  bind_contents(type);
  type.def(nb::new_(&open), nb::arg("plan"), nb::kw_only(), nb::arg("row_samples"),
           nb::arg("num_threads"), nb::arg("memory_limit"), nb::arg("max_errors"))
      .def_prop_ro("files", paths_of, "The paths of all files.")
      .def_prop_ro("streams", streams_of,
                   nb::sig("def streams(self) -> list[tuple[str, tuple[int, ...], bool, str, str, "
                           "bool]]"),
                   "A tuple for each stream: (name, shape, is sparse, element type, index type, "
                   "defines the minibatch size).")
      .def_prop_ro("class_names", class_names_of,
                   nb::sig("def class_names(self) -> list[tuple[str, ...] | None]"),
                   "The class names of each stream, in the order of the class ids. None for a "
                   "stream without names.")
      .def(
          "sizes",
          [](const Data& self) {
            const DataCounts counts = [&] {
              const FreeGil free;
              return self.counts();
            }();
            return nb::make_tuple(counts.chunks, counts.sequences, counts.samples);
          },
          nb::sig("def sizes(self) -> tuple[int, int, int]"),
          "Return the number of chunks, sequences and samples.")
      .def("minibatch_count", &Data::minibatch_count, nb::arg("epoch"), NoGil(),
           "Return the number of minibatches of an epoch.")
      .def(
          "begin_of",
          [](const Data& self, std::int64_t epoch) { return to_json(self.begin_of(epoch)); },
          nb::arg("epoch"), NoGil(), "Return the position where an epoch begins.")
      .def(
          "position_of",
          [](const Data& self, std::int64_t sample) { return to_json(self.position_of(sample)); },
          nb::arg("sample"), NoGil(),
          "Return the position of the first sequence that starts at or after a sample, counted "
          "from the start of the run.")
      .def("resized", resized, nb::kw_only(), nb::arg("minibatch_size"), nb::arg("sweep_ends"),
           nb::arg("rank"), nb::arg("world_size"), NoGil(),
           "Return the same open data for another minibatch size and another worker.")
      .def(
          "epoch_of",
          [](const Data& self, const std::string& position) {
            return self.epoch_of(position_from_json(position).place);
          },
          nb::arg("position"),
          "Return the epoch of a position. At the end of an epoch, return the next epoch.")
      .def("check", &check_position, nb::arg("position"),
           "Raise ConfigError if the position belongs to another run.")
      .def_prop_ro(
          "warnings", [](const Data& self) { return to_python(self.deserializer().warnings()); },
          nb::sig("def warnings(self) -> list[sheaf.errors.Diagnostic]"));
}

}  // namespace sheaf::python
