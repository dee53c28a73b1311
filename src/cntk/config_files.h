// The deserializers of a reader section: which files they read, and how.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sheaf/config.h"
#include "sheaf/config_reader.h"
#include "sheaf/spec.h"
#include "sheaf/types.h"

namespace sheaf::internal {

/// What is understood of a section so far.
struct ReaderPlan {
  std::vector<FilesSpec> data = {};
  MissingSequences missing = MissingSequences::drop;
  ReadSpec read = {.order = {}, .packing = Layout::packed};
  std::vector<IgnoredSetting> ignored = {};
};

/// What a reader says for all its deserializers; the last two where they do not say it themselves.
struct ReaderWideOptions {
  ElementType element_type = ElementType::f32;
  KeyType keys = KeyType::numeric;
  Compatibility compatibility = Compatibility::strict;
  MissingStreams missing_streams = MissingStreams::error;
};

/// The kinds of deserializers that there are, CNTK's names for them, and which are built.
enum class DeserializerKind : std::uint8_t { text, binary };

/// The kind of a stand-alone reader by its `readerType`, or of a deserializer by its `type`.
///
/// Throws: ConfigTextError for one that is not built yet, or not known.
[[nodiscard]] DeserializerKind kind_of_reader(const ConfigValue& reader_type);
[[nodiscard]] DeserializerKind kind_of_deserializer(const ConfigSection& deserializer);

/// Understand what a section says of files. Adds to `plan`: data, read.max_errors, ignored.
///
/// Throws: ConfigTextError.
void add_files(const ConfigSection& section, DeserializerKind kind, const ReaderWideOptions& wide,
               ReaderPlan& plan);

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
