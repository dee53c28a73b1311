/// \file
/// Reads cases: tests as data files. tests/cases/README.md describes them.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/format.h"

#include "conformance/format_under_test.h"

namespace sheaf::conformance {

struct CaseFile {
  FormatOptions options;
  std::string input;
  std::vector<std::string> expect;
  std::vector<std::string> diagnostics;
  bool has_warnings = false;  // otherwise any warnings are allowed
  std::vector<std::string> warnings;
  std::vector<std::string> data_error;
  std::vector<std::string> config_error;

  /// Throws: std::runtime_error that names the line.
  [[nodiscard]] static CaseFile parse(std::string_view text);
};

/// Returns one line of the section `expect`.
[[nodiscard]] std::string expect_line(const ReferenceSequence& sequence,
                                      const std::vector<StreamOptions>& streams);

/// Returns one line of the sections `diagnostics` and `warnings`.
[[nodiscard]] std::string diagnostic_line(const Diagnostic& diagnostic);

/// Returns the bytes of a text with escapes.
///
/// Throws: std::runtime_error for an unknown escape.
[[nodiscard]] std::string unescaped(std::string_view text);

}  // namespace sheaf::conformance
