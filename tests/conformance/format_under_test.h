/// \file
/// Describes a format to the conformance suite: options worth trying, a generator of files, and a
/// reference parser.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/format.h"
#include "sheaf/types.h"

namespace sheaf::conformance {

/// One sample, with all fields explicit.
struct ReferenceSample {
  std::vector<std::int64_t> extents;  // only if the shape varies
  std::vector<std::int64_t> indices;  // only of sparse streams: one for each value
  std::vector<std::uint64_t> values;  // the bits of each value, which tell -0 from 0

  friend bool operator==(const ReferenceSample&, const ReferenceSample&) = default;
};

/// One stream of one sequence.
struct ReferenceStream {
  bool is_present = true;
  std::vector<ReferenceSample> samples;

  friend bool operator==(const ReferenceStream&, const ReferenceStream&) = default;
};

/// One sequence of the file, delivered or not.
struct ReferenceSequence {
  SequenceKey key;
  std::string key_text;                  // only if keys are texts
  std::int64_t first_line = 0;           // in the file, from 1; 0 if the format has no lines
  std::int64_t sample_count = 0;         // as in the index
  bool is_hole = false;                  // the sequence has an error; its streams are empty
  std::vector<ReferenceStream> streams;  // in the order of the options

  friend bool operator==(const ReferenceSequence&, const ReferenceSequence&) = default;
};

/// One error or warning.
struct ReferenceDiagnostic {
  std::int64_t sequence = 0;  // the number of its sequence in the file, from 0
  std::int64_t byte_offset = 0;
  std::int64_t line = 0;
  std::int64_t column = 0;
  std::string sequence_key;
  std::string stream;
  std::string code;
  Severity severity = Severity::error;

  /// Returns true for an error, fatal or not.
  [[nodiscard]] bool counts() const noexcept { return severity != Severity::warning; }

  friend auto operator<=>(const ReferenceDiagnostic&, const ReferenceDiagnostic&) = default;
};

/// A whole file. read_all() brings the result of the fast path into the same form, so == compares
/// the two.
struct ReferenceResult {
  std::optional<ReferenceDiagnostic> fatal;  // the DataError that refuses the file; then all else
                                             // is empty
  std::vector<ReferenceSequence> sequences;
  std::vector<ReferenceDiagnostic> diagnostics;  // errors and warnings, sorted
  bool is_forged = false;  // a stored hash fits damaged content; any DataError is right

  /// Returns the number of diagnostics that are errors.
  [[nodiscard]] std::int64_t error_count() const;

  friend bool operator==(const ReferenceResult&, const ReferenceResult&) = default;
};

/// Return readable text for the messages of tests.
[[nodiscard]] std::string to_string(const ReferenceResult& result);
void PrintTo(const ReferenceResult& result, std::ostream* out);

/// The oracle law tries all strings over these letters, up to the given length.
struct Alphabet {
  std::vector<std::string> letters;  // single bytes, or longer tokens that get further into a
                                     // grammar
  int length_max = 6;
};

/// Options to open files with.
struct OptionSet {
  std::string name;  // one word, for the names of tests
  FormatOptions options;
  std::vector<Alphabet> alphabets;
  std::uint64_t one_in = 1;  // tries one of so many random files, for a slow reference
};

/// Options for writing a file, and options for reading it.
struct WritingOptions {
  std::map<std::string, std::string> write = {};
  std::map<std::string, std::string> read = {};
};

/// One format. All functions are pure.
struct FormatUnderTest {
  std::string name;  // the name of the Format
  std::vector<OptionSet> option_sets;

  /// Returns a file of some hundred bytes that depends on the seed. Most files are well-formed.
  /// Some are broken in the ways in which people break files.
  std::string (*generate)(std::uint64_t seed, const FormatOptions& options);

  /// The reference parser: slow, and simple enough to be right.
  ReferenceResult (*reference)(std::string_view bytes, const FormatOptions& options);

  /// Whether the file stores chunks and the lengths of sequences. If so, the options do not choose
  /// the chunks, and the lengths may differ from those of every stream.
  bool stores_index = false;

  /// Returns the end of the bytes that are read after the file is opened. Null means the end of the
  /// file.
  std::int64_t (*data_end)(std::string_view bytes) = nullptr;

  /// The name of the inner format if a file contains several files of another format. Diagnostics
  /// have the codes of the inner format, and chunks consist of its chunks, whatever their size.
  std::string inner_format = {};

  /// Options worth trying if the format can be written.
  std::vector<WritingOptions> writing_options = {{}};

  /// Whether keys are always read as texts, regardless of FormatOptions::keys.
  bool has_text_keys = false;

  /// Whether the format can hold most streams that the laws of serializers make up. The other
  /// formats have write-and-read tests of their own.
  bool holds_any_streams = true;

  /// Whether a file distinguishes an empty stream from an absent one.
  bool keeps_empty_streams = false;

  /// Whether a file keeps the order of the entries of a sample. Other formats sort entries by
  /// index.
  bool keeps_entry_order = false;

  /// Whether a file is one sequence. A random file then delivers one sequence or none, and a reader
  /// may have read everything before anybody waits.
  bool has_one_sequence = false;
};

/// Returns every format of the library and all toys. Defined by tests/CMakeLists.txt.
[[nodiscard]] std::span<const FormatUnderTest> formats_under_test();

/// Returns the Format with this name, of the library or a toy.
[[nodiscard]] const Format& format_named(std::string_view name);

/// Random choices for generators, equal on every platform.
class Choices {
 public:
  explicit Choices(std::uint64_t seed) : state_(seed) {}

  /// Returns a uniform number from 0 to count - 1.
  ///
  /// Pre: count > 0.
  std::int64_t below(std::int64_t count);

  /// Returns true once in `count` times.
  bool once_in(std::int64_t count) { return below(count) == 0; }

  template <typename T>
  const T& pick(std::span<const T> from) {
    return from[static_cast<std::size_t>(below(static_cast<std::int64_t>(from.size())))];
  }
  std::string_view pick(std::initializer_list<std::string_view> from) {
    return from.begin()[static_cast<std::size_t>(below(static_cast<std::int64_t>(from.size())))];
  }

 private:
  std::uint64_t state_;
};

}  // namespace sheaf::conformance
