#include "io/compressed/compression.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>

#include "sheaf/error.h"

#include "base/text.h"

namespace sheaf {
namespace {

struct CompressionNames {
  Compression compression;
  std::string_view extension;
  std::string_view described;  // "a gzip file"
};

constexpr CompressionNames kCompressions[] = {
    {Compression::gzip, ".gz", "a gzip file"},
    {Compression::zstd, ".zst", "a zstd file"},
    {Compression::lz4, ".lz4", "an lz4 file"},
};

bool ends_with(std::string_view name, std::string_view extension) noexcept {
  return name.size() > extension.size() &&
         std::ranges::equal(name.substr(name.size() - extension.size()), extension, {}, [](char c) {
           return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
         });
}

const CompressionNames* names_of(std::string_view name) noexcept {
  for (const CompressionNames& row : kCompressions) {
    if (ends_with(name, row.extension)) return &row;
  }
  return nullptr;
}

// Skippable frames, with which zstd and lz4 files alike may begin.
bool is_skippable(std::string_view head) noexcept {
  return head.size() >= 4 && (static_cast<unsigned char>(head[0]) & 0xF0U) == 0x50 &&
         head.substr(1, 3) == "\x2A\x4D\x18";
}

bool begins_as(Compression compression, std::string_view head) noexcept {
  switch (compression) {
    case Compression::gzip:
      return head.starts_with("\x1F\x8B\x08");
    case Compression::zstd:
      return head.starts_with("\x28\xB5\x2F\xFD") || is_skippable(head);
    case Compression::lz4:
      return head.starts_with("\x04\x22\x4D\x18") || head.starts_with("\x02\x21\x4C\x18") ||
             is_skippable(head);
    case Compression::none:
      return false;
  }
  return false;
}

}  // namespace

Compression compression_of_name(std::string_view name) noexcept {
  const CompressionNames* row = names_of(name);
  return row == nullptr ? Compression::none : row->compression;
}

std::string_view name_without_compression(std::string_view name) noexcept {
  const CompressionNames* row = names_of(name);
  return row == nullptr ? name : name.substr(0, name.size() - row->extension.size());
}

}  // namespace sheaf

sheaf::Compression sheaf::internal::recognized_compression(const ByteSource& source) {
  std::array<char, 4> bytes{};
  const auto size = std::min(source.size(), std::ssize(bytes));
  source.read_at(0, std::as_writable_bytes(std::span(bytes)).first(static_cast<std::size_t>(size)));
  const std::string_view head(bytes.data(), static_cast<std::size_t>(size));
  if (const CompressionNames* row = names_of(source.name())) {
    if (begins_as(row->compression, head)) return row->compression;
    throw IoError(formatted("{}: not {}, as its name says: {}", source.name(), row->described,
                            size == 0 ? "it is empty" : "it begins with other bytes"));
  }
  for (const CompressionNames& row : kCompressions) {
    if (is_skippable(head) || !begins_as(row.compression, head)) continue;
    throw IoError(formatted("{}: {}, which its name does not say: name it {}{}", source.name(),
                            row.described, source.name(), row.extension));
  }
  return Compression::none;
}
