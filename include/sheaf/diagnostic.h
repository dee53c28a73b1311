/// \file
/// Describes errors in data and their locations.
///
///     sheaf::Diagnostic diagnostic = {.path = "train.ctf",
///                                     .line = 3,
///                                     .column = 10,
///                                     .stream = "x",
///                                     .code = "ctf-number",
///                                     .expected = "a number",
///                                     .found = sheaf::quoted("1.2.3")};
///     set_excerpt(diagnostic, "318 |x 0.5 1.2.3", 11, 5);
///     std::cout << to_string(diagnostic) << '\n';

#pragma once

#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sheaf {

/// How bad a diagnostic is. `max_errors` never tolerates a `fatal` error. A `warning` does not
/// count against `max_errors`, and its sequence is delivered.
enum class Severity : std::uint8_t { error, warning, fatal };

/// One error in a file, or one warning about it. Tools read the fields; people read to_string().
struct Diagnostic {
  static constexpr std::int64_t kNoOffset = -1;

  Severity severity = Severity::error;
  std::string path = {};
  std::int64_t line = 0;          // from 1; 0 if the format has no lines
  std::int64_t column = 0;        // from 1, in bytes; 0 if the whole line is meant
  std::int64_t byte_offset = 0;   // from the start of the file, or kNoOffset
  std::string sequence_key = {};  // as written in the file; empty if unknown
  std::string stream = {};        // empty if no stream is concerned
  std::string code = {};          // stable, for searching: "ctf-number"
  std::string expected = {};      // "a number"
  std::string found = {};         // "\"1.2.3\""
  std::string hint = {};          // what to do about the error; often empty

  std::string excerpt = {};        // the text around the error: one line of printable UTF-8
  std::int64_t excerpt_begin = 0;  // where the error begins in the excerpt, in characters from 0
  std::int64_t excerpt_size = 0;   // how many characters to underline; may be 0

  // How many errors or warnings the diagnostic stands for. A summary stands for those without a
  // diagnostic of their own: for 0 if each of them has a diagnostic.
  std::int64_t count = 1;

  friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};

/// Returns the message without the location: `stream "features": expected a number, found "1.2.3"`.
/// Escapes unprintable characters of `found` as terminal_text() does, and also newlines and tabs.
[[nodiscard]] std::string message(const Diagnostic& diagnostic);

/// Returns a diagnostic in the form of a compiler's message. The first line has location, severity,
/// message and code. Then come the excerpt, with the error underlined, and the hint. The text does
/// not end with a newline. A diagnostic without a location names the sequence instead, with escapes
/// as in message().
///
///     train.ctf:1042:19: error: stream "features": expected a number, found "1.2.3" [ctf-number]
///       318 |features 0.5 1.2.3 0.9 |labels 1:1
///                         ^~~~~
[[nodiscard]] std::string to_string(const Diagnostic& diagnostic);

/// Quotes bytes of a file for a message: printable, in double quotes, and truncated after
/// `size_max` bytes.
[[nodiscard]] std::string quoted(std::string_view bytes, std::int64_t size_max = 40);

/// Returns bytes as text that is safe to print on a terminal. Control characters, and characters
/// that change the direction of writing, become escapes such as "\\u001b". A byte that is not UTF-8
/// becomes "\\xff". Newlines and tabs stay.
[[nodiscard]] std::string terminal_text(std::string_view bytes);

/// Sets the excerpt: the part of `line` around the `size` bytes at `begin`, made printable.
///
/// Pre: 0 <= begin <= line.size().
void set_excerpt(Diagnostic& diagnostic, std::string_view line, std::int64_t begin,
                 std::int64_t size);

/// Collects the errors and warnings of one range of a chunk, in the order of the sequences.
/// Programs that add a format fill a Diagnostics. Programs that read use Reader::diagnostics()
/// instead.
///
/// Memory stays bounded even if a file has errors everywhere. The first `kept_max` errors and the
/// first `kept_max` warnings are described in full. Later entries keep sequence, offset and
/// severity only. After kNotedMax entries, only the first error of each sequence is kept.
class Diagnostics {
 public:
  static constexpr std::int64_t kKeptMaxDefault = 100;
  static constexpr std::int64_t kNotedMax = std::int64_t{1} << 16;

  struct Entry {
    static constexpr std::int32_t kNotDescribed = -1;

    std::int64_t sequence = 0;                 // number of the sequence within the chunk
    std::int64_t byte_offset = 0;              // identifies the error
    std::int32_t description = kNotDescribed;  // element of described()
    Severity severity = Severity::error;

    /// Returns whether the entry is an error, fatal or not.
    [[nodiscard]] bool counts() const noexcept { return severity != Severity::warning; }
  };

  explicit Diagnostics(std::int64_t kept_max = kKeptMaxDefault) : kept_max_(kept_max) {}

  /// Returns whether add() ignores further errors and warnings of the last sequence that had an
  /// error.
  [[nodiscard]] bool is_full() const noexcept { return std::ssize(entries_) >= kNotedMax; }

  /// Returns whether the next diagnostic of this severity will be described. If not, the caller
  /// need not build its texts.
  [[nodiscard]] bool wants_text(Severity severity = Severity::error) const noexcept {
    return described_count(severity) < kept_max_;
  }

  /// Notes an error or warning of `sequence`, a number within the chunk. Drops it if there are
  /// enough.
  void add(std::int64_t sequence, Diagnostic diagnostic);

  /// Returns all errors and warnings that were noted, described or not.
  [[nodiscard]] std::span<const Entry> entries() const noexcept { return entries_; }

  /// Returns the number of errors.
  [[nodiscard]] std::int64_t error_count() const noexcept {
    return static_cast<std::int64_t>(entries_.size()) - warning_count_;
  }

  /// Returns the number of warnings.
  [[nodiscard]] std::int64_t warning_count() const noexcept { return warning_count_; }

  /// Returns the descriptions of the first errors and the first warnings, in the order of the
  /// entries.
  [[nodiscard]] std::span<const Diagnostic> described() const noexcept { return described_; }

  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }

  /// Returns roughly how much memory the entries take.
  [[nodiscard]] std::int64_t memory_bytes() const noexcept;

 private:
  [[nodiscard]] std::int64_t described_count(Severity severity) const noexcept {
    const bool is_warning = severity == Severity::warning;
    const auto all = static_cast<std::int64_t>(described_.size());
    return is_warning ? described_warnings_ : all - described_warnings_;
  }

  std::int64_t kept_max_;
  std::int64_t last_wrong_ = -1;  // sequence of the last error
  std::int64_t warning_count_ = 0;
  std::int64_t described_warnings_ = 0;
  std::vector<Entry> entries_;
  std::vector<Diagnostic> described_;
};

}  // namespace sheaf
