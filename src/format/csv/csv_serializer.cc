// Texts are quoted, and so are keys that are texts. So an empty text differs from a missing value,
// and people do not take a text for a number.

#include "format/csv/csv_serializer.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"
#include "sheaf/extend/buffer.h"
#include "sheaf/extend/chunk.h"

#include "base/number_text.h"
#include "base/text.h"
#include "base/unaligned.h"
#include "core/element_cast.h"
#include "format/csv/csv_cells.h"
#include "format/csv/csv_errors.h"
#include "format/csv/csv_options.h"
#include "format/sample_shape.h"
#include "format/writing.h"

namespace sheaf::csv {
namespace {

using internal::TextBuffer;

constexpr ErrorKind kWrittenKey{"csv-key", "a key that is no empty text"};
constexpr ErrorKind kRunning{"csv-key-needed", "keys that count from 0, as rows have no keys"};
constexpr ErrorKind kOneRow{"csv-key-needed", "one sample, as rows have no keys"};
constexpr ErrorKind kSamples{"csv-samples", "as many samples as the other streams have"};
constexpr ErrorKind kNoSamples{"csv-samples", "at least one sample"};
constexpr ErrorKind kFinite{"csv-number", "a finite number"};

/// The largest number of columns of a written file. Each has its name in the header.
constexpr std::int64_t kColumnsMax = std::int64_t{1} << 20;

constexpr std::string_view kKeyHint =
    "csv.key=NAME (--out-option csv.key=NAME) writes a column with keys";

void check_stream(const Stream& stream) {
  const auto refuse = [&stream](const std::string& why) {
    throw ConfigError(formatted("stream {}: {}", sheaf::quoted(stream.name), why));
  };
  if (stream.name.empty()) throw ConfigError("streams: a stream needs a name");
  if (stream.storage == Storage::sparse) {
    refuse("csv has dense streams only: leave the stream out, or choose another format");
  }
  if (stream.element_type == ElementType::bytes) {
    if (stream.sample_shape == Shape{Shape::kVariable}) return;
    refuse(formatted("texts of csv have the shape [*], got {}", to_string(stream.sample_shape)));
  }
  if (!stream.sample_shape.is_fixed()) {
    refuse(
        formatted("csv has samples of fixed shape only, got {}: leave the stream out, or make "
                  "samples of one shape of it by a transform",
                  to_string(stream.sample_shape)));
  }
  internal::check_sample_shape(stream.name, stream.sample_shape, stream.storage, stream.index_type);
}

bool is_text(const Stream& stream) { return stream.element_type == ElementType::bytes; }

std::int64_t column_count(const Stream& stream) {
  return is_text(stream) ? 1 : stream.sample_shape.size();
}

void write_quoted(std::string_view raw, TextBuffer& text) {
  text.append("\"");
  while (!raw.empty()) {
    const std::size_t quote = raw.find('"');
    if (quote == std::string_view::npos) break;
    text.append(raw.substr(0, quote + 1));
    text.append("\"");
    raw.remove_prefix(quote + 1);
  }
  text.append(raw);
  text.append("\"");
}

// Returns a name, quoted if its plain bytes might be misread.
std::string written_name(const std::string& name) {
  const auto is_plain = [](char c) {
    return std::string_view(",;|\t \"").find(c) == std::string_view::npos &&
           !internal::is_control(c) && static_cast<unsigned char>(c) < 0x80;
  };
  if (std::ranges::all_of(name, is_plain)) return name;
  std::string quoted_name = "\"";
  for (const char c : name) {
    if (c == '"') quoted_name += c;
    quoted_name += c;
  }
  return quoted_name + '"';
}

/// Estimates the bytes that some sequences will take.
std::int64_t estimate(const SequenceBatch& batch) {
  std::int64_t bytes = 256;
  for (const std::span<const SequenceView> views : batch.views) {
    for (const SequenceView& view : views) bytes += view.value_count * 12 + view.sample_count * 4;
  }
  return bytes;
}

}  // namespace

CsvSerializer::CsvSerializer(std::unique_ptr<ByteSink> sink, std::span<const Stream> streams,
                             const SerializerOptions& options)
    : sink_(std::move(sink)),
      streams_(streams.begin(), streams.end()),
      options_(options_of(options)),
      header_([&] {
        internal::check_written_streams("csv", streams_);
        for (const Stream& stream : streams_) check_stream(stream);
        return header();
      }()) {}

CsvSerializer::Options CsvSerializer::options_of(const SerializerOptions& options) const {
  check_format_options("csv", kWriteOptions, options.extra, "for writing");
  return {.delimiter = delimiter_of(value_of(kDelimiterOption, options.extra), sink_->name()),
          .has_header = value_of(kHeaderOption, options.extra) == "yes",
          .drops_keys = value_of(kWrittenKeysOption, options.extra) == "drop",
          .key = std::string(value_of(kWrittenKeyOption, options.extra))};
}

std::string CsvSerializer::header() const {
  std::string row;
  std::set<std::string> names;
  const auto add = [&](const std::string& name) {
    if (!names.insert(name).second) {
      throw ConfigError(
          formatted("csv: two columns would have the name {}: give a stream another "
                    "name",
                    quoted(name)));
    }
    if (names.size() > 1) row += options_.delimiter;
    row += written_name(name);
  };
  if (!options_.key.empty()) add(options_.key);
  std::int64_t columns = 0;
  for (const Stream& stream : streams_) {
    columns += std::min(column_count(stream), kColumnsMax + 1);
    if (columns <= kColumnsMax) continue;
    throw ConfigError(
        formatted("stream {}: a row of csv would have more than {} columns: leave the "
                  "stream out, or choose another format",
                  quoted(stream.name), kColumnsMax));
  }
  for (const Stream& stream : streams_) {
    const std::int64_t count = column_count(stream);
    if (count == 1) {
      add(stream.name);
      continue;
    }
    for (std::int64_t i = 0; i < count; ++i) add(stream.name + std::to_string(i));
  }
  return row + '\n';
}

std::unique_ptr<Serializer::Block> CsvSerializer::encode(const SequenceBatch& batch) const {
  const bool must_run = options_.key.empty() && !options_.drops_keys;
  if (must_run && !batch.key_texts.empty()) {
    fail(batch.key_texts[0], nullptr, kRunning, quoted(batch.key_texts[0]), std::string(kKeyHint));
  }
  TextBuffer text(estimate(batch));
  for (std::size_t n = 0; n < batch.keys.size(); ++n) encode_sequence(batch, n, text);
  return std::make_unique<internal::TextBlock>(std::move(text).finish(), batch);
}

/// Returns the key before rows, or, if rows have no key, the key for messages.
std::string CsvSerializer::key_of(const SequenceBatch& batch, std::size_t n) const {
  if (options_.key.empty()) {
    return batch.key_texts.empty() ? to_string(batch.keys[n]) : std::string(batch.key_texts[n]);
  }
  return internal::written_key(sink_->name(), batch, n, kWrittenKey.code);
}

/// Returns the rows of a sequence, one for each sample of every stream that is present.
std::int64_t CsvSerializer::row_count(const SequenceBatch& batch, std::size_t n,
                                      std::string_view key) const {
  const Stream* first = nullptr;
  std::int64_t count = 0;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    const SequenceView& view = batch.views[i][n];
    if (!view.is_present) continue;
    if (view.sample_count == 0) {
      fail(key, &streams_[i], kNoSamples, "none",
           "a stream without samples has to be absent from its sequence");
    }
    if (first == nullptr) {
      first = &streams_[i];
      count = view.sample_count;
    }
    if (view.sample_count != count) {
      fail(key, &streams_[i], kSamples,
           formatted("{}, where {} has {}", view.sample_count, quoted(first->name), count));
    }
  }
  if (first == nullptr) fail(key, nullptr, kNoSamples, "none of any stream");
  if (count > 1 && options_.key.empty()) {
    fail(key, nullptr, kOneRow, formatted("{} samples", count), std::string(kKeyHint));
  }
  return count;
}

