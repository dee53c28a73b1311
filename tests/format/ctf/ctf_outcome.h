// What is made of a text, in a line: for tables of texts.

#pragma once

#include <cstdint>
#include <string>

#include "sheaf/extend/format.h"

namespace sheaf::ctf {

/// A stream of f64.
[[nodiscard]] StreamOptions dense(std::string name, std::int64_t dim);
[[nodiscard]] StreamOptions sparse(std::string name, std::int64_t dim);

/// The same stream, defining the minibatch size.
[[nodiscard]] StreamOptions defining(StreamOptions stream);

/// Read a text and say what came of it: "KEY/COUNT:SAMPLES ... err N", where COUNT is the sample
/// count of the index. SAMPLES are those of a stream, "(1 2)" each, or "{3:1 4:2}"; "absent" where
/// it is absent. A sequence that is left out is "KEY/COUNT!". N wrong places follow: compatible
/// with CNTK as a number, else as "CODE LINE:COLUMN"; then, but with CNTK, "warn CODE LINE:COLUMN"
/// for each warning.
///
/// Pre:    all streams are of f64, and of i32 indices.
/// Throws: as CtfDeserializer.
[[nodiscard]] std::string outcome(std::string text, const FormatOptions& options);

}  // namespace sheaf::ctf
