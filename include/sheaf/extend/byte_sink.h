/// \file
/// Where bytes go.

#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace sheaf {

/// Takes the bytes of one file, from its first to its last.
///
/// Threads: one call at a time.
class ByteSink {
 public:
  /// What was written without finish() is thrown away, as far as the sink can.
  virtual ~ByteSink() = default;

  /// What messages call it: the path as the user gave it.
  ///
  /// Lifetime: as long as the sink.
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;

  /// Append bytes.
  ///
  /// Throws: IoError with the system's reason; so do sync() and finish().
  virtual void write(std::span<const std::byte> bytes) = 0;

  /// Nothing comes any more: bring the bytes to where they will stay, so that finish() has little
  /// left that can fail. Of use where several files are to be there together, or none of them.
  /// Unless a sink says otherwise, finish() does it all.
  virtual void sync() {}

  /// Nothing comes any more: make the file what readers find. Called once.
  virtual void finish() = 0;
};

/// Write a file that is there whole or not at all: it has a temporary name in the same folder until
/// finish() has seen all of it on the disk, and then takes its name, in place of a regular file
/// that had it. As create_file(path, FileOptions{}) of sheaf/extend/file_sink.h, which has the
/// rules.
///
/// Throws: ConfigError, IoError, as that one.
[[nodiscard]] std::unique_ptr<ByteSink> create_file(const std::string& path);

/// Append to `bytes`, which must outlive the sink.
[[nodiscard]] std::unique_ptr<ByteSink> memory_sink(std::string& bytes, std::string name);

}  // namespace sheaf
