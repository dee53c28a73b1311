#include "format/csv/csv_schema.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"

#include "base/number.h"
#include "base/text.h"
#include "format/sample_shape.h"
#include "format/text/text_format.h"

namespace sheaf::csv {
namespace {

using ColumnKind = Column::Kind;

[[noreturn]] void refuse(const StreamOptions& stream, const std::string& why) {
  throw ConfigError(formatted("stream {}: {}", quoted(stream.name), why));
}

std::int64_t column_of(const Beginning& beginning, std::string_view option, std::string_view name) {
  const std::int64_t column = beginning.find(name);
  if (column < 0) refuse_name(beginning, option, name);
  return column;
}

// Parses a part of csv.columns: COLUMN, NAME=COLUMN or NAME=FIRST..LAST.
ColumnGroup group_of(const std::string& part, const Beginning& beginning) {
  constexpr std::string_view kOption = "csv.columns";
  if (const std::int64_t column = beginning.find(part); column >= 0) return {part, column, 1};
  const std::size_t equals = part.find('=');
  if (equals == std::string::npos) refuse_name(beginning, kOption, part);
  const std::string name = part.substr(0, equals);
  const std::string range = part.substr(equals + 1);
  if (name.empty()) {
    throw ConfigError(formatted("csv.columns: a stream needs a name: {}", quoted(part)));
  }
  if (const std::int64_t column = beginning.find(range); column >= 0) return {name, column, 1};
  const std::size_t dots = range.find("..");
  if (dots == std::string::npos) refuse_name(beginning, kOption, range);
  const std::int64_t first = column_of(beginning, kOption, range.substr(0, dots));
  const std::int64_t last = column_of(beginning, kOption, range.substr(dots + 2));
  if (last < first) {
    throw ConfigError(formatted("csv.columns: {} is behind {} in the file: {}",
                                quoted(beginning.columns[static_cast<std::size_t>(first)]),
                                quoted(beginning.columns[static_cast<std::size_t>(last)]),
                                quoted(part)));
  }
  return {name, first, last - first + 1};
}

// Returns the columns NAME0, NAME1, ... side by side, as in files that sheaf writes.
std::optional<ColumnGroup> numbered_group(const StreamOptions& stream, const Beginning& beginning) {
  const std::string& name = internal::file_name_of(stream);
  if (!stream.sample_shape || !stream.sample_shape->is_fixed()) return std::nullopt;
  const std::int64_t count = stream.sample_shape->size();
  const std::int64_t first = beginning.find(name + "0");
  if (first < 0 || count > std::ssize(beginning.columns) - first) return std::nullopt;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::string& column = beginning.columns[static_cast<std::size_t>(first + i)];
    if (column != name + std::to_string(i)) return std::nullopt;
  }
  return ColumnGroup{name, first, count};
}

// Returns the first of the columns NAME0, NAME1, ... that is not in its position.
std::string missing_name(const StreamOptions& stream, const Beginning& beginning) {
  const std::string& name = internal::file_name_of(stream);
  const std::int64_t first = beginning.find(name + "0");
  std::int64_t i = 0;
  if (first >= 0) {
    while (first + i < std::ssize(beginning.columns) &&
           beginning.columns[static_cast<std::size_t>(first + i)] == name + std::to_string(i)) {
      ++i;
    }
  }
  return name + std::to_string(i);
}

ColumnGroup find_group(const StreamOptions& stream, std::span<const ColumnGroup> groups,
                       const ReadOptions& read, const Beginning& beginning) {
  const std::string& name = internal::file_name_of(stream);
  const auto known = std::ranges::find(groups, name, &ColumnGroup::name);
  if (!read.columns.empty()) {
    if (known != groups.end()) return *known;
    throw ConfigError(formatted("stream {}: csv.columns has no {}: {}", quoted(stream.name),
                                quoted(name), quoted(read.columns, 200)));
  }
  const bool has_one =
      !stream.sample_shape || !stream.sample_shape->is_fixed() || stream.sample_shape->size() == 1;
  if (known != groups.end() && has_one) return *known;
  if (const std::optional<ColumnGroup> group = numbered_group(stream, beginning)) return *group;
  if (has_one) refuse_name(beginning, formatted("the stream {}", quoted(stream.name)), name);
  refuse_name(
      beginning,
      formatted("the stream {} of {} values", quoted(stream.name), stream.sample_shape->size()),
      missing_name(stream, beginning));
}

/// Makes a schema, stream by stream.
class Maker {
 public:
  Maker(const FormatOptions& options, const ReadOptions& read, const Beginning& beginning,
        const internal::FoundStreams* found)
      : options_(options), read_(read), beginning_(beginning), found_(found) {
    schema_.read = read;
    schema_.names = beginning.columns;
    schema_.columns.resize(beginning.columns.size());
  }

