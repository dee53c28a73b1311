// Images are decoded into one buffer, one after the other. Views of an image share its bytes.

#include "format/image_base64/image_base64_range.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "base/base64.h"
#include "base/text.h"
#include "format/image_base64/image_base64_errors.h"
#include "format/images/class_id.h"

namespace sheaf::image_base64 {
namespace {

// Returns the views of a range, whose count may exceed the existing views.
ChunkRange views_of(const ChunkRange& range, const Index& lines, std::int64_t views) {
  const std::int64_t count = lines.chunk(range.chunk)->sequence_count * views;
  return {range.chunk, range.first, std::min(range.count, count - range.first)};
}

// Returns the lines of a range of views.
ChunkRange lines_of(const ChunkRange& range, std::int64_t views) {
  const std::int64_t first = range.first / views;
  const std::int64_t end = (range.first + range.count - 1) / views + 1;
  return {range.chunk, first, end - first};
}

}  // namespace

RangeReader::RangeReader(const ByteSource& source, const Schema& schema,
                         const internal::ScannedIndex& index, const ChunkRange& range,
                         Diagnostics& diagnostics)
    : source_(source),
      schema_(schema),
      index_(index),
      range_(views_of(range, index, schema.images.view_count)),
      diagnostics_(diagnostics),
      rows_(source, schema, index, lines_of(range_, schema.images.view_count)),
      errors_(source, diagnostics) {}

Chunk RangeReader::read() {
  sequences_.reserve(static_cast<std::size_t>(range_.count));
  if (schema_.has_text_keys) key_texts_.reserve(static_cast<std::size_t>(range_.count));
  if (schema_.images.image) {
    images_ = internal::buffer_of_size(image_bytes_max(rows_.end_offset() - rows_.begin_offset()));
  }
  while (rows_.next_row(row_)) {
    line_ = split_line(row_, schema_.form);
    // The index drops no sequence, so it has this one.
    if (!line_.is_blank && rows_.begin_sequence(row_, line_.key)) take_line();
  }
  rows_.end();
  images_.resize(images_end_);
  Chunk chunk(schema_.images.streams, range_.count,
              internal::image_columns(schema_.images, sequences_, std::move(images_)),
              internal::holes_of(sequences_));
  if (schema_.has_text_keys) chunk.set_key_texts(std::move(key_texts_));
  if (schema_.images.view_count == 1) rows_.check_sample_counts(chunk);
  return chunk;
}

void RangeReader::take_line() {
  wrong_.clear();
  internal::ImageSequence sequence{.location = images_end_};
  check_key();
  if (line_.has_columns) {
    if (schema_.images.label) take_label(sequence);
    if (schema_.images.image) take_image(sequence);
  } else {
    const internal::ErrorKind& kind = schema_.form.has_keys() ? kKeyedColumns : kColumns;
    fail(kind, nullptr, row_.text(), std::string(kind.expected), quoted(row_.text()));
  }
  sequence.is_hole = !wrong_.empty();
  if (!sequence.is_hole) images_end_ += sequence.size_bytes;
  add_views(sequence);
}

// CNTK allows repeated keys.
void RangeReader::check_key() {
  if (line_.wrong_key != nullptr) {
    fail(*line_.wrong_key, nullptr, line_.key_text, std::string(line_.wrong_key->expected),
         quoted(line_.key_text),
         schema_.has_text_keys ? std::string() : std::string(internal::kTextKeysHint));
    return;
  }
  if (!rows_.is_repeated()) return;
  std::string expected(kRepeatedKey.expected);
  if (errors_.wants_text()) {
    expected += formatted(" (line {} has it)", index_.first_location(line_.key).line);
  }
  fail(kRepeatedKey, nullptr, line_.key_text, std::move(expected), quoted(line_.key_text));
}

void RangeReader::take_label(internal::ImageSequence& sequence) {
  using Problem = internal::ClassId::Problem;
  const std::optional<std::int64_t> count = schema_.images.class_count;
  const internal::ClassId id = internal::parse_class_id(line_.label, count);
  sequence.class_id = id.value;
  if (id.problem == Problem::none) return;
  const internal::ErrorKind& kind = id.problem == Problem::too_large ? kClass : kLabel;
  std::string expected(kind.expected);
  if (id.problem == Problem::too_large) {
    expected += formatted(" {}", count.value_or(internal::kClassIdMax + 1));
  }
  fail(kind, stream_of(schema_.images.label), line_.label, std::move(expected),
       quoted(line_.label));
}

void RangeReader::take_image(internal::ImageSequence& sequence) {
  const std::string_view text = line_.image;
  const Stream* const stream = stream_of(schema_.images.image);
  if (text.empty()) {
    fail(kEmpty, stream, text, std::string(kEmpty.expected), "none");
    return;
  }
  const internal::DecodedBase64 decoded =
      internal::decode_base64(text, images_.mutable_data() + sequence.location);
  sequence.size_bytes = decoded.size_bytes;
  if (decoded.is_right()) return;
  const std::string_view rest = text.substr(static_cast<std::size_t>(decoded.wrong_at));
  if (rest.empty()) {
    fail(kLength, stream, rest, std::string(kLength.expected),
         formatted("{} characters", text.size()));
  } else {
    fail(kCharacter, stream, rest.substr(0, 1), std::string(kCharacter.expected),
         quoted(rest.substr(0, 1)));
  }
}

// CNTK tolerates no wrong label and no missing column, however many errors it tolerates.
void RangeReader::fail(const internal::ErrorKind& kind, const Stream* stream, std::string_view text,
                       std::string expected, std::string found, std::string hint) {
  constexpr std::int64_t kUnderlinedMax = 40;
  const char* const location = text.data() == nullptr ? row_.begin : text.data();
  Diagnostic diagnostic =
      errors_.at(row_, location, std::min<std::int64_t>(kUnderlinedMax, std::ssize(text)));
  const bool ends_run =
      &kind == &kLabel || &kind == &kClass || &kind == &kColumns || &kind == &kKeyedColumns;
  if (schema_.form.is_cntk && ends_run) diagnostic.severity = Severity::fatal;
  if (errors_.wants_text()) {
    diagnostic.path = source_.name();
    diagnostic.sequence_key =
        schema_.has_text_keys ? std::string(line_.key_text) : to_string(line_.key);
    diagnostic.code = kind.code;
    if (stream != nullptr) diagnostic.stream = stream->name;
    diagnostic.expected = std::move(expected);
    diagnostic.found = std::move(found);
    diagnostic.hint = std::move(hint);
  }
  wrong_.push_back(std::move(diagnostic));
}

const Stream* RangeReader::stream_of(std::optional<std::size_t> number) const {
  return number ? &schema_.images.streams[*number] : nullptr;
}

// Adds the views of a line. A line at the border of the range has views outside of it.
void RangeReader::add_views(internal::ImageSequence sequence) {
  const std::int64_t views = schema_.images.view_count;
  for (std::int64_t view = 0; view < views; ++view) {
    const std::int64_t number = rows_.sequence() * views + view;
    if (number < range_.first || number >= range_.first + range_.count) continue;
    sequence.view = static_cast<std::int32_t>(view);
    sequences_.push_back(sequence);
    if (schema_.has_text_keys) key_texts_.emplace_back(line_.key_text);
    for (const Diagnostic& each : wrong_) diagnostics_.add(number, each);
  }
}

}  // namespace sheaf::image_base64
