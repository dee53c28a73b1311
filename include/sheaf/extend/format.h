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
  std::optional<Shape> sample_shape = {};      // [dim] if sparse; none: found in the data
  std::optional<ElementType> dtype = {};       // empty: FormatOptions::dtype
  ElementType index_dtype = ElementType::i32;  // or i64; of sparse streams only
  bool defines_minibatch_size = false;
};

/// What counts as an error.
///
/// strict: everything that breaks the rules of the format's page. An error spoils its sequence.
/// cntk:   what CNTK 2.x took for an error, with CNTK's leniencies, to reproduce a run.
enum class Compatibility : std::uint8_t { strict, cntk };

/// Whether a sequence without one of the streams is an error, or is delivered with the stream
/// absent. A sequence without the stream that defines the minibatch size is dropped in either case;
/// Deserializer::warnings() counts such sequences.
enum class MissingStreams : std::uint8_t { error, allow };

/// How sequence keys are read: as 64-bit numbers, or as texts, which become 128-bit hashes.
enum class KeyType : std::uint8_t { numeric, text };

/// How to open data. `extra` holds the options of a single format. A format refuses unknown
/// options, and settings that the format cannot honour.
struct FormatOptions {
  std::string format = {};                  // by name; empty: as find_format() finds it
  std::vector<StreamOptions> streams = {};  // empty: all streams, found by reading the data
  std::optional<std::int64_t> inference_size_bytes = {};  // read to find streams; empty: all

  /// Where samples of an undeclared stream contradict each other, takes the form of the first
  /// sample: the others are then wrong places. Otherwise the file is refused.
  bool takes_first_form = false;

  std::optional<ElementType> dtype = {};  // numbers; empty: the type of the file, f32 for text
  std::int64_t chunk_size_bytes = std::int64_t{32} << 20;  // about; in bytes of the source
  std::int64_t read_size_bytes = std::int64_t{1} << 20;    // at most, of one read

  /// Merges small chunks of the file, up to chunk_size_bytes, for orders that do not depend on the
  /// chunks of a file, such as `keyed`. Reader sets this option for such an order.
  bool groups_chunks = false;

  Compatibility compatibility = Compatibility::strict;
  MissingStreams missing_streams = MissingStreams::error;
  std::optional<KeyType> keys = {};  // empty: the kind that the format has by itself
  bool skip_sequence_ids = false;    // whether each row is a sequence, whatever its id
  IndexOptions index = {};
  std::map<std::string, std::string> extra = {};
};

/// What a format opens, and how.
struct OpenRequest {
  /// The file; null where `paths` names the files.
  std::shared_ptr<const ByteSource> source = nullptr;
  FormatOptions options = {};

  /// The file system of the files that this file lists, and of index files.
  Context context = {};

  /// The data set of the same file, opened before with other streams. Its findings need not be made
  /// again. Not used afterwards.
  const Deserializer* earlier = nullptr;

  /// The data set of the file that is read before this one, where several files are read one after
  /// the other and none may repeat a key of another: a format may leave out what was there before.
  /// Else null.
  std::shared_ptr<const Deserializer> previous = nullptr;

  /// The path of the first file, where several files are read one after the other: a format that
  /// names the stream after the file gives all of them one name. Else empty.
  std::string first_path = {};

  /// The paths of all files that are read, for formats with `Format::opens_paths`; the paths of the
  /// folders, for formats with `Format::opens_folders`.
  std::vector<std::string> paths = {};
};

/// Parts that merge() puts together, and the file that they make.
struct PartsRequest {
  std::vector<std::shared_ptr<const ByteSource>> parts = {};  // in their order
  std::unique_ptr<ByteSink> sink;

  /// Called after each chunk with how many bytes of the parts are copied. May be empty.
  std::function<void(std::int64_t)> progress = {};
};

/// An option that only one format understands.
struct FormatOption {
  std::string_view name;                     // "libsvm.base"
  std::span<const std::string_view> values;  // the first value is the default
  std::string_view help;                     // one line

  /// Whether the option also takes any other text. The last value then says what the texts are.
  bool takes_any = false;

  /// Whether those texts are paths of files: in a spec, relative to its folder.
  bool is_path = false;
};

/// What the first bytes of a file say about a format: the file does not have the format, may have
/// the format, or certainly has the format, by a mark that no other format has.
enum class Recognition : std::uint8_t { no, possible, certain };

/// One format: a row of the table. Plain data, no registration.
struct Format {
  std::string_view name;                         // "ctf"
  std::string_view description;                  // one line for --help
  std::span<const std::string_view> extensions;  // without dot, lower case; none where the format
                                                 // opens folders

  /// Looks at the first kRecognizedBytes of a file, or at all bytes of a smaller file.
  Recognition (*recognize)(std::string_view bytes) = nullptr;

  /// Opens a file, or several files.
  ///
  /// Throws: ConfigError for impossible options; IoError; DataError where the source cannot have
  ///         this format.
  std::unique_ptr<Deserializer> (*open)(const OpenRequest& request);

  /// Begins a file. Null where the format cannot be written.
  ///
  /// Throws: ConfigError for impossible options, and for streams that the format cannot hold;
  ///         IoError.
  std::unique_ptr<Serializer> (*create)(CreateRequest request) = nullptr;