  Schema make() {
    if (!read_.key.empty()) {
      schema_.key_column = column_of(beginning_, "csv.key", read_.key);
      if (schema_.has_keys()) column(schema_.key_column).kind = ColumnKind::key;
    }
    for (const std::string& name : read_.classes) {
      static_cast<void>(column_of(beginning_, "csv.classes", name));
    }
    const std::vector<ColumnGroup> groups = column_groups(read_, beginning_);
    if (options_.streams.empty()) {
      for (const ColumnGroup& group : groups) add({.name = group.name}, group);
    }
    for (const StreamOptions& stream : options_.streams) {
      if (stream.storage == Storage::sparse) {
        refuse(stream, "csv has dense streams only: declare the stream as dense");
      }
      add(stream, find_group(stream, groups, read_, beginning_));
    }
    if (schema_.streams.empty()) {
      throw ConfigError(formatted("csv: no column is left beside the key {}", quoted(read_.key)));
    }
    set_text_schema();
    return std::move(schema_);
  }

 private:
  Column& column(std::int64_t number) { return schema_.columns[static_cast<std::size_t>(number)]; }

  void add(const StreamOptions& options, const ColumnGroup& group) {
    if (options.name.empty()) throw ConfigError("streams: a stream needs a name");
    if (!names_.insert(options.name).second) {
      throw ConfigError(formatted("streams: two have the name {}", quoted(options.name)));
    }
    Stream stream{.name = options.name, .defines_minibatch_size = options.defines_minibatch_size};
    const ColumnKind kind = kind_of(options, group);
    if (kind == ColumnKind::text) {
      stream.element_type = ElementType::bytes;
      stream.sample_shape = Shape{Shape::kVariable};
    } else {
      stream.element_type = type_of(options, group, kind);
      stream.sample_shape = options.sample_shape.value_or(Shape{group.count});
      check_shape(options, stream, group);
    }
    if (kind == ColumnKind::class_id) add_classes(stream, group.first);
    take_columns(options, group, kind);
    if (stream.defines_minibatch_size) {
      if (schema_.defining_stream >= 0) {
        refuse(options, "another stream defines the minibatch size already; one can");
      }
      schema_.defining_stream = std::ssize(schema_.streams);
    }
    schema_.streams.push_back(std::move(stream));
  }

  [[nodiscard]] bool has_classes(const ColumnGroup& group) const {
    const auto begin = beginning_.columns.begin() + group.first;
    return std::any_of(begin, begin + group.count, [&](const std::string& name) {
      return std::ranges::find(read_.classes, name) != read_.classes.end();
    });
  }

  [[nodiscard]] ColumnKind kind_of(const StreamOptions& options, const ColumnGroup& group) const {
    if (has_classes(group)) {
      if (group.count > 1) refuse(options, "a column of csv.classes is a stream by itself");
      return ColumnKind::class_id;
    }
    const bool is_variable = options.sample_shape && !options.sample_shape->is_fixed();
    if (is_variable || options.dtype == ElementType::bytes) {
      if (options.sample_shape && *options.sample_shape != Shape{Shape::kVariable}) {
        refuse(options, formatted("texts of csv have the shape [*], got {}",
                                  to_string(*options.sample_shape)));
      }
      if (options.dtype.value_or(ElementType::bytes) != ElementType::bytes) {
        refuse(options, formatted("numbers of csv have samples of fixed shape, got {}",
                                  to_string(*options.sample_shape)));
      }
      if (group.count > 1) refuse(options, "a column of texts is a stream by itself");
      return ColumnKind::text;
    }
    if (options.sample_shape || options.dtype || group.count > 1) return ColumnKind::number;
    const FoundColumn found = found_column(*found_, group.first, options_.takes_first_form);
    return found.kind == FoundColumn::Kind::text ? ColumnKind::text : ColumnKind::number;
  }

  [[nodiscard]] ElementType type_of(const StreamOptions& options, const ColumnGroup& group,
                                    ColumnKind kind) const {
    if (kind == ColumnKind::class_id) {
      const ElementType type = options.dtype.value_or(
          options_.dtype == ElementType::i64 ? ElementType::i64 : ElementType::i32);
      if (type != ElementType::i32 && type != ElementType::i64) {
        refuse(options, formatted("dtype: classes are int32 or int64, got {}", to_string(type)));
      }
      return type;
    }
    if (options.dtype || options_.dtype) {
      const ElementType type = options.dtype ? *options.dtype : *options_.dtype;
      if (!is_whole(type) && !is_floating(type)) {
        refuse(options, formatted("dtype: csv reads numbers, got {}", to_string(type)));
      }
      return type;
    }
    if (options.sample_shape) return ElementType::f32;
    for (std::int64_t i = group.first; i < group.first + group.count; ++i) {
      const FoundColumn found = found_column(*found_, i, options_.takes_first_form);
      if (found.kind != FoundColumn::Kind::whole) return ElementType::f32;
      if (found.has_missing && read_.missing == ReadOptions::Missing::value &&
          !is_whole_text(read_.missing_value)) {
        return ElementType::f32;
      }
    }
    return ElementType::i64;
  }

