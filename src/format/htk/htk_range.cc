// The lines of the range are parsed again, because the index keeps hashes of keys and no paths. All
// files are opened together, and then the frames of all utterances are read together. Consecutive
// utterances of the range that are also consecutive in a file are read directly into the result,
// and their bytes are swapped there.

#include "format/htk/htk_range.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "sheaf/extend/buffer.h"

#include "base/text.h"
#include "base/unaligned.h"
#include "format/listed/file_pieces.h"
#include "format/listed/source_bytes.h"

namespace sheaf::htk {
namespace {

Buffer buffer_of_size(std::int64_t size_bytes) {
  Buffer buffer;
  buffer.reserve(size_bytes);
  buffer.resize(size_bytes);
  return buffer;
}

}  // namespace

RangeReader::RangeReader(const RangeSource& source, const ChunkRange& range,
                         Diagnostics& diagnostics)
    : source_(source),
      range_(range),
      diagnostics_(diagnostics),
      lines_(source.index.lines(range.chunk)),
      first_line_(source.index.chunk(range.chunk)->first_line),
      dim_(source.index.dim()),
      utterances_(
          static_cast<std::size_t>(std::min(range.count, lines_->table->size() - range.first))),
      keys_(utterances_.size()) {}

Chunk RangeReader::read() {
  find_utterances();
  read_frames();
  std::vector<Column> columns;
  columns.push_back(column());
  std::vector<std::int64_t> holes;
  const bool has_texts = source_.options.has_text_keys;
  for (std::size_t i = 0; i < utterances_.size(); ++i) {
    Utterance& utterance = utterances_[i];
    const std::int64_t number = range_.first + static_cast<std::int64_t>(i);
    if (utterance.is_hole()) holes.push_back(static_cast<std::int64_t>(i));
    for (Diagnostic& fault : utterance.faults) {
      fault.sequence_key = has_texts ? keys_[i] : to_string(lines_->table->key(number));
      diagnostics_.add(number, std::move(fault));
    }
  }
  Chunk chunk(source_.streams, std::ssize(utterances_), std::move(columns), std::move(holes));
  if (has_texts) chunk.set_key_texts(std::move(keys_));
  return chunk;
}

void RangeReader::find_utterances() {
  const SequenceTable& table = *lines_->table;
  const auto count = std::ssize(utterances_);
  const std::int64_t last = range_.first + count;
  const std::int64_t begin = lines_->offsets[range_.first];
  const std::int64_t end = last < table.size() ? lines_->offsets[last] : lines_->end_bytes;
  std::string text(static_cast<std::size_t>(end - begin), '\0');
  internal::read_bytes(source_.list, begin, std::as_writable_bytes(std::span(text)),
                       source_.options.read_size_bytes);
  std::vector<Line> lines(utterances_.size());
  std::vector<std::string_view> paths(utterances_.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    Utterance& utterance = utterances_[i];
    const std::int64_t number = range_.first + static_cast<std::int64_t>(i);
    utterance.line_offset = lines_->offsets[number];
    utterance.line_number = first_line_ + table.first_line(number);
    const auto at = static_cast<std::size_t>(utterance.line_offset - begin);
    Line& line = lines[i];
    line.text = std::string_view(text).substr(at, text.find('\n', at) - at);
    line.parsed = parse_list_line(line.text, source_.rules, line.scratch);
    keys_[i] = std::string(line.parsed.key);  // takes no more memory than the key
    if (line.parsed.fault == nullptr) paths[i] = line.parsed.path;
  }
  const std::vector<std::shared_ptr<const ParameterFile>> files = source_.files.open_all(paths);
  std::int64_t value = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    Utterance& utterance = utterances_[i];
    const std::string_view line = lines[i].text;
    const ListLine& parsed = lines[i].parsed;
    utterance.value = value;
    if (parsed.fault != nullptr) {
      add_in_list(utterance, *parsed.fault, line, parsed.fault_begin, parsed.fault_size,
                  quoted(line.substr(parsed.fault_begin, parsed.fault_size)));
      continue;
    }
    utterance.file = files[i];
    if (utterance.file == nullptr) {
      add_in_list(utterance, kMissingFile, line, parsed.path_begin, parsed.path_size,
                  quoted(parsed.path));
      continue;
    }
    if (!is_like_first(parsed, utterance)) continue;
    find_frames(parsed, line, utterance,
                table.sample_count(range_.first + static_cast<std::int64_t>(i)));
    if (!utterance.is_hole()) value += utterance.frame_count * dim_;
  }
  values_ = buffer_of_size(value * std::int64_t{sizeof(float)});
}

