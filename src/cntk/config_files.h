// Finds out which files the deserializers of a reader section read, and how.

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

/// The result of reading a section so far.
struct ReaderPlan {
  std::vector<FilesSpec> data = {};
  std::vector<std::string> repeated = {};      // streams that are repeated for each frame
  std::vector<TransformSpec> transforms = {};  // applied after the repetition
  std::vector<std::string> dropped = {};       // streams that only transforms read
  bool has_image_chunks = false;               // whether each image of the last data set is a chunk
  // For truncated sequences: whether a piece has minibatch_size samples, and the setting for the
  // number of parallel utterances.
  bool has_pieces_of_minibatch_size = false;
  std::optional<ConfigValue> parallel_utterances = {};
  bool has_utterances = false;  // whether any data set is speech, which is read frame by frame
  MissingSequences missing = MissingSequences::drop;
  ReadSpec read = {.order = {}, .packing = Layout::packed};
  std::vector<IgnoredSetting> ignored = {};
};

/// The options of a reader for all its deserializers. `compatibility` and `missing_streams` apply
/// to deserializers that do not set them.
struct ReaderWideOptions {
  ElementType dtype = ElementType::f32;
  std::optional<KeyType> keys = {};
  Compatibility compatibility = Compatibility::strict;
  MissingStreams missing_streams = MissingStreams::error;
  std::optional<ConfigValue> frames = {};     // setting that asks for single frames
  std::optional<ConfigValue> truncated = {};  // setting that asks for truncated sequences
};

/// Return the format of a stand-alone reader by its `readerType`, and of a deserializer by its
/// `type`.
///
/// Throws: ConfigTextError for a format that is unknown or not built yet.
/// Lifetime: that of `formats`.
[[nodiscard]] const Format& format_of_reader(const ConfigValue& reader_type,
                                             std::span<const Format> formats);
[[nodiscard]] const Format& format_of_deserializer(const ConfigSection& deserializer,
                                                   std::span<const Format> formats);

/// Returns the common name of a format, such as "CTF".
[[nodiscard]] std::string title_of(const Format& format);

/// Reads the files and their options from a section. Adds to `plan`: data, read.max_errors,
/// ignored.
///
/// Pre:    CNTK has the format.
/// Throws: ConfigTextError.
void add_files(const ConfigSection& section, const Format& format, const ReaderWideOptions& wide,
               ReaderPlan& plan);

/// Reads settings of a section into fields of a spec, by the table of the format.
///
/// Throws: ConfigTextError.
void read_settings(const ConfigSection& section, std::span<const CntkSetting> settings,
                   FilesSpec& files, ReaderPlan& plan);

/// Return a setting of a section, or of the sections around it, or `otherwise`.
///
/// Throws: ConfigTextError.
[[nodiscard]] Compatibility compatibility_of(const ConfigSection& section, Compatibility otherwise);
[[nodiscard]] MissingStreams missing_streams_of(const ConfigSection& section,
                                                MissingStreams otherwise);

/// Returns the number of tolerated errors. -1 means any number.
///
/// Throws: ConfigTextError.
[[nodiscard]] std::int64_t max_errors_of(const ConfigValue& value);

/// Adds `count` to the number of tolerated errors.
void add_tolerated(std::int64_t count, ReaderPlan& plan);

/// Records a setting, if it is present, as one without effect.
void ignore(const ConfigSection& section, std::string_view key, std::string_view reason,
            ReaderPlan& plan);

}  // namespace sheaf::internal
