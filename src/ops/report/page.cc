#include "ops/report/page.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sheaf/error.h"

#include "base/text.h"
#include "base/utf8.h"
#include "ops/report/page_sections.h"
#include "ops/report/page_style.h"
#include "ops/report/page_text.h"

namespace sheaf::internal {
namespace page {
namespace {

constexpr std::size_t kEndRoom = 4096;  // for the footer and the notes about sections left out

std::string head_html(const std::string& path) {
  std::string out(kPageStart);
  out += "<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  out +=
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'; img-src data:\">\n";
  out += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  out += "<meta name=\"color-scheme\" content=\"light dark\">\n";
  out += formatted("<title>{} - sheaf report</title>\n", plain(path));
  out += "<link rel=\"icon\" href=\"data:,\">\n<style>";
  out += style_sheet();
  return out + "</style>\n</head>\n";
}

void append_fact(std::string& out, std::string_view name, const std::string& value) {
  if (!value.empty()) out += formatted("<div><dt>{}</dt><dd>{}</dd></div>", name, value);
}

std::string top_html(const Json& report, const std::string& path) {
  std::string out =
      "<body>\n<a class=\"skip\" href=\"#verdict\">Skip to the verdict</a>\n<header>\n";
  out += formatted("<p class=\"kicker\">sheaf report</p>\n<h1>{}</h1>\n", marked(path, 300));
  const Json& options = field(report, "options");
  const std::string against = text_in(options, "against");
  if (!against.empty())
    out += formatted("<p class=\"soft\">against {}</p>\n", marked(against, 300));
  const Json& values = field(options, "values");
  if (values.is_boolean() && !values.get<bool>()) {
    out += "<p class=\"soft\">Values, keys and texts of the data are hidden.</p>\n";
  }
  const Json& data = field(report, "data");
  std::string facts;
  const std::string format = text_in(report, "format");
  append_fact(facts, "format", format.empty() ? format : marked(format));
  for (const auto& [one, many] :
       {std::pair{"sequence", "sequences"}, {"sample", "samples"}, {"stream", "streams"}}) {
    const std::optional<std::int64_t> count = count_in(data, many);
    append_fact(facts, count == 1 ? one : many, shown_if(count, count_text));
  }
  append_fact(facts, "bytes", shown_if(number_in(data, "bytes"), bytes_text));
  if (!facts.empty()) out += "<dl class=\"facts\">" + facts + "</dl>\n";
  return out + "</header>\n";
}

struct MadeSection {
  const Section* section;
  std::string body;
};

std::string section_html(const MadeSection& made, bool fits) {
  const std::string_view left_out =
      "<p>This section is left out, because the page would become too large. The JSON of the "
      "report "
      "has its numbers.</p>\n";
  return formatted(
      "<section id=\"{}\" aria-labelledby=\"h-{}\">\n<h2 id=\"h-{}\">{}</h2>\n{}</section>\n",
      made.section->id, made.section->id, made.section->id, made.section->heading,
      fits ? std::string_view(made.body) : left_out);
}

// Escapes "<" and characters that change the writing direction. In JSON, these occur only in texts.
// As an escape, "<" neither begins nor ends an element. The direction characters would mislead
// readers of the source.
std::string quoted_json(std::string_view json) {
  std::string out;
  while (!json.empty()) {
    const std::size_t size = utf8_size(json);
    const std::string_view character = json.substr(0, size == 0 ? 1 : size);
    const std::uint32_t code = size == 0 ? 0xFFFD : code_point(character);
    const bool is_coded = character == "<" || size == 0 || (code >= 0x7F && !is_shown(code));
    if (is_coded) {
      out += formatted("\\u{:04x}", code);
    } else {
      out += character;
    }
    json.remove_prefix(character.size());
  }
  return out;
}

std::string footer_html(std::string_view json, std::size_t room) {
  const std::string twin = quoted_json(json);
  if (twin.size() > room) {
    return "<footer><p>Made by sheaf report. The JSON of the report is too large for this page; "
           "<code>sheaf report --json</code> writes it.</p></footer>\n";
  }
  return "<footer><p>Made by sheaf report. This page also carries its numbers as JSON, in the "
         "element <code>report</code>.</p></footer>\n"
         "<script type=\"application/json\" id=\"report\">" +
         twin + "</script>\n";
}

}  // namespace
}  // namespace page

std::string page_of(std::string_view json) {
  const page::Json report = page::Json::parse(json, nullptr, false);
  if (!report.is_object()) throw ConfigError("the JSON of a report is no object");
  const std::string path = page::text_in(report, "path");
  std::vector<page::MadeSection> made;
  std::string links;
  for (const page::Section& each : page::kSections) {
    std::string body = each.body(report);
    if (body.empty()) continue;
    links += formatted("<li><a href=\"#{}\">{}</a></li>\n", each.id, each.heading);
    made.push_back({&each, std::move(body)});
  }
  std::string out = page::head_html(path) + page::top_html(report, path) +
                    "<div class=\"frame\">\n<nav aria-label=\"Sections\"><ul>\n" + links +
                    "</ul></nav>\n<main>\n";
  for (const page::MadeSection& each : made) {
    const bool fits = out.size() + each.body.size() + page::kEndRoom < kPageBytesMax;
    out += page::section_html(each, fits);
  }
  out += "</main>\n</div>\n";
  return out + page::footer_html(json, kPageBytesMax - out.size() - 512) + "</body>\n</html>\n";
}

bool is_page(std::string_view bytes) noexcept { return bytes.starts_with(kPageStart); }

}  // namespace sheaf::internal
