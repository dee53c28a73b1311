// Formatting the digits of numbers limits the speed of writing (base/number_text.h). Besides the
// digits, a pair costs two bytes, which are copied into a buffer with room for the longest possible
// pair.

#include "format/libsvm/libsvm_serializer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
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
#include "format/libsvm/libsvm_errors.h"
#include "format/libsvm/libsvm_options.h"
#include "format/libsvm/libsvm_schema.h"
#include "format/writing.h"

namespace sheaf::libsvm {
namespace {

using internal::is_finite;
using internal::load;
using internal::TextBuffer;
using internal::written;

constexpr ErrorKind kNumericKey{"libsvm-qid", "a key that is a number, as qids are"};
constexpr ErrorKind kRunning{"libsvm-qid-needed", "keys that count from 0, as rows have no qids"};
constexpr ErrorKind kOneRow{"libsvm-qid-needed", "one sample, as rows have no qids"};
constexpr ErrorKind kSamples{"libsvm-missing-stream", "as many samples as there are rows"};
constexpr ErrorKind kNoSamples{"libsvm-missing-stream", "at least one sample"};
constexpr ErrorKind kNothing{"libsvm-empty-row", "a label, a qid or a pair in each row"};
constexpr ErrorKind kOnes{"libsvm-label", "the value 1 for each label of a list"};
constexpr ErrorKind kFinite{"libsvm-number", "a finite number"};
constexpr ErrorKind kAscending{"libsvm-order", "ascending indices below the dim"};
constexpr ErrorKind kOneLine{"libsvm-comment", "a comment without line ends"};

constexpr int kIndexTextMax = 20;

/// Returns whether a dense sample leaves out the pair of a value.
template <typename T>
bool is_left_out(T value) noexcept {
  return std::bit_cast<std::array<std::byte, sizeof(T)>>(value) ==
         std::array<std::byte, sizeof(T)>{};  // -0 is not left out
}

/// Calls `act` with a zero value and a zero index of the stream's types.
template <typename F>
void with_types(const Stream& stream, const F& act) {
  internal::with_zero_of(stream.element_type, [&](auto zero) {
    stream.index_type == ElementType::i64 ? act(zero, std::int64_t{}) : act(zero, std::int32_t{});
  });
}

/// Estimates the bytes that some sequences will take.
std::int64_t estimate(const SequenceBatch& batch) {
  std::int64_t bytes = 256;
  for (const std::span<const SequenceView> views : batch.views) {
    for (const SequenceView& view : views) bytes += view.value_count * 16 + view.sample_count * 24;
  }
  return bytes;
}

}  // namespace

LibsvmSerializer::LibsvmSerializer(std::unique_ptr<ByteSink> sink, std::span<const Stream> streams,
                                   const SerializerOptions& options)
    : sink_(std::move(sink)),
      streams_(streams.begin(), streams.end()),
      options_(options_of(options)) {
  internal::check_written_streams("libsvm", streams_);
  FormatOptions wanted;  // options to read the file back; streams that cannot be read are refused
                         // with the reader's messages
  for (const Stream& stream : streams_) {
    wanted.streams.push_back({.name = stream.name,
                              .storage = stream.storage,
                              .sample_shape = stream.sample_shape,
                              .dtype = stream.element_type,
                              .index_dtype = stream.index_type});
  }
  const Schema schema = make_schema(wanted);
  label_ = schema.label;
  features_ = schema.features;
}

LibsvmSerializer::Options LibsvmSerializer::options_of(const SerializerOptions& options) {
  check_format_options("libsvm", kWriteOptions, options.extra, "for writing");
  const std::string_view qids = value_of(kQidOption, options.extra);
  return {.qids = qids == "none"   ? Qids::none
                  : qids == "drop" ? Qids::drop
                                   : Qids::all,
          .base = value_of(kBaseOption, options.extra) == "0" ? 0 : 1};
}

std::unique_ptr<Serializer::Block> LibsvmSerializer::encode(const SequenceBatch& batch) const {
  if (options_.qids != Qids::drop && !batch.key_texts.empty()) {
    fail(batch.key_texts[0], nullptr, kNumericKey, "a text");
  }
  if (options_.qids == Qids::none && !batch.keys.empty()) {
    internal::check_running(sink_->name(), batch.keys, static_cast<std::int64_t>(batch.keys[0].low),
                            kRunning);
  }
  TextBuffer text(estimate(batch));
  for (std::size_t n = 0; n < batch.keys.size(); ++n) encode_sequence(batch, n, text);
  return std::make_unique<internal::TextBlock>(std::move(text).finish(), batch);
}

std::string LibsvmSerializer::key_of(const SequenceBatch& batch, std::size_t n) const {
  if (!batch.key_texts.empty()) return std::string(batch.key_texts[n]);
  const SequenceKey& key = batch.keys[n];
  if (key.high != 0 && options_.qids != Qids::drop) {
    fail(to_string(key), nullptr, kNumericKey, "the hash of a text");
  }
  return to_string(key);
}

/// Returns the rows of a sequence, one for each sample of every stream.
std::int64_t LibsvmSerializer::row_count(const SequenceBatch& batch, std::size_t n,
                                         std::string_view key) const {
  const std::int64_t count = batch.views[0][n].sample_count;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    const SequenceView& view = batch.views[i][n];
    if (!view.is_present) fail(key, &streams_[i], kNoSamples, "none: it is absent");
    if (view.sample_count == 0) fail(key, &streams_[i], kNoSamples, "none");
    if (view.sample_count != count) {
      fail(key, &streams_[i], kSamples,
           formatted("{}, where \"{}\" has {}", view.sample_count, streams_[0].name, count));
    }
  }
  if (count > 1 && options_.qids == Qids::none) {
    fail(key, nullptr, kOneRow, std::to_string(count));
  }
  return count;
}

