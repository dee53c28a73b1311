#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include "conformance/format_under_test.h"
#include "reference/mlf_reference.h"

namespace sheaf::conformance {

FormatUnderTest mlf_under_test();

namespace {

/// Returns the path of a state list. Every process writes the same bytes to a temporary file, and
/// renames the file when it is complete.
std::string state_list() {
  namespace fs = std::filesystem;
  const fs::path path = fs::temp_directory_path() / "sheaf-test-mlf-states.list";
  const fs::path own = path.string() + "." + std::to_string(::getpid());
  std::ofstream(own, std::ios::binary) << "sil[2]\nah\n\nb c\nx\n";
  fs::rename(own, path);
  return path.string();
}

bool has_state_list(const FormatOptions& options) { return options.extra.contains("mlf.states"); }

std::string random_label(Choices& choices, const FormatOptions& options) {
  if (has_state_list(options)) {
    std::string text(choices.pick({"sil[2]", "ah", "x"}));
    if (choices.once_in(3)) text += choices.pick({" -1.5", "\t-1 sil 2.5", " a b c d"});
    return text;
  }
  return "ph " + std::to_string(choices.below(4));
}

/// Changes some bytes in the ways that people and programs do.
void damage_mlf(Choices& choices, std::string& text) {
  const auto at = [&] { return static_cast<std::size_t>(choices.below(std::ssize(text))); };
  for (std::int64_t n = 1 + choices.below(3); n > 0 && !text.empty(); --n) {
    switch (choices.below(4)) {
      case 0:
        text[at()] = choices.pick({"0", "9", " ", "\n", "\"", ".", "-", "\r", "x", "e"})[0];
        break;
      case 1:
        text.erase(at(), 1);
        break;
      case 2: {
        const std::size_t row = text.rfind('\n', at());
        text.insert(row == std::string::npos ? 0 : row + 1,
                    choices.pick({".\n", "\"a.lab\"\n", "\"*/b?.lab\"\n", "1 2\n", "3 2 ah 0\n",
                                  "0 1e400 x 1\n", "0 200000 nobody 9\n", "#!MLF!#\n", "///\n",
                                  "\"a\" -> \"b\"\n", "-1 2 ah 1\n", "0 99999999 x 1\n",
                                  "0 99999999999999999999 x 1\n"}));
        break;
      }
      default:
        text.resize(at() + 1);
    }
  }
}

/// Returns a number with the lowest byte first.
std::string number_bytes(std::int64_t number, int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i) bytes += static_cast<char>(number >> (8 * i) & 0xFF);
  return bytes;
}

/// Returns a binary file of one of the two versions.
std::string generate_binary(Choices& choices) {
  const std::int64_t version = 1 + choices.below(2);
  std::string bytes = "MLF" + number_bytes(choices.once_in(30) ? 3 : version, 2);
  for (std::int64_t i = 0, count = choices.below(8); i < count; ++i) {
    const std::int64_t number = choices.once_in(8) ? 0 : i;
    if (version == 1) {
      bytes += number_bytes(number * 1'000'000'007, 4);
    } else {
      std::string key = choices.once_in(15) ? "" : "u" + std::to_string(number);
      if (choices.once_in(15)) key.resize(255 + static_cast<std::size_t>(choices.below(3)), 'x');
      bytes += number_bytes(std::ssize(key), 2) + key;
    }
    std::string ranges;
    std::int64_t frames = choices.once_in(20) ? 1 : 0;
    const std::int64_t range_count = choices.once_in(12) ? 0 : choices.below(6);
    for (std::int64_t n = 0; n < range_count; ++n) {
      const std::int64_t length = choices.below(choices.once_in(9) ? 600 : 4);
      ranges += number_bytes(choices.below(choices.once_in(9) ? 5 : 3), 2);
      ranges += number_bytes(length, 2);
      frames += length;
    }
    bytes += number_bytes(frames, 4) + number_bytes(range_count, 2) + ranges;
  }
  return bytes;
}

std::string generate_mlf(std::uint64_t seed, const FormatOptions& options) {
  Choices choices(seed);
  if (choices.once_in(4)) {
    std::string bytes = generate_binary(choices);
    if (choices.once_in(2)) damage_mlf(choices, bytes);
    return bytes;
  }
  const std::string eol(choices.pick({"\n", "\n", "\r\n"}));
  std::string text = choices.once_in(6) ? " " + eol : "";
  text += "#!MLF!#" + eol;
  const std::int64_t count = 1 + choices.below(8);
  for (std::int64_t i = 0; i < count; ++i) {
    if (choices.once_in(10)) text += "#!MLF!#" + eol;
    text += choices.pick({"\"", "\"*/", "\"dir/"});
    text += "u" + std::to_string(choices.once_in(8) ? 0 : i);
    text += std::string(choices.pick({".lab\"", ".rec\"", "\"", ".a.b\" "})) + eol;
    const std::int64_t unit = choices.once_in(2) ? 1 : 100'000;
    std::int64_t frame = choices.once_in(12) ? 1 : 0;
    for (std::int64_t n = choices.once_in(12) ? 0 : 1 + choices.below(5); n > 0; --n) {
      const std::int64_t last = frame + 1 + choices.below(choices.once_in(9) ? 150 : 4);
      text += std::to_string(frame * unit);
      text += choices.pick({" ", " ", "\t", "  "});
      text += std::to_string(last * unit) + (choices.once_in(9) ? ".0 " : " ");
      text += random_label(choices, options) + eol;
      if (choices.once_in(15)) text += eol;
      frame = last + (choices.once_in(20) ? 1 : 0);
    }
    if (i + 1 < count || !choices.once_in(4)) text += "." + eol;
  }
  if (choices.once_in(2)) damage_mlf(choices, text);
  return text;
}

StreamOptions one_hot(std::int64_t dim) {
  return {.name = "state", .storage = Storage::sparse, .sample_shape = Shape{dim}};
}

}  // namespace

FormatUnderTest mlf_under_test() {
  const Alphabet ids{.letters = {"#!MLF!#\n", "\"a.b\"\n", "0 1 x 0\n", "1 2 x 1\n", ".\n", " "},
                     .length_max = 6};
  const Alphabet bytes{.letters = {"#!MLF!#\n\"a\"\n0 2 s 1", "\n", ".", "0", " ", "\"", "\r"},
                       .length_max = 5};
  std::vector<OptionSet> sets;
  {
    OptionSet set{.name = "ids", .options = {}, .alphabets = {ids, bytes}};
    set.options.streams = {one_hot(3)};
    set.options.extra["mlf.frames_max"] = "1000";
    sets.push_back(set);
  }
  {
    OptionSet set{.name = "states", .options = {}, .alphabets = {}};
    set.options.streams = {one_hot(4)};
    set.options.streams[0].dtype = ElementType::f64;
    set.options.streams[0].index_dtype = ElementType::i64;
    set.options.extra = {{"mlf.states", state_list()},
                         {"mlf.frames_max", "1000"},
                         {"mlf.phone_boundaries", "true"},
                         {"mlf.gap", "ah"}};
    set.alphabets = {{.letters = {"#!MLF!#\n", "\"a\"\n", "0 1 ah\n", "3 4 x y\n", ".\n", "0 0 "},
                      .length_max = 6}};
    sets.push_back(set);
  }
  {
    OptionSet set{.name = "numbers", .options = {}, .alphabets = {bytes}};
    set.options.streams = {{.name = "id", .dtype = ElementType::i32}};
    set.options.extra = {{"mlf.as", "ids"},
                         {"mlf.time_unit", "frames"},
                         {"mlf.frames_max", "500"},
                         {"mlf.gap", "7"}};
    sets.push_back(set);
  }
  {
    OptionSet set{.name = "cntk", .options = {}, .alphabets = {ids}};
    set.options.streams = {one_hot(4)};
    set.options.compatibility = Compatibility::cntk;
    set.options.extra = {{"mlf.frames_max", "1000"}, {"mlf.frame_period", "50000"}};
    sets.push_back(set);
  }
  {
    using namespace std::string_literals;
    OptionSet set{.name = "binary", .options = {}, .alphabets = {}};
    set.options.streams = {one_hot(3)};
    set.options.extra["mlf.frames_max"] = "1000";
    set.alphabets = {{.letters = {"MLF\x02\0"s, "\x01\0a"s, "\x02\0\0\0\x01\0"s, "\x01\0\x02\0"s,
                                  "\0"s, "\x03"s},
                      .length_max = 6}};
    sets.push_back(set);
  }
  // Keys are texts even without the option, but fuzzers use the option to make long keys.
  for (OptionSet& set : sets) set.options.keys = KeyType::text;
  return {.name = "mlf",
          .option_sets = std::move(sets),
          .generate = generate_mlf,
          .reference = mlf_reference,
          .has_text_keys = true,
          .holds_any_streams = false};
}

}  // namespace sheaf::conformance
