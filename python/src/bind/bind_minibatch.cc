// Binds minibatches as mappings of arrays, without copies. An array borrows the memory of its
// minibatch and keeps the minibatch alive.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "sheaf/dtype.h"
#include "sheaf/error.h"
#include "sheaf/minibatch.h"
#include "sheaf/position.h"

#include "arrow/arrow.h"
#include "bind/bindings.h"
#include "bind/minibatch_state.h"
#include "text.h"

namespace nb = nanobind;

namespace sheaf::python {
namespace {

using Array = nb::ndarray<nb::numpy>;

// The policy of properties that return arrays. An array keeps its memory alive by itself.
constexpr auto kNoCopy = nb::rv_policy::reference;

// One stream of a minibatch. Python has a type for dense streams and one for sparse streams, with
// different attributes.
struct Batch {
  nb::object owner;  // the Minibatch
  const Stream* stream;
  const StreamBatch* batch;
};
struct DenseBatch : Batch {};
struct SparseBatch : Batch {};

nb::dlpack::dtype dtype_of(ElementType type) {
  switch (type) {
    case ElementType::u8:
    case ElementType::bytes:
      return nb::dtype<std::uint8_t>();
    case ElementType::u16:
      return nb::dtype<std::uint16_t>();
    case ElementType::i32:
      return nb::dtype<std::int32_t>();
    case ElementType::i64:
      return nb::dtype<std::int64_t>();
    case ElementType::bf16:  // NumPy has no such type and gets the bits
      return nb::dtype<std::uint16_t>();
    case ElementType::f16:
      return {static_cast<std::uint8_t>(nb::dlpack::dtype_code::Float), 16, 1};
    case ElementType::f32:
      return nb::dtype<float>();
    case ElementType::f64:
      return nb::dtype<double>();
  }
  throw InternalError("an element type that Python does not know");
}

// Imports NumPy before the first array. If nanobind imported NumPy, it would turn any exception of
// the import into a TypeError, even that of Ctrl-C.
void bring_numpy() {
  static bool is_there = false;
  if (!is_there) static_cast<void>(nb::module_::import_("numpy"));
  is_there = true;
}

// Returns an array of the minibatch's memory. The caller owns the minibatch, so the array is
// writable.
Array to_array(const std::byte* data, nb::dlpack::dtype dtype,
               const std::vector<std::int64_t>& shape, nb::handle owner,
               const std::int64_t* strides = nullptr) {
  bring_numpy();
  static std::byte nothing[Buffer::kAlignment];  // the memory of an empty array
  const std::vector<std::size_t> extents(shape.begin(), shape.end());
  auto* const writable = data != nullptr ? const_cast<std::byte*>(data) : nothing;
  return Array(writable, extents.size(), extents.data(), owner, strides, dtype);
}

Array to_array(const Buffer& buffer, ElementType type, const Batch& self) {
  return to_array(buffer.data(), dtype_of(type), {buffer.size_bytes() / element_size(type)},
                  self.owner);
}

bool has_slots(const StreamBatch& batch) {
  return batch.layout == Layout::packed || batch.layout == Layout::truncated;
}

// Returns the shape of the rows: [N, T] (padded), [T, P] (slots), or the number of rows, [S] or
// [N].
std::vector<std::int64_t> row_shape(const StreamBatch& batch) {
  if (batch.layout == Layout::padded) return {batch.sequence_count, batch.sample_count_max};
  if (has_slots(batch)) return {batch.sample_count_max, batch.slot_count};
  return {batch.row_count()};
}

bool is_variable(const Batch& self) { return !self.stream->sample_shape.is_fixed(); }

// Returns whether the samples lie back to back in a flat array, separated by `sample_offsets`. This
// holds if samples differ in size and are not padded.
bool is_flat(const DenseBatch& self) { return !self.batch->row_offsets.empty(); }

std::vector<std::int64_t> values_shape(const DenseBatch& self) {
  const StreamBatch& batch = *self.batch;
  if (is_flat(self)) return {batch.values.size_bytes() / element_size(self.stream->element_type)};
  std::vector<std::int64_t> shape = row_shape(batch);
  const auto extents = batch.row_shape.extents();
  shape.insert(shape.end(), extents.begin(), extents.end());
  return shape;
}

Array values(const DenseBatch& self) {
  return to_array(self.batch->values.data(), dtype_of(self.stream->element_type),
                  values_shape(self), self.owner);
}

// Returns the values as bfloat16, for libraries that support this type. NumPy sees only the bits.
nb::ndarray<> bfloat16_values(const DenseBatch& self) {
  const Array bits = values(self);
  std::vector<std::size_t> shape;
  for (std::size_t i = 0; i < bits.ndim(); ++i) shape.push_back(bits.shape(i));
  const nb::dlpack::dtype dtype{static_cast<std::uint8_t>(nb::dlpack::dtype_code::Bfloat), 16, 1};
  return nb::ndarray<>(bits.data(), shape.size(), shape.data(), self.owner, nullptr, dtype);
}

nb::object extents(const DenseBatch& self) {
  if (!is_variable(self)) return nb::none();
  // Opaque bytes need no shapes: sample_offsets has their sizes.
  if (is_flat(self) && self.batch->layout != Layout::ragged) return nb::none();
  std::vector<std::int64_t> shape = row_shape(*self.batch);
  shape.push_back(self.stream->sample_shape.rank());
  return nb::cast(
      to_array(self.batch->extents.data(), nb::dtype<std::int64_t>(), shape, self.owner));
}

nb::object sample_offsets(const DenseBatch& self) {
  if (!is_flat(self)) return nb::none();
  return nb::cast(to_array(self.batch->row_offsets, ElementType::i64, self));
}

// Returns the number of a sequence. A negative number counts from the end, as in a list.
std::int64_t checked_sequence(const Batch& self, std::int64_t sequence) {
  const std::int64_t count = self.batch->sequence_count;
  const std::int64_t number = sequence < 0 ? sequence + count : sequence;
  if (number >= 0 && number < count) return number;
  throw nb::index_error(
      ("the minibatch has " + std::to_string(count) + " sequences: got " + std::to_string(sequence))
          .c_str());
}

// Calls one(view) for each sample of a sequence and returns a list of the results. Returns None if
// the stream is absent.
template <typename One>
nb::object sample_list(const Batch& self, std::int64_t sequence, const One& one) {
  const auto& minibatch = nb::cast<const Minibatch&>(self.owner);
  const std::int64_t number = checked_sequence(self, sequence);
  const auto at = static_cast<std::size_t>(number);
  const Buffer& presence = self.batch->presence;
  if (!presence.empty() && presence.as<std::uint8_t>()[at] == 0) return nb::none();
  nb::list list;
  const std::int64_t stream = self.stream - minibatch.streams().data();
  for (std::int64_t t = 0; t < self.batch->lengths.as<std::int64_t>()[at]; ++t) {
    list.append(one(minibatch.sample(stream, number, t)));
  }
  return list;
}

// Returns the samples of a sequence as arrays of their shape. Opaque samples are memoryviews.
nb::object dense_samples(const DenseBatch& self, std::int64_t sequence) {
  const Stream& stream = *self.stream;
  const nb::dlpack::dtype dtype = dtype_of(stream.element_type);
  return sample_list(self, sequence, [&](const SampleView& view) -> nb::object {
    if (stream.element_type == ElementType::bytes && is_variable(self)) {
      const nb::object bytes =
          nb::cast(to_array(view.values, dtype, {view.value_count}, self.owner));
      nb::object memory = nb::steal(PyMemoryView_FromObject(bytes.ptr()));
      if (!memory.is_valid()) throw nb::python_error();
      return memory;
    }
    const auto fixed = stream.sample_shape.extents();
    if (!is_variable(self)) {
      return nb::cast(to_array(view.values, dtype, {fixed.begin(), fixed.end()}, self.owner));
    }
    const std::vector<std::int64_t> extents(view.extents, view.extents + fixed.size());
    // A padded sample is a corner of a larger row of the array.
    const auto around = self.batch->row_shape.is_fixed() ? self.batch->row_shape.extents()
                                                         : std::span<const std::int64_t>(extents);
    std::vector<std::int64_t> strides(extents.size(), 1);
    for (std::size_t axis = extents.size() - 1; axis > 0; --axis) {
      strides[axis - 1] = strides[axis] * around[axis];
    }
    return nb::cast(to_array(view.values, dtype, extents, self.owner, strides.data()));
  });
}

nb::object sparse_samples(const SparseBatch& self, std::int64_t sequence) {
  return sample_list(self, sequence, [&](const SampleView& view) {
    return nb::make_tuple(
        to_array(view.indices, dtype_of(self.stream->index_type), {view.value_count}, self.owner),
        to_array(view.values, dtype_of(self.stream->element_type), {view.value_count}, self.owner));
  });
}

nb::object mask(const Batch& self) {
  if (self.batch->layout != Layout::padded && !has_slots(*self.batch)) return nb::none();
  return nb::cast(
      to_array(self.batch->mask.data(), nb::dtype<bool>(), row_shape(*self.batch), self.owner));
}

nb::object sequence_offsets(const Batch& self) {
  if (self.batch->layout != Layout::ragged) return nb::none();
  return nb::cast(to_array(self.batch->sequence_offsets, ElementType::i64, self));
}

// Returns an array with one number for each sequence, or None for a layout without slots.
nb::object slot_array(const Batch& self, const Buffer& buffer) {
  if (!has_slots(*self.batch)) return nb::none();
  return nb::cast(to_array(buffer, ElementType::i64, self));
}

nb::list key_texts(const Minibatch& self) {
  nb::list list;
  for (const std::string_view text : self.key_texts()) list.append(to_text(text));
  return list;
}

Array sequence_keys(nb::handle_t<Minibatch> self) {
  const auto& minibatch = nb::cast<const Minibatch&>(self);
  const auto keys = minibatch.keys();
  constexpr std::int64_t kStride = sizeof(SequenceKey) / sizeof(std::uint64_t);
  return to_array(reinterpret_cast<const std::byte*>(keys.data()), nb::dtype<std::uint64_t>(),
                  {minibatch.sequence_count()}, self, &kStride);
}

// Returns (first sample, samples, samples of the whole sequence) for each sequence, or None if no
// sequence is cut.
nb::object slices(nb::handle_t<Minibatch> self) {
  static_assert(sizeof(SequenceSlice) == 3 * sizeof(std::int64_t));
  const auto& minibatch = nb::cast<const Minibatch&>(self);
  if (minibatch.slices().empty()) return nb::none();
  return nb::cast(to_array(reinterpret_cast<const std::byte*>(minibatch.slices().data()),
                           nb::dtype<std::int64_t>(), {minibatch.sequence_count(), 3}, self));
}

nb::object members(nb::handle_t<Minibatch> self) {
  const auto& minibatch = nb::cast<const Minibatch&>(self);
  if (minibatch.members().empty()) return nb::none();
  return nb::cast(to_array(reinterpret_cast<const std::byte*>(minibatch.members().data()),
                           nb::dtype<std::int64_t>(), {minibatch.sequence_count()}, self));
}

nb::object stream_batch(nb::handle_t<Minibatch> self, std::int64_t number) {
  const auto& minibatch = nb::cast<const Minibatch&>(self);
  const Stream& stream = minibatch.streams()[static_cast<std::size_t>(number)];
  Batch batch{nb::borrow(self), &stream, &minibatch.batch(number)};
  if (stream.storage == Storage::sparse) return nb::cast(SparseBatch{std::move(batch)});
  return nb::cast(DenseBatch{std::move(batch)});
}

// Defines a function of a Python module as a method. The function needs torch or SciPy, or makes
// texts about arrays.
template <typename T>
void def_python(nb::class_<T>& type, const char* method, const char* module, const char* function,
                const char* signature, const char* doc) {
  type.def(
      method,
      [module, function](nb::handle self, const nb::args& values, const nb::kwargs& options) {
        return nb::module_::import_(module).attr(function)(self, *values, **options);
      },
      nb::sig(signature), doc);
}

template <typename T>
void def_interop(nb::class_<T>& type, const char* method, const char* function,
                 const char* signature, const char* doc) {
  def_python(type, method, "sheaf.interop", function, signature, doc);
}

template <typename T>
void def_texts(nb::class_<T>& type, const char* text, const char* html) {
  def_python(type, "__repr__", "sheaf._texts", text, "def __repr__(self) -> str",
             "Return a readable summary.");
  def_python(type, "_repr_html_", "sheaf._texts", html, "def _repr_html_(self) -> str",
             "Return the summary as an HTML table, for a notebook.");
}

nb::tuple reduce_minibatch(nb::handle_t<Minibatch> self) {
  return nb::make_tuple(nb::module_::import_("sheaf._batch").attr("restore_minibatch"),
                        nb::make_tuple(state_of(self)));
}

// Pickles one stream, without the other streams of the minibatch.
nb::tuple reduce_batch(const Batch& self) {
  const nb::handle_t<Minibatch> owner(self.owner);
  const auto& streams = nb::cast<const Minibatch&>(self.owner).streams();
  return nb::make_tuple(nb::module_::import_("sheaf._batch").attr("restore_batch"),
                        nb::make_tuple(state_of(owner, self.stream - streams.data())));
}

nb::list names(const Minibatch& self) {
  nb::list list;
  for (const Stream& stream : self.streams()) list.append(to_text(stream.name));
  return list;
}

// Returns the batch of the stream with this name, or null if there is none.
nb::object find(nb::handle_t<Minibatch> self, const std::string& name) {
  const auto& minibatch = nb::cast<const Minibatch&>(self);
  for (std::size_t i = 0; i < minibatch.streams().size(); ++i) {
    if (minibatch.streams()[i].name == name) {
      return stream_batch(self, static_cast<std::int64_t>(i));
    }
  }
  return {};
}

// Makes tensors that share the memory of a minibatch. Passing a DLPack capsule to torch takes a
// fraction of the time of making a NumPy array and a tensor from it.
class Tensors {
 public:
  Tensors(nb::handle_t<Minibatch> owner, nb::handle from_dlpack)
      : owner_(owner), from_dlpack_(from_dlpack) {}

