// Writes the output of `sheaf check --json`.

#include <string>
#include <string_view>

#include "sheaf/check.h"
#include "sheaf/extend/json.h"

#include "base/text.h"
#include "ops/check_parts.h"

namespace sheaf {
namespace {

template <typename T, typename F>
void append_json_list(std::string& out, const T& items, F&& append) {
  std::string_view separator;
  for (const auto& item : items) {
    out += separator;
    append(item);
    separator = ",";
  }
}

void append_json_kinds(std::string& out, const CheckedErrors& errors) {
  out += '{';
  append_json_list(out, errors.by_code, [&out](const auto& code_and_kind) {
    const auto& [code, kind] = code_and_kind;
    out += json_text(code);
    out += formatted(":{{\"count\":{},\"first\":{{\"line\":{},\"column\":{},\"byte_offset\":{}}}}}",
                     kind.count, kind.first.line, kind.first.column, kind.first.byte_offset);
  });
  out += '}';
}

void append_json_shape(std::string& out, const Stream& stream) {
  append_json_list(out, stream.sample_shape.extents(),
                   [&out](std::int64_t extent) { out += std::to_string(extent); });
}

}  // namespace

std::string to_json(const CheckReport& report, std::string_view path) {
  std::string out = "{\"path\":";
  out += json_text(path);
  out += formatted(
      ",\"sequences\":{},\"samples\":{},\"counted_samples\":{},\"holes\":{},\"places\":{"
      "},\"by_code\":",
      report.sequences, report.samples, report.samples, report.holes, report.errors.count);
  append_json_kinds(out, report.errors);
  out += formatted(",\"warning_places\":{},\"warnings_by_code\":", report.warnings.count);
  append_json_kinds(out, report.warnings);
  out += ",\"streams\":[";
  append_json_list(out, report.streams, [&out](const Stream& stream) {
    out += "{\"name\":";
    out += json_text(stream.name);
    out += formatted(",\"storage\":\"{}\",\"element_type\":\"{}\",\"shape\":[",
                     to_string(stream.storage), to_string(stream.element_type));
    append_json_shape(out, stream);
    out += "]}";
  });
  out += "],\"length_differences\":[";
  append_json_list(out, report.length_differences, [&out](const LengthDifference& each) {
    out += "{\"stream\":";
    out += json_text(each.stream);
    out +=
        formatted(",\"sequences\":{},\"largest\":{},\"by_size\":{{", each.sequences, each.largest);
    append_json_list(out, each.by_size, [&out](const auto& size_and_count) {
      out += formatted("\"{}\":{}", size_and_count.first, size_and_count.second);
    });
    out += "}}";
  });
  const auto append_one = [&out](const Diagnostic& each) { out += json_text(each); };
  out += "],\"diagnostics\":[";
  append_json_list(out, report.errors.first, append_one);
  out += "],\"warnings\":[";
  append_json_list(out, report.warnings.first, append_one);
  out += ']';
  if (report.part) out += ",\"part\":" + internal::json_of(*report.part).dump();
  out += "}\n";
  return out;
}

}  // namespace sheaf
