/// \file
/// Sinks of bytes: files and memory.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace sheaf {

/// Takes the bytes of one file, from the first to the last.
///
/// Threads: one call at a time.
class ByteSink {
 public:
  /// Discards the file if finish() was not called, as far as the sink can.
  virtual ~ByteSink() = default;

  /// Returns the name in messages: the path as the user gave it.
  ///
  /// Lifetime: as long as the sink.
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;

  /// Appends bytes.
  ///
  /// Throws: IoError with the system's reason; so do overwrite(), sync() and finish().
  virtual void write(std::span<const std::byte> bytes) = 0;

  /// Replaces bytes that were written before, such as a count in a header that is only known at the
  /// end. By default, throws.
  ///
  /// Pre:    the bytes lie within the bytes written so far; sync() was not called.
  /// Throws: ConfigError if the sink cannot replace bytes, such as a pipe.
  virtual void overwrite(std::int64_t offset_bytes, std::span<const std::byte> bytes);

  /// Stores all bytes after the last write(), so that finish() has little left that can fail. Call
  /// this if several files must appear together or not at all. By default, does nothing, and
  /// finish() does the work.
  virtual void sync() {}

  /// Makes the file visible to readers. Called once, after the last write().
  virtual void finish() = 0;
};

/// Creates a file that appears whole or not at all: create_file(path, FileOptions{}) of
/// sheaf/extend/file_sink.h.
///
/// Throws: ConfigError and IoError, as that function.
[[nodiscard]] std::unique_ptr<ByteSink> create_file(const std::string& path);

/// Returns a sink that appends to `bytes`, which must outlive the sink.
[[nodiscard]] std::unique_ptr<ByteSink> memory_sink(std::string& bytes, std::string name);

}  // namespace sheaf
