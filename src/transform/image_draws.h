/// \file
/// The random numbers that transforms of images draw.

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

  /// Returns a number from `low`, and below `high`. Equal borders take no draw.
  [[nodiscard]] virtual double real(double low, double high) = 0;

  /// Returns a whole number from 0 to `last`, each equally likely. 0 takes no draw.
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

/// Draws as CNTK did: from a 32-bit Mersenne Twister that is never reset. Normal numbers are those
/// of Boost's ziggurat of 128 layers.
class TwisterDraws final : public ImageDraws {
 public:
  /// Goes on where a generator with this seed has drawn `count` numbers.
  ///
  /// Cost: grows with the count, about 5 ns a number.
  explicit TwisterDraws(std::uint32_t seed, std::int64_t count = 0);

  /// Returns how many numbers of 32 bits were drawn.
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

/// Passes on what another draws, and writes all of it down.
class RecordingDraws final : public ImageDraws {
 public:
  /// Lifetime: both must outlive this.
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

/// Gives back what RecordingDraws wrote down for the same calls.
class ReplayedDraws final : public ImageDraws {
 public:
  /// Takes numbers from the front of `numbers`.
  ///
  /// Lifetime: `numbers` must outlive this.
  explicit ReplayedDraws(std::span<const double>& numbers) noexcept : numbers_(numbers) {}

  /// Throws: InternalError where no number is left, here and below.
  [[nodiscard]] double real(double low, double high) override;
  [[nodiscard]] std::int64_t whole(std::int64_t last) override;
  [[nodiscard]] bool coin() override;
  [[nodiscard]] float normal() override;

 private:
  double next();

  std::span<const double>& numbers_;
};

}  // namespace sheaf::internal
