#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "sheaf/error.h"
#include "sheaf/extend/byte_source.h"

#include "options/data_options.h"
#include "options/options.h"
#include "output/console.h"
#include "output/counted.h"
#include "output/format_diagnostic.h"
#include "output/format_minibatch.h"
#include "output/output.h"
#include "output/progress.h"
#include "output/table.h"
#include "scan_data.h"
#include "verbs/verbs.h"

namespace sheaf::cli {
namespace {

// Places of a unit that are described at once, of errors and of warnings. One with more is read in
// parts, so that a file that is all wrong does not fill the memory.
constexpr std::int64_t kDescribedMax = 4096;

struct CheckOptions {
  DataOptions data;
  std::int64_t shown_max = 100;  // 0: all
  When progress = When::automatic;
  bool json = false;
};

// The places of one kind.
struct Kind {
  std::int64_t count = 0;
  Diagnostic first = {};
};

// Errors, or warnings.
struct Places {
  std::int64_t count = 0;
  std::map<std::string, Kind> kinds = {};  // by code
  std::int64_t kept = 0;                   // of the diagnostics
};

// What was found, in a unit or in all.
struct Findings {
  std::int64_t sequences = 0;  // good ones
  std::int64_t samples = 0;    // of these
  std::int64_t holes = 0;
  Places errors = {};
  Places warnings = {};
  std::vector<Diagnostic> diagnostics = {};          // the first errors and the first warnings
  std::map<std::string, std::int64_t> missing = {};  // sequences that lack a stream, by its name

  [[nodiscard]] Places& places_like(const Diagnostic& diagnostic) {
    return diagnostic.severity == Severity::warning ? warnings : errors;
  }
};

bool is_missing_stream(const Diagnostic& diagnostic) {
  return diagnostic.severity != Severity::warning && !diagnostic.stream.empty() &&
         diagnostic.code.ends_with("-missing-stream");
}

void count_place(Findings& findings, const Diagnostic& diagnostic, std::int64_t kept_max) {
  Places& places = findings.places_like(diagnostic);
  ++places.count;
  Kind& kind = places.kinds[diagnostic.code];
  if (kind.count++ == 0) kind.first = diagnostic;
  if (is_missing_stream(diagnostic)) ++findings.missing[diagnostic.stream];
  if (places.kept == kept_max) return;
  ++places.kept;
  findings.diagnostics.push_back(diagnostic);
}

void check_range(const Deserializer& data, const ScanUnit& unit, const ChunkRange& range,
                 std::int64_t kept_max, Findings& findings) {
  Diagnostics diagnostics(range.count > 1 ? kDescribedMax
                                          : std::numeric_limits<std::int64_t>::max());
  const Chunk chunk = data.read(range, diagnostics);
  const std::int64_t places = std::ssize(diagnostics.entries());
  if (places > std::ssize(diagnostics.described())) {
    const std::int64_t parts = std::min(range.count, 1 + 2 * places / kDescribedMax);
    for (std::int64_t i = 0; i < parts; ++i) {
      const std::int64_t first = range.count * i / parts;
      const std::int64_t end = range.count * (i + 1) / parts;
      check_range(data, unit, {range.chunk, range.first + first, end - first}, kept_max, findings);
    }
    return;
  }
  for (const Diagnostic& each : diagnostics.described()) count_place(findings, each, kept_max);
  const std::span<const std::int64_t> holes = chunk.holes();
  findings.holes += std::ssize(holes);
  findings.sequences += chunk.sequence_count() - std::ssize(holes);
  for (std::int64_t i = 0; i < chunk.sequence_count(); ++i) {
    if (!std::ranges::binary_search(holes, i)) {
      findings.samples += unit.sequences->sample_count(range.first + i);
    }
  }
}

struct CheckReport {
  Findings findings;
  std::vector<Stream> streams = {};
  std::vector<Diagnostic> errors = {};  // as many as are shown
  std::vector<Diagnostic> warnings = {};
  std::set<std::string> told = {};  // streams that most sequences lack: described once
  std::int64_t shown_errors = 0;
};

// Adds up what units have, shows what is to be shown.
class Checker {
 public:
  Checker(const CheckOptions& options, Console& console)
      : options_(options),
        console_(console),
        shown_max_(options.shown_max > 0 ? options.shown_max
                                         : std::numeric_limits<std::int64_t>::max()) {}

