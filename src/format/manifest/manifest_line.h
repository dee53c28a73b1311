// Lines of a manifest.

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

/// What a line is: an utterance of NeMo, or a cut of lhotse.
enum class LineKind : std::uint8_t { nemo, cut };

/// What a line names that is read besides its texts.
enum class Samples : std::uint8_t { none, audio, features };

/// What is wanted of lines.
struct LineRules {
  LineKind kind = LineKind::nemo;
  Samples samples = Samples::audio;
  std::string key_field = {};  // empty: the id of a cut, the path of an utterance of NeMo
  std::vector<std::string> text_fields = {};  // of the streams of texts
  bool allows_missing_texts = false;
};

/// The part of a file that a line names, in seconds of the file.
struct TimePart {
  double begin = 0;
  std::optional<double> duration = {};  // nothing: to the end of the file

  // Of features. Sample rate and frame shift are above 0.
  double frame_shift = 0;  // in seconds
  double rate = 0;         // of the recording
};

/// What one line says. Only what the rules want is set.
struct ManifestLine {
  std::optional<LineFault> fault = {};
  LineKind kind = LineKind::nemo;
  std::string key = {};
  std::string path = {};
  std::optional<std::int64_t> object_begin = {};  // of an object of Kaldi in the file
  TimePart part = {};
  std::optional<std::int64_t> channel = {};  // of the file, that is taken alone; nothing: all
  std::vector<std::optional<std::string>> texts = {};

  // Where the path and the part stand, for messages.
  LinePlace path_place = {};
  LinePlace part_place = {};
};

/// What a line has, for a manifest whose streams nobody declared.
struct LineContents {
  LineKind kind = LineKind::nemo;
  bool has_features = false;
  bool has_text = false;
  std::optional<LineFault> fault = {};
};

/// Tells what a line is.
///
/// Errors: no JSON object, or one that is neither an utterance of NeMo nor a cut of lhotse.
[[nodiscard]] LineContents contents_of(std::string_view line);

/// Parses a line, without its LF. Texts are checked, and kept where `keeps_texts` says so.
///
/// Errors: as contents_of(); a line of another kind than the rules say; fields that are missing, or
///         of a wrong type; what sheaf does not read, such as shards and storages of other
///         programs.
/// Source: docs/formats/manifest.md.
[[nodiscard]] ManifestLine parse_line(std::string_view line, const LineRules& rules,
                                      bool keeps_texts);

/// Parses lines for internal::ListScan.
class ManifestLines {
 public:
  using ScannedLine = internal::ScannedLine;

  /// Lifetime: `rules` must outlive the object.
  explicit ManifestLines(const LineRules& rules) : rules_(rules) {}

  [[nodiscard]] static bool has_plain() { return false; }
  [[nodiscard]] static ScannedLine parse_plain(const char* /*line*/) { return {}; }
  [[nodiscard]] static bool is_blank(std::string_view line) noexcept;

  /// The count is that of the texts, where nothing else is read; else it is unknown.
  [[nodiscard]] ScannedLine parse(std::string_view line);

 private:
  const LineRules& rules_;
  ManifestLine line_;
};

}  // namespace sheaf::manifest
