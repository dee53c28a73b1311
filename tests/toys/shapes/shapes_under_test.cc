// The reference splits a row into words, and a word into characters.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/format_under_test.h"

namespace sheaf::conformance {

FormatUnderTest shapes_under_test();

namespace {

/// A word of a row. Single blanks separate words, so there is one more word than blanks.
struct Word {
  std::string text;
  std::int64_t at;  // its offset in the row
};

std::vector<Word> words_of(const std::string& row) {
  std::vector<Word> words = {{"", 0}};
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] == ' ') {
      words.push_back({"", static_cast<std::int64_t>(i) + 1});
    } else {
      words.back().text += row[i];
    }
  }
  return words;
}

bool is_digits(const std::string& text, std::size_t size_max) {
  return !text.empty() && text.size() <= size_max &&
         text.find_first_not_of("0123456789") == std::string::npos;
}

std::optional<std::uint64_t> key_of(const std::vector<Word>& words) {
  if (words.size() < 2 || !is_digits(words[0].text, 18)) return std::nullopt;
  return std::strtoull(words[0].text.c_str(), nullptr, 10);
}

struct RowResult {
  std::optional<ReferenceSample> sample;
  std::int64_t wrong_at = 0;
  std::string code;
};

RowResult parse_row(const std::vector<Word>& words) {
  if (!key_of(words)) return {std::nullopt, 0, "shapes-key"};
  ReferenceSample sample;
  const std::string& shape = words[1].text;
  const std::size_t cross = shape.find('x');
  const std::string height = shape.substr(0, cross);
  const std::string width = cross == std::string::npos ? "" : shape.substr(cross + 1);
  for (const std::string& extent : {height, width}) {
    if (!is_digits(extent, 4) || std::stoi(extent) == 0) {
      return {std::nullopt, words[1].at, "shapes-shape"};
    }
    sample.extents.push_back(std::stoi(extent));
  }
  for (std::size_t i = 2; i < words.size(); ++i) {
    const std::string& text = words[i].text;
    if (!is_digits(text.substr(text.starts_with('-') ? 1 : 0), 9)) {
      return {std::nullopt, words[i].at, "shapes-value"};
    }
    sample.values.push_back(static_cast<std::uint32_t>(std::stoi(text)));
  }
  if (std::ssize(sample.values) != sample.extents[0] * sample.extents[1]) {
    return {std::nullopt, words[1].at, "shapes-count"};
  }
  return {std::move(sample), 0, ""};
}

ReferenceResult reference(std::string_view bytes, const FormatOptions& options) {
  ReferenceResult result;
  std::int64_t line = 0;
  std::int64_t next_row = 0;
  std::string row;
  // There is one more row than LF bytes. An empty row after the last LF changes nothing.
  for (std::size_t i = 0; i <= bytes.size(); ++i) {
    if (i < bytes.size() && bytes[i] != '\n') {
      row += bytes[i];
      continue;
    }
    ++line;
    const std::int64_t offset = std::exchange(next_row, static_cast<std::int64_t>(i) + 1);
    const std::string text = std::exchange(row, "");
    if (text.empty()) continue;

    const std::vector<Word> words = words_of(text);
    const std::optional<std::uint64_t> key = key_of(words);
    if (result.sequences.empty() && !key) {
      ReferenceDiagnostic& fatal = result.fatal.emplace();
      fatal.byte_offset = offset;
      fatal.line = line;
      fatal.column = 1;
      fatal.code = "shapes-key";
      return result;
    }
    if (result.sequences.empty() || (key && *key != result.sequences.back().key.low)) {
      ReferenceSequence sequence;
      sequence.key.low = *key;
      sequence.first_line = line;
      sequence.streams.resize(1);
      result.sequences.push_back(std::move(sequence));
    }
    ReferenceSequence& sequence = result.sequences.back();
    ++sequence.sample_count;
    RowResult parsed = parse_row(words);
    if (parsed.sample) {
      sequence.streams[0].samples.push_back(*std::move(parsed.sample));
    } else {
      sequence.is_hole = true;
      result.diagnostics.push_back({.sequence = std::ssize(result.sequences) - 1,
                                    .byte_offset = offset + parsed.wrong_at,
                                    .line = line,
                                    .column = parsed.wrong_at + 1,
                                    .sequence_key = std::to_string(sequence.key.low),
                                    .stream = options.streams[0].name,
                                    .code = parsed.code});
    }
  }
  if (result.sequences.empty()) {
    ReferenceDiagnostic& fatal = result.fatal.emplace();
    fatal.line = 1;
    fatal.column = 1;
    fatal.code = "shapes-empty";
  }
  for (ReferenceSequence& sequence : result.sequences) {
    if (sequence.is_hole) sequence.streams[0].samples.clear();
  }
  std::sort(result.diagnostics.begin(), result.diagnostics.end());
  return result;
}

std::string generate(std::uint64_t seed, const FormatOptions& /*options*/) {
  Choices choices(seed);
  const bool may_break = choices.once_in(3);
  std::string text;
  std::int64_t key = choices.below(10);
  const std::int64_t sequence_count = 1 + choices.below(12);
  for (std::int64_t i = 0; i < sequence_count; ++i, key += 1 + choices.below(3)) {
    for (std::int64_t s = 1 + choices.below(4); s > 0; --s) {
      const std::int64_t height = 1 + choices.below(4);
      const std::int64_t width = 1 + choices.below(4);
      text += std::to_string(key) + ' ' + std::to_string(height) + 'x' + std::to_string(width);
      for (std::int64_t v = 0; v < height * width; ++v) {
        text += ' ' + std::to_string(choices.below(2000) - 1000);
      }
      text += choices.once_in(6) ? "\n\n" : "\n";
    }
  }
  if (choices.once_in(2)) text.pop_back();
  if (may_break) {
    for (std::int64_t n = choices.below(4); n > 0; --n) {
      const auto at = static_cast<std::size_t>(choices.below(std::ssize(text)));
      text[at] = choices.pick({"0", "x", " ", "-", "\n", "a"})[0];
    }
  }
  return text;
}

}  // namespace

FormatUnderTest shapes_under_test() {
  FormatOptions options;
  options.streams = {{.name = "image", .dtype = ElementType::i32}};
  const Alphabet letters{.letters = {"0", "1", "x", " ", "-", "\n"}, .length_max = 6};
  const Alphabet words{.letters = {"0 ", "1 ", "1x1", "1x2", " ", "5", "-", "\n"}, .length_max = 5};
  return {.name = "shapes",
          .option_sets = {{.name = "plain", .options = options, .alphabets = {letters, words}}},
          .generate = generate,
          .reference = reference};
}

}  // namespace sheaf::conformance
