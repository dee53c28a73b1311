/// \file
/// What every verb needs to know about the data it reads.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sheaf/deserializer.h"
#include "sheaf/executor.h"
#include "sheaf/format.h"
#include "sheaf/reader.h"

#include "console.h"

namespace CLI {
class App;
}

namespace sheaf::cli {

/// Filled by the options that add_data_options() adds.
struct DataOptions {
  std::string path;
  std::vector<std::string> streams = {};         // as given to --stream
  std::vector<std::string> format_options = {};  // as given to --format-option
  std::string precision = {};                    // none: as the file has it
  std::string compatibility = "strict";
  std::string missing_streams = "error";
  std::string keys = "numeric";
  std::string index = "auto";
  std::int64_t threads = 0;
  FormatOptions format = {};  // without what the texts above say
  RunOptions run = {};
};

/// Data that are open, and the threads that work on them.
struct OpenData {
  std::unique_ptr<Executor> executor;
  std::shared_ptr<const Deserializer> data;  // behind the executor, so that it ends first
};

/// Add FILE and the options about data.
///
/// Lifetime: `options` must outlive the parsing.
void add_data_options(CLI::App& verb, DataOptions& options);

/// Add --max-errors.
void add_max_errors_option(CLI::App& verb, DataOptions& options);

/// Throws: as open_data; ConfigError for a --stream that makes no sense.
[[nodiscard]] OpenData open(const DataOptions& options);

/// A reader on the threads of `open`.
///
/// Throws: ConfigError, as make_sequencer, make_packer and Reader.
[[nodiscard]] Reader make_reader(const OpenData& open, const OrderOptions& order, Layout packing,
                                 RunOptions run, std::int64_t row_samples = 0);

/// Say on standard error which streams were found in the data, where they were not all declared: as
/// options that declare them.
void print_found_streams(Console& console, const DataOptions& options, const Deserializer& data);

/// Print what was wrong with what a reader delivered, what it left out, and its warnings.
void print_findings(Console& console, const Reader& reader);

}  // namespace sheaf::cli
