#include "output/order_advice.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "options/size_option.h"
#include "output/order_windows.h"

namespace sheaf::cli {
namespace {

constexpr double kNoisy = 2;               // times a full shuffle
constexpr double kGood = 1.05;             // as good as one
constexpr double kBetter = 0.95;           // noise that is less is worth a word
constexpr double kSequencesOfWorker = 10;  // from there on its part of a step is even
constexpr double kPadding = 0.1;           // of arrays, that buckets must save
constexpr std::int64_t kChunksOfWorker = 10;

using List = std::vector<Advice>;

double number(std::int64_t value) noexcept { return static_cast<double>(value); }

// readerlib.md, 4.7: chunks change sequences only where each lies in the window of the other.
void add_cntk_window(const OrderSummary& summary, List& list) {
  const std::int64_t chunks = summary.report.chunks;
  if (const auto window = summary.order.window_chunks; window && *window <= 2 && *window < chunks) {
    list.push_back(
        {"cntk-window", fmt::format("--window-chunks {} mixes next to nothing: sequences stay with "
                                    "their chunk. Take 3 at least, or --order keyed",
                                    *window)});
  }
  const auto window = summary.order.window_samples;
  const double chunk_samples =
      number(summary.report.samples) / number(std::max<std::int64_t>(1, chunks));
  if (window && chunks > 1 && number(*window) <= 4 * chunk_samples) {
    list.push_back(
        {"cntk-window",
         fmt::format("--window-samples {} mixes next to nothing: it takes more than four chunks' "
                     "worth, and a chunk has {:.0f} samples. Take more of them, smaller "
                     "--chunk-size, or --order keyed",
                     *window, chunk_samples)});
  }
}

void add_cntk_workers(const OrderSummary& summary, List& list) {
  const std::int64_t chunks = summary.report.chunks;
  const std::int64_t workers = summary.order.worker_count;
  if (workers == 1 || workers < chunks) return;
  const std::int64_t chunk_bytes =
      std::max<std::int64_t>(1, summary.data_bytes / (workers * kChunksOfWorker));
  const std::string what =
      workers > chunks
          ? fmt::format(
                "{} of {} workers have nothing to do: --order cntk deals whole chunks, and "
                "there {} {}",
                workers - chunks, workers, chunks == 1 ? "is" : "are", chunks)
          : fmt::format(
                "each of {} workers has one chunk, and mixes nothing but that: --order cntk "
                "deals whole chunks",
                workers);
  list.push_back({"cntk-workers",
                  fmt::format("{}. Take --chunk-size {}, or --order keyed", what, chunk_bytes)});
}

void add_file_order(const OrderSummary& summary, List& list) {
  const std::optional<double> noise = summary.report.all.noise;
  if (noise && *noise > kNoisy && summary.noise_of.empty()) {
    list.push_back(
        {"file-order",
         fmt::format("where the file is sorted, or its classes lie in blocks, minibatches "
                     "are {:.3g} times as noisy as shuffled ones: --order keyed. "
                     "--noise-of STREAM tells whether it is",
                     *noise)});
  } else if (noise && *noise > kNoisy) {
    list.push_back({"file-blocks",
                    fmt::format("by {}, minibatches are {:.3g} times as noisy as shuffled ones, as "
                                "of a file whose classes lie in blocks: --order keyed",
                                summary.noise_of, *noise)});
  }
  if (summary.order.worker_count > 1) {
    list.push_back({"file-workers",
                    fmt::format("each of {} workers parses the whole file; of --order keyed each "
                                "reads its part",
                                summary.order.worker_count)});
  }
}

void add_few_sequences(const OrderSummary& summary, List& list) {
  const double sequences = summary.sequences_of_worker();
  const bool is_shared = summary.order.worker_count > 1 && !summary.order.truncation_length;
  if (!is_shared || sequences >= kSequencesOfWorker) return;
  const auto size = static_cast<std::int64_t>(
      std::ceil(number(summary.order.minibatch_size) * kSequencesOfWorker / sequences));
  list.push_back({"few-sequences",
                  fmt::format("{:.3g} sequences a worker and step are too few to share out evenly: "
                              "the one that has most has {:.3g} % more than the mean. Ten are "
                              "enough: --minibatch-size {}, or fewer workers",
                              sequences, 100 * summary.report.excess, size)});
}

// Of a shuffled order, where nothing says how much memory there is.
void add_noisy(const OrderSummary& summary, List& list) {
  const std::optional<double> noise = summary.report.all.noise;
  if (!noise || *noise <= kNoisy || summary.memory_limit_bytes > 0) return;
  for (const WindowChoice& window : summary.windows) {
    if (!window.noise || *window.noise >= kBetter * *noise) continue;
    list.push_back({"noisy", fmt::format("minibatches are {:.3g} times as noisy as those of a full "
                                         "shuffle{}; with {} it is {:.3g}, and takes {}",
                                         *noise,
                                         summary.noise_of.empty() ? ", should the file be sorted"
                                                                  : " by " + summary.noise_of,
                                         window_option(window), *window.noise,
                                         size_text(window.memory_bytes))});
    return;
  }
}

void add_padding(const OrderSummary& summary, List& list) {
  if (!summary.is_padded || !summary.plain_padding || !summary.bucketed_padding) return;
  if (summary.order.batching == Batching::bucketed) return;
  if (*summary.plain_padding - *summary.bucketed_padding < kPadding) return;
  list.push_back(
      {"padding", fmt::format("{:.3g} % of the arrays is padding; with --batching "
                              "bucketed it is {:.3g} %",
                              100 * *summary.plain_padding, 100 * *summary.bucketed_padding)});
}

// The reader's own account is more exact than that of windows, but names no noise.
void add_memory(const OrderSummary& summary, List& list) {
  if (summary.memory_limit_bytes == 0) return;
  const std::string limit = size_text(number(summary.memory_limit_bytes));
  const auto asked = std::ranges::find(summary.windows, true, &WindowChoice::is_asked);
  const auto fit = std::ranges::find(summary.windows, true, &WindowChoice::is_fit);
  const bool is_too_much = summary.report.held_bytes.value_or(0) > window_room_bytes(summary);
  if (summary.windows.empty() || !is_too_much) {
    if (!summary.refusal.empty()) list.push_back({"memory-refused", summary.refusal});
    if (summary.windows.empty() || !summary.refusal.empty()) return;
  }
  const std::string needs =
      fmt::format("{} takes {} with what reading and minibatches need", window_option(*asked),
                  size_text(asked->memory_bytes + reading_bytes(summary)));
  const std::string noise = fit != summary.windows.end() && fit->noise
                                ? fmt::format(", and the noise is then {:.3g}", *fit->noise)
                                : "";
  if (!is_too_much) {
    const bool is_better = fit != summary.windows.end() && fit->noise && asked->noise &&
                           *asked->noise > kGood && *fit->noise < kBetter * *asked->noise;
    if (!is_better) return;
    list.push_back({"memory-room", fmt::format("with {} {} fits{} instead of {:.3g}", limit,
                                               window_option(*fit), noise, *asked->noise)});
  } else if (fit != summary.windows.end()) {
    list.push_back({"memory-window", fmt::format("{}, too much for {}: {} fits{}", needs, limit,
                                                 window_option(*fit), noise)});
  } else {
    list.push_back(
        {"memory-too-small",
         fmt::format("no window fits {}: {}. Take more memory, smaller minibatches or "
                     "more workers{}",
                     limit, needs, summary.is_keyed() ? "" : ", or smaller --chunk-size")});
  }
}

}  // namespace

std::string window_option(const WindowChoice& window) {
  return window.chunks ? fmt::format("--window-chunks {}", *window.chunks)
                       : fmt::format("--window-samples {}", *window.samples);
}

std::vector<Advice> advice_on(const OrderSummary& summary) {
  List list;
  if (summary.report.sequences == 0) return list;
  switch (summary.order.algorithm) {
    case OrderAlgorithm::file:
      add_file_order(summary, list);
      break;
    case OrderAlgorithm::cntk:
      add_cntk_window(summary, list);
      add_cntk_workers(summary, list);
      add_noisy(summary, list);
      break;
    case OrderAlgorithm::keyed:
      add_few_sequences(summary, list);
      add_noisy(summary, list);
      break;
  }
  add_padding(summary, list);
  add_memory(summary, list);
  return list;
}

}  // namespace sheaf::cli
