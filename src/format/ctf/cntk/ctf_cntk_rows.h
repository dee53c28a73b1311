// Splits rows of CTF into tokens as CNTK 2.x does: docs/formats/ctf.md, "Compatible with CNTK".

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sheaf/types.h"

#include "format/ctf/ctf_rows.h"

namespace sheaf::ctf {

/// Returns whether a byte is below 0x20 and separates nothing, or lies beyond ASCII. Such a byte
/// ends names and samples, and is skipped between them.
[[nodiscard]] constexpr bool is_cntk_control(char c) noexcept {
  const auto code = static_cast<unsigned char>(c);
  return (code < 0x20 && c != '\t') || code >= 0x80;
}

/// Returns whether a name or a value ends at `p`.
[[nodiscard]] constexpr bool ends_cntk_value(const char* p, const char* end) noexcept {
  return p == end || is_blank(*p) || *p == '|' || is_cntk_control(*p);
}

/// Returns the end of a row, including a CR before the LF or before the end. CNTK treats that CR
/// like any other byte.
[[nodiscard]] inline const char* cntk_row_end(const Row& row) noexcept {
  return *row.end == '\r' ? row.end + 1 : row.end;
}

/// The beginning of a row, before its first item.
struct CntkHead {
  bool is_row = true;   // false: digits up to the end of the file, which do not count as a row
  bool begins = false;  // the row begins a sequence
  bool overflows = false;
  const char* items = nullptr;
};

/// Groups rows into sequences. A row begins a new sequence if its id in column 1 differs from the
/// last id.
class CntkGrouper {
 public:
  explicit CntkGrouper(KeyMode mode) noexcept : mode_(mode) {}

  /// Pre: `has_row_end` says whether LF ends the row.
  [[nodiscard]] CntkHead next(const Row& row, bool has_row_end);

  [[nodiscard]] const SequenceKey& key() const noexcept { return key_; }
  [[nodiscard]] const std::string& key_text() const noexcept { return key_text_; }

 private:
  KeyMode mode_;
  bool has_key_ = false;
  SequenceKey key_;
  std::string key_text_;
};

/// Returns whether a row names a stream. White space, "|", a control byte or the end follows
/// "|name".
[[nodiscard]] bool has_cntk_name(const Row& row, std::string_view name) noexcept;

}  // namespace sheaf::ctf
