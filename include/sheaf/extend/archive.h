/// \file
/// The entries of tar and zip archives as sources.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/file_system.h"

namespace sheaf {

/// One file inside an archive.
struct ArchiveEntry {
  std::string name;               // the name in the archive, without a leading "./"
  std::int64_t size_bytes = 0;    // the size after decompression
  std::int64_t offset_bytes = 0;  // in the archive: where the bytes (tar) or the header (zip) begin
};

/// An open archive. Its entries are the regular files of the archive; folders, links and devices
/// are skipped.
///
/// Threads: all calls are safe from any number of threads.
class Archive {
 public:
  virtual ~Archive() = default;

  /// Returns the entries in the order of the archive.
  ///
  /// Lifetime: as long as the archive.
  [[nodiscard]] virtual std::span<const ArchiveEntry> entries() const noexcept = 0;

  /// Opens entry number `i`, counting from 0.
  ///
  /// The name of the source is ARCHIVE/ENTRY. The source has no path, so an index file of the entry
  /// needs a folder (IndexOptions::directory). An entry such as "part-0.ctf.gz" stays compressed;
  /// pass its source to decompressed().
  ///
  /// A zip stores checksums of its entries: open_entry() reads the entry once and compares the
  /// checksum. A tar stores none. A compressed entry of a zip is then read as by decompressed().
  ///
  /// Pre:      0 <= i < entries().size().
  /// Throws:   IoError if the entry is damaged, is encrypted, or is compressed by a method other
  ///           than deflate.
  /// Cost:     none for a tar; one pass over the entry for a zip.
  /// Lifetime: the source may outlive the archive.
  [[nodiscard]] virtual std::shared_ptr<const ByteSource> open_entry(std::int64_t i) const = 0;

  /// Returns the number of the entry with this name.
  ///
  /// Throws: IoError unless exactly one entry has the name.
  [[nodiscard]] virtual std::int64_t number_of(std::string_view name) const = 0;

  /// Opens the entry with this name.
  ///
  /// Throws: as number_of(), and as above.
  [[nodiscard]] std::shared_ptr<const ByteSource> open_entry(std::string_view name) const {
    return open_entry(number_of(name));
  }
};

/// Opens an archive and lists its entries. The extension of the source's name selects the kind:
/// `.tar` (ustar, pax, GNU), `.tar.gz`, `.tar.zst`, `.tar.lz4`, or `.zip` (also zip64). A
/// compressed tar is read through decompressed().
///
/// Throws: IoError with the location of the damage if the file is damaged or does not match its
///         extension.
/// Cost:   one read for each header of a tar; one read of the directory at the end of a zip.
[[nodiscard]] std::shared_ptr<const Archive> open_archive(std::shared_ptr<const ByteSource> source);

/// The two parts of a path to an entry: "a/data.tar/part-0.ctf".
struct ArchivePath {
  std::string archive;  // "a/data.tar"
  std::string entry;    // "part-0.ctf"
};

/// Splits a path after the name of an archive: a name with the extension .tar, .zip, .tar.gz,
/// .tar.zst or .tar.lz4, followed by a slash and more text. Returns nothing for any other path.
/// Looks only at the text, never at the disk.
[[nodiscard]] std::optional<ArchivePath> split_archive_path(std::string_view path);

/// Opens the file at `path`. If there is no such file or folder and split_archive_path() splits the
/// path, opens the entry of the archive.
///
/// Throws:   as FileSystem::open(), open_archive() and Archive::open_entry().
/// Lifetime: as for a source from `files`.
[[nodiscard]] std::shared_ptr<const ByteSource> open_file_or_entry(
    const std::string& path, FileSystem& files = system_files());

/// Returns the size in bytes of a file or an archive's entry. For a folder, returns the total size
/// of all files below it.
///
/// Throws: as FileSystem::open(), FileSystem::visit_tree(), open_archive() and number_of().
/// Cost:   for an entry, as open_archive(). Reads no bytes of the entry.
[[nodiscard]] std::int64_t stored_size(const std::string& path, FileSystem& files = system_files());

/// Returns the stored_size() of each path. Opens an archive once, unless paths in another archive
/// come between its entries.
[[nodiscard]] std::vector<std::int64_t> stored_sizes(std::span<const std::string> paths,
                                                     FileSystem& files = system_files());

}  // namespace sheaf
