// Makes shards for tests.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/file_system.h"

#include "format/webdataset/webdataset_deserializer.h"
#include "io/archive/make_archive.h"

namespace sheaf::webdataset {

inline std::shared_ptr<const ByteSource> shard_source(const std::string& entries,
                                                      std::string name = "a.tar") {
  return memory_source(entries + tar_end(), std::move(name));
}

inline std::unique_ptr<WebdatasetDeserializer> open_shard(const std::string& entries,
                                                          const FormatOptions& options = {}) {
  return std::make_unique<WebdatasetDeserializer>(
      OpenRequest{.source = shard_source(entries), .options = options});
}

inline void write_file(FileSystem& files, const std::string& path, const std::string& bytes) {
  const auto sink = files.create(path);
  sink->write(std::as_bytes(std::span(bytes)));
  sink->finish();
}

/// Returns the error of `call`, or an empty text.
template <typename Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace sheaf::webdataset
