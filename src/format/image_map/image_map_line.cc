#include "format/image_map/image_map_line.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/archive.h"

#include "base/text.h"
#include "core/numeric_key.h"
#include "format/image_map/image_map_errors.h"
#include "format/images/class_id.h"

namespace sheaf::image_map {
namespace {

constexpr std::string_view kFolderMark = "...";
constexpr std::string_view kBlanks = " \r\v\f";  // those that may stand within a column
constexpr std::size_t kColumnsMax = 3;
constexpr std::size_t kNone = std::string_view::npos;

/// A part of a line.
struct ColumnRange {
  std::size_t begin = 0;
  std::size_t size = 0;
};

/// Parses one line.
class LineParser {
 public:
  LineParser(std::string_view line, std::int64_t number, const LineRules& rules)
      : line_(line), number_(number), rules_(rules) {}

  MapLine parse() {
    const std::size_t count = cut();
    const bool has_key = count == kColumnsMax;
    set_key(has_key ? text(columns_[0]) : std::string_view());
    if (count < 2) return fail(kColumns, {.begin = 0, .size = line_.size()});
    if (has_key && columns_[0].size == 0) return fail(kKey, columns_[0]);
    if (!has_number_) return fail(kNumericKey, columns_[0]);
    const ColumnRange path = columns_[has_key ? 1 : 0];
    const ColumnRange label = columns_[has_key ? 2 : 1];
    if (path.size == 0) return fail(kPath, path);
    result_.path_begin = path.begin;
    result_.path_size = path.size;
    result_.path = full_path(text(path));
    const internal::ClassId id = internal::parse_class_id(text(label), rules_.class_count);
    if (id.problem == internal::ClassId::Problem::not_a_number) return fail(kLabel, label);
    if (id.problem == internal::ClassId::Problem::too_large) {
      const std::string limit = rules_.class_count
                                    ? formatted("where there are {} classes", *rules_.class_count)
                                    : std::string("more than 2^31-1");
      return fail(kClass, label,
                  formatted("{}, {}", internal::trimmed_class_id(text(label)), limit));
    }
    result_.class_id = id.value;
    return std::move(result_);
  }

 private:
  // Splits the line into columns. Returns their number, at most three, because later columns are
  // ignored.
  std::size_t cut() {
    std::size_t begin = 0;
    for (std::size_t i = 0; i < kColumnsMax; ++i) {
      const std::size_t tab = line_.find('\t', begin);
      columns_[i] = {.begin = begin, .size = std::min(tab, line_.size()) - begin};
      if (tab == kNone) {
        // CNTK sees no column between the last tab and the end of the line.
        const bool is_nothing = rules_.is_cntk && columns_[i].size == 0;
        return is_nothing ? i : i + 1;
      }
      begin = tab + 1;
    }
    return kColumnsMax;
  }

  [[nodiscard]] std::string_view text(const ColumnRange& column) const {
    return line_.substr(column.begin, column.size);
  }

  void set_key(std::string_view column) {
    result_.key_text = column.empty() ? std::to_string(number_) : std::string(column);
    if (rules_.has_text_keys) {
      result_.key = key_of_text(result_.key_text);
      return;
    }
    std::string_view digits = result_.key_text;
    if (rules_.is_cntk) {
      digits.remove_prefix(std::min(digits.find_first_not_of(kBlanks), digits.size()));
      digits = digits.substr(0, digits.find_first_not_of("0123456789"));
    }
    const std::optional<SequenceKey> key = internal::numeric_key_of(digits);
    has_number_ = key.has_value();
    result_.key = key.value_or(SequenceKey{});
  }

  [[nodiscard]] std::string full_path(std::string_view path) const {
    if (path.starts_with(kFolderMark)) {
      return rules_.folder + std::string(path.substr(kFolderMark.size()));
    }
    return rules_.prefix + std::string(path);
  }

  MapLine fail(const ErrorKind& kind, const ColumnRange& column, std::string found = {}) {
    result_.fault = &kind;
    result_.fault_begin = column.begin;
    result_.fault_size = column.size;
    result_.found = found.empty() ? quoted(text(column)) : std::move(found);
    return std::move(result_);
  }

  const std::string_view line_;
  const std::int64_t number_;
  const LineRules& rules_;
  MapLine result_;
  std::array<ColumnRange, kColumnsMax> columns_;
  bool has_number_ = true;
};

}  // namespace

bool is_blank_line(std::string_view line) noexcept {
  return line.find_first_not_of(" \t\r") == kNone;
}

MapLine parse_line(std::string_view line, std::int64_t number, const LineRules& rules) {
  return LineParser(line, number, rules).parse();
}

std::optional<EntryPath> split_entry_path(std::string_view path) {
  const std::size_t at = path.find('@');
  if (at == kNone || at == 0) {
    std::optional<ArchivePath> parts = split_archive_path(path);
    if (!parts) return std::nullopt;
    return EntryPath{.archive = std::move(parts->archive), .entry = std::move(parts->entry)};
  }
  EntryPath parts{.archive = std::string(path.substr(0, at)), .entry = {}};
  if (at + 2 <= path.size()) parts.entry = path.substr(at + 2);
  std::ranges::replace(parts.entry, '\\', '/');
  return parts;
}

}  // namespace sheaf::image_map
