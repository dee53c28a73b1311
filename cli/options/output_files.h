/// \file
/// The files that a run writes.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/byte_sink.h"
#include "sheaf/extend/file_sink.h"

namespace sheaf::cli {

/// What stands for standard input or output in place of a path.
inline constexpr std::string_view kStandardStream = "-";

/// Files that get their names together: none, until all are whole and on the disk.
///
/// Threads: one calls everything here; each sink belongs to one, too.
class OutputFiles {
 public:
  OutputFiles();
  OutputFiles(const OutputFiles&) = delete;
  OutputFiles& operator=(const OutputFiles&) = delete;

  /// What was not published is thrown away.
  ~OutputFiles();

  /// Begin a file. "-" is standard output, which has no name to wait for: what is written is gone.
  ///
  /// Lifetime: the sink may outlive it.
  /// Throws:   as create_file(); so do the sink and publish(). The sink also OutputClosed.
  [[nodiscard]] std::unique_ptr<ByteSink> create(const std::string& path, Existing existing);

  /// Bytes written to the number-th that was begun.
  [[nodiscard]] std::int64_t bytes(std::size_t number) const noexcept;

  /// Give all of them their names.
  ///
  /// Pre: their sinks are finished.
  void publish();

 private:
  struct File;
  class HeldSink;
  std::vector<std::shared_ptr<File>> files_;
};

/// "a/train-00002-of-00010.cbf" of "a/train.cbf".
[[nodiscard]] std::string shard_path(std::string_view path, std::int64_t number,
                                     std::int64_t count);

/// "a/data.test.cbf" of "a/data.cbf" and "test".
[[nodiscard]] std::string part_path(std::string_view path, std::string_view part);

}  // namespace sheaf::cli
