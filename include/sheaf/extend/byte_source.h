/// \file
/// Where bytes come from.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sheaf {

/// What a source holds, in brief: equal for a file and its copy, different when size, head or tail
/// differ. No modification time.
struct Fingerprint {
  std::int64_t size_bytes = 0;
  std::uint64_t hash = 0;  // XXH3 of the first and the last 64 KiB

  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

/// "<size>-<16 hexadecimal digits>".
[[nodiscard]] std::string to_string(const Fingerprint& fingerprint);

/// Immutable bytes of known size, read at any offset.
///
/// Threads: all calls are safe from any number of threads.
class ByteSource {
 public:
  /// Bytes wanted: as many as `into` has, from `offset` on.
  struct Request {
    std::int64_t offset;
    std::span<std::byte> into;
  };

  virtual ~ByteSource() = default;

  /// What messages call it: the path as the user gave it.
  ///
  /// Lifetime: as long as the source.
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;

  /// Where it lies in the file system, for files that belong beside it; empty: nowhere.
  ///
  /// Lifetime: as long as the source.
  [[nodiscard]] virtual std::string_view path() const noexcept { return {}; }

  /// When it was last changed, in nanoseconds since 1970; 0 where that is not known.
  [[nodiscard]] virtual std::int64_t modified_ns() const noexcept { return 0; }

  /// Size in bytes when the source was opened.
  [[nodiscard]] virtual std::int64_t size() const noexcept = 0;

  /// Fill `into` with the bytes from `offset` on.
  ///
  /// Pre:    0 <= offset and offset + into.size() <= size().
  /// Throws: IoError, also when fewer bytes are there now (the file was cut short since).
  virtual void read_at(std::int64_t offset, std::span<std::byte> into) const = 0;

  /// Fill several spans. The default reads one after the other; a remote store may do better.
  virtual void read_many(std::span<const Request> requests) const;

  /// Throws: IoError.
  [[nodiscard]] virtual Fingerprint fingerprint() const;

  /// Bytes that make opening the same file again cheap; the index file keeps them. Empty for
  /// sources that need none. See decompressed().
  [[nodiscard]] virtual std::string access_points() const { return {}; }
};

/// Open a regular file.
///
/// Throws: IoError: not there, not readable, a directory, a pipe or a device; with the system's
///         reason.
[[nodiscard]] std::shared_ptr<const ByteSource> open_file(const std::string& path);

/// Read what a pipe gives, to its end, into a temporary file without a name: for data that cannot
/// be read at any offset, such as standard input. `descriptor` is one of POSIX, and stays open.
///
/// Throws: IoError with the system's reason.
[[nodiscard]] std::shared_ptr<const ByteSource> spool(int descriptor, std::string name);

/// Bytes in memory as a source.
[[nodiscard]] std::shared_ptr<const ByteSource> memory_source(std::string bytes, std::string name);

}  // namespace sheaf
