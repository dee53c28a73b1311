/// \file
/// Minibatches and sequences as text. Numbers have the fewest digits that give the same value
/// again.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/minibatch.h"

namespace sheaf::cli {

/// Append a JSON string.
void append_quoted(std::string& out, std::string_view text);

/// What people call a sequence: the text of its key, or its number.
[[nodiscard]] std::string key_text(const Minibatch& minibatch, std::int64_t sequence);

/// Appends the samples of one sequence as JSON. A dense sample is [value, ...], a sparse sample is
/// [[index, value], ...], and a sample of variable shape is a nested list. Opaque bytes are a text
/// in base64. Where the stream is absent, the result is null.
void append_samples(std::string& out, const Stream& stream, const SequenceView& view);

/// Appends the same for people: each sample on a line, cut where it is long. Lines after the first
/// are indented. Opaque bytes are shown by their size: "<48213 bytes, JPEG>".
void append_samples_readable(std::string& out, const Stream& stream, const SequenceView& view,
                             std::size_t indent);

/// Append {"keys":[...],"samples":N,"ends_sweep":B,"ends_epoch":B}. Where sequences are cut, a key
/// is [key,sample] for a single frame, and [key,first sample,count] for a piece.
void append_keys(std::string& out, const Minibatch& minibatch);

/// Append one line for people: counts, and for each of `streams` its shape.
///
/// Pre: `streams` are numbers of streams of the minibatch; here and below.
void append_summary(std::string& out, const Minibatch& minibatch, std::int64_t number,
                    std::span<const std::int64_t> streams);

/// Append a JSON object of the minibatch; where sequences are cut, with the slice of each as
/// [first sample, count, samples of the sequence]; its arrays flat, under the names of StreamBatch,
/// where `has_arrays`. The values of opaque bytes are a text in base64 for each row. A variable
/// extent in a shape is null.
void append_minibatch(std::string& out, const Minibatch& minibatch,
                      std::span<const std::int64_t> streams, bool has_arrays);

/// Append the values of each sample on a line of their own, sparse ones written densely: stream by
/// stream, in the order of the rows of the layout, rows without a sample left out. No newline after
/// the last line.
///
/// Pre: `out` is empty or ends with a newline; sample shapes are fixed.
void append_matrix(std::string& out, const Minibatch& minibatch,
                   std::span<const std::int64_t> streams);

}  // namespace sheaf::cli