LibsvmSerializer::Cursor LibsvmSerializer::cursor_of(const SequenceBatch& batch,
                                                     std::int64_t stream, std::size_t n) const {
  if (stream < 0) return {};
  const auto i = static_cast<std::size_t>(stream);
  const SequenceView& view = batch.views[i][n];
  return {&streams_[i], &view, view.values, view.indices};
}

void LibsvmSerializer::encode_sequence(const SequenceBatch& batch, std::size_t n,
                                       TextBuffer& text) const {
  const std::string key = key_of(batch, n);
  const std::int64_t count = row_count(batch, n, key);
  const std::string qid = options_.qids == Qids::all ? "qid:" + key : "";
  Cursor label = cursor_of(batch, label_, n);
  Cursor features = cursor_of(batch, features_, n);
  const auto sample_of = [](const Cursor& cursor, std::int64_t t) -> Sample {
    const std::int64_t* const offsets = cursor.view->sample_offsets;
    const std::int64_t size =
        offsets == nullptr ? cursor.stream->sample_shape.size() : offsets[t + 1] - offsets[t];
    return {cursor, t, size};
  };
  const auto move_on = [](Cursor& cursor, std::int64_t values) {
    if (values == 0) return;  // pointers of empty views may be null
    cursor.values += values * element_size(cursor.stream->element_type);
    if (cursor.indices != nullptr) {
      cursor.indices += values * element_size(cursor.stream->index_type);
    }
  };
  for (std::int64_t t = 0; t < count; ++t) {
    bool is_begun = true;  // whether the row has any text
    if (label.stream == nullptr) {
      text.append("0");  // readers skip this label, but a row may need one
    } else {
      const Sample sample = sample_of(label, t);
      write_label(sample, key, text);
      is_begun = sample.count > 0;
      move_on(label, sample.count);
    }
    if (!qid.empty()) {
      if (std::exchange(is_begun, true)) text.append(" ");
      text.append(qid);
    }
    if (features.stream != nullptr) {
      const Sample sample = sample_of(features, t);
      write_features(sample, key, text, is_begun);
      move_on(features, sample.count);
    }
    if (!is_begun) fail(key, nullptr, kNothing, formatted("none in row {}", t));
    if (t == 0 && !batch.comments.empty()) write_comment(batch.comments[n], key, text);
    text.append("\n");
  }
}

void LibsvmSerializer::write_label(const Sample& sample, std::string_view key,
                                   TextBuffer& text) const {
  const Stream& stream = *sample.cursor.stream;
  with_types(stream, [&]<typename T, typename Index>(T, Index) {
    if (stream.storage == Storage::sparse) return write_labels<T, Index>(sample, key, text);
    const T value = load<T>(sample.cursor.values, 0);
    if (!is_finite(value)) {
      fail(key, &stream, kFinite, formatted("{} in sample {}", arithmetic(value), sample.number));
    }
    text.set_end(write_number(text.room(kNumberTextRoom), written(value)));
  });
}

// Writes the pairs of a sample. A blank separates a pair from any text before it.
void LibsvmSerializer::write_features(const Sample& sample, std::string_view key, TextBuffer& text,
                                      bool& is_begun) const {
  const Stream& stream = *sample.cursor.stream;
  with_types(stream, [&]<typename T, typename Index>(T, Index) {
    if (stream.storage == Storage::sparse)
      return write_sparse<T, Index>(sample, key, text, is_begun);
    return write_dense<T>(sample, key, text, is_begun);
  });
}

