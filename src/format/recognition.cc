#include "format/recognition.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/text.h"

namespace sheaf::internal {

namespace {

/// A compression, the program that undoes it, and the first bytes of its files.
struct KnownCompression {
  std::string_view name;
  std::string_view program;
  std::string_view magic;
};

constexpr std::array<KnownCompression, 5> kCompressions = {{
    {"gzip", "zcat", "\x1F\x8B"},
    {"zstd", "zstdcat", "\x28\xB5\x2F\xFD"},
    {"lz4", "lz4cat", "\x04\x22\x4D\x18"},
    {"xz", "xzcat",
     "\xFD"
     "7zXZ"},
    {"bzip2", "bzcat", "BZh"},
}};

/// A way to store recordings that no format reads, and the first bytes of its files.
struct KnownRecording {
  std::string_view name;
  std::string_view magic;
};

constexpr std::array<KnownRecording, 4> kRecordings = {{
    {"FLAC", "fLaC"},
    {"Ogg", "OggS"},
    {"MP3", "ID3"},
    {"MP3", "\xFF\xFB"},
}};

}  // namespace

std::string first_bytes(const ByteSource& source) {
  std::string bytes(static_cast<std::size_t>(std::min(source.size(), kRecognizedBytes)), '\0');
  source.read_at(0, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

std::string recognized_hint(std::string_view bytes, std::span<const Format> formats) {
  for (const auto& [name, program, magic] : kCompressions) {
    if (bytes.starts_with(magic)) {
      return formatted("; it is compressed with {}: {} FILE | sheaf check -", name, program);
    }
  }
  for (const auto& [name, magic] : kRecordings) {
    if (bytes.starts_with(magic)) {
      return formatted("; it is a recording in {}: decode it first, with ffmpeg -i FILE FILE.wav",
                       name);
    }
  }
  for (const Recognition least : {Recognition::certain, Recognition::possible}) {
    std::string names;
    for (const Format& format : formats) {
      if (format.recognize == nullptr || format.recognize(bytes) < least) continue;
      names += formatted("{}{} ({})", names.empty() ? "" : " or ", format.name, format.description);
    }
    if (names.empty()) continue;
    return formatted("; its first bytes {} {}",
                     least == Recognition::certain ? "are those of" : "look like", names);
  }
  return {};
}

}  // namespace sheaf::internal
