/// \file
/// From a spec to open data: the one way in.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/executor.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/extend/format.h"
#include "sheaf/extend/named_data.h"
#include "sheaf/spec.h"

namespace sheaf {

/// What opening data needs besides the spec.
struct OpenContext {
  FileSystem* files = nullptr;          // none: system_files(). Must outlive the data
  Executor* executor = nullptr;         // none: the caller's thread. Not used afterwards
  std::int64_t memory_limit_bytes = 0;  // of the run; indexes and tables get parts. 0: no limit

  /// The data that ObjectSpec names.
  std::map<std::string, NamedData> objects = {};

  std::span<const Format> formats = builtin_formats();  // that files may have
};

/// Data that are open.
struct OpenedData {
  std::shared_ptr<const Deserializer> data = nullptr;
  std::string name = {};                 // what messages call the data: paths, or the object
  std::vector<OpenedData> members = {};  // of a join; else none
};

/// Check that a program gives exactly the objects that `data` names. `given` are their names.
///
/// Throws: ConfigError for an object that is named and not given, or given and not named. The
///         message suggests the nearest name.
void check_objects(const DataSpec& data, std::span<const std::string> given);

/// Open what `data` says.
///
/// Where a spec limits the memory of an index (FormatOptions::index), the smaller limit holds.
///
/// Throws: ConfigError, IoError, DataError as find_files, find_format, open_file_or_entry,
///         decompressed, Format::open, concatenate and join; ConfigError as check_objects.
[[nodiscard]] OpenedData open(const DataSpec& data, const OpenContext& context = {});

/// The same for a run: small chunks of files are put together for orders that allow it.
[[nodiscard]] OpenedData open(const Spec& spec, const OpenContext& context = {});

/// The same for a path, or a pattern, and the options about its files.
[[nodiscard]] OpenedData open_path(const std::string& path, const FormatOptions& format = {},
                                   const OpenContext& context = {});

}  // namespace sheaf
