#include "sheaf/order_summary.h"

#include <chrono>
#include <limits>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/index.h"
#include "sheaf/extend/packer.h"
#include "sheaf/extend/sequencer.h"
#include "sheaf/reader.h"

#include "base/text.h"
#include "ops/order_advice.h"
#include "ops/order_inputs.h"
#include "ops/order_windows.h"
#include "ops/sequence_values.h"
#include "ops/threads.h"

namespace sheaf {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kPaddingPlannedMax = 2'000'000;
constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

OrderReportOptions report_options(const Deserializer& data, const internal::OrderInputs& inputs,
                                  const OrderSummaryOptions& options, Executor& executor) {
  OrderReportOptions report;
  report.steps_max = options.steps_max;
  if (options.steps_max > 0) report.planned_max = kUnlimited;  // the caller wants all steps
  report.chunk_bytes = inputs.chunk_bytes;
  if (options.noise_of.empty()) return report;
  const auto values = std::make_shared<const internal::SequenceValues>(
      data, executor, options.noise_of, options.run.progress);
  report.value = [values](ChunkIndex chunk, std::int64_t sequence) {
    return (*values)(chunk, sequence);
  };
  return report;
}

// Measures the padding of the other batching: bucketed if the order is plain, plain otherwise.
void add_paddings(OrderSummary& summary, const std::shared_ptr<const Counts>& counts) {
  const std::optional<double> own = summary.report.padding;
  if (!summary.is_keyed() || !own || summary.order.split_frames) return;
  const bool is_plain = summary.order.batching == Batching::plain;
  OrderOptions other = summary.order;
  other.batching = is_plain ? Batching::bucketed : Batching::plain;
  const std::optional<double> others =
      measure_order(counts, other, {.planned_max = kPaddingPlannedMax}).padding;
  summary.plain_padding = is_plain ? own : others;
  summary.bucketed_padding = is_plain ? others : own;
}

void time_first_minibatch(const std::shared_ptr<const Deserializer>& data,
                          const std::shared_ptr<const Counts>& counts, Layout packing,
                          Executor& executor, OrderSummary& summary) {
  const Clock::time_point start = Clock::now();
  try {
    Reader reader(data, make_sequencer(counts, summary.order), make_packer(packing, summary.order),
                  {.memory_limit_bytes = summary.memory_limit_bytes,
                   .max_errors = kUnlimited,
                   .executor = &executor});
    if (reader.next()) summary.first_minibatch_seconds = seconds_since(start);
  } catch (const ConfigError& error) {
    if (!std::string_view(error.what()).starts_with("memory_limit_bytes")) throw;
    summary.refusal = error.what();
  }
}

}  // namespace

OrderSummary summarize_order(const std::shared_ptr<const Deserializer>& data, const ReadSpec& read,
                             const OrderSummaryOptions& options) {
  if (options.steps_max < 0) {
    throw ConfigError(formatted("steps_max is 0 or more: got {}", options.steps_max));
  }
  const internal::OperationThreads threads(options.run);
  Executor& executor = threads.executor();
  OrderSummary summary;
  summary.order = order_of({.data = {}, .read = read});
  const Layout packing = read.row_samples ? Layout::packed : read.packing;
  summary.is_padded = packing == Layout::padded && !summary.order.truncation_length;
  summary.memory_limit_bytes = options.run.memory_limit_bytes;
  summary.noise_of = options.noise_of;

  const Clock::time_point start = Clock::now();
  const internal::OrderInputs inputs = internal::order_inputs(data);
  summary.open_seconds = seconds_since(start);
  summary.data_bytes = inputs.size_bytes;
  time_first_minibatch(data, inputs.counts, packing, executor, summary);

  const OrderReportOptions how = report_options(*data, inputs, options, executor);
  summary.report = measure_order(inputs.counts, summary.order, how);
  summary.index_bytes = data->index().memory_bytes();
  add_paddings(summary, inputs.counts);
  if (!summary.is_file() && !summary.order.truncation_length && summary.report.sequences > 0) {
    summary.windows = internal::measure_windows(summary, inputs.counts, how);
  }
  summary.advice = internal::advice_on(summary, options.option_text);
  return summary;
}

OrderSummary summarize_order(const Spec& spec, const OrderSummaryOptions& options,
                             OpenContext context) {
  const internal::OperationThreads threads(options.run);
  context.executor = &threads.executor();
  context.memory_limit_bytes = options.run.memory_limit_bytes;
  OrderSummaryOptions own = options;
  own.run.executor = context.executor;
  const Clock::time_point start = Clock::now();
  Spec opened = spec;
  opened.read.order = order_of(spec);
  const std::shared_ptr<const Deserializer> data = open(opened, context).data;
  const double seconds = seconds_since(start);
  OrderSummary summary = summarize_order(data, opened.read, own);
  summary.open_seconds += seconds;
  return summary;
}

}  // namespace sheaf
