// Sections of reports as JSON, written by hand: streams, lengths and order.

#pragma once

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/base64.h"

namespace sheaf::testing {

using ReportJson = nlohmann::ordered_json;

/// Returns the bytes of a picture as base64.
inline std::string base64_of(const std::vector<std::byte>& bytes) {
  std::string text;
  internal::append_base64(bytes, text);
  return text;
}

/// Returns a wave over rows and columns, as levels of a heat map.
inline std::vector<std::byte> wave_levels(int rows, int columns) {
  std::vector<std::byte> levels;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const double level =
          127 + 90 * std::sin(row * 0.23 + column * 0.05) * std::cos(column * 0.21) + column % 37;
      levels.push_back(static_cast<std::byte>(static_cast<int>(level)));
    }
  }
  return levels;
}

/// Returns bins in the shape of a bell.
inline ReportJson bell_bins(int bins, double low, double high) {
  ReportJson list = ReportJson::array();
  const double width = (high - low) / bins;
  for (int i = 0; i < bins; ++i) {
    const double x = (i + 0.5) / bins * 6 - 3;
    list.push_back({{"from", low + i * width},
                    {"to", low + (i + 1) * width},
                    {"count", static_cast<int>(9000 * std::exp(-x * x / 2))}});
  }
  return list;
}

inline ReportJson example_streams() {
  ReportJson features = {{"name", "features"},
                         {"kind", "dense"},
                         {"type", "f32"},
                         {"shape", {40}},
                         {"samples", 51234},
                         {"absent", 0},
                         {"values",
                          {{"count", 2049360},
                           {"zeros", 1204},
                           {"non_finite", 3},
                           {"min", -18.42},
                           {"max", 21.0625},
                           {"mean", 0.01327},
                           {"deviation", 4.2017}}}};
  features["histogram"] = bell_bins(48, -18.5, 21.1);
  features["dims"] = {
      {"count", 40}, {"constant", 1}, {"always_zero", 1}, {"examples", ReportJson::array({39})}};
  ReportJson words = {{"name", "words"},
                      {"kind", "sparse"},
                      {"type", "f32"},
                      {"shape", {50000}},
                      {"samples", 51234},
                      {"absent", 2},
                      {"values",
                       {{"count", 163949},
                        {"zeros", 0},
                        {"non_finite", 0},
                        {"min", 1},
                        {"max", 12},
                        {"mean", 1.31},
                        {"deviation", 0.9}}}};
  words["density"] = {{"per_sample", 3.2}, {"share", 0.000064}};
  words["histogram"] = ReportJson::array({{{"from", 1}, {"to", 1}, {"count", 120400}},
                                          {{"from", 2}, {"to", 2}, {"count", 31200}},
                                          {{"from", 3}, {"to", 4}, {"count", 9000}},
                                          {{"from", 5}, {"to", 12}, {"count", 349}}});
  ReportJson labels = {{"name", "labels"}, {"kind", "sparse"}, {"type", "f32"},
                       {"shape", {10}},    {"label", true},    {"samples", 1012}};
  labels["density"] = {{"per_sample", 1}, {"share", 0.1}};
  ReportJson weight = {{"name", "weight"},
                       {"kind", "dense"},
                       {"type", "f64"},
                       {"shape", ReportJson::array()},
                       {"samples", 1012}};
  weight["values"] = {{"count", 1012}, {"zeros", 0},  {"non_finite", 0},  {"min", 1e-7},
                      {"max", 3.5e12}, {"mean", 812}, {"deviation", 1e11}};
  weight["histogram"] = bell_bins(20, 0, 3.5e12);
  return ReportJson::array({features, words, labels, weight});
}

inline ReportJson example_lengths() {
  ReportJson lengths = {{"count", 1012}, {"min", 1}, {"max", 1980}, {"mean", 50.6}};
  lengths["quantiles"] = ReportJson::array();
  const std::vector<std::pair<int, int>> quantiles = {{1, 2},   {5, 5},    {25, 17}, {50, 32},
                                                      {75, 61}, {95, 149}, {99, 410}};
  for (const auto& [percent, length] : quantiles) {
    lengths["quantiles"].push_back({{"percent", percent}, {"length", length}});
  }
  lengths["histogram"] = ReportJson::array();
  int from = 1;
  int bin = 0;
  for (const int count : {9, 21, 25, 41, 80, 112, 171, 190, 162, 99, 55, 31, 9, 4, 2, 1}) {
    const int to = bin < 3 ? from : from * 3 / 2;
    lengths["histogram"].push_back({{"from", from}, {"to", to}, {"count", count}});
    from = to + 1;
    ++bin;
  }
  lengths["padding"] = ReportJson::array();
  lengths["packing"] = ReportJson::array();
  for (int i = 0; i < 7; ++i) {
    lengths["padding"].push_back({{"sequences", 8 << i},
                                  {"file", 0.29 + 0.055 * i},
                                  {"random", 0.42 + 0.06 * i},
                                  {"buckets", 0.012 + 0.004 * i * i}});
    lengths["packing"].push_back({{"tokens", 128 << i},
                                  {"efficiency", 0.871 + 0.02 * i},
                                  {"too_long", i > 3 ? 0 : 61 >> (2 * i)}});
  }
  return lengths;
}

inline ReportJson example_order() {
  ReportJson order;
  order["slices"] = ReportJson::array();
  for (int i = 0; i < 64; ++i) {
    ReportJson classes = ReportJson::array();
    for (int label = 0; label < 9; ++label) {
      const int distance = std::abs(i / 7 - label);
      if (distance < 3) classes.push_back({label, 12 - 5 * distance});
    }
    order["slices"].push_back(
        {{"first", 16 * i},
         {"sequences", 16},
         {"mean_length", 48 + i * 0.4 + (i * 37 % 11)},
         {"means", {{"features", 0.2 * std::sin(i * 0.2)}, {"weight", 800 + (i * 53 % 29)}}},
         {"classes", {{"labels", classes}}}});
  }
  order["drift"] = ReportJson::array({{{"what", "classes of labels"}, {"size", 0.83}},
                                      {{"what", "values of features"}, {"size", 0.21}},
                                      {{"what", "length"}, {"size", 0.04}}});
  order["runs"] = ReportJson::array(
      {{{"stream", "labels"}, {"longest", 112}, {"expected", 4.2}, {"first", 448}}});
  order["workers"] = ReportJson::array();
  const std::vector<double> largest = {1, 1.004, 1.011, 1.03, 1.06, 1.18, 1.41};
  for (std::size_t i = 0; i < largest.size(); ++i) {
    order["workers"].push_back(
        {{"workers", 1 << i}, {"share", 1.0 / (1 << i)}, {"largest", largest[i]}});
  }
  return order;
}

}  // namespace sheaf::testing
