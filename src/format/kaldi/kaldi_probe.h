// Examines an object before its values are decoded.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "sheaf/extend/byte_source.h"
#include "sheaf/types.h"

#include "core/error_kind.h"
#include "format/kaldi/kaldi_object.h"
#include "format/kaldi/kaldi_options.h"
#include "format/kaldi/kaldi_values.h"

namespace sheaf::kaldi {

using internal::ErrorKind;
using internal::KaldiFault;
using internal::KaldiHead;
using internal::KaldiKind;

/// An object, and the samples that it becomes.
struct ProbedObject {
  static constexpr std::int64_t kAnyDim = -1;

  KaldiHead head;  // for a text, the kind and the sizes of the text
  bool is_text = false;
  std::int64_t size_bytes = 0;  // of the whole object in the file
  std::int64_t sample_count = 0;
  std::int64_t dim = kAnyDim;    // values of a sample; kAnyDim if the object does not tell
  std::int64_t value_count = 0;  // number of values stored in sparse samples and lists
};

using Probed = std::variant<ProbedObject, KaldiFault>;

/// Returns the bytes of an object from `position` on, as many as are in memory. Returns none at the
/// end of the file.
using BytesAt = std::function<std::span<const std::byte>(std::int64_t position)>;

/// Examines an object. `bytes_at(0)` has the first internal::kKaldiHeadSize bytes, or all bytes up
/// to the end of the file. The file has `size_left` bytes from the start of the object. Walks
/// through the object if the head does not tell the size.
///
/// Errors: as parse_kaldi_head(), KaldiWalk and the parsers of texts.
/// Throws: the exceptions of `bytes_at`.
[[nodiscard]] Probed probe_object(const BytesAt& bytes_at, std::int64_t size_left,
                                  const ReadOptions& options);

/// Does the same with the bytes of a source.
///
/// Throws: IoError.
[[nodiscard]] Probed probe_object(const ByteSource& source, std::int64_t offset_bytes,
                                  const ReadOptions& options);

/// Does the same, but does not read `head`, the first bytes of the object, again.
[[nodiscard]] Probed probe_listed(const ByteSource& source, std::int64_t offset_bytes,
                                  std::span<const std::byte> head, const ReadOptions& options);

/// Some rows and columns of an object.
struct ObjectPart {
  internal::KaldiRange rows;
  internal::KaldiRange cols;
};

/// Returns the part of an object that the ranges of a list select, or the whole object if there are
/// no ranges.
///
/// Errors: as clip_row_range() and check_column_range(); a range of an object that is neither a
///         matrix nor a vector of floats.
[[nodiscard]] std::variant<ObjectPart, KaldiFault> part_of(
    const ProbedObject& object, const std::optional<internal::KaldiListedRange>& rows,
    const std::optional<internal::KaldiListedRange>& cols);

/// Reduces the samples of an object to a part: rows and columns of a matrix, or elements of a
/// vector.
void take_part(ProbedObject& object, const ObjectPart& part, As as) noexcept;

/// Returns the stream of a file, given the options and the first object. Without an object, the
/// options must declare storage, shape and type.
///
/// Throws: ConfigError for a shape that no stream can have.
[[nodiscard]] Stream stream_of(const ReadOptions& options, const ProbedObject* first);

/// The reason why an object does not fit a stream.
struct Misfit {
  const ErrorKind* kind = nullptr;
  std::string found;
};

/// Returns why an object cannot be read as samples of the stream, or nothing if it can.
[[nodiscard]] std::optional<Misfit> misfit_of(const ProbedObject& object, const Stream& stream,
                                              As as);

}  // namespace sheaf::kaldi
