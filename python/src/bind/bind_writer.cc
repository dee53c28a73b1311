// Bindings that write arrays to a file.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/vector.h>

#include "sheaf/error.h"
#include "sheaf/extend/file_sink.h"
#include "sheaf/extend/format.h"

#include "bind/bindings.h"
#include "file_writer.h"
#include "free_gil.h"
#include "text.h"

namespace nb = nanobind;

namespace sheaf::python {
namespace {

using AnyArray = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;
using Keys = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
void make_of_streams(FileWriter* self, std::string path, const std::vector<StreamOptions>& streams,
                     const std::string& format, Settings extra, std::int64_t chunk_size_bytes,
                     bool overwrite) {
  WriterOptions options = writer_options(format, std::move(extra), chunk_size_bytes, overwrite);
  std::vector<Stream> given;
  for (const StreamOptions& stream : streams) {
    given.push_back({.name = stream.name,
                     .element_type = stream.dtype.value_or(ElementType::f32),
                     .sample_shape = stream.sample_shape.value(),
                     .storage = stream.storage,
                     .index_type = stream.index_dtype,
                     .defines_minibatch_size = stream.defines_minibatch_size});
    options.streams.push_back({.name = stream.name, .alias = stream.alias});
  }
  const FreeGil free;
  new (self) FileWriter(std::move(path), std::move(given), options);
}

/// The arrays of one stream, kept alive while the library borrows them.
class Arrays {
 public:
  /// `parts` has values, indices, sample_offsets, extents, sequence_offsets and presence. None is
  /// an empty array.
  ///
  /// Pre: each array is contiguous and has the type of its field in Column.
  explicit Arrays(nb::handle parts) {
    for (std::size_t i = 0; i < kCount; ++i) {
      const nb::object part = parts[i];
      if (!part.is_none()) arrays_[i] = nb::cast<AnyArray>(part);
    }
  }

  [[nodiscard]] Column column() const {
    return {.values = borrowed(0),
            .indices = borrowed(1),
            .sample_offsets = borrowed(2),
            .extents = borrowed(3),
            .sequence_offsets = borrowed(4),
            .presence = borrowed(5)};
  }

 private:
  [[nodiscard]] Buffer borrowed(std::size_t part) const {
    const std::optional<AnyArray>& array = arrays_[part];
    if (!array) return {};
    return Buffer::borrow({static_cast<const std::byte*>(array->data()), array->nbytes()}, nullptr);
  }

  static constexpr std::size_t kCount = 6;

  std::optional<AnyArray> arrays_[kCount];
};

void write_columns(FileWriter& self, const nb::object& keys, const nb::list& columns) {
  std::vector<SequenceKey> list;
  std::vector<std::string> texts;
  if (nb::isinstance<nb::list>(keys)) {
    for (const nb::handle key : keys) {
      texts.push_back(bytes_of(key));
      list.push_back(key_of_text(texts.back()));
    }
  } else {
    const auto numbers = nb::cast<Keys>(keys);
    list.reserve(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) list.push_back({.low = numbers(i)});
  }
  std::vector<Arrays> arrays;
  for (const nb::handle parts : columns) arrays.emplace_back(parts);
  const FreeGil free;
  std::vector<Column> borrowed;
  for (const Arrays& each : arrays) borrowed.push_back(each.column());
  Chunk chunk(self.given(), std::ssize(list), std::move(borrowed));
  if (!texts.empty()) chunk.set_key_texts(std::move(texts));
  self.write(list, chunk);
}

// Writes a minibatch. Returns false, and writes nothing, if its streams are not those of the
// writer.
bool write_minibatch(FileWriter& self, const Minibatch& minibatch) {
  const FreeGil free;
  if (!std::ranges::equal(minibatch.streams(), self.given())) return false;
  self.write(minibatch);
  return true;
}

}  // namespace

WriterOptions writer_options(const std::string& format, Settings extra,
                             std::int64_t chunk_size_bytes, bool overwrite) {
  WriterOptions options;
  options.existing = overwrite ? Existing::replace : Existing::refuse;
  options.format.format = format;
  options.format.extra = std::move(extra);
  options.format.chunk_size_bytes = chunk_size_bytes;
  return options;
}

void bind_writer(nb::module_& module) {
  using NoGil = nb::call_guard<FreeGil>;
  module.def(
      "check_output_path",
      [](const std::string& path, const std::vector<std::string>& sources) {
        return check_output_path(path, sources);
      },
      nb::arg("path"), nb::arg("sources"), NoGil(),
      "Return whether the file exists. Raises ConfigError for a path that cannot become a file, or "
      "that is one of the sources.");
  nb::class_<FileWriter>(module, "FileWriter", "A file under construction.")
      .def("__init__", make_of_streams, nb::arg("path"), nb::arg("streams"), nb::arg("format"),
           nb::arg("format_options"), nb::arg("chunk_size_bytes"), nb::arg("overwrite"))
      .def("write_columns", write_columns, nb::arg("keys"), nb::arg("columns"),
           nb::sig("def write_columns(self, keys: numpy.typing.NDArray[numpy.uint64] | list[str], "
                   "columns: list[tuple[typing.Any, ...]]) -> None"),
           "Write sequences. Each stream has values, indices, sample_offsets, extents, "
           "sequence_offsets and presence.")
      .def("write_minibatch", write_minibatch, nb::arg("minibatch"),
           "Write the sequences of a minibatch. If the streams differ from those of the file, "
           "write nothing and return False.")
      .def("finish", &FileWriter::finish, NoGil())
      .def("discard", &FileWriter::discard, nb::call_guard<GilPause>())
      .def(
          "stats",
          [](const FileWriter& self) {
            const WriterStats stats = self.stats();
            return nb::make_tuple(stats.sequences, stats.samples);
          },
          nb::sig("def stats(self) -> tuple[int, int]"),
          "Return the number of written sequences and samples.")
      .def_prop_ro(
          "warnings",
          [](const FileWriter& self) {
            const std::vector<Diagnostic> warnings = [&] {
              const FreeGil free;
              return self.warnings();
            }();
            return to_python(warnings);
          },
          nb::sig("def warnings(self) -> list[sheaf.errors.Diagnostic]"));
}

}  // namespace sheaf::python
