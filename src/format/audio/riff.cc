// A chunk has four letters, a size, that many bytes, and one more byte if the size is odd. Chunks
// follow each other. Only the fmt chunk and the location of the data chunk are read.

#include "format/audio/riff.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "sheaf/diagnostic.h"

#include "base/text.h"
#include "base/unaligned.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kRiffHeaderBytes = 12;
constexpr std::int64_t kChunkHeaderBytes = 8;
constexpr std::int64_t kFormatBytesMin = 16;
constexpr std::int64_t kFormatBytesMax = 40;  // bytes of the format that are used

// Offsets of fields in a fmt chunk.
constexpr std::int64_t kChannelsAt = 2;
constexpr std::int64_t kRateAt = 4;
constexpr std::int64_t kAlignAt = 12;
constexpr std::int64_t kBitsAt = 14;
constexpr std::int64_t kGuidAt = 24;

constexpr std::int64_t kExtensible = 0xFFFE;
constexpr std::int64_t kSoxOpenSize = 0x7FFFF000;
constexpr std::int64_t kOpenSizeMax = 0xFFFFFFFF;

bool says_to_the_end(std::int64_t size) noexcept {
  return size == 0 || size == kSoxOpenSize || size == kOpenSizeMax;
}

std::optional<SampleEncoding> encoding_of(std::int64_t format, std::int64_t bits) noexcept {
  struct Known {
    std::int64_t format;
    std::int64_t bits;
    SampleEncoding encoding;
  };
  constexpr std::array<Known, 8> kKnown = {{{1, 8, SampleEncoding::u8},
                                            {1, 16, SampleEncoding::s16},
                                            {1, 24, SampleEncoding::s24},
                                            {1, 32, SampleEncoding::s32},
                                            {3, 32, SampleEncoding::f32},
                                            {3, 64, SampleEncoding::f64},
                                            {6, 8, SampleEncoding::a_law},
                                            {7, 8, SampleEncoding::mu_law}}};
  for (const Known& known : kKnown) {
    if (known.format == format && known.bits == bits) return known.encoding;
  }
  return std::nullopt;
}

/// Walks over the chunks of one RIFF file, once.
class RiffWalk {
 public:
  RiffWalk(const ByteSource& source, const RiffRange& location, std::span<const std::byte> head)
      : source_(source), location_(location), head_(head) {}

  std::variant<RiffAudio, RiffFault> run() {
    if (find_data()) return audio_;
    return std::move(fault_);
  }

 private:
  // Returns whether the file is valid. If it is not, fault_ says why. The same holds for the next
  // functions.
  bool find_data() {
    if (!take_riff_header()) return false;
    std::int64_t at = location_.begin_bytes + kRiffHeaderBytes;
    for (std::int64_t count = 0; count < kRiffChunksMax; ++count) {
      if (at > location_.end_bytes - kChunkHeaderBytes) {
        return fail(has_format_ ? kNoData : kNoFormat, location_.end_bytes, "the end of the file");
      }
      const std::byte* const header = bytes_at(at, kChunkHeaderBytes);
      const std::string_view id(reinterpret_cast<const char*>(header), 4);
      const bool is_format = id == "fmt ";
      const bool is_data = id == "data";
      const std::int64_t size = number<std::uint32_t>(header + 4);
      const std::int64_t begin = at + kChunkHeaderBytes;
      if (is_data) return take_data(begin, size);
      if (size > location_.end_bytes - begin) {
        return fail(kCutRiff, at + 4,
                    formatted("{} bytes of {}, where {} are left", size, quoted(id),
                              location_.end_bytes - begin));
      }
      if (is_format && !take_format(begin, size)) return false;
      at = begin + size + size % 2;
    }
    return fail(kManyChunks, at, "none");
  }

  bool take_riff_header() {
    const std::int64_t size = location_.end_bytes - location_.begin_bytes;
    if (size < kRiffHeaderBytes) {
      return fail(kNotRiff, location_.end_bytes,
                  formatted("the end of the file after {} bytes", size));
    }
    const std::byte* const header = bytes_at(location_.begin_bytes, kRiffHeaderBytes);
    const std::string_view text(reinterpret_cast<const char*>(header), kRiffHeaderBytes);
    audio_.is_big_endian = text.starts_with("RIFX");
    if (!text.starts_with("RIFF") && !audio_.is_big_endian) {
      return fail(kNotRiff, location_.begin_bytes, quoted(text.substr(0, 4)));
    }
    if (text.substr(8) != "WAVE") {
      return fail(kNotRiff, location_.begin_bytes + 8, quoted(text.substr(8)));
    }
    riff_size_ = number<std::uint32_t>(header + 4);
    if (!location_.is_whole_file && says_to_the_end(riff_size_)) {
      return fail(kOpenSize, location_.begin_bytes + 4, formatted("{}", riff_size_));
    }
    return true;
  }

