/// \file
/// What every verb needs to know about the data it reads.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sheaf/deserializer.h"
#include "sheaf/reader.h"

namespace CLI {
class App;
}

namespace sheaf::cli {

/// Filled by the options that add_data_options() adds.
struct DataOptions {
  std::string path;
  std::vector<std::string> streams;  // as given to --stream
  std::string precision = "float";
  std::int64_t chunk_size_bytes = FormatOptions{}.chunk_size_bytes;
  RunOptions run;
};

/// Add FILE and the options about data.
///
/// Lifetime: `options` must outlive the parsing.
void add_data_options(CLI::App& verb, DataOptions& options);

/// Add --max-errors.
void add_max_errors_option(CLI::App& verb, DataOptions& options);

/// Throws: as open_data; ConfigError for a --stream that makes no sense.
[[nodiscard]] std::shared_ptr<const Deserializer> open(const DataOptions& options);

/// A reader in file order.
[[nodiscard]] Reader make_reader(const std::shared_ptr<const Deserializer>& data,
                                 const LinearOrderOptions& order, Layout packing,
                                 const RunOptions& run);

/// Print diagnostics on standard error, in the form of a compiler's.
void print_diagnostics(std::span<const Diagnostic> diagnostics);

/// Print on standard error what a reader left out, and why.
void print_left_out(const Reader& reader);

}  // namespace sheaf::cli
