#include "output/delivery_progress.h"

#include <algorithm>

#include <fmt/format.h>

#include "output/progress.h"
#include "output/speed.h"

namespace sheaf::cli {
namespace {

// Returns the number of sweeps in a run. Returns nothing if the run has no end, or ends after a
// number of samples.
std::optional<std::int64_t> sweeps_of_run(const OrderOptions& order) {
  if (order.epoch_size || !order.sweeps || !order.epochs) return std::nullopt;
  std::int64_t sweeps = 0;
  if (__builtin_mul_overflow(*order.sweeps, *order.epochs, &sweeps)) return std::nullopt;
  return sweeps;
}

}  // namespace

std::string delivery_text(const Delivered& delivered) {
  std::string text =
      fmt::format("{} minibatches, {} samples", delivered.minibatches, delivered.samples);
  if (delivered.seconds <= 0) return text;
  text +=
      fmt::format(", {:.0f} samples/s", static_cast<double>(delivered.samples) / delivered.seconds);
  if (!delivered.sweeps) return text;
  auto sweep = static_cast<std::int64_t>(*delivered.sweeps);
  if (delivered.sweeps_end)
    sweep = std::min(sweep, std::max<std::int64_t>(1, *delivered.sweeps_end) - 1);
  const double share = std::min(1.0, *delivered.sweeps - static_cast<double>(sweep));
  text += fmt::format(", {:.0f} % of sweep {}", share * 100, sweep + 1);
  const double rate = (*delivered.sweeps - delivered.sweeps_before) / delivered.seconds;
  if (!delivered.sweeps_end || rate <= 0) return text;
  const double left = static_cast<double>(*delivered.sweeps_end) - *delivered.sweeps;
  return text + fmt::format(" of {}, {} left", *delivered.sweeps_end,
                            time_text(std::max(0.0, left) / rate));
}

DeliveryProgress::DeliveryProgress(Console& console, bool is_shown, const Deserializer& data,
                                   const OrderOptions& order, std::int64_t size_bytes)
    : console_(console),
      is_shown_(is_shown),
      data_(data),
      is_file_order_(order.algorithm == OrderAlgorithm::file),
      counts_sequences_(!order.split_frames && order.long_sequences == LongSequences::error),
      size_bytes_(size_bytes) {
  delivered_.sweeps_end = sweeps_of_run(order);
}

// In file order the index may cover only the beginning of the data, so bytes measure the progress.
// Other orders start with the whole index and use samples.
std::optional<double> DeliveryProgress::sweeps_at(const Place& place) {
  if (is_file_order_) {
    if (size_bytes_ <= 0 || !counts_sequences_) return std::nullopt;
    return static_cast<double>(bytes_before(place, data_, size_bytes_)) /
           static_cast<double>(size_bytes_);
  }
  if (samples_ == 0) samples_ = std::max<std::int64_t>(1, indexed_samples(data_));
  const double share = static_cast<double>(place.sample) / static_cast<double>(samples_);
  return static_cast<double>(place.sweep) + std::min(share, 1.0);
}

void DeliveryProgress::begin(const Place& place) {
  if (!is_shown_) return;
  delivered_.sweeps_before = sweeps_at(place).value_or(0);
  begin_ = Clock::now();
  next_ = begin_ + progress_pause(console_);
}

void DeliveryProgress::update(const Minibatch& minibatch) {
  if (!is_shown_) return;
  ++delivered_.minibatches;
  delivered_.samples += minibatch.sample_count();
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  delivered_.sweeps = sweeps_at(minibatch.position.place);
  delivered_.seconds = std::chrono::duration<double>(now - begin_).count();
  console_.show_progress(delivery_text(delivered_));
  next_ = now + progress_pause(console_);
}

void DeliveryProgress::finish() {
  if (is_shown_ && console_.rewrites_lines()) console_.show_progress("");
}

}  // namespace sheaf::cli
