// libsndfile reads a recording through our callbacks, which read bytes of a source. The decoder
// stores an exception of the source until the library's frames have left the stack.

#include "format/audio/sound_file.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <exception>
#include <limits>
#include <mutex>
#include <shared_mutex>
#include <utility>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/extend/interruption.h"

#include "base/saturated.h"
#include "base/text.h"
#include "format/audio/mp3_frames.h"
#include "format/audio/sound_ends.h"
#include "format/audio/sound_library.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kWindowBytesMin = std::int64_t{4} << 10;
constexpr std::int64_t kWindowBytesMax = std::int64_t{256} << 10;
constexpr std::int64_t kPieceValues = std::int64_t{1} << 16;  // decoded in one call
constexpr std::int64_t kLikelyValuesPerByte = 64;

int type_of(SoundCoding coding) noexcept {
  switch (coding) {
    case SoundCoding::flac:
      return kSndfileFlac;
    case SoundCoding::ogg:
      return kSndfileOgg;
    case SoundCoding::mp3:
      return kSndfileMpeg;
    case SoundCoding::sphere:
      break;
  }
  return kSndfileSphere;
}

std::optional<SoundCoding> coding_of_type(int type) noexcept {
  for (const auto coding :
       {SoundCoding::flac, SoundCoding::ogg, SoundCoding::mp3, SoundCoding::sphere}) {
    if (type_of(coding) == (type & kSndfileTypeMask)) return coding;
  }
  return std::nullopt;
}

/// The bytes of a recording, for libsndfile to read.
class RangeBytes {
 public:
  RangeBytes(const ByteSource& source, const SoundRange& location, std::string front)
      : source_(source), location_(location), front_(std::move(front)) {}

  [[nodiscard]] const ByteSource& source() const noexcept { return source_; }
  [[nodiscard]] std::int64_t size() const noexcept {
    return std::ssize(front_) + location_.end_bytes - location_.begin_bytes;
  }

  void rewind() noexcept { position_ = 0; }

  // Throws the exception of the last call of the library, but only once.
  void rethrow() {
    if (error_ != nullptr) std::rethrow_exception(std::exchange(error_, nullptr));
  }

  [[nodiscard]] static SndfileCalls calls() noexcept {
    return {
        .size = [](void* user) { return static_cast<RangeBytes*>(user)->size(); },
        .seek = [](std::int64_t offset, int whence,
                   void* user) { return static_cast<RangeBytes*>(user)->seek(offset, whence); },
        .read = [](void* to, std::int64_t count,
                   void* user) { return static_cast<RangeBytes*>(user)->read(to, count); },
        .write = [](const void*, std::int64_t, void*) { return std::int64_t{0}; },
        .tell = [](void* user) { return static_cast<RangeBytes*>(user)->position_; },
    };
  }

 private:
  std::int64_t seek(std::int64_t offset, int whence) noexcept {
    std::int64_t from = 0;
    if (whence == kSndfileFromHere) from = position_;
    if (whence == kSndfileFromEnd) from = size();
    // Check that from + offset lies within 0 and size(), without an overflow.
    if (offset < -from || offset > size() - from) return -1;
    position_ = from + offset;
    return position_;
  }

  std::int64_t read(void* to, std::int64_t count) noexcept {
    if (error_ != nullptr) return 0;
    const std::int64_t wanted = std::clamp<std::int64_t>(count, 0, size() - position_);
    try {
      auto* next = static_cast<std::byte*>(to);
      for (std::int64_t left = wanted; left > 0;) {
        const std::int64_t got = take(next, left);
        next += got;
        left -= got;
        position_ += got;
      }
    } catch (...) {
      error_ = std::current_exception();
      return 0;
    }
    return wanted;
  }

