/// \file
/// Creates or checks the index files of data, so that later runs need no scan.
///
///     const sheaf::DataSpec data = {.content = sheaf::FilesSpec{.files = {"train.ctf"}}};
///     const sheaf::IndexReport report = sheaf::index_data(data);
///     for (const sheaf::IndexFile& file : report.files) {
///       std::cout << file.path << ": " << report.sequences << " sequences\n";
///     }

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/index_file.h"
#include "sheaf/open.h"
#include "sheaf/operation.h"
#include "sheaf/spec.h"

namespace sheaf {

/// How to index. The spec of the data has the other options of an index, such as the chunk size and
/// the folder of index files.
struct IndexDataOptions {
  /// `rebuild` scans the data and writes index files. `require` checks index files and refuses to
  /// scan. `automatic` does what a reader does. The mode replaces the modes of the spec.
  IndexMode mode = IndexMode::rebuild;

  /// Called once, before the first file is opened, with the size of all files to index. The size of
  /// the files of a part, if DataSpec::part is set.
  std::function<void(std::int64_t size_bytes)> begin = {};

  /// Called when data are open and before they are indexed: once for all data, or once for each
  /// list of files that has files in a part.
  std::function<void(const OpenedData&)> opened = {};

  OperationOptions run = {};
};

struct IndexFile {
  std::string path = {};
  std::int64_t bytes = 0;
};

struct IndexReport {
  std::int64_t chunks = 0;
  std::int64_t sequences = 0;  // counts of joined data are sums over the members
  std::int64_t samples = 0;
  std::int64_t data_bytes = 0;            // of all files, as they are stored
  std::vector<IndexFile> files = {};      // one for each data file that has one
  std::string why_unused = {};            // why a later run must scan the data; may be empty
  std::vector<Diagnostic> warnings = {};  // about the data as a whole
  double seconds = 0;                     // measured time for opening and indexing

  /// Returns whether the format needs no index files because the data say where chunks lie.
  [[nodiscard]] bool is_own_index() const noexcept { return files.empty() && why_unused.empty(); }
};

/// Indexes all of the data, and creates missing folders for index files. If an index file cannot be
/// written, the call succeeds, and `why_unused` and the warnings give the reason.
///
/// If DataSpec::part is set, indexes some of the files, each as a whole. A file belongs to the part
/// that has its first byte when all files lie one after the other. Files of a format with
/// Format::needs_previous, such as MLF, stay together in one part. So all parts together produce
/// the index files of the whole data. A part without a file gives an empty report.
///
/// Determinism: the report, except `seconds`, depends only on the data and the options.
/// Throws:      as open(). ConfigError for the mode `off`; if `require` finds no index file that
///              fits; or if parts divide several files whose streams are not all declared with
///              their shapes. DataError if the data cannot be indexed. IoError if a folder cannot
///              be created.
[[nodiscard]] IndexReport index_data(const DataSpec& data, const IndexDataOptions& options = {},
                                     OpenContext context = {});

}  // namespace sheaf
