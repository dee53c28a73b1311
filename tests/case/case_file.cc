#include "case/case_file.h"

#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sheaf::conformance {
namespace {

[[noreturn]] void fail(std::int64_t line, std::string_view why) {
  throw std::runtime_error(fmt::format("line {} of the case: {}", line, why));
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::istringstream stream(text);
  std::vector<std::string> parts;
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

std::optional<ElementType> element_type_named(std::string_view name) {
  for (const ElementType type :
       {ElementType::u8, ElementType::u16, ElementType::i32, ElementType::i64, ElementType::f16,
        ElementType::bf16, ElementType::f32, ElementType::f64, ElementType::bytes}) {
    if (to_string(type) == name) return type;
  }
  return std::nullopt;
}

StreamOptions parse_stream(const std::string& text, std::int64_t line) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) fail(line, "a stream is NAME: and words");
  StreamOptions stream;
  stream.name = words_of(text.substr(0, colon)).at(0);
  for (const std::string& word : words_of(text.substr(colon + 1))) {
    if (word == "dense" || word == "sparse") {
      stream.storage = word == "dense" ? Storage::dense : Storage::sparse;
    } else if (word == "mb") {
      stream.defines_minibatch_size = true;
    } else if (word.starts_with("alias=")) {
      stream.alias = word.substr(6);
    } else if (word.starts_with("index=") && element_type_named(word.substr(6))) {
      stream.index_dtype = *element_type_named(word.substr(6));
    } else if (word.starts_with('[') && word.ends_with(']')) {
      std::vector<std::int64_t> extents;
      for (const std::string& extent : split(word.substr(1, word.size() - 2), ',')) {
        extents.push_back(extent == "*" ? Shape::kVariable : std::stoll(extent));
      }
      stream.sample_shape = Shape(extents);
    } else if (const auto type = element_type_named(word)) {
      stream.dtype = *type;
    } else {
      fail(line, fmt::format("\"{}\" says nothing about a stream", word));
    }
  }
  return stream;
}

/// Splits a line at the commas between streams, but not at commas within shapes.
std::vector<std::string> streams_of_line(const std::string& text) {
  std::vector<std::string> parts(1);
  bool in_shape = false;
  for (const char c : text) {
    if (c == '[' || c == ']') in_shape = c == '[';
    if (c == ',' && !in_shape) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

/// Sets an option with two possible words. `line` is the line number.
template <typename Option, typename T>
void set_to_one_of(Option& option, const std::string& value, std::string_view first,
                   std::string_view second, T first_value, T second_value, std::int64_t line) {
  if (value != first && value != second) {
    fail(line, fmt::format("\"{}\" is neither {} nor {}", value, first, second));
  }
  option = value == first ? first_value : second_value;
}

void parse_option(const std::string& word, std::int64_t line, FormatOptions& options) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) fail(line, "an option is NAME=VALUE");
  const std::string name = word.substr(0, equals);
  const std::string value = word.substr(equals + 1);
  if (name == "chunk_size_bytes") {
    options.chunk_size_bytes = std::stoll(value);
  } else if (name == "read_size_bytes") {
    options.read_size_bytes = std::stoll(value);
  } else if (name == "compatibility") {
    set_to_one_of(options.compatibility, value, "strict", "cntk", Compatibility::strict,
                  Compatibility::cntk, line);
  } else if (name == "missing_streams") {
    set_to_one_of(options.missing_streams, value, "error", "allow", MissingStreams::error,
                  MissingStreams::allow, line);
  } else if (name == "keys") {
    set_to_one_of(options.keys, value, "numeric", "text", KeyType::numeric, KeyType::text, line);
  } else if (name == "skip_sequence_ids") {
    set_to_one_of(options.skip_sequence_ids, value, "false", "true", false, true, line);
  } else {
    options.extra[name] = value;
  }
}

template <typename T>
std::string shortest(T value) {
  std::array<char, 64> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end};
}

std::string value_text(ElementType type, std::uint64_t bits) {
  switch (type) {
    case ElementType::f32:
      return shortest(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    case ElementType::f64:
      return shortest(std::bit_cast<double>(bits));
    case ElementType::i32:
      return std::to_string(static_cast<std::int32_t>(bits));
    case ElementType::i64:
      return std::to_string(static_cast<std::int64_t>(bits));
    case ElementType::u8:
    case ElementType::u16:
      return std::to_string(bits);
    case ElementType::f16:
      return shortest(to_float(Float16{static_cast<std::uint16_t>(bits)}));
    case ElementType::bf16:
      return shortest(to_float(BFloat16{static_cast<std::uint16_t>(bits)}));
    case ElementType::bytes:
      break;
  }
  return fmt::format("{:02x}", bits);
}

std::string sample_text(const ReferenceSample& sample, const StreamOptions& stream) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < sample.values.size(); ++i) {
    std::string text = value_text(stream.dtype.value_or(ElementType::f32), sample.values[i]);
    if (stream.storage == Storage::sparse) {
      text = std::to_string(sample.indices[i]) + ':' + text;
    }
    values.push_back(std::move(text));
  }
  if (stream.dtype == ElementType::bytes) return fmt::format("<{}>", fmt::join(values, ""));
  if (stream.storage == Storage::sparse) return fmt::format("{{{}}}", fmt::join(values, " "));
  return fmt::format("{}[{}]", fmt::join(sample.extents, "x"), fmt::join(values, " "));
}

}  // namespace

