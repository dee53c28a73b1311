#include "ops/order_advice.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "sheaf/extend/size_text.h"

#include "base/text.h"
#include "ops/order_windows.h"

namespace sheaf::internal {
namespace {

constexpr double kNoisy = 2;               // from here on noisy, relative to a full shuffle
constexpr double kGood = 1.05;             // up to here as good as a full shuffle
constexpr double kBetter = 0.95;           // less noise than this share is worth advice
constexpr double kSequencesOfWorker = 10;  // enough for even shares of a step
constexpr double kPadding = 0.1;           // the least share of the arrays that buckets must save
constexpr std::int64_t kChunksOfWorker = 10;

using OptionText = std::function<std::string(std::string_view name, std::string_view value)>;

double number(std::int64_t value) noexcept { return static_cast<double>(value); }

/// Collects advice.
class Adviser {
 public:
  Adviser(const OrderSummary& summary, const OptionText& option_text)
      : summary_(summary), option_text_(option_text) {}

  [[nodiscard]] std::vector<Advice> advise();

 private:
  void add_cntk_window();
  void add_cntk_workers();
  void add_file_order();
  void add_few_sequences();
  void add_noisy();
  void add_padding();
  void add_long_sequences();
  void add_memory();

  void add(std::string code, std::string text) {
    list_.push_back({std::move(code), std::move(text)});
  }

  [[nodiscard]] std::string option(std::string_view name, std::string_view value = {}) const {
    if (option_text_) return option_text_(name, value);
    return value.empty() ? std::string(name) : formatted("{}={}", name, value);
  }
  [[nodiscard]] std::string option(std::string_view name, std::int64_t value) const {
    return option(name, std::to_string(value));
  }
  [[nodiscard]] std::string option(const WindowChoice& window) const {
    return window.chunks ? option("window_chunks", *window.chunks)
                         : option("window_samples", *window.samples);
  }

