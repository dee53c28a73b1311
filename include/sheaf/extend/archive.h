/// \file
/// The entries of tar and zip archives as sources.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/file_system.h"

namespace sheaf {

/// One file inside an archive.
struct ArchiveEntry {
  std::string name;               // as the archive has it, without "./" in front
  std::int64_t size_bytes = 0;    // not compressed
  std::int64_t offset_bytes = 0;  // in the archive: of the bytes in a tar, of the header in a zip
};

/// The files inside an archive. Folders, links and devices are left out.
///
/// Threads: all calls are safe from any number of threads.
class Archive {
 public:
  virtual ~Archive() = default;

  /// In the order of the archive.
  ///
  /// Lifetime: as long as the archive.
  [[nodiscard]] virtual std::span<const ArchiveEntry> entries() const noexcept = 0;

  /// Opens the entry with a number, counted from 0. The source is called ARCHIVE/ENTRY and has no
  /// path, so its index file needs a folder (IndexOptions::directory). The bytes of an entry that
  /// is itself a compressed file stay compressed; pass the source to decompressed().
  ///
  /// A tar has its entries as they are, without checksums. Bytes of an entry in a zip are read
  /// once and held against the checksum; a compressed one is then read as decompressed() does.
  ///
  /// Pre:      0 <= i < entries().size().
  /// Throws:   IoError: the entry is damaged, encrypted, or compressed in another way than deflate.
  /// Lifetime: the source may outlive the archive.
  [[nodiscard]] virtual std::shared_ptr<const ByteSource> open_entry(std::int64_t i) const = 0;

  /// Opens the entry with a name.
  ///
  /// Throws: IoError, also where no entry or more than one has the name.
  [[nodiscard]] virtual std::shared_ptr<const ByteSource> open_entry(
      std::string_view name) const = 0;
};

/// Reads which entries an archive has. The name tells the kind: `.tar` (ustar, pax, GNU) or `.zip`
/// (with zip64), and the extension of a compression may follow `.tar`, whose bytes are then those
/// of decompressed().
///
/// Throws: IoError: the file is not what its name says, or is damaged; the text names the place.
/// Cost:   a read for each header of a tar; the directory at the end of a zip.
[[nodiscard]] std::shared_ptr<const Archive> open_archive(std::shared_ptr<const ByteSource> source);

/// An entry of an archive as a path: "a/data.tar/part-0.ctf".
struct ArchivePath {
  std::string archive;  // "a/data.tar"
  std::string entry;    // "part-0.ctf"
};

/// Returns the parts of a path in which the name of an archive (.tar, .zip, .tar.gz, .tar.zst,
/// .tar.lz4) is followed by a slash and more.
[[nodiscard]] std::optional<ArchivePath> split_archive_path(std::string_view path);

/// Opens a file, or the entry of an archive if split_archive_path() finds one and no file or folder
/// has the path.
///
/// Throws: as FileSystem::open, open_archive and Archive::open_entry.
[[nodiscard]] std::shared_ptr<const ByteSource> open_file_or_entry(
    const std::string& path, FileSystem& files = system_files());

}  // namespace sheaf
