// The reader first reads the starts of all recordings, and converts the samples in these bytes at
// once. Then it reads the other samples, in pieces that stay in the caches until they are
// converted. It decodes recordings in need of libsndfile one after the other.

#include "format/kaldi/kaldi_audio_range.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "sheaf/extend/buffer.h"

#include "base/text.h"
#include "format/audio/pcm.h"
#include "format/kaldi/kaldi_audio_errors.h"
#include "format/kaldi/kaldi_data_errors.h"
#include "format/kaldi/kaldi_errors.h"
#include "format/kaldi/kaldi_utterances.h"
#include "format/listed/file_pieces.h"

namespace sheaf::kaldi {
namespace {

using internal::RiffFault;

Buffer buffer_of(std::int64_t size_bytes) {
  Buffer buffer;
  buffer.reserve(size_bytes);
  buffer.resize(size_bytes);
  return buffer;
}

class AudioReader {
 public:
  AudioReader(std::span<Utterance> utterances, const AudioRange& from)
      : utterances_(utterances),
        from_(from),
        channel_count_(from.index.stream().sample_shape.size()),
        samples_(utterances.size() + 1),
        faults_(utterances.size()) {
    for (std::size_t i = 0; i < utterances.size(); ++i) {
      samples_[i + 1] =
          samples_[i] + from.table.sample_count(from.first + static_cast<std::int64_t>(i));
    }
    values_ = buffer_of(samples_.back() * sample_bytes());
  }

  Column read();

  /// Moves out the diagnostic of an utterance, after read().
  [[nodiscard]] std::optional<Diagnostic> take_fault(std::size_t number) {
    return std::move(faults_[number]);
  }

 private:
  // The bytes of samples to convert at a time.
  static constexpr std::int64_t kConvertedMax = std::int64_t{256} << 10;

  /// The samples of a recording, and where to store their values.
  struct Samples {
    internal::SampleRules rules;
    std::int64_t channel_count = 0;  // of the recording
    int channel = Segment::kAllChannels;
    std::int64_t count = 0;
    float* to = nullptr;
  };

  [[nodiscard]] std::int64_t sample_bytes() const {
    return channel_count_ * std::int64_t{sizeof(float)};
  }
  void take(std::size_t number, const OpenedUtterance& opened);
  [[nodiscard]] std::optional<RiffFault> misfit(const AudioForm& form,
                                                const Recording& recording) const;
  void take_samples(const Recording& recording, const UtterancePart& part,
                    const OpenedUtterance& opened, float* to);
  void convert(const std::byte* from, const Samples& samples);
  [[nodiscard]] std::optional<RiffFault> decode(internal::SoundFile& sound,
                                                const UtterancePart& part, float* to);
  void add(std::size_t number, const OpenedUtterance& opened, const RiffFault& fault);
  [[nodiscard]] Column column();

  std::span<Utterance> utterances_;
  const AudioRange& from_;
  const std::int64_t channel_count_;
  std::vector<std::int64_t> samples_;  // the first sample of each utterance; then the end
  std::vector<std::optional<Diagnostic>> faults_;
  Buffer values_;
  std::vector<float> picked_;  // values of all channels when only one is wanted

