/// \file
/// A program for mel kernels, with tables and made-up frames.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "sheaf/extend/keyed_generator.h"

#include "transform/audio_frames.h"
#include "transform/mel_bank.h"
#include "transform/mel_kernel.h"
#include "transform/real_fft.h"

namespace sheaf::internal {

/// Owns the tables of `program`. A test may change the tables.
class TestProgram {
 public:
  TestProgram(std::int64_t size, std::int64_t shift, std::int64_t fft_size, std::int64_t bin_count)
      : window_(window_factors(WindowKind::povey, size)),
        fft_(fft_size),
        bank_({.fft_size = fft_size, .bin_count = bin_count}),
        program{.size = size,
                .shift = shift,
                .preemphasis = 0.97,
                .window = window_.data(),
                .fft = fft_.tables(),
                .bin_count = bin_count,
                .triangles = bank_.triangles().data(),
                .weights = bank_.weights().data(),
                .energy = EnergyKind::raw,
                .row_count = bin_count} {}
  TestProgram(const TestProgram&) = delete;
  TestProgram& operator=(const TestProgram&) = delete;

  /// Returns the values of each frame, computed `at_once` frames at a time.
  [[nodiscard]] std::vector<std::vector<double>> frames(const MelKernel& kernel,
                                                        std::int64_t frame_count,
                                                        std::int64_t at_once) const {
    std::pmr::monotonic_buffer_resource memory;
    auto* const scratch = static_cast<double*>(
        memory.allocate(static_cast<std::size_t>(program.scratch_size()) * sizeof(double), 64));
    const std::int64_t row_count = program.row_count + (program.energy == EnergyKind::none ? 0 : 1);
    KeyedGenerator generator(KeyedGenerator::Key{11, 0});
    std::vector<double> signal;
    for (std::int64_t i = 0; i < program.size + (frame_count - 1) * program.shift; ++i) {
      signal.push_back(2000 * generator.uniform() - 900);
    }
    std::vector<std::vector<double>> all;
    for (std::int64_t first = 0; first < frame_count; first += at_once) {
      const std::int64_t count = std::min(at_once, frame_count - first);
      std::vector<double> rows(static_cast<std::size_t>(row_count * count));
      kernel.compute(program, signal.data() + first * program.shift, count, scratch, rows.data());
      for (std::int64_t i = 0; i < count; ++i) {
        std::vector<double>& frame = all.emplace_back();
        for (std::int64_t row = 0; row < row_count; ++row) {
          frame.push_back(rows[static_cast<std::size_t>(row * count + i)]);
        }
      }
    }
    return all;
  }

 private:
  std::vector<double> window_;
  RealFft fft_;
  MelBank bank_;

 public:
  MelProgram program;
};

}  // namespace sheaf::internal
