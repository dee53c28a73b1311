/// \file
/// The kernel of mel features for vectors of any size. A file selects its instruction set before it
/// includes this header.

#pragma once

#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "transform/fft_lanes.h"
#include "transform/fixed_math.h"
#include "transform/mel_kernel.h"

namespace sheaf::internal {

/// Vectors of kLanes doubles, and of kLanes words.
template <int kLanes>
struct LaneTypes;

template <>
struct LaneTypes<2> {
  using Real = double __attribute__((vector_size(16)));
  using Word = std::uint64_t __attribute__((vector_size(16)));
};

template <>
struct LaneTypes<4> {
  using Real = double __attribute__((vector_size(32)));
  using Word = std::uint64_t __attribute__((vector_size(32)));
};

template <>
struct LaneTypes<8> {
  using Real = double __attribute__((vector_size(64)));
  using Word = std::uint64_t __attribute__((vector_size(64)));
};

/// The kernel with a frame in each of kLanes lanes.
template <int kLanes>
class MelLanes {
 public:
  /// Implements MelKernel::compute.
  static void compute(const MelProgram& program, const double* signal, std::int64_t frame_count,
                      double* scratch, double* rows) noexcept {
    assert(frame_count >= 1 && frame_count <= kLanes);
    const std::int64_t bin_count = program.bin_count;
    const std::int64_t row_count = program.row_count;
    Real* const frames = reinterpret_cast<Real*>(scratch);
    Real* const spectrum = frames + program.fft.size;
    Real* const mels = spectrum + program.fft.size / 2;
    gather(program, signal, frame_count, frames);
    const Real energy = prepare(program, frames);
    FftLanes<Real>::power(program.fft, frames, spectrum);
    weigh(program, spectrum, mels);
    if (program.cosines == nullptr) {
      for (std::int64_t b = 0; b < bin_count; ++b)
        put(mels[b], frame_count, rows + b * frame_count);
    } else {
      const double* factors = program.cosines;
      for (std::int64_t row = 0; row < row_count; ++row, factors += bin_count) {
        Real sum{};
        for (std::int64_t b = 0; b < bin_count; ++b) sum = sum + mels[b] * factors[b];
        put(sum, frame_count, rows + row * frame_count);
      }
    }
    if (program.energy == EnergyKind::none) return;
    put(fixed_log<Real, Word>(at_least(energy, program.energy_floor)), frame_count,
        rows + row_count * frame_count);
  }

 private:
  using Real = typename LaneTypes<kLanes>::Real;
  using Word = typename LaneTypes<kLanes>::Word;

  static_assert(kLanes <= kFrameLanesMax);

  static Real at_least(const Real& value, double least) noexcept {
    const Real floor = Real{} + least;
    return value > floor ? value : floor;
  }

  static void put(const Real& value, std::int64_t frame_count, double* row) noexcept {
    for (std::int64_t lane = 0; lane < frame_count; ++lane) row[lane] = value[lane];
  }

  /// Interleaves frames. Lanes without a frame repeat the last one.
  static void gather(const MelProgram& program, const double* signal, std::int64_t frame_count,
                     Real* frames) noexcept {
    const double* starts[static_cast<std::size_t>(kLanes)];
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      starts[lane] = signal + (lane < frame_count ? lane : frame_count - 1) * program.shift;
    }
    const std::int64_t size = program.size;
    for (std::int64_t i = 0; i < size; ++i) {
      Real samples{};
      for (int lane = 0; lane < kLanes; ++lane) samples[lane] = starts[lane][i];
      frames[i] = samples;
    }
    for (std::int64_t i = size; i < program.fft.size; ++i) frames[i] = Real{};
  }

  static Real energy_of(const Real* frames, std::int64_t size) noexcept {
    Real sum{};
    for (std::int64_t i = 0; i < size; ++i) sum = sum + frames[i] * frames[i];
    return sum;
  }

  /// Removes the offset, emphasizes high frequencies, and applies the window. Returns the energy.
  static Real prepare(const MelProgram& program, Real* frames) noexcept {
    const std::int64_t size = program.size;
    if (program.removes_dc_offset) {
      Real sum{};
      for (std::int64_t i = 0; i < size; ++i) sum = sum + frames[i];
      const Real mean = sum / static_cast<double>(size);
      for (std::int64_t i = 0; i < size; ++i) frames[i] = frames[i] - mean;
    }
    Real energy{};
    if (program.energy == EnergyKind::raw) energy = energy_of(frames, size);
    Real before = frames[0];
    for (std::int64_t i = 0; i < size; ++i) {
      const Real sample = frames[i];
      frames[i] = (sample - before * program.preemphasis) * program.window[i];
      before = sample;
    }
    if (program.energy == EnergyKind::windowed) energy = energy_of(frames, size);
    return energy;
  }

  static void weigh(const MelProgram& program, Real* spectrum, Real* mels) noexcept {
    if (!program.takes_power) {
      for (std::int64_t k = 0; k < program.fft.size / 2; ++k) {
        for (int lane = 0; lane < kLanes; ++lane) spectrum[k][lane] = std::sqrt(spectrum[k][lane]);
      }
    }
    const double* weights = program.weights;
    for (std::int64_t b = 0; b < program.bin_count; ++b) {
      const MelTriangle& triangle = program.triangles[b];
      const Real* const bins = spectrum + triangle.first;
      Real sum{};
      for (std::int64_t k = 0; k < triangle.count; ++k) sum = sum + bins[k] * weights[k];
      weights += triangle.count;
      mels[b] = program.takes_log ? fixed_log<Real, Word>(at_least(sum, kLeastEnergy)) : sum;
    }
  }
};

}  // namespace sheaf::internal
