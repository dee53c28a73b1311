// The tokenizer of master label files. Indexing and reading both use it, so they agree on
// utterances and on the lengths of ranges.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sheaf/types.h"

#include "format/mlf/mlf_errors.h"
#include "format/mlf/mlf_options.h"
#include "format/text/row_reader.h"

namespace sheaf::mlf {

using internal::Row;
using internal::RowReader;

/// The kind of a line.
enum class Line : std::uint8_t {
  none,   // blank, or a mark of the format between utterances
  name,   // begins an utterance
  range,  // a range of the current utterance, or of one whose name is wrong
  end,    // ends the current utterance
  stray,  // ends an utterance without a beginning, which counts as one without a name
};

/// Returns a line without the blanks around it, and without a CR at its end.
[[nodiscard]] std::string_view trimmed(std::string_view line) noexcept;

/// Returns the key of a name. Returns nothing if keys are numbers and the name is not a number.
[[nodiscard]] std::optional<SequenceKey> key_of_name(std::string_view name, const Options& options);

/// Classifies lines. A line that begins an utterance sets name().
class LineSplitter {
 public:
  /// Lifetime: `options` must outlive the splitter.
  explicit LineSplitter(const Options& options) noexcept : options_(options) {}

  [[nodiscard]] Line next(const Row& row);

  /// Return the last line, without the blanks around it.
  [[nodiscard]] const char* begin() const noexcept { return begin_; }
  [[nodiscard]] const char* end() const noexcept { return end_; }
  [[nodiscard]] std::string_view text() const noexcept {
    return {begin_, static_cast<std::size_t>(end_ - begin_)};
  }

  /// Returns whether an utterance has begun and not ended.
  [[nodiscard]] bool is_inside() const noexcept { return is_inside_; }

  /// Returns whether the utterance has a name. Otherwise its key is the text of the line.
  [[nodiscard]] bool has_name() const noexcept { return has_name_; }

  /// Returns whether the name is a key. If keys are numbers, it must be a number. Otherwise key()
  /// is meaningless.
  [[nodiscard]] bool has_key() const noexcept { return has_key_; }
  [[nodiscard]] const std::string& key_text() const noexcept { return key_text_; }
  [[nodiscard]] const SequenceKey& key() const noexcept { return key_; }

 private:
  void set_name(bool is_indented);

  const Options& options_;
  const char* begin_ = nullptr;
  const char* end_ = nullptr;
  bool is_inside_ = false;
  bool has_name_ = false;
  bool has_key_ = false;
  std::string key_text_;
  SequenceKey key_;
};

/// The times of a range line: frames [first, last).
struct Times {
  const ErrorKind* wrong = nullptr;  // null if the times are right
  const char* start_location = nullptr;
  const char* end_location = nullptr;
  const char* wrong_location = nullptr;
  const char* rest = nullptr;  // the text after the times; null if they cannot be parsed
  std::int64_t first = 0;
  std::int64_t last = 0;
};

/// Parses the front of a range line. The line has no blanks around it.
[[nodiscard]] Times lex_times(const char* begin, const char* end, const Options& options) noexcept;

/// Returns the end of a column.
[[nodiscard]] const char* column_end(const char* p, const char* end) noexcept;

/// The label of a range line: the column that names the state or the id, and the error if the
/// number of columns is wrong.
struct Label {
  const ErrorKind* wrong = nullptr;
  const char* begin = nullptr;
  const char* end = nullptr;

  [[nodiscard]] std::string_view text() const noexcept {
    return {begin, static_cast<std::size_t>(end - begin)};
  }
};
[[nodiscard]] Label lex_label(const char* rest, const char* end, bool has_states) noexcept;

/// Parses an id. Returns -1 if the text is not an id.
[[nodiscard]] std::int64_t lex_id(std::string_view text) noexcept;

}  // namespace sheaf::mlf
