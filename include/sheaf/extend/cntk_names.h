/// \file
/// How CNTK called a format and the format's settings.

#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

namespace sheaf {

/// A setting of a section or dictionary in which CNTK describes files, and what the setting means.
struct CntkSetting {
  /// What the value is. `truth`: true or false. `whole`: a whole number from `min` to `max`.
  /// `errors`: a number of tolerated errors, added to those of the run; -1 stands for any number.
  /// `ignored`: anything, without effect.
  enum class Kind : std::uint8_t { truth, whole, errors, ignored };

  std::string_view name;  // CNTK's: "chunkSizeInBytes"
  Kind kind = Kind::ignored;

  /// What a spec has beside `files` for `truth` and `whole`: "chunk_size" (docs/spec.md).
  std::string_view option = {};

  /// The words of the option for `truth`, where the option is not a truth itself.
  std::string_view if_true = {};
  std::string_view if_false = {};

  std::int64_t min = 0;
  std::int64_t max = std::numeric_limits<std::int64_t>::max();

  /// Why the setting changes nothing, for `ignored`.
  std::string_view reason = {};
};

/// CNTK's names for one format. Plain data.
struct CntkNames {
  std::span<const std::string_view> readers;        // values of `readerType`
  std::span<const std::string_view> modules;        // values of `module`, taken for readers, too
  std::span<const std::string_view> deserializers;  // values of `type`

  /// Whether `input` must declare each stream with its format and dim. Else `input` renames
  /// streams, and all streams of the file are read.
  bool declares_streams = true;

  /// Whether each deserializer may choose between strict reading and CNTK's leniencies. Else files
  /// are read as CNTK read them.
  bool has_strict = true;

  std::span<const CntkSetting> settings = {};

  /// Returns whether `chunkSizeInBytes` says how the files are cut into chunks.
  [[nodiscard]] constexpr bool cuts_chunks() const noexcept {
    for (const CntkSetting& setting : settings) {
      if (setting.option == "chunk_size") return true;
    }
    return false;
  }
};

}  // namespace sheaf
