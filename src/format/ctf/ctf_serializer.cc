#include "format/ctf/ctf_serializer.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <limits>
#include <utility>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"
#include "sheaf/extend/buffer.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/float16.h"

#include "base/number_text.h"
#include "base/text.h"
#include "base/unaligned.h"
#include "core/element_cast.h"
#include "core/text_buffer.h"
#include "format/ctf/ctf_errors.h"
#include "format/ctf/ctf_options.h"
#include "format/ctf/ctf_rows.h"
#include "format/sample_shape.h"
#include "format/writing.h"

// Formatting the digits of numbers limits the speed of writing (see base/number_text.cc). Besides
// the digits, each value costs a blank, each sample a name and each row an id. These are copied
// into a buffer with room for the longest possible text. Nothing is formatted twice, and only the
// sink copies again.

namespace sheaf::ctf {
namespace {

using internal::is_finite;
using internal::load;
using internal::TextBuffer;
using internal::throw_unwritable;
using internal::written;

[[noreturn]] void refuse(const Stream& stream, const std::string& why) {
  throw ConfigError(formatted("stream {}: {}", quoted(stream.name), why));
}

void check_stream(const Stream& stream) {
  const auto is_bad = [](char c) { return is_blank(c) || is_control(c) || c == '|'; };
  if (stream.name.empty() || stream.name.front() == '#' ||
      std::ranges::any_of(stream.name, is_bad)) {
    refuse(stream,
           "ctf cannot call a stream so: a name has no blank, no \"|\", no control byte, and does "
           "not begin with \"#\"; give it an alias");
  }
  if (stream.element_type == ElementType::bytes) {
    refuse(stream,
           "ctf has numbers only, got bytes: leave the stream out, or make numbers of it by "
           "a transform");
  }
  if (!stream.sample_shape.is_fixed()) {
    refuse(stream,
           formatted("ctf has samples of fixed shape only, got {}: leave the stream out, or "
                     "make samples of one shape of it by a transform",
                     to_string(stream.sample_shape)));
  }
  internal::check_sample_shape(stream.name, stream.sample_shape, stream.storage, stream.index_type);
}

/// A value, or an index and a value, that cannot be written.
struct BadValue {
  std::int64_t number;  // number of the value
  bool is_index;
};

constexpr std::int64_t kPieceSize = 256;  // values to make room for at a time

template <typename T>
std::optional<BadValue> write_dense(TextBuffer& text, const std::byte* values, std::int64_t count) {
  for (std::int64_t first = 0; first < count; first += kPieceSize) {
    const std::int64_t end = std::min(count, first + kPieceSize);
    char* p = text.room((end - first) * (1 + kNumberTextMax) + kNumberTextRoom);
    for (std::int64_t i = first; i < end; ++i) {
      const T value = load<T>(values, i);
      if (!is_finite(value)) return BadValue{i, false};
      *p++ = ' ';
      p = write_number(p, written(value));
    }
    text.set_end(p);
  }
  return {};
}

template <typename T, typename Index>
std::optional<BadValue> write_sparse(TextBuffer& text, const std::byte* values,
                                     const std::byte* indices, std::int64_t count,
                                     std::int64_t dim) {
  constexpr int kIndexMax = 20;
  for (std::int64_t first = 0; first < count; first += kPieceSize) {
    const std::int64_t end = std::min(count, first + kPieceSize);
    char* p = text.room((end - first) * (2 + kIndexMax + kNumberTextMax) + kNumberTextRoom);
    for (std::int64_t i = first; i < end; ++i) {
      const std::int64_t index = load<Index>(indices, i);
      if (index < 0 || index >= dim) return BadValue{i, true};
      const T value = load<T>(values, i);
      if (!is_finite(value)) return BadValue{i, false};
      *p++ = ' ';
      p = write_number(p, static_cast<std::uint64_t>(index));
      *p++ = ':';
      p = write_number(p, written(value));
    }
    text.set_end(p);
  }
  return {};
}

std::optional<BadValue> write_values(TextBuffer& text, const Stream& stream,
                                     const std::byte* values, const std::byte* indices,
                                     std::int64_t count) {
  return internal::with_zero_of(stream.element_type, [&]<typename T>(T) {
    if (stream.storage == Storage::dense) return write_dense<T>(text, values, count);
    const std::int64_t dim = stream.sample_shape.size();
    if (stream.index_type == ElementType::i32) {
      return write_sparse<T, std::int32_t>(text, values, indices, count, dim);
    }
    return write_sparse<T, std::int64_t>(text, values, indices, count, dim);
  });
}

/// Estimates the bytes that some sequences will take.
std::int64_t estimate(std::span<const Stream> streams, const SequenceBatch& batch) {
  std::int64_t bytes = 256;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    std::int64_t value_size = streams[i].element_type == ElementType::f32 ? 11 : 14;
    if (streams[i].storage == Storage::sparse) value_size += 6;
    const std::int64_t sample_size = 12 + std::ssize(streams[i].name);
    for (const SequenceView& view : batch.views[i]) {
      bytes += view.value_count * value_size + view.sample_count * sample_size;
    }
  }
  return bytes;
}

/// Returns whether a text can be an id in front of a row, to be read with keys=text.
bool is_id(std::string_view text) {
  return !text.empty() && std::ranges::none_of(text, [](char c) {
    return is_blank(c) || is_control(c) || c == '|';
  });
}

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Returns whether text begins like a file in another encoding, or with an unintended byte order
/// mark, as ids may. A byte order mark in front of the text prevents misreading.
bool looks_marked(const Buffer& text) {
  const std::span<const char> bytes = text.as<char>();
  const std::string_view front(bytes.data(), bytes.size());
  return front.starts_with(kByteOrderMark) || front.starts_with("\xFF\xFE") ||
         front.starts_with("\xFE\xFF");
}

constexpr ErrorKind kTextId{"ctf-id", "a key without blanks, \"|\" and control bytes"};
constexpr ErrorKind kKnownText{"ctf-id", "the text of the key"};
constexpr ErrorKind kHashedText{"ctf-id", "the key that the text has"};
constexpr ErrorKind kOneKind{"ctf-id", "keys that are all numbers, or all texts"};
constexpr ErrorKind kFinite{"ctf-number", "a finite number"};
constexpr ErrorKind kOneLine{"ctf-comment", "a comment without line ends"};
constexpr ErrorKind kNoSamples{"ctf-missing-stream", "at least one sample"};
constexpr ErrorKind kOneRow{"ctf-id-needed", "one row, as rows have no ids"};
constexpr ErrorKind kRunning{"ctf-id-needed", "keys that count from 0, as rows have no ids"};

/// Writes a comment as an item of its own.
void write_comment(TextBuffer& text, std::string_view comment) {
  text.append(" |# ");
  for (std::size_t bar = comment.find('|'); bar != std::string_view::npos;
       bar = comment.find('|')) {
    text.append(comment.substr(0, bar + 1));
    text.append("#");
    comment.remove_prefix(bar + 1);
  }
  text.append(comment);
}

}  // namespace

