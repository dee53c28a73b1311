#include "format/audio/sound_ends.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>

#include "base/text.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kPageBytesMax = 27 + 255 + 255 * 255;  // of a page of Ogg
constexpr std::size_t kPageHeaderBytes = 27;
constexpr std::size_t kVersionAt = 4;
constexpr std::size_t kFlagsAt = 5;
constexpr std::size_t kFlagsMax = 7;
constexpr std::size_t kEndsStream = 4;
constexpr std::size_t kSegmentCountAt = 26;
constexpr std::int64_t kSphereHeaderBytes = 1024;

std::string bytes_of(const ByteSource& source, std::int64_t begin, std::int64_t size) {
  std::string bytes(static_cast<std::size_t>(size), '\0');
  source.read_at(begin, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

std::size_t byte_of(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

// Returns where the last page begins in the last bytes of a recording. The four letters may also
// occur inside a packet. The version and the flags after them distinguish a page.
std::size_t last_page(std::string_view tail) {
  std::size_t at = std::string_view::npos;
  while ((at = tail.rfind("OggS", at)) != std::string_view::npos) {
    const std::string_view page = tail.substr(at);
    const bool is_page = page.size() <= kFlagsAt ||
                         (byte_of(page, kVersionAt) == 0 && byte_of(page, kFlagsAt) <= kFlagsMax);
    if (is_page || at == 0) return at;
    --at;
  }
  return at;
}

std::string cut_page(const ByteSource& source, const SoundRange& location) {
  const std::int64_t size = std::min(location.end_bytes - location.begin_bytes, kPageBytesMax);
  const std::string tail = bytes_of(source, location.end_bytes - size, size);
  const std::size_t last = last_page(tail);
  if (last == std::string_view::npos) return {};
  const std::string_view page = std::string_view(tail).substr(last);
  std::size_t page_size = kPageHeaderBytes;
  if (page.size() >= kPageHeaderBytes) page_size += byte_of(page, kSegmentCountAt);
  if (page.size() >= page_size) {
    const std::size_t segments_end = page_size;
    for (std::size_t at = kPageHeaderBytes; at < segments_end; ++at) page_size += byte_of(page, at);
  }
  if (page.size() < page_size) return formatted("{} bytes of the last page", page.size());
  if ((byte_of(page, kFlagsAt) & kEndsStream) == 0)
    return "a last page that does not end the stream";
  return {};
}

// Returns the number in a line of a SPHERE header, which has the name, -i, and the number.
std::optional<std::int64_t> number_of_header(std::string_view header, std::string_view name) {
  const std::size_t at = header.find(formatted("\n{} -i ", name));
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = header.substr(header.find(" -i ", at) + 4);
  std::int64_t number = 0;
  const auto [next, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error != std::errc()) return std::nullopt;
  return number;
}

std::string cut_samples(const ByteSource& source, const SoundRange& location,
                        std::int64_t sample_count) {
  const std::int64_t size = std::min(location.end_bytes - location.begin_bytes, kSphereHeaderBytes);
  const std::string header = bytes_of(source, location.begin_bytes, size);
  const std::optional<std::int64_t> said = number_of_header(header, "sample_count");
  if (!said || *said <= sample_count) return {};
  return formatted("{} of {} samples", sample_count, *said);
}

}  // namespace

std::string cut_end_of(const ByteSource& source, const SoundRange& location,
                       const SoundAudio& audio) {
  if (audio.coding == SoundCoding::ogg) return cut_page(source, location);
  if (audio.coding == SoundCoding::sphere) return cut_samples(source, location, audio.sample_count);
  return {};
}

}  // namespace sheaf::internal
