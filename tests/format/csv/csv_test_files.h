// Opens texts as CSV for the tests of this folder.

#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sheaf/extend/format.h"

#include "format/csv/csv_deserializer.h"
#include "format/csv/csv_header.h"
#include "format/csv/csv_infer.h"
#include "format/csv/csv_schema.h"

namespace sheaf::csv {

using Extra = std::map<std::string, std::string>;

inline FormatOptions options_with(Extra extra) {
  FormatOptions options;
  options.extra = std::move(extra);
  return options;
}

inline std::unique_ptr<CsvDeserializer> opened(const std::string& text,
                                               const FormatOptions& options = {},
                                               const std::string& name = "t.csv") {
  return std::make_unique<CsvDeserializer>(OpenRequest{memory_source(text, name), options});
}

inline Beginning beginning_of(const std::string& text, const FormatOptions& options = {},
                              const std::string& name = "t.csv") {
  return find_beginning(*memory_source(text, name), options, read_options_of(options, name));
}

/// Returns the schema of a text, inferred from its content.
inline Schema schema_of(const std::string& text, const FormatOptions& options = {}) {
  const auto source = memory_source(text, "t.csv");
  const ReadOptions read = read_options_of(options, "t.csv");
  const Beginning beginning = find_beginning(*source, options, read);
  const internal::FoundStreams found = find_columns(*source, options, read, beginning);
  return make_schema(options, read, beginning, &found);
}

/// Returns a line for each stream.
inline std::vector<std::string> streams_of(const Schema& schema) {
  std::vector<std::string> texts;
  for (const Stream& stream : schema.streams) texts.push_back(to_string(stream));
  return texts;
}

/// Returns the texts of the diagnostics about a text.
inline std::vector<std::string> errors_of(const std::string& text,
                                          const FormatOptions& options = {}) {
  const auto data = opened(text, options);
  Diagnostics diagnostics;
  static_cast<void>(data->read({.chunk = {}}, diagnostics));
  std::vector<std::string> texts;
  for (const Diagnostic& diagnostic : diagnostics.described()) {
    texts.push_back(to_string(diagnostic));
  }
  return texts;
}

}  // namespace sheaf::csv
