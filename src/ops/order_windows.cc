#include "ops/order_windows.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace sheaf::internal {
namespace {

constexpr std::int64_t kPlannedMax = 4'000'000;  // sequences to plan; enough for an estimate
constexpr int kTries = 4;                        // attempts to find a window that fits
constexpr double kReadBufferBytes = 2 << 20;
constexpr double kMinibatches = 4;  // minibatches that are read, packed or on the way

/// The size of a window, in chunks or in samples.
struct Window {
  bool is_chunks = false;
  double size = 0;
};

class WindowMeter {
 public:
  WindowMeter(const OrderSummary& summary, std::shared_ptr<const Counts> counts,
              OrderReportOptions options)
      : summary_(summary), counts_(std::move(counts)), options_(std::move(options)) {
    options_.planned_max = kPlannedMax;
    options_.steps_max = 0;
  }

  [[nodiscard]] std::vector<WindowChoice> measure();

 private:
  [[nodiscard]] double all(bool is_chunks) const noexcept {
    return static_cast<double>(is_chunks ? summary_.report.chunks : summary_.report.samples);
  }
  [[nodiscard]] Window asked() const noexcept;
  [[nodiscard]] Window scaled(Window window, double factor) const noexcept;
  [[nodiscard]] bool is_known(const Window& window) const;
  void add(const Window& window, const OrderReport& report);
  [[nodiscard]] OrderReport report_of(const Window& window) const;
  void add_fitting();

  const OrderSummary& summary_;
  const std::shared_ptr<const Counts> counts_;
  OrderReportOptions options_;
  std::vector<WindowChoice> choices_;
};

Window WindowMeter::asked() const noexcept {
  const bool is_chunks = summary_.order.window_chunks.has_value();
  const auto size = static_cast<double>(is_chunks ? *summary_.order.window_chunks
                                                  : *summary_.order.window_samples);
  return {is_chunks, std::min(size, all(is_chunks))};
}

// For "keyed", a window may be a fraction of a chunk. For "cntk", a window has whole chunks.
Window WindowMeter::scaled(Window window, double factor) const noexcept {
  window.size *= factor;
  if (window.is_chunks && window.size < 1 && summary_.is_keyed()) {
    window = {false, window.size * all(false) / all(true)};
  }
  window.size = std::floor(std::clamp(window.size, 1.0, all(window.is_chunks)));
  return window;
}

bool WindowMeter::is_known(const Window& window) const {
  return std::ranges::any_of(choices_, [&](const WindowChoice& choice) {
    const std::optional<std::int64_t>& size = window.is_chunks ? choice.chunks : choice.samples;
    return size && *size == static_cast<std::int64_t>(window.size);
  });
}

void WindowMeter::add(const Window& window, const OrderReport& report) {
  WindowChoice choice;
  (window.is_chunks ? choice.chunks : choice.samples) = static_cast<std::int64_t>(window.size);
  choice.memory_bytes = report.held_bytes.value_or(0) + static_cast<double>(summary_.index_bytes);
  choice.noise = report.all.noise ? report.all.noise : report.worker.noise;
  choices_.push_back(choice);
}

OrderReport WindowMeter::report_of(const Window& window) const {
  OrderOptions order = summary_.order;
  order.window_chunks.reset();
  order.window_samples.reset();
  (window.is_chunks ? order.window_chunks : order.window_samples) =
      static_cast<std::int64_t>(window.size);
  return measure_order(counts_, order, options_);
}

// Assumes that memory is proportional to the window.
void WindowMeter::add_fitting() {
  const double room = window_room_bytes(summary_);
  Window window = asked();
  OrderReport report = summary_.report;
  for (int i = 0; i < kTries; ++i) {
    const double held = report.held_bytes.value_or(0);
    if (room <= 0 || held <= 0) return;
    const Window next = scaled(window, 0.98 * room / held);
    const bool is_same = next.is_chunks == window.is_chunks && next.size == window.size;
    if (is_same && held > room) return;  // the window cannot be smaller
    const bool is_near = held <= room && (is_same || held > 0.9 * room);
    if (is_near || (held <= room && i + 1 == kTries)) break;
    window = next;
    report = report_of(window);
  }
  if (report.held_bytes.value_or(0) > room) return;
  if (!is_known(window)) add(window, report);
  for (WindowChoice& choice : choices_) {
    const std::optional<std::int64_t>& size = window.is_chunks ? choice.chunks : choice.samples;
    choice.is_fit = size && *size == static_cast<std::int64_t>(window.size);
  }
}

std::vector<WindowChoice> WindowMeter::measure() {
  const Window window = asked();
  add(window, summary_.report);
  choices_.back().is_asked = true;
  for (const double factor : {0.5, 2.0}) {
    const Window other = scaled(window, factor);
    if (!is_known(other)) add(other, report_of(other));
  }
  if (summary_.memory_limit_bytes) add_fitting();
  std::ranges::sort(choices_, {}, [&](const WindowChoice& choice) {
    return choice.chunks ? static_cast<double>(*choice.chunks) / all(true)
                         : static_cast<double>(*choice.samples) / all(false);
  });
  return choices_;
}

}  // namespace

double reading_bytes(const OrderSummary& summary) {
  const OrderReport& report = summary.report;
  // Counts decoded data, as the window does.
  const double bytes_of_sample =
      report.held_samples > 0
          ? report.held_bytes.value_or(0) / static_cast<double>(report.held_samples)
          : 0;
  return kReadBufferBytes + kMinibatches * report.worker.samples * bytes_of_sample;
}

double window_room_bytes(const OrderSummary& summary) {
  return static_cast<double>(*summary.memory_limit_bytes - summary.index_bytes) -
         reading_bytes(summary);
}

std::vector<WindowChoice> measure_windows(const OrderSummary& summary,
                                          const std::shared_ptr<const Counts>& counts,
                                          OrderReportOptions options) {
  return WindowMeter(summary, counts, std::move(options)).measure();
}

}  // namespace sheaf::internal
