/// \file
/// The table of formats, and the options for opening files.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/byte_sink.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/cntk_names.h"
#include "sheaf/extend/context.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/index_file.h"
#include "sheaf/extend/serializer.h"
#include "sheaf/types.h"

namespace sheaf {

/// A stream to read, as the user names it.
struct StreamOptions {
  std::string name;
  std::string alias = {};  // the name in the file; empty means `name`
  Storage storage = Storage::dense;
  std::optional<Shape> sample_shape = {};      // [dim] if sparse; empty: found in the data
  std::optional<ElementType> dtype = {};       // empty: FormatOptions::dtype
  ElementType index_dtype = ElementType::i32;  // or i64; of sparse streams only
  bool defines_minibatch_size = false;
};

/// Which deviations from a format are errors.
///
/// strict: every violation of the rules of the format's page. A sequence with an error is left out.
/// cntk:   only the errors of CNTK 2.x, with CNTK's leniencies, to reproduce a run.
enum class Compatibility : std::uint8_t { strict, cntk };

/// Whether a sequence that lacks a stream is an error, or is delivered with the stream absent.
/// Sequences without the stream that defines the minibatch size are dropped in both cases.
/// Deserializer::warnings() counts them.
enum class MissingStreams : std::uint8_t { error, allow };

/// How sequence keys are read: as 64-bit numbers, or as texts, which become 128-bit hashes.
enum class KeyType : std::uint8_t { numeric, text };

/// How to open data. `extra` has the options of a single format. A format refuses unknown options
/// and options that it does not support.
struct FormatOptions {
  std::string format = {};                  // by name; empty: chosen by find_format()
  std::vector<StreamOptions> streams = {};  // empty: all streams, found by reading the data
  std::optional<std::int64_t> inference_size_bytes = {};  // read to find streams; empty: all

  /// Whether an undeclared stream whose samples contradict each other gets the form of its first
  /// sample. The other samples are then errors. If false, the file is refused.
  bool takes_first_form = false;

  std::optional<ElementType> dtype = {};  // of numbers; empty: the type of the file, f32 for text
  std::int64_t chunk_size_bytes = std::int64_t{32} << 20;  // approximate, in bytes of the source
  std::int64_t read_size_bytes = std::int64_t{1} << 20;    // the most that one read takes

  /// Whether small chunks of the file are merged, up to chunk_size_bytes. For orders that do not
  /// depend on the chunks of a file, such as `keyed`. Reader sets this option for such an order.
  bool groups_chunks = false;

  Compatibility compatibility = Compatibility::strict;
  MissingStreams missing_streams = MissingStreams::error;
  std::optional<KeyType> keys = {};  // empty: the default of the format
  bool skip_sequence_ids = false;    // whether each text row is a sequence, regardless of its id
  IndexOptions index = {};
  std::map<std::string, std::string> extra = {};

  /// Whether `extra` was given once for several files that are joined, and not for this file alone.
  /// A file may then prefer what it says of itself: a table that lacks the column of the option
  /// `arrow.key` keeps the keys that sheaf wrote. share_format_options() sets this option.
  bool shares_extra = false;
};

/// A request to open data of a format.
struct OpenRequest {
  /// The file. Null if `paths` names the files.
  std::shared_ptr<const ByteSource> source = nullptr;
  FormatOptions options = {};

  /// Gives the file system of the files that this file lists, and of index files.
  Context context = {};

  /// The data set of the same file, opened earlier with other streams, so that the format can reuse
  /// its results. Not used afterwards.
  const Deserializer* earlier = nullptr;

  /// The data set of the preceding file, if several files are read one after the other and no file
  /// may repeat a key of another. The format may then leave out sequences of earlier files.
  /// Otherwise null.
  std::shared_ptr<const Deserializer> previous = nullptr;

  /// The path of the first file, if several files are read one after the other. A format that names
  /// the stream after the file gives all files the same name. Otherwise empty.
  std::string first_path = {};

  /// The paths of all files, for formats with Format::opens_paths. The paths of all folders, for
  /// formats with Format::opens_folders.
  std::vector<std::string> paths = {};
};

/// The parts that merge() merges, and the sink of the resulting file.
struct PartsRequest {
  std::vector<std::shared_ptr<const ByteSource>> parts = {};  // in the order of the data
  std::unique_ptr<ByteSink> sink;

  /// Called after each chunk with the number of bytes of the parts that are copied. May be empty.
  std::function<void(std::int64_t)> progress = {};
};

/// An option that only one format understands.
struct FormatOption {
  std::string_view name;                     // "libsvm.base"
  std::span<const std::string_view> values;  // the first value is the default
  std::string_view help;                     // one line

  /// Whether the option also takes any other text. The last value then describes these texts.
  bool takes_any = false;

  /// Whether these texts are paths of files. In a spec, paths are relative to its folder.
  bool is_path = false;
};

/// Whether the first bytes of a file belong to a format. `certain` means that the bytes have a mark
/// that no other format has.
enum class Recognition : std::uint8_t { no, possible, certain };

/// One format: an element of the table of formats. Plain data, without registration.
struct Format {
  std::string_view name;                         // "ctf"
  std::string_view description;                  // one line for --help
  std::span<const std::string_view> extensions;  // without dot, lower case; empty if the format
                                                 // opens folders

  /// Examines the first kRecognizedBytes of a file, or all bytes of a smaller file.
  Recognition (*recognize)(std::string_view bytes) = nullptr;

  /// Opens a file, or several files.
  ///
  /// Throws: ConfigError for impossible options; IoError; DataError if the source cannot have this
  ///         format.
  std::unique_ptr<Deserializer> (*open)(const OpenRequest& request);

