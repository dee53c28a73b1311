// CNTK tells the byte order from the frame period alone: in the right order the period is the
// smaller number. If both orders give the same number, or if the sizes in the header do not fit the
// size of the file, the size of the file decides.

#include "format/htk/htk_header.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "base/unaligned.h"

namespace sheaf::htk {
namespace {

using internal::load;

constexpr std::int64_t kGuidSize = 16;
constexpr std::int64_t kChecksumSize = 2;
constexpr std::int64_t kScaleFrames = 4;  // frames that the header counts for the scales

constexpr unsigned kBaseMask = 077;
constexpr unsigned kCompressed = 02000;
constexpr unsigned kChecksum16 = 010000;
constexpr unsigned kQuantized = 040000;
constexpr unsigned kFeStream = 12;

// The names of base kinds that are float vectors. Other entries are empty.
constexpr std::array<std::string_view, 13> kBaseNames = {
    "",      "LPC",     "LPREFC", "LPCEPSTRA", "LPDELCEP", "",    "MFCC",
    "FBANK", "MELSPEC", "USER",   "",          "PLP",      "USER"};

// The qualifiers in the order of printed kinds.
constexpr std::array<std::pair<unsigned, char>, 7> kQualifiers = {{{0100, 'E'},
                                                                   {0400, 'D'},
                                                                   {0200, 'N'},
                                                                   {01000, 'A'},
                                                                   {0100000, 'T'},
                                                                   {04000, 'Z'},
                                                                   {020000, '0'}}};

/// The four numbers of a header, in one byte order.
struct Fields {
  std::int32_t samples = 0;
  std::uint32_t period = 0;
  std::uint16_t frame_size = 0;
  std::uint16_t kind = 0;

