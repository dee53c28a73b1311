// Access points are the beginnings of frames.

#include "io/compressed/zstd_decoder.h"

#include <new>
#include <string>
#include <utility>

#include <zstd.h>
#include <zstd_errors.h>

#include "io/compressed/compressed_input.h"
#include "io/compressed/damage.h"
#include "io/compressed/decoder.h"
#include "io/compressed/frames.h"

namespace sheaf::internal {
namespace {

// The largest window that a frame may ask for, as in zstd itself.
constexpr int kWindowLogMax = 27;

constexpr std::uint32_t kZstdMagic = 0xFD2FB528;

class ZstdDecoder final : public Decoder {
 public:
  ZstdDecoder(const ByteSource& source, const DecoderRange& range)
      : input_(source, range.from.compressed, range.end),
        points_(range.points),
        position_(range.from.decompressed),
        stream_(ZSTD_createDStream(), &ZSTD_freeDStream),
        is_first_(range.from.compressed == 0) {
    if (!stream_) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax, kWindowLogMax);
  }

  std::size_t read(std::span<std::byte> into) override;
  [[nodiscard]] std::int64_t position() const noexcept override { return position_; }
  [[nodiscard]] std::int64_t memory_bytes() const noexcept override {
    return static_cast<std::int64_t>(CompressedInput::kBufferBytes +
                                     ZSTD_sizeof_DStream(stream_.get()));
  }

 private:
  [[noreturn]] void fail(std::string reason) const {
    throw Damage{input_.position(), position_, std::move(reason)};
  }
  [[noreturn]] void fail(std::size_t code) const;

  CompressedInput input_;
  AccessPointCollector* points_;
  std::int64_t position_;
  std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream_;
  bool is_first_;  // nothing of the file was read yet
  bool is_in_frame_ = false;
};

void ZstdDecoder::fail(std::size_t code) const {
  switch (ZSTD_getErrorCode(code)) {
    case ZSTD_error_memory_allocation:
      throw std::bad_alloc();
    case ZSTD_error_prefix_unknown:
      fail(is_first_ ? "no zstd frame begins here"
                     : "the bytes that follow the last zstd frame are no zstd frame");
    case ZSTD_error_frameParameter_windowTooLarge:
      fail("the frame needs a window of more than 128 MiB (zstd --long): compress it again");
    default:
      fail(ZSTD_getErrorName(code));
  }
}

std::size_t ZstdDecoder::read(std::span<std::byte> into) {
  const std::size_t asked = into.size();
  while (!into.empty()) {
    const std::span<const std::byte> bytes = input_.peek();
    if (!is_in_frame_) {
      if (bytes.empty()) break;
      if (points_ != nullptr && points_->is_due(position_)) {
        points_->add({.compressed = input_.position(), .decompressed = position_, .state = {}});
      }
    }
    ZSTD_inBuffer in{.src = bytes.data(), .size = bytes.size(), .pos = 0};
    ZSTD_outBuffer out{.dst = into.data(), .size = into.size(), .pos = 0};
    const std::size_t code = ZSTD_decompressStream(stream_.get(), &out, &in);
    if (ZSTD_isError(code) != 0) fail(code);
    input_.consume(in.pos);
    into = into.subspan(out.pos);
    position_ += static_cast<std::int64_t>(out.pos);
    is_in_frame_ = code != 0;
    if (!is_in_frame_) is_first_ = false;
    if (is_in_frame_ && bytes.empty() && out.pos == 0) fail("the file ends inside a zstd frame");
  }
  return asked - into.size();
}

// RFC 8878, 3.1.1.1: magic number, descriptor, window, dictionary, content size.
std::size_t zstd_header_size(std::byte descriptor) noexcept {
  const unsigned bits = std::to_integer<unsigned>(descriptor);
  const bool is_single_segment = (bits & 0x20U) != 0;
  constexpr std::size_t kDictionarySizes[] = {0, 1, 2, 4};
  constexpr std::size_t kContentSizes[] = {0, 2, 4, 8};
  const std::size_t content = is_single_segment && bits >> 6U == 0 ? 1 : kContentSizes[bits >> 6U];
  return 5 + (is_single_segment ? 0 : 1) + kDictionarySizes[bits & 3U] + content;
}

// Passes over a frame. Returns false if there is no complete frame.
bool skip_frame(CompressedInput& input) {
  const std::span<const std::byte> head = input.peek(8);
  if (head.size() < 8) return false;
  const std::uint32_t magic = number_of(head.first(4));
  if (is_skippable_frame(magic)) {
    return input.skip(8 + std::int64_t{number_of(head.subspan(4, 4))});
  }
  if (magic != kZstdMagic) return false;
  const bool has_checksum = (head[4] & std::byte{4}) != std::byte{0};
  if (!input.skip(static_cast<std::int64_t>(zstd_header_size(head[4])))) return false;
  for (bool is_last = false; !is_last;) {
    const std::span<const std::byte> block = input.peek(3);
    if (block.size() < 3) return false;
    const std::uint32_t header = number_of(block.first(3));
    constexpr std::uint32_t kRepeatedByte = 1;
    const bool is_repeated = ((header >> 1U) & 3U) == kRepeatedByte;
    is_last = (header & 1U) != 0;
    if (!input.skip(3 + (is_repeated ? 1 : std::int64_t{header >> 3U}))) return false;
  }
  return !has_checksum || input.skip(4);
}

}  // namespace

std::unique_ptr<Decoder> zstd_decoder(const ByteSource& source, const DecoderRange& range) {
  return std::make_unique<ZstdDecoder>(source, range);
}

std::int64_t zstd_frames_end(const ByteSource& source, std::int64_t begin, std::int64_t least) {
  CompressedInput input(source, begin, source.size());
  while (input.position() - begin < least) {
    if (!skip_frame(input)) return source.size();
  }
  return input.position();
}

}  // namespace sheaf::internal