  // Copies bytes of the window. Refills the window if the position lies outside.
  std::int64_t take(std::byte* to, std::int64_t count) {
    if (position_ < std::ssize(front_)) {
      const std::int64_t of_front = std::min(count, std::ssize(front_) - position_);
      std::memcpy(to, front_.data() + position_, static_cast<std::size_t>(of_front));
      return of_front;
    }
    if (position_ < window_begin_ || position_ >= window_begin_ + std::ssize(window_)) fill();
    const std::int64_t at = position_ - window_begin_;
    const std::int64_t got = std::min(count, std::ssize(window_) - at);
    std::memcpy(to, window_.data() + at, static_cast<std::size_t>(got));
    return got;
  }

  // Fills the window. Headers are small, and their readers seek, so the window grows only for
  // sequential reads.
  void fill() {
    check_interruption();
    const bool goes_on = position_ == window_begin_ + std::ssize(window_);
    window_bytes_ = goes_on && !window_.empty() ? std::min(2 * window_bytes_, kWindowBytesMax)
                                                : kWindowBytesMin;
    window_.clear();  // stays empty if the source throws
    std::vector<std::byte> bytes(
        static_cast<std::size_t>(std::min(window_bytes_, size() - position_)));
    source_.read_at(location_.begin_bytes + position_ - std::ssize(front_), bytes);
    window_ = std::move(bytes);
    window_begin_ = position_;
  }

  const ByteSource& source_;
  const SoundRange location_;
  const std::string front_;  // frames that the decoder reads before the recording
  std::int64_t position_ = 0;
  std::vector<std::byte> window_;
  std::int64_t window_begin_ = 0;
  std::int64_t window_bytes_ = kWindowBytesMin;
  std::exception_ptr error_;
};

const SoundLibrary& library_for(const ByteSource& source, SoundCoding coding) {
  std::string why;
  const SoundLibrary* const library = find_sound_library(why);
  if (library == nullptr) {
    throw ConfigError(formatted(
        "{}: a recording in {} needs the library libsndfile, which cannot be loaded ({}): apt "
        "install libsndfile1, or pip install soundfile",
        source.name(), name_of(coding), why));
  }
  if (!library->reads(type_of(coding))) {
    throw ConfigError(
        formatted("{}: a recording in {} needs a newer libsndfile than {}: pip install soundfile",
                  source.name(), name_of(coding), library->version()));
  }
  return *library;
}

std::string text_of(const char* text) {
  std::string result = text == nullptr ? "" : text;
  while (result.ends_with('.')) result.pop_back();
  constexpr std::string_view kPrefix = "Error : ";
  if (result.starts_with(kPrefix)) result.erase(0, kPrefix.size());
  return result;
}

}  // namespace

struct SoundFile::Decoder {
  Decoder(const SoundLibrary& from, const ByteSource& source, const SoundRange& whole,
          Mp3Frames found)
      : library(from),
        location(whole),
        frames(std::move(found)),
        bytes(source, frames.location, frames.front) {}
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  ~Decoder() {
    if (file != nullptr) library.close(file);
  }

  [[nodiscard]] RiffFault fault(const ErrorKind& kind, std::string found) const {
    return {.kind = &kind,
            .byte_offset = location.begin_bytes,
            .found = std::move(found),
            .channel_count = audio.channel_count,
            .rate = audio.rate};
  }

  // Returns why the recording cannot be opened, or an empty text.
  [[nodiscard]] std::string open(SndfileInfo& info) {
    SndfileCalls calls = RangeBytes::calls();
    {
      const std::shared_lock lock(library.opening);
      file = library.open(&calls, kSndfileRead, &info, &bytes);
    }
    bytes.rethrow();
    if (file != nullptr) return {};
    const std::unique_lock lock(library.opening);
    info = {};
    bytes.rewind();
    file = library.open(&calls, kSndfileRead, &info, &bytes);
    bytes.rethrow();
    return file != nullptr ? std::string() : text_of(library.error_text(nullptr));
  }

  // Checks the frames of MP3, once. Other decoders check their data themselves.
  [[nodiscard]] std::optional<RiffFault> check_frames() {
    if (!std::exchange(has_unchecked_frames, false)) return std::nullopt;
    return check_mp3_frames(bytes.source(), frames, location.end_bytes);
  }

