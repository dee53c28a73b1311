#include "io/archive/entry_source.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include <zlib.h>

#include "sheaf/extend/interruption.h"

#include "io/compressed/compressed_pass.h"
#include "io/compressed/compressed_source.h"

namespace sheaf::internal {
namespace {

// Copies the part of `bytes`, which begin at offset `begin`, that lies in `into`, which begins at
// offset `offset`.
void copy_overlap(std::string_view bytes, std::int64_t begin, std::int64_t offset,
                  std::span<std::byte> into) {
  const std::int64_t first = std::max(begin, offset);
  const std::int64_t last = std::min(begin + std::ssize(bytes), offset + std::ssize(into));
  if (first >= last) return;
  std::memcpy(into.data() + (first - offset), bytes.data() + (first - begin),
              static_cast<std::size_t>(last - first));
}

std::string number_bytes(std::uint32_t number) {  // the low byte first
  std::string bytes;
  for (unsigned shift = 0; shift < 32; shift += 8) {
    bytes += static_cast<char>((number >> shift) & 0xFFU);
  }
  return bytes;
}

std::uint32_t checksum_of(const ByteSource& source) {
  std::vector<std::byte> piece(std::size_t{256} << 10);
  uLong checksum = crc32(0, nullptr, 0);
  for (std::int64_t at = 0; at < source.size();) {
    check_interruption();
    const auto bytes = std::span(piece).first(
        static_cast<std::size_t>(std::min(std::ssize(piece), source.size() - at)));
    source.read_at(at, bytes);
    checksum = crc32(checksum, reinterpret_cast<const Bytef*>(bytes.data()),
                     static_cast<uInt>(bytes.size()));
    at += std::ssize(bytes);
  }
  return static_cast<std::uint32_t>(checksum);
}

}  // namespace

PartSource::PartSource(std::shared_ptr<const ByteSource> source, std::string name, Part part)
    : source_(std::move(source)), name_(std::move(name)), part_(std::move(part)) {}

void PartSource::read_at(std::int64_t offset, std::span<std::byte> into) const {
  if (offset < 0 || offset > size() || std::ssize(into) > size() - offset) {
    throw IoError(formatted("{}: no {} bytes at offset {}: the size is {}", name_, into.size(),
                            offset, size()));
  }
  const std::int64_t begin = std::ssize(part_.before);
  copy_overlap(part_.before, 0, offset, into);
  copy_overlap(part_.after, begin + part_.size, offset, into);
  const std::int64_t first = std::max(begin, offset);
  const std::int64_t last = std::min(begin + part_.size, offset + std::ssize(into));
  if (first >= last) return;
  source_->read_at(part_.begin + (first - begin),
                   into.subspan(static_cast<std::size_t>(first - offset),
                                static_cast<std::size_t>(last - first)));
}

std::shared_ptr<const ByteSource> open_tar_entry(std::shared_ptr<const ByteSource> archive,
                                                 const StoredEntry& entry, std::string name) {
  return std::make_shared<const PartSource>(
      std::move(archive), std::move(name),
      PartSource::Part{.begin = entry.entry.offset_bytes, .size = entry.stored_bytes});
}

std::shared_ptr<const ByteSource> open_zip_entry(std::shared_ptr<const ByteSource> archive,
                                                 const StoredEntry& entry, std::string name) {
  constexpr int kStored = 0;
  constexpr int kDeflate = 8;
  if (entry.is_encrypted) throw IoError(formatted("{}: encrypted", name));
  if (entry.method != kStored && entry.method != kDeflate) {
    throw IoError(
        formatted("{}: compressed by method {} of zip; what can be read: 0 (stored), 8 "
                  "(deflate)",
                  name, entry.method));
  }
  PartSource::Part part{.begin = zip_data_offset(*archive, entry), .size = entry.stored_bytes};
  if (entry.method == kDeflate) {
    // With a gzip header before it and a gzip trailer behind it, the entry is a gzip member.
    part.before = std::string("\x1F\x8B\x08\0\0\0\0\0\0\xFF", 10);
    part.after = number_bytes(entry.checksum) +
                 number_bytes(static_cast<std::uint32_t>(entry.entry.size_bytes & 0xFFFF'FFFF));
    part.stored_size = entry.entry.size_bytes;
    auto member =
        std::make_shared<const PartSource>(std::move(archive), std::move(name), std::move(part));
    AccessPoints points = find_access_points(*member, Compression::gzip, nullptr);
    if (points.decompressed.size_bytes != entry.entry.size_bytes) {
      throw IoError(formatted("{}: has {} bytes, not {} as the directory of the zip says",
                              member->name(), points.decompressed.size_bytes,
                              entry.entry.size_bytes));
    }
    return std::make_shared<const CompressedSource>(std::move(member), std::move(points));
  }
  auto source =
      std::make_shared<const PartSource>(std::move(archive), std::move(name), std::move(part));
  if (source->size() != entry.entry.size_bytes || checksum_of(*source) != entry.checksum) {
    throw IoError(formatted("{}: damaged: a wrong checksum or size", source->name()));
  }
  return source;
}

}  // namespace sheaf::internal