  [[nodiscard]] nb::dict of_stream(nb::object batch) const {
    nb::dict found;
    const bool is_dense = nb::isinstance<DenseBatch>(batch);
    if (is_dense) {
      const auto& dense = nb::cast<const DenseBatch&>(batch);
      found["values"] = tensor(dense.batch->values, tensor_type(dense), values_shape(dense));
      add_layout(dense, found);
    } else {
      const auto& sparse = nb::cast<const SparseBatch&>(batch);
      add_bags(sparse, found);
      add_layout(sparse, found);
    }
    return found;
  }

 private:
  static nb::dlpack::dtype tensor_type(const Batch& batch) {
    const ElementType type = batch.stream->element_type;
    if (type != ElementType::bf16) return dtype_of(type);
    return {static_cast<std::uint8_t>(nb::dlpack::dtype_code::Bfloat), 16, 1};
  }

  [[nodiscard]] nb::object tensor(const Buffer& buffer, nb::dlpack::dtype dtype,
                                  const std::vector<std::int64_t>& shape, nb::handle owner) const {
    static std::byte nothing[Buffer::kAlignment];  // the memory of an empty tensor
    const std::vector<std::size_t> extents(shape.begin(), shape.end());
    auto* const data = buffer.data() != nullptr ? const_cast<std::byte*>(buffer.data()) : nothing;
    const nb::ndarray<> array(data, extents.size(), extents.data(), owner, nullptr, dtype);
    return from_dlpack_(nb::cast(array, kNoCopy));
  }
  [[nodiscard]] nb::object tensor(const Buffer& buffer, nb::dlpack::dtype dtype,
                                  const std::vector<std::int64_t>& shape) const {
    return tensor(buffer, dtype, shape, owner_);
  }
  [[nodiscard]] nb::object tensor(const Buffer& buffer, ElementType type) const {
    return tensor(buffer, dtype_of(type), {buffer.size_bytes() / element_size(type)});
  }

