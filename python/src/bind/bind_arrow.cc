// Bindings that export data as an Arrow stream, and write an Arrow stream to a file.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "sheaf/error.h"
#include "sheaf/extend/arrow_interface.h"
#include "sheaf/extend/interruption.h"

#include "arrow/arrow.h"
#include "arrow/arrow_columns.h"
#include "arrow/arrow_keys.h"
#include "arrow/arrow_type.h"
#include "arrow/arrow_values.h"
#include "bind/bindings.h"
#include "bind/capsules.h"
#include "file_writer.h"
#include "free_gil.h"
#include "text.h"
#include "waiting.h"

namespace nb = nanobind;

namespace sheaf::python {
namespace {

/// The record batches of an Arrow stream, or a single batch. Takes one call at a time.
class ArrowSource {
 public:
  /// Throws: IoError if the Arrow stream fails; ConfigError if its elements are not structs.
  explicit ArrowSource(Taken<ArrowArrayStream> stream) : stream_(std::move(stream)) {
    schema_ = nothing_taken<ArrowSchema>();
    check(stream_->get_schema(stream_.get(), schema_.get()));
    check_schema();
    do {
      first_ = read();
    } while (first_ && first_->length == 0);
  }

  ArrowSource(Taken<ArrowSchema> schema, Taken<ArrowArray> array)
      : schema_(std::move(schema)), first_(std::move(array)) {
    check_schema();
  }

  [[nodiscard]] std::span<ArrowSchema* const> columns() const noexcept {
    return {schema_->children, static_cast<std::size_t>(schema_->n_children)};
  }

  /// Returns the first batch with rows until next() returns it. Returns null if there is no row.
  [[nodiscard]] const ArrowArray* first() const noexcept { return first_.get(); }

  /// Returns the next batch, or null at the end.
  Taken<ArrowArray> next() {
    if (first_) return std::move(first_);
    return stream_ ? read() : nullptr;
  }

 private:
  Taken<ArrowArray> read() {
    Taken<ArrowArray> batch = nothing_taken<ArrowArray>();
    check(stream_->get_next(stream_.get(), batch.get()));
    if (batch->release == nullptr) return nullptr;
    return batch;
  }

  void check(int code) const {
    if (code == 0) return;
    const char* const text = stream_->get_last_error(stream_.get());
    throw IoError("the Arrow stream failed: " + std::string(text == nullptr ? "" : text));
  }

  void check_schema() const {
    if (std::string_view(schema_->format) == "+s") return;
    throw ConfigError("Arrow data are a table, or structs: got the format \"" +
                      std::string(schema_->format) + '"');
  }

  Taken<ArrowArrayStream> stream_;  // null: there is only the first batch
  Taken<ArrowSchema> schema_;
  Taken<ArrowArray> first_;
};

ArrowRows rows_of(const ArrowArray& batch) {
  return {.first = batch.offset, .count = batch.length};
}

std::unique_ptr<ArrowSource> source_of_stream(const nb::object& capsule) {
  auto stream = take<ArrowArrayStream>(capsule, "arrow_array_stream");
  const FreeGil free;
  return std::make_unique<ArrowSource>(std::move(stream));
}

std::unique_ptr<ArrowSource> source_of_array(const nb::object& schema, const nb::object& array) {
  return std::make_unique<ArrowSource>(take<ArrowSchema>(schema, "arrow_schema"),
                                       take<ArrowArray>(array, "arrow_array"));
}

// Returns (word, shape or None, is sparse, format of the values, format of the indices) of a
// column.
nb::tuple description_of(const ArrowSource& self, std::size_t number) {
  const ArrowColumnType type = arrow_column_type(*self.columns()[number]);
  if (type.is_bytes()) {
    return nb::make_tuple(type.word, nb::none(), false, type.text_format, std::string());
  }
  nb::list shape;
  for (const std::int64_t extent : type.extents) shape.append(extent);
  if (type.extents.empty() && !type.has_sample_lists()) shape.append(1);
  if (type.has_sample_lists() && !type.is_sparse && self.first() != nullptr) {
    const std::int64_t size =
        first_sample_size(type, *self.first()->children[number], rows_of(*self.first()));
    if (size > 0) shape.append(size);
  }
  const nb::object known = shape.size() > 0 ? nb::object(nb::tuple(shape)) : nb::none();
  return nb::make_tuple(type.word, known, type.is_sparse, std::string(1, type.value_format),
                        std::string(type.is_sparse ? 1 : 0, type.index_format));
}

std::size_t column_named(const ArrowSource& source, const std::string& name) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < source.columns().size(); ++i) {
    if (name_of_column(*source.columns()[i]) != name) continue;
    if (found) {
      throw ConfigError("column \"" + name + "\": several columns have this name: rename them");
    }
    found = i;
  }
  if (!found) throw ConfigError("there is no column \"" + name + '"');
  return *found;
}

