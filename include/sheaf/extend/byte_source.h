/// \file
/// Sources of bytes: files, pipes, memory.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sheaf {

/// Identifies the content of a source. A file and its copy have equal fingerprints. Sources whose
/// size, head or tail differ have different ones. The modification time does not count.
struct Fingerprint {
  std::int64_t size_bytes = 0;
  std::uint64_t hash = 0;  // XXH3 of the first and the last 64 KiB

  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

/// Returns "<size>-<16 hexadecimal digits>".
[[nodiscard]] std::string to_string(const Fingerprint& fingerprint);

/// Immutable bytes of known size, read at any offset.
///
/// Threads: all calls are safe from any number of threads.
class ByteSource {
 public:
  /// A request for into.size() bytes from `offset` on.
  struct Request {
    std::int64_t offset;
    std::span<std::byte> into;
  };

  /// Reads that may be in progress. The destructor ends them; nothing is written to a span
  /// afterwards.
  class Pending {
   public:
    virtual ~Pending() = default;

    /// Waits until all spans are filled. Called at most once.
    ///
    /// Throws: as read_at().
    virtual void wait() = 0;
  };

  virtual ~ByteSource() = default;

  /// Returns the name in messages: the path as the user gave it.
  ///
  /// Lifetime: as long as the source.
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;

  /// Returns the path of the file, which locates files beside it. Empty if there is no file.
  ///
  /// Lifetime: as long as the source.
  [[nodiscard]] virtual std::string_view path() const noexcept { return {}; }

  /// Returns the time of the last change, in nanoseconds since 1970. Returns 0 if unknown.
  [[nodiscard]] virtual std::int64_t modified_ns() const noexcept { return 0; }

  /// Returns the size in bytes at the time when the source was opened.
  [[nodiscard]] virtual std::int64_t size() const noexcept = 0;

  /// Returns how many bytes the file takes. For a decompressed source, this is the size of the
  /// compressed file. An entry of an archive takes as many bytes as the archive lists. By default,
  /// returns size().
  [[nodiscard]] virtual std::int64_t stored_size_bytes() const noexcept { return size(); }

  /// Fills `into` with the bytes from `offset` on.
  ///
  /// Pre:    0 <= offset and offset + into.size() <= size().
  /// Throws: IoError, also if the file has become shorter since it was opened.
  virtual void read_at(std::int64_t offset, std::span<std::byte> into) const = 0;

  /// Returns whether reading a few kilobytes at a random offset takes about as long as their share
  /// of a long read, for example because the system has the bytes in memory. The default is false,
  /// because a source may be remote or compressed.
  [[nodiscard]] virtual bool has_fast_random_access() const noexcept { return false; }

  /// Fills several spans. By default, reads them one after the other.
  virtual void read_many(std::span<const Request> requests) const;

  /// Begins to fill several spans without waiting for remote bytes. A caller can begin reads of
  /// many sources before it waits for any of them. Returns null if the source cannot read in this
  /// way; the caller then uses read_many(). By default, returns null.
  ///
  /// Lifetime: the source and the spans must outlive the result.
  /// Throws:   as read_at().
  [[nodiscard]] virtual std::unique_ptr<Pending> begin_read(
      std::span<const Request> /*requests*/) const {
    return nullptr;
  }

  /// Returns the fingerprint of the content.
  ///
  /// Throws: IoError.
  [[nodiscard]] virtual Fingerprint fingerprint() const;

  /// Returns bytes that make opening the same file again cheap. The index file stores them. Empty
  /// for sources that need no such bytes. See decompressed().
  [[nodiscard]] virtual std::string access_points() const { return {}; }
};

/// Opens a regular file.
///
/// Throws: IoError with the system's reason, also for a directory, a pipe or a device.
[[nodiscard]] std::shared_ptr<const ByteSource> open_file(const std::string& path);

/// Copies a pipe to its end into a temporary file without a name. Serves data that cannot be read
/// at any offset, such as standard input. `descriptor` is a POSIX file descriptor, which stays
/// open.
///
/// Throws: IoError with the system's reason.
[[nodiscard]] std::shared_ptr<const ByteSource> spool(int descriptor, std::string name);

/// Returns a source of bytes in memory.
[[nodiscard]] std::shared_ptr<const ByteSource> memory_source(std::string bytes, std::string name);

}  // namespace sheaf
