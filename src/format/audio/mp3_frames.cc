#include "format/audio/mp3_frames.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/interruption.h"

#include "base/text.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kHeaderBytes = 4;
constexpr std::int64_t kTagHeaderBytes = 10;                // of ID3v2
constexpr std::int64_t kZerosMax = std::int64_t{64} << 10;  // between a tag and the first frame
constexpr std::int64_t kWindowBytes = std::int64_t{256} << 10;
constexpr std::int64_t kInfoBytesMax = 200;  // largest start of a frame that tells the length
constexpr std::int64_t kFirstFrames = 4;  // frames that the decoder may use to recognise the format
constexpr std::int64_t kThousand = 1000;

std::uint32_t byte_at(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

std::int64_t number_at(std::string_view bytes, std::size_t at) {
  return (std::int64_t{byte_at(bytes, at)} << 24) | (byte_at(bytes, at + 1) << 16U) |
         (byte_at(bytes, at + 2) << 8U) | byte_at(bytes, at + 3);
}

// Bit rates in kilobits per second, by the index in a header. The rows are MPEG-1 layers 1, 2 and
// 3, then MPEG-2 layer 1 and the other layers.
constexpr std::array<std::array<std::int16_t, 15>, 5> kBitRates = {{
    {0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448},
    {0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384},
    {0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320},
    {0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256},
    {0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160},
}};
constexpr std::array<std::int64_t, 3> kRates = {44100, 48000, 32000};

/// The bytes of a recording, read forwards in windows.
class Window {
 public:
  Window(const ByteSource& source, std::int64_t end_bytes) : source_(source), end_(end_bytes) {}

  // Returns at most `count` bytes, fewer at the end. They are valid until the next call.
  std::string_view at(std::int64_t offset, std::int64_t count) {
    count = std::clamp<std::int64_t>(end_ - offset, 0, count);
    if (count == 0) return {};  // also past the end, if a tag claims to be long
    if (offset < begin_ || offset + count > begin_ + std::ssize(bytes_)) fill(offset, count);
    return std::string_view(bytes_).substr(static_cast<std::size_t>(offset - begin_),
                                           static_cast<std::size_t>(count));
  }

 private:
  void fill(std::int64_t offset, std::int64_t count) {
    check_interruption();
    const bool goes_on = offset > begin_ && offset <= begin_ + std::ssize(bytes_);
    size_ = goes_on ? std::min(2 * size_, kWindowBytes) : kSmall;
    const std::int64_t size = std::min(std::max(count, size_), end_ - offset);
    std::string bytes(static_cast<std::size_t>(size), '\0');
    source_.read_at(offset, std::as_writable_bytes(std::span(bytes)));
    bytes_ = std::move(bytes);
    begin_ = offset;
  }

  static constexpr std::int64_t kSmall = std::int64_t{4} << 10;
  const ByteSource& source_;
  const std::int64_t end_;
  std::string bytes_;
  std::int64_t begin_ = 0;
  std::int64_t size_ = kSmall;
};

RiffFault fault_at(const ErrorKind& kind, std::int64_t offset, std::string found) {
  return {.kind = &kind, .byte_offset = offset, .found = std::move(found)};
}

// Skips tags before the frames, and the zeros after the tags.
std::int64_t skip_tags(Window& window, std::int64_t offset) {
  constexpr std::uint32_t kHasFooter = 0x10;
  bool has_tag = false;
  for (;;) {
    const std::string_view tag = window.at(offset, kTagHeaderBytes);
    if (std::ssize(tag) < kTagHeaderBytes || !tag.starts_with("ID3")) break;
    std::int64_t size = 0;  // 7 bits in each byte
    for (std::size_t i = 6; i < 10; ++i) size = size << 7 | (byte_at(tag, i) & 0x7FU);
    if ((byte_at(tag, 5) & kHasFooter) != 0) size += kTagHeaderBytes;
    offset += kTagHeaderBytes + size;
    has_tag = true;
  }
  if (!has_tag) return offset;
  const std::int64_t end = offset + kZerosMax;
  while (offset < end && window.at(offset, 1) == std::string_view("\0", 1)) ++offset;
  return offset;
}

/// The numbers in a frame about the frames after it.
struct Told {
  std::optional<std::int64_t> frame_count{};
  std::optional<std::int64_t> size_bytes{};  // including this frame
  std::size_t size_at = 0;                   // offset of the size in this frame
};

std::size_t side_bytes(const Mp3Header& header) {
  if (header.version == 1) return header.channel_count == 1 ? 17 : 32;
  return header.channel_count == 1 ? 9 : 17;
}

// Reads the frame that encoders write first. Its numbers follow Xing or Info after the empty side
// information, or VBRI after 32 bytes.
std::optional<Told> told_by(std::string_view frame, const Mp3Header& header) {
  constexpr std::uint32_t kHasFrames = 1;
  constexpr std::uint32_t kHasBytes = 2;
  const std::size_t at = kHeaderBytes + side_bytes(header);
  const std::string_view rest = frame.substr(std::min(at, frame.size()));
  Told told;
  if (rest.size() >= 16 && (rest.starts_with("Xing") || rest.starts_with("Info"))) {
    const std::uint32_t flags = byte_at(rest, 7);
    std::size_t next = 8;
    if ((flags & kHasFrames) != 0) {
      told.frame_count = number_at(rest, next);
      next += 4;
    }
    if ((flags & kHasBytes) != 0) told.size_bytes = number_at(rest, next);
    told.size_at = at + next;
    return told;
  }
  constexpr std::size_t kVbriAt = kHeaderBytes + 32;
  if (frame.size() >= kVbriAt + 18 && frame.substr(kVbriAt).starts_with("VBRI")) {
    told.size_at = kVbriAt + 10;
    told.size_bytes = number_at(frame, told.size_at);
    told.frame_count = number_at(frame, kVbriAt + 14);
    return told;
  }
  return std::nullopt;
}

bool is_end(Window& window, std::int64_t offset, std::int64_t end_bytes) {
  for (const std::string_view tag : {"TAG", "APETAGEX", "LYRICSBEGIN", "ID3"}) {
    if (window.at(offset, std::ssize(tag)) == tag) return true;
  }
  while (offset < end_bytes) {
    const std::string_view bytes = window.at(offset, kThousand);
    if (bytes.find_first_not_of('\0') != std::string_view::npos) return false;
    offset += std::ssize(bytes);
  }
  return true;
}

std::string start_of(std::string_view bytes) { return quoted(bytes); }

/// The result of a walk along all frames.
struct Walk {
  std::int64_t frame_count = 0;
  std::int64_t end_bytes = 0;  // end of the last frame
  std::optional<RiffFault> fault{};
};

Walk walk_frames(Window& window, std::int64_t begin, std::int64_t end_bytes,
                 std::int64_t count_max = std::numeric_limits<std::int64_t>::max()) {
  Walk walk{.end_bytes = begin};
  std::optional<Mp3Header> first;
  while (walk.end_bytes < end_bytes && walk.frame_count < count_max) {
    const std::int64_t at = walk.end_bytes;
    const std::string_view bytes = window.at(at, kHeaderBytes);
    const std::optional<Mp3Header> header = mp3_header(bytes);
    if (!first) first = header;
    if (!header) {
      if (is_end(window, at, end_bytes)) return walk;
      walk.fault = fault_at(kSoundData, at,
                            start_of(window.at(at, kHeaderBytes)) + ", where a frame begins");
      return walk;
    }
    if (header->rate != first->rate || header->version != first->version ||
        header->layer != first->layer) {
      walk.fault = fault_at(kSoundData, at, "a frame of another rate or layer than the first");
      return walk;
    }
    if (header->size_bytes > end_bytes - at) {
      walk.fault = fault_at(
          kSoundCut, at,
          formatted("{} of the {} bytes of the last frame", end_bytes - at, header->size_bytes));
      return walk;
    }
    walk.end_bytes += header->size_bytes;
    ++walk.frame_count;
  }
  return walk;
}

// Compares the number of frames with the number in the first frame, which counts either the other
// frames or all frames.
std::optional<RiffFault> wrong_count(const Walk& walk, std::optional<std::int64_t> told,
                                     std::int64_t begin) {
  if (!told || *told == walk.frame_count - 1 || *told == walk.frame_count) return std::nullopt;
  const bool is_cut = walk.frame_count <= *told;
  return fault_at(
      is_cut ? kSoundCut : kSoundLength, begin,
      is_cut ? formatted("{} of {} frames", walk.frame_count - 1, *told)
             : formatted("{} frames, where the first one tells {}", walk.frame_count - 1, *told));
}

// Returns whether a length in bytes may be right. Encoders count differently. The decoder tolerates
// twice the difference.
bool is_about(std::int64_t size, std::int64_t told) {
  constexpr std::int64_t kPart = 200;
  return size >= told - told / kPart && size <= told + told / kPart;
}

void put_number(std::string& bytes, std::size_t at, std::int64_t number) {
  for (std::size_t i = 4; i-- > 0; number >>= 8) bytes[at + i] = static_cast<char>(number & 0xFF);
}

// Makes a frame that tells the number of the other frames, and a silent frame. The decoder drops
// the samples of the silent frame as the delay of encoder and decoder. So it drops no samples of
// the recording.
std::string front_frames(std::string_view first, const Walk& walk, std::int64_t begin) {
  constexpr std::size_t kNumbersBytes = 16;  // Info, flags, frames, bytes
  constexpr std::size_t kDelaysAt = 21;  // delays of the encoder, after its name and other fields
  constexpr std::size_t kEncoderBytes = 36;
  constexpr std::int64_t kDecoderDelay = 529;
  constexpr unsigned kNoChecksum = 1;
  std::string header(first.substr(0, kHeaderBytes));
  header[1] = static_cast<char>(byte_at(header, 1) | kNoChecksum);
  for (unsigned index = 1; index < kBitRates[0].size(); ++index) {
    header[2] = static_cast<char>((byte_at(header, 2) & 0x0CU) | index << 4U);  // without padding
    const std::optional<Mp3Header> parsed = mp3_header(header);
    const std::size_t at = kHeaderBytes + side_bytes(*parsed);
    std::string frame(static_cast<std::size_t>(parsed->size_bytes), '\0');
    if (frame.size() < at + kNumbersBytes + kEncoderBytes) continue;
    frame.replace(0, header.size(), header);
    std::string info = frame;
    info.replace(at, 4, "Info");
    info[at + 7] = 3;  // both numbers
    put_number(info, at + 8, walk.frame_count + 1);
    put_number(info, at + 12, walk.end_bytes - begin + 2 * std::ssize(frame));
    info.replace(at + kNumbersBytes, 4, "LAME");
    const std::int64_t delays = (parsed->sample_count() - kDecoderDelay) << 12 | kDecoderDelay;
    put_number(info, at + kNumbersBytes + kDelaysAt - 1, delays);  // three bytes
    return info + frame;
  }
  return {};
}

// Returns the frames of a recording that does not tell its length.
Mp3Frames counted_frames(std::string_view head, const Mp3Header& first, const Walk& walk,
                         std::int64_t begin) {
  Mp3Frames frames{.location = {.begin_bytes = begin, .end_bytes = walk.end_bytes},
                   .sample_count = walk.frame_count * first.sample_count()};
  // Only frames of layer 3 can tell lengths.
  if (first.layer == 3) frames.front = front_frames(head, walk, begin);
  return frames;
}

}  // namespace

