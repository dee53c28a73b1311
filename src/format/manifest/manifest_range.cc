// All faults are known before samples are read, because the value of a sample is never wrong. So
// the samples of a sequence are read directly into the result.

#include "format/manifest/manifest_range.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>
#include <variant>

#include "base/text.h"
#include "format/kaldi/kaldi_compressed.h"
#include "format/listed/file_pieces.h"
#include "format/listed/list_scan.h"
#include "format/listed/source_bytes.h"

namespace sheaf::manifest {
namespace {

Buffer buffer_of_size(std::int64_t size_bytes) {
  Buffer buffer;
  buffer.reserve(size_bytes);
  buffer.resize(size_bytes);
  return buffer;
}

Buffer buffer_of(const std::vector<std::int64_t>& numbers) {
  Buffer buffer = buffer_of_size(std::ssize(numbers) * std::int64_t{sizeof(std::int64_t)});
  std::ranges::copy(numbers, buffer.as_mutable<std::int64_t>().begin());
  return buffer;
}

/// Some samples of one file, and the destination of their values.
struct SamplePiece {
  const ManifestLine* line = nullptr;
  const SampleFile* file = nullptr;
  const FilePart* part = nullptr;
  std::int64_t count = 0;
  std::byte* to = nullptr;
};

// Converts samples. May pick one of several channels.
void convert(const std::byte* from, const SamplePiece& samples, internal::SampleScale scale,
             std::vector<float>& all_channels) {
  auto* const to = reinterpret_cast<float*>(samples.to);
  if (const auto* const array = std::get_if<FloatArray>(&samples.file->contents)) {
    convert_npy(from, *array, {to, static_cast<std::size_t>(samples.count * array->dim)});
    return;
  }
  if (const auto* const matrix = std::get_if<CompressedMatrix>(&samples.file->contents)) {
    const FilePart& part = *samples.part;
    internal::decode_compressed<float>(
        matrix->head, {from, static_cast<std::size_t>(part.whole_bytes)},
        {.first = part.first_row, .count = part.count}, {.first = 0, .count = matrix->head.cols},
        {to, static_cast<std::size_t>(part.count * matrix->head.cols)});
    return;
  }
  const auto& audio = std::get<internal::RiffAudio>(samples.file->contents);
  const internal::SampleRules rules{
      .encoding = audio.encoding, .is_big_endian = audio.is_big_endian, .scale = scale};
  const std::int64_t value_count = samples.count * audio.channel_count;
  if (!samples.line->channel || audio.channel_count == 1) {
    internal::convert_samples(from, value_count, rules, to);
    return;
  }
  all_channels.resize(static_cast<std::size_t>(value_count));
  internal::convert_samples(from, value_count, rules, all_channels.data());
  const float* value = all_channels.data() + *samples.line->channel;
  for (std::int64_t i = 0; i < samples.count; ++i) to[i] = value[i * audio.channel_count];
}

// Returns whether stored bytes are the values already, so that they can be read into the result.
bool is_read_in_place(const SamplePiece& samples, internal::SampleScale scale) {
  if (const auto* const array = std::get_if<FloatArray>(&samples.file->contents)) {
    return array->value_size == kValueSize && !array->is_big_endian;
  }
  const auto* const audio = std::get_if<internal::RiffAudio>(&samples.file->contents);
  if (audio == nullptr || (samples.line->channel && audio->channel_count > 1)) return false;
  return internal::is_stored_as_values(
      {.encoding = audio->encoding, .is_big_endian = audio->is_big_endian, .scale = scale});
}

}  // namespace

RangeReader::RangeReader(const RangeSource& source, const ChunkRange& range,
                         Diagnostics& diagnostics)
    : source_(source),
      range_(range),
      diagnostics_(diagnostics),
      lines_(source.index.lines(range.chunk)) {}

Chunk RangeReader::read() {
  read_lines();
  find_parts();
  std::vector<std::int64_t> holes;
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < utterances_.size(); ++i) {
    Utterance& each = utterances_[i];
    keys.emplace_back(each.parsed.key);
    if (!each.fault) continue;
    const auto number = static_cast<std::int64_t>(i);
    holes.push_back(number);
    each.fault->sequence_key = source_.options.has_text_keys
                                   ? each.parsed.key
                                   : to_string(lines_->table->key(range_.first + number));
    diagnostics_.add(range_.first + number, *each.fault);
  }
  std::vector<Column> columns(source_.streams.size());
  if (const auto sample_stream = source_.options.sample_stream) {
    columns[*sample_stream] = sample_column();
  }
  for (std::size_t k = 0; k < source_.options.text_streams.size(); ++k) {
    columns[source_.options.text_streams[k]] = text_column(k);
  }
  Chunk chunk(source_.streams, std::ssize(utterances_), std::move(columns), std::move(holes));
  if (source_.options.has_text_keys) chunk.set_key_texts(std::move(keys));
  return chunk;
}

