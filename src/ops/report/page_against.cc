// The section that compares the data with other data, such as a test set.

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/text.h"
#include "ops/report/page_sections.h"
#include "ops/report/page_table.h"
#include "ops/report/page_text.h"

namespace sheaf::internal::page {
namespace {

constexpr std::size_t kAgainstRowsMax = 40;

// Counts leaks in sequences of this data set.
std::string leaks_html(const Json& report, const Json& leaks) {
  if (!leaks.is_object()) return {};
  const std::int64_t same = count_in(leaks, "same").value_or(0);
  const std::int64_t same_input = count_in(leaks, "same_input").value_or(0);
  std::string out = "<h3>Leaks</h3>\n";
  if (same + same_input == 0) {
    out += paragraph("No sequence of these data is in the other data.");
  } else {
    out += paragraph(formatted(
        "{} in the other data, too. {} the input of a sequence there. A model that trained on "
        "these data has seen the answers, so its score on the other data is too good. Take the "
        "sequences out of one of the two.",
        counted(same, "sequence is", "sequences are"),
        counted(same_input, "sequence has", "sequences have")));
  }
  out += coverage_html({{"looked_at", field(leaks, "looked_at")},
                        {"sequences", field(field(report, "data"), "sequences")}},
                       "sheaf compared");
  Table table("Examples of leaks", {{"Key here"}, {"Key in the other data"}});
  for (const Json& each : list_in(leaks, "examples")) {
    if (table.row_count() == kAgainstRowsMax) break;
    table.add({marked(text_in(each, "key")), marked(text_in(each, "other_key"))});
  }
  return out + table.html();
}

std::string unseen_ids(const Json& against) {
  Table table("Ids that these data do not have", {{"Stream"},
                                                  {"Unseen ids", CellKind::number},
                                                  {"Samples with one", CellKind::number},
                                                  {"Examples"}});
  for (const Json& each : list_in(against, "unseen")) {
    if (table.row_count() == kAgainstRowsMax) break;
    std::string examples;
    for (const Json& id : list_in(each, "examples")) {
      examples += (examples.empty() ? "" : ", ") + value_html(id);
    }
    table.add({marked(text_in(each, "stream")), shown_if(count_in(each, "ids"), count_text),
               shown_if(count_in(each, "samples"), count_text), examples});
  }
  if (table.row_count() == 0) return {};
  return "<h3>Unseen ids</h3>\n" +
         paragraph(
             "The other data have these ids and these data do not, so a model cannot have "
             "learned them here.") +
         table.html();
}

}  // namespace

std::string against_body(const Json& report) {
  const Json& against = field(report, "against");
  if (!against.is_object()) return {};
  std::string other = marked(text_in(against, "path"));
  if (const auto sequences = count_in(against, "sequences")) {
    other += ", which has " + counted(*sequences, "sequence", "sequences");
  }
  std::string out = paragraph(formatted(
      "The other data are {}. A test set should have the values and classes of the training set, "
      "and none of its sequences.",
      other));
  out += leaks_html(report, field(against, "leaks"));
  const std::string drift = drift_table(against, "Drift between the two");
  if (!drift.empty()) {
    out += "<h3>Drift</h3>\n" +
           paragraph("0 means that both look alike, 1 that they have nothing in common.") + drift;
  }
  return out + unseen_ids(against);
}

}  // namespace sheaf::internal::page
