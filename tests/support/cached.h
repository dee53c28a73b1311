/// \file
/// Data with a cache in a file system of the test.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/file_system.h"

#include "conformance/format_under_test.h"
#include "dataset/cached_data.h"

namespace sheaf::testing {

inline constexpr const char* kCacheFolder = "cache";

/// Returns the setup of a cache for files that never change. There is no trial: its outcome would
/// depend on the machine.
inline internal::CacheSetup cache_setup(FileSystem& files) {
  return {.options = {.folder = kCacheFolder},
          .format = &conformance::format_named("sheaf"),
          .files = &files,
          .stamp = [] { return std::optional<std::string>("unchanged"); },
          .trial_unit_count = 0};
}

inline std::shared_ptr<const internal::CachedData> cached(std::shared_ptr<const Deserializer> data,
                                                          FileSystem& files) {
  return std::make_shared<const internal::CachedData>(std::move(data), cache_setup(files));
}

/// Returns the paths of all units in a cache.
inline std::vector<std::string> unit_paths(FileSystem& files) {
  return files.list(std::string(kCacheFolder) + "/*.unit");
}

/// Returns the bytes of a file.
inline std::string bytes_of(FileSystem& files, const std::string& path) {
  const auto source = files.open(path);
  std::string bytes(static_cast<std::size_t>(source->size()), '\0');
  source->read_at(0, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

inline void write_bytes(FileSystem& files, const std::string& path, std::string_view bytes) {
  const auto sink = files.create(path);
  sink->write(std::as_bytes(std::span(bytes)));
  sink->finish();
}

}  // namespace sheaf::testing