// Parses the lines of the range again, because the index keeps hashes of keys and no paths.
void RangeReader::read_lines() {
  const SequenceTable& table = *lines_->table;
  const std::int64_t last = range_.first + std::min(range_.count, table.size() - range_.first);
  if (last <= range_.first) return;
  const std::int64_t begin = lines_->offsets[range_.first];
  const std::int64_t end = last < table.size() ? lines_->offsets[last] : lines_->end_bytes;
  text_.resize(static_cast<std::size_t>(end - begin));
  internal::read_bytes(source_.manifest, begin, std::as_writable_bytes(std::span(text_)),
                       source_.options.read_size_bytes);
  const std::int64_t first_line = source_.index.chunk(range_.chunk)->first_line;
  for (std::int64_t i = range_.first; i < last; ++i) {
    const auto at = static_cast<std::size_t>(lines_->offsets[i] - begin);
    Utterance& each = utterances_.emplace_back();
    each.text = std::string_view(text_).substr(at, text_.find('\n', at) - at);
    each.line = first_line + table.first_line(i);
    each.offset_bytes = lines_->offsets[i];
    each.parsed = parse_line(each.text, source_.options.rules, true);
    if (const auto& fault = each.parsed.fault) {
      refuse(each, *fault->kind, fault->location, fault->found);
    }
  }
}

void RangeReader::find_parts() {
  if (!source_.options.sample_stream) return;
  std::vector<std::string> names;
  for (const Utterance& each : utterances_) {
    names.push_back(each.fault ? std::string() : name_of(each.parsed));
  }
  const ManifestFiles::Files files =
      source_.files.open_all(std::vector<std::string_view>(names.begin(), names.end()));
  for (std::size_t i = 0; i < utterances_.size(); ++i) {
    Utterance& each = utterances_[i];
    if (each.fault) continue;
    each.file = files[i];
    find_part_of(each, lines_->table->sample_count(range_.first + static_cast<std::int64_t>(i)));
  }
}

void RangeReader::find_part_of(Utterance& utterance, std::int64_t indexed_count) {
  const ManifestLine& line = utterance.parsed;
  if (utterance.file == nullptr) {
    return refuse(utterance, kMissingFile, line.path_location, quoted(line.path));
  }
  const FileContents& contents = utterance.file->contents;
  if (const auto* const fault = std::get_if<FileFault>(&contents)) {
    return refuse_file(utterance, *fault);
  }
  const auto part = find_part(line, contents);
  if (const auto* const fault = std::get_if<PartFault>(&part)) {
    return refuse(utterance, *fault->kind, line.part_location, fault->found);
  }
  const std::int64_t dim = dim_of(line, contents);
  if (dim != source_.index.dim()) {
    return refuse(utterance, kOtherDim, line.path_location,
                  formatted("{} instead of {}", dim, source_.index.dim()));
  }
  const std::int64_t rate = rate_of(contents);
  if (rate != source_.index.rate() && rate != 0) {
    return refuse(utterance, kOtherRate, line.path_location,
                  formatted("{} instead of {}", rate, source_.index.rate()));
  }
  utterance.part = std::get<FilePart>(part);
  const std::int64_t count = source_.options.sample_count(utterance.part.count);
  if (count == indexed_count) return;
  refuse(utterance, kChanged, line.path_location,
         formatted("{}, where the index has {}", count, indexed_count));
  utterance.fault->hint = "--index rebuild (IndexMode::rebuild) reads it anew";
}

std::string_view RangeReader::stream_name() const {
  const auto& stream = source_.options.sample_stream;
  return stream ? std::string_view(source_.streams[*stream].name) : std::string_view();
}

void RangeReader::refuse(Utterance& utterance, const ErrorKind& kind, LineRange at,
                         std::string found) const {
  const auto begin = static_cast<std::int64_t>(at.begin);
  Diagnostic diagnostic = internal::location_in_list(source_.manifest, kind, utterance.line,
                                                     utterance.offset_bytes + begin);
  diagnostic.column = begin + 1;
  diagnostic.found = std::move(found);
  set_excerpt(diagnostic, utterance.text, begin, static_cast<std::int64_t>(at.size));
  utterance.fault = std::move(diagnostic);
}

