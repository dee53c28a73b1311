#include "ops/check_parts.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "sheaf/extend/json.h"

#include "base/saturated.h"
#include "base/text.h"
#include "core/json_numbers.h"
#include "core/json_text.h"

namespace sheaf::internal {
namespace {

using ReportJson = nlohmann::ordered_json;

constexpr const char* kNonFinite = "check-non-finite";

// Keeps exactly the fields that non_finite_warning() needs. Texts keep all their bytes.
ReportJson json_of_diagnostic(const Diagnostic& diagnostic) {
  return {{"path", json_of_bytes(diagnostic.path)},
          {"line", diagnostic.line},
          {"column", diagnostic.column},
          {"byte_offset", diagnostic.byte_offset},
          {"sequence_key", json_of_bytes(diagnostic.sequence_key)},
          {"stream", json_of_bytes(diagnostic.stream)},
          {"found", json_of_bytes(diagnostic.found)},
          {"excerpt", json_of_bytes(diagnostic.excerpt)},
          {"excerpt_begin", diagnostic.excerpt_begin},
          {"excerpt_size", diagnostic.excerpt_size}};
}

Diagnostic diagnostic_of_json(const ReportJson& json) {
  const auto text = [&](const char* name) { return bytes_of_json(json.at(name)).value(); };
  return {.path = text("path"),
          .line = whole_of(json.at("line")),
          .column = whole_of(json.at("column")),
          .byte_offset = whole_of(json.at("byte_offset")),
          .sequence_key = text("sequence_key"),
          .stream = text("stream"),
          .found = text("found"),
          .excerpt = text("excerpt"),
          .excerpt_begin = whole_of(json.at("excerpt_begin")),
          .excerpt_size = whole_of(json.at("excerpt_size"))};
}

// Adds the findings of a later part about the same stream.
void add(CheckedStream& all, const ReportJson& json) {
  const auto number = [&](const char* name) { return count_of(json.at(name)); };
  if (all.non_finite == 0 && number("non_finite") > 0) {
    all.first_non_finite = diagnostic_of_json(json.at("first_non_finite"));
  }
  all.non_finite = saturated_sum(all.non_finite, number("non_finite"));
  all.non_finite_sequences =
      saturated_sum(all.non_finite_sequences, number("non_finite_sequences"));
  all.samples_max = std::max(all.samples_max, number("samples_max"));
  all.shorter = saturated_sum(all.shorter, number("shorter"));
  all.missing_max = std::max(all.missing_max, number("missing_max"));
  for (const ReportJson& each : json.at("shorter_by")) {
    std::int64_t& count = all.shorter_by[count_of(each.at(0))];
    count = saturated_sum(count, count_of(each.at(1)));
  }
}

// The errors or the warnings of all parts, without the warnings about non-finite values.
struct CountedErrors {
  std::int64_t count = 0;
  std::map<std::string, ReportJson> by_code = {};
  ReportJson first = ReportJson::array();

  void add(const ReportJson& more_count, const ReportJson& more_by_code, const ReportJson& more,
           std::int64_t limit) {
    std::int64_t kept = count_of(more_count);
    for (const auto& [code, errors] : more_by_code.items()) {
      const std::int64_t of_code = count_of(errors.at("count"));
      if (code == kNonFinite) {
        kept = std::max<std::int64_t>(0, kept - of_code);
        continue;
      }
      const auto [known, is_new] = by_code.try_emplace(code, errors);
      if (is_new) continue;
      known->second["count"] = saturated_sum(whole_of(known->second.at("count")), of_code);
    }
    count = saturated_sum(count, kept);
    for (const ReportJson& each : more) {
      if (each.at("code") != kNonFinite) add_first(each, limit);
    }
  }

  void add_first(const ReportJson& diagnostic, std::int64_t limit) {
    if (static_cast<std::int64_t>(first.size()) < limit) first.push_back(diagnostic);
  }

  void add(const Diagnostic& warning, std::int64_t limit) {
    count = saturated_sum(count, warning.count);
    const auto [known, is_new] =
        by_code.try_emplace(warning.code, ReportJson{{"count", 0},
                                                     {"first",
                                                      {{"line", warning.line},
                                                       {"column", warning.column},
                                                       {"byte_offset", warning.byte_offset}}}});
    known->second["count"] = saturated_sum(whole_of(known->second.at("count")), warning.count);
    add_first(ReportJson::parse(json_text(warning)), limit);
  }