ArrowKeys numbered(std::int64_t first, std::int64_t count) {
  ArrowKeys keys;
  for (std::int64_t i = first; i < first + count; ++i) {
    keys.keys.push_back({.low = static_cast<std::uint64_t>(i)});
  }
  return keys;
}

// Throws: DataError if a row of the batch itself is null. `done` rows came before the batch.
void check_rows_present(const ArrowArray& batch, std::int64_t done, const std::string& path) {
  if (!may_have_nulls(batch)) return;
  for (std::int64_t i = 0; i < batch.length; ++i) {
    if (!is_null(batch, i)) continue;
    throw DataError({{.path = path,
                      .byte_offset = Diagnostic::kNoOffset,
                      .code = "arrow-null",
                      .expected = "a row",
                      .found = "a null: row " + std::to_string(done + i)}});
  }
}

// Writes all table rows. The streams are the columns with their names. Without `key`, the numbers
// of the table rows are the keys.
void write_to(ArrowSource& self, FileWriter& file, const std::string& path,
              const std::optional<std::string>& key) {
  const FreeGil free;
  std::vector<std::size_t> numbers;
  std::vector<ArrowColumnType> types;
  for (const Stream& stream : file.given()) {
    numbers.push_back(column_named(self, stream.name));
    types.push_back(arrow_column_type(*self.columns()[numbers.back()]));
    check_stream(types.back(), stream);
  }
  const std::optional<std::size_t> key_number =
      key ? std::optional(column_named(self, *key)) : std::nullopt;
  std::int64_t done = 0;
  while (const Taken<ArrowArray> batch = self.next()) {
    check_interruption();
    check_rows_present(*batch, done, path);
    const ArrowRows all = rows_of(*batch);
    for (Pace pace(all.count); pace.next();) {
      const ArrowRows rows{.first = all.first + pace.first(), .count = pace.count()};
      ArrowKeys keys = key_number ? arrow_keys(*self.columns()[*key_number],
                                               *batch->children[*key_number], rows, path)
                                  : numbered(done, rows.count);
      std::vector<Column> columns;
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        columns.push_back(arrow_column(types[i], *batch->children[numbers[i]], rows,
                                       file.given()[i], {path, file.given()[i].name, keys}));
      }
      Chunk chunk(file.given(), rows.count, std::move(columns));
      if (!keys.texts.empty()) chunk.set_key_texts(std::move(keys.texts));
      file.write(keys.keys, chunk);
      done += rows.count;
    }
  }
}

}  // namespace

void bind_arrow(nb::module_& module) {
  module.def("arrow_stream", arrow_stream_capsule, nb::arg("data"), nb::arg("words"),
             nb::sig("def arrow_stream(data: Data, words: collections.abc.Sequence[str]) -> "
                     "typing.Any"),
             "Return a capsule with an Arrow stream of the first epoch of the data.");
  nb::class_<ArrowSource>(module, "ArrowSource", "Record batches from another library.")
      .def_static("of_stream", source_of_stream, nb::arg("capsule"))
      .def_static("of_array", source_of_array, nb::arg("schema"), nb::arg("array"))
      .def_prop_ro(
          "names",
          [](const ArrowSource& self) {
            std::vector<std::string> names;
            for (const ArrowSchema* column : self.columns()) {
              names.emplace_back(name_of_column(*column));
            }
            return names;
          },
          "The names of the columns.")
      .def("describe", description_of, nb::arg("number"),
           nb::sig("def describe(self, number: int) -> tuple[str, tuple[int, ...] | None, bool, "
                   "str, str]"),
           "Return (word of the stream, shape, is sparse, format of the values, format of the "
           "indices) for a column. The shape is None if unknown.")
      .def("write_to", write_to, nb::arg("file"), nb::arg("path"), nb::arg("key").none());
}

}  // namespace sheaf::python
