#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "sheaf/error.h"
#include "sheaf/extend/index_file.h"
#include "sheaf/open.h"

#include "options/data_options.h"
#include "output/console.h"
#include "output/counted.h"
#include "output/format_minibatch.h"
#include "output/output.h"
#include "output/progress.h"
#include "output/speed.h"
#include "verbs/verbs.h"

namespace sheaf::cli {
namespace {

struct IndexVerbOptions {
  DataOptions data;
  When progress = When::automatic;
  bool json = false;
};

struct IndexReport {
  std::int64_t chunks = 0;
  std::int64_t sequences = 0;
  std::int64_t samples = 0;
  std::int64_t data_bytes = 0;
  std::vector<std::string> index_paths = {};     // of those files that are there
  std::optional<std::int64_t> index_bytes = {};  // of all; nothing where there is no such file
  std::string why_none = {};                     // where there is no such file that is of use
  bool is_its_own_index = false;                 // the format wants no index file
  double seconds = 0;
  std::int64_t indexed_bytes = 0;  // of the data, by now
};

// Makes the folder of --index-dir.
void make_folder(const DataOptions& options) {
  const std::string& folder = options.format.index.directory;
  if (folder.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw IoError(fmt::format("--index-dir {}: cannot be made: {}", folder, error.message()));
  }
}

// Why a run with these options would use no index file; empty where it would use one.
std::string why_unfit(DataOptions options) {
  options.index = "require";
  try {
    static_cast<void>(cli::open(options));
    return {};
  } catch (const ConfigError& error) {
    return error.what();
  }
}

// Has the indexes of the files made. Those of what is joined are made one after the other: the join
// has none of its own.
void make_indexes(const Deserializer& data, std::span<const OpenedData> joined, Progress& progress,
                  IndexReport& report) {
  for (const OpenedData& each : joined) make_indexes(*each.data, each.members, progress, report);
  if (!joined.empty()) return;
  const Index& index = data.index();
  std::int64_t end_bytes = 0;
  for (ChunkIndex number{}; const auto chunk = index.chunk(number); number = next(number)) {
    ++report.chunks;
    report.sequences += chunk->sequence_count;
    report.samples += chunk->sample_count;
    end_bytes = chunk->offset_bytes + chunk->size_bytes;
    progress.update(report.indexed_bytes + end_bytes);
  }
  report.indexed_bytes += end_bytes;
}

IndexReport build(const IndexVerbOptions& options, Console& console) {
  IndexReport report;
  report.data_bytes = data_size_bytes(options.data);
  make_folder(options.data);
  Progress progress(console, options.progress, report.data_bytes);
  progress.opening();
  const auto start = std::chrono::steady_clock::now();
  const OpenData open = cli::open(options.data);
  if (!options.json) print_found_streams(console, options.data, open);
  progress.begin();
  make_indexes(*open.data, open.members, progress, report);
  report.seconds = seconds_since(start);
  progress.finish();
  console.print_diagnostics(open.data->warnings());

  report.why_none = why_unfit(options.data);
  if (!report.why_none.empty()) return report;
  for (std::string& path : index_files(options.data)) {
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    if (error) continue;
    report.index_bytes = report.index_bytes.value_or(0) + static_cast<std::int64_t>(size);
    report.index_paths.push_back(std::move(path));
  }
  report.is_its_own_index = !report.index_bytes;
  return report;
}

void append_json(std::string& out, const std::string& path, const IndexReport& report) {
  auto to = std::back_inserter(out);
  out += "{\"path\":";
  append_quoted(out, path);
  fmt::format_to(to, ",\"chunks\":{},\"sequences\":{},\"samples\":{},\"data_bytes\":{}",
                 report.chunks, report.sequences, report.samples, report.data_bytes);
  out += ",\"index_path\":";
  if (report.index_paths.size() == 1) {
    append_quoted(out, report.index_paths.front());
  } else {
    out += "null";
  }
  fmt::format_to(to, ",\"index_files\":{},\"index_bytes\":", report.index_paths.size());
  if (report.index_bytes) {
    fmt::format_to(to, "{}", *report.index_bytes);
  } else {
    out += "null";
  }
  fmt::format_to(to, ",\"seconds\":{}}}\n", report.seconds);
}

void append_readable(std::string& out, const std::string& path, const IndexReport& report) {
  auto to = std::back_inserter(out);
  fmt::format_to(to, "{}: chunks {}, sequences {}, samples {}, {} bytes; ", path, report.chunks,
                 report.sequences, report.samples, report.data_bytes);
  if (report.index_bytes) {
    const double share =
        100 * static_cast<double>(*report.index_bytes) / static_cast<double>(report.data_bytes);
    const std::string files =
        report.index_paths.size() == 1
            ? "index file " + report.index_paths.front()
            : counted(static_cast<std::int64_t>(report.index_paths.size()), "index file");
    fmt::format_to(to, "{} of {} bytes, {:.2f} %", files, *report.index_bytes, share);
  } else {
    out += report.is_its_own_index ? "it is its own index" : "no index file";
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
    append_readable(output.text(), data_name(options.data), report);
  }
  output.flush();
  const bool is_missing =
      options.data.index == "rebuild" && !report.index_bytes && !report.is_its_own_index;
  if (!is_missing) return kExitGood;
  console.print_error(report.why_none);
  return kExitBadData;
}

constexpr const char* kIndexDescription = R"(Build a file's index file, or check that it fits

The index says where each sequence lies and how many samples it has. With the file beside the data
nothing has to be scanned again: a run opens at once, at any position. The index depends on the
options about data; a run with others does not use it, and says so. Of several files, each has its
own.)";

constexpr const char* kIndexFooter = R"(Examples:
  sheaf index train.ctf
  sheaf index train.ctf --index-dir /var/cache/sheaf
  sheaf index train.ctf --index require --json
  sheaf index 'part-*.ctf'
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
