// The sections "verdict" and "errors", and the elements that several sections share.

#include "ops/report/page_sections.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/text.h"
#include "ops/report/page_chart.h"
#include "ops/report/page_table.h"
#include "ops/report/page_text.h"

namespace sheaf::internal::page {
namespace {

constexpr std::size_t kFindingsMax = 100;
constexpr std::size_t kOpenFindings = 12;
constexpr std::size_t kDiagnosticsMax = 40;
constexpr int kSentenceMax = 300;

struct Level {
  std::string_view name;
  std::string_view word;
  std::string_view one;
  std::string_view many;
};

constexpr std::array<Level, 4> kLevels = {{
    {"error", "Error", "error", "errors"},
    {"warning", "Warning", "warning", "warnings"},
    {"notice", "Notice", "notice", "notices"},
    {"good", "Good", "good sign", "good signs"},
}};
constexpr std::size_t kNoticeLevel = 2;

const Level& level_of(const Json& finding) {
  const std::string name = text_in(finding, "level");
  const auto* const found =
      std::find_if(kLevels.begin(), kLevels.end(), [&](const Level& l) { return l.name == name; });
  return found == kLevels.end() ? kLevels[kNoticeLevel] : *found;
}

std::string section_link(const Json& report, const std::string& id) {
  for (const Section& each : kSections) {
    if (each.id != id || !report.contains(id)) continue;
    return formatted(" <a href=\"#{}\">{}</a>", each.id, each.heading);
  }
  return {};
}

std::string finding_html(const Json& report, const Json& finding) {
  const Level& level = level_of(finding);
  const std::string link = section_link(report, text_in(finding, "section"));
  const std::string advice = text_in(finding, "advice");
  std::string text = marked(text_in(finding, "text"), kSentenceMax);
  text += advice.empty() ? link : "<p>" + marked(advice, kSentenceMax) + link + "</p>";
  return formatted("<li class=\"{}\"><b>{}</b><div>{}</div></li>\n", level.name, level.word, text);
}

// Counts findings by level: "1 error, 2 warnings and 3 notices".
std::string counts_of_levels(const Json::array_t& findings) {
  std::array<std::int64_t, kLevels.size()> counts = {};
  for (const Json& each : findings) {
    ++counts[static_cast<std::size_t>(&level_of(each) - kLevels.data())];
  }
  std::string out;
  for (std::size_t i = 0; i < kLevels.size(); ++i) {
    if (counts[i] == 0) continue;
    if (!out.empty()) out += ", ";
    out += counted(counts[i], kLevels[i].one, kLevels[i].many);
  }
  return out;
}

std::string location_html(const Json& diagnostic) {
  std::string out = marked(text_in(diagnostic, "path"));
  for (const char* const each : {"line", "column"}) {
    const std::optional<std::int64_t> number = count_in(diagnostic, each);
    if (number && *number > 0) out += formatted(":{}", *number);
  }
  const std::optional<std::int64_t> offset = count_in(diagnostic, "byte_offset");
  if (offset && *offset >= 0 && count_in(diagnostic, "line").value_or(0) <= 0) {
    out += ", byte " + count_text(*offset);
  }
  return out;
}

}  // namespace

std::string paragraph(std::string_view html) { return formatted("<p>{}</p>\n", html); }

std::string coverage_html(const Json& from, std::string_view what) {
  const std::optional<std::int64_t> looked_at = count_in(from, "looked_at");
  const std::optional<std::int64_t> all = count_in(from, "sequences");
  if (!looked_at || !all || *looked_at >= *all) return {};
  return formatted("<p class=\"soft\">{} {} of {} sequences.</p>\n", what, count_text(*looked_at),
                   count_text(*all));
}

std::string drift_table(const Json& from, std::string_view caption) {
  Table table(caption, {{"What"}, {"Drift", CellKind::number}, {"", CellKind::word}});
  for (const Json& each : list_in(from, "drift")) {
    const std::optional<double> size = number_in(each, "size");
    if (size) table.add({marked(text_in(each, "what")), formatted("{:.2f}", *size), meter(*size)});
  }
  return table.html();
}

std::string verdict_body(const Json& report) {
  const Json::array_t& findings = list_in(report, "verdict");
  if (!field(report, "verdict").is_array()) return {};
  if (findings.empty()) return paragraph("sheaf found nothing that you need to mend.");
  std::string out = paragraph(formatted(
      "{}. The list starts with the gravest finding. The link of a finding leads to the numbers.",
      counts_of_levels(findings)));
  const std::size_t shown = std::min(findings.size(), kFindingsMax);
  std::string lists[2];  // the first findings, and the findings behind a summary line
  for (std::size_t i = 0; i < shown; ++i) {
    lists[i < kOpenFindings ? 0 : 1] += finding_html(report, findings[i]);
  }
  out += "<ul class=\"findings\">\n" + lists[0] + "</ul>\n";
  if (!lists[1].empty()) {
    out += formatted(
        "<details class=\"more\"><summary>{}</summary>\n<ul class=\"findings\">\n{}"
        "</ul></details>\n",
        counted(static_cast<std::int64_t>(shown - kOpenFindings), "more finding", "more findings"),
        lists[1]);
  }
  return out + left_out_html(findings.size(), kFindingsMax, "findings");
}

std::string data_body(const Json& report) {
  const Json& data = field(report, "data");
  if (!data.is_object()) return {};
  const std::int64_t errors = count_in(data, "error_places").value_or(0);
  const std::int64_t warnings = count_in(data, "warning_places").value_or(0);
  const std::int64_t holes = count_in(data, "holes").value_or(0);
  if (errors + warnings + holes == 0 && field(data, "is_cut") != true) {
    return paragraph("Every sequence reads without an error or a warning.");
  }
  std::string out;
  if (field(data, "is_cut") == true) {
    out = paragraph(
        "sheaf cannot read the data to their end. This page describes the data before "
        "the last place of the table.");
  }
  std::string text = "The data have ";
  if (errors > 0) text += counted(errors, "wrong place", "wrong places");
  if (errors > 0 && warnings > 0) text += " and ";
  if (warnings > 0) text += counted(warnings, "place with a warning", "places with a warning");
  text += ". ";
  if (holes > 0) {
    text += formatted("sheaf leaves {} out because of errors. ",
                      counted(holes, "sequence", "sequences"));
  }
  if (errors + warnings > 0) {
    out += paragraph(text + "<code>sheaf check</code> prints every place with its line.");
  }
  const Json::array_t& diagnostics = list_in(data, "diagnostics");
  Table table("Wrong places",
              {{"Place"}, {"Severity", CellKind::word}, {"Message"}, {"Code", CellKind::word}});
  for (std::size_t i = 0; i < std::min(diagnostics.size(), kDiagnosticsMax); ++i) {
    const Json& each = diagnostics[i];
    std::string message = marked(text_in(each, "message"), kSentenceMax);
    const std::string hint = text_in(each, "hint");
    if (!hint.empty()) message += " <span class=\"soft\">" + marked(hint, kSentenceMax) + "</span>";
    table.add({location_html(each), marked(text_in(each, "severity")), message,
               marked(text_in(each, "code"))});
  }
  return out + table.html() +
         left_out_html(static_cast<std::size_t>(std::max<std::int64_t>(errors + warnings, 0)),
                       table.row_count(), "places");
}

}  // namespace sheaf::internal::page