std::int64_t Mp3Header::sample_count() const noexcept {
  constexpr std::int64_t kOfLayer1 = 384;
  constexpr std::int64_t kOfOthers = 1152;
  if (layer == 1) return kOfLayer1;
  return layer == 3 && version == 2 ? kOfOthers / 2 : kOfOthers;
}

std::optional<Mp3Header> mp3_header(std::string_view bytes) noexcept {
  if (std::ssize(bytes) < kHeaderBytes) return std::nullopt;
  constexpr std::uint32_t kSync = 0xE0;
  const std::uint32_t second = byte_at(bytes, 1);
  const std::uint32_t third = byte_at(bytes, 2);
  const std::uint32_t version_bits = second >> 3U & 3U;  // 3: MPEG-1, 2: MPEG-2, 0: MPEG-2.5
  const std::uint32_t layer_bits = second >> 1U & 3U;    // 3: layer 1, 1: layer 3
  const std::uint32_t bit_rate_at = third >> 4U;
  const std::uint32_t rate_at = third >> 2U & 3U;
  const bool is_padded = (third & 2U) != 0;
  if (byte_at(bytes, 0) != 0xFF || (second & kSync) != kSync || version_bits == 1 ||
      layer_bits == 0 || bit_rate_at == 0 || bit_rate_at == 15 || rate_at == 3) {
    return std::nullopt;
  }
  Mp3Header header;
  header.version = version_bits == 3 ? 1 : 2;
  header.layer = 4 - layer_bits;
  header.rate = kRates[rate_at];
  if (version_bits == 2) header.rate /= 2;
  if (version_bits == 0) header.rate /= 4;
  header.channel_count = byte_at(bytes, 3) >> 6U == 3 ? 1 : 2;
  const std::size_t row = header.version == 1 ? header.layer - 1 : (header.layer == 1 ? 3U : 4U);
  const std::int64_t bits_a_second = kBitRates[row][bit_rate_at] * kThousand;
  const std::int64_t slot_bytes = header.layer == 1 ? 4 : 1;
  const std::int64_t slot_count =
      header.sample_count() / 8 / slot_bytes * bits_a_second / header.rate + (is_padded ? 1 : 0);
  header.size_bytes = slot_count * slot_bytes;
  return header;
}

