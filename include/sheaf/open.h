/// \file
/// Opens data: the data of a spec, or the files of a path. Readers and operations open data in the
/// same way.
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
#include "sheaf/extend/transform.h"
#include "sheaf/order.h"
#include "sheaf/spec.h"

namespace sheaf {

/// The services that opening data uses besides the spec. By default, open() reads files of this
/// machine on the calling thread.
struct OpenContext {
  FileSystem* files = nullptr;   // null means system_files(); must outlive the data
  Executor* executor = nullptr;  // null means the calling thread; not used after the call

  /// The memory limit of the whole run, which the indexes of the data and the reader share. Empty
  /// means no limit. The limit does not count the memory of `objects` and `functions`: the program
  /// made them before the run, and keeps them after the run.
  std::optional<std::int64_t> memory_limit_bytes = {};

  /// The data sets that the program provides, by the name in ObjectSpec.
  std::map<std::string, NamedData> objects = {};

  /// The transforms that the program provides, by the name in transforms of the type `function`.
  std::map<std::string, std::shared_ptr<const Transform>> functions = {};

  std::span<const Format> formats = builtin_formats();  // the formats that files may have
};

/// An open data set. Pass `data` to check(), convert() or stat(), or read it with a Reader.
struct OpenedData {
  std::shared_ptr<const Deserializer> data = nullptr;
  std::string name = {};                 // paths or object name, for messages
  std::vector<OpenedData> members = {};  // the members of a join

  /// The name of the format, such as "ctf"; of several files, that of the first file. Empty if the
  /// data are not the files of one FilesSpec.
  std::string format = {};

  /// The window of an order that shuffles and has no window: default_window_chunks() of the spec.
  std::int64_t window_chunks = default_window_chunks(FormatOptions{}.chunk_size_bytes);
};

/// The bytes of a part of data.
struct PartBytes {
  std::int64_t offset_bytes = 0;  // of the part's first chunk, as the index counts bytes
  std::int64_t size_bytes = 0;    // of the files, from there to the end of the part's last chunk
};

/// Returns the bytes of the part that DataSpec::part chose. Returns nothing if the data are no
/// part. A part without chunks begins at 0 and has no bytes.
[[nodiscard]] std::optional<PartBytes> part_bytes(const Deserializer& data) noexcept;

/// Checks that the names of `given` are exactly the names of the objects in `data`. open() calls
/// this function with the names of OpenContext::objects.
///
/// Throws: ConfigError for a name that only one side has. The message suggests the nearest name.
void check_objects(const DataSpec& data, std::span<const std::string> given);

/// Removes from each member of a join the entries of FormatOptions::extra that no format of its
/// files has. A front end that takes options once for all files gives every member all options, and
/// then calls this function. Sets FormatOptions::shares_extra of each member with an entry that
/// another member, or one of `of_objects`, also has. Data that are not a join do not change, and
/// neither do members that are not files. `of_objects` names the options that the front end gives
/// to such members.
///
/// The names or the first bytes of the files determine the formats, as in find_format().
///
/// Throws: ConfigError for an option that no member has. The message lists the options of the
///         formats. For a pattern without an extension, also as find_files().
void share_format_options(DataSpec& data, const OpenContext& context = {},
                          std::span<const std::string> of_objects = {});

/// Opens the data of a spec. The transforms of the spec draw random numbers with seed 0.
///
/// If FormatOptions::index also limits the memory of an index, the smaller limit applies.
///
/// Throws: ConfigError for options that contradict each other or the data, for a pattern that no
///         file matches, for a file of unknown format, and as check_objects(). IoError if a file
///         cannot be read. DataError if a file is too damaged to open.
[[nodiscard]] OpenedData open(const DataSpec& data, const OpenContext& context = {});

/// Opens the data of a spec for a run in the order of `spec.read`. For the order `keyed`, merges
/// small chunks of the files. The transforms of the spec draw random numbers with the seed of the
/// order.
[[nodiscard]] OpenedData open(const Spec& spec, const OpenContext& context = {});

/// Opens the file of a path, or the files of a pattern.
[[nodiscard]] OpenedData open_path(const std::string& path, const FormatOptions& format = {},
                                   const OpenContext& context = {});

}  // namespace sheaf
