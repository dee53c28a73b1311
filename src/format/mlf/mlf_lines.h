// The tokenizer of master label files. Indexing and reading both go through here, so they cannot
// disagree on what is an utterance, or on how long a range lasts.

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

/// What a line is.
enum class Line : std::uint8_t {
  none,   // blank, or a mark of the format between utterances
  name,   // begins an utterance
  range,  // of the utterance under way, or of one whose name is wrong
  end,    // of the utterance under way
  stray,  // ends an utterance where none is under way: one of its own, without a name
};

/// Returns a line without the blanks around it, and without a CR at its end.
[[nodiscard]] std::string_view trimmed(std::string_view line) noexcept;

/// Returns the key of a name. Returns nothing where keys are numbers and the name is not a number.
[[nodiscard]] std::optional<SequenceKey> key_of_name(std::string_view name, const Options& options);

/// Tells lines apart. A line that begins an utterance sets name().
class LineSplitter {
 public:
  /// Lifetime: `options` must outlive it.
  explicit LineSplitter(const Options& options) noexcept : options_(options) {}

  [[nodiscard]] Line next(const Row& row);

  /// Returns the line given last without the blanks around it.
  [[nodiscard]] const char* begin() const noexcept { return begin_; }
  [[nodiscard]] const char* end() const noexcept { return end_; }
  [[nodiscard]] std::string_view text() const noexcept {
    return {begin_, static_cast<std::size_t>(end_ - begin_)};
  }

  /// Whether an utterance is under way.
  [[nodiscard]] bool is_inside() const noexcept { return is_inside_; }

  /// Whether the utterance has a name. Else its key is the text of the line.
  [[nodiscard]] bool has_name() const noexcept { return has_name_; }

  /// Whether the name is a key: a number, where keys are numbers. Else key() says nothing.
  [[nodiscard]] bool has_key() const noexcept { return has_key_; }
  [[nodiscard]] const std::string& key_text() const noexcept { return key_text_; }
  [[nodiscard]] const SequenceKey& key() const noexcept { return key_; }

 private:
  void set_name();

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
  const ErrorKind* wrong = nullptr;  // null: the times are right
  const char* start_place = nullptr;
  const char* end_place = nullptr;
  const char* wrong_place = nullptr;
  const char* rest = nullptr;  // behind the times; null where they cannot be read
  std::int64_t first = 0;
  std::int64_t last = 0;
};

/// Reads the front of a range line without blanks around it.
[[nodiscard]] Times lex_times(const char* begin, const char* end, const Options& options) noexcept;

/// Returns where a column ends.
[[nodiscard]] const char* column_end(const char* p, const char* end) noexcept;

/// Returns the label of a range line, the column that names the state or the id, and what is
/// wrong with the number of columns.
struct Label {
  const ErrorKind* wrong = nullptr;
  const char* begin = nullptr;
  const char* end = nullptr;

  [[nodiscard]] std::string_view text() const noexcept {
    return {begin, static_cast<std::size_t>(end - begin)};
  }
};
[[nodiscard]] Label lex_label(const char* rest, const char* end, bool has_states) noexcept;

/// Returns the number of an id; -1 where the text is none.
[[nodiscard]] std::int64_t lex_id(std::string_view text) noexcept;

}  // namespace sheaf::mlf
