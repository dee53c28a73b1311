#include "output/format_order.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "sheaf/extend/size_text.h"

#include "options/help.h"
#include "options/option_words.h"
#include "output/counted.h"
#include "output/speed.h"
#include "output/table.h"

namespace sheaf::cli {
namespace {

using Row = std::vector<std::string>;
using Rows = std::vector<Row>;

std::string rounded(double value) { return fmt::format("{:.4g}", value); }

std::string rounded(const std::optional<double>& value) {
  return value ? rounded(*value) : kNothing;
}

std::string percent(double part) { return fmt::format("{:.3g} %", 100 * part); }

std::string percent(const std::optional<double>& part) { return part ? percent(*part) : kNothing; }

std::string window_text(const WindowChoice& window) {
  return window.chunks ? option_text("window_chunks", number_text(*window.chunks))
                       : option_text("window_samples", number_text(*window.samples));
}

std::string window_text(const OrderSummary& summary) {
  const std::optional<std::int64_t>& chunks = summary.order.window_chunks;
  const std::int64_t window = chunks ? *chunks : summary.order.window_samples.value_or(0);
  const std::int64_t all = chunks ? summary.report.chunks : summary.report.samples;
  return counted(window, chunks ? "chunk" : "sample") + (window >= all ? ", all there are" : "");
}

// Returns a text such as "leaves out 12 of 1000 sequences, 34567 samples".
std::string long_text(const OrderOptions& order, const LongReport& report) {
  const std::string samples = counted(report.left_out_samples, "sample");
  const std::string of_all = fmt::format("{} of {}", number_text(report.sequences),
                                         counted(report.of_sequences, "sequence"));
  switch (order.long_sequences) {
    case LongSequences::split:
      return fmt::format("splits {} into {}", of_all, counted(report.pieces, "piece"));
    case LongSequences::truncate:
      return fmt::format("cuts off {} from the ends of {}", samples, of_all);
    default:
      return fmt::format("leaves out {}, {}", of_all, samples);
  }
}

void append_data(std::string& out, const OrderSummary& summary) {
  const OrderReport& report = summary.report;
  const OrderOptions& order = summary.order;
  Rows rows = {{"sequences", number_text(report.sequences)},
               {"samples", number_text(report.samples)},
               {"chunks", number_text(report.chunks)},
               {"units", number_text(report.units)},
               {"bytes", number_text(summary.data_bytes)},
               {"order", std::string(to_string(summary.order.algorithm))}};
  if (!summary.is_file()) {
    rows.push_back({"seed", number_text(order.seed)});
    rows.push_back({"window", window_text(summary)});
  }
  if (report.long_sequences) {
    rows.push_back({option_text("long", to_string(order.long_sequences)),
                    long_text(order, *report.long_sequences)});
  }
  if (report.cost) {
    rows.push_back({fmt::format("cost, in {}", report.cost_name), number_text(*report.cost)});
  }
  rows.push_back({"workers", number_text(order.worker_count)});
  append_table(out, rows, 2);
  if (summary.worker_source.empty()) return;
  const Worker worker{
      .index = order.worker_index, .count = order.worker_count, .source = summary.worker_source};
  out += wrapped("this is " + worker_text(worker), 2, kTextWidth) + '\n';
}

void append_minibatches(std::string& out, const OrderSummary& summary) {
  const OrderReport& report = summary.report;
  const bool is_one = summary.order.worker_count == 1;
  out += "\nminibatches\n";
  const auto row = [&](const char* name, std::string all, std::string worker) {
    return is_one ? Row{name, std::move(worker)} : Row{name, std::move(all), std::move(worker)};
  };
  Rows rows;
  if (!is_one) rows.push_back({"", "of all workers", "of a worker"});
  const MinibatchReport& all = report.all;
  const MinibatchReport& worker = report.worker;
  rows.push_back(row("sequences", rounded(all.sequences), rounded(worker.sequences)));
  rows.push_back(row("samples", rounded(all.samples), rounded(worker.samples)));
  if (all.cost) rows.push_back(row("cost", rounded(all.cost), rounded(worker.cost)));
  rows.push_back(row("chunks", rounded(all.chunks), rounded(worker.chunks)));
  rows.push_back(row("units", rounded(all.units), rounded(worker.units)));
  const std::string noise =
      "noise, by " + (summary.noise_of.empty() ? "place in the file" : summary.noise_of);
  rows.push_back(row(noise.c_str(), rounded(all.noise), rounded(worker.noise)));
  if (report.padding) rows.push_back(row("padding", "", percent(report.padding)));
  append_table(out, rows, 2);
  if (summary.bucketed_padding) {
    out += fmt::format("  padding is {} with --batching plain, {} with bucketed\n",
                       percent(summary.plain_padding), percent(summary.bucketed_padding));
  }
  out += "  noise: 1 is that of a full shuffle; less is better\n";
  // The steps and workers that the numbers cover.
  std::string looked_at = counted(report.steps, "step") + " from the beginning of the run on";
  if (report.workers < summary.order.worker_count) {
    looked_at +=
        fmt::format(", of {} of the {} workers", report.workers, summary.order.worker_count);
  }
  if (summary.is_keyed() && (all.steps != report.steps || all.stretches > 1)) {
    looked_at += fmt::format("; for those of all workers, {}", counted(all.steps, "step"));
    if (all.stretches > 1) {
      looked_at += fmt::format(" at the beginnings of {} sweeps", all.stretches);
    }
  }
  out += wrapped("looked at: " + looked_at, 2, kTextWidth) + '\n';
}

void append_mixture(std::string& out, const OrderSummary& summary) {
  if (!summary.report.mixture) return;
  const MixtureReport& mixture = *summary.report.mixture;
  std::int64_t samples = 0;
  for (const MemberReport& member : mixture.members) samples += member.samples;
  const auto share = [](std::int64_t part, std::int64_t all) {
    return percent(all > 0 ? static_cast<double>(part) / static_cast<double>(all) : 0.0);
  };
  out += fmt::format("\nmixture, exhausted: {}\n", to_string(mixture.exhausted));
  Rows rows = {{"", "weight", "asked", "of sequences", "of samples", "sweeps"}};
  for (const MemberReport& member : mixture.members) {
    rows.push_back({terminal_text(member.name), number_text(member.weight), percent(member.asked),
                    share(member.sequences, mixture.draws), share(member.samples, samples),
                    rounded(member.times)});
  }
  append_table(out, rows, 2);
  out +=
      wrapped(fmt::format("looked at: {}{}; no member is ever more than {} from its share",
                          counted(mixture.draws, "draw"), mixture.is_whole ? ", a whole epoch" : "",
                          rounded(mixture.largest_deviation)),
              2, kTextWidth) +
      '\n';
}

void append_workers(std::string& out, const OrderSummary& summary) {
  if (summary.order.worker_count == 1) return;
  const OrderReport& report = summary.report;
  out += "\nworkers\n";
  append_table(out,
               {{"excess of the slowest", percent(report.excess)},
                {"the same over the longest sequence", percent(report.excess_over_longest)},
                {"steps in which one is idle", number_text(report.idle_steps)},
                {"foreign sequences", percent(report.foreign_sequences)},
                {"foreign samples", percent(report.foreign_samples)}},
               2);
}

void append_cost(std::string& out, const OrderSummary& summary) {
  const auto count = static_cast<double>(summary.order.worker_count);
  out += "\ncost\n";
  Rows rows = {{"memory of a worker", size_text(summary.memory_bytes())},
               {"  of that, the window", size_text(summary.report.held_bytes.value_or(0))},
               {"  of that, the index", size_text(static_cast<double>(summary.index_bytes))}};
  if (summary.order.worker_count > 1) {
    rows.push_back({"read in a sweep by a worker", size_text(summary.sweep_bytes() / count)});
  }
  rows.push_back({"read in a sweep by all", size_text(summary.sweep_bytes())});
  if (summary.holds_all()) {
    rows.push_back({"read in later sweeps", size_text(summary.later_sweep_bytes())});
  }
  rows.push_back({"opening, index included", fmt::format("{:.3f} s", summary.open_seconds)});
  rows.push_back(
      {"first minibatch after that", summary.first_minibatch_seconds
                                         ? fmt::format("{:.3f} s", *summary.first_minibatch_seconds)
                                         : kNothing});
  append_table(out, rows, 2);
}

void append_windows(std::string& out, const OrderSummary& summary) {
  if (summary.windows.empty()) return;
  out += "\nwindows\n";
  Rows rows = {{"", "memory", "noise", ""}};
  for (const WindowChoice& window : summary.windows) {
    const char* const mark = window.is_asked ? "asked for" : window.is_fit ? "fits" : "";
    rows.push_back(
        {window_text(window), size_text(window.memory_bytes), rounded(window.noise), mark});
  }
  append_table(out, rows, 2);
}

}  // namespace

void append_order(std::string& out, const std::string& path, const OrderSummary& summary) {
  out += path + '\n';
  append_data(out, summary);
  append_minibatches(out, summary);
  append_mixture(out, summary);
  append_workers(out, summary);
  append_cost(out, summary);
  append_windows(out, summary);
  if (summary.advice.empty()) return;
  out += "\nadvice\n";
  for (const Advice& advice : summary.advice) {
    std::string lines = wrapped(advice.text, 4, kTextWidth);
    lines[2] = '-';
    out += lines + '\n';
  }
}

}  // namespace sheaf::cli