CaseFile CaseFile::parse(std::string_view text) {
  CaseFile result;
  std::istringstream lines{std::string(text)};
  std::string section;
  std::set<std::string> seen;
  std::int64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.starts_with("--- ")) {
      constexpr std::array<std::string_view, 8> kSections = {
          "streams", "options",     "input escaped", "input",
          "expect",  "diagnostics", "warnings",      "data error"};
      const std::string rest = line.substr(4);
      section = rest.starts_with("config error") ? "config error" : "";
      for (const std::string_view name : kSections) {
        if (section.empty() && rest.starts_with(name)) section = name;
      }
      if (section.empty()) fail(number, "no section has this name");
      if (!seen.insert(section).second) fail(number, "this section is there already");
      line = rest.substr(section.size());
      if (words_of(line).empty()) continue;
      line.erase(0, line.find_first_not_of(' '));
    }
    if (section == "input") {
      result.input += line + '\n';
    } else if (section == "input escaped") {
      result.input += unescaped(line);
    } else if (section.empty()) {
      if (!line.empty() && !line.starts_with('#')) fail(number, "a comment begins with #");
    } else if (words_of(line).empty()) {
      continue;
    } else if (section == "streams") {
      for (const std::string& stream : streams_of_line(line)) {
        result.options.streams.push_back(parse_stream(stream, number));
      }
    } else if (section == "options") {
      for (const std::string& word : words_of(line)) parse_option(word, number, result.options);
    } else {
      (section == "expect"        ? result.expect
       : section == "diagnostics" ? result.diagnostics
       : section == "warnings"    ? result.warnings
       : section == "data error"  ? result.data_error
                                  : result.config_error)
          .push_back(line);
    }
  }
  const std::int64_t outcomes = (seen.contains("expect") ? 1 : 0) +
                                (result.data_error.empty() ? 0 : 1) +
                                (result.config_error.empty() ? 0 : 1);
  if (outcomes != 1) fail(number, "a case has one of expect, data error, config error");
  if ((seen.contains("diagnostics") || seen.contains("warnings")) && !seen.contains("expect")) {
    fail(number, "diagnostics and warnings need expect");
  }
  result.has_warnings = seen.contains("warnings");
  if (!seen.contains("streams")) fail(number, "a case has streams");
  if (seen.contains("input") == seen.contains("input escaped")) {
    fail(number, "a case has one input");
  }
  return result;
}

std::string expect_line(const ReferenceSequence& sequence,
                        const std::vector<StreamOptions>& streams) {
  std::string line = sequence.key_text.empty() ? sheaf::to_string(sequence.key) : sequence.key_text;
  if (sequence.is_hole) return line + " hole";
  for (std::size_t s = 0; s < streams.size(); ++s) {
    const ReferenceStream& stream = sequence.streams[s];
    line += ' ' + streams[s].name + '=';
    if (!stream.is_present) {
      line += "absent";
      continue;
    }
    std::vector<std::string> samples;
    for (const ReferenceSample& sample : stream.samples) {
      samples.push_back(sample_text(sample, streams[s]));
    }
    line += fmt::format("[{}]", fmt::join(samples, " "));
  }
  return line;
}

std::string diagnostic_line(const Diagnostic& diagnostic) {
  const std::string place = diagnostic.line == 0
                                ? fmt::format("byte {}", diagnostic.byte_offset)
                                : fmt::format("{}:{}", diagnostic.line, diagnostic.column);
  return fmt::format("{}: {} [{}]", place, message(diagnostic), diagnostic.code);
}

std::string unescaped(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      bytes += text[i];
      continue;
    }
    ++i;
    const char letter = i < text.size() ? text[i] : ' ';
    constexpr std::string_view kLetters = "nrt0\\s";
    constexpr std::string_view kBytes("\n\r\t\0\\ ", 6);
    if (const std::size_t at = kLetters.find(letter); at != std::string_view::npos) {
      bytes += kBytes[at];
      continue;
    }
    unsigned code = 0;
    const char* const first = text.data() + i + 1;
    if (letter != 'x' || i + 2 >= text.size() ||
        std::from_chars(first, first + 2, code, 16).ptr != first + 2) {
      throw std::runtime_error(fmt::format("no escape: \\{}", text.substr(i, 3)));
    }
    bytes += static_cast<char>(code);
    i += 2;
  }
  return bytes;
}

}  // namespace sheaf::conformance