  const SoundLibrary& library;
  const SoundRange location;
  const Mp3Frames frames;  // for other codings, the whole recording
  RangeBytes bytes;
  Sndfile* file = nullptr;
  bool has_unchecked_frames = false;
  SoundAudio audio;
  std::int64_t next = 0;  // the next sample that the decoder returns
};

std::string_view name_of(SoundCoding coding) noexcept {
  switch (coding) {
    case SoundCoding::flac:
      return "FLAC";
    case SoundCoding::ogg:
      return "Ogg";
    case SoundCoding::mp3:
      return "MP3";
    case SoundCoding::sphere:
      break;
  }
  return "SPHERE";
}

std::optional<SoundCoding> sound_coding_of(std::span<const std::byte> head,
                                           bool may_be_mp3) noexcept {
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  if (text.starts_with("fLaC")) return SoundCoding::flac;
  if (text.starts_with("OggS")) return SoundCoding::ogg;
  if (text.starts_with("NIST_1A\n")) return SoundCoding::sphere;
  if (text.starts_with("ID3")) return SoundCoding::mp3;
  constexpr std::byte kSync{0xE0};  // the upper bits of the second byte
  const bool is_frame =
      head.size() >= 2 && head[0] == std::byte{0xFF} && (head[1] & kSync) == kSync;
  if (may_be_mp3 && is_frame) return SoundCoding::mp3;
  return std::nullopt;
}

bool SoundFile::is_likely(std::int64_t value_count, std::int64_t size_bytes) noexcept {
  return value_count <= saturated_product(size_bytes, kLikelyValuesPerByte);
}

std::variant<SoundFile, RiffFault> SoundFile::open(const ByteSource& source,
                                                   const SoundRange& location, SoundCoding coding) {
  assert(0 <= location.begin_bytes && location.begin_bytes <= location.end_bytes &&
         location.end_bytes <= source.size());
  const SoundLibrary& library = library_for(source, coding);
  Mp3Frames frames{.location = location};
  if (coding == SoundCoding::mp3) {
    auto found = find_mp3_frames(source, location);
    if (auto* const fault = std::get_if<RiffFault>(&found)) return std::move(*fault);
    frames = std::get<Mp3Frames>(std::move(found));
  }
  auto decoder = std::make_unique<Decoder>(library, source, location, std::move(frames));
  decoder->has_unchecked_frames = coding == SoundCoding::mp3;
  SndfileInfo info;
  if (const std::string why = decoder->open(info); decoder->file == nullptr) {
    return decoder->fault(kSoundHeader,
                          formatted("{}, as {} says", why, decoder->library.version()));
  }
  const std::optional<SoundCoding> found = coding_of_type(info.format);
  if (!found) return decoder->fault(kSoundHeader, "a recording of another kind");
  if (info.channel_count < 1 || info.channel_count > kSoundChannelsMax) {
    return decoder->fault(kSoundChannels, formatted("{}", info.channel_count));
  }
  if (info.rate < 1) return decoder->fault(kRate, formatted("{}", info.rate));
  decoder->audio = {.coding = *found,
                    .channel_count = info.channel_count,
                    .rate = info.rate,
                    .sample_count = info.sample_count};
  if (std::string cut = cut_end_of(source, location, decoder->audio); !cut.empty()) {
    return decoder->fault(kSoundCut, std::move(cut));
  }
  if (info.sample_count < 0 || info.sample_count == std::numeric_limits<std::int64_t>::max()) {
    return decoder->fault(kSoundLength, "none");
  }
  const std::optional<std::int64_t>& counted = decoder->frames.sample_count;
  if (counted && *counted != info.sample_count) {
    return decoder->fault(kSoundLength, formatted("none, and {} finds {} of {} samples",
                                                  library.version(), info.sample_count, *counted));
  }
  if (info.sample_count / kSamplesPerByteMax > decoder->bytes.size()) {
    return decoder->fault(kSoundLength, formatted("{} samples in {} bytes", info.sample_count,
                                                  decoder->bytes.size()));
  }
  return SoundFile(std::move(decoder));
}