  // The pieces to read after the starts. `sources_` keeps their sources open.
  std::vector<internal::FilePiece> pieces_;
  std::vector<Samples> piece_samples_;
  std::vector<std::shared_ptr<const ByteSource>> sources_;
};

Column AudioReader::read() {
  constexpr std::int64_t kWholeMax = std::int64_t{4} << 20;
  const std::int64_t read_size = from_.options.common.read_size_bytes;
  open_utterances(utterances_, from_.entries,
                  {.object_bytes_max = kWholeMax,
                   .read_size_bytes = read_size,
                   .gap_max_bytes = internal::kPieceGapMax,
                   .reads_samples = true},
                  [&](std::size_t number, const OpenedUtterance& opened) { take(number, opened); });
  internal::read_pieces(pieces_, read_size, [&](std::size_t piece, const std::byte* bytes) {
    convert(bytes, piece_samples_[piece]);
  });
  for (std::size_t i = 0; i < utterances_.size(); ++i) {
    if (utterances_[i].fault == nullptr) continue;
    faults_[i] = diagnostic_of(utterances_[i], from_.entries);
    // The next entry of an archive cannot be found after this fault.
    if (utterances_[i].entry_bytes >= 0) faults_[i]->severity = Severity::fatal;
  }
  return column();
}

void AudioReader::take(std::size_t number, const OpenedUtterance& opened) {
  Utterance& utterance = utterances_[number];
  if (const auto* const fault = std::get_if<RiffFault>(&opened.recording)) {
    return add(number, opened, *fault);
  }
  const auto& recording = std::get<Recording>(opened.recording);
  const AudioForm form = form_of(utterance, opened.recording);
  if (const auto fault = misfit(form, recording)) return add(number, opened, *fault);
  const auto part = part_of(utterance, recording);
  if (const auto* const fault = std::get_if<RiffFault>(&part)) {
    return add(number, opened, *fault);
  }
  const auto& found = std::get<UtterancePart>(part);
  const std::int64_t expected = samples_[number + 1] - samples_[number];
  if (found.samples.count != expected) {
    return add(number, opened,
               {.kind = &kChanged,
                .byte_offset = utterance.location.begin_bytes,
                .found = formatted("{}, where the index has {}", found.samples.count, expected)});
  }
  float* const to =
      reinterpret_cast<float*>(values_.mutable_data() + samples_[number] * sample_bytes());
  if (recording.sound == nullptr) return take_samples(recording, found, opened, to);
  if (const auto fault = decode(*recording.sound, found, to)) add(number, opened, *fault);
}

// Returns why a recording cannot be read as samples of the stream.
std::optional<RiffFault> AudioReader::misfit(const AudioForm& form,
                                             const Recording& recording) const {
  constexpr std::int64_t kChannelsAt = 2;  // in the fields of a format
  constexpr std::int64_t kRateAt = 4;
  const auto location_of = [&](std::int64_t field) {
    return recording.format_bytes + (recording.sound == nullptr ? field : 0);
  };
  if (form.channel_count != channel_count_) {
    return RiffFault{
        .kind = &kOtherChannels,
        .byte_offset = location_of(kChannelsAt),
        .found = formatted("{}, where the stream has {}", form.channel_count, channel_count_)};
  }
  if (form.rate != from_.index.rate()) {
    return RiffFault{
        .kind = &kOtherRate,
        .byte_offset = location_of(kRateAt),
        .found = formatted("{}, where {} {}", form.rate,
                           from_.options.rate ? "kaldi.rate is" : "the first recording has",
                           from_.index.rate())};
  }
  return std::nullopt;
}

// Converts samples that are in memory. Plans reads for the others.
void AudioReader::take_samples(const Recording& recording, const UtterancePart& part,
                               const OpenedUtterance& opened, float* to) {
  const internal::RiffAudio& riff = recording.riff;
  const std::int64_t unit = riff.bytes_per_sample();
  const std::int64_t begin = riff.data_bytes + part.samples.first * unit;  // in the source
  Samples samples{.rules = {.encoding = riff.encoding,
                            .is_big_endian = riff.is_big_endian,
                            .scale = from_.options.scale},
                  .channel_count = riff.channel_count,
                  .channel = part.channel};
  const std::int64_t step = std::max<std::int64_t>(1, kConvertedMax / unit);
  const std::int64_t at_hand_begin = opened.begin_bytes;
  const bool is_at_hand =
      begin + part.samples.count * unit <= at_hand_begin + std::ssize(opened.bytes);
  const bool is_stored =
      internal::is_stored_as_values(samples.rules) && part.channel == Segment::kAllChannels;
  if (!is_at_hand) sources_.push_back(opened.source);
  for (std::int64_t first = 0; first < part.samples.count; first += step) {
    samples.count = std::min(step, part.samples.count - first);
    samples.to = to + first * channel_count_;
    const std::int64_t from = begin + first * unit;
    if (is_at_hand) {
      convert(opened.bytes.data() + (from - at_hand_begin), samples);
      continue;
    }
    pieces_.push_back({.source = opened.source.get(),
                       .offset_bytes = from,
                       .size_bytes = samples.count * unit,
                       .location = is_stored ? reinterpret_cast<std::byte*>(samples.to) : nullptr});
    piece_samples_.push_back(samples);
  }
}

// Decodes samples. Decodes piece by piece to pick one channel.
std::optional<RiffFault> AudioReader::decode(internal::SoundFile& sound, const UtterancePart& part,
                                             float* to) {
  const internal::SampleScale scale = from_.options.scale;
  const std::int64_t channels = sound.audio().channel_count;
  const bool has_all = part.channel == Segment::kAllChannels;
  if (has_all) {
    return sound.read(part.samples.first, scale,
                      {to, static_cast<std::size_t>(part.samples.count * channels)});
  }
  constexpr std::int64_t kSamplesMax = std::int64_t{16} << 10;
  for (std::int64_t first = 0; first < part.samples.count; first += kSamplesMax) {
    const std::int64_t count = std::min(kSamplesMax, part.samples.count - first);
    picked_.resize(static_cast<std::size_t>(count * channels));
    if (auto fault = sound.read(part.samples.first + first, scale, picked_)) return fault;
    for (std::int64_t i = 0; i < count; ++i) {
      to[first + i] = picked_[static_cast<std::size_t>(i * channels + part.channel)];
    }
  }
  return std::nullopt;
}

void AudioReader::convert(const std::byte* from, const Samples& samples) {
  const std::int64_t value_count = samples.count * samples.channel_count;
  if (samples.channel == Segment::kAllChannels) {
    internal::convert_samples(from, value_count, samples.rules, samples.to);
    return;
  }
  picked_.resize(static_cast<std::size_t>(value_count));
  internal::convert_samples(from, value_count, samples.rules, picked_.data());
  for (std::int64_t i = 0; i < samples.count; ++i) {
    samples.to[i] = picked_[static_cast<std::size_t>(i * samples.channel_count + samples.channel)];
  }
}

void AudioReader::add(std::size_t number, const OpenedUtterance& opened, const RiffFault& fault) {
  const Utterance& utterance = utterances_[number];
  if (utterance.fault != nullptr) return;  // the fault is in the line
  Diagnostic diagnostic = diagnostic_of(opened.source->name(), fault);
  if (fault.kind == &kChanged) {
    diagnostic.hint = "--index rebuild (IndexMode::rebuild) reads it anew";
  }
  // The index has no size for an entry whose end cannot be found.
  const bool ends_archive = utterance.entry_bytes >= 0 && utterance.stored_bytes == 0 &&
                            fault.kind != &internal::kKaldiCut;
  if (ends_archive) diagnostic.severity = Severity::fatal;
  faults_[number] = std::move(diagnostic);
}

// Closes the gaps that holes leave in the values.
Column AudioReader::column() {
  std::vector<std::int64_t> ends{0};
  std::byte* const values = values_.mutable_data();
  for (std::size_t i = 0; i < utterances_.size(); ++i) {
    const std::int64_t count = faults_[i] ? 0 : samples_[i + 1] - samples_[i];
    if (count > 0 && ends.back() != samples_[i]) {
      std::memmove(values + ends.back() * sample_bytes(), values + samples_[i] * sample_bytes(),
                   static_cast<std::size_t>(count * sample_bytes()));
    }
    ends.push_back(ends.back() + count);
  }
  values_.resize(ends.back() * sample_bytes());
  Column column;
  column.sequence_offsets = buffer_of(std::ssize(ends) * std::int64_t{sizeof(std::int64_t)});
  std::ranges::copy(ends, column.sequence_offsets.as_mutable<std::int64_t>().begin());
  column.values = std::move(values_);
  return column;
}

}  // namespace

Chunk read_recordings(std::span<Utterance> utterances, const AudioRange& from,
                      Diagnostics& diagnostics) {
  AudioReader reader(utterances, from);
  std::vector<Column> columns;
  columns.push_back(reader.read());
  const bool has_texts = from.options.common.has_text_keys;
  std::vector<std::int64_t> holes;
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < utterances.size(); ++i) {
    const auto number = static_cast<std::int64_t>(i);
    if (std::optional<Diagnostic> fault = reader.take_fault(i)) {
      holes.push_back(number);
      fault->stream = from.index.stream().name;
      fault->sequence_key =
          has_texts ? utterances[i].key : to_string(from.table.key(from.first + number));
      diagnostics.add(from.first + number, *std::move(fault));
    }
    keys.push_back(std::move(utterances[i].key));
  }
  Chunk chunk({&from.index.stream(), 1}, std::ssize(utterances), std::move(columns),
              std::move(holes));
  if (has_texts) chunk.set_key_texts(std::move(keys));
  return chunk;
}

}  // namespace sheaf::kaldi
