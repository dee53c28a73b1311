#include "ops/report/verdict.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "base/text.h"
#include "ops/report/page_text.h"

namespace sheaf::internal {
namespace {

// Thresholds from which a share is worth a finding.
constexpr double kPaddingMin = 0.25;   // of a minibatch in random order
constexpr double kDriftMin = 0.2;      // between slices, or from other data
constexpr double kLargestClass = 0.5;  // of all labels
constexpr double kNoiseMax = 1.3;      // of minibatches; 1 is the noise of a full shuffle
constexpr double kUnequalWorkers = 1.1;
constexpr double kManyDuplicates = 0.01;
constexpr double kLongTail = 10;  // the longest sequence, divided by the 99th percentile

std::string number_of(std::int64_t count, const std::string& noun) {
  return page::counted(count, noun, noun + "s");
}

std::string percent(double share) {
  return share > 0 && share < 0.01 ? formatted("{:.1f} %", 100 * share)
                                   : formatted("{:.0f} %", 100 * share);
}

std::int64_t whole(const Json& object, const char* name) {
  return object.value(name, std::int64_t{0});
}

std::string count_of(const Json& object, const char* name) {
  return page::count_text(whole(object, name));
}

double number(const Json& object, const char* name) { return object.value(name, 0.0); }

// Quotes a name in the data for a sentence.
std::string named(const Json& object, const char* name) {
  return formatted("\"{}\"", object[name].get<std::string>());
}

// Returns a section, or an empty object if the section is missing.
const Json& part_of(const Json& object, const char* name) {
  static const Json nothing = Json::object();
  const auto found = object.find(name);
  return found != object.end() ? *found : nothing;
}

// Describes how the order `keyed` would mix data that are not shuffled.
std::string keyed_advice(const Json& keyed) {
  const Json& workers = part_of(keyed, "workers");
  if (workers.empty() || !workers.front().contains("noise")) {
    return "Read the data with order=keyed, or shuffle the file.";
  }
  const double noise = number(workers.front(), "noise");
  std::string text = formatted(
      "Read the data with order=keyed, which mixes minibatches of {} with a noise of {:.2f} (1 is "
      "a full shuffle).",
      number_of(whole(keyed, "minibatch_sequences"), "sequence"), noise);
  if (noise > kNoiseMax) text += " A larger window mixes better: see sheaf order.";
  return text;
}

/// Collects findings.
class Verdict {
 public:
  explicit Verdict(const Json& report) : report_(report) {}

  std::vector<Finding> take() {
    add_data();
    add_streams();
    add_lengths();
    add_order();
    add_labels();
    add_duplicates();
    add_keys();
    if (report_.contains("against")) add_against();
    std::ranges::stable_sort(findings_, {}, &Finding::level);
    return std::move(findings_);
  }

 private:
  void add(FindingLevel level, std::string section, std::string text, std::string advice = {}) {
    findings_.push_back({level, std::move(section), std::move(text), std::move(advice)});
  }

  void add_good(const std::string& section, std::string text) {
    const bool is_good = std::ranges::none_of(findings_, [&](const Finding& each) {
      return each.section == section && each.level <= FindingLevel::warning;
    });
    if (is_good) add(FindingLevel::good, section, std::move(text));
  }

  void add_data() {
    const Json& data = report_["data"];
    const std::int64_t errors = whole(data, "error_places");
    if (data.contains("is_cut")) {
      add(FindingLevel::error, "data", "The data cannot be read to their end.",
          "The last description says where reading stopped. The report describes the data before "
          "this place.");
    }
    if (errors > 0) {
      add(FindingLevel::error, "data",
          formatted("The data have {}, and {} left out.", number_of(errors, "wrong place"),
                    whole(data, "holes") == 1
                        ? "1 sequence is"
                        : number_of(whole(data, "holes"), "sequence") + " are"),
          "Run sheaf check, and mend the places.");
    }
    if (whole(data, "sequences") == 0) {
      add(FindingLevel::error, "data", "The data have no good sequence.");
    }
    if (whole(data, "warning_places") > 0) {
      add(FindingLevel::notice, "data",
          formatted("The data have {}.", number_of(whole(data, "warning_places"), "warning")),
          "Run sheaf check to see all warnings.");
    }
    add_good("data",
             formatted("All {} can be read.", number_of(whole(data, "sequences"), "sequence")));
  }

