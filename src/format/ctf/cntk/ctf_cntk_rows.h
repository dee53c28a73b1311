// Rows of CTF as CNTK 2.x takes them apart: docs/formats/ctf.md, "Compatible with CNTK".

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sheaf/types.h"

#include "format/ctf/ctf_rows.h"

namespace sheaf::ctf {

/// A byte below 0x20 that parts nothing, or beyond ASCII: it ends names and samples, and is passed
/// over between them.
[[nodiscard]] constexpr bool is_cntk_control(char c) noexcept {
  const auto code = static_cast<unsigned char>(c);
  return (code < 0x20 && c != '\t') || code >= 0x80;
}

/// Whether a name or a value ends at `p`.
[[nodiscard]] constexpr bool ends_cntk_value(const char* p, const char* end) noexcept {
  return p == end || is_blank(*p) || *p == '|' || is_cntk_control(*p);
}

/// The end of a row, a CR before LF or the end included: it is a byte as any other.
[[nodiscard]] inline const char* cntk_row_end(const Row& row) noexcept {
  return *row.end == '\r' ? row.end + 1 : row.end;
}

/// What stands before the first item of a row.
struct CntkHead {
  bool is_row = true;   // false: digits up to the end of the file, which count for nothing
  bool begins = false;  // a sequence
  bool overflows = false;
  const char* items = nullptr;
};

/// Groups rows into sequences: a new one where an id in column 1 differs from the last.
class CntkGrouper {
 public:
  explicit CntkGrouper(KeyMode mode) noexcept : mode_(mode) {}

  /// Pre: `has_row_end` is whether LF ends the row.
  [[nodiscard]] CntkHead next(const Row& row, bool has_row_end);

  [[nodiscard]] const SequenceKey& key() const noexcept { return key_; }
  [[nodiscard]] const std::string& key_text() const noexcept { return key_text_; }

 private:
  KeyMode mode_;
  bool has_key_ = false;
  SequenceKey key_;
  std::string key_text_;
};

/// Whether a row names a stream: "|name" and then white space, "|", a control byte or the end.
[[nodiscard]] bool has_cntk_name(const Row& row, std::string_view name) noexcept;

}  // namespace sheaf::ctf
