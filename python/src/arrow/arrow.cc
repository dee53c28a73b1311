#include "arrow/arrow.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/arrow_interface.h"
#include "sheaf/extend/arrow_node.h"
#include "sheaf/extend/interruption.h"
#include "sheaf/extend/packer.h"

#include "free_gil.h"

namespace nb = nanobind;

namespace sheaf::python {
namespace {

template <typename Arrow>
nb::object capsule(Taken<Arrow> arrow, const char* name) {
  nb::object made = nb::steal(PyCapsule_New(arrow.get(), name, [](PyObject* self) {
    const Taken<Arrow> held(
        static_cast<Arrow*>(PyCapsule_GetPointer(self, PyCapsule_GetName(self))));
  }));
  if (!made.is_valid()) throw nb::python_error();
  static_cast<void>(arrow.release());
  return made;
}

const char* format_of(const Stream& stream, ElementType type) {
  switch (type) {
    case ElementType::u8:
      return "C";
    case ElementType::u16:
      return "S";
    case ElementType::i32:
      return "i";
    case ElementType::i64:
      return "l";
    case ElementType::f16:
      return "e";
    case ElementType::f32:
      return "f";
    case ElementType::f64:
      return "g";
    case ElementType::bf16:
      throw ConfigError("stream \"" + stream.name +
                        "\": Arrow has no type for bfloat16; the transform cast makes float32 or "
                        "float16 of it");
    case ElementType::bytes:
      return "C";
  }
  throw InternalError("stream \"" + stream.name + "\": its type is none that Arrow has");
}

ArrowNode values_of(const Buffer& buffer, const char* format, std::int64_t length,
                    std::string name) {
  return {.format = format,
          .name = std::move(name),
          .length = length,
          .buffers = {nullptr, buffer.data()}};
}

ArrowNode list_of(ArrowNode item, const Buffer& offsets, std::int64_t length) {
  return {.format = "+L",
          .name = "item",
          .length = length,
          .buffers = {nullptr, offsets.data()},
          .children = {std::move(item)}};
}

// Adds a buffer of values to a node, which then owns them. The buffer is not part of the minibatch.
template <typename T>
void hold(ArrowNode& node, T values) {
  const auto held = std::make_shared<T>(std::move(values));
  node.buffers.push_back(held->data());
  node.owned.emplace_back(held);
}

// Returns a list of values for each row of the array. If all samples have one shape, all lists have
// the same length.
ArrowNode row_lists(ArrowNode values, const StreamBatch& batch, std::int64_t rows) {
  if (!batch.row_offsets.empty()) return list_of(std::move(values), batch.row_offsets, rows);
  std::vector<std::int64_t> offsets;
  for (std::int64_t row = 0; row <= rows; ++row) offsets.push_back(row * batch.row_shape.size());
  ArrowNode lists{.format = "+L", .name = "item", .length = rows, .buffers = {nullptr}};
  hold(lists, std::move(offsets));
  lists.children.push_back(std::move(values));
  return lists;
}

// Returns samples of variable shape as lists. If samples have several extents, returns structs of
// the values and the shape, as Arrow's extension type "variable shape tensor" stores them. Returns
// opaque bytes as large_binary.
ArrowNode variable_samples_of(const Stream& stream, const StreamBatch& batch, const char* format) {
  const std::int64_t rows = batch.row_count();
  const std::int64_t count = batch.values.size_bytes() / element_size(stream.element_type);
  if (stream.element_type == ElementType::bytes) {
    return {.format = "Z",
            .name = "item",
            .length = rows,
            .buffers = {nullptr, batch.row_offsets.data(), batch.values.data()}};
  }
  ArrowNode lists = row_lists(values_of(batch.values, format, count, "item"), batch, rows);
  const std::int64_t rank = stream.sample_shape.rank();
  if (rank == 1) return lists;
  lists.name = "data";
  ArrowNode shapes{.format = "+w:" + std::to_string(rank),
                   .name = "shape",
                   .length = rows,
                   .buffers = {nullptr}};
  shapes.children.push_back(values_of(batch.extents, "l", rows * rank, "item"));
  ArrowNode tensors{.format = "+s", .name = "item", .length = rows, .buffers = {nullptr}};
  tensors.children.push_back(std::move(lists));
  tensors.children.push_back(std::move(shapes));
  return tensors;
}

// Returns the samples of a stream, one after the other.
ArrowNode samples_of(const Stream& stream, const StreamBatch& batch) {
  const std::int64_t rows = batch.row_count();
  const char* const format = format_of(stream, stream.element_type);
  if (stream.storage == Storage::sparse) {
    const std::int64_t count = batch.indices.size_bytes() / element_size(stream.index_type);
    ArrowNode entry{.format = "+s", .name = "item", .length = count, .buffers = {nullptr}};
    entry.children.push_back(
        values_of(batch.indices, format_of(stream, stream.index_type), count, "index"));
    entry.children.push_back(values_of(batch.values, format, count, "value"));
    return list_of(std::move(entry), batch.row_offsets, rows);
  }
  if (!stream.sample_shape.is_fixed()) return variable_samples_of(stream, batch, format);
  const std::int64_t size = stream.sample_shape.size();
  ArrowNode values = values_of(batch.values, format, rows * size, "item");
  if (size == 1) return values;
  return {.format = "+w:" + std::to_string(size),
          .name = "item",
          .length = rows,
          .buffers = {nullptr},
          .children = {std::move(values)}};
}

// Sets the validity bits of a node from the presence bytes of a stream.
void set_presence(const Buffer& presence, ArrowNode& node) {
  if (presence.size_bytes() == 0) return;
  const auto bits =
      std::make_shared<std::vector<std::uint8_t>>(static_cast<std::size_t>(node.length + 7) / 8);
  for (std::size_t i = 0; i < static_cast<std::size_t>(node.length); ++i) {
    if (presence.data()[i] != std::byte{0}) {
      (*bits)[i / 8] = static_cast<std::uint8_t>((*bits)[i / 8] | (1U << (i % 8)));
    } else {
      ++node.null_count;
    }
  }
  node.buffers[0] = bits->data();
  node.owned.emplace_back(bits);
}

ArrowNode column_of(const Stream& stream, const StreamBatch& batch) {
  if (batch.layout != Layout::ragged && batch.layout != Layout::frames) {
    throw ConfigError("Arrow takes minibatches of the packing \"ragged\" or \"frames\": got \"" +
                      std::string(to_string(batch.layout)) + '"');
  }
  ArrowNode column = samples_of(stream, batch);
  if (batch.layout == Layout::ragged) {
    column = list_of(std::move(column), batch.sequence_offsets, batch.sequence_count);
  }
  column.name = stream.name;
  column.is_nullable = true;
  set_presence(batch.presence, column);
  return column;
}

bool is_utf8(std::string_view text) {
  const nb::object decoded =
      nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "strict"));
  if (!decoded.is_valid()) PyErr_Clear();
  return decoded.is_valid();
}

