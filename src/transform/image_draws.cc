#include "transform/image_draws.h"

#include <cstddef>

#include "sheaf/error.h"

#include "transform/ziggurat.h"

namespace sheaf::internal {
namespace {

constexpr double kRange = 0x1p32;  // number of values of 32 bits

}  // namespace

double KeyedImageDraws::real(double low, double high) {
  if (low == high) return low;
  for (;;) {
    const double value = low + (high - low) * generator_.uniform();
    if (value < high) return value;
  }
}

std::int64_t KeyedImageDraws::whole(std::int64_t last) {
  return last == 0 ? 0 : generator_.below(last + 1);
}

bool KeyedImageDraws::coin() { return generator_.uniform() < 0.5; }

float KeyedImageDraws::normal() {
  return ziggurat_normal([&] { return static_cast<std::uint32_t>(generator_.next() >> 32U); });
}

TwisterDraws::TwisterDraws(std::uint32_t seed, std::int64_t count)
    : generator_(seed), count_(count) {
  generator_.discard(static_cast<unsigned long long>(count));
}

std::uint32_t TwisterDraws::next() {
  ++count_;
  return static_cast<std::uint32_t>(generator_());
}

double TwisterDraws::real(double low, double high) {
  if (low == high) return low;
  for (;;) {
    const double value = low + (high - low) * static_cast<double>(next()) / kRange;
    if (value < high) return value;
  }
}

std::int64_t TwisterDraws::whole(std::int64_t last) {
  if (last == 0) return 0;
  const std::int64_t bucket = (std::int64_t{1} << 32) / (last + 1);
  for (;;) {
    const std::int64_t value = std::int64_t{next()} / bucket;
    if (value <= last) return value;
  }
}

bool TwisterDraws::coin() { return next() < std::uint32_t{1} << 31U; }

float TwisterDraws::normal() {
  return ziggurat_normal([&] { return next(); });
}

double RecordingDraws::real(double low, double high) {
  return numbers_.emplace_back(from_.real(low, high));
}

std::int64_t RecordingDraws::whole(std::int64_t last) {
  const std::int64_t value = from_.whole(last);
  numbers_.push_back(static_cast<double>(value));
  return value;
}

bool RecordingDraws::coin() {
  const bool value = from_.coin();
  numbers_.push_back(value ? 1 : 0);
  return value;
}

float RecordingDraws::normal() {
  const float value = from_.normal();
  numbers_.push_back(static_cast<double>(value));
  return value;
}

double ReplayedDraws::next() {
  if (numbers_.empty()) throw InternalError("a transform of images got too few numbers");
  const double value = numbers_.front();
  numbers_ = numbers_.subspan(1);
  return value;
}

double ReplayedDraws::real(double low, double high) {
  static_cast<void>(low);
  static_cast<void>(high);
  return next();
}

std::int64_t ReplayedDraws::whole(std::int64_t last) {
  static_cast<void>(last);
  return static_cast<std::int64_t>(next());
}

bool ReplayedDraws::coin() { return next() != 0; }

float ReplayedDraws::normal() { return static_cast<float>(next()); }

}  // namespace sheaf::internal