  template <typename From, typename To>
  [[nodiscard]] nb::object converted(const Buffer& buffer) const {
    const auto values = buffer.as<From>();
    auto copy = std::make_unique<Buffer>();
    copy->resize(std::ssize(values) * static_cast<std::int64_t>(sizeof(To)));
    std::ranges::transform(values, copy->template as_mutable<To>().data(),
                           [](From value) { return static_cast<To>(value); });
    const Buffer& content = *copy;
    const nb::capsule owner(copy.get(), [](void* held) noexcept {
      delete static_cast<Buffer*>(held);  // NOLINT(cppcoreguidelines-owning-memory)
    });
    static_cast<void>(copy.release());
    return tensor(content, nb::dtype<To>(), {std::ssize(values)}, owner);
  }

  // Adds offsets and indices of one type, as torch requires. That is the type of the indices, if
  // the offsets fit.
  void add_bags(const SparseBatch& self, nb::dict& found) const {
    const StreamBatch& batch = *self.batch;
    const std::int64_t value_count =
        batch.values.size_bytes() / element_size(self.stream->element_type);
    const ElementType type = self.stream->index_type;
    if (type == ElementType::i64) {
      found["indices"] = tensor(batch.indices, type);
      found["offsets"] = tensor(batch.row_offsets, type);
    } else if (value_count <= std::numeric_limits<std::int32_t>::max()) {
      found["indices"] = tensor(batch.indices, type);
      found["offsets"] = converted<std::int64_t, std::int32_t>(batch.row_offsets);
    } else {
      found["indices"] = converted<std::int32_t, std::int64_t>(batch.indices);
      found["offsets"] = tensor(batch.row_offsets, ElementType::i64);
    }
    found["weights"] = tensor(batch.values, tensor_type(self), {value_count});
  }

