// Parses lines of a manifest.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/listed/list_scan.h"
#include "format/manifest/manifest_fields.h"

namespace sheaf::manifest {

/// The kind of a line: an utterance of NeMo, or a cut of lhotse.
enum class LineKind : std::uint8_t { nemo, cut };

/// The data that a line names besides its texts.
enum class Samples : std::uint8_t { none, audio, features };

/// The rules for reading lines.
struct LineRules {
  LineKind kind = LineKind::nemo;
  Samples samples = Samples::audio;
  std::string key_field = {};  // if empty, the id of a cut, or the path of an utterance of NeMo
  std::vector<std::string> text_fields = {};  // of the text streams
  bool allows_missing_texts = false;
};

/// The part of a file that a line names, in seconds of the file.
struct TimePart {
  double begin = 0;
  std::optional<double> duration = {};  // nothing: to the end of the file

  // For features. Sample rate and frame shift are positive.
  double frame_shift = 0;  // in seconds
  double rate = 0;         // of the recording
};

/// The contents of one line. Only members that the rules ask for are set.
struct ManifestLine {
  std::optional<LineFault> fault = {};
  LineKind kind = LineKind::nemo;
  std::string key = {};
  std::string path = {};
  std::optional<std::int64_t> object_begin = {};  // offset of an object of Kaldi in the file
  TimePart part = {};
  std::optional<std::int64_t> channel = {};  // the only one to take; nothing means all
  std::vector<std::optional<std::string>> texts = {};

  // The bytes of the path and of the part, for messages.
  LineRange path_location = {};
  LineRange part_location = {};
};

/// The kinds of data in a line, for a manifest with undeclared streams.
struct LineContents {
  LineKind kind = LineKind::nemo;
  bool has_features = false;
  bool has_text = false;
  std::optional<LineFault> fault = {};
};

/// Returns the kinds of data in a line.
///
/// Errors: no JSON object, or one that is neither an utterance of NeMo nor a cut of lhotse.
[[nodiscard]] LineContents contents_of(std::string_view line);

/// Parses a line, without its LF. Checks texts, and stores them if `keeps_texts`.
///
/// Errors: as contents_of(); a line of another kind than the rules expect; fields that are missing,
///         or of a wrong type; data that sheaf cannot read, such as shards and storages of other
///         programs.
/// Source: docs/formats/manifest.md.
[[nodiscard]] ManifestLine parse_line(std::string_view line, const LineRules& rules,
                                      bool keeps_texts);

/// Parses lines for internal::ListScan.
class ManifestLines {
 public:
  using ScannedLine = internal::ScannedLine;

  /// Lifetime: `rules` must outlive the ManifestLines.
  explicit ManifestLines(const LineRules& rules) : rules_(rules) {}

  [[nodiscard]] static bool has_plain() { return false; }
  [[nodiscard]] static ScannedLine parse_plain(const char* /*line*/) { return {}; }
  [[nodiscard]] static bool is_blank(std::string_view line) noexcept;

  /// The count is the number of texts if only texts are read. Otherwise it is unknown.
  [[nodiscard]] ScannedLine parse(std::string_view line);

 private:
  const LineRules& rules_;
  ManifestLine line_;
};

}  // namespace sheaf::manifest
