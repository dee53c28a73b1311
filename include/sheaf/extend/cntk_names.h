/// \file
/// How CNTK called a format and the format's settings.

#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sheaf/types.h"

namespace sheaf {

/// A setting of a section or dictionary in which CNTK describes files, and what the setting means.
struct CntkSetting {
  /// What the value is. `truth`: true or false. `whole`: a whole number from `min` to `max`.
  /// `errors`: a number of tolerated errors, added to those of the run; -1 stands for any number.
  /// `text`: any text. `path`: a path. `ignored`: anything, without effect. `fixed`: the word
  /// `if_true`, without effect; any other value is refused with `reason` as the hint.
  enum class Kind : std::uint8_t { truth, whole, errors, text, path, ignored, fixed };

  std::string_view name;  // CNTK's: "chunkSizeInBytes"
  Kind kind = Kind::ignored;

  /// What a spec has beside `files`: "chunk_size" (docs/spec.md), or an option of the format alone,
  /// "format_options.tsv.header". None for `errors` and `ignored`.
  std::string_view option = {};

  /// The words of the option for `truth`, where the option is not a truth itself.
  std::string_view if_true = {};
  std::string_view if_false = {};

  std::int64_t min = 0;
  std::int64_t max = std::numeric_limits<std::int64_t>::max();

  /// Why the setting changes nothing, for `ignored`; why it may say nothing else, for `fixed`.
  std::string_view reason = {};

  /// Whether true is refused where frames are delivered one by one.
  bool needs_sequences = false;
};

/// A setting of a stream that names the stream's files.
///
/// one:       a path.
/// list:      paths with ':' between them, or else the path of a text with a path in each line.
/// specifier: the path of a text with one line, from which `path_of` takes the path.
struct CntkFileSetting {
  enum class Kind : std::uint8_t { one, list, specifier };

  std::string_view name;  // CNTK's: "scpFile"
  Kind kind = Kind::one;

  /// Returns the path that a line names. Returns nothing for a line that has none of the forms of
  /// `lines`. Settings of the kind `specifier` have the function.
  std::optional<std::string> (*path_of)(std::string_view line) = nullptr;
  std::string_view lines = {};  // for messages: "scp:FILE or ark:FILE"
};

/// An option of a format that CNTK's reading always has.
struct CntkFixedOption {
  std::string_view name;   // "lattice.as"
  std::string_view value;  // "f32"
};

/// How CNTK described the one stream of a deserializer for speech. The section of the stream, and
/// not the section of the deserializer, names the files.
struct CntkStream {
  std::span<const CntkFileSetting> files = {};  // the stream has one of these settings

  /// The setting by which a reader of sections knows the section of such a stream. Empty: any of
  /// `files`.
  std::string_view mark = {};

  /// Settings with the dim, of which the first that is there counts. None: the stream has no dim.
  std::span<const std::string_view> dims = {};

  /// Looked for in the section of the stream, and then in the sections around it.
  std::span<const CntkSetting> settings = {};

  std::span<const CntkFixedOption> options = {};
  Storage storage = Storage::dense;
  std::string_view type = {};  // what `type` or `labelType` of the stream may say; empty: anything
  bool may_be_first = true;    // whether the deserializer may give the order
  bool has_parts = true;       // whether frames and truncated sequences can be delivered

  /// Whether keys are texts, in all deserializers of the reader, unless the reader says otherwise.
  bool makes_text_keys = false;

  /// Whether contextWindow joins frames with their neighbours, and expandToUtterance repeats the
  /// one frame of a sequence.
  bool has_context = false;
};

/// How CNTK described images: one section lists the transforms of the images, and another section
/// has the number of classes.
struct CntkImages {
  // The streams of the format.
  std::string_view image = {};
  std::string_view label = {};
  std::string_view view = {};  // the number of the view, where each image comes several times

  // The options of the format.
  std::string_view labels = {};   // one_hot
  std::string_view classes = {};  // a number
  std::string_view views = {};    // a number

  /// Whether a reader of these images alone shuffles image by image.
  bool is_chunk_each = false;
};

/// CNTK's names for one format. Plain data.
struct CntkNames {
  std::span<const std::string_view> readers = {};        // values of `readerType`
  std::span<const std::string_view> modules = {};        // values of `module`, and of readers, too
  std::span<const std::string_view> deserializers = {};  // values of `type`

  /// Whether `input` must declare each stream with its format and dim. Else `input` renames
  /// streams, and all streams of the file are read.
  bool declares_streams = true;

  /// Whether each deserializer may choose between strict reading and CNTK's leniencies. Else files
  /// are read as CNTK read them.
  bool has_strict = true;

  std::span<const CntkSetting> settings = {};

  /// Set for deserializers whose stream names the files.
  ///
  /// Lifetime: that of the program.
  const CntkStream* stream = nullptr;

  /// Set for a second kind of stream that sections of `readers` may describe, such as labels in
  /// files of the same format. A section is of the one kind or the other by its settings.
  ///
  /// Lifetime: that of the program.
  const CntkStream* second_stream = nullptr;

  /// Set for deserializers of images.
  ///
  /// Lifetime: that of the program.
  const CntkImages* images = nullptr;

  /// Returns whether keys are texts unless the configuration says otherwise.
  [[nodiscard]] constexpr bool makes_text_keys() const noexcept {
    return stream != nullptr && stream->makes_text_keys;
  }

  /// Returns whether `chunkSizeInBytes` says how the files are cut into chunks, and how large the
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