  static bool is_whole_text(std::string_view text) {
    std::int64_t value = 0;
    const char* const end = text.data() + text.size();
    const internal::NumberResult result = internal::lex_number(text.data(), end, value);
    return result.code == internal::NumberCode::ok && result.next == end;
  }

  static void check_shape(const StreamOptions& options, const Stream& stream,
                          const ColumnGroup& group) {
    internal::check_sample_shape(stream.name, stream.sample_shape, stream.storage,
                                 stream.index_type);
    if (stream.sample_shape.size() == group.count) return;
    refuse(options,
           formatted("samples of {} have {} values, but {} of the file are {} {}",
                     to_string(stream.sample_shape), stream.sample_shape.size(), quoted(group.name),
                     group.count, group.count == 1 ? "column" : "columns"));
  }

  void add_classes(Stream& stream, std::int64_t column_number) {
    auto classes = std::make_unique<ClassIds>(found_classes(*found_, column_number));
    stream.class_names = std::make_shared<const std::vector<std::string>>(classes->names());
    column(column_number).classes = classes.get();
    schema_.classes.push_back(std::move(classes));
  }

  void take_columns(const StreamOptions& options, const ColumnGroup& group, ColumnKind kind) {
    for (std::int64_t i = 0; i < group.count; ++i) {
      Column& each = column(group.first + i);
      if (each.kind != ColumnKind::skipped) {
        const std::string& name = schema_.names[static_cast<std::size_t>(group.first + i)];
        refuse(options, each.kind == ColumnKind::key
                            ? formatted("the column {} has the keys", quoted(name))
                            : formatted("another stream reads the column {}", quoted(name)));
      }
      each.kind = kind;
      each.stream = std::ssize(schema_.streams);
      each.index = i;
      each.ends_sample = i + 1 == group.count;
    }
  }

  void set_text_schema() {
    const std::int64_t limit = options_.index.memory_limit_bytes.value_or(0);
    internal::TextSchema& text = schema_.text;
    text.streams = {{.name = "bytes", .element_type = ElementType::u8, .sample_shape = Shape{1}}};
    text.chunk_size_bytes = options_.chunk_size_bytes;
    text.read_size_bytes = options_.read_size_bytes;
    text.row_size_max_bytes = internal::row_size_max(limit, options_.read_size_bytes);
    text.table_size_max_bytes = internal::table_size_max(limit);
    text.delimiter = read_.delimiter;
    text.fills_up = true;
    text.has_text_keys = read_.has_text_keys;
  }

  const FormatOptions& options_;
  const ReadOptions& read_;
  const Beginning& beginning_;
  const internal::FoundStreams* found_;
  Schema schema_;
  std::set<std::string> names_;
};

}  // namespace

ClassIds::ClassIds(std::vector<std::string> names) : names_(std::move(names)) {
  for (const std::string& name : names_) numbers_.emplace(name, std::ssize(numbers_));
}

std::int64_t ClassIds::find(std::string_view name) const noexcept {
  const auto found = numbers_.find(name);
  return found == numbers_.end() ? -1 : found->second;
}

std::vector<ColumnGroup> column_groups(const ReadOptions& read, const Beginning& beginning) {
  std::vector<ColumnGroup> groups;
  if (read.columns.empty()) {
    for (std::int64_t i = 0; i < std::ssize(beginning.columns); ++i) {
      const std::string& name = beginning.columns[static_cast<std::size_t>(i)];
      if (name != read.key) groups.push_back({name, i, 1});
    }
    return groups;
  }
  for (const std::string& part : split_list(read.columns)) {
    groups.push_back(group_of(part, beginning));
  }
  return groups;
}

bool needs_finding(const FormatOptions& options, const ReadOptions& read) {
  const auto is_open = [](const StreamOptions& stream) {
    return !stream.sample_shape && !stream.dtype;
  };
  return options.streams.empty() || !read.classes.empty() ||
         std::ranges::any_of(options.streams, is_open);
}

Schema make_schema(const FormatOptions& options, const ReadOptions& read,
                   const Beginning& beginning, const internal::FoundStreams* found) {
  return Maker(options, read, beginning, found).make();
}

}  // namespace sheaf::csv
