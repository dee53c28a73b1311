/// \file
/// Kernels that make features from frames: preemphasis, window, spectrum, mel bins, logarithm,
/// cosines. There is a kernel for each instruction set. All kernels apply the same operations to a
/// frame in the same order, so they give the same bits.

#pragma once

#include <cstdint>

#include "transform/fft_tables.h"
#include "transform/mel_triangle.h"

namespace sheaf::internal {

/// The largest number of frames that a kernel computes at a time, one in each lane of its vectors.
inline constexpr std::int64_t kFrameLanesMax = 8;

/// The smallest power and energy of which Kaldi takes the logarithm.
inline constexpr double kLeastEnergy = 0x1p-23;

/// The samples that the energy of a frame is computed from: none, before preemphasis and window, or
/// after both.
enum class EnergyKind : std::uint8_t { none, raw, windowed };

/// The computation of a kernel, with its tables as plain arrays.
struct MelProgram {
  std::int64_t size = 0;  // samples of a frame
  std::int64_t shift = 0;
  bool removes_dc_offset = true;
  double preemphasis = 0;
  const double* window = nullptr;  // [size]
  FftTables fft = {};              // of at least `size` values
  bool takes_power = true;         // power spectrum; false: magnitude
  std::int64_t bin_count = 0;
  const MelTriangle* triangles = nullptr;  // [bin_count]
  const double* weights = nullptr;
  bool takes_log = true;  // logarithm of mel bins
  EnergyKind energy = EnergyKind::none;
  double energy_floor = kLeastEnergy;  // smallest energy, above 0
  std::int64_t row_count = 0;          // without the energy
  const double* cosines = nullptr;     // [row_count, bin_count]; null: each mel bin is a row

  /// Returns how many numbers of working memory a kernel needs.
  [[nodiscard]] constexpr std::int64_t scratch_size() const noexcept {
    return kFrameLanesMax * (fft.size + fft.size / 2 + bin_count);
  }
};

/// Computes the features of `frame_count` frames. Writes value `row` of frame `frame` to rows[row *
/// frame_count + frame]. If there is an energy, its logarithm is the last value. Frame i starts at
/// signal[i * shift].
///
/// Pre: 1 <= frame_count <= lanes; `scratch` has scratch_size() numbers, aligned to 64 bytes.
struct MelKernel {
  std::int64_t lanes;
  void (*compute)(const MelProgram& program, const double* signal, std::int64_t frame_count,
                  double* scratch, double* rows);
};

/// Returns the kernel for the instruction set in use.
[[nodiscard]] const MelKernel& mel_kernel() noexcept;

#if defined(__x86_64__)
[[nodiscard]] const MelKernel& mel_kernel_avx2() noexcept;
[[nodiscard]] const MelKernel& mel_kernel_avx512() noexcept;
#endif

}  // namespace sheaf::internal
