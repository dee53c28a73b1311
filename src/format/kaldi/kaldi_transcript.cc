#include "format/kaldi/kaldi_transcript.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <system_error>
#include <utility>

#include "sheaf/error.h"

#include "base/saturated.h"
#include "base/text.h"
#include "format/kaldi/kaldi_archive.h"
#include "format/kaldi/kaldi_audio_options.h"
#include "format/kaldi/kaldi_data_errors.h"
#include "format/kaldi/kaldi_words.h"
#include "format/listed/source_bytes.h"

namespace sheaf::kaldi {
namespace {

// An error in a line, and its location.
struct LineFault {
  const ErrorKind* kind = nullptr;
  std::string_view at;
};

// Returns the first fault of a line that can be found without a symbol table.
LineFault fault_of(std::string_view line, const TextLine& parts) {
  // An index counts the bytes of a line with 32 bits.
  constexpr std::size_t kLineMax = std::numeric_limits<std::int32_t>::max();
  if (std::ssize(parts.key) > kEntryKeyMax) return {&kTextKey, parts.key};
  if (line.size() > kLineMax) return {&kTextLineSize, line.substr(0, 0)};
  const std::size_t zero = line.find('\0');
  if (zero != std::string_view::npos) return {&kTextByte, line.substr(zero, 1)};
  return {};
}

// Refuses options that mean nothing for lines of text.
void refuse_other_options(const FormatOptions& options) {
  const bool has_lengths = options.extra.contains(std::string(kLengthsOption.name));
  if (!has_lengths && !has_audio_options(options)) return;
  throw ConfigError(formatted("{}: kaldi.as=text reads lines of text",
                              has_lengths ? kLengthsOption.name : "options of recordings"));
}

std::optional<std::int32_t> unknown_id(const ReadOptions& options, const Symbols* symbols) {
  const std::string& word = options.unknown;
  if (symbols == nullptr || word.empty()) return std::nullopt;
  if (word.find_first_not_of("0123456789") != std::string::npos) {  // like Kaldi's sym2int.pl
    if (const std::optional<std::int32_t> id = symbols->find(word)) return id;
    throw ConfigError(formatted("kaldi.unknown: expected an id, or a word of {}, found {}",
                                options.symbols_path, quoted(word)));
  }
  std::int32_t id = 0;
  const char* const end = word.data() + word.size();
  const auto [next, error] = std::from_chars(word.data(), end, id);
  if (error == std::errc() && next == end) return id;
  throw ConfigError(
      formatted("kaldi.unknown: expected an id up to 2147483647, found {}", quoted(word)));
}

// Returns the stream. The options tell everything about it, so the data need not be read.
Stream stream_of_text(const ReadOptions& options) {
  return {.name = options.name,
          .element_type = *options.type,
          .sample_shape = *options.shape,
          .defines_minibatch_size = options.defines_minibatch_size};
}

Buffer number_buffer(const std::vector<std::int64_t>& numbers) {
  Buffer buffer;
  const std::int64_t size = std::ssize(numbers) * std::int64_t{sizeof(std::int64_t)};
  buffer.reserve(size);
  buffer.resize(size);
  std::ranges::copy(numbers, buffer.as_mutable<std::int64_t>().begin());
  return buffer;
}

template <typename T>
Buffer value_buffer(const T& values) {
  const auto size = static_cast<std::int64_t>(values.size() * sizeof(values[0]));
  Buffer buffer;
  buffer.reserve(size);
  buffer.resize(size);
  if (size > 0) std::memcpy(buffer.mutable_data(), values.data(), static_cast<std::size_t>(size));
  return buffer;
}

/// Joins the samples of lines.
class TextColumn {
 public:
  explicit TextColumn(bool has_ids) : has_ids_(has_ids) {}

  void add_text(std::string_view text) {
    bytes_ += text;
    sizes_.push_back(std::ssize(text));
    value_ends_.push_back(std::ssize(bytes_));
  }
  void add_id(std::int32_t id) { ids_.push_back(id); }

  /// Ends a sequence of the samples added since the last one.
  void finish_sequence() { ends_.push_back(has_ids_ ? std::ssize(ids_) : std::ssize(sizes_)); }
  /// Drops these samples instead, because the sequence is a hole.
  void drop_sequence() {
    if (has_ids_) ids_.resize(static_cast<std::size_t>(ends_.back()));
    ends_.push_back(ends_.back());
  }

  Column column() const {
    Column column;
    column.sequence_offsets = number_buffer(ends_);
    if (has_ids_) {
      column.values = value_buffer(ids_);
      return column;
    }
    column.values = value_buffer(bytes_);
    column.sample_offsets = number_buffer(value_ends_);
    column.extents = number_buffer(sizes_);
    return column;
  }

