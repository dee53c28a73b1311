/// \file
/// Merges the results of work that was divided over processes or machines. The merged parts of a
/// conversion equal, byte for byte, the file that one conversion of the whole data writes.
///
///     for (std::int64_t i = 0; i < 3; ++i) {
///       sheaf::DataSpec data{.content = sheaf::FilesSpec{.files = {"train.ctf"}}};
///       data.part = {.number = i, .count = 3};
///       sheaf::convert(sheaf::open(data).data, "part-" + std::to_string(i) + ".cbf",
///                      {.for_merge = true});
///     }
///     const std::vector<std::string> parts = {"part-0.cbf", "part-1.cbf", "part-2.cbf"};
///     std::cout << sheaf::merge("merged.cbf", parts).files[0].sequences << " sequences\n";

#pragma once

#include <span>
#include <string>

#include "sheaf/convert.h"
#include "sheaf/extend/file_sink.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/operation.h"

namespace sheaf {

/// How to merge. The bytes of the file never depend on `run`.
struct MergeOptions {
  /// The name of the file's format. If empty, the extension of the path selects the format. If the
  /// path has no extension, the file gets the format that the conversions named.
  std::string format = {};

  Existing existing = Existing::replace;  // what to do if the file already exists
  FileSystem* files = nullptr;            // null means system_files()
  OperationOptions run = {};
};

/// Writes the file that convert() would write from the whole data with the options of the parts.
/// The parts may come in any order. If the format differs from the format that the conversions
/// named, the file gets the default options of its format.
///
/// Each part stores its number, a fingerprint of the data, and the options. So merge() detects a
/// part that is missing, comes twice, or belongs to another conversion.
///
/// Determinism: the bytes depend only on the data and the options of the conversions, not on the
///              number of parts.
/// Throws:      ConfigError if the files are not all parts of one conversion, each once, or if
///              `path` is one of the parts; what Reader and Writer throw.
ConvertReport merge(const std::string& path, std::span<const std::string> parts,
                    const MergeOptions& options = {});

/// A report of check() or stat() about a part of data, in the form of to_json().
struct NamedReport {
  std::string name = {};  // the name of the report in messages
  std::string json = {};
};

/// Returns the report of the whole data as JSON: the text that to_json() would return for check()
/// or stat() of the whole data. The reports may come in any order.
///
/// Throws: ConfigError if the texts are not the reports of all parts of the same data with the same
///         options, each once.
[[nodiscard]] std::string merge_reports(std::span<const NamedReport> reports);

}  // namespace sheaf
