/// \file
/// What makes features of frames: preemphasis, window, spectrum, mel bins, logarithm, cosines.
/// Kernels are written for sets of instructions. All of them do the same operations in the same
/// order for a frame, so that they give the same bits.

#pragma once

#include <cstdint>

#include "transform/fft_tables.h"
#include "transform/mel_triangle.h"

namespace sheaf::internal {

/// The most frames that a kernel works on at once, each one in a lane of its vectors.
inline constexpr std::int64_t kFrameLanesMax = 8;

/// The least power and energy that Kaldi takes the logarithm of.
inline constexpr double kLeastEnergy = 0x1p-23;

/// Which samples of a frame its energy is of: none; before preemphasis and window; after both.
enum class EnergyKind : std::uint8_t { none, raw, windowed };

/// What a kernel computes, with its tables as plain arrays.
struct MelProgram {
  std::int64_t size = 0;  // of a frame, in samples
  std::int64_t shift = 0;
  bool removes_dc_offset = true;
  double preemphasis = 0;
  const double* window = nullptr;  // [size]
  FftTables fft = {};              // of at least `size` numbers
  bool takes_power = true;         // of the spectrum; false: its magnitude
  std::int64_t bin_count = 0;
  const MelTriangle* triangles = nullptr;  // [bin_count]
  const double* weights = nullptr;
  bool takes_log = true;  // of mel bins
  EnergyKind energy = EnergyKind::none;
  double energy_floor = kLeastEnergy;  // the least energy, above 0
  std::int64_t row_count = 0;          // without the energy
  const double* cosines = nullptr;     // [row_count, bin_count]; null: mel bins are the rows

  /// Returns how many numbers a kernel needs for work.
  [[nodiscard]] constexpr std::int64_t scratch_size() const noexcept {
    return kFrameLanesMax * (fft.size + fft.size / 2 + bin_count);
  }
};

/// Writes the rows of `frame_count` frames: number [row * frame_count + frame]. The logarithm of
/// the energy is the last row, where there is one. Frame i starts at signal[i * shift].
///
/// Pre:  1 <= frame_count <= lanes; `scratch` has scratch_size() numbers, aligned to 64 bytes.
struct MelKernel {
  std::int64_t lanes;
  void (*compute)(const MelProgram& program, const double* signal, std::int64_t frame_count,
                  double* scratch, double* rows);
};

/// Returns the kernel of the instructions in use.
[[nodiscard]] const MelKernel& mel_kernel() noexcept;

#if defined(__x86_64__)
[[nodiscard]] const MelKernel& mel_kernel_avx2() noexcept;
[[nodiscard]] const MelKernel& mel_kernel_avx512() noexcept;
#endif

}  // namespace sheaf::internal
