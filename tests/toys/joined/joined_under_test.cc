#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/diagnostic.h"

#include "conformance/format_under_test.h"
#include "toys/joined/joined_options.h"
#include "toys/several_texts.h"
#include "toys/text_choices.h"

namespace sheaf::conformance {

FormatUnderTest joined_under_test();

namespace {

const FormatUnderTest& ctf() {
  static const FormatUnderTest kCtf =
      *std::ranges::find(formats_under_test(), "ctf", &FormatUnderTest::name);
  return kCtf;
}

std::string generate(std::uint64_t seed, const FormatOptions& options) {
  Choices choices(seed);
  const std::vector<FormatOptions> own = toys::options_of_texts(options);
  std::vector<std::string> sequences[2];
  std::int64_t key = choices.below(5);
  for (std::int64_t n = choices.below(9); n > 0; --n, key += 1 + choices.below(100)) {
    for (const std::size_t m : {0U, 1U}) {
      if (!choices.once_in(6)) sequences[m].push_back(toys::rows(choices, own[m], key, true));
    }
  }
  if (choices.once_in(30) && !sequences[1].empty()) sequences[1].push_back(sequences[1].front());
  if (choices.once_in(2)) {
    std::vector<std::string>& moved = sequences[1];
    for (std::size_t i = moved.size(); i > 1; --i) {
      std::swap(moved[i - 1],
                moved[static_cast<std::size_t>(choices.below(static_cast<std::int64_t>(i)))]);
    }
  }
  // Each text ends with a sequence that is read.
  std::string bytes;
  for (const std::size_t m : {0U, 1U}) {
    for (const std::string& text : sequences[m]) bytes += text;
    bytes += toys::rows(choices, own[m], key, false);
    if (m == 0) bytes += toys::kBetweenTexts;
  }
  return bytes;
}

/// Returns an error for the first repeated key of a text.
std::optional<ReferenceDiagnostic> repeated_key(const ReferenceResult& text,
                                                std::string_view bytes) {
  std::map<SequenceKey, std::size_t> known;
  for (std::size_t i = 0; i < text.sequences.size(); ++i) {
    const ReferenceSequence& sequence = text.sequences[i];
    if (known.emplace(sequence.key, i).second) continue;
    return ReferenceDiagnostic{
        .byte_offset = toys::offset_of_line(bytes, sequence.first_line),
        .line = sequence.first_line,
        .sequence_key = sequence.key_text.empty() ? to_string(sequence.key) : sequence.key_text,
        .stream = {},
        .code = "join-repeated-key"};
  }
  return std::nullopt;
}

/// Joins two sequences. The second may be missing.
ReferenceSequence both(const ReferenceSequence& first, const ReferenceSequence* second,
                       const FormatOptions& options) {
  ReferenceSequence sequence = first;
  sequence.is_hole = first.is_hole || (second != nullptr && second->is_hole);
  if (second != nullptr) {
    const bool first_defines = options.streams[0].defines_minibatch_size;
    const bool second_defines =
        std::ranges::any_of(options.streams, &StreamOptions::defines_minibatch_size) &&
        !first_defines;
    if (!first_defines) {
      sequence.sample_count = second_defines ? second->sample_count
                                             : std::max(first.sample_count, second->sample_count);
    }
  }
  const ReferenceStream absent{.is_present = second != nullptr, .samples = {}};
  sequence.streams.resize(options.streams.size(), absent);
  for (std::size_t s = 1; s < options.streams.size() && second != nullptr; ++s) {
    sequence.streams[s] = second->streams[s - 1];
  }
  if (sequence.is_hole) {
    std::ranges::fill(sequence.streams, ReferenceStream{});
  }
  return sequence;
}

ReferenceResult reference(std::string_view bytes, const FormatOptions& options) {
  const std::vector<std::string> texts = toys::split_texts(bytes);
  const std::vector<FormatOptions> own = toys::options_of_texts(options);
  std::vector<ReferenceResult> parts;
  for (std::size_t m = 0; m < 2; ++m) {
    parts.push_back(ctf().reference(texts[m], own[m]));
    if (parts.back().fatal) return parts.back();
  }
  ReferenceResult result;
  for (std::size_t m = 0; m < 2; ++m) {
    result.fatal = repeated_key(parts[m], texts[m]);
    if (result.fatal) return result;
  }

  const bool keeps_all = toys::missing_of(options) == MissingSequences::absent;
  std::map<std::int64_t, std::int64_t> joined_number[2];  // of the sequences of each text
  for (std::int64_t i = 0; i < std::ssize(parts[0].sequences); ++i) {
    const ReferenceSequence& first = parts[0].sequences[static_cast<std::size_t>(i)];
    const auto second = std::ranges::find(parts[1].sequences, first.key, &ReferenceSequence::key);
    const bool has_second = second != parts[1].sequences.end();
    if (!has_second && !keeps_all) continue;
    joined_number[0][i] = std::ssize(result.sequences);
    if (has_second) {
      joined_number[1][second - parts[1].sequences.begin()] = std::ssize(result.sequences);
    }
    result.sequences.push_back(both(first, has_second ? &*second : nullptr, options));
  }
  for (std::size_t m = 0; m < 2; ++m) {
    for (ReferenceDiagnostic diagnostic : parts[m].diagnostics) {
      const auto number = joined_number[m].find(diagnostic.sequence);
      if (number == joined_number[m].end()) continue;
      diagnostic.sequence = number->second;
      result.diagnostics.push_back(std::move(diagnostic));
    }
  }
  std::ranges::sort(result.diagnostics);
  return result;
}

}  // namespace

FormatUnderTest joined_under_test() {
  FormatOptions plain;
  plain.streams = {{.name = "A", .sample_shape = Shape{2}},
                   {.name = "B", .storage = Storage::sparse, .sample_shape = Shape{3}},
                   {.name = "C", .sample_shape = Shape{1}, .dtype = ElementType::f64}};
  FormatOptions texts = plain;
  texts.keys = KeyType::text;
  texts.streams[0].defines_minibatch_size = true;
  FormatOptions absent = plain;
  absent.extra["absent"] = "";
  FormatOptions defining = plain;
  defining.streams[2].defines_minibatch_size = true;
  return {.name = "joined",
          .option_sets = {{.name = "plain", .options = plain, .alphabets = {}},
                          {.name = "text_keys", .options = texts, .alphabets = {}},
                          {.name = "absent", .options = absent, .alphabets = {}},
                          {.name = "defining", .options = defining, .alphabets = {}}},
          .generate = generate,
          .reference = reference,
          .inner_format = "ctf"};
}

}  // namespace sheaf::conformance
