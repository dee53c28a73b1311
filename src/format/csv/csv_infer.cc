// A column is a column of texts as soon as one cell is not a number. The other cells of the column
// are not examined then.

#include "format/csv/csv_infer.h"

#include <algorithm>
#include <limits>
#include <unordered_set>
#include <utility>

#include "sheaf/diagnostic.h"

#include "base/number.h"
#include "base/text.h"
#include "format/csv/csv_cells.h"
#include "format/text/scanned_chunk.h"
#include "format/text/text_format.h"

namespace sheaf::csv {
namespace {

using internal::Evidence;
using internal::FoundStream;
using internal::FoundStreams;
using CellKind = FoundColumn::Kind;

// Bits of FoundStream::width_max: the kind, and whether cells are missing.
constexpr std::int64_t kKindMask = 3;
constexpr std::int64_t kHasMissing = 4;
// Marks an entry for a class. Its index_max is the number of its column.
constexpr std::int64_t kIsClass = 8;

template <typename T>
bool lexes_as(std::string_view text) {
  T value{};
  const char* const end = text.data() + text.size();
  const internal::NumberResult result = internal::lex_number(text.data(), end, value);
  const bool is_right = std::is_integral_v<T> ? result.code == internal::NumberCode::ok
                                              : result.code != internal::NumberCode::not_a_number;
  return result.next == end && is_right;
}

// The kind of a cell with text.
CellKind kind_of(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return CellKind::text;
  text = text.substr(first, text.find_last_not_of(" \t") + 1 - first);
  if (lexes_as<std::int64_t>(text)) return CellKind::whole;
  return lexes_as<double>(text) ? CellKind::number : CellKind::text;
}

class Finder {
 public:
  Finder(const ByteSource& source, const ReadOptions& read, const Beginning& beginning)
      : source_(source), read_(read), streams_(beginning.columns.size()) {
    for (std::size_t i = 0; i < streams_.size(); ++i) streams_[i].name = beginning.columns[i];
    for (const std::string& name : read.classes) {
      const std::int64_t column = beginning.find(name);
      if (column < 0) refuse_name(beginning, "csv.classes", name);
      if (is_class_.empty()) is_class_.resize(streams_.size());
      is_class_[static_cast<std::size_t>(column)] = 1;
    }
    seen_.resize(is_class_.size());
  }

  [[nodiscard]] bool has_classes() const noexcept { return !is_class_.empty(); }

  /// Examines a row. If `classes_alone`, the kinds of the columns are known already.
  void add(const Row& row, bool classes_alone) {
    const bool plain = is_plain(row);
    const char* p = row.begin;
    for (std::size_t i = 0; i < streams_.size(); ++i, ++p) {
      const bool wants_class = has_classes() && is_class_[i] != 0;
      if (!wants_class && !classes_alone && plain && take_short(streams_[i], p, row.end)) {
        if (p == row.end) return;
        continue;
      }
      const Cell cell =
          plain ? plain_cell(p, row.end, read_.delimiter) : lex_cell(p, row.end, read_.delimiter);
      p = cell.next;
      if (cell.problem == nullptr) {
        if (wants_class) {
          take_class(i, cell);
        } else if (!classes_alone) {
          take(streams_[i], row, cell);
        }
      }
      if (p == row.end) return;
    }
  }

  [[nodiscard]] std::vector<FoundStream> finish() {
    std::vector<FoundStream> all = std::move(streams_);
    all.insert(all.end(), classes_.begin(), classes_.end());
    return all;
  }

 private:
  // Takes a number of few digits, the usual case. Moves `p` to the end of the cell.
  bool take_short(FoundStream& stream, const char*& p, const char* end) const {
    if ((stream.width_max & kKindMask) == static_cast<std::int64_t>(CellKind::text)) {
      p = find_byte(p, end, read_.delimiter);
      return true;
    }
    if (!stream.numbers) return false;
    const auto ends = [&](const char* next) {
      return next != nullptr && (next == end || *next == read_.delimiter);
    };
    std::int64_t whole = 0;
    double number = 0;
    const char* next = internal::lex_short_number(p, whole);
    if (!ends(next)) {
      next = internal::lex_short_number(p, number);
      if (!ends(next)) return false;
      raise(stream, CellKind::number);
    }
    p = next;
    return true;
  }

  static void raise(FoundStream& stream, CellKind kind) {
    const std::int64_t old = stream.width_max & kKindMask;
    stream.width_max += std::max<std::int64_t>(0, static_cast<std::int64_t>(kind) - old);
  }

