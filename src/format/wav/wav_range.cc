// Samples of WAV files are read in pieces that stay in the caches until they are converted.
// Adjacent pieces of a file are read together. libsndfile decodes the other recordings.

#include "format/wav/wav_range.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>
#include <variant>

#include "sheaf/error.h"

#include "base/text.h"
#include "format/audio/pcm.h"
#include "format/audio/sound_file.h"
#include "format/listed/file_pieces.h"

namespace sheaf::wav {
namespace {

using internal::RiffFault;
using internal::SoundFile;

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
      table_(source.index.sequences(range.chunk)),
      channel_count_(source.index.channel_count()) {}

Chunk RangeReader::read() {
  find_recordings();
  std::vector<Column> columns;
  columns.push_back(column());
  std::vector<std::int64_t> holes;
  add_faults(holes);
  Chunk chunk(source_.streams, std::ssize(recordings_), std::move(columns), std::move(holes));
  if (source_.options.has_text_keys) {
    std::vector<std::string> texts;
    texts.reserve(recordings_.size());
    for (const Recording& each : recordings_) texts.push_back(key_text(each));
    chunk.set_key_texts(std::move(texts));
  }
  return chunk;
}

void RangeReader::find_recordings() {
  const std::int64_t last = range_.first + std::min(range_.count, table_->size() - range_.first);
  recordings_.reserve(static_cast<std::size_t>(last - range_.first));
  for (std::int64_t i = range_.first; i < last; ++i) {
    const SourceLocation location = *table_->location(i);
    recordings_.push_back({.file = location.source,
                           .offset_bytes = location.offset_bytes,
                           .value_count = table_->sample_count(i) * channel_count_,
                           .value = value_count_});
    value_count_ += recordings_.back().value_count;
  }
}

// Checks headers that name very many samples, because memory will be allocated for all of them.
void RangeReader::check_lengths(const WavFiles::Sources& files) {
  std::size_t file = 0;
  for (std::size_t i = 0; i < recordings_.size(); ++i) {
    Recording& each = recordings_[i];
    if (each.value_count == 0) continue;
    const ByteSource& source = *files[file++];
    source_.index.check_unchanged(each.file, source);
    const std::optional<internal::SoundCoding> coding = source_.index.sound_coding(each.file);
    if (!coding || SoundFile::is_likely(each.value_count, source.size())) continue;
    auto opened = SoundFile::open(source, {.begin_bytes = 0, .end_bytes = source.size()}, *coding);
    std::optional<RiffFault> fault;
    if (auto* const of_header = std::get_if<RiffFault>(&opened)) {
      fault = std::move(*of_header);
    } else {
      fault = std::get<SoundFile>(opened).holds_all();
    }
    if (fault) found_.push_back({.recording = i, .fault = *std::move(fault)});
  }
}

Buffer RangeReader::read_values() {
  std::vector<std::int64_t> numbers;  // numbers of files with samples
  for (const Recording& each : recordings_) {
    if (each.value_count > 0) numbers.push_back(each.file);
  }
  const WavFiles::Sources files = source_.files.open_all(numbers);
  check_lengths(files);
  WavFiles::Sources left;  // the files that still have samples
  std::size_t file = 0;
  value_count_ = 0;
  for (std::size_t i = 0; i < recordings_.size(); ++i) {
    Recording& each = recordings_[i];
    each.value = value_count_;
    if (each.value_count == 0) continue;
    const std::shared_ptr<const ByteSource>& source = files[file++];
    if (fault_of(i) != nullptr) {
      each.value_count = 0;
      continue;
    }
    left.push_back(source);
    value_count_ += each.value_count;
  }
  Buffer values = buffer_of_size(value_count_ * kValueSize);
  read_stored(left, values);
  decode(left, values);
  return values;
}

void RangeReader::read_stored(const WavFiles::Sources& files, Buffer& values) const {
  const auto location_of = [&](std::int64_t value) {
    return values.mutable_data() + value * kValueSize;
  };
  struct Samples {
    internal::SampleRules rules;
    std::int64_t value = 0;
    std::int64_t count = 0;
  };
  std::vector<Samples> samples;
  std::vector<internal::FilePiece> pieces;
  std::size_t file = 0;
  for (const Recording& each : recordings_) {
    if (each.value_count == 0) continue;
    const ByteSource& source = *files[file++];
    if (source_.index.sound_coding(each.file)) continue;
    const internal::SampleRules rules = source_.index.rules(each.file);
    const std::int64_t size = internal::sample_bytes(rules.encoding);
    const std::int64_t piece_count = kPieceBytesMax / size;
    for (std::int64_t first = 0; first < each.value_count; first += piece_count) {
      const std::int64_t count = std::min(piece_count, each.value_count - first);
      const std::int64_t value = each.value + first;
      samples.push_back({.rules = rules, .value = value, .count = count});
      pieces.push_back(
          {.source = &source,
           .offset_bytes = each.offset_bytes + first * size,
           .size_bytes = count * size,
           .location = internal::is_stored_as_values(rules) ? location_of(value) : nullptr});
    }
  }
  internal::read_pieces(
      pieces, source_.options.read_size_bytes, [&](std::size_t piece, const std::byte* bytes) {
        const Samples& part = samples[piece];
        internal::convert_samples(bytes, part.count, part.rules,
                                  reinterpret_cast<float*>(location_of(part.value)));
      });
}

// Decodes the recordings for libsndfile, one after the other.
void RangeReader::decode(const WavFiles::Sources& files, Buffer& values) {
  const std::span<float> all = values.as_mutable<float>();
  std::vector<FoundFault> found;
  std::size_t file = 0;
  for (std::size_t i = 0; i < recordings_.size(); ++i) {
    const Recording& each = recordings_[i];
    if (each.value_count == 0) continue;
    const ByteSource& source = *files[file++];
    const std::optional<internal::SoundCoding> coding = source_.index.sound_coding(each.file);
    if (!coding) continue;
    auto opened = SoundFile::open(source, {.begin_bytes = 0, .end_bytes = source.size()}, *coding);
    if (auto* const fault = std::get_if<RiffFault>(&opened)) {
      found.push_back({.recording = i, .fault = std::move(*fault)});
      continue;
    }
    auto& sound = std::get<SoundFile>(opened);
    const std::int64_t count = sound.audio().sample_count * sound.audio().channel_count;
    if (sound.audio().channel_count != channel_count_ || count != each.value_count) {
      throw IoError(formatted("{}: libsndfile finds other samples than when the file was indexed",
                              source.name()));
    }
    const auto to = all.subspan(static_cast<std::size_t>(each.value),
                                static_cast<std::size_t>(each.value_count));
    std::optional<RiffFault> fault = sound.read(0, source_.index.scale(), to);
    if (fault) found.push_back({.recording = i, .fault = *std::move(fault)});
  }
  if (found.empty()) return;
  std::ranges::move(found, std::back_inserter(found_));
  std::ranges::sort(found_, {}, &FoundFault::recording);
  remove_holes(values);
}

// Closes the gaps that holes leave in the values.
void RangeReader::remove_holes(Buffer& values) {
  const std::span<float> all = values.as_mutable<float>();
  std::int64_t value = 0;
  for (std::size_t i = 0; i < recordings_.size(); ++i) {
    Recording& each = recordings_[i];
    if (fault_of(i) != nullptr) each.value_count = 0;
    if (value != each.value && each.value_count > 0) {
      std::memmove(all.data() + value, all.data() + each.value,
                   static_cast<std::size_t>(each.value_count * kValueSize));
    }
    each.value = value;
    value += each.value_count;
  }
  value_count_ = value;
  values.resize(value_count_ * kValueSize);
}

const RiffFault* RangeReader::fault_of(std::size_t recording) const noexcept {
  const auto found = std::ranges::lower_bound(found_, recording, {}, &FoundFault::recording);
  if (found != found_.end() && found->recording == recording) return &found->fault;
  return source_.index.fault(recordings_[recording].file);
}

Column RangeReader::column() {
  Column column;
  column.values = read_values();
  const auto count = std::ssize(recordings_);
  column.sequence_offsets = buffer_of_size((count + 1) * std::int64_t{sizeof(std::int64_t)});
  const std::span<std::int64_t> offsets = column.sequence_offsets.as_mutable<std::int64_t>();
  for (std::size_t i = 0; i < recordings_.size(); ++i) {
    offsets[i] = recordings_[i].value / channel_count_;
  }
  offsets.back() = value_count_ / channel_count_;
  return column;
}

void RangeReader::add_faults(std::vector<std::int64_t>& holes) {
  for (std::size_t i = 0; i < recordings_.size(); ++i) {
    const Recording& recording = recordings_[i];
    const RiffFault* const fault = fault_of(i);
    if (fault == nullptr) continue;
    const auto number = static_cast<std::int64_t>(i);
    holes.push_back(number);
    Diagnostic diagnostic = diagnostic_of(source_.files.path(recording.file), *fault);
    diagnostic.sequence_key = source_.options.has_text_keys
                                  ? key_text(recording)
                                  : to_string(table_->key(range_.first + number));
    diagnostic.stream = source_.options.stream.name;
    diagnostics_.add(range_.first + number, std::move(diagnostic));
  }
}

std::string RangeReader::key_text(const Recording& recording) const {
  return std::string(key_of_path(source_.files.path(recording.file), source_.options.key_part));
}

}  // namespace sheaf::wav
