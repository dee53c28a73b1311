// The sections about duplicates and keys.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/text.h"
#include "ops/report/page_sections.h"
#include "ops/report/page_table.h"
#include "ops/report/page_text.h"

namespace sheaf::internal::page {
namespace {

constexpr std::size_t kCopyRowsMax = 40;

std::string copy_location(const Json& sequence) {
  std::string out = marked(text_in(sequence, "key"));
  const std::string path = text_in(sequence, "path");
  if (path.empty()) return out;
  out += " <span class=\"soft\">" + marked(path);
  if (const auto line = count_in(sequence, "line")) out += formatted(":{}", *line);
  return out + "</span>";
}

// Joins the names in a list, such as "labels, words".
std::string names_of(const Json& from, const char* list) {
  std::string out;
  for (const Json& each : list_in(from, list)) {
    out += (out.empty() ? "" : ", ") + value_html(each);
  }
  return out;
}

std::string keys_summary(const Json& keys, const std::string& kind) {
  std::string out = kind == "numbers" ? "The keys are numbers" : "The keys are texts";
  const std::string first = text_in(keys, "first");
  if (!first.empty()) {
    out += formatted(", from {} to {}", marked(first), marked(text_in(keys, "last")));
  }
  out += field(keys, "rising") == false ? ", and do not rise from sequence to sequence. " : ". ";
  out += "A key joins a sequence with the sequence of the same key in another file. ";
  const std::int64_t repeats = count_in(keys, "repeats").value_or(0);
  if (repeats > 0) {
    out += formatted("{} the key of an earlier one, so a join cannot tell them apart. ",
                     counted(repeats, "sequence has", "sequences have"));
  } else if (field(keys, "repeats").is_number()) {
    out += "No key occurs twice. ";
  }
  const std::int64_t gaps = count_in(keys, "gaps").value_or(0);
  if (gaps > 0) out += counted(gaps, "number is", "numbers are") + " missing between the keys.";
  return out;
}

}  // namespace

std::string duplicates_body(const Json& report) {
  const Json& duplicates = field(report, "duplicates");
  if (!duplicates.is_object()) return {};
  const std::int64_t same = count_in(duplicates, "same").value_or(0);
  const std::int64_t conflicts = count_in(duplicates, "conflicts").value_or(0);
  std::string out;
  if (same + conflicts == 0) {
    out = paragraph("No sequence equals another one.");
  } else {
    std::string text = formatted("{} an earlier one in every stream. ",
                                 counted(same, "sequence equals", "sequences equal"));
    if (conflicts > 0) {
      text +=
          formatted("{} with different labels. ", counted(conflicts, "input comes", "inputs come"));
    }
    out = paragraph(text +
                    "Duplicates count more than once in training. Look at the examples, and "
                    "remove the copies or mend the labels.");
  }
  if (const std::string labels = names_of(duplicates, "labels"); !labels.empty()) {
    out += paragraph("sheaf takes these streams for labels: " + labels + ".");
  }
  out += coverage_html(duplicates, "sheaf compared");
  Table table("Examples of duplicates", {{"First"}, {"Second"}, {"What differs"}});
  for (const Json& each : list_in(duplicates, "examples")) {
    if (table.row_count() == kCopyRowsMax) break;
    const std::string differing = names_of(each, "differs");
    table.add({copy_location(field(each, "first")), copy_location(field(each, "second")),
               differing.empty() ? "nothing" : differing});
  }
  return out + table.html();
}

std::string keys_body(const Json& report) {
  const Json& keys = field(report, "keys");
  if (!keys.is_object()) return {};
  const std::string kind = text_in(keys, "kind");
  std::string out;
  if (kind == "none") {
    out = paragraph("The data have no keys. sheaf numbers the sequences from 0.");
  } else {
    out = paragraph(keys_summary(keys, kind)) +
          coverage_html({{"looked_at", field(keys, "looked_at")},
                         {"sequences", field(field(report, "data"), "sequences")}},
                        "sheaf compared the keys of");
  }
  Table table("Joined data", {{"Joined data"},
                              {"Sequences", CellKind::number},
                              {"Left out by the join", CellKind::number}});
  for (const Json& each : list_in(keys, "joined")) {
    if (table.row_count() == kCopyRowsMax) break;
    table.add({marked(text_in(each, "path")), shown_if(count_in(each, "sequences"), count_text),
               shown_if(count_in(each, "left_out"), count_text)});
  }
  return out + table.html();
}

}  // namespace sheaf::internal::page
