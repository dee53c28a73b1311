#include "format/kaldi/kaldi_recording.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sheaf/diagnostic.h"

#include "base/saturated.h"
#include "base/text.h"
#include "format/kaldi/kaldi_audio_errors.h"
#include "format/kaldi/kaldi_data_errors.h"
#include "format/kaldi/kaldi_object.h"

namespace sheaf::kaldi {
namespace {

using internal::KaldiFault;
using internal::KaldiHead;
using internal::RiffAudio;
using internal::RiffFault;
using internal::SoundCoding;
using internal::SoundFile;

std::string_view first_bytes_of(std::span<const std::byte> head) noexcept {
  return {reinterpret_cast<const char*>(head.data()), head.size()};
}

bool is_riff(std::string_view text) noexcept {
  return text.starts_with("RIFF") || text.starts_with("RIFX");
}

std::optional<SoundCoding> coding_of(const ByteSource& source,
                                     std::span<const std::byte> head) noexcept {
  return internal::sound_coding_of(head, source.name().ends_with(".mp3"));
}

OpenedRecording open_riff(const ByteSource& source, const internal::RiffRange& location,
                          std::int64_t object_begin, std::span<const std::byte> head) {
  const std::int64_t size = location.end_bytes - location.begin_bytes;
  auto found = internal::find_riff_audio(
      source, location, head.first(static_cast<std::size_t>(std::min(std::ssize(head), size))));
  if (auto* const fault = std::get_if<RiffFault>(&found)) return std::move(*fault);
  const auto& audio = std::get<RiffAudio>(found);
  return Recording{.channel_count = audio.channel_count,
                   .rate = audio.rate,
                   .sample_count = audio.sample_count,
                   .size_bytes = location.end_bytes - object_begin,
                   .bytes_per_sample = audio.bytes_per_sample(),
                   .format_bytes = audio.format_bytes,
                   .riff = audio};
}

OpenedRecording open_sound(const ByteSource& source, const internal::SoundRange& location,
                           SoundCoding coding, std::int64_t object_begin) {
  constexpr std::int64_t kDecodedBytes = 2;  // a value counts as 16 bits
  auto opened = SoundFile::open(source, location, coding);
  if (auto* const fault = std::get_if<RiffFault>(&opened)) return std::move(*fault);
  auto sound = std::make_shared<SoundFile>(std::get<SoundFile>(std::move(opened)));
  if (std::optional<RiffFault> fault = sound->holds_all()) return *std::move(fault);
  const internal::SoundAudio& audio = sound->audio();
  const std::int64_t unit = audio.channel_count * kDecodedBytes;
  return Recording{.channel_count = audio.channel_count,
                   .rate = audio.rate,
                   .sample_count = audio.sample_count,
                   .size_bytes = internal::saturated_product(audio.sample_count, unit),
                   .bytes_per_sample = unit,
                   .format_bytes = object_begin,
                   .sound = std::move(sound)};
}

// Returns whether a command can decode a file of this coding.
bool fits_decoder(Decoder decoder, std::optional<SoundCoding> coding) noexcept {
  if (decoder == Decoder::flac) return coding == SoundCoding::flac;
  return decoder != Decoder::sph2pipe || coding == SoundCoding::sphere;
}

OpenedRecording open_object(const ByteSource& source, const RecordingLocation& location,
                            std::span<const std::byte> head) {
  const std::string_view text = first_bytes_of(head);
  const std::int64_t begin = location.begin_bytes;
  if (location.is_whole_file) {
    const std::optional<SoundCoding> coding = coding_of(source, head);
    if (!fits_decoder(location.decoder, coding)) {
      return RiffFault{.kind = &kDecoder, .byte_offset = begin, .found = quoted(text.substr(0, 8))};
    }
    if (is_riff(text)) {
      return open_riff(source, {.begin_bytes = begin, .end_bytes = source.size()}, begin, head);
    }
    if (coding) {
      return open_sound(source, {.begin_bytes = begin, .end_bytes = source.size()}, *coding, begin);
    }
  }
  auto parsed =
      internal::parse_kaldi_head(head, internal::KaldiKind::integers, source.size() - begin);
  if (auto* const fault = std::get_if<KaldiFault>(&parsed)) {
    return RiffFault{.kind = fault->kind,
                     .byte_offset = begin + fault->byte_offset,
                     .found = std::move(fault->found)};
  }
  const auto& object = std::get<KaldiHead>(parsed);
  if (object.kind != internal::KaldiKind::wave) {
    return RiffFault{.kind = &kNoRecording,
                     .byte_offset = begin,
                     .found = formatted("a {}", to_string(object.kind))};
  }
  // The sizes in the image of a file after AUDIO may mean "to the end of the file".
  const bool is_image = object.data_begin > 0;
  const auto image_head =
      head.subspan(std::min(head.size(), static_cast<std::size_t>(object.data_begin)));
  const std::int64_t image_begin = begin + object.data_begin;
  const std::int64_t image_end = begin + object.size_bytes;
  if (const auto coding = coding_of(source, image_head); is_image && coding) {
    return open_sound(source, {.begin_bytes = image_begin, .end_bytes = image_end}, *coding, begin);
  }
  return open_riff(source,
                   {.begin_bytes = image_begin, .end_bytes = image_end, .is_whole_file = is_image},
                   begin, image_head);
}

}  // namespace

bool begins_recording(std::span<const std::byte> head, bool is_whole_file) noexcept {
  const std::string_view text = first_bytes_of(head);
  return is_riff(text) || text.starts_with("AUDIO") || text.starts_with("fLaC") ||
         (is_whole_file && internal::sound_coding_of(head));
}

OpenedRecording open_recording(const ByteSource& source, const RecordingLocation& location,
                               std::span<const std::byte> head) {
  OpenedRecording opened = open_object(source, location, head);
  const auto* const recording = std::get_if<Recording>(&opened);
  if (recording == nullptr || location.channel <= recording->channel_count) return opened;
  return RiffFault{.kind = &kPickedChannel,
                   .byte_offset = location.begin_bytes,
                   .found = formatted("{} of {}", location.channel, recording->channel_count)};
}

}  // namespace sheaf::kaldi
