// Objects to samples of a stream.

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

/// Samples whose number of values is not fixed: sparse ones, and lists.
struct LooseSamples {
  std::vector<std::byte> values;      // of the type of the stream
  std::vector<std::int32_t> indices;  // of sparse samples
  std::vector<std::int64_t> counts;   // of values, for each sample
};

/// Returns whether samples of a stream have a fixed number of values: they go to a place that is
/// known before.
[[nodiscard]] bool has_fixed_samples(const Stream& stream) noexcept;

/// Returns whether the bytes of an object have the values as the stream has them.
[[nodiscard]] bool has_values_of(const ProbedObject& object, const Stream& stream) noexcept;

/// Returns how many bytes objects take at most whose values are delivered as they were read, with
/// the bytes between the values.
[[nodiscard]] constexpr std::int64_t values_in_place_max(std::int64_t value_bytes) noexcept {
  return internal::saturated_sum(value_bytes, value_bytes / 8);
}

/// Decodes samples of a dense stream with a fixed shape. `bytes` has the whole object.
///
/// Pre:    misfit_of() says nothing; the part lies in the object, and is all of an object that is
/// not a matrix or
///         vector of floats; `to` has room for the samples of the part.
/// Errors: as the decoders of kaldi_values.h and kaldi_text.h.
[[nodiscard]] std::optional<KaldiFault> decode_fixed(const ProbedObject& object,
                                                     std::span<const std::byte> bytes,
                                                     const Stream& stream, As as,
                                                     const ObjectPart& part, std::byte* to);

/// Decodes sparse samples or lists.
///
/// Pre:    misfit_of() says nothing.
/// Errors: as above.
[[nodiscard]] std::optional<KaldiFault> decode_loose(const ProbedObject& object,
                                                     std::span<const std::byte> bytes,
                                                     const Stream& stream, As as, LooseSamples& to);

}  // namespace sheaf::kaldi
