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

/// Identifies the content of a source: equal for a file and its copy, different where size, head or
/// tail differ. The modification time does not count.
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
  /// Asks for as many bytes as `into` has, from `offset` on.
  struct Request {
    std::int64_t offset;
    std::span<std::byte> into;
  };

  /// Reads that may still be under way. The destructor ends them: no span is written afterwards.
  class Pending {
   public:
    virtual ~Pending() = default;

    /// Returns when all spans are filled. Called at most once.
    ///
    /// Throws: as read_at().
    virtual void wait() = 0;
  };

  virtual ~ByteSource() = default;

  /// Returns the name in messages: the path as the user gave it.
  ///
  /// Lifetime: as long as the source.
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;

  /// Returns the path of the file, for files that belong beside it; empty where there is no file.
  ///
  /// Lifetime: as long as the source.
  [[nodiscard]] virtual std::string_view path() const noexcept { return {}; }

  /// Returns the time of the last change, in nanoseconds since 1970; 0 where unknown.
  [[nodiscard]] virtual std::int64_t modified_ns() const noexcept { return 0; }

  /// Returns the size in bytes when the source was opened.
  [[nodiscard]] virtual std::int64_t size() const noexcept = 0;

  /// Fills `into` with the bytes from `offset` on.
  ///
  /// Pre:    0 <= offset and offset + into.size() <= size().
  /// Throws: IoError, also where the file was cut short since it was opened.
  virtual void read_at(std::int64_t offset, std::span<std::byte> into) const = 0;

  /// Returns whether some kilobytes anywhere take about as long as their share of a long read, as
  /// where the system keeps the bytes in memory. The default is false: a source may be remote, or
  /// compressed.
  [[nodiscard]] virtual bool has_fast_random_access() const noexcept { return false; }

  /// Fills several spans. By default reads them one after the other.
  virtual void read_many(std::span<const Request> requests) const;

  /// Begins to fill several spans, without waiting for bytes that are far away. A caller begins
  /// reads of many sources before it waits for any of them. Returns null where the source cannot do
  /// so: read_many() then fills the spans. By default returns null.
  ///
  /// Lifetime: the source and the spans must outlive the result.
  /// Throws:   as read_at().
  [[nodiscard]] virtual std::unique_ptr<Pending> begin_read(
      std::span<const Request> /*requests*/) const {
    return nullptr;
  }

  /// Throws: IoError.
  [[nodiscard]] virtual Fingerprint fingerprint() const;

  /// Returns bytes that make opening the same file again cheap. The index file keeps them. Empty
  /// for sources that need none. See decompressed().
  [[nodiscard]] virtual std::string access_points() const { return {}; }
};

/// Opens a regular file.
///
/// Throws: IoError with the system's reason, also for a directory, a pipe or a device.
[[nodiscard]] std::shared_ptr<const ByteSource> open_file(const std::string& path);

/// Copies a pipe, to its end, into a temporary file without a name, for data that cannot be read at
/// any offset, such as standard input. `descriptor` is a POSIX descriptor, and stays open.
///
/// Throws: IoError with the system's reason.
[[nodiscard]] std::shared_ptr<const ByteSource> spool(int descriptor, std::string name);

/// Returns a source of bytes in memory.
[[nodiscard]] std::shared_ptr<const ByteSource> memory_source(std::string bytes, std::string name);

}  // namespace sheaf
