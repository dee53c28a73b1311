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

/// First bytes of MP3 files. They are too few to tell a format, so the extension must.
constexpr std::array<std::string_view, 5> kMp3 = {"ID3", "\xFF\xFB", "\xFF\xFA", "\xFF\xF3",
                                                  "\xFF\xF2"};

}  // namespace

std::string first_bytes(const ByteSource& source) {
  std::string bytes(static_cast<std::size_t>(std::min(source.size(), kRecognizedBytes)), '\0');
  source.read_at(0, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

const Format* certain_format(std::string_view bytes, std::span<const Format> formats) {
  const Format* found = nullptr;
  for (const Format& format : formats) {
    if (format.recognize == nullptr || format.recognize(bytes) != Recognition::certain) continue;
    if (found != nullptr) return nullptr;
    found = &format;
  }
  return found;
}

std::string recognized_hint(std::string_view bytes, std::span<const Format> formats) {
  for (const auto& [name, program, magic] : kCompressions) {
    if (bytes.starts_with(magic)) {
      return formatted("; it is compressed with {}: {} FILE | sheaf check -", name, program);
    }
  }
  if (std::ranges::any_of(kMp3, [&](std::string_view magic) { return bytes.starts_with(magic); })) {
    return "; it looks like a recording in MP3, whose name has to end with .mp3";
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