  [[nodiscard]] ReportJson codes() const {
    ReportJson object = ReportJson::object();
    for (const auto& [code, errors] : by_code) object[code] = errors;
    return object;
  }
};

}  // namespace

Diagnostic non_finite_warning(const CheckedStream& stream) {
  Diagnostic warning = stream.first_non_finite;
  warning.severity = Severity::warning;
  warning.code = kNonFinite;
  warning.expected = "finite values";
  warning.found += formatted("; NaN and infinite values: {}, in {} of the sequences",
                             stream.non_finite, stream.non_finite_sequences);
  warning.count = stream.non_finite;
  return warning;
}

std::optional<LengthDifference> length_difference(const CheckedStream& stream,
                                                  const std::string& name) {
  if (stream.shorter == 0 || stream.samples_max < 2) return std::nullopt;
  return LengthDifference{.stream = name,
                          .sequences = stream.shorter,
                          .largest = stream.missing_max,
                          .by_size = stream.shorter_by};
}

ReportJson json_of(const CheckedPart& part) {
  ReportJson json = {{"number", part.part.number},
                     {"count", part.part.count},
                     {"source", json_of_bytes(part.source)},
                     {"limit", part.limit},
                     {"open", part.is_open},
                     {"streams", ReportJson::array()}};
  for (const CheckedStream& each : part.streams) {
    ReportJson stream = {{"non_finite", each.non_finite},
                         {"non_finite_sequences", each.non_finite_sequences}};
    if (each.non_finite > 0) stream["first_non_finite"] = json_of_diagnostic(each.first_non_finite);
    stream["samples_max"] = each.samples_max;
    stream["shorter"] = each.shorter;
    stream["missing_max"] = each.missing_max;
    stream["shorter_by"] = ReportJson::array();
    for (const auto& [size, count] : each.shorter_by) {
      stream["shorter_by"].push_back({size, count});
    }
    json["streams"].push_back(std::move(stream));
  }
  return json;
}

ReportJson merged_check(const std::vector<ReportJson>& parts) {
  ReportJson all = parts.front();
  const bool is_open = all.at("part").at("open").get<bool>();
  const std::int64_t limit = whole_of(all.at("part").at("limit"));
  all.erase("part");
  if (!is_open) return all;  // every part reports the same error of open()
  std::int64_t sequences = 0;
  std::int64_t samples = 0;
  std::int64_t holes = 0;
  CountedErrors errors;
  CountedErrors warnings;
  std::vector<CheckedStream> streams(all.at("streams").size());
  for (const ReportJson& part : parts) {
    sequences = saturated_sum(sequences, count_of(part.at("sequences")));
    samples = saturated_sum(samples, count_of(part.at("samples")));
    holes = saturated_sum(holes, count_of(part.at("holes")));
    errors.add(part.at("places"), part.at("by_code"), part.at("diagnostics"), limit);
    warnings.add(part.at("warning_places"), part.at("warnings_by_code"), part.at("warnings"),
                 limit);
    const ReportJson& of_streams = part.at("part").at("streams");
    for (std::size_t i = 0; i < of_streams.size(); ++i) add(streams.at(i), of_streams[i]);
  }
  all["sequences"] = sequences;
  all["samples"] = samples;
  all["counted_samples"] = samples;
  all["holes"] = holes;
  ReportJson differences = ReportJson::array();
  for (std::size_t i = 0; i < streams.size(); ++i) {
    if (streams[i].non_finite > 0) warnings.add(non_finite_warning(streams[i]), limit);
    if (const auto difference = length_difference(streams[i], "")) {
      ReportJson sizes = ReportJson::object();
      for (const auto& [size, count] : difference->by_size) sizes[std::to_string(size)] = count;
      differences.push_back({{"stream", all.at("streams")[i].at("name")},
                             {"sequences", difference->sequences},
                             {"largest", difference->largest},
                             {"by_size", std::move(sizes)}});
    }
  }
  all["places"] = errors.count;
  all["by_code"] = errors.codes();
  all["warning_places"] = warnings.count;
  all["warnings_by_code"] = warnings.codes();
  all["length_differences"] = std::move(differences);
  all["diagnostics"] = std::move(errors.first);
  all["warnings"] = std::move(warnings.first);
  return all;
}

}  // namespace sheaf::internal