SoundFile::SoundFile(std::unique_ptr<Decoder> decoder) noexcept : decoder_(std::move(decoder)) {}
SoundFile::SoundFile(SoundFile&& other) noexcept = default;
SoundFile& SoundFile::operator=(SoundFile&& other) noexcept = default;
SoundFile::~SoundFile() = default;

const SoundAudio& SoundFile::audio() const noexcept { return decoder_->audio; }

std::optional<RiffFault> SoundFile::read(std::int64_t first, SampleScale scale,
                                         std::span<float> to) {
  Decoder& decoder = *decoder_;
  const SoundLibrary& library = decoder.library;
  const std::int64_t channel_count = decoder.audio.channel_count;
  const std::int64_t end = first + std::ssize(to) / channel_count;
  assert(0 <= first && end <= decoder.audio.sample_count && std::ssize(to) % channel_count == 0);
  if (first == end) return std::nullopt;
  if (std::optional<RiffFault> fault = decoder.check_frames()) return fault;
  if (first != decoder.next) {
    const std::int64_t reached = library.seek(decoder.file, first, kSndfileFromBegin);
    decoder.bytes.rethrow();
    if (reached != first) {
      decoder.next = -1;
      return decoder.fault(kSoundData, formatted("none that can be found at sample {}", first));
    }
    decoder.next = first;
  }
  const std::int64_t piece_count = std::max<std::int64_t>(1, kPieceValues / channel_count);
  while (decoder.next < end) {
    check_interruption();
    float* const values = to.data() + (decoder.next - first) * channel_count;
    const std::int64_t wanted = std::min(piece_count, end - decoder.next);
    const std::int64_t got = library.read(decoder.file, values, wanted);
    decoder.bytes.rethrow();
    if (library.error(decoder.file) != 0) {
      return decoder.fault(kSoundData, formatted("{} near sample {}, as {} says",
                                                 text_of(library.error_text(decoder.file)),
                                                 decoder.next, library.version()));
    }
    if (got != wanted) {
      return decoder.fault(
          kSoundCut, formatted("{} of {} samples", decoder.next + got, decoder.audio.sample_count));
    }
    decoder.next += got;
    constexpr float kFullScale = 32768;
    if (scale == SampleScale::int16) {
      for (float& value : std::span(values, static_cast<std::size_t>(got * channel_count))) {
        value *= kFullScale;
      }
    }
  }
  return std::nullopt;
}

std::optional<RiffFault> SoundFile::holds_all() {
  const SoundAudio& audio = decoder_->audio;
  const std::int64_t value_count = saturated_product(audio.sample_count, audio.channel_count);
  if (is_likely(value_count, decoder_->bytes.size())) return std::nullopt;
  // Use another decoder, because reads of this one must not depend on whether the recording was
  // checked.
  std::variant<SoundFile, RiffFault> opened =
      open(decoder_->bytes.source(), decoder_->location, audio.coding);
  if (auto* const fault = std::get_if<RiffFault>(&opened)) return std::move(*fault);
  auto& other = std::get<SoundFile>(opened);
  const std::int64_t piece_count = std::max<std::int64_t>(1, kPieceValues / audio.channel_count);
  std::vector<float> values(static_cast<std::size_t>(piece_count * audio.channel_count));
  for (std::int64_t first = 0; first < audio.sample_count; first += piece_count) {
    const std::int64_t count = std::min(piece_count, audio.sample_count - first);
    const auto to = std::span(values).first(static_cast<std::size_t>(count * audio.channel_count));
    if (std::optional<RiffFault> fault = other.read(first, SampleScale::unit, to)) return fault;
  }
  return std::nullopt;
}

}  // namespace sheaf::internal