template <typename T, typename Index>
void LibsvmSerializer::check_pair(const Sample& sample, std::string_view key,
                                  std::int64_t at) const {
  const Cursor& cursor = sample.cursor;
  const std::int64_t index = load<Index>(cursor.indices, at);
  const std::int64_t before = at == 0 ? -1 : load<Index>(cursor.indices, at - 1);
  if (index <= before || index >= cursor.stream->sample_shape.size()) {
    fail(key, cursor.stream, kAscending,
         at == 0 ? formatted("{} in sample {}", index, sample.number)
                 : formatted("{} behind {} in sample {}", index, before, sample.number));
  }
  const T value = load<T>(cursor.values, at);
  if (!is_finite(value)) {
    fail(key, cursor.stream, kFinite,
         formatted("{} in sample {}", arithmetic(value), sample.number));
  }
}

template <typename T, typename Index>
void LibsvmSerializer::write_labels(const Sample& sample, std::string_view key,
                                    TextBuffer& text) const {
  const Cursor& cursor = sample.cursor;
  for (std::int64_t i = 0; i < sample.count; ++i) {
    check_pair<T, Index>(sample, key, i);
    const auto label = static_cast<std::uint64_t>(load<Index>(cursor.indices, i));
    if (const T value = load<T>(cursor.values, i); arithmetic(value) != 1) {
      fail(key, cursor.stream, kOnes,
           formatted("{} for {} in sample {}", arithmetic(value), label, sample.number));
    }
    if (i > 0) text.append(",");
    text.set_end(write_number(text.room(kNumberTextRoom), label));
  }
}

template <typename T>
void LibsvmSerializer::write_dense(const Sample& sample, std::string_view key, TextBuffer& text,
                                   bool& is_begun) const {
  for (std::int64_t i = 0; i < sample.count; ++i) {
    const T value = load<T>(sample.cursor.values, i);
    if (is_left_out(value)) continue;
    if (!is_finite(value)) {
      fail(key, sample.cursor.stream, kFinite,
           formatted("{} in sample {}", arithmetic(value), sample.number));
    }
    char* p = text.room(2 + kIndexTextMax + kNumberTextRoom);
    if (std::exchange(is_begun, true)) *p++ = ' ';
    p = write_number(p, static_cast<std::uint64_t>(i + options_.base));
    *p++ = ':';
    text.set_end(write_number(p, written(value)));
  }
}

template <typename T, typename Index>
void LibsvmSerializer::write_sparse(const Sample& sample, std::string_view key, TextBuffer& text,
                                    bool& is_begun) const {
  for (std::int64_t i = 0; i < sample.count; ++i) {
    check_pair<T, Index>(sample, key, i);
    const std::int64_t index = load<Index>(sample.cursor.indices, i);
    char* p = text.room(2 + kIndexTextMax + kNumberTextRoom);
    if (std::exchange(is_begun, true)) *p++ = ' ';
    p = write_number(p, static_cast<std::uint64_t>(index + options_.base));
    *p++ = ':';
    text.set_end(write_number(p, written(load<T>(sample.cursor.values, i))));
  }
}

void LibsvmSerializer::write_comment(std::string_view comment, std::string_view key,
                                     TextBuffer& text) const {
  if (comment.empty()) return;
  if (comment.find('\n') != std::string_view::npos) {
    fail(key, nullptr, kOneLine, quoted(comment));
  }
  text.append(" # ");
  text.append(comment);
}

void LibsvmSerializer::append(std::unique_ptr<Block> block) {
  const auto& encoded = static_cast<const internal::TextBlock&>(*block);
  if (options_.qids == Qids::none) {
    internal::check_running(sink_->name(), encoded.keys, sequence_count_, kRunning);
  }
  if (options_.qids == Qids::all) {
    internal::check_repeated(sink_->name(), keys_.add(encoded.keys), kRepeatedQid);
  }
  sink_->write(encoded.text.as<std::byte>());
  sequence_count_ += std::ssize(encoded.keys);
}

void LibsvmSerializer::finish() {
  if (sequence_count_ == 0) fail("", nullptr, kEmpty, "no sequence at all");
  if (options_.qids == Qids::all) {
    internal::check_repeated(sink_->name(), keys_.finish(), kRepeatedQid);
  }
  sink_->finish();
}

void LibsvmSerializer::fail(std::string_view key, const Stream* stream, const ErrorKind& kind,
                            std::string found) const {
  internal::throw_unwritable({.path = sink_->name(),
                              .key = key,
                              .stream = stream == nullptr ? std::string_view() : stream->name},
                             kind, std::move(found));
}

}  // namespace sheaf::libsvm
