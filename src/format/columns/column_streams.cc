#include "format/columns/column_streams.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/nearest.h"

#include "base/text.h"
#include "format/columns/arrow_values.h"
#include "format/columns/column_errors.h"
#include "format/sample_shape.h"

namespace sheaf::columns {
namespace {

std::span<ArrowSchema* const> children_of(const ArrowSchema& table) noexcept {
  return {table.children, static_cast<std::size_t>(table.n_children)};
}

std::string_view name_of_column(const ArrowSchema& column) noexcept {
  return column.name == nullptr ? std::string_view{} : std::string_view(column.name);
}

// Returns the number of the column with this name, or nothing if there is none.
//
// Throws: ConfigError if several columns have the name.
std::optional<std::int64_t> find_column(const ArrowBatches& batches, std::string_view name) {
  std::optional<std::int64_t> found;
  std::int64_t number = 0;
  for (const ArrowSchema* column : children_of(batches.schema())) {
    if (name_of_column(*column) == name) {
      if (found) {
        throw ConfigError(
            formatted("{}: several columns have the name {}", batches.name(), quoted(name)));
      }
      found = number;
    }
    ++number;
  }
  return found;
}

std::int64_t column_named(const ArrowBatches& batches, const std::string& what,
                          std::string_view name, const std::string& hint = {}) {
  if (const auto found = find_column(batches, name)) return *found;
  std::vector<std::string> names;
  std::string all;
  for (const ArrowSchema* column : children_of(batches.schema())) {
    names.emplace_back(name_of_column(*column));
    all += formatted("{}{}", all.empty() ? "" : ", ", quoted(names.back()));
  }
  const std::string nearest(nearest_name(name, names));
  throw ConfigError(formatted("{}: {} has no column {}{}; the columns are {}{}", what,
                              batches.name(), quoted(name),
                              nearest.empty() ? "" : formatted(" (\"{}\"?)", nearest), all, hint));
}

/// The parsed value of the metadata "sheaf.stream", such as "labels:sparse:10:mb:index=i64".
struct Word {
  std::int64_t dim = 0;  // of a sparse stream; 0 if not known
  bool is_variable = false;
  bool defines_minibatch_size = false;
  bool has_wide_indices = false;
};

Word word_of(std::string_view text) {
  Word word;
  for (const std::string_view kind : {":sparse:", ":dense:"}) {
    const std::size_t begin = text.find(kind);
    if (begin == std::string_view::npos) continue;
    const std::string_view rest = text.substr(begin + kind.size());
    const std::string_view shape = rest.substr(0, rest.find(':'));
    std::from_chars(shape.data(), shape.data() + shape.size(), word.dim);
    word.is_variable = shape == "*";
    const std::string_view options = rest.substr(shape.size());
    word.defines_minibatch_size = (std::string(options) + ':').find(":mb:") != std::string::npos;
    word.has_wide_indices = options.find(":index=i64") != std::string_view::npos;
    break;
  }
  return word;
}

/// Finds shapes in the data that no type tells.
class ShapeFinder {
 public:
  explicit ShapeFinder(const ArrowBatches& batches) noexcept : batches_(batches) {}

  /// Returns the number of values that every sample in the first batch with samples has. Returns
  /// nothing if samples differ, or if no batch has any.
  [[nodiscard]] std::optional<std::int64_t> list_size(std::int64_t number,
                                                      const ColumnType& type) const {
    std::optional<std::int64_t> found;
    for (std::int64_t batch = 0; batch < batches_.batch_count() && !found; ++batch) {
      const auto array = whole_column(batch, number, /*lengths_only=*/true);
      const ArrowArray& column = *array->children[0];
      for (std::int64_t row = 0; row < batches_.row_count(batch); ++row) {
        if (may_have_nulls(column) && is_null(column, row)) continue;
        const ArrowArray& samples = *column.children[0];
        const ArrowRange range = item_range(column, type.large_lists[0], row);
        if (range.begin < 0 || range.end > samples.length) continue;
        for (std::int64_t i = range.begin; i < range.end; ++i) {
          const ArrowRange values = item_range(samples, type.large_lists[1], i);
          const std::int64_t size = values.end - values.begin;
          if (size < 1 || size > internal::kSampleSizeMax || (found && *found != size)) {
            return std::nullopt;
          }
          found = size;
        }
      }
    }
    return found;
  }