  void add_layout(const Batch& self, nb::dict& found) const {
    const StreamBatch& batch = *self.batch;
    found["lengths"] = tensor(batch.lengths, ElementType::i64);
    if (batch.layout == Layout::padded || has_slots(batch)) {
      found["mask"] = tensor(batch.mask, nb::dtype<bool>(), row_shape(batch));
    }
    if (batch.layout == Layout::ragged) {
      found["sequence_offsets"] = tensor(batch.sequence_offsets, ElementType::i64);
    }
    if (has_slots(batch)) {
      found["slots"] = tensor(batch.slots, ElementType::i64);
      found["begins"] = tensor(batch.begins, ElementType::i64);
    }
    if (!batch.presence.empty()) {
      found["presence"] = tensor(batch.presence, nb::dtype<bool>(), {batch.presence.size_bytes()});
    }
  }

  nb::handle_t<Minibatch> owner_;
  nb::handle from_dlpack_;
};

nb::dict tensors_of(nb::handle_t<Minibatch> self, const nb::callable& from_dlpack) {
  nb::dict all;
  const Tensors tensors(self, from_dlpack);
  const auto& minibatch = nb::cast<const Minibatch&>(self);
  for (std::size_t i = 0; i < minibatch.streams().size(); ++i) {
    all[to_text(minibatch.streams()[i].name)] =
        tensors.of_stream(stream_batch(self, static_cast<std::int64_t>(i)));
  }
  return all;
}

nb::object get_item(nb::handle_t<Minibatch> self, const std::string& name) {
  nb::object found = find(self, name);
  if (found.is_valid()) return found;
  PyErr_SetObject(PyExc_KeyError, to_text(name).ptr());
  throw nb::python_error();
}

nb::object get(nb::handle_t<Minibatch> self, const std::string& name, nb::object otherwise) {
  nb::object found = find(self, name);
  return found.is_valid() ? found : otherwise;
}

// Returns the stream with a name that is not an attribute of the class.
nb::object get_attribute(nb::handle_t<Minibatch> self, const std::string& name) {
  nb::object found = find(self, name);
  if (found.is_valid()) return found;
  const std::string text = "a minibatch has neither an attribute nor a stream \"" + name + '"';
  PyErr_SetObject(PyExc_AttributeError, to_text(text).ptr());
  throw nb::python_error();
}

nb::list directory(nb::handle_t<Minibatch> self) {
  nb::list all(nb::module_::import_("builtins").attr("object").attr("__dir__")(self));
  all.extend(names(nb::cast<const Minibatch&>(self)));
  return all;
}

template <typename T>
void bind_common(nb::class_<T>& type) {
  type.def_prop_ro(
          "dtype", [](const T& self) { return std::string(dtype_word(self.stream->element_type)); },
          "The type of the values, such as \"float32\" or \"bfloat16\".")
      .def_prop_ro(
          "lengths",
          [](const T& self) { return to_array(self.batch->lengths, ElementType::i64, self); },
          nb::sig("def lengths(self) -> numpy.typing.NDArray[numpy.int64]"), kNoCopy,
          "The number of samples of each sequence.")
      .def_prop_ro(
          "mask", [](const T& self) { return mask(self); },
          nb::sig("def mask(self) -> numpy.typing.NDArray[numpy.bool_] | None"),
          "True for each row with a sample: [sequences, samples] if padded, [steps, slots] if "
          "packed or truncated. None in other packings.")
      .def_prop_ro(
          "sequence_offsets", [](const T& self) { return sequence_offsets(self); },
          nb::sig("def sequence_offsets(self) -> numpy.typing.NDArray[numpy.int64] | None"),
          "Where each sequence begins among the rows, and the end: [sequences + 1]. None unless "
          "ragged.")
      .def_prop_ro(
          "slots", [](const T& self) { return slot_array(self, self.batch->slots); },
          nb::sig("def slots(self) -> numpy.typing.NDArray[numpy.int64] | None"),
          "The slot of each sequence. None unless packed or truncated.")
      .def_prop_ro(
          "begins", [](const T& self) { return slot_array(self, self.batch->begins); },
          nb::sig("def begins(self) -> numpy.typing.NDArray[numpy.int64] | None"),
          "The step of the first sample of each sequence. None unless packed or truncated.")
      .def_prop_ro(
          "slot_count", [](const T& self) { return self.batch->slot_count; },
          "How many sequences advance side by side. 0 unless packed or truncated.")
      .def_prop_ro(
          "presence",
          [](const T& self) -> nb::object {
            const Buffer& presence = self.batch->presence;
            if (presence.size_bytes() == 0) return nb::none();
            return nb::cast(
                to_array(presence.data(), nb::dtype<bool>(), {presence.size_bytes()}, self.owner));
          },
          nb::sig("def presence(self) -> numpy.typing.NDArray[numpy.bool_] | None"),
          "False for each sequence that lacks the stream: [sequences]. None if all sequences have "
          "the stream.")
      .def_prop_ro(
          "packing", [](const T& self) { return std::string(to_string(self.batch->layout)); },
          "The packing of the stream: \"padded\", \"ragged\", \"packed\", \"frames\" or "
          "\"truncated\".")
      .def(
          "__reduce__", [](const T& self) { return reduce_batch(self); },
          nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"),
          "Support pickle and copy. A copy has its own memory.");
  def_texts(type, "batch_text", "batch_html");
  def_interop(type, "cu_seqlens", "cu_seqlens",
              "def cu_seqlens(self) -> numpy.typing.NDArray[numpy.int32]",
              "Return sequence_offsets as int32, [sequences + 1], for attention kernels that take "
              "sequences of different lengths. Raises ConfigError unless the stream is ragged.");
}

void bind_dense_values(nb::class_<DenseBatch>& dense) {
  dense.def_prop_ro(
      "values", values, nb::sig("def values(self) -> numpy.typing.NDArray[typing.Any]"), kNoCopy,
      "The values of all samples. The packing gives the shape of the array:\n"
      "\n"
      "    padded             [sequences, samples, *shape]\n"
      "    ragged             [samples of all sequences, *shape]\n"
      "    packed, truncated  [steps, slots, *shape]\n"
      "    frames             [sequences, *shape]\n"
      "\n"
      "Rows without a sample have zeros, or the number of pad_values. If the shape of\n"
      "samples varies, *shape is the largest extents, and padding surrounds smaller samples.\n"
      "Opaque bytes, and ragged samples of varying shape, lie back to back in one dimension,\n"
      "and sample_offsets tells where each begins. NumPy has no bfloat16, so the array has\n"
      "the bits of such values as uint16.");
  dense.def_prop_ro("_bfloat16", bfloat16_values, nb::sig("def _bfloat16(self) -> typing.Any"),
                    kNoCopy, "The values of a bfloat16 stream, for DLPack.");
  dense
      .def_prop_ro("extents", extents,
                   nb::sig("def extents(self) -> numpy.typing.NDArray[numpy.int64] | None"),
                   "The shape of each sample if shapes vary, otherwise None. The packing gives\n"
                   "the shape of the array:\n"
                   "\n"
                   "    padded             [sequences, samples, rank]\n"
                   "    ragged             [samples of all sequences, rank]\n"
                   "    packed, truncated  [steps, slots, rank]\n"
                   "    frames             [sequences, rank]\n"
                   "\n"
                   "Rows without a sample have zeros. Opaque bytes have extents only if ragged.")
      .def_prop_ro(
          "sample_offsets", sample_offsets,
          nb::sig("def sample_offsets(self) -> numpy.typing.NDArray[numpy.int64] | None"),
          "Where each row begins among the values, and the end: [rows + 1]. Only for opaque bytes, "
          "and for samples of varying shape in the packing ragged; otherwise None.");
  dense.def("samples", dense_samples, nb::arg("sequence"),
            nb::sig("def samples(self, sequence: int) -> list[typing.Any] | None"),
            "Return a list of the samples of a sequence, in any packing, or None if the sequence "
            "lacks the stream. A sample is an array of its own shape, or a memoryview of opaque "
            "bytes. Samples share the memory of the minibatch, and keep the minibatch alive.");
}

void bind_dense(nb::module_& module) {
  nb::class_<DenseBatch> dense(module, "DenseBatch", "One dense stream of a minibatch.");
  bind_dense_values(dense);
  bind_common(dense);
  def_interop(dense, "__array__", "dense_to_numpy",
              "def __array__(self, dtype: typing.Any = None, copy: bool | None = None) -> "
              "numpy.typing.NDArray[typing.Any]",
              "Return the values.");
  def_interop(
      dense, "__dlpack__", "dense_to_dlpack",
      "def __dlpack__(self, **options: typing.Any) -> typing.Any",
      "Return the values as a DLPack capsule, without a copy, for torch.from_dlpack(batch).");
  dense.def(
      "__dlpack_device__", [](const DenseBatch&) { return nb::make_tuple(1, 0); },
      nb::sig("def __dlpack_device__(self) -> tuple[int, int]"), "Return (1, 0), the CPU.");
  def_interop(dense, "to_torch", "dense_to_torch", "def to_torch(self) -> torch.Tensor",
              "Return the values as a tensor, without a copy.");
  def_interop(dense, "to_nested", "dense_to_nested", "def to_nested(self) -> torch.Tensor",
              "Return the values as a jagged nested tensor, [sequences, *, *shape], without a "
              "copy. Raises ConfigError unless the stream is ragged and its shape is fixed.");
}

void bind_sparse(nb::module_& module) {
  nb::class_<SparseBatch> sparse(
      module, "SparseBatch",
      "One sparse stream of a minibatch, in compressed sparse rows (CSR), as in scipy.sparse.\n"
      "Each row is a sample. If padded, every sequence has equally many rows, and rows without\n"
      "a sample are empty. If packed or truncated, row t * slot_count + s is step t of slot s.");
  sparse
      .def_prop_ro(
          "data",
          [](const SparseBatch& self) {
            return to_array(self.batch->values, self.stream->element_type, self);
          },
          nb::sig("def data(self) -> numpy.typing.NDArray[typing.Any]"), kNoCopy,
          "The stored values. For bfloat16, the bits as uint16.")
      .def_prop_ro(
          "indices",
          [](const SparseBatch& self) {
            return to_array(self.batch->indices, self.stream->index_type, self);
          },
          nb::sig("def indices(self) -> numpy.typing.NDArray[typing.Any]"), kNoCopy,
          "The index of each value.")
      .def_prop_ro(
          "indptr",
          [](const SparseBatch& self) {
            return to_array(self.batch->row_offsets, ElementType::i64, self);
          },
          nb::sig("def indptr(self) -> numpy.typing.NDArray[numpy.int64]"), kNoCopy,
          "Where each row begins among the values, and the end: [rows + 1].")
      .def_prop_ro(
          "shape",
          [](const SparseBatch& self) {
            if (is_variable(self)) {
              throw ConfigError("stream \"" + self.stream->name +
                                "\": the shape of its samples varies, so its rows have no dim");
            }
            return nb::make_tuple(self.batch->row_count(), self.stream->sample_shape.size());
          },
          nb::sig("def shape(self) -> tuple[int, int]"), "The number of rows, and the dim.");
  sparse.def("samples", sparse_samples, nb::arg("sequence"),
             nb::sig("def samples(self, sequence: int) -> list[tuple[numpy.typing.NDArray["
                     "typing.Any], numpy.typing.NDArray[typing.Any]]] | None"),
             "Return a list of the samples of a sequence, in any packing, or None if the sequence "
             "lacks the stream. A sample is (indices, values). Samples share the memory of the "
             "minibatch, and keep the minibatch alive.");
  bind_common(sparse);
  def_interop(
      sparse, "__array__", "sparse_to_numpy",
      "def __array__(self, dtype: typing.Any = None, copy: bool | None = None) -> "
      "numpy.typing.NDArray[typing.Any]",
      "Raise a TypeError, because a sparse stream is no array. The message names alternatives.");
  def_interop(sparse, "to_scipy", "sparse_to_scipy", "def to_scipy(self) -> scipy.sparse.csr_array",
              "Return a scipy.sparse.csr_array, [rows, dim], that shares the values.");
  def_interop(sparse, "to_torch", "sparse_to_torch", "def to_torch(self) -> torch.Tensor",
              "Return a sparse CSR tensor, [rows, dim], that shares the values.");
  def_interop(sparse, "to_bags", "sparse_to_bags",
              "def to_bags(self) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]",
              "Return (indices, offsets, weights) for torch.nn.functional.embedding_bag with "
              "include_last_offset=True. Each row is a bag, and there are [rows + 1] offsets.");
}

nb::list values_of(nb::handle_t<Minibatch> self) {
  nb::list list;
  for (nb::handle name : names(nb::cast<const Minibatch&>(self))) {
    list.append(get_item(self, nb::cast<std::string>(name)));
  }
  return list;
}

nb::list items_of(nb::handle_t<Minibatch> self) {
  nb::list list;
  for (nb::handle name : names(nb::cast<const Minibatch&>(self))) {
    list.append(nb::make_tuple(name, get_item(self, nb::cast<std::string>(name))));
  }
  return list;
}

bool contains(const Minibatch& self, const std::string& name) {
  return std::ranges::any_of(self.streams(),
                             [&](const Stream& stream) { return stream.name == name; });
}

void bind_mapping(nb::class_<Minibatch>& type) {
  type.def("__getitem__", get_item, nb::arg("stream"),
           nb::sig("def __getitem__(self, stream: str) -> sheaf._batch.AnyBatch"))
      .def("__getattr__", get_attribute, nb::arg("stream"),
           nb::sig("def __getattr__(self, stream: str) -> sheaf._batch.AnyBatch"),
           "Return a stream: minibatch.features is minibatch[\"features\"]. A stream with the name "
           "of an attribute, such as \"position\", needs the form with brackets.")
      .def(
          "__arrow_c_array__",
          [](nb::handle_t<Minibatch> self, const nb::object& /*requested_schema*/) {
            return arrow_capsules(self);
          },
          nb::arg("requested_schema") = nb::none(),
          nb::sig("def __arrow_c_array__(self, requested_schema: typing.Any = None) -> "
                  "tuple[typing.Any, typing.Any]"),
          "Return the sequences as an Arrow array of structs that shares the values. "
          "pyarrow.record_batch(minibatch) calls this method. A struct has the sequence_key, and "
          "for each stream a list of samples (ragged) or one sample (frames). A dense sample is a "
          "list of fixed size, or a single value. A sparse sample is a list of structs of index "
          "and value. A sample of variable shape is a list, or a struct of data and shape. Opaque "
          "bytes are a large_binary. Raises ConfigError in other packings.")
      .def("__reduce__", reduce_minibatch,
           nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"),
           "Support pickle and copy. A copy has its own memory.")
      .def("_tensors", tensors_of, nb::arg("from_dlpack"),
           nb::sig("def _tensors(self, from_dlpack: typing.Any) -> "
                   "dict[str, dict[str, typing.Any]]"),
           "Return the streams as sheaf.torch.tensors() does, made with torch.from_dlpack.")
      .def("__dir__", directory, nb::sig("def __dir__(self) -> list[str]"))
      .def("get", get, nb::arg("stream"), nb::arg("default") = nb::none(),
           nb::sig("def get(self, stream: str, default: typing.Any = None) -> typing.Any"))
      .def("__len__", [](const Minibatch& self) { return self.streams().size(); })
      .def("__contains__", contains, nb::arg("stream"))
      .def(
          "__iter__", [](const Minibatch& self) { return nb::iter(names(self)); },
          nb::sig("def __iter__(self) -> typing.Iterator[str]"))
      .def("keys", names, nb::sig("def keys(self) -> list[str]"),
           "Return the names of the streams.")
      .def("values", values_of, nb::sig("def values(self) -> list[DenseBatch | SparseBatch]"))
      .def("items", items_of,
           nb::sig("def items(self) -> list[tuple[str, DenseBatch | SparseBatch]]"));
}

}  // namespace

void bind_minibatch(nb::module_& module) {
  bind_dense(module);
  bind_sparse(module);
  nb::class_<Minibatch> type(
      module, "Minibatch", "The data of one training step: a mapping from stream names to arrays.");
  bind_mapping(type);
  def_texts(type, "minibatch_text", "minibatch_html");
  type.def_prop_ro("sequence_keys", sequence_keys,
                   nb::sig("def sequence_keys(self) -> numpy.typing.NDArray[numpy.uint64]"),
                   kNoCopy, "The keys of the sequences, in the order of delivery.")
      .def_prop_ro("key_texts", key_texts, nb::sig("def key_texts(self) -> list[str]"),
                   "The texts of the keys. Empty if keys are numbers.")
      .def_prop_ro(
          "slices", slices, nb::sig("def slices(self) -> numpy.typing.NDArray[numpy.int64] | None"),
          "The part of each sequence that the minibatch has: [sequences, (first sample, number of "
          "samples, samples of the whole sequence)]. None if the order cuts no sequences.")
      .def_prop_ro("members", members,
                   nb::sig("def members(self) -> numpy.typing.NDArray[numpy.int64] | None"),
                   "The number of the member of a mixture that each sequence comes from. None if "
                   "the data are not a mixture.")
      .def_prop_ro("sequence_count", &Minibatch::sequence_count)
      .def_prop_ro("sample_count", &Minibatch::sample_count,
                   "The number of samples of the stream with the most samples.")
      .def_prop_ro(
          "position",
          [](const Minibatch& self) {
            return nb::module_::import_("json").attr("loads")(to_json(self.position));
          },
          nb::sig("def position(self) -> dict[str, typing.Any]"),
          "The state of the reader after this minibatch, for Reader.load_state_dict().")
      .def_ro("ends_sweep", &Minibatch::ends_sweep,
              "Whether the minibatch has the last sequence of a sweep.")
      .def_ro("ends_epoch", &Minibatch::ends_epoch)
      .def_ro("hole_count", &Minibatch::hole_count,
              "How many sequences sheaf left out because their data are wrong.");
  module.def("restore_minibatch", minibatch_of, nb::arg("state"),
             nb::sig("def restore_minibatch(state: tuple[typing.Any, ...]) -> Minibatch"),
             "Return the minibatch with a state from Minibatch.__reduce__().");
  module.def(
      "restore_batch",
      [](const nb::tuple& state) {
        const nb::object owner = nb::cast(minibatch_of(state));
        return stream_batch(nb::handle_t<Minibatch>(owner), 0);
      },
      nb::arg("state"),
      nb::sig("def restore_batch(state: tuple[typing.Any, ...]) -> DenseBatch | SparseBatch"),
      "Return the stream with a state from its __reduce__().");
}

}  // namespace sheaf::python
