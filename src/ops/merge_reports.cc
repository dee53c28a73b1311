// Merges the reports of parts.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "sheaf/error.h"
#include "sheaf/merge.h"

#include "base/text.h"
#include "core/json_numbers.h"
#include "core/json_text.h"
#include "ops/all_parts.h"
#include "ops/check_parts.h"
#include "ops/stat_parts.h"

namespace sheaf {
namespace {

using ReportJson = nlohmann::ordered_json;

struct ReportOfPart {
  std::string name;
  std::int64_t number = 0;
  ReportJson json;
};

bool is_check(const ReportJson& report) { return report.contains("diagnostics"); }

// Returns all fields that the reports of one run share. The number of the part and its findings
// differ.
std::string shared_of(const ReportJson& report) {
  const ReportJson& part = report.at("part");
  ReportJson shared = {{"kind", is_check(report) ? "check" : "stat"},
                       {"path", report.at("path")},
                       {"count", part.at("count")},
                       {"source", part.at("source")}};
  if (is_check(report)) {
    shared["limit"] = part.at("limit");
    shared["open"] = part.at("open");
    shared["streams"] = report.at("streams");
    return shared.dump();
  }
  shared["duplicates"] = part.at("duplicates");
  for (const ReportJson& stream : report.at("streams")) {
    shared["streams"].push_back(
        {stream.at("name"), stream.at("storage"), stream.at("element_type"), stream.at("shape")});
  }
  return shared.dump();
}

ReportOfPart report_of(const NamedReport& report) {
  ReportOfPart part{.name = report.name, .json = internal::parse_json(report.json, report.name)};
  if (!part.json.is_object() || !part.json.contains("part")) {
    throw ConfigError(formatted(
        "{}: is no report of a part: sheaf check and sheaf stat with --part and --json make them",
        report.name));
  }
  part.number = internal::whole_of(part.json.at("part").at("number"));
  return part;
}

void check_together(const std::vector<ReportOfPart>& parts) {
  const ReportOfPart& first = parts.front();
  const std::string shared = shared_of(first.json);
  for (const ReportOfPart& part : parts) {
    if (shared_of(part.json) == shared) continue;
    throw ConfigError(
        formatted("{} and {} are no parts of one report: their data or their options differ",
                  first.name, part.name));
  }
  std::vector<internal::NamedPart> named;
  const std::int64_t count = internal::whole_of(first.json.at("part").at("count"));
  named.reserve(parts.size());
  for (const ReportOfPart& part : parts) {
    named.push_back({part.name, {.number = part.number, .count = count}});
  }
  internal::check_all_parts(named);
}

}  // namespace

std::string merge_reports(std::span<const NamedReport> reports) {
  if (reports.empty()) throw ConfigError("merge: there is no report to merge");
  try {
    std::vector<ReportOfPart> parts;
    for (const NamedReport& report : reports) parts.push_back(report_of(report));
    std::ranges::stable_sort(parts, {}, &ReportOfPart::number);
    check_together(parts);
    std::vector<ReportJson> all;
    all.reserve(parts.size());
    for (ReportOfPart& part : parts) all.push_back(std::move(part.json));
    if (is_check(all.front())) return internal::merged_check(all).dump() + '\n';
    return internal::merged_stat(all);
  } catch (const ReportJson::exception& error) {
    throw ConfigError(formatted("merge: a report is not as sheaf writes it: {}", error.what()));
  } catch (const std::bad_optional_access&) {
    throw ConfigError("merge: a report is not as sheaf writes it: a text is none");
  } catch (const std::out_of_range& error) {
    throw ConfigError("merge: a report is not as sheaf writes it: it has too many streams");
  }
}

}  // namespace sheaf
