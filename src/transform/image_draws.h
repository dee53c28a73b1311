/// \file
/// The random numbers of image transforms.

#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <vector>

#include "sheaf/extend/keyed_generator.h"

namespace sheaf::internal {

/// Draws the numbers of one operation on one sequence.
class ImageDraws {
 public:
  virtual ~ImageDraws() = default;

  /// Returns a number in [low, high). If both are equal, draws nothing.
  [[nodiscard]] virtual double real(double low, double high) = 0;

  /// Returns a whole number from 0 to `last`, each equally likely. If `last` is 0, draws nothing.
  ///
  /// Pre: 0 <= last < 2^32 - 1.
  [[nodiscard]] virtual std::int64_t whole(std::int64_t last) = 0;

  /// Returns true half of the time.
  [[nodiscard]] virtual bool coin() = 0;

  /// Returns a number of the normal distribution with mean 0 and deviation 1.
  [[nodiscard]] virtual float normal() = 0;
};

/// Draws from the generator of a sequence.
class KeyedImageDraws final : public ImageDraws {
 public:
  explicit KeyedImageDraws(const KeyedGenerator::Name& name) noexcept : generator_(name) {}

  [[nodiscard]] double real(double low, double high) override;
  [[nodiscard]] std::int64_t whole(std::int64_t last) override;
  [[nodiscard]] bool coin() override;
  [[nodiscard]] float normal() override;

 private:
  KeyedGenerator generator_;
};

/// Draws as CNTK did, from a 32-bit Mersenne Twister that is never reset. Normal numbers come from
/// Boost's ziggurat of 128 layers.
class TwisterDraws final : public ImageDraws {
 public:
  /// Continues behind the first `count` numbers of a generator with this seed.
  ///
  /// Cost: linear in `count`, about 5 ns a number.
  explicit TwisterDraws(std::uint32_t seed, std::int64_t count = 0);

  /// Returns how many 32-bit numbers were drawn.
  [[nodiscard]] std::int64_t count() const noexcept { return count_; }

  [[nodiscard]] double real(double low, double high) override;
  [[nodiscard]] std::int64_t whole(std::int64_t last) override;
  [[nodiscard]] bool coin() override;
  [[nodiscard]] float normal() override;

 private:
  std::uint32_t next();

  std::mt19937 generator_;
  std::int64_t count_;
};

/// Forwards to another object, and records all numbers.
class RecordingDraws final : public ImageDraws {
 public:
  /// Lifetime: `from` and `numbers` must outlive the object.
  RecordingDraws(ImageDraws& from, std::vector<double>& numbers) noexcept
      : from_(from), numbers_(numbers) {}

  [[nodiscard]] double real(double low, double high) override;
  [[nodiscard]] std::int64_t whole(std::int64_t last) override;
  [[nodiscard]] bool coin() override;
  [[nodiscard]] float normal() override;

 private:
  ImageDraws& from_;
  std::vector<double>& numbers_;
};

/// Returns the numbers that RecordingDraws recorded for the same calls.
class ReplayedDraws final : public ImageDraws {
 public:
  /// Takes numbers from the front of `numbers`.
  ///
  /// Lifetime: `numbers` must outlive the object.
  explicit ReplayedDraws(std::span<const double>& numbers) noexcept : numbers_(numbers) {}

  /// Throws: InternalError if no number is left, as do the functions below.
  [[nodiscard]] double real(double low, double high) override;
  [[nodiscard]] std::int64_t whole(std::int64_t last) override;
  [[nodiscard]] bool coin() override;
  [[nodiscard]] float normal() override;

 private:
  double next();

  std::span<const double>& numbers_;
};

}  // namespace sheaf::internal
