/// \file
/// Specs: which data to read, and how to read them. A spec is a plain C++ struct or a JSON text.
///
///     const sheaf::Spec spec = sheaf::parse_spec(R"({
///       "data": {"files": "train.ctf"},
///       "read": {"order": "keyed", "seed": 7, "minibatch_size": 64}
///     })", "train.json");
///     std::cout << spec.read.order.seed << '\n';

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sheaf/extend/concatenate.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/extend/format.h"
#include "sheaf/extend/join.h"
#include "sheaf/extend/sequencer.h"
#include "sheaf/extend/transform.h"
#include "sheaf/minibatch.h"
#include "sheaf/mixture.h"
#include "sheaf/part.h"

namespace sheaf {

struct DataSpec;

/// Files of one format, read one after the other. Each file has an index file of its own.
///
/// Streams and dims that `format` does not declare are found by reading all files: every stream of
/// any file, with the largest dim of a sparse stream.
struct FilesSpec {
  std::vector<std::string> files = {};  // paths, or patterns, as find_files() takes them
  FormatOptions format = {};
  ConcatenatedKeys same_keys = ConcatenatedKeys::distinct;
};

/// Data sets that are read one after the other.
struct ConcatenationSpec {
  std::vector<DataSpec> members;  // without `= {}`: clang would want DataSpec complete
  ConcatenatedKeys same_keys = ConcatenatedKeys::distinct;
};

/// Data sets with different streams of the same sequences, joined by sequence key.
struct JoinSpec {
  std::vector<DataSpec> members;  // without `= {}`: clang would want DataSpec complete
  std::int64_t primary = 0;       // number of the member that gives the order
  MissingSequences missing_sequences = MissingSequences::drop;
  Lengths lengths = Lengths::any;
  std::int64_t length_tolerance = 0;
  std::vector<std::string> length_streams = {};
};

/// Data sets from which an order draws sequences by weight. A member cannot be a mixture, and a
/// mixture cannot be a member of other data.
struct MixtureSpec {
  std::vector<DataSpec> members;  // without `= {}`: clang would want DataSpec complete
  MixtureOptions options = {};
};

/// Data that the program provides, by a name of OpenContext::objects.
struct ObjectSpec {
  std::string name = {};

  /// The size of the chunks that the program asked for, which gives the default window. JSON has no
  /// such field.
  std::int64_t chunk_size_bytes = FormatOptions{}.chunk_size_bytes;
};

/// What to read.
struct DataSpec {
  std::variant<FilesSpec, ConcatenationSpec, JoinSpec, MixtureSpec, ObjectSpec> content = {};

  /// The transforms of each sequence before packing, one after the other. Members cannot have
  /// transforms; only the whole data can.
  std::vector<TransformSpec> transforms = {};

  /// The part of the data to read. Empty means all data. Members and mixtures cannot have a part.
  std::optional<DataPart> part = {};
};

/// A folder that keeps decoded sequences, so that later sweeps and runs need not decode them again.
/// docs/how-to/convert-once.md explains what a cache holds and when to use one.
struct CacheOptions {
  std::string folder = {};                       // empty: no cache
  std::optional<std::int64_t> limit_bytes = {};  // of all cache files together; empty: no limit
};

/// How a run reads the data. A spec does not say which worker this is, or how many threads run.
struct ReadSpec {
  /// If the order shuffles and has no window, default_window_chunks() chooses the window.
  OrderOptions order = {};
  Layout packing = Layout::padded;  // `truncated` or `packed` if the options below imply so
  std::optional<std::int64_t> row_samples = {};  // as for make_packer(), and for order_of()
  Padding padding = {};                          // likewise
  std::int64_t max_errors = 0;                   // how many distinct errors are tolerated; or kAll
  CacheOptions cache = {};                       // changes the speed, but not what is delivered
};

/// What to read and how.
struct Spec {
  DataSpec data = {};
  ReadSpec read = {};
};

/// Parses a spec in JSON. Messages refer to the text as `name`. Relative paths in the text begin at
/// `folder`. An empty folder leaves paths as they are.
///
/// Throws: ConfigError if the text is not JSON, for an unknown or repeated name, and for a value of
///         the wrong type or out of range. The message gives the location, such as
///         "train.json: data.streams[1].dtype".
/// Source: docs/spec.md.
[[nodiscard]] Spec parse_spec(std::string_view json, const std::string& name,
                              const std::string& folder = {});

/// Parses a list of transforms in JSON, like "transforms" in a spec. Messages refer to the list as
/// `name`.
///
/// Throws: ConfigError as parse_spec(). The message gives the location: "transforms[0].type".
[[nodiscard]] std::vector<TransformSpec> parse_transforms(std::string_view json,
                                                          const std::string& name);

/// Reads a spec from a file. Relative paths begin at the folder of the file.
///
/// Throws: as parse_spec; IoError; ConfigError for a file above 16 MiB.
[[nodiscard]] Spec load_spec(const std::string& path, FileSystem& files = system_files());

/// Returns a spec as indented JSON that parse_spec() understands. Leaves out values that equal the
/// default.
[[nodiscard]] std::string to_json(const Spec& spec);

/// Returns the order of a run. Sets OrderOptions::row_samples to the row_samples or the pad_length
/// of the spec. If the order shuffles and the spec has no window, sets the window of
/// default_window_chunks().
[[nodiscard]] OrderOptions order_of(const Spec& spec);

/// Returns the window of an order that shuffles and has no window: that of the chunk size of the
/// files or the object that give the order. Other data count as files of the default chunk size.
[[nodiscard]] std::int64_t default_window_chunks(const DataSpec& data) noexcept;

/// Returns how many errors a run tolerates: the number of the spec plus `more`, or kAll if the sum
/// would be larger.
///
/// Throws: ConfigError if `more` is negative.
[[nodiscard]] std::int64_t max_errors_of(const Spec& spec, std::int64_t more);

/// Returns every FilesSpec of the data, in the order in which their streams are delivered.
///
/// Lifetime: as long as `data`.
[[nodiscard]] std::vector<const FilesSpec*> files_of(const DataSpec& data);
[[nodiscard]] std::vector<FilesSpec*> files_of(DataSpec& data);

/// Returns the members of a concatenation, a join or a mixture; nothing for other data.
///
/// Lifetime: as long as `data`.
[[nodiscard]] std::span<const DataSpec> members_of(const DataSpec& data);
[[nodiscard]] std::span<DataSpec> members_of(DataSpec& data);

}  // namespace sheaf
