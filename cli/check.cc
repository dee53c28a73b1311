#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "sheaf/error.h"
#include "sheaf/reader.h"

#include "data_options.h"
#include "format_minibatch.h"
#include "output.h"
#include "verbs.h"

namespace sheaf::cli {
namespace {

constexpr std::int64_t kMinibatchSamples = 4096;  // large enough to cost nothing

struct CheckOptions {
  DataOptions data;
  std::int64_t diagnostics_max = Diagnostics::kKeptMaxDefault;
  bool json = false;
};

struct Report {
  std::vector<Stream> streams;
  std::int64_t sequences = 0;  // good ones
  std::int64_t samples = 0;    // of good sequences
  std::int64_t holes = 0;
  std::int64_t error_places = 0;
  std::vector<Diagnostic> diagnostics;
};

// Read everything. Data that cannot be read on from are a last diagnostic.
Report check(const DataOptions& data) {
  Report report;
  std::optional<Reader> reader;
  try {
    RunOptions run = data.run;
    run.max_errors = std::numeric_limits<std::int64_t>::max() / 2;
    reader = make_reader(open(data), {.minibatch_size = kMinibatchSamples}, Layout::ragged, run);
    report.streams.assign(reader->streams().begin(), reader->streams().end());
    while (reader->next()) continue;
  } catch (const DataError& error) {
    report.diagnostics.assign(error.diagnostics().begin(), error.diagnostics().end());
    report.error_places = std::ssize(report.diagnostics);
  }
  if (reader) {
    const ReaderStats stats = reader->stats();
    report.sequences = stats.sequences;
    report.samples = stats.samples;
    report.holes = stats.holes;
    report.error_places = std::max(report.error_places, stats.error_places);
    if (report.diagnostics.empty()) {
      report.diagnostics.assign(reader->diagnostics().begin(), reader->diagnostics().end());
    }
  }
  return report;
}

void append_json(std::string& out, const std::string& path, const Report& report) {
  auto to = std::back_inserter(out);
  out += "{\"path\":";
  append_quoted(out, path);
  fmt::format_to(to, ",\"sequences\":{},\"samples\":{},\"holes\":{},\"error_places\":{}",
                 report.sequences, report.samples, report.holes, report.error_places);
  out += ",\"streams\":[";
  std::string_view separator;
  for (const Stream& stream : report.streams) {
    out += separator;
    out += "{\"name\":";
    append_quoted(out, stream.name);
    fmt::format_to(to, ",\"storage\":\"{}\",\"element_type\":\"{}\",\"shape\":[{}]}}",
                   to_string(stream.storage), to_string(stream.element_type),
                   fmt::join(stream.sample_shape.extents(), ","));
    separator = ",";
  }
  out += "],\"diagnostics\":[";
  separator = "";
  for (const Diagnostic& diagnostic : report.diagnostics) {
    out += separator;
    append_diagnostic(out, diagnostic);
    separator = ",";
  }
  out += "]}";
}

void append_readable(std::string& out, const std::string& path, const Report& report) {
  fmt::format_to(std::back_inserter(out), "{}: sequences {}, samples {}, streams {}, errors {}",
                 path, report.sequences, report.samples, report.streams.size(),
                 report.error_places);
  if (report.holes > 0) {
    fmt::format_to(std::back_inserter(out), "; bad sequences {}", report.holes);
  }
}

int run_check(const CheckOptions& options) {
  Report report = check(options.data);
  if (std::ssize(report.diagnostics) > options.diagnostics_max) {
    report.diagnostics.resize(static_cast<std::size_t>(options.diagnostics_max));
  }
  print_diagnostics(report.diagnostics);
  if (const auto more = report.error_places - std::ssize(report.diagnostics); more > 0) {
    std::fputs(fmt::format("... and {} more\n", more).c_str(), stderr);
  }
  Output output;
  if (options.json) {
    append_json(output.text(), options.data.path, report);
  } else {
    append_readable(output.text(), options.data.path, report);
  }
  output.end_line();
  output.flush();
  return report.error_places > 0 ? kExitBadData : kExitGood;
}

}  // namespace

Verb add_check(CLI::App& parent) {
  CLI::App* const app =
      parent.add_subcommand("check", "Read a whole file and say all that is wrong with it");
  const auto options = std::make_shared<CheckOptions>();
  add_data_options(*app, options->data);
  app->add_option("--max-shown", options->diagnostics_max, "How many wrong places to describe")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{0}, Diagnostics::kKeptMaxDefault).description(""))
      ->capture_default_str();
  app->add_flag("--json", options->json,
                "The summary as a JSON object: path, sequences and samples (of the good ones), "
                "holes (bad sequences), error_places, streams, diagnostics");
  return {app, [options] { return run_check(*options); }};
}

}  // namespace sheaf::cli
