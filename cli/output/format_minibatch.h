/// \file
/// Minibatches and sequences as text. A number has the fewest digits that parse to the same value.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/minibatch.h"

namespace sheaf::cli {

/// Appends a JSON string.
void append_quoted(std::string& out, std::string_view text);

/// Returns the name of a sequence for people: the text of its key, or its numeric key.
[[nodiscard]] std::string key_text(const Minibatch& minibatch, std::int64_t sequence);

/// Appends the samples of one sequence as JSON. A dense sample is [value, ...], a sparse sample is
/// [[index, value], ...], and a sample of variable shape is a nested list. Opaque bytes are a text
/// in base64. Where the stream is absent, the result is null.
void append_samples(std::string& out, const Stream& stream, const SequenceView& view);

/// Appends the samples of one sequence for people, one line each. Long lines are cut. Lines after
/// the first are indented. Opaque bytes appear as a description: "<48213 bytes, JPEG>".
void append_samples_readable(std::string& out, const Stream& stream, const SequenceView& view,
                             std::size_t indent);

/// Appends {"keys":[...],"samples":N,"ends_sweep":B,"ends_epoch":B}. For cut sequences, a key is
/// [key,sample] for a single frame, or [key,first sample,count] for a piece.
void append_keys(std::string& out, const Minibatch& minibatch);

/// Appends one line for people: the counts, and the shape of each of `streams`.
///
/// Pre: `streams` are numbers of streams of the minibatch, here and below.
void append_summary(std::string& out, const Minibatch& minibatch, std::int64_t number,
                    std::span<const std::int64_t> streams);

/// Appends the minibatch as a JSON object. For cut sequences, the object has the slice of each as
/// [first sample, count, samples of the sequence]. With `has_arrays`, the object has the flat
/// arrays under the names of StreamBatch. Opaque bytes are a text in base64 for each row of the
/// array. A variable extent in a shape is null.
void append_minibatch(std::string& out, const Minibatch& minibatch,
                      std::span<const std::int64_t> streams, bool has_arrays);

/// Appends the values of each sample on a line of their own, stream by stream, in the order of the
/// rows of the layout. Sparse samples are written densely. Rows without a sample are left out. The
/// last line has no newline.
///
/// Pre: `out` is empty or ends with a newline; sample shapes are fixed.
void append_matrix(std::string& out, const Minibatch& minibatch,
                   std::span<const std::int64_t> streams);

}  // namespace sheaf::cli
