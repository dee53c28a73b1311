// Access points are the beginnings of frames, and of blocks that refer to no earlier block. To
// begin inside a frame, the decoder feeds the lz4 library with a made-up header of a frame without
// a checksum, and then with the blocks from there on.

#include <array>
#include <new>
#include <string>
#include <utility>

#define XXH_INLINE_ALL
#include <lz4frame.h>
#include <xxhash.h>

#include "io/compressed/compressed_input.h"
#include "io/compressed/damage.h"
#include "io/compressed/decoder.h"
#include "io/compressed/frames.h"

namespace sheaf::internal {
namespace {

constexpr std::uint32_t kLz4Magic = 0x184D2204;
constexpr std::uint32_t kLz4LegacyMagic = 0x184C2102;

// Bits of the byte behind the magic number.
constexpr unsigned kLz4Version = 0x40;
constexpr unsigned kIndependent = 0x20;
constexpr unsigned kBlockChecksum = 0x10;
constexpr unsigned kContentSize = 0x08;
constexpr unsigned kContentChecksum = 0x04;
constexpr unsigned kDictionary = 0x01;

constexpr std::int64_t kDecoderBytes = std::int64_t{8} << 20;  // two blocks of at most 4 MiB

std::size_t lz4_header_size(unsigned flags) noexcept {
  return 7U + ((flags & kContentSize) != 0 ? 8U : 0U) + ((flags & kDictionary) != 0 ? 4U : 0U);
}

class Lz4Decoder final : public Decoder {
 public:
  Lz4Decoder(const ByteSource& source, const DecoderRange& range)
      : input_(source, range.from.compressed, range.end),
        points_(range.points),
        position_(range.from.decompressed),
        context_(create(), &LZ4F_freeDecompressionContext),
        is_first_(range.from.compressed == 0) {
    if (!range.from.state.empty()) begin_inside(range.from);
  }

  std::size_t read(std::span<std::byte> into) override;
  [[nodiscard]] std::int64_t position() const noexcept override { return position_; }
  [[nodiscard]] std::int64_t memory_bytes() const noexcept override { return kDecoderBytes; }

 private:
  static LZ4F_dctx* create() {
    LZ4F_dctx* context = nullptr;
    if (LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION)) != 0) {
      throw std::bad_alloc();
    }
    return context;
  }

  void begin_inside(const AccessPoint& from);
  [[nodiscard]] bool begin_frame();
  void skip_frame(std::span<const std::byte> head);
  [[nodiscard]] bool begin_block(std::span<std::byte>& into);
  void feed(std::span<std::byte>& into);
  std::size_t decompress(std::span<const std::byte> bytes, std::span<std::byte>& into);
  void end_frame();
  [[noreturn]] void fail(std::string reason) const {
    throw Damage{input_.position(), position_, std::move(reason)};
  }

  CompressedInput input_;
  AccessPointCollector* points_;
  std::int64_t position_;
  std::unique_ptr<LZ4F_dctx, decltype(&LZ4F_freeDecompressionContext)> context_;
  bool is_first_;  // nothing of the file was read yet
  bool is_in_frame_ = false;
  bool began_inside_ = false;     // whether decoding began inside this frame
  bool has_ended_ = false;        // whether the last bytes decompressed ended the frame
  unsigned flags_ = 0;            // flags byte of this frame
  unsigned block_size_code_ = 0;  // of this frame: the byte behind the flags
  std::int64_t block_left_ = 0;   // bytes left of this block, with its header and checksum
};

void Lz4Decoder::begin_inside(const AccessPoint& from) {
  if (from.state.size() != 2) fail("an access point is damaged");
  flags_ = static_cast<unsigned char>(from.state[0]);
  block_size_code_ = static_cast<unsigned char>(from.state[1]);
  const std::array<unsigned char, 2> descriptor = {
      static_cast<unsigned char>(kLz4Version | kIndependent | (flags_ & kBlockChecksum)),
      static_cast<unsigned char>(block_size_code_)};
  const unsigned checksum = (XXH32(descriptor.data(), descriptor.size(), 0) >> 8U) & 0xFFU;
  const std::array<unsigned char, 7> header = {
      0x04, 0x22, 0x4D, 0x18, descriptor[0], descriptor[1], static_cast<unsigned char>(checksum)};
  std::span<std::byte> nothing;
  decompress(std::as_bytes(std::span(header)), nothing);
  is_in_frame_ = began_inside_ = true;
}

std::size_t Lz4Decoder::read(std::span<std::byte> into) {
  const std::size_t asked = into.size();
  while (!into.empty()) {
    if (!is_in_frame_ && !begin_frame()) break;
    if (!is_in_frame_) continue;  // passed over a skippable frame
    if (block_left_ == 0 && !begin_block(into)) continue;
    feed(into);
  }
  return asked - into.size();
}