  /// About written files: whether they have keys, or readers number the sequences; and whether they
  /// are cut into chunks of SerializerOptions::chunk_size_bytes. Writing holds about two chunks in
  /// memory.
  bool keeps_keys = true;
  bool has_chunks = false;

  /// Whether a written file names further files, which are written with it. Such a format needs a
  /// path to write to, and cannot be written to standard output.
  bool writes_several = false;

  /// Whether one call opens all files of a data set, by their paths. Else each file is opened by
  /// itself, and the files are read one after the other.
  bool opens_paths = false;

  /// Whether the index of a file depends on the files that are read before the file
  /// (OpenRequest::previous). One process then indexes all files of a list.
  bool needs_previous = false;

  /// Whether the format reads folders, not files. One call opens all folders of a data set. Where
  /// no format is named, a path to a folder selects the first such format.
  bool opens_folders = false;

  /// Whether caches store units in this format: it holds whatever a chunk has, and reading compares
  /// a hash of every byte.
  bool stores_units = false;

  /// Whether convert() writes parts in this format, and merge() reads them: it keeps every sequence
  /// as it is, the ends of chunks and SerializerOptions::part_note. One format has it.
  bool holds_parts = false;

  /// Makes one file of parts in this format, faster than by reading and writing them: the bytes are
  /// those that `create` would give. Null where the format cannot.
  ///
  /// Pre:    the parts have the same streams and the same options; each has a sequence.
  /// Throws: DataError where a part is damaged; IoError.
  void (*merge)(PartsRequest request) = nullptr;

  /// Whether new files whose names have no extension get this format. One format has it.
  bool is_default = false;

  /// The names of files that mark a folder as data of the format, for a format with `opens_paths`:
  /// open() gets the path of a folder that has such a file.
  std::span<const std::string_view> folder_marks = {};

  /// The options that FormatOptions::extra and SerializerOptions::extra may have.
  std::span<const FormatOption> read_options = {};
  std::span<const FormatOption> write_options = {};

  /// CNTK's names for the format; null where CNTK did not have the format.
  const CntkNames* cntk = nullptr;
};

/// How many bytes of a file Format::recognize() sees.
inline constexpr std::int64_t kRecognizedBytes = 4096;

/// Returns the formats of the library.
[[nodiscard]] std::span<const Format> builtin_formats() noexcept;

/// Returns the value of an option of one format: the given value, or else the default.
///
/// Lifetime: that of `given`.
/// Throws:   ConfigError for a value that the option does not have.
[[nodiscard]] std::string_view value_of(const FormatOption& option,
                                        const std::map<std::string, std::string>& given);

/// Refuses options that a format does not have, and values that an option does not have. `use` is a
/// word of the messages: "for writing", or nothing.
///
/// Throws: ConfigError that suggests the nearest option.
void check_format_options(std::string_view format, std::span<const FormatOption> options,
                          const std::map<std::string, std::string>& given,
                          std::string_view use = {});

/// Returns the given options that are paths of files, in the order of their names. `formats` say
/// which options are.
///
/// Lifetime: that of `given`.
[[nodiscard]] std::vector<std::string*> paths_among(
    std::map<std::string, std::string>& given, std::span<const Format> formats = builtin_formats());

/// Returns the format that CNTK called by this name, of a reader, a module or a deserializer; null
/// where there is none.
///
/// Lifetime: that of `formats`.
[[nodiscard]] const Format* find_cntk_format(std::string_view name,
                                             std::span<const Format> formats = builtin_formats());

/// Returns the format that `options.format` names, else the format with the extension of `path`.
/// The extension of a compression does not count ("train.ctf.gz").
///
/// Throws:   ConfigError that lists the formats.
/// Lifetime: that of `formats`.
[[nodiscard]] const Format& find_format(std::string_view path, const FormatOptions& options,
                                        std::span<const Format> formats = builtin_formats());

/// Returns the format that `options.format` names. Where no format is named and `path` leads to a
/// folder, returns the format whose mark the folder has, or else the first format that opens
/// folders, if there is one. Else returns the format with the extension of `path`. Where the name
/// has no extension and the file exists, its first bytes decide, as below.
///
/// Throws:   ConfigError that lists the formats; IoError where such a file cannot be read.
/// Lifetime: that of `formats`.
[[nodiscard]] const Format& find_format(std::string_view path, FileSystem& files,
                                        const FormatOptions& options,
                                        std::span<const Format> formats = builtin_formats());

/// Returns the format of an open file. Where several formats have the extension, the first bytes of
/// the file decide. Where the name has no extension, returns the one format that the first bytes
/// certainly have.
///
/// Throws:   also ConfigError where the first bytes certainly belong to another format than the
///           extension; messages name formats that the bytes fit.
/// Lifetime: that of `formats`.
[[nodiscard]] const Format& find_format(std::string_view path, const ByteSource& source,
                                        const FormatOptions& options,
                                        std::span<const Format> formats = builtin_formats());

/// Returns the format for writing a file: the format that `options.format` names, else the format
/// with the extension of `path`. A name without an extension ("train", ".train") gets the format
/// with Format::is_default; "-", the name of standard output, does not.
///
/// Throws:   ConfigError that lists the formats that can be written. Compressed files cannot be
///           written.
/// Lifetime: that of `formats`.
[[nodiscard]] const Format& find_writable_format(
    std::string_view path, const SerializerOptions& options,
    std::span<const Format> formats = builtin_formats());

}  // namespace sheaf
