#include "sequencer/golden.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <sstream>
#include <stdexcept>

namespace sheaf::testing {
namespace {

constexpr std::int64_t kMore = std::numeric_limits<std::int64_t>::max();

}  // namespace

std::vector<std::vector<std::string>> golden_lines(std::string_view name) {
  const std::string path = std::string(SHEAF_GOLDEN_DIR) + "/" + std::string(name);
  std::ifstream file(path);
  if (!file) throw std::runtime_error("there is no " + path);
  std::vector<std::vector<std::string>> lines;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    lines.emplace_back(std::istream_iterator<std::string>(words),
                       std::istream_iterator<std::string>());
  }
  return lines;
}

Sizes golden_table(std::string_view name) {
  if (name == "U") return Sizes(10, std::vector<std::int64_t>(5, 1));
  if (name == "R") {
    return {{3, 1, 4}, {1, 5}, {9, 2, 6, 5}, {3}, {5, 8, 1, 1, 1}, {2, 1, 1, 1, 1}};
  }
  const std::size_t x = name.find('x');
  return Sizes(std::stoul(std::string(name.substr(0, x))),
               std::vector<std::int64_t>(std::stoul(std::string(name.substr(x + 1))), 1));
}

std::int64_t sequence_number(const Sizes& table, const SequenceRef& sequence) {
  std::int64_t number = sequence.sequence;
  for (std::size_t i = 0; i < static_cast<std::size_t>(sequence.chunk); ++i) {
    number += std::ssize(table[i]);
  }
  return number;
}

std::int64_t golden_number(std::string_view text) {
  return text.starts_with("MAX") ? kMore : std::stoll(std::string(text));
}

GoldenRun golden_run(const std::vector<std::string>& words) {
  // A line is: run KIND table T WINDOW-KIND SIZE, then names with values.
  GoldenRun run;
  run.table = golden_table(words[3]);
  std::map<std::string, std::string> values;
  for (std::size_t i = 6; i + 1 < words.size(); i += 2) values[words[i]] = words[i + 1];
  OrderOptions& options = run.options;
  if (words[1] == "block") {
    options.algorithm = OrderAlgorithm::cntk;
    // CNTK treats a window of 0 as a window of 1.
    const std::int64_t size = std::max<std::int64_t>(1, golden_number(words[5]));
    (words[4] == "chunks" ? options.window_chunks : options.window_samples) = size;
  }
  options.minibatch_size = golden_number(values["mb"]);
  options.seed = std::stoull(values["seed"]);
  options.worker_count = golden_number(values["workers"]);
  options.worker_index = golden_number(values["rank"]);
  options.timeline = values["timeline"] == "local" ? Timeline::local : Timeline::global;
  options.sweep_ends = values["cross"] == "0" ? SweepEnds::cut : SweepEnds::cross;
  options.epochs = {};
  if (values["epochSweeps"] != "MAX") {
    options.sweeps = golden_number(values["epochSweeps"]);
  } else if (!values["epochSize"].starts_with("MAX")) {
    options.epoch_size = golden_number(values["epochSize"]);
  }
  return run;
}

}  // namespace sheaf::testing
