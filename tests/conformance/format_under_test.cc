#include "conformance/format_under_test.h"

#include <algorithm>
#include <array>
#include <ostream>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sheaf/diagnostic.h"

namespace sheaf {

[[nodiscard]] std::span<const Format> toy_formats() noexcept;  // written by tests/toys

namespace conformance {
namespace {

std::string_view severity_text(Severity severity) {
  switch (severity) {
    case Severity::error:
      break;
    case Severity::warning:
      return " warning";
    case Severity::fatal:
      return " fatal";
  }
  return "";
}

std::string to_string(const ReferenceDiagnostic& d) {
  return fmt::format("{}:{} offset {} sequence {} key {} stream \"{}\" {}{}", d.line, d.column,
                     d.byte_offset, d.sequence, quoted(d.sequence_key), d.stream, d.code,
                     severity_text(d.severity));
}

std::string to_string(const ReferenceStream& stream) {
  std::string text = stream.is_present ? "" : "absent";
  for (const ReferenceSample& sample : stream.samples) {
    text += fmt::format(" [{:x}", fmt::join(sample.values, " "));
    if (!sample.indices.empty()) text += fmt::format(" at {}", fmt::join(sample.indices, " "));
    if (!sample.extents.empty()) text += fmt::format(" of {}", fmt::join(sample.extents, "x"));
    text += ']';
  }
  return text;
}

}  // namespace

std::int64_t ReferenceResult::error_count() const {
  return std::ranges::count_if(diagnostics, &ReferenceDiagnostic::counts);
}

std::string to_string(const ReferenceResult& result) {
  if (result.fatal) return "fatal " + to_string(*result.fatal) + '\n';
  std::string text;
  for (const ReferenceSequence& sequence : result.sequences) {
    text += fmt::format("sequence {} {} line {} samples {}{}", sheaf::to_string(sequence.key),
                        quoted(sequence.key_text), sequence.first_line, sequence.sample_count,
                        sequence.is_hole ? " hole" : "");
    for (const ReferenceStream& stream : sequence.streams) text += " |" + to_string(stream);
    text += '\n';
  }
  for (const ReferenceDiagnostic& diagnostic : result.diagnostics) {
    text += to_string(diagnostic) + '\n';
  }
  return text;
}

void PrintTo(const ReferenceResult& result, std::ostream* out) {
  *out << '\n' << to_string(result);
}

const Format& format_named(std::string_view name) {
  for (const std::span<const Format> formats : {builtin_formats(), toy_formats()}) {
    const auto found = std::ranges::find(formats, name, &Format::name);
    if (found != formats.end()) return *found;
  }
  throw std::logic_error("no format of this name: " + std::string(name));
}

std::int64_t Choices::below(std::int64_t count) {
  // SplitMix64; the bias of the remainder does not matter here.
  state_ += 0x9E3779B97F4A7C15U;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  z ^= z >> 31U;
  return static_cast<std::int64_t>(z % static_cast<std::uint64_t>(count));
}

}  // namespace conformance
}  // namespace sheaf