  void add_streams() {
    for (const Json& stream : report_["streams"]) {
      const std::string name = named(stream, "name");
      const Json& values = part_of(stream, "values");
      if (const std::int64_t count = whole(values, "non_finite"); count > 0) {
        add(FindingLevel::warning, "streams",
            formatted("Stream {} has {} that {} NaN or infinite.", name, number_of(count, "value"),
                      count == 1 ? "is" : "are"),
            "A loss of such values is NaN. Run sheaf check to find the first place.");
      }
      const std::int64_t finite = whole(values, "count") - whole(values, "non_finite");
      if (finite > 1 && values.contains("deviation") && number(values, "deviation") == 0 &&
          stream["kind"] == "dense") {
        add(FindingLevel::warning, "streams", formatted("All values of stream {} are equal.", name),
            "A model learns nothing from such a stream. Check how the file was made.");
      } else if (const Json& dims = part_of(stream, "dims"); whole(dims, "constant") > 0) {
        add(FindingLevel::notice, "streams",
            formatted("{} of the {} values of a sample never change in stream {}.",
                      count_of(dims, "constant"), count_of(dims, "count"), name),
            "Drop these values. To divide them by their deviation, which is 0, makes NaN.");
      }
      if (const std::int64_t absent = whole(stream, "absent"); absent > 0) {
        add(FindingLevel::notice, "streams",
            formatted("Stream {} is absent from {}.", name, number_of(absent, "sequence")));
      }
    }
  }

  void add_lengths() {
    const Json& lengths = report_["lengths"];
    if (whole(lengths, "count") == 0) return;
    if (whole(lengths, "min") == 0) {
      add(FindingLevel::notice, "lengths", "Some sequences have no sample.",
          "Check whether such sequences are meant.");
    }
    for (const Json& each : lengths["padding"]) {
      if (each["sequences"] != 32 || number(each, "random") < kPaddingMin) continue;
      add(FindingLevel::warning, "lengths",
          formatted("Padding fills {} of a minibatch of 32 sequences in random order.",
                    percent(number(each, "random"))),
          formatted("With batching=bucketed, padding fills about {}. With packing=packed, there is "
                    "hardly any.",
                    percent(number(each, "buckets"))));
    }
    const std::int64_t long_ones = whole(lengths["quantiles"].back(), "length");
    if (static_cast<double>(whole(lengths, "max")) >
        kLongTail * static_cast<double>(std::max<std::int64_t>(1, long_ones))) {
      add(FindingLevel::notice, "lengths",
          formatted("The longest sequence has {} samples, and 99 % of the sequences have at most "
                    "{}.",
                    count_of(lengths, "max"), page::count_text(long_ones)),
          "One long sequence decides how much memory a minibatch takes. Look at this sequence.");
    }
    add_good("lengths", "The lengths of the sequences cause little padding.");
  }

  void add_order() {
    const Json& order = report_["order"];
    for (const Json& each : order["drift"]) {
      if (number(each, "size") < kDriftMin) continue;
      const std::string what = each["what"].get<std::string>();
      const bool are_classes = what.starts_with("classes of ");
      add(are_classes ? FindingLevel::warning : FindingLevel::notice, "order",
          formatted("The data are not shuffled: the {} differ{} along the data (drift {:.2f}).",
                    what, what == "length" ? "s" : "", number(each, "size")),
          keyed_advice(part_of(order, "keyed")));
    }
    for (const Json& each : part_of(order, "workers")) {
      if (each["workers"] != 8 || number(each, "largest") < kUnequalWorkers) continue;
      add(FindingLevel::notice, "order",
          formatted("With order=file, one of 8 workers gets {:.2f} times its share of the samples.",
                    number(each, "largest")),
          "order=keyed divides the samples evenly.");
    }
    if (order["slices"].size() > 1) add_good("order", "The order of the data looks shuffled.");
  }

  void add_labels() {
    for (const Json& each : report_["labels"]) {
      if (!each["label"].get<bool>()) continue;
      const std::string name = named(each, "stream");
      const std::int64_t classes = whole(each, "classes");
      const std::int64_t unseen = classes - whole(each, "seen");
      if (unseen > 0) {
        add(FindingLevel::notice, "labels",
            formatted("{} of the {} classes of stream {} never occur{}.", page::count_text(unseen),
                      page::count_text(classes), name, unseen == 1 ? "s" : ""),
            "A model cannot learn classes without examples.");
      }
      const double largest = number(each, "largest_share");
      if (classes > 1 && largest > kLargestClass && whole(each, "seen") > 2) {
        add(FindingLevel::notice, "labels",
            formatted("One class has {} of the labels of stream {}.", percent(largest), name),
            formatted("A model that always answers this class is right in {} of the cases. Compare "
                      "the accuracy with this number.",
                      percent(largest)));
      }
    }
  }