  // Data that cannot be read on from are a last diagnostic.
  CheckReport run() {
    Progress progress(console_, options_.progress, data_size_bytes(options_.data));
    progress.opening();
    try {
      const OpenData open = cli::open(options_.data);
      report_.streams.assign(open.data->streams().begin(), open.data->streams().end());
      if (!options_.json) print_found_streams(console_, options_.data, open);
      const ScanWork work = [&](const ScanUnit& unit) {
        const auto findings = std::make_shared<Findings>();
        check_range(*open.data, unit, unit.range, shown_max_, *findings);
        return [this, findings, &progress, end = unit.end_bytes] {
          add(std::move(*findings));
          progress.update(end);
        };
      };
      progress.begin();
      scan_data(*open.data, *open.executor, work, options_.data.run.memory_limit_bytes);
      progress.finish();
      add_all(open.data->warnings());
    } catch (const DataError& error) {
      progress.finish();
      add_all(error.diagnostics());
    }
    return std::move(report_);
  }

 private:
  void add(Findings findings) {
    Findings& all = report_.findings;
    all.sequences += findings.sequences;
    all.samples += findings.samples;
    all.holes += findings.holes;
    add_places(all.errors, findings.errors);
    add_places(all.warnings, findings.warnings);
    for (const auto& [stream, count] : findings.missing) all.missing[stream] += count;
    for (Diagnostic& diagnostic : findings.diagnostics) {
      Places& places = all.places_like(diagnostic);
      if (places.kept == shown_max_) continue;
      ++places.kept;
      if (!is_told(diagnostic, findings)) {
        console_.print(diagnostic_text(diagnostic, console_.has_color()));
        if (diagnostic.severity != Severity::warning) ++report_.shown_errors;
      }
      if (!options_.json) continue;
      const bool is_warning = diagnostic.severity == Severity::warning;
      (is_warning ? report_.warnings : report_.errors).push_back(std::move(diagnostic));
    }
  }

  // A stream that most sequences of a unit lack is described once, unless all is asked for.
  bool is_told(const Diagnostic& diagnostic, const Findings& unit) {
    if (options_.shown_max == 0 || !is_missing_stream(diagnostic)) return false;
    const std::int64_t count = unit.missing.at(diagnostic.stream);
    return 2 * count > unit.sequences + unit.holes &&
           !report_.told.insert(diagnostic.stream).second;
  }

  // What is not a unit's.
  void add_all(std::span<const Diagnostic> diagnostics) {
    Findings last;
    for (const Diagnostic& each : diagnostics) count_place(last, each, shown_max_);
    add(std::move(last));
  }

  static void add_places(Places& all, Places& places) {
    all.count += places.count;
    for (auto& [code, kind] : places.kinds) {
      Kind& known = all.kinds[code];
      if (known.count == 0) known.first = std::move(kind.first);
      known.count += kind.count;
    }
  }

