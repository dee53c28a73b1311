/// \file
/// Puts together the parts of work that was divided over processes or machines: the parts of a
/// conversion become the file that one conversion of the whole data writes, byte for byte.
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
  /// The format of the file, by name. Empty: the format that the extension of the path tells, else
  /// the format that the conversions named.
  std::string format = {};

  Existing existing = Existing::replace;  // what to do where the file exists already
  FileSystem* files = nullptr;            // null means system_files()
  OperationOptions run = {};
};

/// Writes the file that convert() writes of the whole data with the options of the parts. The parts
/// may come in any order. Where the file has another format than the conversions named, it gets the
/// default options of its format.
///
/// Each part says which part of which data it is, and with which options. So a part that is
/// missing, comes twice, or belongs to another conversion is found.
///
/// Determinism: the bytes depend on the data and the options of the conversions alone, not on the
///              number of parts.
/// Throws:      ConfigError where the files are not all parts of one conversion, each once, and for
///              a path that is one of the parts; what Reader and Writer throw.
ConvertReport merge(const std::string& path, std::span<const std::string> parts,
                    const MergeOptions& options = {});

/// A report of check() or stat() about a part of data, as to_json() gives it.
struct NamedReport {
  std::string name = {};  // what messages call the report
  std::string json = {};
};

/// Returns the report of the whole data as JSON: the text that to_json() gives of the report that
/// check() or stat() makes of the whole data. The reports may come in any order.
///
/// Throws: ConfigError where the texts are not the reports of all parts of the same data with the
///         same options, each once.
[[nodiscard]] std::string merge_reports(std::span<const NamedReport> reports);

}  // namespace sheaf