std::variant<Mp3Frames, RiffFault> find_mp3_frames(const ByteSource& source,
                                                   const SoundRange& location) {
  Window window(source, location.end_bytes);
  const std::int64_t begin = skip_tags(window, location.begin_bytes);
  const std::string head(window.at(begin, kInfoBytesMax));
  const std::optional<Mp3Header> first = mp3_header(head);
  if (!first) {
    const std::int64_t at = std::min(begin, location.end_bytes);
    return fault_at(kSoundHeader, at,
                    head.empty() ? "the end of the data, where a frame begins"
                                 : start_of(std::string_view(head).substr(0, kHeaderBytes)) +
                                       ", where a frame begins");
  }
  const auto refused = [&](RiffFault fault) {
    fault.channel_count = first->channel_count;
    fault.rate = first->rate;
    return fault;
  };
  const std::int64_t size = location.end_bytes - begin;
  const std::optional<Told> told = told_by(head, *first);
  const bool is_told = told && told->frame_count && told->size_bytes;
  if (is_told && is_about(size, *told->size_bytes)) {
    Walk few = walk_frames(window, begin, location.end_bytes, kFirstFrames);
    if (few.fault) return refused(*std::move(few.fault));
    return Mp3Frames{.location = {.begin_bytes = begin, .end_bytes = location.end_bytes},
                     .told_count = told->frame_count};
  }
  Walk walk = walk_frames(window, begin, location.end_bytes);
  if (walk.fault) return refused(*std::move(walk.fault));
  if (!told) return counted_frames(head, *first, walk, begin);
  // The frame with the numbers holds no sound.
  if (auto fault = wrong_count(walk, told->frame_count, begin)) return refused(*std::move(fault));
  const std::int64_t sound_begin = begin + first->size_bytes;
  if (!is_told) {
    --walk.frame_count;
    return counted_frames(head, *first, walk, sound_begin);
  }
  std::string front(window.at(begin, first->size_bytes));
  put_number(front, told->size_at, walk.end_bytes - begin);
  return Mp3Frames{.location = {.begin_bytes = sound_begin, .end_bytes = walk.end_bytes},
                   .front = std::move(front)};
}

std::optional<RiffFault> check_mp3_frames(const ByteSource& source, const Mp3Frames& frames,
                                          std::int64_t end_bytes) {
  if (!frames.told_count) return std::nullopt;
  Window window(source, end_bytes);
  Walk walk = walk_frames(window, frames.location.begin_bytes, end_bytes);
  if (walk.fault) return std::move(walk.fault);
  return wrong_count(walk, frames.told_count, frames.location.begin_bytes);
}

}  // namespace sheaf::internal