  /// Returns the largest index of all batches, or -1 if there is none.
  [[nodiscard]] std::int64_t largest_index(std::int64_t number, const ColumnType& type) const {
    std::int64_t largest = -1;
    for (std::int64_t batch = 0; batch < batches_.batch_count(); ++batch) {
      const auto array = whole_column(batch, number, /*lengths_only=*/false);
      const ArrowArray* at = array->children[0];
      for (std::size_t i = 0; i < type.large_lists.size(); ++i) at = at->children[0];
      const ArrowArray* indices = at->children[type.indices_child];
      if (type.has_lists_inside) indices = indices->children[0];
      with_whole_type(type.index_format, [&](auto kind) {
        using From = decltype(kind);
        const From* const values = static_cast<const From*>(indices->buffers[1]);
        for (std::int64_t i = 0; i < indices->length; ++i) {
          const From value = values[indices->offset + i];
          if (std::in_range<std::int64_t>(value)) {
            largest = std::max(largest, static_cast<std::int64_t>(value));
          }
        }
      });
    }
    return largest;
  }

 private:
  [[nodiscard]] std::shared_ptr<const ArrowArray> whole_column(std::int64_t batch,
                                                               std::int64_t number,
                                                               bool lengths_only) const {
    return batches_.read({.batch = batch,
                          .first = 0,
                          .count = batches_.row_count(batch),
                          .columns = {&number, 1},
                          .lengths_only = lengths_only,
                          .needs_dictionaries = false});
  }

  const ArrowBatches& batches_;
};

[[noreturn]] void refuse_stream(std::string_view stream, const std::string& why) {
  throw ConfigError(formatted("stream {}: {}", quoted(stream), why));
}

/// Makes the stream of one column.
class StreamMaker {
 public:
  StreamMaker(const ArrowBatches& batches, const FormatOptions& options, KeptVocabularies& kept)
      : batches_(batches), options_(options), kept_(kept) {}

  StreamColumn undeclared(std::int64_t number, ColumnType type) const {
    StreamColumn column{.number = number, .type = std::move(type)};
    const Word word = word_of(column.type.word);
    column.stream.name = column.type.name;
    column.stream.defines_minibatch_size = word.defines_minibatch_size;
    column.stream.index_type = word.has_wide_indices ? ElementType::i64 : ElementType::i32;
    set_type(column, options_.dtype);
    if (column.type.kind == ColumnType::Kind::sparse && word.dim > 0) {
      column.stream.sample_shape = Shape{word.dim};
    } else {
      column.stream.sample_shape = found_shape(column, word.is_variable);
    }
    if (column.type.kind == ColumnType::Kind::sparse &&
        column.stream.sample_shape.size() - 1 >
            std::int64_t{std::numeric_limits<std::int32_t>::max()}) {
      column.stream.index_type = ElementType::i64;
    }
    return finished(std::move(column));
  }

  StreamColumn declared(const StreamOptions& said) const {
    const std::string& alias = said.alias.empty() ? said.name : said.alias;
    StreamColumn column;
    column.number = column_named(batches_, formatted("stream {}", quoted(said.name)), alias);
    FoundType found = column_type_of(*batches_.schema().children[column.number]);
    if (!found.why_not.empty()) {
      refuse_stream(said.name, formatted("column {}: {}", quoted(alias), found.why_not));
    }
    column.type = std::move(found.type);
    column.stream.name = said.name;
    column.stream.defines_minibatch_size = said.defines_minibatch_size;
    column.stream.index_type = said.index_dtype;
    const bool is_sparse = column.type.kind == ColumnType::Kind::sparse;
    if ((said.storage == Storage::sparse) != is_sparse) {
      refuse_stream(said.name, formatted("column {} is {}", quoted(alias),
                                         is_sparse ? "sparse"
                                                   : "dense; the transform one_hot "
                                                     "makes sparse samples of ids"));
    }
    if (said.dtype == ElementType::bytes && column.type.kind != ColumnType::Kind::bytes) {
      refuse_stream(said.name,
                    formatted("the dtype is bytes, and column {} has numbers", quoted(alias)));
    }
    set_type(column, said.dtype ? said.dtype : options_.dtype);
    column.stream.sample_shape =
        said.sample_shape ? *said.sample_shape : found_shape(column, /*is_variable=*/false);
    check_shape(column);
    return finished(std::move(column));
  }