  /// Begins a file. Null if the format cannot be written.
  ///
  /// Throws: ConfigError for impossible options, and for streams that the format cannot hold;
  ///         IoError.
  std::unique_ptr<Serializer> (*create)(CreateRequest request) = nullptr;

  /// `keeps_keys`: whether written files have keys. If not, readers number the sequences.
  /// `has_chunks`: whether written files are cut into chunks of
  /// SerializerOptions::chunk_size_bytes. Writing then holds about two chunks in memory.
  bool keeps_keys = true;
  bool has_chunks = false;

  /// Whether written files keep the declared costs of sequences (SequenceBatch::costs).
  bool keeps_costs = false;

  /// Whether a written file names further files, which are written together with the file. Such a
  /// format needs an output path, and cannot be written to standard output.
  bool writes_several = false;

  /// Whether one call opens all files of a data set, by their paths. If not, each file is opened on
  /// its own, and the files are read one after the other.
  bool opens_paths = false;

  /// Whether the index of a file depends on the preceding files (OpenRequest::previous). One
  /// process then indexes all files of a list.
  bool needs_previous = false;

  /// Whether the format reads folders instead of files. One call opens all folders of a data set.
  /// If no format is named, a path to a folder selects the first such format.
  bool opens_folders = false;

  /// Whether caches store units in this format. The format must be able to hold any chunk, and
  /// reading must verify a hash of every byte.
  bool stores_units = false;

  /// Whether convert() writes parts for merge() in this format. The format must keep every sequence
  /// unchanged, the ends of chunks, and SerializerOptions::part_note. True for one format.
  bool holds_parts = false;

  /// Merges parts in this format into one file, faster than by reading and writing them. The bytes
  /// equal the output of `create`. Null if the format cannot do so.
  ///
  /// Pre:    the parts have the same streams and the same options; each has at least one sequence.
  /// Throws: DataError if a part is damaged; IoError.
  void (*merge)(PartsRequest request) = nullptr;

  /// Whether new files whose names have no extension get this format. True for one format.
  bool is_default = false;

  /// For a format with `opens_paths`, the names of files that mark a folder as data of the format.
  /// open() gets the path of a folder that has such a file.
  std::span<const std::string_view> folder_marks = {};

  /// The options that FormatOptions::extra and SerializerOptions::extra may have.
  std::span<const FormatOption> read_options = {};
  std::span<const FormatOption> write_options = {};

  /// CNTK's names for the format. Null if CNTK did not have the format.
  const CntkNames* cntk = nullptr;
};

/// How many bytes of a file Format::recognize() sees.
inline constexpr std::int64_t kRecognizedBytes = 4096;

/// Returns the formats of the library.
[[nodiscard]] std::span<const Format> builtin_formats() noexcept;

/// Returns the value of an option: the given value, or else the default.
///
/// Lifetime: that of `given`.
/// Throws:   ConfigError for a value that the option does not have.
[[nodiscard]] std::string_view value_of(const FormatOption& option,
                                        const std::map<std::string, std::string>& given);

/// Checks that a format has the given options, and that the options have the given values. `use` is
/// part of the messages: "for writing", or nothing.
///
/// Throws: ConfigError that suggests the nearest option.
void check_format_options(std::string_view format, std::span<const FormatOption> options,
                          const std::map<std::string, std::string>& given,
                          std::string_view use = {});

/// Returns the values of those given options that are paths of files, in the order of the option
/// names. `formats` define which options are paths.
///
/// Lifetime: that of `given`.
[[nodiscard]] std::vector<std::string*> paths_among(
    std::map<std::string, std::string>& given, std::span<const Format> formats = builtin_formats());

/// Returns the format with this CNTK name of a reader, a module or a deserializer. Returns null if
/// there is none.
///
/// Lifetime: that of `formats`.
[[nodiscard]] const Format* find_cntk_format(std::string_view name,
                                             std::span<const Format> formats = builtin_formats());

/// Returns the format that `options.format` names, or else the format with the extension of `path`.
/// Ignores the extension of a compression, as in "train.ctf.gz".
///
/// Throws:   ConfigError that lists the formats.
/// Lifetime: that of `formats`.
[[nodiscard]] const Format& find_format(std::string_view path, const FormatOptions& options,
                                        std::span<const Format> formats = builtin_formats());

/// Returns the format of a path:
/// - the format that `options.format` names;
/// - for a folder, the format whose mark the folder has, or else the first format that opens
///   folders;
/// - the format with the extension of `path`;
/// - for an existing file without an extension, the format of its first bytes, as below.
///
/// Throws:   ConfigError that lists the formats; IoError if a file without an extension cannot be
///           read.
/// Lifetime: that of `formats`.
[[nodiscard]] const Format& find_format(std::string_view path, FileSystem& files,
                                        const FormatOptions& options,
                                        std::span<const Format> formats = builtin_formats());

/// Returns the format of an open file. If several formats have the extension, the first bytes of
/// the file decide. If the name has no extension, returns the only format for which the first bytes
/// are `certain`.
///
/// Throws:   also ConfigError if the first bytes certainly belong to a different format than the
///           extension. Messages name the formats that match the bytes.
/// Lifetime: that of `formats`.
[[nodiscard]] const Format& find_format(std::string_view path, const ByteSource& source,
                                        const FormatOptions& options,
                                        std::span<const Format> formats = builtin_formats());

/// Returns the format for writing a file: the format that `options.format` names, or else the
/// format with the extension of `path`. A name without an extension ("train", ".train") gets the
/// format with Format::is_default. The name of standard output, "-", does not.
///
/// Throws:   ConfigError that lists the writable formats. Compressed files cannot be written.
/// Lifetime: that of `formats`.
[[nodiscard]] const Format& find_writable_format(
    std::string_view path, const SerializerOptions& options,
    std::span<const Format> formats = builtin_formats());

}  // namespace sheaf
