// Reports as JSON, written by hand, from which tests make pages.

#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "ops/report/section_examples.h"

namespace sheaf::testing {

inline ReportJson example_sequences() {
  const auto features = [](int samples) {
    return ReportJson{{"name", "features"},
                      {"samples", samples},
                      {"heat",
                       {{"rows", samples},
                        {"columns", 40},
                        {"low", -3.25},
                        {"high", 7.5},
                        {"levels", base64_of(wave_levels(samples, 40))}}}};
  };
  ReportJson curve = {{"name", "weight"}, {"samples", 120}};
  for (int i = 0; i < 120; ++i) curve["line"].push_back(std::sin(i * 0.11) * std::exp(-i * 0.02));
  ReportJson words = {{"name", "words"}, {"samples", 3}};
  words["more"] = 1200;
  words["ids"] = ReportJson::array({{17, 1}, {204, 1}, {49999, 12}, {3, 2.5}, {811, 1}});
  std::vector<std::byte> pixels;
  for (int y = 0; y < 48; ++y) {
    for (int x = 0; x < 64; ++x) {
      pixels.push_back(static_cast<std::byte>(x * 4));
      pixels.push_back(static_cast<std::byte>(y * 5));
      pixels.push_back(static_cast<std::byte>((x / 8 + y / 8) % 2 == 0 ? 90 : 200));
    }
  }
  const ReportJson picture = {
      {"name", "picture"},
      {"bytes", 48213},
      {"samples", 1},
      {"image", {{"width", 64}, {"height", 48}, {"channels", 3}, {"pixels", base64_of(pixels)}}}};
  const ReportJson caption = {
      {"name", "caption"}, {"samples", 1}, {"text", "A cat on a mat,\nseen from above."}};
  return ReportJson::array({{{"why", "the first"},
                             {"key", "utt-0001"},
                             {"sequence", 0},
                             {"samples", 60},
                             {"streams", {features(60), words}}},
                            {{"why", "the longest"},
                             {"key", "utt-0448"},
                             {"sequence", 448},
                             {"samples", 120},
                             {"streams", {features(120), curve}}},
                            {{"why", "the largest value"},
                             {"key", "utt-0907"},
                             {"sequence", 907},
                             {"samples", 1},
                             {"streams", {features(1), picture, caption}}}});
}

inline ReportJson example_against() {
  ReportJson against = {{"path", "valid.ctf"}, {"sequences", 200}};
  against["leaks"] = {{"looked_at", 1012},
                      {"same", 4},
                      {"same_input", 5},
                      {"examples",
                       {{{"key", "utt-0012"}, {"other_key", "val-0001"}},
                        {{"key", "utt-0400"}, {"other_key", "val-0077"}}}}};
  against["drift"] = ReportJson::array({{{"what", "values of features"}, {"size", 0.31}},
                                        {{"what", "classes of labels"}, {"size", 0.1}},
                                        {{"what", "length"}, {"size", 0.02}}});
  against["unseen"] = ReportJson::array(
      {{{"stream", "words"}, {"ids", 3}, {"samples", 12}, {"examples", {7, 8, 40411}}}});
  return against;
}

/// Returns a report with every section and every field.
inline ReportJson full_report() {
  ReportJson report = {{"path", "speech/train.ctf"}, {"format", "ctf"}};
  report["options"] = {{"values", true}, {"against", "valid.ctf"}};
  const auto finding = [](const char* level, const char* section, const char* text,
                          const char* advice) {
    return ReportJson{{"level", level}, {"section", section}, {"text", text}, {"advice", advice}};
  };
  report["verdict"] = ReportJson::array(
      {finding("error", "data", "2 sequences have wrong places.",
               "Run sheaf check speech/train.ctf, and mend them."),
       finding("error", "against", "4 sequences of valid.ctf are in these data, too.",
               "Take them out of one of the two."),
       finding("warning", "order", "The file is sorted by class: a run of 112 sequences.",
               "Read with order=\"keyed\"."),
       finding("warning", "streams", "features has 3 values that are not finite.",
               "Look at the sequences, or leave them out."),
       finding("notice", "lengths", "Padding takes 60 % of a minibatch of 64 sequences.",
               "Read with batching=\"bucketed\"."),
       finding("good", "keys", "No key occurs twice.", "")});
  report["data"] = {{"sequences", 1012},  {"holes", 2},          {"samples", 51234},
                    {"streams", 4},       {"bytes", 18'345'678}, {"error_places", 2},
                    {"warning_places", 1}};
  report["data"]["diagnostics"] = ReportJson::array(
      {{{"severity", "error"},
        {"path", "speech/train.ctf"},
        {"line", 1042},
        {"column", 19},
        {"byte_offset", 88213},
        {"code", "not_a_number"},
        {"message", "stream \"features\": expected a number, found \"1.2.3\" (sequence 318)"}},
       {{"severity", "error"},
        {"path", "speech/train.ctf"},
        {"line", 7001},
        {"column", 1},
        {"byte_offset", 612001},
        {"code", "too_few_values"},
        {"message", "stream \"features\": expected 40 values, found 39"}},
       {{"severity", "warning"},
        {"path", "speech/train.ctf"},
        {"line", 0},
        {"column", 0},
        {"byte_offset", 18'345'677},
        {"code", "no_line_end"},
        {"message", "the last line has no end"},
        {"hint", "is the file complete?"}}});
  report["streams"] = example_streams();
  report["lengths"] = example_lengths();
  report["order"] = example_order();
  ReportJson labels = {{"stream", "labels"}, {"classes", 10}, {"seen", 9}};
  labels["counts"] = ReportJson::array(
      {{0, 301}, {3, 180}, {1, 122}, {2, 111}, {5, 90}, {4, 80}, {8, 61}, {6, 40}, {7, 27}});
  labels["names"] =
      ReportJson::array({"zero", "three", "one", "two", "five", "four", "eight", "six", "seven"});
  labels["rest"] = 0;
  labels["unseen"] = ReportJson::array({9});
  labels["entropy_bits"] = 2.8131;
  labels["largest_share"] = 0.2974;
  labels["per_sample"] = {{"min", 1}, {"max", 1}, {"mean", 1}};
  ReportJson words = {{"stream", "words"}, {"classes", 50000},    {"label", false},
                      {"seen", 31877},     {"is_estimate", true}, {"rest", 90011}};
  words["counts"] = ReportJson::array({{17, 31002}, {3, 21001}, {204, 12002}, {811, 9933}});
  words["unseen"] = ReportJson::array({0, 12, 77, 2001, 31000});
  words["entropy_bits"] = 10.2;
  words["largest_share"] = 0.189;
  words["per_sample"] = {{"min", 1}, {"max", 12}, {"mean", 3.2}};
  report["labels"] = ReportJson::array({labels, words});
  report["duplicates"] = {{"looked_at", 1000}, {"sequences", 1012}, {"same", 3}, {"conflicts", 1}};
  const auto entry = [](const char* key, int line) {
    return ReportJson{{"key", key}, {"path", "speech/train.ctf"}, {"line", line}};
  };
  report["duplicates"]["labels"] = ReportJson::array({"labels"});
  report["duplicates"]["examples"] =
      ReportJson::array({{{"first", entry("utt-0012", 601)}, {"second", entry("utt-0044", 2019)}},
                         {{"first", entry("utt-0100", 5001)},
                          {"second", entry("utt-0101", 5032)},
                          {"differs", ReportJson::array({"labels"})}}});
  report["keys"] = {{"kind", "texts"},
                    {"repeats", 0},
                    {"looked_at", 1000},
                    {"first", "utt-0001"},
                    {"last", "utt-1012"}};
  report["keys"]["joined"] =
      ReportJson::array({{{"path", "labels.mlf"}, {"sequences", 1015}, {"left_out", 3}}});
  report["sequences"] = example_sequences();
  report["storage"] = {{"bytes", 18'345'678},
                       {"chunks", 3},
                       {"bytes_per_sample", 358.07},
                       {"as_sheaf", {{"bytes", 6'501'224}}}};
  report["storage"]["notes"] = ReportJson::array({{{"stream", "features"},
                                                   {"array", "values"},
                                                   {"codec", "shuffle+zstd"},
                                                   {"arrays", 3},
                                                   {"content_bytes", 8'197'440},
                                                   {"stored_bytes", 6'120'331}}});
  report["against"] = example_against();
  return report;
}

/// Returns a report with few fields, like the report of an empty file.
inline ReportJson small_report() {
  return {{"path", "empty.ctf"},
          {"format", "ctf"},
          {"verdict", ReportJson::array()},
          {"data", {{"sequences", 0}, {"samples", 0}, {"bytes", 0}}}};
}

/// Returns a text that would do harm if a page showed it unescaped.
inline std::string hostile_text() {
  return "</script><script>alert(1)</script>\"onload='alert(2)' ]]> --> <img src=x "
         "onerror=alert(3)>"
         "&lt; \xE2\x80\xAE\xE2\x80\xA8 \x01 end";
}

/// Replaces every text of a report and the names of streams, but not the words that sheaf chooses.
inline ReportJson with_texts(const ReportJson& json, const std::string& text,
                             const std::string& name = {}) {
  const bool is_word = name == "level" || name == "section" || name == "kind" || name == "levels" ||
                       name == "pixels";
  if (json.is_string()) return is_word ? json : ReportJson(text);
  ReportJson copy = json;
  if (json.is_object()) {
    copy = ReportJson::object();
    const bool has_names = name == "means" || name == "classes";
    for (const auto& [key, value] : json.items()) {
      copy[has_names ? text : key] = with_texts(value, text, key);
    }
  } else if (json.is_array()) {
    for (ReportJson& each : copy) each = with_texts(each, text, name);
  }
  return copy;
}

/// Returns the full report, with texts that attack the page.
inline ReportJson hostile_report() { return with_texts(full_report(), hostile_text()); }

}  // namespace sheaf::testing