/// The data of the next sample of a stream.
struct CtfSerializer::Cursor {
  const std::byte* values;
  const std::byte* indices;
};

/// The state between the sequences of a batch during encoding.
struct CtfSerializer::Rows {
  explicit Rows(std::int64_t size_bytes) : text(size_bytes) {}

  TextBuffer text;
  std::vector<std::string> names;  // " |name"
  std::vector<Cursor> cursors;     // of the streams
};

CtfSerializer::CtfSerializer(std::unique_ptr<ByteSink> sink, std::span<const Stream> streams,
                             const SerializerOptions& options)
    : sink_(std::move(sink)), streams_(streams.begin(), streams.end()), ids_(ids_of(options)) {
  internal::check_written_streams("ctf", streams_);
  for (const Stream& stream : streams_) check_stream(stream);
}

CtfSerializer::Ids CtfSerializer::ids_of(const SerializerOptions& options) {
  check_format_options("ctf", kWriteOptions, options.extra, "for writing");
  const std::string_view ids = value_of(kIdsOption, options.extra);
  return ids == "first" ? Ids::first : ids == "none" ? Ids::none : Ids::all;
}

std::unique_ptr<Serializer::Block> CtfSerializer::encode(const SequenceBatch& batch) const {
  Rows rows(estimate(streams_, batch));
  for (const Stream& stream : streams_) rows.names.push_back(" |" + stream.name);
  rows.cursors.resize(streams_.size());
  // append() checks that the keys are consecutive, because it knows the number of the first one.
  if (ids_ == Ids::none && !batch.key_texts.empty()) {
    throw_unwritable({.path = sink_->name(), .key = batch.key_texts[0]}, kRunning,
                     quoted(batch.key_texts[0]));
  }
  for (std::size_t n = 0; n < batch.keys.size(); ++n) encode_sequence(batch, n, rows);
  return std::make_unique<internal::TextBlock>(std::move(rows.text).finish(), batch);
}

/// Returns the id of a sequence in the file.
std::string CtfSerializer::id_of(const SequenceBatch& batch, std::size_t n) const {
  const SequenceKey& key = batch.keys[n];
  if (!batch.key_texts.empty()) {
    const std::string_view text = batch.key_texts[n];
    if (!is_id(text)) throw_unwritable({.path = sink_->name(), .key = text}, kTextId, quoted(text));
    if (key_of_text(text) != key) {
      throw_unwritable({.path = sink_->name(), .key = text}, kHashedText, to_string(key));
    }
    return std::string(text);
  }
  if (key.high != 0) {
    throw_unwritable({.path = sink_->name(), .key = to_string(key)}, kKnownText, "its hash alone");
  }
  return std::to_string(key.low);
}