  bool take_format(std::int64_t begin, std::int64_t size) {
    if (std::exchange(has_format_, true)) {
      return fail(kNoFormat, begin - kChunkHeaderBytes, "a second one");
    }
    if (size < kFormatBytesMin) {
      return fail(kNoFormat, begin - 4, formatted("{} bytes", size));
    }
    const std::byte* const fields = bytes_at(begin, std::min(size, kFormatBytesMax));
    std::int64_t format = number<std::uint16_t>(fields);
    const std::int64_t bits = number<std::uint16_t>(fields + kBitsAt);
    std::int64_t format_at = begin;
    if (format == kExtensible) {
      if (size < kFormatBytesMax) {
        return fail(kNoFormat, begin - 4,
                    formatted("{} bytes, where an extensible format has 40", size));
      }
      format = number<std::uint16_t>(fields + kGuidAt);
      format_at += kGuidAt;
    }
    const std::optional<SampleEncoding> encoding = encoding_of(format, bits);
    if (!encoding) {
      return fail(kEncoding, format_at, formatted("format {} of {} bits", format, bits));
    }
    audio_.encoding = *encoding;
    audio_.format_bytes = begin;
    audio_.channel_count = number<std::uint16_t>(fields + kChannelsAt);
    if (audio_.channel_count == 0) return fail(kChannels, begin + kChannelsAt, "0");
    audio_.rate = number<std::uint32_t>(fields + kRateAt);
    if (audio_.rate == 0) return fail(kRate, begin + kRateAt, "0");
    const std::int64_t align = number<std::uint16_t>(fields + kAlignAt);
    if (align != audio_.bytes_per_sample()) {
      return fail(kAlign, begin + kAlignAt,
                  formatted("{} bytes, where channels times bits make {}", align,
                            audio_.bytes_per_sample()));
    }
    has_good_format_ = true;
    return true;
  }

  bool take_data(std::int64_t begin, std::int64_t size) {
    const std::int64_t size_at = begin - 4;
    if (!has_format_) return fail(kNoFormat, begin - kChunkHeaderBytes, "the data chunk");
    const bool has_riff_end = !says_to_the_end(riff_size_);
    const std::int64_t riff_end = location_.begin_bytes + kChunkHeaderBytes + riff_size_;
    // A chunk of 0 bytes has no samples if the RIFF file continues after the chunk. In an archive,
    // this also holds if the RIFF file ends there.
    const bool is_empty =
        size == 0 && has_riff_end && riff_end >= begin + (location_.is_whole_file ? 1 : 0);
    const std::int64_t left = location_.end_bytes - begin;
    if (says_to_the_end(size) && !is_empty) {
      if (!location_.is_whole_file) return fail(kOpenSize, size_at, formatted("{}", size));
      size = left;
    } else if (has_riff_end && size > std::max<std::int64_t>(0, riff_end - begin)) {
      return fail(kRiffSize, location_.begin_bytes + 4,
                  formatted("{}, where the data chunk ends after {} bytes", riff_size_,
                            begin + size - location_.begin_bytes - kChunkHeaderBytes));
    } else if (size > left) {
      return fail(kCutRiff, location_.end_bytes,
                  formatted("the end of the file after {} of {} bytes of samples", left, size));
    }
    const std::int64_t unit = audio_.bytes_per_sample();
    if (size % unit != 0) {
      return fail(kDataSize, size_at, formatted("{} bytes, with samples of {}", size, unit));
    }
    audio_.data_bytes = begin;
    audio_.sample_count = size / unit;
    return true;
  }

  // Returns bytes of the RIFF file, from the head or from the source. They are valid until the next
  // call.
  const std::byte* bytes_at(std::int64_t offset, std::int64_t size) {
    assert(size <= kFormatBytesMax);
    const std::int64_t at = offset - location_.begin_bytes;
    if (at + size <= std::ssize(head_)) return head_.data() + at;
    const std::span<std::byte> into = std::span(scratch_).first(static_cast<std::size_t>(size));
    source_.read_at(offset, into);
    return into.data();
  }

  template <typename T>
  [[nodiscard]] std::int64_t number(const std::byte* at) const noexcept {
    const auto value = load<T>(at);
    if (!audio_.is_big_endian) return value;
    if constexpr (sizeof value == 2) return __builtin_bswap16(value);
    if constexpr (sizeof value == 4) return __builtin_bswap32(value);
  }

  bool fail(const ErrorKind& kind, std::int64_t offset, std::string found) {
    fault_ = {.kind = &kind, .byte_offset = offset, .found = std::move(found)};
    if (has_good_format_) {
      fault_.channel_count = audio_.channel_count;
      fault_.rate = audio_.rate;
    }
    return false;
  }

  const ByteSource& source_;
  const RiffRange location_;
  const std::span<const std::byte> head_;
  std::array<std::byte, kFormatBytesMax> scratch_{};
  std::int64_t riff_size_ = 0;
  bool has_format_ = false;
  bool has_good_format_ = false;
  RiffAudio audio_;
  RiffFault fault_;
};

}  // namespace

std::variant<RiffAudio, RiffFault> find_riff_audio(const ByteSource& source,
                                                   const RiffRange& location,
                                                   std::span<const std::byte> head) {
  assert(0 <= location.begin_bytes && location.begin_bytes <= location.end_bytes);
  assert(location.end_bytes <= source.size());
  return RiffWalk(source, location, head).run();
}

}  // namespace sheaf::internal
