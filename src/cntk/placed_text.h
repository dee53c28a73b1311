// Text that knows where each byte of it was written.
//
// What is parsed is rarely one file as it is: comments are left out, files and words follow each
// other, names are replaced, sections merged. A PlacedText is made of pieces that remember.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/config.h"

namespace sheaf::internal {

/// What was read: a file, or a word of a command line.
struct ConfigSource {
  std::string path;
  std::string text;
  std::int64_t first_line = 1;  // of a word, its number
  std::vector<std::size_t> line_begins = {};

  [[nodiscard]] bool is_word() const noexcept { return path == kWordsPath; }

  static constexpr std::string_view kWordsPath = "<words>";
};

/// Where a byte was written.
struct Origin {
  static constexpr std::int32_t kNone = -1;

  std::int32_t source = kNone;
  std::size_t offset = 0;
  std::int32_t use = kNone;  // of the name that it stands for: in Sources::uses

  friend bool operator==(const Origin&, const Origin&) = default;
};

/// A `$name$` that was replaced.
struct NameUse {
  Origin origin;
  std::string name;
};

class PlacedText {
 public:
  [[nodiscard]] std::string_view view() const noexcept { return bytes_; }

  /// In how many places what there is was written.
  [[nodiscard]] std::size_t piece_count() const noexcept { return pieces_.size(); }

  /// Append what was written at `origin` and behind it.
  void append(std::string_view bytes, Origin origin);

  /// Append a part of another text; `use` is the name it stands for, or Origin::kNone.
  void append(const PlacedText& other, std::size_t begin, std::size_t end,
              std::int32_t use = Origin::kNone);

  /// Append what was written nowhere: it counts as standing at what is in front of it.
  void append_unplaced(std::string_view bytes) { bytes_ += bytes; }

  /// Where the byte at `offset` was written, or the one behind the last.
  [[nodiscard]] Origin origin(std::size_t offset) const;

 private:
  struct Piece {
    std::size_t begin = 0;
    Origin origin = {};

    /// Of the byte at `offset` of the text.
    [[nodiscard]] Origin origin_at(std::size_t offset) const {
      return {.source = origin.source, .offset = origin.offset + offset - begin, .use = origin.use};
    }
  };

  std::string bytes_;
  std::vector<Piece> pieces_;
};

/// A part of a text, which it keeps alive.
struct TextSlice {
  std::shared_ptr<const PlacedText> text = std::make_shared<const PlacedText>();
  std::size_t begin = 0;
  std::size_t end = 0;

  [[nodiscard]] std::string_view view() const noexcept {
    return text->view().substr(begin, end - begin);
  }
  [[nodiscard]] std::size_t size() const noexcept { return end - begin; }
  [[nodiscard]] bool empty() const noexcept { return begin == end; }

  /// A part of it; offsets count from its begin.
  [[nodiscard]] TextSlice part(std::size_t from, std::size_t to) const {
    return {text, begin + from, begin + to};
  }

  [[nodiscard]] Origin origin() const { return text->origin(begin); }
};

/// What `text` is without blanks and tabs at its ends.
[[nodiscard]] TextSlice trimmed(const TextSlice& text);

/// All that was read, and the names that were replaced.
class Sources {
 public:
  /// Returns its number.
  std::int32_t add(std::string path, std::string text, std::int64_t first_line = 1);

  [[nodiscard]] const ConfigSource& operator[](std::int32_t source) const {
    return sources_[static_cast<std::size_t>(source)];
  }

  std::int32_t add_use(NameUse use);

  [[nodiscard]] ConfigPlace place(Origin origin) const;

  /// A diagnostic about `size` bytes at a place, with the line that they stand in. The name that
  /// they stand for is told in the hint.
  [[nodiscard]] Diagnostic diagnostic(Origin origin, std::size_t size, std::string_view code,
                                      std::string_view expected, std::string_view found,
                                      std::string_view hint) const;

 private:
  std::vector<ConfigSource> sources_;
  std::vector<NameUse> uses_;
};

/// "FILE:LINE:COLUMN".
[[nodiscard]] std::string place_text(const ConfigPlace& place);

}  // namespace sheaf::internal
