// The deserializers of a reader section: which files they read, and how.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/config_reader.h"
#include "sheaf/extend/config.h"
#include "sheaf/extend/format.h"
#include "sheaf/spec.h"
#include "sheaf/types.h"

namespace sheaf::internal {

/// What is understood of a section so far.
struct ReaderPlan {
  std::vector<FilesSpec> data = {};
  std::vector<std::string> repeated = {};      // streams that are repeated for each frame
  std::vector<TransformSpec> transforms = {};  // after the repeating
  std::vector<std::string> dropped = {};       // streams that transforms read, and nobody else
  bool has_image_chunks = false;  // whether each chunk of the last data set is an image
  // Of truncated sequences: whether a piece has as many samples as a minibatch is large, and the
  // setting of how many utterances are side by side.
  bool has_pieces_of_minibatch_size = false;
  std::optional<ConfigValue> parallel_utterances = {};
  bool has_utterances = false;  // whether any data set is speech: read by frames
  MissingSequences missing = MissingSequences::drop;
  ReadSpec read = {.order = {}, .packing = Layout::packed};
  std::vector<IgnoredSetting> ignored = {};
};

/// What a reader says for all its deserializers; `compatibility` and `missing_streams` where they
/// do not say it themselves.
struct ReaderWideOptions {
  ElementType dtype = ElementType::f32;
  std::optional<KeyType> keys = {};
  Compatibility compatibility = Compatibility::strict;
  MissingStreams missing_streams = MissingStreams::error;
  std::optional<ConfigValue> frames = {};     // the setting that asks for single frames
  std::optional<ConfigValue> truncated = {};  // the setting that asks for truncated sequences
};

/// Returns the format of a stand-alone reader by its `readerType`, or of a deserializer by its
/// `type`.
///
/// Throws: ConfigTextError for one that is not built yet, or not known.
/// Lifetime: that of `formats`.
[[nodiscard]] const Format& format_of_reader(const ConfigValue& reader_type,
                                             std::span<const Format> formats);
[[nodiscard]] const Format& format_of_deserializer(const ConfigSection& deserializer,
                                                   std::span<const Format> formats);

/// Returns what people call a format: "CTF".
[[nodiscard]] std::string title_of(const Format& format);

/// Understand what a section says of files. Adds to `plan`: data, read.max_errors, ignored.
///
/// Pre:    CNTK has the format.
/// Throws: ConfigTextError.
void add_files(const ConfigSection& section, const Format& format, const ReaderWideOptions& wide,
               ReaderPlan& plan);

/// Reads settings of a section as fields of a spec, by the table of the format.
///
/// Throws: ConfigTextError.
void read_settings(const ConfigSection& section, std::span<const CntkSetting> settings,
                   FilesSpec& files, ReaderPlan& plan);

/// These settings of a section, or of those around it.
///
/// Throws: ConfigTextError.
[[nodiscard]] Compatibility compatibility_of(const ConfigSection& section, Compatibility otherwise);
[[nodiscard]] MissingStreams missing_streams_of(const ConfigSection& section,
                                                MissingStreams otherwise);

/// A number of errors that is tolerated; -1 is any.
///
/// Throws: ConfigTextError.
[[nodiscard]] std::int64_t max_errors_of(const ConfigValue& value);

/// Tolerate so many errors more.
void add_tolerated(std::int64_t count, ReaderPlan& plan);

/// Note a setting, where it is there, as one that changes nothing.
void ignore(const ConfigSection& section, std::string_view key, std::string_view reason,
            ReaderPlan& plan);

}  // namespace sheaf::internal
