#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/format_under_test.h"
#include "toys/concatenated/concatenated_options.h"
#include "toys/several_texts.h"
#include "toys/text_choices.h"

namespace sheaf::conformance {

FormatUnderTest concatenated_under_test();

namespace {

std::string generate(std::uint64_t seed, const FormatOptions& options) {
  Choices choices(seed);
  const bool is_numbered = toys::keys_of(options) == ConcatenatedKeys::number;
  std::string bytes;
  std::int64_t key = choices.below(5);
  for (std::int64_t text = 1 + choices.below(4); text > 0; --text) {
    for (std::int64_t n = 1 + choices.below(5); n > 0; --n, key += 1 + choices.below(100)) {
      bytes += toys::rows(choices, options, key, true);
    }
    if (text > 1) bytes += toys::kBetweenTexts;
    if (is_numbered || choices.once_in(40)) key = 7;
  }
  return bytes;
}

ReferenceResult reference(std::string_view bytes, const FormatOptions& options) {
  const FormatUnderTest& ctf =
      *std::ranges::find(formats_under_test(), "ctf", &FormatUnderTest::name);
  const bool is_numbered = toys::keys_of(options) == ConcatenatedKeys::number;
  ReferenceResult result;
  std::set<SequenceKey> known;
  for (const std::string& text : toys::split_texts(bytes)) {
    ReferenceResult part = ctf.reference(text, toys::options_of_text(options));
    if (part.fatal) return part;
    std::vector<SequenceKey> keys;
    const std::int64_t first = std::ssize(result.sequences);
    for (ReferenceSequence& sequence : part.sequences) {
      if (!is_numbered && known.contains(sequence.key)) {
        ReferenceResult refused;
        refused.fatal = {
            .byte_offset = toys::offset_of_line(text, sequence.first_line),
            .line = sequence.first_line,
            .sequence_key = sequence.key_text.empty() ? to_string(sequence.key) : sequence.key_text,
            .stream = {},
            .code = "concatenation-repeated-key"};
        return refused;
      }
      keys.push_back(sequence.key);
      if (is_numbered) {
        sequence.key = {.low = static_cast<std::uint64_t>(result.sequences.size())};
        sequence.key_text.clear();
      }
      result.sequences.push_back(std::move(sequence));
    }
    known.insert(keys.begin(), keys.end());
    for (ReferenceDiagnostic& diagnostic : part.diagnostics) {
      diagnostic.sequence += first;
      result.diagnostics.push_back(std::move(diagnostic));
    }
  }
  std::ranges::sort(result.diagnostics);
  return result;
}

}  // namespace

FormatUnderTest concatenated_under_test() {
  FormatOptions plain;
  plain.streams = {{.name = "A", .sample_shape = Shape{2}},
                   {.name = "B", .storage = Storage::sparse, .sample_shape = Shape{3}}};
  FormatOptions texts = plain;
  texts.keys = KeyType::text;
  FormatOptions numbered = plain;
  numbered.extra["number"] = "";
  return {.name = "concatenated",
          .option_sets = {{.name = "plain", .options = plain, .alphabets = {}},
                          {.name = "text_keys", .options = texts, .alphabets = {}},
                          {.name = "numbered", .options = numbered, .alphabets = {}}},
          .generate = generate,
          .reference = reference,
          .inner_format = "ctf"};
}

}  // namespace sheaf::conformance