 private:
  bool has_ids_;
  std::string bytes_;
  std::vector<std::int64_t> sizes_;          // of texts
  std::vector<std::int64_t> value_ends_{0};  // of texts, in bytes
  std::vector<std::int32_t> ids_;
  std::vector<std::int64_t> ends_{0};  // of sequences, in samples
};

/// One line of a range.
struct ReadLine {
  std::string_view text;
  std::int64_t sequence = 0;  // number of the sequence in the chunk
  std::int64_t number = 0;    // counted from 1
  std::int64_t offset_bytes = 0;
  SequenceKey key{};
  std::int64_t sample_count = 0;  // from the index
};

/// The context of lines.
struct LineParts {
  const ByteSource& file;
  const ReadOptions& options;
  const Stream& stream;
  const Symbols* symbols;  // null if samples are texts
  std::optional<std::int32_t> unknown_id;
};

/// Makes samples from lines.
class LineReader {
 public:
  /// Lifetime: all arguments must outlive the reader.
  LineReader(const LineParts& from, Diagnostics& diagnostics)
      : from_(from), diagnostics_(diagnostics), column_(from.symbols != nullptr) {}

  /// Returns false if the line has a fault. Its sequence is then a hole.
  [[nodiscard]] bool take(const ReadLine& line) {
    const TextLine parts = split_text_line(line.text);
    const bool is_good = take_samples(line, parts);
    if (is_good) {
      column_.finish_sequence();
    } else {
      column_.drop_sequence();
    }
    return is_good;
  }

  [[nodiscard]] Column column() const { return column_.column(); }

 private:
  bool take_samples(const ReadLine& line, const TextLine& parts) {
    if (const LineFault fault = fault_of(line.text, parts); fault.kind != nullptr) {
      add(line, parts, fault, quoted(fault.at));
      return false;
    }
    if (from_.symbols == nullptr) {
      column_.add_text(parts.text);
      return true;
    }
    bool is_good = true;
    std::int64_t count = 0;
    std::string_view rest = parts.text;
    for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) {
      std::optional<std::int32_t> id = from_.symbols->find(word);
      if (!id) id = from_.unknown_id;
      if (!id) add(line, parts, {&kUnknownWord, word}, quoted(word));
      is_good = is_good && id.has_value();
      column_.add_id(id.value_or(0));
      ++count;
    }
    if (count == line.sample_count) return is_good;
    add(line, parts, {&kChanged, parts.text},
        formatted("{}, where the index has {}", count, line.sample_count));
    return false;
  }

  void add(const ReadLine& line, const TextLine& parts, const LineFault& fault, std::string found) {
    const std::int64_t begin = fault.at.data() - line.text.data();
    Diagnostic diagnostic =
        internal::location_in_list(from_.file, *fault.kind, line.number, line.offset_bytes + begin);
    diagnostic.column = begin + 1;
    diagnostic.stream = from_.stream.name;
    diagnostic.sequence_key =
        from_.options.has_text_keys ? std::string(parts.key) : to_string(line.key);
    diagnostic.found = std::move(found);
    if (fault.kind == &kUnknownWord) {
      diagnostic.hint = formatted("{} lacks the word; kaldi.unknown gives unknown words an id",
                                  from_.options.symbols_path);
    } else if (fault.kind == &kChanged) {
      diagnostic.hint = "--index rebuild (IndexMode::rebuild) reads it anew";
    }
    set_excerpt(diagnostic, line.text, begin, std::ssize(fault.at));
    diagnostics_.add(line.sequence, std::move(diagnostic));
  }

  const LineParts from_;
  Diagnostics& diagnostics_;
  TextColumn column_;
};

}  // namespace

bool TextLines::is_blank(std::string_view line) noexcept {
  return line.find_first_not_of(kSpace) == std::string_view::npos;
}

internal::ScannedLine TextLines::parse(std::string_view line) const {
  const TextLine parts = split_text_line(line);
  ScannedLine scanned{.key = parts.key, .count = 0};
  scanned.is_good = fault_of(line, parts).kind == nullptr;
  if (scanned.is_good) {
    scanned.count = has_ids_ ? static_cast<std::uint32_t>(count_words(parts.text)) : 1;
  }
  return scanned;
}