void RangeReader::refuse_file(Utterance& utterance, const FileFault& fault) const {
  Diagnostic diagnostic =
      internal::location_in_list(*utterance.file->source, *fault.kind, 0, fault.byte_offset);
  diagnostic.stream = stream_name();
  diagnostic.found = fault.found;
  utterance.fault = std::move(diagnostic);
}

Column RangeReader::sample_column() const {
  std::vector<std::int64_t> ends{0};
  ends.reserve(utterances_.size() + 1);
  for (const Utterance& each : utterances_) {
    ends.push_back(ends.back() + (each.fault ? 0 : each.part.count));
  }
  Column column;
  column.values = read_values(ends);
  column.sequence_offsets = buffer_of(ends);
  return column;
}

Buffer RangeReader::read_values(const std::vector<std::int64_t>& ends) const {
  const std::int64_t sample_bytes = source_.index.dim() * kValueSize;
  const internal::SampleScale scale = source_.options.scale;
  Buffer values = buffer_of_size(ends.back() * sample_bytes);
  std::vector<SamplePiece> samples;
  std::vector<internal::FilePiece> pieces;
  for (std::size_t i = 0; i < utterances_.size(); ++i) {
    const Utterance& each = utterances_[i];
    if (each.fault) continue;
    const FilePart& part = each.part;
    const bool is_whole = part.whole_bytes > 0;
    const std::int64_t step =
        is_whole ? part.count : std::max<std::int64_t>(1, kPieceBytesMax / part.bytes_per_sample);
    for (std::int64_t first = 0; first < part.count; first += step) {
      const std::int64_t count = std::min(step, part.count - first);
      samples.push_back({.line = &each.parsed,
                         .file = each.file.get(),
                         .part = &part,
                         .count = count,
                         .to = values.mutable_data() + (ends[i] + first) * sample_bytes});
      pieces.push_back(
          {.source = each.file->source.get(),
           .offset_bytes = part.offset_bytes + first * part.bytes_per_sample,
           .size_bytes = is_whole ? part.whole_bytes : count * part.bytes_per_sample,
           .location = is_read_in_place(samples.back(), scale) ? samples.back().to : nullptr});
    }
  }
  std::vector<float> all_channels;
  internal::read_pieces(pieces, source_.options.read_size_bytes,
                        [&](std::size_t piece, const std::byte* bytes) {
                          convert(bytes, samples[piece], scale, all_channels);
                        });
  return values;
}

Column RangeReader::text_column(std::size_t number) const {
  std::vector<std::int64_t> sequence_ends{0};
  std::vector<std::int64_t> sample_ends{0};
  std::vector<std::int64_t> extents;
  bool has_all = true;
  const auto text_of = [number](const Utterance& each) -> const std::string* {
    if (each.fault) return nullptr;
    const std::optional<std::string>& text = each.parsed.texts[number];
    return text ? &*text : nullptr;
  };
  for (const Utterance& each : utterances_) {
    const std::string* const text = text_of(each);
    if (text != nullptr) {
      extents.push_back(std::ssize(*text));
      sample_ends.push_back(sample_ends.back() + std::ssize(*text));
    }
    has_all = has_all && (text != nullptr || each.fault);
    sequence_ends.push_back(std::ssize(extents));
  }
  Column column;
  column.values = buffer_of_size(sample_ends.back());
  std::byte* to = column.values.mutable_data();
  for (const Utterance& each : utterances_) {
    const std::string* const text = text_of(each);
    if (text == nullptr || text->empty()) continue;
    std::memcpy(to, text->data(), text->size());
    to += text->size();
  }
  column.sample_offsets = buffer_of(sample_ends);
  column.extents = buffer_of(extents);
  column.sequence_offsets = buffer_of(sequence_ends);
  if (has_all) return column;
  column.presence = buffer_of_size(std::ssize(utterances_));
  const std::span<std::uint8_t> presence = column.presence.as_mutable<std::uint8_t>();
  for (std::size_t i = 0; i < utterances_.size(); ++i) {
    presence[i] = utterances_[i].fault || text_of(utterances_[i]) != nullptr ? 1 : 0;
  }
  return column;
}

}  // namespace sheaf::manifest
