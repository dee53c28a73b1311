/// \file
/// The formats, by name.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/cntk_names.h"
#include "sheaf/extend/context.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/index_file.h"
#include "sheaf/extend/serializer.h"
#include "sheaf/types.h"

namespace sheaf {

/// A stream to read, as the user asks for it.
struct StreamOptions {
  std::string name;
  std::string alias = {};  // what the file calls it; empty: as `name`
  Storage storage = Storage::dense;
  std::optional<Shape> sample_shape = {};        // sparse: [dim]; none: found in the data
  std::optional<ElementType> element_type = {};  // none: FormatOptions::element_type
  ElementType index_type = ElementType::i32;
  bool defines_minibatch_size = false;
};

/// What is an error. `strict`: whatever is not as the format's page says; it spoils its sequence.
/// `cntk`: what CNTK 2.x held for one, with its leniencies, for those who must reproduce a run.
enum class Compatibility : std::uint8_t { strict, cntk };

/// What a sequence without one of the streams is: an error, or a sequence where the stream is
/// absent. One without the stream that defines the minibatch size is dropped in either case, and
/// counted in Deserializer::warnings().
enum class MissingStreams : std::uint8_t { error, allow };

/// How sequence keys are read: as 64-bit numbers, or as texts (their 128-bit hashes).
enum class KeyType : std::uint8_t { numeric, text };

/// How to open data. `extra` holds what only one format understands; a format refuses a key there
/// that it does not know, and a setting that it cannot honour.
struct FormatOptions {
  std::string format = {};                  // by name; empty: by the file's extension
  std::vector<StreamOptions> streams = {};  // none: all that the data have, found by reading them
  std::int64_t inference_size_bytes = 0;    // of the data, to find streams in; 0: all

  /// Where samples of a stream that is to be found contradict each other, read the stream as the
  /// first of them has it: the others are then wrong places. Otherwise the file is refused.
  bool takes_first_form = false;

  std::optional<ElementType> element_type = {};  // none: as the file has it; of texts, f32
  std::int64_t chunk_size_bytes = std::int64_t{32} << 20;  // bytes of the source in a chunk, about
  std::int64_t read_size_bytes = std::int64_t{1} << 20;    // asked of the source at once, at most

  /// Put small chunks that a file has by itself together, up to chunk_size_bytes. For orders that
  /// do not go by the chunks of a file, as `keyed`; Reader does so when it opens a file for one.
  bool groups_chunks = false;

  Compatibility compatibility = Compatibility::strict;
  MissingStreams missing_streams = MissingStreams::error;
  KeyType keys = KeyType::numeric;
  bool skip_sequence_ids = false;  // each row is a sequence of its own, whatever its id
  IndexOptions index = {};
  std::map<std::string, std::string> extra = {};
};

/// What a format opens.
struct OpenRequest {
  /// The file; null where `paths` says what is read.
  std::shared_ptr<const ByteSource> source = nullptr;
  FormatOptions options = {};

  /// Where other files are: those that this one lists, and index files beside the data.
  Context context = {};

  /// The data set of the same file, where the file was opened before, with other streams: what was
  /// found in the file then need not be looked for again. Not used afterwards.
  const Deserializer* earlier = nullptr;

  /// The paths of all files that are read, for formats with `Format::opens_paths`.
  std::vector<std::string> paths = {};
};

/// An option that only one format understands.
struct FormatOption {
  std::string_view name;                     // "libsvm.base"
  std::span<const std::string_view> values;  // the first is meant where the option is not given
  std::string_view help;                     // one line
};

/// What the first bytes of a file say about a format: the file is not of the format, may be, or is,
/// by a mark that files of other formats do not have.
enum class Recognition : std::uint8_t { no, possible, certain };

/// One format: a row of a table. Plain data, no registration.
struct Format {
  std::string_view name;                         // "ctf"
  std::string_view description;                  // one line for --help
  std::span<const std::string_view> extensions;  // without dot, lower case

  /// Look at the first bytes of a file: all bytes, or kRecognizedBytes of them.
  Recognition (*recognize)(std::string_view bytes) = nullptr;

  /// Open a file, or several, as this format.
  ///
  /// Throws: ConfigError for options that make no sense; IoError; DataError where the source cannot
  ///         be of this format at all.
  std::unique_ptr<Deserializer> (*open)(const OpenRequest& request);

  /// Begin a file of this format with `streams`, under the names and types given. Null where the
  /// format is read only.
  ///
  /// Throws: ConfigError for options that make no sense, and for streams that the format cannot
  ///         hold; IoError.
  std::unique_ptr<Serializer> (*create)(std::unique_ptr<ByteSink> sink,
                                        std::span<const Stream> streams,
                                        const SerializerOptions& options) = nullptr;

  /// Of what is written: whether keys are in it, or sequences are numbered when they are read; and
  /// whether it is cut into chunks of SerializerOptions::chunk_size_bytes, of which about two are
  /// held in memory.
  bool keeps_keys = true;
  bool has_chunks = false;

  /// Whether all files of a data set are opened at once, by their paths. Else each file is opened
  /// by itself, and they are read one after the other.
  bool opens_paths = false;

  /// What FormatOptions::extra and SerializerOptions::extra may have.
  std::span<const FormatOption> read_options = {};
  std::span<const FormatOption> write_options = {};

  /// CNTK's names for the format; null where CNTK did not have the format.
  const CntkNames* cntk = nullptr;
};

/// How much of a file Format::recognize() sees.
inline constexpr std::int64_t kRecognizedBytes = 4096;

/// The formats that the library was built with.
[[nodiscard]] std::span<const Format> builtin_formats() noexcept;

/// Returns the value of an option of one format: the one that is given, or else the usual one.
///
/// Throws: ConfigError for a value that the option does not have.
[[nodiscard]] std::string_view value_of(const FormatOption& option,
                                        const std::map<std::string, std::string>& given);

/// Refuse options that a format does not have, and values that an option does not have. `use` is
/// what messages say of the options: "for writing", or nothing.
///
/// Throws: ConfigError that suggests the nearest option.
void check_format_options(std::string_view format, std::span<const FormatOption> options,
                          const std::map<std::string, std::string>& given,
                          std::string_view use = {});

/// Returns the format that CNTK called by this name, of a reader, a module or a deserializer; null
/// where there is none.
///
/// Lifetime: that of `formats`.
[[nodiscard]] const Format* find_cntk_format(std::string_view name,
                                             std::span<const Format> formats = builtin_formats());

/// The format that `options.format` names, else the one that knows the extension of `path`, or the
/// extension before that of a compression ("train.ctf.gz").
///
/// Throws:   ConfigError that lists what there is.
/// Lifetime: that of `formats`.
[[nodiscard]] const Format& find_format(std::string_view path, const FormatOptions& options,
                                        std::span<const Format> formats = builtin_formats());

/// The same for a file that is open as `source`. Where several formats know the extension, the
/// first bytes of the file tell which one is meant.
///
/// Throws:   also ConfigError where the first bytes are surely those of another format than the
///           extension says; messages name formats that the bytes fit.
/// Lifetime: that of `formats`.
[[nodiscard]] const Format& find_format(std::string_view path, const ByteSource& source,
                                        const FormatOptions& options,
                                        std::span<const Format> formats = builtin_formats());

/// The same for writing.
///
/// Throws:   ConfigError that lists what can be written; compressed files cannot.
/// Lifetime: that of `formats`.
[[nodiscard]] const Format& find_writable_format(
    std::string_view path, const SerializerOptions& options,
    std::span<const Format> formats = builtin_formats());

}  // namespace sheaf
