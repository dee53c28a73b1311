// Access points inside a member are made as in zlib's example zran.c: between two blocks of
// deflate, with the 32 KiB of output to which the next blocks may refer. This output is kept
// compressed.

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <string>
#include <utility>

#define ZLIB_CONST
#include <zlib.h>
#include <zstd.h>

#include "sheaf/error.h"

#include "io/compressed/compressed_input.h"
#include "io/compressed/damage.h"
#include "io/compressed/decoder.h"

namespace sheaf::internal {
namespace {

constexpr std::size_t kWindowBytes = std::size_t{32} << 10;
constexpr int kGzipWindow = 15 + 16;  // in zlib's terms: gzip, windows of 32 KiB
constexpr int kRawWindow = -15;       // deflate without a header
constexpr std::size_t kTrailerBytes = 8;

using Window = std::array<std::byte, kWindowBytes>;

std::string packed_window(std::span<const std::byte> window) {
  std::string packed(ZSTD_compressBound(window.size()), '\0');
  const std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), window.data(), window.size(), 1);
  if (ZSTD_isError(size) != 0) throw std::bad_alloc();  // the only possible error
  packed.resize(size);
  packed.shrink_to_fit();
  return packed;
}

class GzipDecoder final : public Decoder {
 public:
  GzipDecoder(const ByteSource& source, const DecoderRange& range)
      : input_(source, range.from.compressed, range.end),
        points_(range.points),
        position_(range.from.decompressed),
        is_first_(range.from.compressed == 0) {
    if (inflateInit2(&stream_, kGzipWindow) != Z_OK) throw std::bad_alloc();
    try {
      if (!range.from.state.empty()) begin_inside(source, range.from);
    } catch (...) {
      inflateEnd(&stream_);
      throw;
    }
  }
  ~GzipDecoder() override { inflateEnd(&stream_); }
  GzipDecoder(const GzipDecoder&) = delete;
  GzipDecoder& operator=(const GzipDecoder&) = delete;

  std::size_t read(std::span<std::byte> into) override;
  [[nodiscard]] std::int64_t position() const noexcept override { return position_; }
  [[nodiscard]] std::int64_t memory_bytes() const noexcept override {
    return static_cast<std::int64_t>(CompressedInput::kBufferBytes + kWindowBytes) + (16 << 10);
  }

 private:
  enum class Progress : std::uint8_t { between_members, in_member, in_member_begun_inside };

  void begin_inside(const ByteSource& source, const AccessPoint& from);
  [[nodiscard]] bool begin_member();
  void end_member();
  void inflate_on(std::span<std::byte>& into);
  void add_point();
  [[noreturn]] void fail(std::string reason) const {
    throw Damage{input_.position(), position_, std::move(reason)};
  }

  CompressedInput input_;
  AccessPointCollector* points_;
  std::int64_t position_;
  bool is_first_;  // nothing of the file was read yet
  Progress progress_ = Progress::between_members;
  z_stream stream_{};
};

void GzipDecoder::begin_inside(const ByteSource& source, const AccessPoint& from) {
  Window window;
  const std::size_t size =
      ZSTD_decompress(window.data(), window.size(), from.state.data(), from.state.size());
  if (ZSTD_isError(size) != 0 || from.compressed < 1) fail("an access point is damaged");
  std::array<std::byte, 1> last{};
  source.read_at(from.compressed - 1, last);
  const auto bits = static_cast<unsigned>(from.bits);
  const unsigned value = std::to_integer<unsigned>(last.front()) >> (8U - bits);
  const bool is_ready =
      inflateReset2(&stream_, kRawWindow) == Z_OK &&
      (bits == 0 || inflatePrime(&stream_, from.bits, static_cast<int>(value)) == Z_OK) &&
      inflateSetDictionary(&stream_, reinterpret_cast<const Bytef*>(window.data()),
                           static_cast<uInt>(size)) == Z_OK;
  if (!is_ready) fail("an access point is damaged");
  progress_ = Progress::in_member_begun_inside;
}

std::size_t GzipDecoder::read(std::span<std::byte> into) {
  const std::size_t asked = into.size();
  while (!into.empty()) {
    if (progress_ == Progress::between_members && !begin_member()) break;
    inflate_on(into);
  }
  return asked - into.size();
}

// Returns false at the end of the file.
bool GzipDecoder::begin_member() {
  const std::span<const std::byte> head = input_.peek(2);
  if (head.empty()) return false;
  if (head.size() < 2 || head[0] != std::byte{0x1F} || head[1] != std::byte{0x8B}) {
    fail(is_first_ ? "no gzip member begins here"
                   : "the bytes that follow the last gzip member are no gzip member");
  }
  if (points_ != nullptr && points_->is_due(position_)) {
    points_->add({.compressed = input_.position(), .decompressed = position_, .state = {}});
  }
  if (inflateReset2(&stream_, kGzipWindow) != Z_OK) throw std::bad_alloc();
  progress_ = Progress::in_member;
  is_first_ = false;
  return true;
}

void GzipDecoder::end_member() {
  if (progress_ ==
      Progress::in_member_begun_inside) {  // the checksum of the part before is unknown
    if (!input_.skip(kTrailerBytes)) fail("the file ends inside a gzip member");
  }
  progress_ = Progress::between_members;
  is_first_ = false;
}

void GzipDecoder::inflate_on(std::span<std::byte>& into) {
  const std::span<const std::byte> bytes = input_.peek();
  if (bytes.empty()) fail("the file ends inside a gzip member");
  const bool stops = points_ != nullptr && points_->is_due(position_);
  constexpr std::size_t kOnceMax = std::numeric_limits<uInt>::max();
  const auto room = static_cast<uInt>(std::min(into.size(), kOnceMax));
  stream_.next_in = reinterpret_cast<const Bytef*>(bytes.data());
  stream_.avail_in = static_cast<uInt>(bytes.size());
  stream_.next_out = reinterpret_cast<Bytef*>(into.data());
  stream_.avail_out = room;
  const int code = inflate(&stream_, stops ? Z_BLOCK : Z_NO_FLUSH);
  const std::size_t made = room - stream_.avail_out;
  input_.consume(bytes.size() - stream_.avail_in);
  into = into.subspan(made);
  position_ += static_cast<std::int64_t>(made);
  if (code == Z_STREAM_END) return end_member();
  if (code == Z_MEM_ERROR) throw std::bad_alloc();
  if (code != Z_OK && code != Z_BUF_ERROR) {
    fail(stream_.msg == nullptr ? "not gzip" : stream_.msg);
  }
  constexpr int kBetweenBlocks = 128;
  constexpr int kInLastBlock = 64;
  if (stops && (stream_.data_type & (kBetweenBlocks | kInLastBlock)) == kBetweenBlocks) add_point();
}

void GzipDecoder::add_point() {
  Window window;
  uInt size = 0;
  if (inflateGetDictionary(&stream_, reinterpret_cast<Bytef*>(window.data()), &size) != Z_OK) {
    return;
  }
  points_->add({.compressed = input_.position(),
                .decompressed = position_,
                .bits = stream_.data_type & 7,
                .state = packed_window(std::span(window).first(size))});
}

}  // namespace

std::unique_ptr<Decoder> gzip_decoder(const ByteSource& source, const DecoderRange& range) {
  return std::make_unique<GzipDecoder>(source, range);
}

}  // namespace sheaf::internal
