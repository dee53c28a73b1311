// Numbers have the fewest digits that read back the same. Numbers of floating-point streams have a
// point or an exponent, so that code that finds types does not take them for whole numbers.

#include "format/jsonl/jsonl_serializer.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"
#include "sheaf/extend/format.h"
#include "sheaf/float16.h"

#include "base/number_text.h"
#include "base/text.h"
#include "base/unaligned.h"
#include "base/utf8.h"
#include "core/element_cast.h"
#include "format/jsonl/jsonl_errors.h"
#include "format/jsonl/jsonl_options.h"
#include "format/jsonl/jsonl_schema.h"
#include "format/jsonl/jsonl_string.h"
#include "format/writing.h"

namespace sheaf::jsonl {
namespace {

using internal::is_finite;
using internal::load;
using internal::TextBuffer;
using internal::written;

constexpr ErrorKind kWrittenKey{"jsonl-written-key", "a key that is UTF-8, and not empty"};
constexpr ErrorKind kRunning{"jsonl-written-key", "keys that count from 0, as lines have no keys"};
constexpr ErrorKind kFinite{"jsonl-written-number", "a finite number, as JSON has no others"};
constexpr ErrorKind kWrittenText{"jsonl-written-text", "bytes that are UTF-8"};
constexpr ErrorKind kAscending{"jsonl-written-index", "ascending indices below the dim"};

/// Estimates the bytes that some sequences will take.
std::int64_t estimate(const SequenceBatch& batch) {
  std::int64_t bytes = 256;
  for (const std::span<const SequenceView> views : batch.views) {
    for (const SequenceView& view : views)
      bytes += view.value_count * 8 + view.sample_count * 8 + 16;
  }
  return bytes;
}

/// Returns the number of values of a sample.
std::int64_t value_count_of(const Stream& stream, const SequenceView& view, std::int64_t sample) {
  if (view.sample_offsets != nullptr) {
    return view.sample_offsets[sample + 1] - view.sample_offsets[sample];
  }
  return stream.sample_shape.size();
}

std::string quoted_json(std::string_view text) {
  TextBuffer buffer(std::ssize(text) + 16);
  append_json_string(text, buffer);
  const Buffer bytes = std::move(buffer).finish();
  const auto characters = bytes.as<char>();
  return {characters.begin(), characters.end()};
}

}  // namespace

JsonlSerializer::JsonlSerializer(std::unique_ptr<ByteSink> sink, std::span<const Stream> streams,
                                 const SerializerOptions& options)
    : sink_(std::move(sink)), streams_(streams.begin(), streams.end()) {
  check_format_options("jsonl", kWriteOptions, options.extra, "for writing");
  internal::check_written_streams("jsonl", streams_);
  const std::string_view keys = value_of(kWrittenKeysOption, options.extra);
  keys_mode_ = keys == "none" ? Keys::none : keys == "drop" ? Keys::drop : Keys::all;
  const std::string key_field(value_of(kWrittenKeyOption, options.extra));
  if (key_field.empty() || !internal::is_utf8(key_field)) {
    throw ConfigError(formatted("jsonl.key: a name that is UTF-8, and not empty, got {}",
                                sheaf::quoted(key_field)));
  }
  key_name_ = quoted_json(key_field);
  FormatOptions wanted;  // options to read the file back; streams that cannot be read are refused
                         // with the reader's messages
  for (const Stream& stream : streams_) {
    if (keys_mode_ == Keys::all && stream.name == key_field) {
      throw ConfigError(
          formatted("stream {}: the field has the keys; jsonl.key says another (--out-option "
                    "jsonl.key=FIELD)",
                    sheaf::quoted(stream.name)));
    }
    wanted.streams.push_back({.name = stream.name,
                              .storage = stream.storage,
                              .sample_shape = stream.sample_shape,
                              .dtype = stream.element_type,
                              .index_dtype = stream.index_type});
  }
  static_cast<void>(make_schema(wanted, {}));
  for (const Stream& stream : streams_) stream_names_.push_back(quoted_json(stream.name));
}

std::unique_ptr<Serializer::Block> JsonlSerializer::encode(const SequenceBatch& batch) const {
  if (keys_mode_ == Keys::none && !batch.keys.empty()) {
    if (!batch.key_texts.empty()) fail(batch.key_texts[0], nullptr, kRunning, "a text");
    internal::check_running(sink_->name(), batch.keys, static_cast<std::int64_t>(batch.keys[0].low),
                            kRunning);
  }
  TextBuffer text(estimate(batch));
  for (std::size_t n = 0; n < batch.keys.size(); ++n) encode_sequence(batch, n, text);
  return std::make_unique<internal::TextBlock>(std::move(text).finish(), batch);
}

std::string JsonlSerializer::key_of(const SequenceBatch& batch, std::size_t n) const {
  if (keys_mode_ == Keys::all) {
    return internal::written_key(sink_->name(), batch, n, kWrittenKey.code);
  }
  return batch.key_texts.empty() ? to_string(batch.keys[n]) : std::string(batch.key_texts[n]);
}

void JsonlSerializer::encode_sequence(const SequenceBatch& batch, std::size_t n,
                                      TextBuffer& text) const {
  const std::string key = key_of(batch, n);
  text.append("{");
  std::string_view comma = "";
  if (keys_mode_ == Keys::all) {
    write_key(batch, key, text);
    comma = ", ";
  }
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    const SequenceView& view = batch.views[i][n];
    if (!view.is_present) continue;
    text.append(std::exchange(comma, ", "));
    text.append(stream_names_[i]);
    text.append(": ");
    write_stream({streams_[i], view, key, view.values, view.indices}, text);
  }
  text.append("}\n");
}