  void add_duplicates() {
    const Json& section = report_["duplicates"];
    const std::int64_t looked_at = whole(section, "looked_at");
    if (looked_at == 0) return;
    const std::string among =
        looked_at < whole(section, "sequences")
            ? formatted("Of {} that were compared, ", number_of(looked_at, "sequence"))
            : std::string{};
    if (const std::int64_t same = whole(section, "same"); same > 0) {
      const double share = static_cast<double>(same) / static_cast<double>(looked_at);
      add(share > kManyDuplicates ? FindingLevel::warning : FindingLevel::notice, "duplicates",
          formatted("{}{} ({}) {} an earlier sequence.", among, number_of(same, "sequence"),
                    percent(share), same == 1 ? "repeats" : "repeat"),
          "Sequences that come again count more than others. Before data are divided into "
          "training and test, drop the copies.");
    }
    if (const std::int64_t conflicts = whole(section, "conflicts"); conflicts > 0) {
      add(FindingLevel::warning, "duplicates",
          formatted("{}{} {} with different labels.", among, number_of(conflicts, "input"),
                    conflicts == 1 ? "comes" : "come"),
          "No model can get all of these labels right. Check how the labels were made.");
    }
    add_good("duplicates",
             among.empty() ? "Few or no sequences come again." : among + "few or none come again.");
  }

  void add_keys() {
    const Json& keys = report_["keys"];
    if (const std::int64_t repeats = whole(keys, "repeats"); repeats > 0) {
      add(FindingLevel::notice, "keys",
          formatted("{} the key of an earlier sequence.",
                    number_of(repeats, "sequence") + (repeats == 1 ? " has" : " have")),
          "Such data cannot be joined with others by key.");
    }
    for (const Json& each : part_of(keys, "joined")) {
      const std::int64_t left_out = whole(each, "left_out");
      if (left_out == 0) continue;
      add(FindingLevel::warning, "keys",
          formatted("The join leaves out {} of the {} of {}.", page::count_text(left_out),
                    number_of(whole(each, "sequences"), "sequence"), named(each, "path")),
          "Check whether the keys of the files are spelled alike.");
    }
  }

  void add_against() {
    const Json& against = report_["against"];
    const Json& leaks = against["leaks"];
    const std::string path = named(against, "path");
    const std::int64_t same = whole(leaks, "same");
    const std::int64_t same_input = whole(leaks, "same_input");
    if (whole(against, "error_places") > 0) {
      add(FindingLevel::error, "against",
          formatted("{} has {}.", path, number_of(whole(against, "error_places"), "wrong place")),
          "Run sheaf check on this file, too.");
    }
    if (same > 0) {
      add(FindingLevel::error, "against",
          formatted("{} of the data {} in {}, too.", number_of(same, "sequence"),
                    same == 1 ? "is" : "are", path),
          "A test on sequences that a model was trained on says nothing. Drop these sequences from "
          "one of the two.");
    }
    if (same_input > same) {
      add(FindingLevel::warning, "against",
          formatted("{} of the data {} an input that is in {} with another label.",
                    number_of(same_input - same, "more sequence"),
                    same_input - same == 1 ? "has" : "have", path),
          "Check how the labels were made.");
    }
    for (const Json& each : against["drift"]) {
      if (number(each, "size") < kDriftMin) continue;
      const std::string what = each["what"].get<std::string>();
      add(FindingLevel::warning, "against",
          formatted("The {} differ{} from {} (drift {:.2f}).", what, what == "length" ? "s" : "",
                    path, number(each, "size")),
          "A result on one of the two may not hold for the other.");
    }
    for (const Json& each : part_of(against, "unseen")) {
      add(FindingLevel::warning, "against",
          formatted("{} of stream {} {} in {} alone.", number_of(whole(each, "ids"), "id"),
                    named(each, "stream"), whole(each, "ids") == 1 ? "is" : "are", path),
          "A model that was trained on the data does not know these ids.");
    }
    add_good("against", formatted("No sequence is in {}, too, and the two are alike.", path));
  }

  const Json& report_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> verdict_of(const Json& report) { return Verdict(report).take(); }

Json verdict_json(const std::vector<Finding>& findings) {
  Json list = Json::array();
  for (const Finding& each : findings) {
    Json json = {{"level", to_string(each.level)}, {"section", each.section}, {"text", each.text}};
    if (!each.advice.empty()) json["advice"] = each.advice;
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace sheaf::internal
