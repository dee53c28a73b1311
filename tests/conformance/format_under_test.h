/// \file
/// What the conformance suite needs to know of a format: options worth trying, files to read, and
/// a slow parser that says what is in them.

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

/// One sample, with nothing left implicit.
struct ReferenceSample {
  std::vector<std::int64_t> extents;  // of streams of variable shape
  std::vector<std::int64_t> indices;  // of sparse streams; one for each value
  std::vector<std::uint64_t> values;  // the bits of each value, so that -0 is not 0

  friend bool operator==(const ReferenceSample&, const ReferenceSample&) = default;
};

/// What one stream has of one sequence.
struct ReferenceStream {
  bool is_present = true;
  std::vector<ReferenceSample> samples;

  friend bool operator==(const ReferenceStream&, const ReferenceStream&) = default;
};

/// One sequence of the file, delivered or not.
struct ReferenceSequence {
  SequenceKey key;
  std::string key_text;                  // where keys are texts
  std::int64_t first_line = 0;           // in the file, from 1; 0 where the format has no lines
  std::int64_t sample_count = 0;         // as the index has it
  bool is_hole = false;                  // it has a wrong place: its streams are empty
  std::vector<ReferenceStream> streams;  // in the order of the options

  friend bool operator==(const ReferenceSequence&, const ReferenceSequence&) = default;
};

/// One wrong place, or one worth a warning.
struct ReferenceDiagnostic {
  std::int64_t sequence = 0;  // number of its sequence in the file, from 0
  std::int64_t byte_offset = 0;
  std::int64_t line = 0;
  std::int64_t column = 0;
  std::string sequence_key;
  std::string stream;
  std::string code;
  Severity severity = Severity::error;

  /// Whether it is an error, fatal or not.
  [[nodiscard]] bool counts() const noexcept { return severity != Severity::warning; }

  friend auto operator<=>(const ReferenceDiagnostic&, const ReferenceDiagnostic&) = default;
};

/// All of a file. The fast path is brought into the same form (read_all), so the two are compared
/// by ==.
struct ReferenceResult {
  std::optional<ReferenceDiagnostic> fatal;  // a DataError of the whole file; then nothing else
  std::vector<ReferenceSequence> sequences;
  std::vector<ReferenceDiagnostic> diagnostics;  // errors and warnings, sorted
  bool is_forged = false;  // with a hash that holds over what is not so: any DataError will do

  /// The diagnostics that are errors.
  [[nodiscard]] std::int64_t error_count() const;

  friend bool operator==(const ReferenceResult&, const ReferenceResult&) = default;
};

/// Readable forms, for the messages of tests.
[[nodiscard]] std::string to_string(const ReferenceResult& result);
void PrintTo(const ReferenceResult& result, std::ostream* out);

/// Letters, and how long the strings over them are that the oracle law tries: all of them.
struct Alphabet {
  std::vector<std::string> letters;  // bytes, or longer pieces to get further into a grammar
  int length_max = 6;
};

/// Options to open with, and what to try under them.
struct OptionSet {
  std::string name;  // a word, for test names
  FormatOptions options;
  std::vector<Alphabet> alphabets;
  std::uint64_t one_in = 1;  // one in so many random files is tried: for a slow oracle
};

/// Options to write with, and those to read the file with.
struct WritingOptions {
  std::map<std::string, std::string> write = {};
  std::map<std::string, std::string> read = {};
};

/// One format. Its functions are pure.
struct FormatUnderTest {
  std::string name;  // of the Format
  std::vector<OptionSet> option_sets;

  /// A file of some hundred bytes that differs with the seed: mostly well-formed, sometimes broken
  /// in a way that people break files.
  std::string (*generate)(std::uint64_t seed, const FormatOptions& options);

  /// The slowest parser that is surely right.
  ReferenceResult (*reference)(std::string_view bytes, const FormatOptions& options);

  /// Whether chunks and lengths of sequences are stored in the file: then the options do not cut it
  /// into chunks, and lengths need not be those of any stream.
  bool stores_index = false;

  /// Where the bytes end that are read after opening a file; null: with the file.
  std::int64_t (*data_end)(std::string_view bytes) = nullptr;

  /// Where a file has several files of another format inside: that one. Diagnostics have its codes,
  /// and chunks are made of its chunks, whatever size that gives.
  std::string inner_format = {};

  /// Where the format can be written: options worth trying.
  std::vector<WritingOptions> writing_options = {{}};

  /// Whether keys are always read as texts, whatever FormatOptions::keys says.
  bool has_text_keys = false;

  /// Whether the format can hold enough of the streams that the laws of serializers make up. Where
  /// it cannot, its own tests write, and read again.
  bool holds_any_streams = true;

  /// Whether files tell a stream without samples from one that is absent.
  bool keeps_empty_streams = false;

  /// Whether files keep the order of the entries of a sample, where others order them by index.
  bool keeps_entry_order = false;

  /// Whether a file is one sequence. Random files then deliver one each, or none, and a reader may
  /// have read everything before anybody waits.
  bool has_one_sequence = false;
};

/// Every format of the library, and the toys. Written by tests/CMakeLists.txt.
[[nodiscard]] std::span<const FormatUnderTest> formats_under_test();

/// The Format of that name, of the library or a toy.
[[nodiscard]] const Format& format_named(std::string_view name);

/// Random choices for generators: the same on every platform.
class Choices {
 public:
  explicit Choices(std::uint64_t seed) : state_(seed) {}

  /// Uniform in 0 .. count-1.
  ///
  /// Pre: count > 0.
  std::int64_t below(std::int64_t count);

  /// True once in `count` times.
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
