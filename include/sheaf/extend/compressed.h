/// \file
/// Compressed files as sources of the bytes that were compressed.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/executor.h"

namespace sheaf {

/// How a file is compressed. The end of its name says so: `.gz`, `.zst`, `.lz4`.
enum class Compression : std::uint8_t { none, gzip, zstd, lz4 };

/// Returns the compression that the end of a file's name tells: gzip for "train.ctf.gz".
[[nodiscard]] Compression compression_of_name(std::string_view name) noexcept;

/// Returns the name without the extension of a compression: "train.ctf" for "train.ctf.gz", and any
/// other name as it is.
///
/// Lifetime: that of `name`.
[[nodiscard]] std::string_view name_without_compression(std::string_view name) noexcept;

struct DecompressOptions {
  /// What ByteSource::access_points() returned for the same file earlier. The file is then not
  /// decompressed when it is opened. Points that do not fit the file are not used.
  std::string access_points = {};

  /// Whether the first bytes alone tell the compression, whatever the name says: for a source whose
  /// name has no extension, such as standard input.
  bool by_content = false;

  /// Where the frames of a zstd file are decompressed in parallel. None means this thread.
  Executor* executor = nullptr;
};

/// Returns a source of the decompressed bytes of `source`, whose name and path it keeps. Returns
/// `source` itself if its name ends in none of the extensions above; by content, if no compression
/// begins with its first bytes.
///
/// Decompresses the whole file once, to find its size, every damage, and places from which
/// decompression can begin later. Any number of gzip members, zstd frames or lz4 frames may follow
/// one another.
///
/// Its fingerprint() is that of the decompressed bytes, so it is equal to that of the file before
/// compression.
///
/// Throws: IoError: the file is not what its name says, or is compressed and its name does not say
///         so; it is compressed with xz or bzip2; it is damaged, cut, or followed by other bytes.
///         The text names the compressed byte and how many decompressed bytes come before.
/// Cost:   one pass, unless access points are given. Memory: at most 16 MiB for access points and
///         about 64 MiB for decompressors that wait for the next read (docs/compressed.md).
[[nodiscard]] std::shared_ptr<const ByteSource> decompressed(
    std::shared_ptr<const ByteSource> source, const DecompressOptions& options = {});

}  // namespace sheaf