  [[nodiscard]] bool has_guid() const { return kind == kFeStream; }
  [[nodiscard]] bool is_compressed() const { return (kind & kCompressed) != 0; }
  [[nodiscard]] bool has_checksum() const { return (kind & kChecksum16) != 0; }
  [[nodiscard]] std::int64_t frame_count() const {
    return samples - (is_compressed() ? kScaleFrames : 0);
  }
  [[nodiscard]] std::int64_t data_offset() const {
    return kHeaderSize + (has_guid() ? kGuidSize : 0) +
           (is_compressed() ? kScaleFrames * frame_size : 0);
  }
  [[nodiscard]] bool fits(std::int64_t file_size) const {
    return samples > 0 && frame_count() >= 0 &&
           file_size ==
               data_offset() + frame_count() * frame_size + (has_checksum() ? kChecksumSize : 0);
  }
};

Fields fields_of(const std::byte* head, bool is_big_endian) {
  Fields fields;
  auto samples = load<std::uint32_t>(head);
  auto period = load<std::uint32_t>(head + 4);
  auto frame_size = load<std::uint16_t>(head + 8);
  auto kind = load<std::uint16_t>(head + 10);
  if (is_big_endian) {
    samples = __builtin_bswap32(samples);
    period = __builtin_bswap32(period);
    frame_size = __builtin_bswap16(frame_size);
    kind = __builtin_bswap16(kind);
  }
  fields.samples = std::bit_cast<std::int32_t>(samples);
  fields.period = period;
  fields.frame_size = frame_size;
  fields.kind = kind;
  return fields;
}

std::string printable_kind(unsigned kind, std::span<const std::byte> guid) {
  std::string text(kBaseNames[kind & kBaseMask]);
  for (const auto& [bit, letter] : kQualifiers) {
    if ((kind & bit) == 0) continue;
    text += '_';
    text += letter;
  }
  if (guid.empty()) return text;
  text += ";guid=";
  for (const std::byte byte : guid) text += formatted("{:02x}", std::to_integer<unsigned>(byte));
  return text;
}

template <typename T>
std::byte* put_big_endian(std::byte* at, T value) {
  for (int shift = 8 * (static_cast<int>(sizeof value) - 1); shift >= 0; shift -= 8) {
    *at++ = static_cast<std::byte>(value >> shift & 0xFFU);
  }
  return at;
}

}  // namespace

std::optional<std::uint16_t> kind_number(std::string_view kind) {
  const std::size_t base_size = std::min(kind.find('_'), kind.size());
  const auto base = std::ranges::find(kBaseNames, kind.substr(0, base_size));
  if (base_size == 0 || base == kBaseNames.end()) return std::nullopt;
  auto number = static_cast<unsigned>(base - kBaseNames.begin());
  for (kind.remove_prefix(base_size); !kind.empty(); kind.remove_prefix(2)) {
    if (kind.size() < 2) return std::nullopt;
    const auto qualifier =
        std::ranges::find(kQualifiers, kind[1], &std::pair<unsigned, char>::second);
    if (kind[0] != '_' || qualifier == kQualifiers.end()) return std::nullopt;
    if ((number & qualifier->first) != 0) return std::nullopt;
    number |= qualifier->first;
  }
  return static_cast<std::uint16_t>(number);
}

std::array<std::byte, kHeaderSize> header_bytes(const WrittenHeader& header) {
  std::array<std::byte, kHeaderSize> bytes{};
  std::byte* at = put_big_endian(bytes.data(), static_cast<std::uint32_t>(header.frame_count));
  at = put_big_endian(at, header.period);
  at = put_big_endian(at, header.frame_size_bytes);
  put_big_endian(at, header.kind);
  return bytes;
}

std::variant<Header, HeaderFault> parse_header(std::span<const std::byte> head,
                                               std::int64_t file_size_bytes) {
  static_assert(std::endian::native == std::endian::little);
  const auto head_size = static_cast<std::int64_t>(head.size());
  if (head_size < kHeaderSize) {
    return HeaderFault{&kNoHeader, head_size, formatted("a file of {} bytes", file_size_bytes)};
  }
  Fields fields = fields_of(head.data(), false);
  const Fields swapped = fields_of(head.data(), true);
  bool is_big_endian = swapped.period < fields.period;
  const bool is_tie = swapped.period == fields.period;
  const Fields& chosen = is_big_endian ? swapped : fields;
  const Fields& other = is_big_endian ? fields : swapped;
  if (!chosen.fits(file_size_bytes) && other.fits(file_size_bytes)) is_big_endian = !is_big_endian;
  if (is_tie && fields.fits(file_size_bytes)) is_big_endian = false;
  if (is_big_endian) fields = swapped;

  const unsigned base = fields.kind & kBaseMask;
  if (base >= kBaseNames.size() || kBaseNames[base].empty() || (fields.kind & kQuantized) != 0) {
    return HeaderFault{&kKind, 10,
                       formatted("{}{}", base, (fields.kind & kQuantized) != 0 ? "_V" : "")};
  }
  const std::int64_t value_size = fields.is_compressed() ? 2 : 4;
  if (fields.frame_size == 0 || fields.frame_size % value_size != 0) {
    return HeaderFault{&kFrameSize, 8, formatted("{} bytes", fields.frame_size)};
  }
  if (fields.frame_count() < 1) {
    return HeaderFault{&kNoFrames, 0, formatted("a count of {}", fields.samples)};
  }
  if (fields.has_guid() && head_size < kHeaderSize + kGuidSize) {
    return HeaderFault{&kNoGuid, head_size, formatted("a file of {} bytes", file_size_bytes)};
  }
  if (fields.is_compressed() && fields.data_offset() > file_size_bytes) {
    return HeaderFault{&kNoScales, file_size_bytes,
                       formatted("a file of {} bytes", file_size_bytes)};
  }
  return Header{
      .frame_count = fields.frame_count(),
      .period = fields.period,
      .frame_size_bytes = fields.frame_size,
      .dim = fields.frame_size / value_size,
      .data_offset = fields.data_offset(),
      .kind = printable_kind(fields.kind, fields.has_guid() ? head.subspan(kHeaderSize, kGuidSize)
                                                            : std::span<const std::byte>{}),
      .is_big_endian = is_big_endian,
      .is_compressed = fields.is_compressed(),
      .has_checksum = fields.has_checksum()};
}

}  // namespace sheaf::htk
