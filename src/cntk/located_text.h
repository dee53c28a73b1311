// Text that knows where each byte was written.
//
// Parsed text is rarely one unchanged file. Comments are removed, files and words are concatenated,
// names are replaced, and sections are merged. A LocatedText consists of pieces that remember their
// origins.

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

/// A source of text: a file, or a word of a command line.
struct ConfigSource {
  std::string path;
  std::string text;
  std::int64_t first_line = 1;  // of a word: its number
  std::vector<std::size_t> line_begins = {};

  [[nodiscard]] bool is_word() const noexcept { return path == kWordsPath; }

  static constexpr std::string_view kWordsPath = "<words>";
};

/// The location at which a byte was written.
struct Origin {
  static constexpr std::int32_t kNone = -1;

  std::int32_t source = kNone;
  std::size_t offset = 0;
  std::int32_t use = kNone;  // index in Sources::uses_ of the name that the byte replaces

  friend bool operator==(const Origin&, const Origin&) = default;
};

/// A `$name$` that was replaced.
struct NameUse {
  Origin origin;
  std::string name;
};

class LocatedText {
 public:
  [[nodiscard]] std::string_view view() const noexcept { return bytes_; }

  /// Returns the number of pieces.
  [[nodiscard]] std::size_t piece_count() const noexcept { return pieces_.size(); }

  /// Appends text that was written at `origin` and behind it.
  void append(std::string_view bytes, Origin origin);

  /// Appends a part of another text. `use` is the name that the part replaces, or Origin::kNone.
  void append(const LocatedText& other, std::size_t begin, std::size_t end,
              std::int32_t use = Origin::kNone);

  /// Appends text that was not written anywhere. Its origin is that of the text before it.
  void append_unplaced(std::string_view bytes) { bytes_ += bytes; }

  /// Returns the origin of the byte at `offset`, or of the byte behind the last one.
  [[nodiscard]] Origin origin(std::size_t offset) const;

 private:
  struct Piece {
    std::size_t begin = 0;
    Origin origin = {};

    /// Returns the origin of the byte at `offset` of the text.
    [[nodiscard]] Origin origin_at(std::size_t offset) const {
      return {.source = origin.source, .offset = origin.offset + offset - begin, .use = origin.use};
    }
  };

  std::string bytes_;
  std::vector<Piece> pieces_;
};

/// A part of a text. It keeps the text alive.
struct TextSlice {
  std::shared_ptr<const LocatedText> text = std::make_shared<const LocatedText>();
  std::size_t begin = 0;
  std::size_t end = 0;

  [[nodiscard]] std::string_view view() const noexcept {
    return text->view().substr(begin, end - begin);
  }
  [[nodiscard]] std::size_t size() const noexcept { return end - begin; }
  [[nodiscard]] bool empty() const noexcept { return begin == end; }

  /// Returns a part of this slice. Offsets count from its beginning.
  [[nodiscard]] TextSlice part(std::size_t from, std::size_t to) const {
    return {text, begin + from, begin + to};
  }

  [[nodiscard]] Origin origin() const { return text->origin(begin); }
};

/// Returns `text` without blanks and tabs at its ends.
[[nodiscard]] TextSlice trimmed(const TextSlice& text);

/// All texts that were read, and all names that were replaced.
class Sources {
 public:
  /// Returns the number of the new source.
  std::int32_t add(std::string path, std::string text, std::int64_t first_line = 1);

  [[nodiscard]] const ConfigSource& operator[](std::int32_t source) const {
    return sources_[static_cast<std::size_t>(source)];
  }

  std::int32_t add_use(NameUse use);

  [[nodiscard]] ConfigLocation location(Origin origin) const;

  /// Returns a diagnostic about `size` bytes at `origin`, with their line. If the bytes replace a
  /// name, the hint says which.
  [[nodiscard]] Diagnostic diagnostic(Origin origin, std::size_t size, std::string_view code,
                                      std::string_view expected, std::string_view found,
                                      std::string_view hint) const;

 private:
  std::vector<ConfigSource> sources_;
  std::vector<NameUse> uses_;
};

/// Returns "FILE:LINE:COLUMN".
[[nodiscard]] std::string location_text(const ConfigLocation& location);

}  // namespace sheaf::internal
