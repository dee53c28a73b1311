// Decodes objects to samples of a stream.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sheaf/types.h"

#include "base/saturated.h"
#include "format/kaldi/kaldi_options.h"
#include "format/kaldi/kaldi_probe.h"

namespace sheaf::kaldi {

/// Samples without a fixed number of values: sparse samples and lists.
struct LooseSamples {
  std::vector<std::byte> values;      // of the stream's element type
  std::vector<std::int32_t> indices;  // of sparse samples
  std::vector<std::int64_t> counts;   // number of values of each sample
};

/// Returns whether samples of a stream have a fixed number of values. Then the location of their
/// values is known before they are decoded.
[[nodiscard]] bool has_fixed_samples(const Stream& stream) noexcept;

/// Returns whether an object stores its values in the form of the stream.
[[nodiscard]] bool has_values_of(const ProbedObject& object, const Stream& stream) noexcept;

/// Returns the largest size of objects whose values are delivered as read, including the bytes
/// between the values.
[[nodiscard]] constexpr std::int64_t values_in_place_max(std::int64_t value_bytes) noexcept {
  return internal::saturated_sum(value_bytes, value_bytes / 8);
}

/// Decodes samples of a dense stream with a fixed shape. `bytes` has the whole object.
///
/// Pre:    misfit_of() returns nothing; the part lies in the object, and is the whole object unless
///         that is a matrix or a vector of floats; `to` has room for the samples of the part.
/// Errors: as the decoders of kaldi_values.h and kaldi_text.h.
[[nodiscard]] std::optional<KaldiFault> decode_fixed(const ProbedObject& object,
                                                     std::span<const std::byte> bytes,
                                                     const Stream& stream, As as,
                                                     const ObjectPart& part, std::byte* to);

/// Decodes sparse samples or lists.
///
/// Pre:    misfit_of() returns nothing.
/// Errors: as above.
[[nodiscard]] std::optional<KaldiFault> decode_loose(const ProbedObject& object,
                                                     std::span<const std::byte> bytes,
                                                     const Stream& stream, As as, LooseSamples& to);

}  // namespace sheaf::kaldi
