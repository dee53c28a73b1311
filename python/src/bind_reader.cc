#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "sheaf/error.h"
#include "sheaf/position.h"
#include "sheaf/reader.h"

#include "bindings.h"

namespace nb = nanobind;

namespace sheaf::python {
namespace {

// A reader takes one call at a time; Python's threads may call it as they like.
struct SharedReader {
  explicit SharedReader(const std::string& path, const ReaderOptions& options)
      : reader(path, options) {}

  std::mutex mutex;
  Reader reader;
};

// Call f(reader) alone, without the GIL: another thread may be inside, waiting for data.
template <typename F>
auto locked(SharedReader& self, F&& f) {
  const nb::gil_scoped_release release;
  const std::lock_guard lock(self.mutex);
  return f(self.reader);
}

Layout layout_named(std::string_view name) {
  for (const Layout layout :
       {Layout::padded, Layout::ragged, Layout::packed, Layout::frames, Layout::truncated}) {
    if (name == to_string(layout)) return layout;
  }
  throw ConfigError(
      "packing is \"padded\", \"ragged\", \"packed\", \"frames\" or \"truncated\": got \"" +
      std::string(name) + '"');
}

void open(SharedReader* self, const std::string& path, std::vector<StreamOptions> streams,
          const OrderOptions& order, const std::string& packing, std::int64_t row_samples,
          int threads, std::int64_t memory_limit_bytes, std::int64_t chunk_size_bytes,
          bool has_text_keys, std::int64_t max_errors, const std::optional<std::string>& position) {
  const nb::gil_scoped_release release;  // opening may wait for the disk
  ReaderOptions options;
  options.format.streams = std::move(streams);
  options.format.chunk_size_bytes = chunk_size_bytes;
  options.format.keys = has_text_keys ? KeyType::text : KeyType::numeric;
  options.order = order;
  options.packing = layout_named(packing);
  options.row_samples = row_samples;
  options.run.threads = threads;
  options.run.memory_limit_bytes = memory_limit_bytes;
  options.run.max_errors = max_errors;
  if (position) options.run.start = position_from_json(*position);
  new (self) SharedReader(path, options);
}

Minibatch next_or_stop(SharedReader& self) {
  std::optional<Minibatch> minibatch = locked(self, [](Reader& reader) { return reader.next(); });
  if (!minibatch) throw nb::stop_iteration();
  return *std::move(minibatch);
}

[[noreturn]] void throw_no_key(nb::handle key) {
  PyErr_SetObject(PyExc_KeyError, key.ptr());
  throw nb::python_error();
}

/// The bytes of a text; those that are no UTF-8 come as Python has file names.
std::string bytes_of(nb::handle text) {
  const nb::object bytes =
      nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogateescape"));
  if (!bytes.is_valid()) throw nb::python_error();
  char* data = nullptr;
  Py_ssize_t size = 0;
  if (PyBytes_AsStringAndSize(bytes.ptr(), &data, &size) != 0) throw nb::python_error();
  return {data, static_cast<std::size_t>(size)};
}

/// A number that is a key, from whatever Python takes for a whole number.
std::uint64_t number_of(nb::handle key) {
  const nb::object number = nb::steal(PyNumber_Index(key.ptr()));
  if (!number.is_valid()) throw nb::python_error();
  const unsigned long long value = PyLong_AsUnsignedLongLong(number.ptr());
  if (PyErr_Occurred() == nullptr) return value;
  PyErr_Clear();  // no key is negative, or as large as that
  throw_no_key(key);
}

Minibatch sequence(SharedReader& self, nb::object key) {
  std::optional<Minibatch> found;
  if (nb::isinstance<nb::str>(key)) {
    found = locked(self, [text = bytes_of(key)](Reader& reader) { return reader.sequence(text); });
  } else {
    found = locked(self, [number = number_of(key)](Reader& reader) {
      return reader.sequence(SequenceKey{.low = number});
    });
  }
  if (!found) throw_no_key(key);
  return *std::move(found);
}

Minibatch sequence_at(SharedReader& self, std::int64_t sweep, std::int64_t number) {
  std::optional<Minibatch> found =
      locked(self, [=](Reader& reader) { return reader.sequence_at(sweep, number); });
  if (found) return *std::move(found);
  throw nb::index_error(
      ("sweep " + std::to_string(sweep) + " has no sequence number " + std::to_string(number))
          .c_str());
}

nb::dict stats(SharedReader& self) {
  const ReaderStats stats = locked(self, [](Reader& reader) { return reader.stats(); });
  nb::dict dict;
  dict["minibatches"] = stats.minibatches;
  dict["sequences"] = stats.sequences;
  dict["samples"] = stats.samples;
  dict["sample_places"] = stats.sample_places;
  dict["padding_ratio"] = stats.padding_ratio();
  dict["holes"] = stats.holes;
  dict["error_places"] = stats.error_places;
  dict["memory_bytes_max"] = stats.memory_bytes_max;
  dict["wait_seconds"] = stats.wait_seconds;
  return dict;
}

void make_stream_options(StreamOptions* self, std::string name, std::string alias,
                         const std::vector<std::int64_t>& shape, bool sparse, bool is_double,
                         bool defines_minibatch_size) {
  new (self) StreamOptions{
      .name = std::move(name),
      .alias = std::move(alias),
      .storage = sparse ? Storage::sparse : Storage::dense,
      .sample_shape = Shape(shape),
      .element_type = is_double ? ElementType::f64 : ElementType::f32,
      .defines_minibatch_size = defines_minibatch_size,
  };
}

void make_order_options(OrderOptions* self, std::int64_t minibatch_size, bool counts_sequences,
                        std::int64_t sweeps, std::int64_t epoch_size, std::int64_t epochs,
                        bool cut_at_sweep_end, bool split_frames, std::int64_t worker_index,
                        std::int64_t worker_count, bool is_global, const std::string& algorithm,
                        std::uint64_t seed, std::optional<std::int64_t> window_chunks,
                        std::optional<std::int64_t> window_samples, std::int64_t truncation_length,
                        bool balances_count, bool is_bucketed) {
  new (self) OrderOptions{
      .minibatch_size = minibatch_size,
      .unit = counts_sequences ? MinibatchUnit::sequences : MinibatchUnit::samples,
      .sweeps = sweeps,
      .epoch_size = epoch_size,
      .epochs = epochs,
      .cut_at_sweep_end = cut_at_sweep_end,
      .split_frames = split_frames,
      .worker_index = worker_index,
      .worker_count = worker_count,
      .timeline = is_global ? Timeline::global : Timeline::local,
      .algorithm = algorithm == "keyed"  ? OrderAlgorithm::keyed
                   : algorithm == "cntk" ? OrderAlgorithm::cntk
                                         : OrderAlgorithm::file,
      .seed = seed,
      .window_chunks = window_chunks,
      .window_samples = window_samples,
      .truncation_length = truncation_length,
      .balance = balances_count ? Balance::count : Balance::cost,
      .batching = is_bucketed ? Batching::bucketed : Batching::plain,
  };
}

}  // namespace

void bind_reader(nb::module_& module) {
  nb::class_<StreamOptions>(module, "StreamOptions")
      .def("__init__", make_stream_options, nb::arg("name"), nb::arg("alias"), nb::arg("shape"),
           nb::arg("sparse"), nb::arg("is_double"), nb::arg("defines_minibatch_size"));

  nb::class_<OrderOptions>(module, "OrderOptions")
      .def("__init__", make_order_options, nb::kw_only(), nb::arg("minibatch_size"),
           nb::arg("counts_sequences"), nb::arg("sweeps"), nb::arg("epoch_size"), nb::arg("epochs"),
           nb::arg("cut_at_sweep_end"), nb::arg("split_frames"), nb::arg("worker_index"),
           nb::arg("worker_count"), nb::arg("is_global"), nb::arg("algorithm"), nb::arg("seed"),
           nb::arg("window_chunks").none(), nb::arg("window_samples").none(),
           nb::arg("truncation_length"), nb::arg("balances_count"), nb::arg("is_bucketed"));

  nb::class_<SharedReader>(module, "Reader")
      .def("__init__", open, nb::arg("path"), nb::arg("streams"), nb::kw_only(), nb::arg("order"),
           nb::arg("packing"), nb::arg("row_samples"), nb::arg("threads"),
           nb::arg("memory_limit_bytes"), nb::arg("chunk_size_bytes"), nb::arg("has_text_keys"),
           nb::arg("max_errors"), nb::arg("position").none())
      .def(
          "__iter__", [](nb::handle self) { return nb::borrow(self); },
          nb::sig("def __iter__(self) -> typing.Iterator[Minibatch]"))
      .def("__next__", next_or_stop)
      .def("sequence", sequence, nb::arg("key"),
           nb::sig("def sequence(self, key: int | str) -> Minibatch"),
           "The first sequence of the file with this key, packed alone; KeyError where there is "
           "none. The reader stays where it is.")
      .def("sequence_at", sequence_at, nb::arg("sweep"), nb::arg("number"),
           "The sequence that a sweep delivers as its number-th, from 0, counted over all workers, "
           "packed alone; IndexError where there is none. The reader stays where it is.")
      .def_prop_ro(
          "position",
          [](SharedReader& self) {
            return to_json(locked(self, [](Reader& reader) { return reader.position(); }));
          },
          "Where the reader stands, after the last minibatch it gave: a string, for "
          "Reader(position=...).")
      .def_prop_ro("stats", stats, nb::sig("def stats(self) -> dict[str, typing.Any]"),
                   "What the reader did so far. padding_ratio is the share of sample_places, the "
                   "rows of the arrays, that hold none of the samples.")
      .def_prop_ro(
          "diagnostics",
          [](SharedReader& self) {
            const auto diagnostics = locked(self, [](Reader& reader) {
              return std::vector(reader.diagnostics().begin(), reader.diagnostics().end());
            });
            return to_python(diagnostics);
          },
          nb::sig("def diagnostics(self) -> list[sheaf.errors.Diagnostic]"),
          "The wrong places met so far in what was delivered.")
      .def_prop_ro(
          "warnings",
          [](SharedReader& self) {
            return to_python(locked(self, [](Reader& reader) { return reader.warnings(); }));
          },
          nb::sig("def warnings(self) -> list[sheaf.errors.Diagnostic]"),
          "What is worth knowing though nothing is wrong, as far as it is known by now.");
}

}  // namespace sheaf::python