  void take(FoundStream& stream, const Row& row, const Cell& cell) const {
    const std::string_view text = cell.raw();
    if (!cell.is_quoted && read_.is_missing_text(text)) {
      stream.width_max |= kHasMissing;
      return;
    }
    const CellKind kind = kind_of(text);
    std::optional<Evidence>& evidence = kind == CellKind::text ? stream.other : stream.numbers;
    if (!evidence) {
      const Row line = line_of(row, cell.first);
      Diagnostic location;
      location.path = source_.name();
      location.line = line.line;
      location.column = cell.first - line.begin + 1;
      location.byte_offset = line.offset_of(cell.first);
      set_excerpt(location, line.text(), cell.first - line.begin, std::ssize(cell.whole()));
      evidence = Evidence{1, std::move(location)};
    }
    raise(stream, kind);
  }

  void take_class(std::size_t column, const Cell& cell) {
    if (!cell.is_quoted && read_.is_missing_text(cell.raw())) return;
    text_.clear();
    append_text(cell, text_);
    if (!seen_[column].insert(text_).second) return;
    classes_.push_back(
        {.name = text_, .width_max = kIsClass, .index_max = static_cast<std::int64_t>(column)});
  }

  const ByteSource& source_;
  const ReadOptions& read_;
  std::vector<FoundStream> streams_;                   // [column]
  std::vector<char> is_class_;                         // [column]; empty if no column has classes
  std::vector<std::unordered_set<std::string>> seen_;  // [column]: classes
  std::vector<FoundStream> classes_;
  std::string text_;
};

}  // namespace

std::string found_how(const ByteSource& source, const FormatOptions& options,
                      const ReadOptions& read) {
  const bool is_all = options.inference_size_bytes.value_or(source.size()) >= source.size();
  std::string how = formatted("bytes={} delimiter={} header={}",
                              is_all ? "all" : std::to_string(*options.inference_size_bytes),
                              delimiter_word(read.delimiter), read.has_header);
  for (const std::string& text : read.missing_texts) how += formatted(" missing={}", quoted(text));
  for (const std::string& name : read.classes) how += formatted(" class={}", quoted(name));
  return how;
}

FoundStreams find_columns(const ByteSource& source, const FormatOptions& options,
                          const ReadOptions& read, const Beginning& beginning) {
  Finder finder(source, read, beginning);
  const std::int64_t kinds_size = options.inference_size_bytes.value_or(source.size());
  RowReader rows(
      source, beginning.offset, source.size(), beginning.line, options.read_size_bytes,
      internal::row_size_max(options.index.memory_limit_bytes.value_or(0), options.read_size_bytes),
      read.delimiter);
  Row row;
  while (rows.next(row)) {
    const bool is_beyond = row.offset - beginning.offset >= kinds_size;
    if (is_beyond && !finder.has_classes()) break;
    if (row.begin != row.end) finder.add(row, is_beyond);
  }
  return {found_how(source, options, read), finder.finish()};
}

bool fits(const FoundStreams& found, std::int64_t column_count) {
  if (std::ssize(found.streams) < column_count) return false;
  std::int64_t number = 0;
  return std::ranges::all_of(found.streams, [&](const FoundStream& each) {
    const bool is_class = number++ >= column_count;
    return is_class
               ? each.width_max == kIsClass && each.index_max >= 0 && each.index_max < column_count
               : each.width_max < kIsClass;
  });
}

FoundColumn found_column(const FoundStreams& found, std::int64_t column, bool takes_first_form) {
  const FoundStream& stream = found.streams[static_cast<std::size_t>(column)];
  FoundColumn result;
  result.kind = static_cast<CellKind>(stream.width_max & kKindMask);
  result.has_missing = (stream.width_max & kHasMissing) != 0;
  if (takes_first_form && result.kind == CellKind::text && stream.numbers)
    result.kind = CellKind::number;
  return result;
}

std::vector<std::string> found_classes(const FoundStreams& found, std::int64_t column) {
  std::vector<std::string> names;
  for (const FoundStream& each : found.streams) {
    if (each.width_max == kIsClass && each.index_max == column) names.push_back(each.name);
  }
  return names;
}

std::optional<Diagnostic> mixed_warning(const FoundStreams& found, std::int64_t column) {
  const FoundStream& stream = found.streams[static_cast<std::size_t>(column)];
  if (!stream.numbers || !stream.other) return std::nullopt;
  Diagnostic warning = stream.other->location;
  warning.severity = Severity::warning;
  warning.stream = stream.name;
  warning.code = kMixed.code;
  warning.expected = kMixed.expected;
  warning.found = formatted("the first text of a column that begins with numbers (line {})",
                            stream.numbers->location.line);
  warning.hint =
      "the column is read as texts; a dtype (--stream NAME:dense:1:dtype=float32) makes such cells "
      "wrong places, and csv.missing_text says which texts are missing numbers";
  return warning;
}

}  // namespace sheaf::csv
