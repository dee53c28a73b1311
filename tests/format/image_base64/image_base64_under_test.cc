#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/format_under_test.h"
#include "reference/image_base64_reference.h"

namespace sheaf::conformance {

FormatUnderTest image_base64_under_test();

namespace {

// The header of a PNG of 2 x 3 pixels, and the bytes of a chunk.
constexpr std::string_view kPngHeader =
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAIAAABjcmMuAAAAAUlEQVR4Li4uLg==";

std::string random_image(Choices& choices) {
  if (choices.once_in(8)) return std::string(kPngHeader);
  constexpr std::string_view kAll =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  const std::int64_t groups = choices.once_in(8) ? choices.below(200) : 1 + choices.below(6);
  for (std::int64_t i = 0; i < 4 * groups; ++i) {
    text += kAll[static_cast<std::size_t>(choices.below(std::ssize(kAll)))];
  }
  if (text.empty()) return text;
  for (std::int64_t i = choices.below(3); i > 0; --i) {
    text[text.size() - static_cast<std::size_t>(i)] = '=';
  }
  if (choices.once_in(3) && text.ends_with("=")) text[text.size() - 2] = '=';
  return text;
}

std::string random_line(Choices& choices, std::int64_t number, bool has_keys, bool has_texts) {
  std::string line;
  if (has_keys) {
    if (choices.once_in(20)) number = 1;
    if (choices.once_in(8)) line += choices.pick({" ", "  "});
    line += has_texts ? "image " + std::to_string(number) : std::to_string(7 * number);
    if (choices.once_in(40)) line = choices.pick({"", "x", "18446744073709551616", "5 x", "-1"});
    line += '\t';
  }
  line += choices.pick({"0", "1", "2", " 2", "1 ", "007"});
  if (choices.once_in(15)) line += choices.pick({"x", "-1", "9", "2147483647", "99999999999"});
  line += '\t' + random_image(choices);
  if (choices.once_in(6)) line += choices.pick({" ", "\t", "\t \t", "\r", "!", "\x80.", "="});
  return line;
}

/// Changes some bytes in the ways that people and programs do.
void damage_line(Choices& choices, std::string& text) {
  const auto at = [&] { return static_cast<std::size_t>(choices.below(std::ssize(text))); };
  for (std::int64_t n = 1 + choices.below(3); n > 0 && !text.empty(); --n) {
    switch (choices.below(4)) {
      case 0:
        text[at()] = choices.pick({"=", "\t", " ", "\n", "\r", "-", "_", "\x01", "A"})[0];
        break;
      case 1:
        text.erase(at(), 1);
        break;
      case 2:
        text.insert(at(), choices.pick({"\n\n", "\t\n", "==", "\t1\t", "QUJD", "\r\n"}));
        break;
      default:
        text.resize(at() + 1);
    }
  }
}

std::string generate_lines(std::uint64_t seed, const FormatOptions& options) {
  Choices choices(seed);
  const bool has_keys = options.keys == KeyType::text || choices.once_in(2);
  const bool has_texts = options.keys != KeyType::numeric;
  const std::string eol(choices.pick({"\n", "\n", "\r\n"}));
  std::string text(choices.once_in(5) ? "\xEF\xBB\xBF" : "");
  if (choices.once_in(6)) text += choices.pick({" \n", "\t\r\n", "\n"});
  const std::int64_t count = 1 + choices.below(8);
  for (std::int64_t i = 0; i < count; ++i) {
    text += random_line(choices, i, has_keys, has_texts) + eol;
    if (choices.once_in(12)) text += eol;
  }
  if (choices.once_in(3)) text.resize(text.size() - eol.size());
  // With text keys, the first line must be whole.
  if (options.keys != KeyType::text && choices.once_in(2)) damage_line(choices, text);
  return text;
}

}  // namespace

FormatUnderTest image_base64_under_test() {
  std::vector<OptionSet> sets;
  sets.push_back(
      {.name = "plain",
       .options = {},
       .alphabets = {
           {.letters = {"1", "\t", "QUJD", "=", "\n", "a", "\r"}, .length_max = 6},
           {.letters = {"k\t", "7\t", "QQ==", "Q\t", "\n", " ", "/9j/"}, .length_max = 5}}});
  {
    OptionSet set{.name = "one_hot", .options = {}, .alphabets = {}};
    set.options.streams = {{.name = "class",
                            .alias = "label",
                            .storage = Storage::sparse,
                            .sample_shape = Shape{3},
                            .dtype = ElementType::f64,
                            .index_dtype = ElementType::i64},
                           {.name = "image", .defines_minibatch_size = true}};
    set.options.keys = KeyType::numeric;
    set.alphabets = {{.letters = {"1\t", "3\t", "Q", "QUI=", "\n", "18446744073709551615", " "},
                      .length_max = 5}};
    sets.push_back(set);
  }
  {
    OptionSet set{.name = "views", .options = {}, .alphabets = {}, .one_in = 3};
    set.options.compatibility = Compatibility::cntk;
    set.options.extra = {{"image_base64.views", "10"}, {"image_base64.classes", "3"}};
    set.alphabets = {{.letters = {"1\t", "2x\t", "QQ==", "-", "\n", "\xFF", "="}, .length_max = 5}};
    sets.push_back(set);
  }
  {
    OptionSet set{.name = "texts_of_cntk", .options = {}, .alphabets = {}};
    set.options.compatibility = Compatibility::cntk;
    set.options.keys = KeyType::text;
    set.options.streams = {{.name = "label", .dtype = ElementType::i64}};
    sets.push_back(set);
  }
  {
    OptionSet set{.name = "images_alone", .options = {}, .alphabets = {}};
    set.options.extra = {{"image_base64.labels", "none"}};
    set.alphabets = {{.letters = {"x\t", "\t", "QUJD", "QQ=", "\n", "="}, .length_max = 6}};
    sets.push_back(set);
  }
  {
    OptionSet set{.name = "pixels", .options = {}, .alphabets = {}};
    set.options.extra = {{"image_base64.headers", "read"}};
    set.options.keys = KeyType::numeric;
    set.alphabets = {{.letters = {"1\t", " ", "2\t", "QQ==", std::string(kPngHeader), "!", "\n"},
                      .length_max = 5}};
    sets.push_back(set);
  }
  return {.name = "image_base64",
          .option_sets = std::move(sets),
          .generate = generate_lines,
          .reference = parse_image_base64,
          .writing_options = {{}, {.write = {{"image_base64.keys", "none"}}}},
          .holds_any_streams = false};
}

}  // namespace sheaf::conformance
