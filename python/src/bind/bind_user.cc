// Bindings of the library's calls to a deserializer or a function in Python, for
// sheaf._user.serving and sheaf._user.deserializer.

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "sheaf/error.h"

#include "bind/bindings.h"
#include "bind/capsules.h"
#include "bind/user_handles.h"
#include "choice.h"
#include "data.h"
#include "text.h"
#include "user/user_calls.h"
#include "user/user_data.h"
#include "user/user_function.h"
#include "user/user_table.h"

namespace nb = nanobind;

namespace sheaf::python {
namespace {

struct Table {
  Table(const nb::str& name, const nb::str& cost_name)
      : table(std::make_shared<UserTable>(bytes_of(name), bytes_of(cost_name))) {}

  std::shared_ptr<UserTable> table;
};

template <typename T>
using Numbers = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void add_chunk(Table& self, std::int64_t count, std::int64_t samples,
               const std::optional<Numbers<std::int64_t>>& each,
               const std::optional<Numbers<std::uint64_t>>& keys,
               const std::optional<nb::list>& texts,
               const std::optional<Numbers<std::int64_t>>& costs, std::int64_t decoded_size_bytes) {
  UserTable::NewChunk chunk{.sequence_count = count,
                            .samples = samples,
                            .each = {},
                            .keys = {},
                            .texts = {},
                            .costs = {},
                            .decoded_size_bytes = decoded_size_bytes};
  if (each) chunk.each = {each->data(), each->size()};
  if (keys) chunk.keys = {keys->data(), keys->size()};
  if (costs) chunk.costs = {costs->data(), costs->size()};
  if (texts) {
    chunk.texts.emplace();
    for (const nb::handle text : *texts) chunk.texts->push_back(bytes_of(text));
  }
  self.table->add(std::move(chunk));
}

// Returns the stream that a tuple describes: (name, shape, is sparse, element type, index type,
// defines minibatch size), as in Data.streams.
Stream stream_of(const nb::tuple& said) {
  return {.name = nb::cast<std::string>(said[0]),
          .element_type = choice<ElementType>("dtype", nb::cast<std::string>(said[3]),
                                              {{"u8", ElementType::u8},
                                               {"u16", ElementType::u16},
                                               {"i32", ElementType::i32},
                                               {"i64", ElementType::i64},
                                               {"f16", ElementType::f16},
                                               {"bf16", ElementType::bf16},
                                               {"f32", ElementType::f32},
                                               {"f64", ElementType::f64},
                                               {"bytes", ElementType::bytes}}),
          .sample_shape = Shape(nb::cast<std::vector<std::int64_t>>(said[1])),
          .storage = nb::cast<bool>(said[2]) ? Storage::sparse : Storage::dense,
          .index_type = choice<ElementType>("index_dtype", nb::cast<std::string>(said[4]),
                                            {{"i32", ElementType::i32}, {"i64", ElementType::i64}}),
          .defines_minibatch_size = nb::cast<bool>(said[5])};
}

void give_user_data(Plan& plan, std::string object, const Calls& calls, std::int64_t description,
                    const std::string& name, const nb::list& streams, const Table& table,
                    const std::string& fingerprint, std::int64_t memory_limit, bool reads_parts) {
  auto kept = std::make_shared<const Kept>(calls.calls, description);
  std::vector<Stream> all;
  std::string text = fingerprint + '\n' + table.table->hash();
  for (const nb::handle each : streams) {
    all.push_back(stream_of(nb::cast<nb::tuple>(each)));
    text += '\n' + to_string(all.back()) + ' ' + std::string(to_string(all.back().index_type));
    text += all.back().defines_minibatch_size ? " mb" : "";
  }
  table.table->check_keys(name);
  UserData::Options options{.name = name,
                            .fingerprint = "python:" + to_string(key_of_text(text)),
                            .memory_limit_bytes = memory_limit,
                            .reads_parts = reads_parts};
  plan.give(std::move(object), {std::make_shared<const UserData>(std::move(kept), std::move(all),
                                                                 table.table, std::move(options)),
                                name});
}

// Borrows the arrays of a stream. `given` is (values, indices, sample offsets, lengths, presence,
// whether indices are long, extents of samples). Each array may be None.
UserArrays arrays_of(const std::shared_ptr<UserCalls>& calls, const nb::tuple& given) {
  const auto loan = [&](std::size_t i) -> std::shared_ptr<const Loan> {
    const nb::object array = given[i];
    return array.is_none() ? nullptr : std::make_shared<const Loan>(calls, array);
  };
  return {loan(0), loan(1), loan(2), loan(3), loan(4), nb::cast<bool>(given[5]), loan(6)};
}

void give_function(Plan& plan, std::string name, const Calls& calls, std::int64_t description,
                   const std::string& said_name, const std::optional<nb::list>& streams,
                   std::optional<std::int64_t> samples,
                   const std::vector<std::optional<std::vector<std::int64_t>>>& shapes_max,
                   bool takes_steps, bool is_random, const std::string& version) {
  UserFunction::Options options{.name = said_name,
                                .version = version,
                                .streams = {},
                                .samples = samples,
                                .shapes_max = {},
                                .takes_steps = takes_steps,
                                .is_random = is_random};
  if (streams) {
    options.streams.emplace();
    for (const nb::handle each : *streams) {
      options.streams->push_back(stream_of(nb::cast<nb::tuple>(each)));
    }
  }
  for (const auto& shape : shapes_max) {
    options.shapes_max.push_back(shape ? std::optional<Shape>(*shape) : std::nullopt);
  }
  auto kept = std::make_shared<const Kept>(calls.calls, description);
  plan.context.functions.insert_or_assign(
      std::move(name), std::make_shared<const UserFunction>(std::move(kept), std::move(options)));
}

void answer(const Calls& self, const Call& call, const nb::list& streams, const nb::list& bad) {
  std::vector<UserArrays> all;
  for (const nb::handle stream : streams) {
    all.push_back(arrays_of(self.calls, nb::cast<nb::tuple>(stream)));
  }
  std::vector<BadSequence> sequences;
  for (const nb::handle each : bad) {
    const auto pair = nb::cast<nb::tuple>(each);
    sequences.push_back({nb::cast<std::int64_t>(pair[0]), bytes_of(pair[1])});
  }
  if (const std::shared_ptr<UserCall> asked = call.call.lock()) {
    self.calls->answer(*asked, std::move(all), std::move(sequences));
  }
}

void answer_batch(const Calls& self, const Call& call, const nb::object& schema,
                  const nb::object& array) {
  auto schema_taken = take<ArrowSchema>(schema, "arrow_schema");
  std::shared_ptr<const ArrowArray> array_taken = take<ArrowArray>(array, "arrow_array");
  if (const std::shared_ptr<UserCall> asked = call.call.lock()) {
    self.calls->answer(*asked, std::move(schema_taken), std::move(array_taken));
  }
}

void refuse_batch(const Calls& self, const Call& call, const std::string& path,
                  std::int64_t byte_offset, const std::string& code, const std::string& expected,
                  const std::string& found) {
  if (const std::shared_ptr<UserCall> asked = call.call.lock()) {
    self.calls->fail(*asked,
                     std::make_exception_ptr(damage_of(path, byte_offset, code, expected, found)));
  }
}

// Returns the number of the requested batch of a table and the names of its columns. Returns None
// for any other call.
nb::object batch_of(const Call& self) {
  if (self.batch == nullptr) return nb::none();
  nb::list names;
  for (const std::string& name : self.batch->columns) names.append(to_text(name));
  return nb::make_tuple(self.batch->batch, names);
}

nb::object take_calls(const Calls& self) {
  std::optional<UserCalls::Work> work = self.calls->take();
  if (!work) return nb::none();
  nb::list calls;
  for (const std::shared_ptr<UserCall>& call : work->calls) calls.append(Call(call));
  nb::list forgotten;
  for (const std::int64_t number : work->forgotten) forgotten.append(number);
  return nb::make_tuple(calls, forgotten);
}

bool is_whole(const Call& self) {
  return self.range.count == self.table->chunk(self.range.chunk)->sequence_count;
}

// Returns an array of the bytes in a buffer. The array keeps the buffer alive.
nb::object bytes_array(const std::shared_ptr<const FunctionInput>& input, const Buffer& buffer) {
  static std::uint8_t nothing = 0;
  using Owner = std::shared_ptr<const FunctionInput>;
  const nb::capsule owner(new Owner(input),
                          [](void* held) noexcept { delete static_cast<Owner*>(held); });
  auto* const data = const_cast<std::byte*>(buffer.data());
  auto* const bytes = data == nullptr ? &nothing : reinterpret_cast<std::uint8_t*>(data);
  const auto size = static_cast<std::size_t>(buffer.size_bytes());
  return nb::cast(nb::ndarray<nb::numpy, std::uint8_t>(bytes, {size}, owner));
}

// Returns for each stream the shape, whether it is sparse, the types of values and indices, and the
// arrays as bytes.
nb::list inputs_of(const Call& self) {
  nb::list list;
  for (std::size_t s = 0; self.input != nullptr && s < self.input->streams.size(); ++s) {
    const Stream& stream = self.input->streams[s];
    const FunctionInput::Arrays& arrays = self.input->arrays[s];
    nb::list shape;
    for (const std::int64_t extent : stream.sample_shape.extents()) shape.append(extent);
    const auto array = [&](const Buffer& buffer) { return bytes_array(self.input, buffer); };
    list.append(nb::make_tuple(
        to_text(stream.name), nb::tuple(shape), stream.storage == Storage::sparse,
        to_text(to_string(stream.element_type)), to_text(to_string(stream.index_type)),
        array(arrays.values), array(arrays.indices), array(arrays.sample_offsets),
        array(arrays.lengths), array(arrays.presence), array(arrays.extents)));
  }
  return list;
}

void bind_call(nb::module_& module) {
  nb::class_<Call>(
      module, "UserCall",
      "A request for sequences of a chunk, for a call of a function, or for a batch of a table.")
      .def_prop_ro("description", [](const Call& self) { return self.description; })
      .def_prop_ro("chunk",
                   [](const Call& self) { return static_cast<std::int64_t>(self.range.chunk); })
      .def_prop_ro("first", [](const Call& self) { return self.range.first; })
      .def_prop_ro("count", [](const Call& self) { return self.range.count; })
      .def_prop_ro(
          "sample_count", [](const Call& self) { return self.sample_count; },
          "How many samples the requested sequences have according to the table.")
      .def_prop_ro("is_whole", is_whole, "Whether the request is for all sequences of the chunk.")
      .def(
          "key",
          [](const Call& self, std::int64_t i) {
            return self.table->key_words(self.range.chunk, self.range.first + i);
          },
          nb::arg("i"), "Return the key of the i-th requested sequence.")
      .def(
          "length",
          [](const Call& self, std::int64_t i) {
            return self.table->sequences(self.range.chunk)->sample_count(self.range.first + i);
          },
          nb::arg("i"), "Return how many samples the i-th requested sequence must have.")
      .def_prop_ro("batch", batch_of, nb::sig("def batch(self) -> tuple[int, list[str]] | None"),
                   "The number of the requested batch of a table, and the names of its requested "
                   "columns. None for other requests.")
      .def("inputs", inputs_of,
           nb::sig("def inputs(self) -> list[tuple[str, tuple[int, ...], bool, str, str, "
                   "typing.Any, typing.Any, typing.Any, typing.Any, typing.Any, typing.Any]]"),
           "Return the arguments of a function: a tuple for each stream, with its arrays as bytes.")
      .def(
          "generator_key",
          [](const Call& self, std::int64_t i) {
            const auto& words = self.input->generators.at(static_cast<std::size_t>(i));
            return nb::make_tuple(words[0], words[1]);
          },
          nb::arg("i"), nb::sig("def generator_key(self, i: int) -> tuple[int, int]"),
          "Return the key of the random generator Philox for the i-th requested sequence.");
}

void bind_calls(nb::module_& module) {
  nb::class_<Calls>(module, "UserCalls",
                    "The requests that wait for the Python thread of a Deserializer.")
      .def(
          "__init__",
          [](Calls* self, nb::object kept) {
            new (self) Calls{std::make_shared<UserCalls>(std::move(kept))};
          },
          nb::arg("kept"),
          nb::sig("def __init__(self, kept: collections.abc.Callable[[int], "
                  "BaseException | None]) -> None"))
      .def("take", take_calls, nb::sig("def take(self) -> tuple[list[UserCall], list[int]] | None"),
           "Wait for requests. Return the requests, and the numbers of objects to release; None if "
           "the thread is to end.")
      .def(
          "wake", [](const Calls& self) { self.calls->wake(); },
          "Make take() return, even without a request.")
      .def("answer", answer, nb::arg("call"), nb::arg("streams"), nb::arg("bad"),
           nb::sig("def answer(self, call: UserCall, streams: list[tuple[typing.Any, ...]], bad: "
                   "list[tuple[int, str]]) -> None"))
      .def("answer_batch", answer_batch, nb::arg("call"), nb::arg("schema"), nb::arg("array"))
      .def("refuse_batch", refuse_batch, nb::arg("call"), nb::arg("path"), nb::arg("byte_offset"),
           nb::arg("code"), nb::arg("expected"), nb::arg("found"),
           "Answer that the batch is damaged.")
      .def(
          "fail",
          [](const Calls& self, const Call& call, std::int64_t error) {
            const auto asked = call.call.lock();
            asked ? self.calls->fail(*asked, error) : self.calls->forget(error);
          },
          nb::arg("call"), nb::arg("error"), "Answer with the exception that has this number.")
      .def(
          "abandon",
          [](const Calls& self, const Call& call) {
            const ConfigError gone("the Deserializer or the function of Python is gone");
            if (const auto asked = call.call.lock()) {
              self.calls->fail(*asked, std::make_exception_ptr(gone));
            }
          },
          nb::arg("call"), "Answer that the Deserializer or the function no longer exists.")
      .def(
          "close", [](const Calls& self) { self.calls->close(); }, "Refuse further requests.")
      .def(
          "end", [](const Calls& self) { self.calls->end(); },
          "Fail all requests, because the interpreter ends.");
}

}  // namespace

void bind_user(nb::module_& module) {
  bind_call(module);
  bind_calls(module);
  nb::class_<Table>(module, "UserTable", "The chunks and sequences that a Deserializer describes.")
      .def(nb::init<const nb::str&, const nb::str&>(), nb::arg("name"), nb::arg("cost_name"))
      .def("add", add_chunk, nb::arg("count"), nb::arg("samples"), nb::arg("each").none(),
           nb::arg("keys").none(), nb::arg("texts").none(), nb::arg("costs").none(),
           nb::arg("decoded_size_bytes"),
           nb::sig("def add(self, count: int, samples: int, each: "
                   "numpy.typing.NDArray[numpy.int64] | None, keys: "
                   "numpy.typing.NDArray[numpy.uint64] | None, texts: list[str] | None, costs: "
                   "numpy.typing.NDArray[numpy.int64] | None, decoded_size_bytes: int) -> None"));

  module.def("give_user_data", give_user_data, nb::arg("plan"), nb::arg("object"), nb::arg("calls"),
             nb::arg("description"), nb::arg("name"), nb::arg("streams"), nb::arg("table"),
             nb::arg("fingerprint"), nb::arg("memory_limit"), nb::arg("reads_parts"),
             nb::sig("def give_user_data(plan: Plan, object: str, calls: UserCalls, description: "
                     "int, name: str, streams: list[tuple[str, tuple[int, ...], bool, str, str, "
                     "bool]], table: UserTable, fingerprint: str, memory_limit: int, reads_parts: "
                     "bool) -> None"),
             "Add a Deserializer to a plan. The spec of the plan calls it `object`.");
  module.def("give_function", give_function, nb::arg("plan"), nb::arg("name"), nb::arg("calls"),
             nb::arg("description"), nb::arg("said_name"), nb::arg("streams").none(),
             nb::arg("samples").none(), nb::arg("shapes_max"), nb::arg("takes_steps"),
             nb::arg("is_random"), nb::arg("version"),
             nb::sig("def give_function(plan: Plan, name: str, calls: UserCalls, description: int, "
                     "said_name: str, streams: list[tuple[str, tuple[int, ...], bool, str, str, "
                     "bool]] | None, samples: int | None, shapes_max: list[list[int] | None], "
                     "takes_steps: bool, is_random: bool, version: str) -> None"),
             "Add a function to a plan. The transforms of the plan call it `name`.");
}

}  // namespace sheaf::python
