#include "format/kaldi/kaldi_object.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "sheaf/diagnostic.h"

#include "base/saturated.h"
#include "base/text.h"
#include "base/unaligned.h"

namespace sheaf::internal {
namespace {

constexpr std::byte kFour{4};
constexpr std::byte kEight{8};
constexpr std::int64_t kMarkedSize = 5;  // the byte 4 and four bytes

std::string_view text_of(std::span<const std::byte> bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Reads the fields of a head, one after the other. Returns zeros after an error.
class HeadReader {
 public:
  HeadReader(std::span<const std::byte> bytes, std::int64_t at) : bytes_(bytes), at_(at) {}

  /// Reads a count, which follows the byte 4.
  std::int64_t marked_count() {
    if (!has(kMarkedSize)) return 0;
    if (bytes_[static_cast<std::size_t>(at_)] != kFour) {
      fail(kKaldiMark, at_, mark_text(bytes_[static_cast<std::size_t>(at_)]));
      return 0;
    }
    ++at_;
    return count();
  }

  std::int64_t count() {
    const auto value = field<std::int32_t>();
    if (value < 0) fail(kKaldiSize, at_ - 4, formatted("{}", value));
    return value < 0 ? 0 : value;
  }

  template <typename T>
  T field() {
    if (!has(sizeof(T))) return T{};
    at_ += std::int64_t{sizeof(T)};
    return load<T>(bytes_.data() + at_ - sizeof(T));
  }

  [[nodiscard]] std::int64_t position() const noexcept { return at_; }
  [[nodiscard]] const std::optional<KaldiFault>& fault() const noexcept { return fault_; }

  static std::string mark_text(std::byte mark) {
    return formatted("the byte {}", std::to_integer<int>(mark));
  }

 private:
  [[nodiscard]] bool has(std::int64_t size) {
    if (fault_) return false;
    if (std::ssize(bytes_) - at_ >= size) return true;
    fail(kKaldiCut, std::ssize(bytes_), formatted("{} bytes", bytes_.size()));
    return false;
  }

  void fail(const ErrorKind& kind, std::int64_t offset, std::string found) {
    if (!fault_) fault_ = KaldiFault{&kind, offset, std::move(found)};
  }

  std::span<const std::byte> bytes_;
  std::int64_t at_;
  std::optional<KaldiFault> fault_;
};

using ParsedHead = std::variant<KaldiHead, KaldiFault>;

/// Completes a head whose values take `data_size` bytes.
ParsedHead finish(KaldiHead head, const HeadReader& reader, std::int64_t data_size,
                  std::int64_t size_left) {
  if (reader.fault()) return *reader.fault();
  head.data_begin = reader.position();
  const bool has_shape = head.kind == KaldiKind::matrix || head.kind == KaldiKind::compressed;
  if (has_shape && (head.rows == 0) != (head.cols == 0)) {
    return KaldiFault{&kKaldiShape, head.data_begin,
                      formatted("{} rows and {} columns", head.rows, head.cols)};
  }
  const bool is_walked = data_size == KaldiHead::kUnknownSize;
  const std::int64_t size = saturated_sum(head.data_begin, is_walked ? 0 : data_size);
  if (size > size_left) {
    return KaldiFault{&kKaldiCut, size_left, formatted("{} of {} bytes", size_left, size)};
  }
  head.size_bytes = is_walked ? KaldiHead::kUnknownSize : size;
  return head;
}

ParsedHead parse_compressed(std::span<const std::byte> bytes, std::int64_t at,
                            KaldiCompression compression, std::int64_t size_left) {
  HeadReader reader(bytes, at);
  KaldiHead head{.kind = KaldiKind::compressed, .compression = compression};
  head.min_value = reader.field<float>();
  head.range = reader.field<float>();
  head.rows = reader.count();
  head.cols = reader.count();
  constexpr std::int64_t kPercentilesSize = 8;
  const std::int64_t cells = saturated_product(head.rows, head.cols);
  const std::int64_t size =
      compression == KaldiCompression::columns ? saturated_sum(cells, kPercentilesSize * head.cols)
      : compression == KaldiCompression::two_byte ? saturated_product(cells, 2)
                                                  : cells;
  return finish(head, reader, size, size_left);
}

ParsedHead parse_floats(std::span<const std::byte> bytes, KaldiKind kind, int value_size,
                        std::int64_t size_left) {
  HeadReader reader(bytes, 5);
  KaldiHead head{.kind = kind, .value_size_bytes = value_size};
  head.rows = reader.marked_count();
  if (kind == KaldiKind::matrix) head.cols = reader.marked_count();
  return finish(head, reader,
                saturated_product(saturated_product(head.rows, head.cols), value_size), size_left);
}

ParsedHead parse_scalar(std::span<const std::byte> bytes, std::int64_t size_left) {
  if (bytes[2] != kFour && bytes[2] != kEight) {
    return KaldiFault{&kKaldiScalarMark, 2, HeadReader::mark_text(bytes[2])};
  }
  const int size = bytes[2] == kFour ? 4 : 8;
  const HeadReader reader(bytes, 3);
  return finish({.kind = KaldiKind::scalar, .rows = 1, .value_size_bytes = size}, reader, size,
                size_left);
}

ParsedHead parse_marked(std::span<const std::byte> bytes, KaldiKind declared,
                        std::int64_t size_left) {
  if (declared == KaldiKind::scalar) return parse_scalar(bytes, size_left);
  HeadReader reader(bytes, 2);
  KaldiHead head{.kind = declared, .rows = reader.marked_count()};
  const bool is_flat = declared == KaldiKind::integers || declared == KaldiKind::pairs;
  assert(is_flat || declared == KaldiKind::lists || declared == KaldiKind::posteriors);
  if (declared == KaldiKind::pairs) head.cols = 2;
  return finish(head, reader,
                is_flat ? head.rows * head.cols * kMarkedSize : KaldiHead::kUnknownSize, size_left);
}

ParsedHead parse_token(std::span<const std::byte> bytes, std::int64_t size_left) {
  const std::string_view token = text_of(bytes.subspan(2));
  if (token.starts_with("FM ")) return parse_floats(bytes, KaldiKind::matrix, 4, size_left);
  if (token.starts_with("DM ")) return parse_floats(bytes, KaldiKind::matrix, 8, size_left);
  if (token.starts_with("FV ")) return parse_floats(bytes, KaldiKind::vector, 4, size_left);
  if (token.starts_with("DV ")) return parse_floats(bytes, KaldiKind::vector, 8, size_left);
  if (token.starts_with("CM ")) {
    return parse_compressed(bytes, 5, KaldiCompression::columns, size_left);
  }
  if (token.starts_with("CM2 ")) {
    return parse_compressed(bytes, 6, KaldiCompression::two_byte, size_left);
  }
  if (token.starts_with("CM3 ")) {
    return parse_compressed(bytes, 6, KaldiCompression::one_byte, size_left);
  }
  if (token.starts_with("SM ")) {
    HeadReader reader(bytes, 5);
    const KaldiHead head{.kind = KaldiKind::sparse, .rows = reader.marked_count(), .cols = 0};
    return finish(head, reader, KaldiHead::kUnknownSize, size_left);
  }
  if (token.size() < 4 && std::ranges::all_of(token, [](char c) { return c >= '2' && c <= 'Z'; })) {
    return KaldiFault{&kKaldiCut, std::ssize(bytes), formatted("{} bytes", bytes.size())};
  }
  return KaldiFault{&kKaldiObject, 2, quoted(token.substr(0, token.find(' ')))};
}

ParsedHead parse_wave(std::span<const std::byte> bytes, std::int64_t size_left) {
  HeadReader reader(bytes, 4);
  auto size = reader.field<std::uint32_t>();
  if (reader.fault()) return *reader.fault();
  if (text_of(bytes)[3] == 'X') size = __builtin_bswap32(size);
  // Programs that write to a pipe do not know the size, and write one of these numbers.
  if (size == 0 || size == 0xFFFFFFFFU || size == 0x7FFFF000U) {
    return KaldiFault{&kKaldiWaveSize, 4, formatted("{}", size)};
  }
  const HeadReader from_start(bytes, 0);
  return finish({.kind = KaldiKind::wave}, from_start, std::int64_t{8} + size, size_left);
}

// Parses AUDIO, which kaldiio writes before the image of a file. A byte gives the number of bytes
// in the size.
ParsedHead parse_image(std::span<const std::byte> bytes, std::int64_t size_left) {
  constexpr std::int64_t kSizeAt = 6;
  HeadReader reader(bytes, kSizeAt - 1);
  const auto width = std::int64_t{reader.field<std::uint8_t>()};
  if (reader.fault()) return *reader.fault();
  if (width < 1 || width > 8) {
    return KaldiFault{&kKaldiImageSize, kSizeAt - 1, formatted("{}", width)};
  }
  if (std::ssize(bytes) < kSizeAt + width) {
    return KaldiFault{&kKaldiCut, std::ssize(bytes), formatted("{} bytes", bytes.size())};
  }
  std::uint64_t size = 0;
  for (std::int64_t i = width; i > 0; --i) {
    size = size << 8 | std::to_integer<std::uint64_t>(bytes[static_cast<std::size_t>(i + 5)]);
  }
  const std::int64_t data_size =
      size > std::uint64_t{kKaldiNoEnd} ? kKaldiNoEnd : static_cast<std::int64_t>(size);
  const HeadReader behind(bytes, kSizeAt + width);
  return finish({.kind = KaldiKind::wave}, behind, data_size, size_left);
}

/// Returns whether a text object may begin with these bytes.
bool begins_text(std::string_view bytes) noexcept {
  const std::size_t at = bytes.find_first_not_of(" \t\n\v\f\r");
  if (at == std::string_view::npos) return true;
  const std::string_view rest = bytes.substr(at);
  return std::string_view("[-+.0123456789").find(rest.front()) != std::string_view::npos ||
         rest.starts_with("rows=");
}

}  // namespace

std::variant<KaldiHead, KaldiFault> parse_kaldi_head(std::span<const std::byte> bytes,
                                                     KaldiKind declared,
                                                     std::int64_t size_left_bytes) {
  const std::string_view text = text_of(bytes);
  if (text.empty()) return KaldiFault{&kKaldiCut, 0, "the end of the file"};
  if (text.starts_with(std::string_view("\0B", 2))) {
    if (bytes.size() < 3) return KaldiFault{&kKaldiCut, 2, "2 bytes"};
    if (bytes[2] == kFour || bytes[2] == kEight) {
      return parse_marked(bytes, declared, size_left_bytes);
    }
    return parse_token(bytes, size_left_bytes);
  }
  if (text.starts_with("RIFF") || text.starts_with("RIFX")) {
    return parse_wave(bytes, size_left_bytes);
  }
  if (text.starts_with("AUDIO")) return parse_image(bytes, size_left_bytes);
  if (text.starts_with("fLaC")) return KaldiFault{&kKaldiFlac, 0, "\"fLaC\""};
  if (text.starts_with("PKL")) return KaldiFault{&kKaldiPickle, 0, "\"PKL\""};
  if (!begins_text(text)) return KaldiFault{&kKaldiObject, 0, quoted(text, 8)};
  return KaldiHead{.kind = KaldiKind::text};
}

std::string_view to_string(KaldiKind kind) noexcept {
  static constexpr std::array<std::string_view, 11> kNames = {"matrix",
                                                              "compressed matrix",
                                                              "sparse matrix",
                                                              "vector",
                                                              "vector of int32",
                                                              "vector of pairs of int32",
                                                              "vector of vectors of int32",
                                                              "posterior",
                                                              "scalar",
                                                              "text",
                                                              "recording"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace sheaf::internal