void JsonlSerializer::write_key(const SequenceBatch& batch, std::string_view key,
                                TextBuffer& text) const {
  text.append(key_name_);
  text.append(": ");
  if (batch.key_texts.empty()) return text.append(key);
  if (key.empty() || !internal::is_utf8(key)) {
    fail(key, nullptr, kWrittenKey, sheaf::quoted(key));
  }
  append_json_string(key, text);
}

// Writes a list of samples. A single sample is written without a list around it, unless it is a
// list of several numbers.
void JsonlSerializer::write_stream(Cursor cursor, TextBuffer& text) const {
  const bool is_numbers =
      cursor.stream.storage == Storage::dense && cursor.stream.element_type != ElementType::bytes;
  const bool is_list =
      cursor.view.sample_count != 1 || (is_numbers && cursor.stream.sample_shape.size() != 1);
  if (is_list) text.append("[");
  for (; cursor.sample < cursor.view.sample_count; ++cursor.sample) {
    if (cursor.sample > 0) text.append(", ");
    write_sample(cursor, text);
  }
  if (is_list) text.append("]");
}

void JsonlSerializer::write_sample(Cursor& cursor, TextBuffer& text) const {
  const Stream& stream = cursor.stream;
  const std::int64_t count = value_count_of(stream, cursor.view, cursor.sample);
  if (stream.element_type == ElementType::bytes) {
    write_bytes(cursor, count, text);
  } else if (stream.storage == Storage::sparse) {
    text.append("{\"indices\": [");
    write_indices(cursor, count, text);
    text.append("], \"values\": [");
    write_numbers(cursor, count, text);
    text.append("]}");
  } else if (stream.sample_shape.size() == 1) {
    write_numbers(cursor, count, text);
  } else {
    text.append("[");
    write_numbers(cursor, count, text);
    text.append("]");
  }
  if (count == 0) return;  // pointers of empty views may be null
  cursor.values += count * element_size(stream.element_type);
  if (cursor.indices != nullptr) cursor.indices += count * element_size(stream.index_type);
}

void JsonlSerializer::write_bytes(const Cursor& cursor, std::int64_t count,
                                  TextBuffer& text) const {
  const std::string_view bytes =
      count == 0 ? std::string_view()
                 : std::string_view(reinterpret_cast<const char*>(cursor.values),
                                    static_cast<std::size_t>(count));
  if (!internal::is_utf8(bytes)) {
    fail(cursor.key, &cursor.stream, kWrittenText,
         formatted("{} in sample {}", sheaf::quoted(bytes), cursor.sample));
  }
  append_json_string(bytes, text);
}

void JsonlSerializer::write_numbers(const Cursor& cursor, std::int64_t count,
                                    TextBuffer& text) const {
  internal::with_zero_of(cursor.stream.element_type, [&]<typename T>(T) {
    for (std::int64_t i = 0; i < count; ++i) {
      if (i > 0) text.append(", ");
      write_value<T>(cursor, i, text);
    }
  });
}

template <typename T>
void JsonlSerializer::write_value(const Cursor& cursor, std::int64_t at, TextBuffer& text) const {
  const T value = load<T>(cursor.values, at);
  if (!is_finite(value)) {
    fail(cursor.key, &cursor.stream, kFinite,
         formatted("{} in sample {}", arithmetic(value), cursor.sample));
  }
  char* const begin = text.room(kNumberTextRoom + 2);
  char* end = write_number(begin, written(value));
  if constexpr (!std::is_integral_v<T>) {
    const bool is_whole = std::none_of(begin, end, [](char c) { return c == '.' || c == 'e'; });
    if (is_whole) {
      *end++ = '.';
      *end++ = '0';
    }
  }
  text.set_end(end);
}

void JsonlSerializer::write_indices(const Cursor& cursor, std::int64_t count,
                                    TextBuffer& text) const {
  const std::int64_t dim = cursor.stream.sample_shape.size();
  std::int64_t before = -1;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t index = cursor.stream.index_type == ElementType::i64
                                   ? load<std::int64_t>(cursor.indices, i)
                                   : load<std::int32_t>(cursor.indices, i);
    if (index <= before || index >= dim) {
      fail(cursor.key, &cursor.stream, kAscending,
           i == 0 ? formatted("{} in sample {}", index, cursor.sample)
                  : formatted("{} behind {} in sample {}", index, before, cursor.sample));
    }
    if (i > 0) text.append(", ");
    text.set_end(write_number(text.room(kNumberTextRoom), index));
    before = index;
  }
}

void JsonlSerializer::append(std::unique_ptr<Block> block) {
  const auto& encoded = static_cast<const internal::TextBlock&>(*block);
  if (keys_mode_ == Keys::none) {
    internal::check_running(sink_->name(), encoded.keys, sequence_count_, kRunning);
  }
  if (keys_mode_ == Keys::all) {
    internal::check_repeated(sink_->name(), keys_.add(encoded.keys), kRepeatedKey);
  }
  sink_->write(encoded.text.as<std::byte>());
  sequence_count_ += std::ssize(encoded.keys);
}

void JsonlSerializer::finish() {
  if (sequence_count_ == 0) fail("", nullptr, kEmpty, "no sequence at all");
  if (keys_mode_ == Keys::all) {
    internal::check_repeated(sink_->name(), keys_.finish(), kRepeatedKey);
  }
  sink_->finish();
}

void JsonlSerializer::fail(std::string_view key, const Stream* stream, const ErrorKind& kind,
                           std::string found) const {
  internal::throw_unwritable({.path = sink_->name(),
                              .key = key,
                              .stream = stream == nullptr ? std::string_view() : stream->name},
                             kind, std::move(found));
}

}  // namespace sheaf::jsonl