bool are_utf8(std::span<const std::string_view> texts) {
  const nb::gil_scoped_acquire acquire;
  return std::ranges::all_of(texts, is_utf8);
}

void check_names(std::span<const Stream> streams) {
  const nb::gil_scoped_acquire acquire;
  for (const Stream& stream : streams) {
    if (is_utf8(stream.name)) continue;
    throw ConfigError(
        "stream \"" + stream.name +
        "\": Arrow takes names that are UTF-8 alone: declare the stream under another "
        "name, with this one as its alias");
  }
}

constexpr const char* kNumbers = "L";
constexpr const char* kTexts = "U";
constexpr const char* kBytes = "Z";

ArrowNode keys_of(const Minibatch& minibatch, const char* format) {
  ArrowNode node{.format = format,
                 .name = "sequence_key",
                 .length = minibatch.sequence_count(),
                 .buffers = {nullptr}};
  if (format == kNumbers) {
    std::vector<std::uint64_t> numbers;
    for (const SequenceKey& key : minibatch.keys()) numbers.push_back(key.low);
    hold(node, std::move(numbers));
    return node;
  }
  std::vector<std::int64_t> offsets = {0};
  std::string text;
  for (const std::string_view key : minibatch.key_texts()) {
    text += key;
    offsets.push_back(static_cast<std::int64_t>(text.size()));
  }
  hold(node, std::move(offsets));
  hold(node, std::move(text));
  return node;
}

ArrowNode record_of(const Minibatch& minibatch, const char* key_format,
                    std::span<const std::string> words) {
  ArrowNode root{
      .format = "+s", .name = "", .length = minibatch.sequence_count(), .buffers = {nullptr}};
  root.children.push_back(keys_of(minibatch, key_format));
  if (!words.empty()) root.children.back().metadata = arrow_metadata({{"sheaf.key", "1"}});
  for (std::size_t i = 0; i < minibatch.streams().size(); ++i) {
    ArrowNode column =
        column_of(minibatch.streams()[i], minibatch.batch(static_cast<std::int64_t>(i)));
    if (!words.empty()) column.metadata = arrow_metadata({{"sheaf.stream", words[i]}});
    root.children.push_back(std::move(column));
  }
  return root;
}

// The private data of an exported Arrow stream. Call one function at a time, without the GIL.
class Stepper {
 public:
  Stepper(std::shared_ptr<const Data> data, std::vector<std::string> words)
      : data_(std::move(data)), words_(std::move(words)) {
    const auto streams = data_->deserializer().streams();
    check_names(streams);
    const SequenceList none(
        std::make_shared<const std::vector<Stream>>(streams.begin(), streams.end()));
    key_format_ = data_->has_text_keys() ? kTexts : kNumbers;
    schema_ =
        record_of(make_packer(data_->plan().spec.read.packing)->pack(none), key_format_, words_);
    reader_.emplace(data_->run(data_->begin_of(0)));
  }

