/// \file
/// From a spec to open data: the one way in.
///
///     const sheaf::OpenedData opened = sheaf::open_path("train.ctf");
///     for (const sheaf::Stream& stream : opened.data->streams()) {
///       std::cout << to_string(stream) << '\n';
///     }

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
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
  FileSystem* files = nullptr;   // null means system_files(); must outlive the data
  Executor* executor = nullptr;  // null means the caller's thread; not used afterwards
  std::optional<std::int64_t> memory_limit_bytes = {};  // of the run; indexes get a part

  /// The data that an ObjectSpec names.
  std::map<std::string, NamedData> objects = {};

  std::span<const Format> formats = builtin_formats();  // the formats that files may have
};

/// Data that are open.
struct OpenedData {
  std::shared_ptr<const Deserializer> data = nullptr;
  std::string name = {};                 // the name in messages: paths, or the object
  std::vector<OpenedData> members = {};  // the members of a join
};

/// Checks that a program gives exactly the objects that `data` names. `given` has the names of the
/// objects that the program gives.
///
/// Throws: ConfigError for an object that `data` names and the program does not give, and for an
///         object that the program gives and `data` does not name. The message suggests the nearest
///         name.
void check_objects(const DataSpec& data, std::span<const std::string> given);

/// Opens the data of a spec.
///
/// Where a spec limits the memory of an index (FormatOptions::index), the smaller limit holds.
///
/// Throws: ConfigError, IoError, DataError as find_files, find_format, open_file_or_entry,
///         decompressed, Format::open, concatenate and join; ConfigError as check_objects.
[[nodiscard]] OpenedData open(const DataSpec& data, const OpenContext& context = {});

/// Opens the data of a spec for a run. For orders that allow it, small chunks are merged.
[[nodiscard]] OpenedData open(const Spec& spec, const OpenContext& context = {});

/// Opens the file of a path, or the files of a pattern.
[[nodiscard]] OpenedData open_path(const std::string& path, const FormatOptions& format = {},
                                   const OpenContext& context = {});

}  // namespace sheaf