// Checks that a file resembles the first one. Only the layouts may differ.
bool RangeReader::is_like_first(const ListLine& line, Utterance& utterance) {
  const Header* const header = utterance.file->header();
  if (header == nullptr) {
    const HeaderFault& fault = std::get<HeaderFault>(utterance.file->contents);
    add(utterance, in_file(utterance, *fault.kind, fault.byte_offset, fault.found));
    return false;
  }
  const std::optional<Header>& first = source_.index.first_header();
  const std::string_view path = line.path;
  if (header->dim != dim_) {
    add(utterance,
        in_file(utterance, kOtherDim, 8,
                formatted("{} in {}, where the stream has {}", header->dim, path, dim_)));
  } else if (first && header->kind != first->kind) {
    add(utterance, in_file(utterance, kOtherKind, 10,
                           formatted("{} in {}, where the first file has {}", header->kind, path,
                                     first->kind)));
  } else if (first && header->period != first->period) {
    add(utterance, in_file(utterance, kOtherPeriod, 4,
                           formatted("{} in {}, where the first file has {}", header->period, path,
                                     first->period)));
  }
  return !utterance.is_hole();
}

void RangeReader::find_frames(const ListLine& line, std::string_view text, Utterance& utterance,
                              std::int64_t indexed_count) {
  const Header& header = *utterance.file->header();
  const std::size_t range_begin = line.path_begin + line.path_size;
  const std::size_t end = text.ends_with('\r') ? text.size() - 1 : text.size();
  const std::size_t range_size = end - std::min(range_begin, end);
  const std::int64_t last = line.last == ListLine::kToEnd ? header.frame_count - 1 : line.last;
  if (last >= header.frame_count || line.first > last) {
    add_in_list(
        utterance, kBeyond, text, range_begin, range_size,
        formatted("{}, where {} has {} frames", quoted(text.substr(range_begin, range_size)),
                  line.path, header.frame_count));
    return;
  }
  utterance.frame_count = last - line.first + 1;
  if (utterance.frame_count != indexed_count) {
    add_in_list(utterance, kChanged, text, line.path_begin, line.path_size,
                formatted("{} in {}, where the index has {}", utterance.frame_count, line.path,
                          indexed_count));
    return;
  }
  utterance.offset = header.data_offset + line.first * header.frame_size_bytes;
  utterance.size_bytes = utterance.frame_count * header.frame_size_bytes;
  utterance.has_checksum = header.has_checksum && utterance.frame_count == header.frame_count;
  const std::int64_t file_size = utterance.file->source->size();
  if (utterance.offset + utterance.read_bytes() > file_size) {
    add(utterance, in_file(utterance, kCut, file_size,
                           formatted("the end of {} where {} bytes should be", line.path,
                                     utterance.offset + utterance.read_bytes())));
  }
}

