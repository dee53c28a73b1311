#include "image/image_end.h"

#include <cstdint>

#include <zlib.h>

#include "image/header_bytes.h"

namespace sheaf::internal {
namespace {

// Finds the marker of the first scan of a JPEG image whose header was read. Returns the start if
// there are odd bytes before the scan.
std::size_t first_scan(HeaderBytes bytes) noexcept {
  constexpr unsigned kStartOfScan = 0xDA;
  for (std::size_t at = 2;;) {
    at = bytes.find(at, 0xFF);
    if (!bytes.has(at, 4)) return 2;
    const auto code = static_cast<unsigned>(bytes.big(at + 1, 1));
    if (code == kStartOfScan) return at;
    const bool is_lone = code <= 0x01 || (code >= 0xD0 && code <= 0xD9);
    at += code == 0xFF ? 1 : is_lone ? 2 : 2 + static_cast<std::size_t>(bytes.big(at + 2, 2));
  }
}

}  // namespace

bool has_jpeg_end(std::span<const std::byte> bytes, std::size_t at) noexcept {
  const HeaderBytes input(bytes);
  while ((at = input.find(at, 0xFF)) + 1 < input.size()) {
    ++at;
    if (input.big(at, 1) == 0xD9) return true;
  }
  return false;
}

bool check_png_chunks(std::span<const std::byte> bytes, ImageProblem& problem) {
  constexpr std::size_t kSignatureSize = 8;
  constexpr std::size_t kAroundChunk = 12;  // bytes of a chunk besides its contents
  const HeaderBytes input(bytes);
  for (std::size_t at = kSignatureSize;;) {
    problem = {.offset = static_cast<std::int64_t>(input.size()),
               .expected = "the chunk IEND",
               .found = "the end of the bytes",
               .is_cut = true};
    if (!input.has(at, kAroundChunk)) return false;
    const std::uint64_t size = input.big(at, 4);
    if (!input.has(at, kAroundChunk + size)) return false;
    const auto end = at + 8 + static_cast<std::size_t>(size);
    if (input.starts_with(at + 4, "IDAT")) {
      const auto* data = reinterpret_cast<const Bytef*>(bytes.data() + at + 4);
      const std::uint64_t sum = crc32_z(0, data, static_cast<std::size_t>(size) + 4);
      if (sum != input.big(end, 4)) {
        problem = {.offset = static_cast<std::int64_t>(at),
                   .expected = "a chunk IDAT with its check sum",
                   .found = "another check sum",
                   .is_cut = false};
        return false;
      }
    }
    if (input.starts_with(at + 4, "IEND")) return true;
    at = end + 4;
  }
}

bool is_whole_image(std::span<const std::byte> bytes, ImageFormat format) {
  const HeaderBytes input(bytes);
  switch (format) {
    case ImageFormat::jpeg:
      return has_jpeg_end(bytes, first_scan(input));
    case ImageFormat::png: {
      ImageProblem problem;
      return check_png_chunks(bytes, problem);
    }
    case ImageFormat::webp:
      return input.has(8, input.little(4, 4));  // the size of RIFF
  }
  return false;
}

}  // namespace sheaf::internal
