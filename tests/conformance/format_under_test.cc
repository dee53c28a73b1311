#include "conformance/format_under_test.h"

#include <algorithm>
#include <array>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "sheaf/diagnostic.h"

namespace sheaf {

[[nodiscard]] std::span<const Format> toy_formats() noexcept;  // defined by tests/toys

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
  std::ostringstream text;
  text << d.line << ':' << d.column << " offset " << d.byte_offset << " sequence " << d.sequence
       << " key " << quoted(d.sequence_key) << " stream \"" << d.stream << "\" " << d.code
       << severity_text(d.severity);
  return std::move(text).str();
}

template <typename Number>
void put_all(std::ostream& out, const std::vector<Number>& numbers, char between) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) out << between;
    out << numbers[i];
  }
}

std::string to_string(const ReferenceStream& stream) {
  std::ostringstream text;
  text << (stream.is_present ? "" : "absent");
  for (const ReferenceSample& sample : stream.samples) {
    text << " [" << std::hex;
    put_all(text, sample.values, ' ');
    text << std::dec;
    if (!sample.indices.empty()) put_all(text << " at ", sample.indices, ' ');
    if (!sample.extents.empty()) put_all(text << " of ", sample.extents, 'x');
    text << ']';
  }
  return std::move(text).str();
}

}  // namespace

std::int64_t ReferenceResult::error_count() const {
  return std::ranges::count_if(diagnostics, &ReferenceDiagnostic::counts);
}

std::string to_string(const ReferenceResult& result) {
  if (result.fatal) return "fatal " + to_string(*result.fatal) + '\n';
  std::string text;
  for (const ReferenceSequence& sequence : result.sequences) {
    text += "sequence " + sheaf::to_string(sequence.key) + ' ' + quoted(sequence.key_text) +
            " line " + std::to_string(sequence.first_line) + " samples " +
            std::to_string(sequence.sample_count) + (sequence.is_hole ? " hole" : "");
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
  // SplitMix64. The bias of the remainder does not matter here.
  state_ += 0x9E3779B97F4A7C15U;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  z ^= z >> 31U;
  return static_cast<std::int64_t>(z % static_cast<std::uint64_t>(count));
}

}  // namespace conformance
}  // namespace sheaf