 private:
  void set_type(StreamColumn& column, std::optional<ElementType> dtype) const {
    const ElementType own = column.type.element_type();
    Stream& stream = column.stream;
    stream.storage =
        column.type.kind == ColumnType::Kind::sparse ? Storage::sparse : Storage::dense;
    // The option dtype applies to all streams of numbers.
    stream.element_type = own == ElementType::bytes ? own : dtype.value_or(own);
  }

  // Returns the shape of a column whose stream has no shape yet.
  Shape found_shape(const StreamColumn& column, bool is_variable) const {
    const ColumnType& type = column.type;
    const ShapeFinder finder(batches_);
    switch (type.kind) {
      case ColumnType::Kind::bytes:
        return Shape{Shape::kVariable};
      case ColumnType::Kind::sparse:
        return Shape{std::clamp<std::int64_t>(finder.largest_index(column.number, type), 0,
                                              internal::kSampleSizeMax) +
                     1};
      default:
        break;
    }
    if (type.has_sample_lists()) {
      if (is_variable) return Shape{Shape::kVariable};
      return Shape{finder.list_size(column.number, type).value_or(Shape::kVariable)};
    }
    if (type.value_width == 1 && type.extents.empty()) return Shape{1};
    std::vector<std::int64_t> extents = type.extents;
    if (type.value_width > 1) extents.push_back(type.value_width);
    return Shape(extents);
  }

  // Checks that the type can have the declared shape.
  void check_shape(StreamColumn& column) const {
    const ColumnType& type = column.type;
    const Stream& stream = column.stream;
    const Shape& shape = stream.sample_shape;
    const auto refuse = [&](const std::string& has) {
      refuse_stream(stream.name, formatted("the shape {} does not fit column {}, {}",
                                           to_string(shape), quoted(type.name), has));
    };
    if (type.kind == ColumnType::Kind::bytes) {
      if (shape != Shape{Shape::kVariable}) refuse("whose samples are bytes: [*]");
      return;
    }
    if (!shape.is_fixed()) {
      const bool can_vary = type.kind != ColumnType::Kind::sparse && type.fixed_lists.empty() &&
                            type.value_width == 1 && !type.large_lists.empty();
      if (shape.rank() != 1 || !can_vary) refuse("whose samples have a fixed size");
      column.is_whole_list = !type.has_sample_lists();
      return;
    }
    const std::int64_t each = type.values_per_element();
    const bool is_free = type.kind == ColumnType::Kind::sparse || type.has_sample_lists() ||
                         (type.has_sequence_lists() && each == 1);
    if (!is_free && shape.size() != each) {
      refuse(formatted("whose samples have {} values", each));
    }
  }

  // Completes a column: checks its shape, and reads the classes of its dictionaries.
  StreamColumn finished(StreamColumn column) const {
    if (column.stream.sample_shape.is_fixed()) {
      internal::check_sample_shape(column.stream.name, column.stream.sample_shape,
                                   column.stream.storage, column.stream.index_type);
    }
    if (column.type.kind == ColumnType::Kind::classes) {
      column.vocabulary = kept_.find(column.number);
      if (!column.vocabulary) {
        column.vocabulary =
            std::make_shared<const Vocabulary>(batches_, column.number, column.type.text_format);
      }
      column.stream.class_names = column.vocabulary->names();
    }
    return column;
  }

