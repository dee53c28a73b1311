/// \file
/// Sources of decompressed bytes, from compressed files.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/executor.h"

namespace sheaf {

/// How a file is compressed, as given by the extension of its name: `.gz`, `.zst`, `.lz4`.
enum class Compression : std::uint8_t { none, gzip, zstd, lz4 };

/// Returns the compression that the extension of a file's name gives: gzip for "train.ctf.gz".
[[nodiscard]] Compression compression_of_name(std::string_view name) noexcept;

/// Returns the name without the extension of a compression: "train.ctf" for "train.ctf.gz". Returns
/// any other name unchanged.
///
/// Lifetime: as long as `name`.
[[nodiscard]] std::string_view name_without_compression(std::string_view name) noexcept;

struct DecompressOptions {
  /// The result of an earlier ByteSource::access_points() for the same file. With access points,
  /// opening does not decompress the file. Access points that do not match the file are ignored.
  std::string access_points = {};

  /// Whether only the first bytes decide the compression, and not the name. For a source whose name
  /// has no extension, such as standard input.
  bool by_content = false;

  /// Decompresses the frames of a zstd file in parallel. Null means the calling thread.
  Executor* executor = nullptr;
};

/// Returns a source of the decompressed bytes of `source`, with the same name and path. Returns
/// `source` itself if its name has none of the extensions above or, with `by_content`, if its first
/// bytes belong to no compression.
///
/// Decompresses the whole file once, to find its size, all damage, and access points at which later
/// decompression can begin. Any number of gzip members, zstd frames or lz4 frames may follow one
/// another.
///
/// fingerprint() of the result belongs to the decompressed bytes, so it equals the fingerprint of
/// the file before compression.
///
/// Throws: IoError if the file does not match its extension; if it is compressed but has no such
///         extension; if it is compressed with xz or bzip2; or if it is damaged, cut off, or
///         followed by other bytes. The text gives the offset in the compressed file and the number
///         of decompressed bytes before it.
/// Cost:   one pass, unless access points are given. Takes at most 16 MiB of memory for access
///         points, and about 64 MiB for decompressors that wait for the next read
///         (docs/compressed.md).
[[nodiscard]] std::shared_ptr<const ByteSource> decompressed(
    std::shared_ptr<const ByteSource> source, const DecompressOptions& options = {});

}  // namespace sheaf
