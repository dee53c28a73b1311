#include "ops/report/keyed_forecast.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/extend/order_report.h"
#include "sheaf/order.h"

#include "ops/order_inputs.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kMinibatchSequences = 256;
constexpr std::array<std::int64_t, 3> kWorkers = {1, 8, 64};
constexpr std::int64_t kStepsMax = 100;       // enough to tell noise 1 from noise 1.3
constexpr std::int64_t kPlannedMax = 50'000;  // sequences of all workers together

// The last digits of sums may differ between machines. Rounding makes reports equal.
double rounded(double value, double parts = 1000) { return std::round(value * parts) / parts; }

// Returns whether an order refuses a mixture, because the weights do not suit the sizes of the
// members. For example, a member is empty, or runs out before the others under exhausted="error".
// A report can still describe such data. The texts of these errors begin with "mixture".
bool is_of_mixture(const ConfigError& error) {
  return std::string_view(error.what()).starts_with("mixture: ");
}

}  // namespace

Json worker_forecast(const OrderReport& report, std::int64_t workers) {
  Json json = {{"workers", workers}};
  if (report.all.noise) json["noise"] = rounded(*report.all.noise);
  if (report.all.chunks) json["chunks"] = rounded(*report.all.chunks);
  json["excess"] = rounded(report.excess);
  if (report.held_bytes) json["held_bytes"] = std::llround(*report.held_bytes);
  if (report.samples > 0) {
    const double share =
        static_cast<double>(report.held_samples) / static_cast<double>(report.samples);
    json["held_share"] = rounded(share, 1e6);  // many workers hold small shares of large data
  }
  return json;
}

std::vector<OrderReport> keyed_reports(const OpenedData& data) {
  const OrderInputs inputs = order_inputs(data.data);
  OrderOptions order = {.minibatch_size = kMinibatchSequences,
                        .unit = MinibatchUnit::sequences,
                        .algorithm = OrderAlgorithm::keyed,
                        .window_chunks = data.window_chunks};
  const OrderReportOptions how = {
      .steps_max = kStepsMax, .planned_max = kPlannedMax, .chunk_bytes = inputs.chunk_bytes};
  std::vector<OrderReport> reports;
  for (const std::int64_t workers : kWorkers) {
    order.worker_count = workers;
    reports.push_back(measure_order(inputs.counts, order, how));
  }
  return reports;
}

Json keyed_forecast(const ReportSource& source) try {
  // An order needs the index of all data, which incomplete data do not have.
  if (source.numbers.sequences == 0 || source.numbers.is_cut) return nullptr;
  const std::vector<OrderReport> reports = keyed_reports(source.data);
  Json workers = Json::array();
  for (std::size_t i = 0; i < reports.size(); ++i) {
    workers.push_back(worker_forecast(reports[i], kWorkers[i]));
  }
  return {{"minibatch_sequences", kMinibatchSequences},
          {"window_chunks", source.data.window_chunks},
          {"workers", std::move(workers)}};
} catch (const ConfigError& error) {
  if (is_of_mixture(error)) return nullptr;
  throw;
}

}  // namespace sheaf::internal