void RangeReader::read_frames() {
  std::vector<internal::FilePiece> pieces;
  std::vector<std::size_t> numbers;  // utterance of each piece
  for (std::size_t i = 0; i < utterances_.size(); ++i) {
    const Utterance& utterance = utterances_[i];
    if (utterance.is_hole()) continue;
    const Header& header = *utterance.file->header();
    const bool is_direct = !header.is_compressed && !header.has_checksum;
    pieces.push_back({.source = utterance.file->source.get(),
                      .offset_bytes = utterance.offset,
                      .size_bytes = utterance.read_bytes(),
                      .location = is_direct ? bytes_of(utterance) : nullptr});
    numbers.push_back(i);
  }
  internal::read_pieces(pieces, source_.options.read_size_bytes,
                        [&](std::size_t piece, const std::byte* bytes) {
                          decode(utterances_[numbers[piece]], bytes);
                        });
}

std::byte* RangeReader::bytes_of(const Utterance& utterance) {
  return values_.mutable_data() + utterance.value * std::int64_t{sizeof(float)};
}

void RangeReader::decode(Utterance& utterance, const std::byte* bytes) {
  const ParameterFile& file = *utterance.file;
  const Header& header = *file.header();
  if (utterance.has_checksum) {
    Checksum checksum(header.is_big_endian);
    checksum.add(file.scale_bytes);
    checksum.add({bytes, static_cast<std::size_t>(utterance.size_bytes)});
    auto stored = internal::load<std::uint16_t>(bytes + utterance.size_bytes);
    if (header.is_big_endian) stored = __builtin_bswap16(stored);
    if (stored != checksum.value()) {
      const std::int64_t offset = utterance.offset + utterance.size_bytes;
      add(utterance, in_file(utterance, kChecksum, offset,
                             formatted("{}, where the frames have {}", stored, checksum.value())));
      return;
    }
  }
  std::byte* const to_bytes = bytes_of(utterance);
  auto* const to = reinterpret_cast<float*>(to_bytes);
  if (header.is_compressed) {
    expand_frames(bytes, utterance.frame_count, header.is_big_endian, file.decoding(), to);
  } else if (header.is_big_endian) {
    swap_words(bytes, to_bytes, utterance.frame_count * dim_);
  } else if (bytes != to_bytes) {
    std::memcpy(to_bytes, bytes, static_cast<std::size_t>(utterance.size_bytes));
  }
}

// Removes the values of utterances that turned out to be holes.
void RangeReader::finish_holes() {
  std::int64_t value = 0;
  auto* const values = reinterpret_cast<float*>(values_.mutable_data());
  for (Utterance& utterance : utterances_) {
    const std::int64_t count = utterance.is_hole() ? 0 : utterance.frame_count * dim_;
    if (value != utterance.value && count > 0) {
      std::memmove(values + value, values + utterance.value,
                   static_cast<std::size_t>(count) * sizeof(float));
    }
    utterance.value = value;
    value += count;
  }
  values_.resize(value * std::int64_t{sizeof(float)});
}

bool RangeReader::take_label(Utterance& utterance, std::int64_t frame, double value,
                             std::int64_t min, std::int64_t end) {
  if (value == std::floor(value) && value >= static_cast<double>(min) &&
      value < static_cast<double>(end)) {
    return true;
  }
  const Header& header = *utterance.file->header();
  add(utterance, in_file(utterance, kLabel, utterance.offset + frame * header.frame_size_bytes,
                         formatted("{} in frame {} of the utterance; labels are {} to {}", value,
                                   frame, min, end - 1)));
  return false;
}

template <typename Take>
void RangeReader::take_labels(const Take& take) {
  const auto* const values = reinterpret_cast<const float*>(values_.data());
  for (Utterance& utterance : utterances_) {
    if (utterance.is_hole()) continue;
    for (std::int64_t t = 0; t < utterance.frame_count; ++t) {
      take(utterance, t, double{values[utterance.value + t]});
    }
  }
}