  const ArrowBatches& batches_;
  const FormatOptions& options_;
  KeptVocabularies& kept_;
};

// Returns the name of the column that is marked as the keys, or an empty text if there is none.
std::string_view marked_column(const ArrowBatches& batches) {
  for (const ArrowSchema* column : children_of(batches.schema())) {
    if (metadata_value(*column, kKeyMetadata) == "1") return name_of_column(*column);
  }
  return {};
}

bool has_possible_key(const ArrowBatches& batches, std::string_view name) {
  return std::ranges::any_of(children_of(batches.schema()), [name](const ArrowSchema* column) {
    return name_of_column(*column) == name && can_be_key(*column);
  });
}

// Returns the name of the column with the keys. Returns an empty text, or the word `rows`, if rows
// are numbered.
std::string_view name_of_key(const ArrowBatches& batches, const FormatOptions& options) {
  const std::string_view name = value_of(kKeyOption, options.extra);
  if (name == kKeyValues[0]) return marked_column(batches);
  if (!options.shares_extra || name == kKeyValues[1]) return name;
  const std::string_view marked = marked_column(batches);
  return marked.empty() || has_possible_key(batches, name) ? name : marked;
}

std::optional<KeyColumn> key_column(const ArrowBatches& batches, const FormatOptions& options) {
  const std::string_view name = name_of_key(batches, options);
  if (name.empty() || name == kKeyValues[1]) {
    if (options.keys == KeyType::text) {
      throw ConfigError(
          "keys: the keys of rows are numbers; arrow.key=COLUMN names a column of "
          "texts");
    }
    return std::nullopt;
  }
  const std::string_view marked = marked_column(batches);
  const std::int64_t number = column_named(
      batches, "arrow.key", name,
      marked.empty() ? std::string()
                     : formatted("; sheaf wrote the keys as the column {}: leave arrow.key out for "
                                 "this table",
                                 quoted(marked)));
  const ArrowSchema& column = *batches.schema().children[number];
  if (!can_be_key(column)) {
    throw ConfigError(formatted("arrow.key: keys are texts or whole numbers, and column {} is {}",
                                quoted(name), type_name(column)));
  }
  const std::string_view format = column.format;
  const bool has_texts =
      format.size() != 1 || std::string_view("uUzZ").find(format[0]) != std::string_view::npos;
  if (has_texts && options.keys == KeyType::numeric) {
    throw ConfigError(formatted("keys: column {} has texts, and not numbers", quoted(name)));
  }
  return KeyColumn{.number = number,
                   .format = std::string(format),
                   .are_texts = has_texts || options.keys == KeyType::text};
}

void check_table_options(const ArrowBatches& batches, const FormatOptions& options) {
  check_format_options("arrow", kReadOptions, options.extra);
  if (options.chunk_size_bytes < 1) throw ConfigError("chunk_size_bytes must be positive");
  if (options.read_size_bytes < 1) throw ConfigError("read_size_bytes must be positive");
  if (options.compatibility == Compatibility::cntk) {
    throw ConfigError("compatibility: CNTK did not read Arrow tables");
  }
  if (options.skip_sequence_ids) {
    throw ConfigError("skip_sequence_ids: leave arrow.key out, and keys are the numbers of rows");
  }
  if (std::string_view(batches.schema().format) != "+s") {
    throw ConfigError(formatted("{}: an Arrow table is an array of structs", batches.name()));
  }
}

}  // namespace

std::vector<Stream> TableStreams::streams() const {
  std::vector<Stream> result;
  for (const StreamColumn& column : columns) result.push_back(column.stream);
  return result;
}

std::vector<std::int64_t> TableStreams::numbers() const {
  std::vector<std::int64_t> result;
  for (const StreamColumn& column : columns) result.push_back(column.number);
  return result;
}

TableStreams table_streams(const ArrowBatches& batches, const FormatOptions& options,
                           KeptVocabularies kept) {
  check_table_options(batches, options);
  TableStreams table;
  table.key = key_column(batches, options);
  const StreamMaker maker(batches, options, kept);
  for (const StreamOptions& said : options.streams) table.columns.push_back(maker.declared(said));
  if (!options.streams.empty()) return table;
  std::int64_t number = -1;
  for (const ArrowSchema* column : children_of(batches.schema())) {
    ++number;
    if (table.key && table.key->number == number) continue;
    static_cast<void>(find_column(batches, name_of_column(*column)));  // names are unique
    FoundType found = column_type_of(*column);
    if (found.why_not.empty()) {
      table.columns.push_back(maker.undeclared(number, std::move(found.type)));
      continue;
    }
    Diagnostic warning = table_location(batches, kColumn, found.why_not);
    warning.severity = Severity::warning;
    warning.stream = name_of_column(*column);
    table.warnings.push_back(std::move(warning));
  }
  if (table.columns.empty()) {
    std::string found = "no column";
    if (!table.warnings.empty()) {
      found = formatted("{}: {}", quoted(table.warnings[0].stream), table.warnings[0].found);
    }
    throw DataError({table_location(batches, kStreams, std::move(found))});
  }
  return table;
}

}  // namespace sheaf::columns
