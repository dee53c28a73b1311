/// \file
/// Makes the index files of data, or checks that they fit, so that later runs scan nothing.
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

/// How to index. What else an index depends on, such as the size of chunks and the folder of index
/// files, is in the spec of the data.
struct IndexDataOptions {
  /// `rebuild` scans the data and writes index files, `require` checks index files and refuses to
  /// scan, `automatic` does what a reader does. The mode replaces the modes of the spec.
  IndexMode mode = IndexMode::rebuild;

  /// Called once, when the data are open and before the work begins.
  std::function<void(const OpenedData&)> opened = {};

  OperationOptions run = {};
};

struct IndexFile {
  std::string path = {};
  std::int64_t bytes = 0;
};

struct IndexReport {
  std::int64_t chunks = 0;
  std::int64_t sequences = 0;  // of joined data, the sum over the members; the same for the others
  std::int64_t samples = 0;
  std::int64_t data_bytes = 0;        // of all files, as they are stored
  std::vector<IndexFile> files = {};  // one for each data file that has one
  std::string why_unused = {};        // why a later run would scan the data; empty: it would not
  std::vector<Diagnostic> warnings = {};  // about the data as a whole
  double seconds = 0;                     // measured: opening and indexing

  /// Returns whether the format needs no index files, because the data say where chunks lie.
  [[nodiscard]] bool is_own_index() const noexcept { return files.empty() && why_unused.empty(); }
};

/// Indexes all of the data, and makes the folders of index files that are missing. An index file
/// that cannot be written is no error: `why_unused` and the warnings tell.
///
/// Where DataSpec::part says a part, indexes some of the files, each as a whole: a file belongs to
/// the part that has its first byte, of all files one after the other. Files of a format with
/// Format::needs_previous, such as MLF, stay together: one part has all files of the list. So the
/// index files of all parts are the index files of the whole data. A part without a file gives an
/// empty report.
///
/// Determinism: the report depends on the data and the options alone, but for `seconds`.
/// Throws:      as open(); ConfigError for a part of several files that parts divide, where not all
///              streams are declared with their shapes; DataError where the data cannot be indexed;
///              IoError where a folder cannot be made; ConfigError for the mode `off`, and where
///              `require` finds no index file that fits.
[[nodiscard]] IndexReport index_data(const DataSpec& data, const IndexDataOptions& options = {},
                                     OpenContext context = {});

}  // namespace sheaf
