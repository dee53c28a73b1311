#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>

#include "sheaf/error.h"
#include "sheaf/extend/slab_memory.h"
#include "sheaf/position.h"
#include "sheaf/reader.h"

#include "bind/bindings.h"
#include "data.h"
#include "free_gil.h"
#include "text.h"
#include "waiting.h"

namespace nb = nanobind;

namespace sheaf::python {

namespace {

// Calls f(reader) under the mutex and without the GIL, because another thread may hold the mutex
// while it waits for data.
template <typename F>
auto locked(Run& self, F&& f) {
  self.check();
  const FreeGil free;
  const auto lock = lock_interruptibly(self.mutex);
  if (!self.reader) throw ConfigError("the Reader is closed");
  return f(*self.reader);
}

void start(Run* self, std::shared_ptr<const Data> data, const std::optional<std::string>& position,
           nb::object memory) {
  auto* const arrays = memory.is_none() ? nullptr : nb::cast<SlabMemory*>(memory);
  const FreeGil free;  // the first step may wait for the disk
  Reader reader = position ? data->run(position_from_json(*position), arrays) : data->still();
  new (self) Run;
  self->data = std::move(data);
  if (arrays != nullptr) self->memory = std::move(memory);
  self->reader = std::move(reader);
}

void close(Run& self) {
  self.check();
  {
    const FreeGil free;
    const auto lock = lock_interruptibly(self.mutex);
    self.reader.reset();
  }
  self.data.reset();  // needs the GIL, because check() reads it
}

/// Returns the next minibatch if it is ready. Keeps the GIL, because a busy thread that takes the
/// GIL would keep it for milliseconds.
std::optional<Minibatch> next_if_ready(Run& self) {
  self.check();
  const std::unique_lock lock(self.mutex, std::try_to_lock);
  if (!lock.owns_lock() || !self.reader || !self.reader->is_ready()) return std::nullopt;
  return self.reader->next();
}

Minibatch next_minibatch(Run& self) {
  std::optional<Minibatch> minibatch = next_if_ready(self);
  if (minibatch) return *std::move(minibatch);
  minibatch = locked(self, [](Reader& reader) { return reader.next(); });
  if (!minibatch) throw nb::stop_iteration();
  return *std::move(minibatch);
}

nb::object next_or_stop(Run& self) {
  nb::object minibatch = nb::cast(next_minibatch(self));
  if (self.memory.is_valid()) nb::keep_alive_obj(minibatch, self.memory);
  return minibatch;
}

[[noreturn]] void throw_no_key(nb::handle key) {
  PyErr_SetObject(PyExc_KeyError, key.ptr());
  throw nb::python_error();
}

/// Returns the numeric key for any object that Python takes for a whole number.
///
/// Throws: python_error, KeyError if no key can have the value.
std::uint64_t number_of(nb::handle key) {
  const nb::object number = nb::steal(PyNumber_Index(key.ptr()));
  if (!number.is_valid()) throw nb::python_error();
  const unsigned long long value = PyLong_AsUnsignedLongLong(number.ptr());
  if (PyErr_Occurred() == nullptr) return value;
  PyErr_Clear();  // keys are from 0 to 2^64 - 1
  throw_no_key(key);
}

Minibatch sequence(Run& self, nb::object key, std::int64_t sweep) {
  std::optional<Minibatch> found;
  if (nb::isinstance<nb::str>(key)) {
    std::string text;
    if (!set_bytes_of(key, text)) {  // no key has this text
      PyErr_Clear();
      throw_no_key(key);
    }
    found = locked(self, [&](Reader& reader) { return reader.sequence(text, sweep); });
  } else {
    found = locked(self, [number = number_of(key), sweep](Reader& reader) {
      return reader.sequence(SequenceKey{.low = number}, sweep);
    });
  }
  if (!found) throw_no_key(key);
  return *std::move(found);
}

Minibatch sequence_at(Run& self, std::int64_t sweep, std::int64_t number) {
  std::optional<Minibatch> found =
      locked(self, [=](Reader& reader) { return reader.sequence_at(sweep, number); });
  if (found) return *std::move(found);
  throw nb::index_error(
      ("sweep " + std::to_string(sweep) + " has no sequence number " + std::to_string(number))
          .c_str());
}

nb::dict stats(Run& self) {
  const ReaderStats stats = locked(self, [](Reader& reader) { return reader.stats(); });
  nb::dict dict;
  dict["minibatches"] = stats.minibatches;
  dict["sequences"] = stats.sequences;
  dict["samples"] = stats.samples;
  dict["sample_places"] = stats.sample_places;
  dict["padding_ratio"] = stats.padding_ratio();
  dict["holes"] = stats.holes;
  dict["error_places"] = stats.error_count;
  dict["memory_bytes_max"] = stats.memory_bytes_max;
  dict["cache_hits"] = stats.cache_hits;
  dict["cache_misses"] = stats.cache_misses;
  dict["wait_seconds"] = stats.wait_seconds;
  return dict;
}

}  // namespace

void bind_run(nb::module_& module) {
  nb::class_<Run>(module, "Run", nb::dynamic_attr(),
                  "An iterator over the rest of an epoch. Without a position, only random access.")
      .def("__init__", start, nb::arg("data"), nb::arg("position").none(),
           nb::arg("memory") = nb::none(),
           nb::sig("def __init__(self, data: Data, position: str | None, "
                   "memory: SlabMemory | None = None) -> None"))
      .def("close", close)
      .def("__next__", next_or_stop, nb::sig("def __next__(self) -> Minibatch"))
      .def("sequence", sequence, nb::arg("key"), nb::arg("sweep"),
           nb::sig("def sequence(self, key: int | str, sweep: int) -> Minibatch"),
           "Return a minibatch with only the first sequence that has this key, transformed as in "
           "the sweep.")
      .def("sequence_at", sequence_at, nb::arg("sweep"), nb::arg("number"),
           "Return a minibatch with only the sequence that a sweep delivers as number `number`, "
           "from 0.")
      .def_prop_ro(
          "position",
          [](Run& self) {
            return to_json(locked(self, [](Reader& reader) { return reader.position(); }));
          },
          "The position after the last delivered minibatch, as JSON.")
      .def_prop_ro("stats", stats, nb::sig("def stats(self) -> dict[str, typing.Any]"),
                   "Counts and times of the run so far.")
      .def_prop_ro(
          "diagnostics",
          [](Run& self) {
            const auto diagnostics = locked(self, [](Reader& reader) {
              return std::vector(reader.diagnostics().begin(), reader.diagnostics().end());
            });
            return to_python(diagnostics);
          },
          nb::sig("def diagnostics(self) -> list[sheaf.errors.Diagnostic]"),
          "Descriptions of the first hundred errors in the data delivered so far.")
      .def_prop_ro(
          "warnings",
          [](Run& self) {
            return to_python(locked(self, [](Reader& reader) { return reader.warnings(); }));
          },
          nb::sig("def warnings(self) -> list[sheaf.errors.Diagnostic]"),
          "The warnings so far: first about delivered sequences, then about the data as a whole.");
}

}  // namespace sheaf::python
