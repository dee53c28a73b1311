// What an object is, before its values are decoded.

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

/// An object, and the samples that the object becomes.
struct ProbedObject {
  static constexpr std::int64_t kAnyDim = -1;

  KaldiHead head;  // of a text: the kind and the sizes that the text has
  bool is_text = false;
  std::int64_t size_bytes = 0;  // of the whole object in the file
  std::int64_t sample_count = 0;
  std::int64_t dim = kAnyDim;    // values of a sample; kAnyDim: the object does not say
  std::int64_t value_count = 0;  // of sparse samples and lists: stored values
};

using Probed = std::variant<ProbedObject, KaldiFault>;

/// Returns the bytes of an object from `position` on, as many as are at hand; none at the end of
/// the file.
using BytesAt = std::function<std::span<const std::byte>(std::int64_t position)>;

/// Finds out what an object is. `bytes_at(0)` has the first internal::kKaldiHeadSize bytes, or all
/// bytes up to the end of the file, which has `size_left` bytes from the start of the object on.
/// Goes through the object where the head does not tell the size.
///
/// Errors: as parse_kaldi_head(), KaldiWalk and the parsers of texts.
/// Throws: what `bytes_at` throws.
[[nodiscard]] Probed probe_object(const BytesAt& bytes_at, std::int64_t size_left,
                                  const ReadOptions& options);

/// Reads from a source, and does the same.
///
/// Throws: IoError.
[[nodiscard]] Probed probe_object(const ByteSource& source, std::int64_t offset_bytes,
                                  const ReadOptions& options);

/// Does the same, and does not read `head`, the first bytes of the object, once more.
[[nodiscard]] Probed probe_listed(const ByteSource& source, std::int64_t offset_bytes,
                                  std::span<const std::byte> head, const ReadOptions& options);

/// Some rows and columns of an object.
struct ObjectPart {
  internal::KaldiRange rows;
  internal::KaldiRange cols;
};

/// Returns the part of an object that the ranges of a list pick; all of it where there are none.
///
/// Errors: as clip_row_range() and check_column_range(); a range of an object that is neither a
///         matrix nor a vector of floats.
[[nodiscard]] std::variant<ObjectPart, KaldiFault> part_of(
    const ProbedObject& object, const std::optional<internal::KaldiListedRange>& rows,
    const std::optional<internal::KaldiListedRange>& cols);

/// Sets the samples of an object to those of a part: a matrix with the rows and columns, or a
/// vector with the elements.
void take_part(ProbedObject& object, const ObjectPart& part, As as) noexcept;

/// Returns the stream of a file, by the options and by the first object. Without an object, the
/// options must say storage, shape and type.
///
/// Throws: ConfigError for a shape that no stream can have.
[[nodiscard]] Stream stream_of(const ReadOptions& options, const ProbedObject* first);

/// Why an object does not fit a stream.
struct Misfit {
  const ErrorKind* kind = nullptr;
  std::string found;
};

/// Returns why an object cannot be read as samples of the stream; nothing where it can.
[[nodiscard]] std::optional<Misfit> misfit_of(const ProbedObject& object, const Stream& stream,
                                              As as);

}  // namespace sheaf::kaldi