void CsvSerializer::encode_sequence(const SequenceBatch& batch, std::size_t n,
                                    TextBuffer& text) const {
  const std::string key = key_of(batch, n);
  const std::int64_t count = row_count(batch, n, key);
  const std::string_view delimiter(&options_.delimiter, 1);
  const bool has_key = !options_.key.empty();
  if (has_key && key.empty()) fail(key, nullptr, kWrittenKey, "an empty text");
  for (std::int64_t t = 0; t < count; ++t) {
    if (has_key && batch.key_texts.empty()) text.append(key);
    if (has_key && !batch.key_texts.empty()) write_quoted(key, text);
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      if (has_key || i > 0) text.append(delimiter);
      const SequenceView& view = batch.views[i][n];
      if (view.is_present) {
        write_sample(streams_[i], view, t, key, text);
      } else {
        for (std::int64_t k = column_count(streams_[i]); k > 1; --k) text.append(delimiter);
      }
    }
    text.append("\n");
  }
}

void CsvSerializer::write_sample(const Stream& stream, const SequenceView& view,
                                 std::int64_t sample, std::string_view key,
                                 TextBuffer& text) const {
  if (is_text(stream)) {
    const std::int64_t begin = view.sample_offsets[sample] - view.sample_offsets[0];
    const std::int64_t size = view.sample_offsets[sample + 1] - view.sample_offsets[sample];
    const auto* const bytes = reinterpret_cast<const char*>(view.values);
    write_quoted(size == 0 ? std::string_view()
                           : std::string_view(bytes + begin, static_cast<std::size_t>(size)),
                 text);
    return;
  }
  internal::with_zero_of(stream.element_type,
                         [&]<typename T>(T) { write_numbers<T>(stream, view, sample, key, text); });
}

