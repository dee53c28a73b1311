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

#include "sheaf/byte_source.h"
#include "sheaf/deserializer.h"
#include "sheaf/types.h"

namespace sheaf {

/// A stream to read, as the user asks for it.
struct StreamOptions {
  std::string name;
  std::string alias = {};  // what the file calls it; empty: as `name`
  Storage storage = Storage::dense;
  std::optional<Shape> sample_shape = {};  // sparse: [dim]; none: the format must know it
  ElementType element_type = ElementType::f32;
  ElementType index_type = ElementType::i32;
  bool defines_minibatch_size = false;
};

/// How to open data. `extra` holds what only one format understands; a format refuses a key there
/// that it does not know.
struct FormatOptions {
  std::string format = {};  // by name; empty: by the file's extension
  std::vector<StreamOptions> streams = {};
  std::int64_t chunk_size_bytes = std::int64_t{32} << 20;  // bytes of the source in a chunk, about
  std::int64_t read_size_bytes = std::int64_t{1} << 20;    // asked of the source at once, at most
  std::map<std::string, std::string> extra = {};
};

/// One format: a row of a table. Plain data, no registration.
struct Format {
  std::string_view name;                         // "ctf"
  std::string_view description;                  // one line for --help
  std::span<const std::string_view> extensions;  // without dot, lower case

  /// Open `source` as this format.
  ///
  /// Throws: ConfigError for options that make no sense; IoError; DataError where the source cannot
  ///         be of this format at all.
  std::unique_ptr<Deserializer> (*open)(std::shared_ptr<const ByteSource> source,
                                        const FormatOptions& options);
};

/// The formats that the library was built with.
[[nodiscard]] std::span<const Format> builtin_formats() noexcept;

/// The format that `options.format` names, else the one that knows the extension of `path`.
///
/// Throws:   ConfigError that lists what there is.
/// Lifetime: that of `formats`.
[[nodiscard]] const Format& find_format(std::string_view path, const FormatOptions& options,
                                        std::span<const Format> formats = builtin_formats());

/// Open a file with the format that fits.
///
/// Throws: as find_format, open_file and Format::open.
[[nodiscard]] std::unique_ptr<Deserializer> open_data(
    const std::string& path, const FormatOptions& options,
    std::span<const Format> formats = builtin_formats());

}  // namespace sheaf
