#include "sheaf/merge.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "sheaf/error.h"
#include "sheaf/extend/byte_sink.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/file_sink.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/extend/format.h"

#include "interrupt.h"
#include "options/file_text.h"
#include "options/format_list.h"
#include "options/option_words.h"
#include "options/options.h"
#include "output/console.h"
#include "output/convert_report.h"
#include "output/output.h"
#include "output/progress.h"
#include "output/write_data.h"
#include "verbs/verbs.h"

namespace sheaf::cli {
namespace {

constexpr std::int64_t kPartReportBytesMax = std::int64_t{4} << 30;
constexpr std::int64_t kMergeThreadsMax = 1024;

struct MergeVerbOptions {
  std::string path;  // "-": standard output, for reports only
  std::vector<std::string> parts;
  MergeOptions merge;
  std::int64_t threads = 0;  // 0 means auto
  When progress = When::automatic;
  bool overwrite = false;
  bool json = false;
};

// Returns whether the file is the report of a part. A report is JSON and begins with a brace. A
// part of a conversion does not.
bool is_report(const std::string& path) {
  const std::shared_ptr<const ByteSource> source = system_files().open(path);
  char first = 0;
  if (source->size() == 0) return false;
  source->read_at(0, std::as_writable_bytes(std::span(&first, 1)));
  return first == '{';
}

// Returns whether the parts are reports.
//
// Throws: ConfigError if some parts are reports and others are not.
bool are_reports(const std::vector<std::string>& parts) {
  const bool reports = is_report(parts.front());
  for (const std::string& each : parts) {
    if (is_report(each) == reports) continue;
    throw ConfigError(fmt::format("{} and {}: one is a report, the other a part of a conversion",
                                  parts.front(), each));
  }
  return reports;
}

void check_merged_path(const MergeVerbOptions& options) {
  if (!check_output_path(options.path, options.parts) || options.overwrite) return;
  throw ConfigError(
      fmt::format("{}: exists already; --overwrite replaces it; was OUT forgotten, which is the "
                  "first file?",
                  options.path));
}

int merge_json(const MergeVerbOptions& options) {
  if (options.json) {
    throw ConfigError("--json: reports are JSON; OUT gets the report of the whole data");
  }
  std::vector<NamedReport> reports;
  for (const std::string& path : options.parts) {
    std::optional<std::string> text = file_text(path, kPartReportBytesMax);
    if (!text) throw ConfigError(fmt::format("{}: is too large for a report", path));
    reports.push_back({.name = path, .json = *std::move(text)});
  }
  Output output;
  output.text() = merge_reports(reports);
  if (options.path == kStandardStream) {
    output.flush();
    return kExitGood;
  }
  const std::unique_ptr<ByteSink> file = create_file(options.path);
  file->write(std::as_bytes(std::span(output.text())));
  file->finish();
  output.text().clear();
  return kExitGood;
}

int merge_files(MergeVerbOptions& options, Console& console) {
  std::int64_t bytes = 0;
  for (const std::string& part : options.parts) bytes += system_files().open(part)->size();
  Progress progress(console, options.progress, bytes);
  progress.begin();
  MergeOptions& merge = options.merge;
  merge.existing = options.overwrite ? Existing::replace : Existing::refuse;
  if (options.threads > 0) merge.run.threads = static_cast<int>(options.threads);
  merge.run.progress = [&progress](std::int64_t done) { progress.update(done); };
  const InterruptGuard guard;
  const ConvertReport report =
      with_option_words([&] { return sheaf::merge(options.path, options.parts, merge); });
  progress.finish();
  print_findings(console, report);
  Output output;
  if (options.json) {
    append_report_json(output.text(), fmt::format("{}", fmt::join(options.parts, ", ")), report);
  } else {
    append_report(output.text(), report);
  }
  output.flush();
  return kExitGood;
}

int run_merge(MergeVerbOptions& options, Console& console) {
  const bool reports = are_reports(options.parts);
  if (options.path == kStandardStream) {
    if (!reports) throw ConfigError("OUT is standard output, and the parts make a file: name it");
  } else {
    check_merged_path(options);
  }
  return reports ? merge_json(options) : merge_files(options, console);
}

constexpr const char* kMergeDescription = R"(Put together what was made in parts

Parts of a conversion become the file that sheaf convert writes in one go, byte for byte. Reports of
sheaf check and sheaf stat become the report on all data, as --json prints it.

Parts may come in any order. Each part says which part it is, of which data, and with which options:
sheaf refuses parts of different runs, a part that comes twice, and a part that is missing.

OUT has the format that its extension tells. Where the conversion named another format, OUT gets the
default options of its own format.)";

constexpr const char* kMergeFooter = R"(Examples:
  for i in 0 1 2; do sheaf convert train.ctf part-$i.cbf --part $i/3; done
  sheaf merge train.cbf part-0.cbf part-1.cbf part-2.cbf
  for i in 0 1 2; do sheaf check train.ctf --part $i/3 --json > check-$i.json; done
  sheaf merge check.json check-?.json

Exit codes:
  0 good; 1 a part is damaged, or a file cannot be read or written; 2 bad usage, also if the parts
  are not all parts of one run; 130 or 143: ended by a signal)";

}  // namespace

Verb add_merge(CLI::App& parent, Console& console) {
  CLI::App* const app = parent.add_subcommand("merge", kMergeDescription);
  app->footer(kMergeFooter);
  const auto options = std::make_shared<MergeVerbOptions>();
  app->add_option("OUT", options->path, "The file to write. - means standard output, for reports")
      ->type_name("FILE")
      ->required();
  app->add_option("PART", options->parts, "All parts, in any order")->type_name("FILE")->required();
  app->add_option("--to", options->merge.format, "The format of OUT, if its name does not tell it")
      ->type_name(format_names(FormatUse::writing));
  app->add_flag("--overwrite", options->overwrite,
                "Replace OUT if it exists. Without the option, an existing file is an error");
  add_count(*app, "--threads", options->threads, {0, kMergeThreadsMax, "auto", 0},
            "Number of threads. auto: one for each processor. The number never changes the result");
  add_limit(*app, "--memory-limit", options->merge.run.memory_limit_bytes,
            "Most memory, such as 64M or 1.5GiB, or a number of bytes. none: no limit");
  app->add_flag("--json", options->json,
                "Print a JSON object, as sheaf convert --json does; not for reports");
  add_progress_options(*app, options->progress);
  return {app, [options, &console] { return run_merge(*options, console); }};
}

}  // namespace sheaf::cli
