/// \file
/// CNTK's names for formats and their settings.

#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sheaf/types.h"

namespace sheaf {

/// A setting of a section or dictionary in which CNTK describes files, and the meaning of the
/// setting.
struct CntkSetting {
  /// The type of the value. `truth`: true or false. `whole`: a whole number from `min` to `max`.
  /// `errors`: a number of tolerated errors, added to the number of the run; -1 means any number.
  /// `text`: any text. `path`: a path. `ignored`: anything; the value has no effect. `fixed`: the
  /// word `if_true`, which has no effect; any other value is refused with `reason` as the hint.
  enum class Kind : std::uint8_t { truth, whole, errors, text, path, ignored, fixed };

  std::string_view name;  // CNTK's: "chunkSizeInBytes"
  Kind kind = Kind::ignored;

  /// The name of the corresponding value in a spec, beside `files`: "chunk_size" (docs/spec.md), or
  /// an option of one format, such as "format_options.tsv.header". Empty for `errors` and
  /// `ignored`.
  std::string_view option = {};

  /// For `truth`, the words of the option that stand for true and false. Empty if the option itself
  /// is true or false.
  std::string_view if_true = {};
  std::string_view if_false = {};

  std::int64_t min = 0;
  std::int64_t max = std::numeric_limits<std::int64_t>::max();

  /// For `ignored`, why the setting has no effect. For `fixed`, why no other value is allowed.
  std::string_view reason = {};

  /// Whether `true` is refused when frames are delivered one by one.
  bool needs_sequences = false;
};

/// A setting that names the files of a stream.
///
/// one:       a path.
/// list:      paths separated by ':', or the path of a text file with one path a line.
/// specifier: the path of a text file with one line, from which `path_of` takes the path.
struct CntkFileSetting {
  enum class Kind : std::uint8_t { one, list, specifier };

  std::string_view name;  // CNTK's: "scpFile"
  Kind kind = Kind::one;

  /// Returns the path in a line. Returns nothing for a line that has none of the forms of `lines`.
  /// Only settings of the kind `specifier` have this function.
  std::optional<std::string> (*path_of)(std::string_view line) = nullptr;
  std::string_view lines = {};  // for messages: "scp:FILE or ark:FILE"
};

/// An option of a format whose value is fixed when reading as CNTK does.
struct CntkFixedOption {
  std::string_view name;   // "lattice.as"
  std::string_view value;  // "f32"
};

/// CNTK's description of the only stream of a speech deserializer. The section of the stream names
/// the files, not the section of the deserializer.
struct CntkStream {
  std::span<const CntkFileSetting> files = {};  // the stream has exactly one of these settings

  /// The setting that identifies the section of such a stream. If empty, any setting of `files`
  /// does.
  std::string_view mark = {};

  /// The settings that may give the dim. The first one present counts. Empty if the stream has no
  /// dim.
  std::span<const std::string_view> dims = {};

  /// Settings that are looked up in the section of the stream and then in the enclosing sections.
  std::span<const CntkSetting> settings = {};

  std::span<const CntkFixedOption> options = {};
  Storage storage = Storage::dense;
  std::string_view type = {};  // the only valid `type` or `labelType` of the stream; empty: any
  bool may_be_first = true;    // whether the deserializer may be the primary
  bool has_parts = true;       // whether frames and truncated sequences are possible

  /// Whether keys are texts in all deserializers of the reader, unless the reader's settings say
  /// otherwise.
  bool makes_text_keys = false;

  /// Whether contextWindow joins frames with their neighbours, and expandToUtterance repeats the
  /// only frame of a sequence.
  bool has_context = false;
};

/// CNTK's description of images. One section lists the transforms of the images, and another
/// section has the number of classes.
struct CntkImages {
  // The names of the format's streams.
  std::string_view image = {};
  std::string_view label = {};
  std::string_view view = {};  // the number of the view, if each image comes several times

  // The names of the format's options.
  std::string_view labels = {};   // one_hot
  std::string_view classes = {};  // a number
  std::string_view views = {};    // a number

  /// Whether a reader that reads only these images shuffles single images.
  bool is_chunk_each = false;
};

/// CNTK's names for one format, as plain data.
struct CntkNames {
  std::span<const std::string_view> readers = {};        // values of `readerType`
  std::span<const std::string_view> modules = {};        // values of `module`, or of `readerType`
  std::span<const std::string_view> deserializers = {};  // values of `type`

  /// Whether `input` must declare each stream with its format and dim. Otherwise, `input` renames
  /// streams, and all streams of the file are read.
  bool declares_streams = true;

  /// Whether each deserializer may choose between strict reading and CNTK's leniencies. Otherwise,
  /// files are read as CNTK read them.
  bool has_strict = true;

  /// Whether a reader of `readers` obeys frameMode. Otherwise, it delivers whole sequences.
  bool has_frame_mode = true;

  std::span<const CntkSetting> settings = {};

  /// Set for deserializers whose stream names the files.
  ///
  /// Lifetime: the whole program.
  const CntkStream* stream = nullptr;

  /// Set for a second kind of stream that sections of `readers` may describe, such as labels in
  /// files of the same format. The settings of a section decide which kind it is.
  ///
  /// Lifetime: the whole program.
  const CntkStream* second_stream = nullptr;

  /// Set for deserializers of images.
  ///
  /// Lifetime: the whole program.
  const CntkImages* images = nullptr;

  /// Returns whether keys are texts unless the configuration says otherwise.
  [[nodiscard]] constexpr bool makes_text_keys() const noexcept {
    return stream != nullptr && stream->makes_text_keys;
  }

  /// Returns whether `chunkSizeInBytes` decides how files are cut into chunks, and how large the
  /// window is without randomizationWindow.
  [[nodiscard]] constexpr bool cuts_chunks() const noexcept {
    if (stream != nullptr) return false;
    for (const CntkSetting& setting : settings) {
      if (setting.option == "chunk_size") return true;
    }
    return false;
  }
};

}  // namespace sheaf