// Returns false at the end of the file.
bool Lz4Decoder::begin_frame() {
  constexpr std::size_t kHeaderMax = 19;
  const std::span<const std::byte> head = input_.peek(kHeaderMax);
  if (head.empty()) return false;
  if (head.size() < 7) fail("the file ends inside the header of an lz4 frame");
  const std::uint32_t magic = number_of(head.first(4));
  if (is_skippable_frame(magic)) {
    skip_frame(head);
    return true;
  }
  if (magic == kLz4LegacyMagic) {
    fail("an lz4 file of the legacy format, which is not supported: compress it again");
  }
  if (magic != kLz4Magic) {
    fail(is_first_ ? "no lz4 frame begins here"
                   : "the bytes that follow the last lz4 frame are no lz4 frame");
  }
  if (points_ != nullptr && points_->is_due(position_)) {
    points_->add({.compressed = input_.position(), .decompressed = position_, .state = {}});
  }
  flags_ = std::to_integer<unsigned>(head[4]);
  block_size_code_ = std::to_integer<unsigned>(head[5]);
  const std::size_t size = lz4_header_size(flags_);
  if (head.size() < size) fail("the file ends inside the header of an lz4 frame");
  if ((flags_ & kDictionary) != 0) fail("the lz4 frame needs a dictionary: compress it without");
  std::span<std::byte> nothing;
  decompress(head.first(size), nothing);
  input_.consume(size);
  is_in_frame_ = true;
  began_inside_ = is_first_ = false;
  return true;
}

void Lz4Decoder::skip_frame(std::span<const std::byte> head) {
  if (head.size() < 8 || !input_.skip(8 + std::int64_t{number_of(head.subspan(4, 4))})) {
    fail("the file ends inside a skippable frame");
  }
  is_first_ = false;
}

// Returns false if the previous block still had bytes to give out.
bool Lz4Decoder::begin_block(std::span<std::byte>& into) {
  const std::size_t room = into.size();
  decompress({}, into);
  if (into.size() < room) return false;
  const std::span<const std::byte> head = input_.peek(4);
  if (head.size() < 4) fail("the file ends inside an lz4 frame");
  const std::uint32_t size = number_of(head.first(4)) & 0x7FFF'FFFFU;
  if (number_of(head.first(4)) == 0) {  // the end mark
    const bool has_checksum = (flags_ & kContentChecksum) != 0 && !began_inside_;
    block_left_ = 4 + (has_checksum ? 4 : 0);
    return true;
  }
  block_left_ = 4 + std::int64_t{size} + ((flags_ & kBlockChecksum) != 0 ? 4 : 0);
  const bool is_independent = (flags_ & kIndependent) != 0;
  if (is_independent && points_ != nullptr && points_->is_due(position_)) {
    points_->add({.compressed = input_.position(),
                  .decompressed = position_,
                  .state = {static_cast<char>(flags_), static_cast<char>(block_size_code_)}});
  }
  return true;
}

void Lz4Decoder::feed(std::span<std::byte>& into) {
  std::span<const std::byte> bytes = input_.peek();
  if (bytes.empty()) fail("the file ends inside an lz4 frame");
  if (std::ssize(bytes) > block_left_) bytes = bytes.first(static_cast<std::size_t>(block_left_));
  const std::size_t used = decompress(bytes, into);
  input_.consume(used);
  block_left_ -= static_cast<std::int64_t>(used);
  if (has_ended_) end_frame();
}

// Returns how many of the bytes were consumed.
std::size_t Lz4Decoder::decompress(std::span<const std::byte> bytes, std::span<std::byte>& into) {
  // The library allows no null pointers, not even for zero bytes.
  std::byte none{};
  std::size_t made = into.size();
  std::size_t used = bytes.size();
  const std::size_t code =
      LZ4F_decompress(context_.get(), into.empty() ? &none : into.data(), &made,
                      bytes.empty() ? &none : bytes.data(), &used, nullptr);
  if (LZ4F_isError(code) != 0) {
    const std::string name = LZ4F_getErrorName(code);
    if (name == "ERROR_allocation_failed") throw std::bad_alloc();
    fail(name);
  }
  into = into.subspan(made);
  position_ += static_cast<std::int64_t>(made);
  has_ended_ = code == 0 && used > 0;
  return used;
}

void Lz4Decoder::end_frame() {
  is_in_frame_ = false;
  block_left_ = 0;
  // The library does not know of the checksum, so it is skipped here.
  const bool has_checksum = (flags_ & kContentChecksum) != 0;
  if (began_inside_ && has_checksum && !input_.skip(4)) fail("the file ends inside an lz4 frame");
}

}  // namespace

std::unique_ptr<Decoder> lz4_decoder(const ByteSource& source, const DecoderRange& range) {
  return std::make_unique<Lz4Decoder>(source, range);
}

}  // namespace sheaf::internal
