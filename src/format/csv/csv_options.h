// Options of CSV.

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/format.h"
#include "sheaf/extend/serializer.h"

namespace sheaf::csv {

inline constexpr std::array<std::string_view, 2> kHeaderValues = {"yes", "no"};
inline constexpr FormatOption kHeaderOption = {
    "csv.header", kHeaderValues,
    "whether the first row has the names of the columns; without names, columns are c0, c1, ..."};

inline constexpr std::array<std::string_view, 6> kDelimiterValues = {"extension", "comma", "tab",
                                                                     "semicolon", "pipe",  "space"};
inline constexpr FormatOption kDelimiterOption = {
    "csv.delimiter", kDelimiterValues,
    "what parts cells; extension: a tab in files named .tsv, a comma in others"};

inline constexpr std::array<std::string_view, 2> kColumnsValues = {"", "COLUMNS"};
inline constexpr FormatOption kColumnsOption = {
    .name = "csv.columns",
    .values = kColumnsValues,
    .help =
        "the columns to read, parted by commas; NAME=FIRST..LAST makes one stream of several "
        "columns, as in label,pixels=p0..p783",
    .takes_any = true};

inline constexpr std::array<std::string_view, 2> kKeyValues = {"", "COLUMN"};
inline constexpr FormatOption kKeyOption = {
    .name = "csv.key",
    .values = kKeyValues,
    .help = "the column with keys: rows with equal keys, one after the other, are one sequence",
    .takes_any = true};

inline constexpr std::array<std::string_view, 2> kClassesValues = {"", "COLUMNS"};
inline constexpr FormatOption kClassesOption = {
    .name = "csv.classes",
    .values = kClassesValues,
    .help =
        "columns whose texts are classes, parted by commas: texts become numbers, in the order of "
        "the file",
    .takes_any = true};

inline constexpr std::array<std::string_view, 4> kMissingValues = {"error", "absent", "nan",
                                                                   "NUMBER"};
inline constexpr FormatOption kMissingOption = {
    .name = "csv.missing",
    .values = kMissingValues,
    .help =
        "what an empty cell is: an error, a stream that is absent, not a number, or this number",
    .takes_any = true};

inline constexpr std::array<std::string_view, 2> kMissingTextValues = {"", "TEXTS"};
inline constexpr FormatOption kMissingTextOption = {
    .name = "csv.missing_text",
    .values = kMissingTextValues,
    .help = "texts, parted by \"|\", of cells that are as good as empty, as in NA|n/a",
    .takes_any = true};

inline constexpr std::array kReadOptions = {kHeaderOption,     kDelimiterOption, kColumnsOption,
                                            kKeyOption,        kClassesOption,   kMissingOption,
                                            kMissingTextOption};

inline constexpr FormatOption kWrittenKeyOption = {
    .name = "csv.key",
    .values = kKeyValues,
    .help = "the name of a first column that has the keys; without a name, rows have no keys",
    .takes_any = true};
inline constexpr std::array<std::string_view, 2> kWrittenKeysValues = {"check", "drop"};
inline constexpr FormatOption kWrittenKeysOption = {
    "csv.keys", kWrittenKeysValues,
    "where rows have no keys: check: keys must be the numbers of the rows; drop: keys are lost"};
inline constexpr std::array kWriteOptions = {kHeaderOption, kDelimiterOption, kWrittenKeyOption,
                                             kWrittenKeysOption};

/// The options that are known before the file is read.
struct ReadOptions {
  enum class Missing : std::uint8_t { error, absent, value };

  char delimiter = ',';
  bool says_delimiter = false;  // set by the options, and not by the extension
  bool has_header = true;
  std::string columns;               // value of csv.columns; empty means all
  std::vector<std::string> classes;  // names of columns
  std::string key;                   // name of the column; empty if each row is a sequence
  bool has_text_keys = false;
  bool skips_keys = false;  // each row is a sequence, despite its key
  Missing missing = Missing::error;
  std::string missing_value;  // "nan", or a number
  std::vector<std::string> missing_texts;

  [[nodiscard]] bool is_missing_text(std::string_view text) const noexcept;
};

/// Throws: ConfigError that names the option.
[[nodiscard]] ReadOptions read_options_of(const FormatOptions& options, std::string_view path);

/// Returns the delimiter that an option sets for a file. The file may have the extension of a
/// compression.
[[nodiscard]] char delimiter_of(std::string_view value, std::string_view path);

/// Returns the word of the options for a delimiter.
[[nodiscard]] std::string_view delimiter_word(char delimiter) noexcept;

/// Splits a text at commas outside of double quotes. Inside quotes, a doubled quote stands for one
/// quote. Quotes around a whole part are removed.
[[nodiscard]] std::vector<std::string> split_list(std::string_view text);

}  // namespace sheaf::csv
