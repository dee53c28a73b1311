#include "output/convert_report.h"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "output/counted.h"
#include "output/format_diagnostic.h"
#include "output/format_minibatch.h"

namespace sheaf::cli {
namespace {

void append_diagnostics(std::string& out, std::string_view name,
                        std::span<const Diagnostic> diagnostics) {
  fmt::format_to(std::back_inserter(out), ",\"{}\":[", name);
  for (const Diagnostic& diagnostic : diagnostics) {
    if (&diagnostic != diagnostics.data()) out += ',';
    append_diagnostic(out, diagnostic);
  }
  out += ']';
}

}  // namespace

void append_report(std::string& out, const ConvertReport& report) {
  for (const WrittenFile& file : report.files) {
    fmt::format_to(std::back_inserter(out), "{}: sequences {}, samples {}, {} bytes\n", file.path,
                   file.sequences, file.samples, file.bytes);
  }
}

void append_report_json(std::string& out, std::string_view input, const ConvertReport& report) {
  const auto to = std::back_inserter(out);
  out += "{\"input\":";
  append_quoted(out, input);
  out += ",\"files\":[";
  WrittenFile all;
  for (const WrittenFile& file : report.files) {
    if (&file != report.files.data()) out += ',';
    out += "{\"path\":";
    append_quoted(out, file.path);
    fmt::format_to(to, ",\"bytes\":{},\"sequences\":{},\"samples\":{}}}", file.bytes,
                   file.sequences, file.samples);
    all.bytes += file.bytes;
    all.sequences += file.sequences;
    all.samples += file.samples;
  }
  fmt::format_to(to, "],\"bytes\":{},\"sequences\":{},\"samples\":{},\"holes\":{},\"places\":{}",
                 all.bytes, all.sequences, all.samples, report.holes, report.error_count);
  append_diagnostics(out, "diagnostics", report.diagnostics);
  append_diagnostics(out, "warnings", report.warnings);
  out += "}\n";
}

bool is_report_json(const std::string& text) {
  constexpr std::array kFields = {"input", "files",  "bytes",       "sequences", "samples",
                                  "holes", "places", "diagnostics", "warnings"};
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  return json.is_object() &&
         std::ranges::all_of(kFields, [&](const char* field) { return json.contains(field); });
}

void print_findings(Console& console, const ConvertReport& report) {
  console.print_diagnostics(report.diagnostics);
  if (report.error_count > 0) console.print_note(left_out_text(report.holes, report.error_count));
  console.print_diagnostics(report.warnings);
}

}  // namespace sheaf::cli
