/// \file
/// The cases of the laws: every format with each of its option sets.

#pragma once

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "conformance/format_under_test.h"

namespace sheaf::conformance {

struct LawCase {
  FormatUnderTest format;
  OptionSet set;

  /// Returns the file of a seed.
  [[nodiscard]] std::string file(std::uint64_t seed) const {
    return format.generate(seed, set.options);
  }
  [[nodiscard]] ReferenceResult reference(std::string_view bytes) const {
    return format.reference(bytes, set.options);
  }
  [[nodiscard]] const Format& implementation() const { return format_named(format.name); }
};

inline void PrintTo(const LawCase& law_case, std::ostream* out) {
  *out << law_case.format.name << ", " << law_case.set.name;
}

inline std::vector<LawCase> law_cases() {
  std::vector<LawCase> cases;
  for (const FormatUnderTest& format : formats_under_test()) {
    for (const OptionSet& set : format.option_sets) cases.push_back({format, set});
  }
  return cases;
}

/// Base of the suites. SHEAF_LAWS(Suite) instantiates a suite with every case.
class Laws : public ::testing::TestWithParam<LawCase> {
 protected:
  /// Returns a random file that opens and can be read to its end. If the file of `seed` is refused,
  /// tries later seeds.
  [[nodiscard]] static std::string file_that_opens(std::uint64_t seed) {
    for (;; seed += 1'000'000) {
      std::string bytes = GetParam().file(seed);
      const ReferenceResult result = GetParam().reference(bytes);
      const auto fatal_count =
          std::ranges::count(result.diagnostics, Severity::fatal, &ReferenceDiagnostic::severity);
      if (!result.fatal && !result.sequences.empty() && fatal_count == 0) return bytes;
    }
  }
};

inline std::string law_case_name(const ::testing::TestParamInfo<LawCase>& test) {
  return test.param.format.name + '_' + test.param.set.name;
}

#define SHEAF_LAWS(suite)                                                                        \
  INSTANTIATE_TEST_SUITE_P(Formats, suite, ::testing::ValuesIn(sheaf::conformance::law_cases()), \
                           sheaf::conformance::law_case_name)

}  // namespace sheaf::conformance
