// Describes in one line what is read from a text, for tables of texts.

#pragma once

#include <cstdint>
#include <string>

#include "sheaf/extend/format.h"

namespace sheaf::ctf {

/// Returns a stream of f64.
[[nodiscard]] StreamOptions dense(std::string name, std::int64_t dim);
[[nodiscard]] StreamOptions sparse(std::string name, std::int64_t dim);

/// Returns the same stream, which now defines the minibatch size.
[[nodiscard]] StreamOptions defining(StreamOptions stream);

/// Reads a text and returns the outcome as "KEY/COUNT:SAMPLES ... err N". COUNT is the sample count
/// of the index. SAMPLES has "(1 2)" or "{3:1 4:2}" for each sample of a stream, or "absent". A
/// sequence that is left out is "KEY/COUNT!". If compatible with CNTK, N is the number of errors.
/// Otherwise, each error is "CODE LINE:COLUMN", and "warn CODE LINE:COLUMN" follows for each
/// warning.
///
/// Pre:    all streams have f64 values and i32 indices.
/// Throws: as CtfDeserializer.
[[nodiscard]] std::string outcome(std::string text, const FormatOptions& options);

}  // namespace sheaf::ctf
