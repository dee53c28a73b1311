// Checks for every compression.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/compressed.h"

#include "io/compressed/compressed_pass.h"
#include "io/compressed/compressed_source.h"

namespace sheaf {

inline std::string read_text(const ByteSource& source, std::int64_t offset, std::int64_t size) {
  std::string text(static_cast<std::size_t>(size), '\0');
  source.read_at(offset, std::as_writable_bytes(std::span(text)));
  return text;
}

inline std::string read_all(const ByteSource& source) {
  return read_text(source, 0, source.size());
}

/// Returns the error of opening a file with these bytes, or an empty text.
inline std::string error_of(const std::string& file, const std::string& name,
                            const DecompressOptions& options = {}) {
  try {
    (void)decompressed(memory_source(file, name), options);
  } catch (const IoError& error) {
    return error.what();
  }
  return {};
}

/// Returns a source whose access points are as close together as the file allows.
inline std::shared_ptr<const ByteSource> with_close_points(const std::string& file,
                                                           Compression compression,
                                                           std::int64_t spacing,
                                                           std::size_t& point_count) {
  const std::shared_ptr<const ByteSource> source = memory_source(file, "x");
  internal::AccessPoints points = internal::find_access_points(
      *source, compression, nullptr, {.gzip = spacing, .others = spacing});
  point_count = points.points.size();
  return std::make_shared<const internal::CompressedSource>(source, std::move(points));
}

/// Reads around every point, one byte below, at and above, in short and in long pieces. Also reads
/// all over the file in random order.
inline void check_reads(const std::string& file, Compression compression, std::int64_t spacing,
                        const std::string& expected) {
  const std::shared_ptr<const ByteSource> source = memory_source(file, "x");
  const internal::AccessPoints points = internal::find_access_points(
      *source, compression, nullptr, {.gzip = spacing, .others = spacing});
  const auto size = std::ssize(expected);
  ASSERT_EQ(points.decompressed.size_bytes, size);
  const internal::CompressedSource one(source, points);
  EXPECT_EQ(read_all(one), expected);
  EXPECT_EQ(one.fingerprint(), memory_source(expected, "x")->fingerprint());
  const auto check = [&](const ByteSource& from, std::int64_t begin, std::int64_t count) {
    if (begin < 0 || count < 0 || begin + count > size) return;
    ASSERT_EQ(read_text(from, begin, count),
              expected.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(count)))
        << begin << ' ' << count;
  };
  for (const internal::AccessPoint& point : points.points) {
    for (const std::int64_t begin :
         {point.decompressed - 1, point.decompressed, point.decompressed + 1}) {
      // A fresh source has no decoder in the middle of the file.
      const internal::CompressedSource fresh(source, points);
      check(fresh, begin, std::min<std::int64_t>(2, size - begin));
      check(one, begin, std::min(2 * spacing, size - begin));
    }
  }
  std::uint64_t random = 7;
  for (int i = 0; i < 200 && size > 0; ++i) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    const auto begin =
        static_cast<std::int64_t>((random >> 20U) % static_cast<std::uint64_t>(size));
    check(one, begin,
          std::min<std::int64_t>(1 + static_cast<std::int64_t>(random >> 54U), size - begin));
  }
}

/// Opens every cut of a file, and the file with each byte changed in several ways. Each time,
/// opening fails or the bytes are the same. Files cut at an offset of `whole` are complete files.
inline void check_damage(const std::string& file, const std::string& name,
                         const std::string& expected, const std::vector<std::size_t>& whole = {}) {
  const auto check = [&](const std::string& bytes, const std::string& what) {
    try {
      const auto source = decompressed(memory_source(bytes, name));
      EXPECT_EQ(read_all(*source), expected) << what;
    } catch (const IoError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(name + ": ")) << error.what();
    }
  };
  for (std::size_t size = 0; size < file.size(); ++size) {
    if (std::ranges::find(whole, size) != whole.end()) continue;
    EXPECT_NE(error_of(file.substr(0, size), name), "") << "cut to " << size;
  }
  for (std::size_t i = 0; i < file.size(); ++i) {
    for (const unsigned change : {0x01U, 0x02U, 0x04U, 0x08U, 0x10U, 0x20U, 0x40U, 0x80U, 0xFFU}) {
      std::string changed = file;
      changed[i] = static_cast<char>(static_cast<unsigned char>(changed[i]) ^ change);
      check(changed, "byte " + std::to_string(i) + " changed by " + std::to_string(change));
    }
  }
  for (const std::string& more : {std::string("x"), std::string("\0", 1), std::string(100, 'y')}) {
    EXPECT_NE(error_of(file + more, name), "") << "followed by other bytes";
  }
}

}  // namespace sheaf