Column RangeReader::column() {
  const Stream& stream = source_.streams.front();
  const Labels as = source_.options.as;
  if (as == Labels::ids) {
    take_labels([&](Utterance& utterance, std::int64_t t, double value) {
      static_cast<void>(take_label(utterance, t, value, std::numeric_limits<std::int32_t>::min(),
                                   std::int64_t{1} << 31));
    });
  } else if (as == Labels::one_hot) {
    take_labels([&](Utterance& utterance, std::int64_t t, double value) {
      static_cast<void>(take_label(utterance, t, value, 0, stream.sample_shape.size()));
    });
  }
  finish_holes();
  Column column;
  constexpr std::int64_t kOffsetSize = sizeof(std::int64_t);
  column.sequence_offsets = buffer_of_size((std::ssize(utterances_) + 1) * kOffsetSize);
  const std::span<std::int64_t> offsets = column.sequence_offsets.as_mutable<std::int64_t>();
  for (std::size_t i = 0; i < utterances_.size(); ++i) offsets[i] = utterances_[i].value / dim_;
  const std::span<const float> values = values_.as<float>();
  const auto value_count = std::ssize(values);
  offsets.back() = value_count / dim_;

  const auto fill = [&]<typename T>(Buffer& buffer, T /*zero*/, const auto& value_of_frame) {
    buffer = buffer_of_size(value_count * std::int64_t{sizeof(T)});
    const std::span<T> to = buffer.as_mutable<T>();
    for (std::size_t i = 0; i < values.size(); ++i) to[i] = static_cast<T>(value_of_frame(i));
  };
  const auto value_at = [&](std::size_t i) { return values[i]; };
  const auto one = [](std::size_t) { return 1; };
  if (as == Labels::ids) {
    fill(column.values, std::int32_t{}, value_at);
  } else if (as == Labels::one_hot) {
    stream.element_type == ElementType::f64 ? fill(column.values, double{}, one)
                                            : fill(column.values, float{}, one);
    stream.index_type == ElementType::i64 ? fill(column.indices, std::int64_t{}, value_at)
                                          : fill(column.indices, std::int32_t{}, value_at);
    column.sample_offsets = buffer_of_size((value_count + 1) * kOffsetSize);
    const std::span<std::int64_t> samples = column.sample_offsets.as_mutable<std::int64_t>();
    for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<std::int64_t>(i);
  } else if (stream.element_type == ElementType::f64) {
    fill(column.values, double{}, value_at);
  } else {
    column.values = std::move(values_);
  }
  return column;
}

Diagnostic RangeReader::in_file(const Utterance& utterance, const ErrorKind& kind,
                                std::int64_t offset, std::string found) const {
  Diagnostic diagnostic;
  diagnostic.path = utterance.file->source->name();
  diagnostic.byte_offset = offset;
  diagnostic.stream = source_.streams.front().name;
  diagnostic.code = kind.code;
  diagnostic.expected = kind.expected;
  diagnostic.found = std::move(found);
  return diagnostic;
}

void RangeReader::add_in_list(Utterance& utterance, const ErrorKind& kind, std::string_view text,
                              std::size_t begin, std::size_t size, std::string found) {
  begin = std::min(begin, text.size());
  Diagnostic diagnostic;
  diagnostic.path = source_.list.name();
  diagnostic.line = utterance.line_number;
  diagnostic.column = static_cast<std::int64_t>(begin) + 1;
  diagnostic.byte_offset = utterance.line_offset + static_cast<std::int64_t>(begin);
  diagnostic.stream = source_.streams.front().name;
  diagnostic.code = kind.code;
  diagnostic.expected = kind.expected;
  diagnostic.found = std::move(found);
  if (&kind == &kChanged) diagnostic.hint = "--index rebuild (IndexMode::rebuild) reads it anew";
  set_excerpt(diagnostic, text, static_cast<std::int64_t>(begin),
              static_cast<std::int64_t>(std::min(size, text.size() - begin)));
  add(utterance, std::move(diagnostic));
}

void RangeReader::add(Utterance& utterance, Diagnostic diagnostic) {
  ++utterance.fault_count;
  // Diagnostics keeps no more for a range.
  if (utterance.fault_count > Diagnostics::kNotedMax) return;
  utterance.faults.push_back(std::move(diagnostic));
}

}  // namespace sheaf::htk