  void schema(ArrowSchema& out) const { export_schema(schema_, out); }

  void next(ArrowArray& out) {
    out = {};
    while (true) {
      check_interruption();  // first, so that no minibatch is lost
      std::optional<Minibatch> minibatch = reader_->next();
      if (!minibatch) return;
      if (minibatch->sequence_count() == 0) continue;  // all sequences were left out
      if (!are_utf8(minibatch->key_texts())) {
        throw ConfigError("Arrow is given keys that are UTF-8 alone");
      }
      const auto kept = std::make_shared<const Minibatch>(*std::move(minibatch));
      export_array(record_of(*kept, key_format_, words_), kept, out);
      return;
    }
  }

  std::string error;
  SignalClock clock;

 private:
  std::shared_ptr<const Data> data_;
  std::vector<std::string> words_;
  const char* key_format_;
  ArrowNode schema_;
  std::optional<Reader> reader_;  // declared after the data, so that it is destroyed first
};

// Schedules an exception of a signal handler. The consumer of a stream passes on only error numbers
// and texts, so Python raises the exception as soon as this thread runs Python code again. Returns
// the text for the consumer.
std::string raise_later(const nb::python_error& error) {
  const nb::gil_scoped_acquire acquire;
  PyThreadState_SetAsyncExc(PyThread_get_thread_ident(), error.type().ptr());
  return std::string("interrupted by a signal: ") +
         reinterpret_cast<PyTypeObject*>(error.type().ptr())->tp_name;
}

// Calls f(stepper) without the GIL, because reading the data may need it. Returns an error number.
// The consumer may call with or without the GIL. Ctrl-C works even if the consumer never returns to
// Python.
template <typename F>
int told(ArrowArrayStream* stream, F&& f) {
  auto& stepper = *static_cast<Stepper*>(stream->private_data);
  const FreeGil free(AnyCaller(), stepper.clock);
  try {
    f(stepper);
    return 0;
  } catch (const nb::python_error& error) {
    stepper.error = raise_later(error);
    return EINTR;
  } catch (const IoError& error) {
    stepper.error = error.what();
    return EIO;
  } catch (const std::exception& error) {
    stepper.error = error.what();
    return EINVAL;
  }
}

void export_stream(std::unique_ptr<Stepper> stepper, ArrowArrayStream& to) {
  to.get_schema = [](ArrowArrayStream* stream, ArrowSchema* out) {
    return told(stream, [out](const Stepper& stepper) { stepper.schema(*out); });
  };
  to.get_next = [](ArrowArrayStream* stream, ArrowArray* out) {
    return told(stream, [out](Stepper& stepper) { stepper.next(*out); });
  };
  to.get_last_error = [](ArrowArrayStream* stream) {
    return static_cast<const Stepper*>(stream->private_data)->error.c_str();
  };
  to.release = [](ArrowArrayStream* stream) {
    const GilPause pause{AnyCaller()};
    stream->release = nullptr;
    delete static_cast<Stepper*>(stream->private_data);
  };
  to.private_data = stepper.release();
}

}  // namespace

nb::tuple arrow_capsules(nb::handle_t<Minibatch> self) {
  const auto& minibatch = nb::cast<const Minibatch&>(self);
  check_names(minibatch.streams());
  const char* const key_format = minibatch.key_texts().empty()     ? kNumbers
                                 : are_utf8(minibatch.key_texts()) ? kTexts
                                                                   : kBytes;
  const ArrowNode root = record_of(minibatch, key_format, {});
  Taken<ArrowSchema> schema = nothing_taken<ArrowSchema>();
  export_schema(root, *schema);
  nb::object schema_capsule = capsule(std::move(schema), "arrow_schema");
  // The consumer may release the array on any thread.
  const std::shared_ptr<const void> owner(self.inc_ref().ptr(), [](const void* minibatch_object) {
    const nb::gil_scoped_acquire acquire;
    Py_DECREF(static_cast<PyObject*>(const_cast<void*>(minibatch_object)));
  });
  Taken<ArrowArray> array = nothing_taken<ArrowArray>();
  export_array(root, owner, *array);
  return nb::make_tuple(std::move(schema_capsule), capsule(std::move(array), "arrow_array"));
}

nb::object arrow_stream_capsule(std::shared_ptr<const Data> data,
                                const std::vector<std::string>& words) {
  Taken<ArrowArrayStream> stream = nothing_taken<ArrowArrayStream>();
  {
    const FreeGil free;
    export_stream(std::make_unique<Stepper>(std::move(data), words), *stream);
  }
  return capsule(std::move(stream), "arrow_array_stream");
}

}  // namespace sheaf::python