TextIndex::TextIndex(const Parts& parts)
    : ListedIndex({.list = parts.file,
                   .index = parts.index,
                   .context = parts.context,
                   .identity = formatted("kaldi text 1:chunk={}:ids={}:keys={}",
                                         parts.options->chunk_size_bytes,
                                         !parts.options->symbols_path.empty(),
                                         parts.options->has_text_keys ? "text" : "numeric"),
                   .errors = {.no_sequence = kNoSequence,
                              .repeated_key = kRepeatedKey,
                              .too_long = kTooLong,
                              .index_file = kIndexFile},
                   .chunk_size_bytes = parts.options->chunk_size_bytes,
                   .read_size_bytes = parts.options->read_size_bytes,
                   .has_text_keys = parts.options->has_text_keys}),
      options_(*parts.options) {
  build();
}

bool TextIndex::scan(const TakeEntry& take) const {
  TextLines lines(!options_.symbols_path.empty());
  return internal::ListScan(list(),
                            {.has_text_keys = options_.has_text_keys,
                             .numeric_key = &kNumericKey,
                             .read_size_bytes = options_.read_size_bytes},
                            lines, take)
      .run();
}

// Returns the memory of texts: their bytes, and for each an offset and an extent.
std::int64_t TextIndex::decoded_bytes(std::int64_t sample_count, std::int64_t stored_bytes) const {
  using internal::saturated_product;
  using internal::saturated_sum;
  if (!options_.symbols_path.empty()) {
    return saturated_product(sample_count, std::int64_t{sizeof(std::int32_t)});
  }
  return saturated_sum(stored_bytes, saturated_product(sample_count + 1, 16));
}

TextDeserializer::TextDeserializer(const OpenRequest& request, ReadOptions options)
    : file_(request.source),
      options_(std::move(options)),
      symbols_(options_.symbols_path.empty()
                   ? std::optional<Symbols>()
                   : Symbols(*request.context.file_system().open(options_.symbols_path))),
      unknown_id_(unknown_id(options_, symbols_ ? &*symbols_ : nullptr)),
      stream_(stream_of_text(options_)),
      index_({.file = file_,
              .options = &options_,
              .index = request.options.index,
              .context = request.context}) {
  refuse_other_options(request.options);
}

std::string TextDeserializer::fingerprint() const {
  std::string text =
      formatted("kaldi text:{}:chunk={}{}", to_string(file_->fingerprint()),
                options_.chunk_size_bytes, options_.has_text_keys ? "" : ":keys=numeric");
  if (symbols_) text += ":symbols=" + symbols_->fingerprint();
  if (unknown_id_) text += formatted(":unknown={}", *unknown_id_);
  return text;
}

void TextDeserializer::visit_named_files(
    const std::function<void(const std::string& path)>& visit) const {
  if (!file_->path().empty()) visit(std::string(file_->path()));
  if (!options_.symbols_path.empty()) visit(options_.symbols_path);
}

Chunk TextDeserializer::read(const ChunkRange& range, Diagnostics& diagnostics) const {
  const auto lines = index_.lines(range.chunk);
  const SequenceTable& table = *lines->table;
  const std::int64_t end = std::min(range.first + range.count, table.size());
  const std::int64_t begin = lines->offsets[range.first];
  const std::int64_t text_end = end < table.size() ? lines->offsets[end] : lines->end_bytes;
  std::string text(static_cast<std::size_t>(text_end - begin), '\0');
  internal::read_bytes(*file_, begin, std::as_writable_bytes(std::span(text)),
                       options_.read_size_bytes);
  LineReader reader({.file = *file_,
                     .options = options_,
                     .stream = stream_,
                     .symbols = symbols_ ? &*symbols_ : nullptr,
                     .unknown_id = unknown_id_},
                    diagnostics);
  const std::int64_t first_line = index_.chunk(range.chunk)->first_line;
  std::vector<std::int64_t> holes;
  std::vector<std::string> keys;
  for (std::int64_t i = range.first; i < end; ++i) {
    const std::int64_t offset = lines->offsets[i];
    const auto at = static_cast<std::size_t>(offset - begin);
    const ReadLine line{.text = std::string_view(text).substr(at, text.find('\n', at) - at),
                        .sequence = i,
                        .number = first_line + table.first_line(i),
                        .offset_bytes = offset,
                        .key = table.key(i),
                        .sample_count = table.sample_count(i)};
    if (!reader.take(line)) holes.push_back(i - range.first);
    if (options_.has_text_keys) keys.emplace_back(split_text_line(line.text).key);
  }
  std::vector<Column> columns;
  columns.push_back(reader.column());
  Chunk chunk({&stream_, 1}, end - range.first, std::move(columns), std::move(holes));
  if (options_.has_text_keys) chunk.set_key_texts(std::move(keys));
  return chunk;
}

}  // namespace sheaf::kaldi