template <typename T>
void CsvSerializer::write_numbers(const Stream& stream, const SequenceView& view,
                                  std::int64_t sample, std::string_view key,
                                  TextBuffer& text) const {
  const std::int64_t count = stream.sample_shape.size();
  for (std::int64_t i = 0; i < count; ++i) {
    const T value = internal::load<T>(view.values, sample * count + i);
    if (!internal::is_finite(value)) {
      fail(key, &stream, kFinite, formatted("{} in sample {}", arithmetic(value), sample));
    }
    char* p = text.room(1 + kNumberTextMax + kNumberTextRoom);
    if (i > 0) *p++ = options_.delimiter;
    text.set_end(write_number(p, internal::written(value)));
  }
}

void CsvSerializer::append(std::unique_ptr<Block> block) {
  const auto& encoded = static_cast<const internal::TextBlock&>(*block);
  if (encoded.keys.empty()) return;
  if (!options_.key.empty()) {
    internal::check_repeated(sink_->name(), keys_.add(encoded.keys), kRepeatedKey);
  } else if (!options_.drops_keys) {
    internal::check_running(sink_->name(), encoded.keys, sequence_count_, kRunning);
  }
  if (sequence_count_ == 0 && options_.has_header) {
    sink_->write(std::as_bytes(std::span(header_)));
  }
  sink_->write(encoded.text.as<std::byte>());
  sequence_count_ += std::ssize(encoded.keys);
}

void CsvSerializer::finish() {
  if (sequence_count_ == 0) fail("", nullptr, kEmpty, "no sequence at all");
  if (!options_.key.empty()) {
    internal::check_repeated(sink_->name(), keys_.finish(), kRepeatedKey);
  }
  sink_->finish();
}

void CsvSerializer::fail(std::string_view key, const Stream* stream,
                         const internal::ErrorKind& kind, std::string found,
                         std::string hint) const {
  internal::throw_unwritable({.path = sink_->name(),
                              .key = key,
                              .stream = stream == nullptr ? std::string_view() : stream->name},
                             kind, std::move(found), std::move(hint));
}

}  // namespace sheaf::csv