/// Returns the rows of a sequence, which are the samples of its longest stream.
std::int64_t CtfSerializer::row_count(const SequenceBatch& batch, std::size_t n,
                                      std::string_view id) const {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    const SequenceView& view = batch.views[i][n];
    if (view.is_present && view.sample_count == 0) {
      throw_unwritable({.path = sink_->name(), .key = id, .stream = streams_[i].name}, kNoSamples,
                       "none", "a stream without samples has to be absent from its sequence");
    }
    count = std::max(count, view.sample_count);
  }
  if (count == 0)
    throw_unwritable({.path = sink_->name(), .key = id}, kNoSamples, "none of any stream");
  if (count > 1 && ids_ == Ids::none) {
    throw_unwritable({.path = sink_->name(), .key = id}, kOneRow, formatted("{} samples", count));
  }
  return count;
}

void CtfSerializer::encode_sequence(const SequenceBatch& batch, std::size_t n, Rows& rows) const {
  const std::string id = id_of(batch, n);
  const std::int64_t count = row_count(batch, n, id);
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    rows.cursors[i] = {.values = batch.views[i][n].values, .indices = batch.views[i][n].indices};
  }
  TextBuffer& text = rows.text;
  for (std::int64_t t = 0; t < count; ++t) {
    std::size_t skipped = 1;  // the blank before the first item, if no id precedes it
    if (ids_ == Ids::all || (ids_ == Ids::first && t == 0)) {
      text.append(id);
      skipped = 0;
    }
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      const SequenceView& view = batch.views[i][n];
      if (t >= view.sample_count) continue;
      text.append(std::string_view(rows.names[i]).substr(skipped));
      skipped = 0;
      encode_sample(streams_[i], view, t, id, rows.cursors[i], text);
    }
    if (t == 0 && !batch.comments.empty() && !batch.comments[n].empty()) {
      const std::string_view comment = batch.comments[n];
      if (comment.find('\n') != std::string_view::npos) {
        throw_unwritable({.path = sink_->name(), .key = id}, kOneLine, quoted(comment));
      }
      write_comment(text, comment);
    }
    text.append("\n");
  }
}

void CtfSerializer::encode_sample(const Stream& stream, const SequenceView& view, std::int64_t t,
                                  std::string_view id, Cursor& cursor, TextBuffer& text) const {
  const std::int64_t count = view.sample_offsets == nullptr
                                 ? stream.sample_shape.size()
                                 : view.sample_offsets[t + 1] - view.sample_offsets[t];
  const std::optional<BadValue> bad =
      write_values(text, stream, cursor.values, cursor.indices, count);
  if (bad && bad->is_index) {
    const std::int64_t index = stream.index_type == ElementType::i32
                                   ? load<std::int32_t>(cursor.indices, bad->number)
                                   : load<std::int64_t>(cursor.indices, bad->number);
    const std::string expected = formatted("an index from 0 to {}", stream.sample_shape.size() - 1);
    throw_unwritable({.path = sink_->name(), .key = id, .stream = stream.name},
                     {"ctf-index-range", expected}, formatted("{} in sample {}", index, t));
  }
  if (bad) {
    const double value = internal::with_zero_of(stream.element_type, [&](auto zero) {
      return static_cast<double>(arithmetic(load<decltype(zero)>(cursor.values, bad->number)));
    });
    throw_unwritable({.path = sink_->name(), .key = id, .stream = stream.name}, kFinite,
                     formatted("{} in sample {}", value, t));
  }
  // Pointers of empty views may be null, so they are not moved.
  if (count == 0) return;
  cursor.values += count * element_size(stream.element_type);
  if (cursor.indices != nullptr) cursor.indices += count * element_size(stream.index_type);
}

void CtfSerializer::append(std::unique_ptr<Block> block) {
  const auto& encoded = static_cast<const internal::TextBlock&>(*block);
  if (encoded.keys.empty()) return;
  if (has_texts_.value_or(encoded.has_key_texts) != encoded.has_key_texts) {
    throw_unwritable({.path = sink_->name(), .key = to_string(encoded.keys[0])}, kOneKind, "both");
  }
  has_texts_ = encoded.has_key_texts;
  if (ids_ == Ids::none) {
    internal::check_running(sink_->name(), encoded.keys, sequence_count_, kRunning);
  } else {
    internal::check_repeated(sink_->name(), keys_.add(encoded.keys), kRepeatedId);
  }
  const std::span<const std::byte> bytes = encoded.text.as<std::byte>();
  if (sequence_count_ == 0 && looks_marked(encoded.text)) {
    sink_->write(std::as_bytes(std::span(kByteOrderMark)));
  }
  sink_->write(bytes);
  sequence_count_ += std::ssize(encoded.keys);
}

void CtfSerializer::finish() {
  if (sequence_count_ == 0) {
    throw_unwritable({.path = sink_->name()}, kEmpty, "no sequence at all");
  }
  if (ids_ != Ids::none) {
    internal::check_repeated(sink_->name(), keys_.finish(), kRepeatedId);
  }
  sink_->finish();
}

}  // namespace sheaf::ctf