  const OrderSummary& summary_;
  const OptionText& option_text_;
  std::vector<Advice> list_;
};

// See readerlib.md, section 4.7: two chunks exchange sequences only if each lies in the window of
// the other.
void Adviser::add_cntk_window() {
  const std::int64_t chunks = summary_.report.chunks;
  if (const auto window = summary_.order.window_chunks;
      window && *window <= 2 && *window < chunks) {
    add("cntk-window",
        formatted("{} mixes next to nothing: sequences stay with their chunk. Take 3 at least, or "
                  "{}",
                  option("window_chunks", *window), option("order", "keyed")));
  }
  const auto window = summary_.order.window_samples;
  const double chunk_samples =
      number(summary_.report.samples) / number(std::max<std::int64_t>(1, chunks));
  if (window && chunks > 1 && number(*window) <= 4 * chunk_samples) {
    add("cntk-window",
        formatted("{} mixes next to nothing: it takes more than four chunks' worth, and a chunk "
                  "has {:.0f} samples. Take more of them, smaller {}, or {}",
                  option("window_samples", *window), chunk_samples, option("chunk_size"),
                  option("order", "keyed")));
  }
}

void Adviser::add_cntk_workers() {
  const std::int64_t chunks = summary_.report.chunks;
  const std::int64_t workers = summary_.order.worker_count;
  if (workers == 1 || workers < chunks) return;
  const std::int64_t chunk_bytes =
      std::max<std::int64_t>(1, summary_.data_bytes / (workers * kChunksOfWorker));
  const std::string deals = option("order", "cntk") + " deals whole chunks";
  const std::string what =
      workers > chunks
          ? formatted("{} of {} workers have nothing to do: {}, and there {} {}", workers - chunks,
                      workers, deals, chunks == 1 ? "is" : "are", chunks)
          : formatted("each of {} workers has one chunk, and mixes nothing but that: {}", workers,
                      deals);
  add("cntk-workers", formatted("{}. Take {}, or {}", what, option("chunk_size", chunk_bytes),
                                option("order", "keyed")));
}

void Adviser::add_file_order() {
  const std::optional<double> noise = summary_.report.all.noise;
  if (noise && *noise > kNoisy && summary_.noise_of.empty()) {
    add("file-order",
        formatted("where the file is sorted, or its classes lie in blocks, minibatches are {:.3g} "
                  "times as noisy as shuffled ones: {}. {} tells whether it is",
                  *noise, option("order", "keyed"), option("noise_of", "STREAM")));
  } else if (noise && *noise > kNoisy) {
    add("file-blocks",
        formatted("by {}, minibatches are {:.3g} times as noisy as shuffled ones, as of a file "
                  "whose classes lie in blocks: {}",
                  summary_.noise_of, *noise, option("order", "keyed")));
  }
  if (summary_.order.worker_count > 1) {
    add("file-workers",
        formatted("each of {} workers parses the whole file; of {} each reads its part",
                  summary_.order.worker_count, option("order", "keyed")));
  }
}

void Adviser::add_few_sequences() {
  const double sequences = summary_.sequences_of_worker();
  const bool is_shared = summary_.order.worker_count > 1 && !summary_.order.truncation_length;
  if (!is_shared || sequences >= kSequencesOfWorker) return;
  const auto size = static_cast<std::int64_t>(
      std::ceil(number(summary_.order.minibatch_size) * kSequencesOfWorker / sequences));
  add("few-sequences",
      formatted("{:.3g} sequences a worker and step are too few to share out evenly: the one that "
                "has most has {:.3g} % more than the mean. Ten are enough: {}, or fewer workers",
                sequences, 100 * summary_.report.excess, option("minibatch_size", size)));
}

// Advises on a shuffled order if the options give no memory limit.
void Adviser::add_noisy() {
  const std::optional<double> noise = summary_.report.all.noise;
  if (!noise || *noise <= kNoisy || summary_.memory_limit_bytes) return;
  for (const WindowChoice& window : summary_.windows) {
    if (!window.noise || *window.noise >= kBetter * *noise) continue;
    add("noisy", formatted("minibatches are {:.3g} times as noisy as those of a full shuffle{}; "
                           "with {} it is {:.3g}, and takes {}",
                           *noise,
                           summary_.noise_of.empty() ? ", should the file be sorted"
                                                     : " by " + summary_.noise_of,
                           option(window), *window.noise, size_text(window.memory_bytes)));
    return;
  }
}

void Adviser::add_padding() {
  if (!summary_.is_padded || !summary_.plain_padding || !summary_.bucketed_padding) return;
  if (summary_.order.batching == Batching::bucketed) return;
  if (*summary_.plain_padding - *summary_.bucketed_padding < kPadding) return;
  add("padding", formatted("{:.3g} % of the arrays is padding; with {} it is {:.3g} %",
                           100 * *summary_.plain_padding, option("batching", "bucketed"),
                           100 * *summary_.bucketed_padding));
}

// Advises on samples that no sweep delivers.
void Adviser::add_long_sequences() {
  const std::optional<LongReport>& report = summary_.report.long_sequences;
  if (!report || report->left_out_samples == 0) return;
  const bool drops = summary_.order.long_sequences == LongSequences::drop;
  add("long-sequences",
      formatted("{} leaves out {}{} of {} sequences, {:.3g} % of all samples: with {} every sample "
                "is delivered",
                option("long", to_string(summary_.order.long_sequences)),
                drops ? "" : "the ends of ", report->sequences, report->of_sequences,
                100 * number(report->left_out_samples) / number(report->of_samples),
                option("long", "split")));
}

// The figures of the reader are more exact than the figures of the windows, but lack the noise.
void Adviser::add_memory() {
  if (!summary_.memory_limit_bytes) return;
  const std::string limit = size_text(number(*summary_.memory_limit_bytes));
  const auto asked = std::ranges::find(summary_.windows, true, &WindowChoice::is_asked);
  const auto fit = std::ranges::find(summary_.windows, true, &WindowChoice::is_fit);
  const bool is_too_much = summary_.report.held_bytes.value_or(0) > window_room_bytes(summary_);
  if (summary_.windows.empty() || !is_too_much) {
    if (!summary_.refusal.empty()) add("memory-refused", summary_.refusal);
    if (summary_.windows.empty() || !summary_.refusal.empty()) return;
  }
  const std::string needs =
      formatted("{} takes {} with what reading and minibatches need", option(*asked),
                size_text(asked->memory_bytes + reading_bytes(summary_)));
  const std::string noise = fit != summary_.windows.end() && fit->noise
                                ? formatted(", and the noise is then {:.3g}", *fit->noise)
                                : "";
  if (!is_too_much) {
    const bool is_better = fit != summary_.windows.end() && fit->noise && asked->noise &&
                           *asked->noise > kGood && *fit->noise < kBetter * *asked->noise;
    if (!is_better) return;
    add("memory-room", formatted("with {} {} fits{} instead of {:.3g}", limit, option(*fit), noise,
                                 *asked->noise));
  } else if (fit != summary_.windows.end()) {
    add("memory-window",
        formatted("{}, too much for {}: {} fits{}", needs, limit, option(*fit), noise));
  } else {
    add("memory-too-small",
        formatted("no window fits {}: {}. Take more memory, smaller minibatches or more workers{}",
                  limit, needs,
                  summary_.is_keyed() ? "" : formatted(", or smaller {}", option("chunk_size"))));
  }
}

std::vector<Advice> Adviser::advise() {
  add_long_sequences();
  if (summary_.report.sequences == 0) return std::move(list_);
  switch (summary_.order.algorithm) {
    case OrderAlgorithm::file:
      add_file_order();
      break;
    case OrderAlgorithm::cntk:
      add_cntk_window();
      add_cntk_workers();
      add_noisy();
      break;
    case OrderAlgorithm::keyed:
      add_few_sequences();
      add_noisy();
      break;
  }
  add_padding();
  add_memory();
  return std::move(list_);
}

}  // namespace

std::vector<Advice> advice_on(const OrderSummary& summary, const OptionText& option_text) {
  return Adviser(summary, option_text).advise();
}

}  // namespace sheaf::internal
