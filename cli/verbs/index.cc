#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "sheaf/error.h"
#include "sheaf/index_data.h"

#include "options/data_options.h"
#include "options/option_words.h"
#include "output/console.h"
#include "output/counted.h"
#include "output/format_minibatch.h"
#include "output/output.h"
#include "output/progress.h"
#include "verbs/opening_error.h"
#include "verbs/verbs.h"

namespace sheaf::cli {
namespace {

struct IndexVerbOptions {
  DataOptions data;
  When progress = When::automatic;
  bool json = false;
};

IndexReport build(const IndexVerbOptions& options, Console& console) {
  Progress progress(console, options.progress, 0);
  const DataSpec data = chosen_data(options.data);
  bool is_open = false;
  IndexDataOptions index{.mode = index_mode(options.data.index)};
  index.begin = [&](std::int64_t size_bytes) {
    progress.set_total(size_bytes);
    progress.opening();
  };
  index.opened = [&](const OpenedData& opened) {
    if (!options.json) print_found_streams(console, options.data, *opened.data, opened.members);
    if (!is_open) progress.begin();
    is_open = true;
  };
  index.run = {.memory_limit_bytes = options.data.run.memory_limit_bytes,
               .progress = [&](std::int64_t end) { progress.update(end); }};
  if (options.data.threads > 0) index.run.threads = static_cast<int>(options.data.threads);
  try {
    IndexReport report = with_option_words([&] { return index_data(data, index); });
    progress.finish();
    console.print_diagnostics(report.warnings);
    return report;
  } catch (const DataError& error) {
    if (is_open) throw;
    throw OpeningError(error);
  }
}

// Returns the total size of all index files, or nothing if there is no index file.
std::optional<std::int64_t> index_bytes(const IndexReport& report) {
  if (report.files.empty()) return {};
  std::int64_t bytes = 0;
  for (const IndexFile& file : report.files) bytes += file.bytes;
  return bytes;
}

void append_json(std::string& out, const std::string& path, const IndexReport& report) {
  auto to = std::back_inserter(out);
  out += "{\"path\":";
  append_quoted(out, path);
  fmt::format_to(to, ",\"chunks\":{},\"sequences\":{},\"samples\":{},\"data_bytes\":{}",
                 report.chunks, report.sequences, report.samples, report.data_bytes);
  out += ",\"index_path\":";
  if (report.files.size() == 1) {
    append_quoted(out, report.files.front().path);
  } else {
    out += "null";
  }
  const std::optional<std::int64_t> bytes = index_bytes(report);
  fmt::format_to(to, ",\"index_files\":{},\"index_bytes\":{},\"seconds\":{}}}\n",
                 report.files.size(), bytes ? std::to_string(*bytes) : "null", report.seconds);
}

void append_readable(std::string& out, const std::string& path, const IndexReport& report,
                     bool is_part) {
  auto to = std::back_inserter(out);
  fmt::format_to(to, "{}: chunks {}, sequences {}, samples {}, {} bytes; ", path, report.chunks,
                 report.sequences, report.samples, report.data_bytes);
  if (const std::optional<std::int64_t> bytes = index_bytes(report)) {
    const double share = 100 * static_cast<double>(*bytes) / static_cast<double>(report.data_bytes);
    const std::string files = report.files.size() == 1
                                  ? "index file " + report.files.front().path
                                  : counted(std::ssize(report.files), "index file");
    fmt::format_to(to, "{} of {} bytes, {:.2f} %", files, *bytes, share);
  } else if (is_part && report.data_bytes == 0) {
    out += "no file begins in this part";
  } else {
    out += report.is_own_index() ? "it is its own index" : "no index file";
  }
  fmt::format_to(to, "; {:.3f} s\n", report.seconds);
}

int run_index(const IndexVerbOptions& options, Console& console) {
  if (options.data.index == "off") {
    throw ConfigError(
        "--index off: this verb is about the index file; --index rebuild writes it, "
        "--index require checks it");
  }
  const IndexReport report = build(options, console);
  Output output;
  if (options.json) {
    append_json(output.text(), data_name(options.data), report);
  } else {
    append_readable(output.text(), data_name(options.data), report, !options.data.part.empty());
  }
  output.flush();
  if (options.data.index != "rebuild" || report.why_unused.empty()) return kExitGood;
  console.print_error(report.why_unused);
  return kExitBadData;
}

constexpr const char* kIndexDescription = R"(Build a file's index file, or check that it fits

The index says where each sequence lies and how many samples it has. With the file beside the data
nothing has to be scanned again: a run opens at once, at any position. The index depends on the
options about data; a run with others does not use it, and says so. Of several files, each has its
own. With --part, sheaf indexes a share of the files. A part never divides a file.)";

constexpr const char* kIndexFooter = R"(Examples:
  sheaf index train.ctf
  sheaf index train.ctf --index-dir /var/cache/sheaf
  sheaf index train.ctf --index require --json
  sheaf index 'part-*.ctf'
  sheaf index 'part-*.ctf' --stream x:dense:64 --part 3/8
  sheaf index --spec train.json

Exit codes:
  0 good; 1 the data cannot be indexed or the file cannot be written; 2 bad usage)";

}  // namespace

Verb add_index(CLI::App& parent, Console& console) {
  CLI::App* const app = parent.add_subcommand("index", kIndexDescription);
  app->footer(kIndexFooter);
  const auto options = std::make_shared<IndexVerbOptions>();
  options->data.index = "rebuild";
  add_data_options(*app, options->data,
                   {.path_description = "The data; its extension tells the format. A pattern as "
                                        "'part-*.ctf': each of its files",
                    .has_several = false,
                    .has_join = false,
                    .has_transforms = false,  // the index describes the data before transforms
                    .has_standard_input = false});
  app->add_flag("--json", options->json,
                "A JSON object: path, chunks, sequences, samples, data_bytes; index_path (null "
                "unless there is one index file), index_files (how many), index_bytes (of all; "
                "null where there is none); seconds")
      ->group("Output");
  add_progress_options(*app, options->progress);
  return {app, [options, &console] {
            read_spec(options->data, console);
            return run_index(*options, console);
          }};
}

}  // namespace sheaf::cli