  const CheckOptions& options_;
  Console& console_;
  std::int64_t shown_max_;
  CheckReport report_;
};

template <typename T, typename F>
void append_json_list(std::string& out, const T& items, F&& append) {
  std::string_view separator;
  for (const auto& item : items) {
    out += separator;
    append(item);
    separator = ",";
  }
}

void append_json_kinds(std::string& out, const Places& places) {
  out += '{';
  append_json_list(out, places.kinds, [&out](const auto& code_and_kind) {
    const auto& [code, kind] = code_and_kind;
    append_quoted(out, code);
    fmt::format_to(std::back_inserter(out),
                   ":{{\"count\":{},\"first\":{{\"line\":{},\"column\":{},\"byte_offset\":{}}}}}",
                   kind.count, kind.first.line, kind.first.column, kind.first.byte_offset);
  });
  out += '}';
}

void append_json(std::string& out, const std::string& path, const CheckReport& report) {
  const Findings& findings = report.findings;
  auto to = std::back_inserter(out);
  out += "{\"path\":";
  append_quoted(out, path);
  fmt::format_to(to,
                 ",\"sequences\":{},\"samples\":{},\"counted_samples\":{},\"holes\":{},\"places\":{"
                 "},\"by_code\":",
                 findings.sequences, findings.samples, findings.samples, findings.holes,
                 findings.errors.count);
  append_json_kinds(out, findings.errors);
  fmt::format_to(to, ",\"warning_places\":{},\"warnings_by_code\":", findings.warnings.count);
  append_json_kinds(out, findings.warnings);
  out += ",\"streams\":[";
  append_json_list(out, report.streams, [&](const Stream& stream) {
    out += "{\"name\":";
    append_quoted(out, stream.name);
    fmt::format_to(to, ",\"storage\":\"{}\",\"element_type\":\"{}\",\"shape\":[{}]}}",
                   to_string(stream.storage), to_string(stream.element_type),
                   fmt::join(stream.sample_shape.extents(), ","));
  });
  const auto append_one = [&out](const Diagnostic& each) { append_diagnostic(out, each); };
  out += "],\"diagnostics\":[";
  append_json_list(out, report.errors, append_one);
  out += "],\"warnings\":[";
  append_json_list(out, report.warnings, append_one);
  out += "]}\n";
}

std::string place_text(const Diagnostic& diagnostic) {
  if (diagnostic.byte_offset == Diagnostic::kNoPlace) return "-";
  if (diagnostic.line == 0) return fmt::format("byte {}", diagnostic.byte_offset);
  if (diagnostic.column == 0) return fmt::format("{}", diagnostic.line);
  return fmt::format("{}:{}", diagnostic.line, diagnostic.column);
}

void append_kinds(std::string& out, const Places& places, const char* title) {
  if (places.kinds.empty()) return;
  std::vector<std::vector<std::string>> rows = {{"", title, "first at"}};
  for (const auto& [code, kind] : places.kinds) {
    rows.push_back({code, fmt::format("{}", kind.count), place_text(kind.first)});
  }
  append_table(out, rows, 2);
}

void append_readable(std::string& out, const std::string& path, const CheckReport& report) {
  const Findings& findings = report.findings;
  fmt::format_to(
      std::back_inserter(out),
      "{}: sequences {}, samples {}, streams {}; left out {}, wrong places {}, warnings {}\n", path,
      findings.sequences, findings.samples, report.streams.size(), findings.holes,
      findings.errors.count, findings.warnings.count);
  append_kinds(out, findings.errors, "places");
  append_kinds(out, findings.warnings, "warnings");
}

int run_check(const CheckOptions& options, Console& console) {
  const CheckReport report = Checker(options, console).run();
  const Findings& findings = report.findings;
  std::int64_t more_errors = findings.errors.count - report.shown_errors;
  for (const std::string& stream : report.told) {
    const std::int64_t count = findings.missing.at(stream);
    more_errors -= count - 1;
    console.print_note(fmt::format("stream \"{}\": {} of {} sequences have none", stream, count,
                                   findings.sequences + findings.holes));
  }
  if (more_errors > 0) console.print(fmt::format("... and {} more", more_errors));
  if (const std::int64_t more = findings.warnings.count - findings.warnings.kept; more > 0) {
    console.print("... and " + counted(more, "more warning"));
  }
  Output output;
  if (options.json) {
    append_json(output.text(), data_name(options.data), report);
  } else {
    append_readable(output.text(), data_name(options.data), report);
  }
  output.flush();
  return findings.errors.count > 0 ? kExitBadData : kExitGood;
}

constexpr const char* kCheckDescription = R"(Read a whole file and say all that is wrong with it

Every wrong place is counted; the first ones are described on standard error, in the order of the
file, in the form of a compiler's messages. A summary by kind goes to standard output. No place
stops it. Warnings, about what is worth knowing though nothing is wrong, are counted apart.)";

constexpr const char* kCheckFooter = R"(Examples:
  sheaf check train.ctf
  sheaf check train.ctf --stream features:dense:64 --limit 0 2> all-of-it.txt
  sheaf check train.ctf --json | python3 -m json.tool

Exit codes:
  0 nothing is wrong; 1 something is, or the file cannot be read; 2 bad usage)";

}  // namespace

Verb add_check(CLI::App& parent, Console& console) {
  CLI::App* const app = parent.add_subcommand("check", kCheckDescription);
  app->footer(kCheckFooter);
  const auto options = std::make_shared<CheckOptions>();
  options->data.format.takes_first_form = true;  // all wrong samples are told, not the first one
  add_data_options(*app, options->data);
  add_count(*app, "--limit", options->shown_max, {},
            "How many wrong places, and how many warnings, to describe; 0: all of them")
      ->group("Output");
  app->add_flag("--json", options->json,
                "A JSON object: path; sequences and samples (of the good ones, also as "
                "counted_samples: as minibatch sizes "
                "count them); holes (sequences "
                "left out); places (wrong ones); by_code {CODE: {count, first}}; warning_places; "
                "warnings_by_code; streams; diagnostics; warnings")
      ->group("Output");
  add_progress_options(*app, options->progress);
  return {app, [options, &console] {
            read_spec(options->data, console);
            return run_check(*options, console);
          }};
}

}  // namespace sheaf::cli
