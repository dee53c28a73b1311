#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/format_under_test.h"
#include "reference/csv_reference.h"

namespace sheaf::conformance {

FormatUnderTest csv_under_test();

namespace {

std::string csv_option(const FormatOptions& options, const std::string& name,
                       std::string_view otherwise) {
  const auto found = options.extra.find(name);
  return found == options.extra.end() ? std::string(otherwise) : found->second;
}

std::string random_csv_number(Choices& choices) {
  switch (choices.below(5)) {
    case 0:
      return std::to_string(choices.below(10));
    case 1:
      return "-0." + std::to_string(choices.below(1'000'000));
    case 2:
      return std::to_string(choices.below(1'000'000'000)) + "." +
             std::to_string(choices.below(1'000'000'000)) + 'e' +
             std::to_string(choices.below(60) - 45);
    case 3:
      return std::to_string(choices.below(200));
    default:
      return std::string(choices.pick({"+1", ".5", "5.", "007", "-0", " 3", "4 ", "\"6\"", "1e-400",
                                       "16777217.0", "3.4028235e38"}));
  }
}

std::string random_csv_text(Choices& choices) {
  return std::string(choices.pick({"a", "b", "red", "\"green\"", "\"a,b\"", "\"two\nlines\"",
                                   "\"say \"\"no\"\"\"", "\"\"", "", "x y", "\"\r\n\"", "NA"}));
}

/// Changes some bytes in the ways that people and programs do.
void damage_csv(Choices& choices, std::string& text) {
  const auto at = [&] { return static_cast<std::size_t>(choices.below(std::ssize(text))); };
  for (std::int64_t n = 1 + choices.below(3); n > 0 && !text.empty(); --n) {
    switch (choices.below(4)) {
      case 0:
        text[at()] = choices.pick({"0", ",", " ", "\n", "\"", ".", ";", "\r", "x", "\x01"})[0];
        break;
      case 1:
        text.erase(at(), 1);
        break;
      case 2:
        text.insert(at(), choices.pick({"\"", "\"\"", ",,", "\n\n", "\r", ",", "NA", "\n,\n",
                                        "1e400", "\"x\"y", "9007199254740993"}));
        break;
      default:
        text.resize(at() + 1);
    }
  }
}

// Returns rows with a key or none, two columns of numbers, and a text, as the option sets expect.
std::string generate(std::uint64_t seed, const FormatOptions& options) {
  Choices choices(seed);
  const std::string d = csv_option(options, "csv.delimiter", "comma") == "semicolon" ? ";" : ",";
  const std::string eol(choices.pick({"\n", "\n", "\r\n"}));
  const bool may_miss = csv_option(options, "csv.missing", "error") != "error";
  std::string text(choices.once_in(5) ? "\xEF\xBB\xBF" : "");
  if (choices.once_in(6)) text += eol;
  if (csv_option(options, "csv.header", "yes") == "yes") {
    text += "key" + d + "x0" + d + (choices.once_in(3) ? "\"x1\"" : "x1") + d + "name" + eol;
  }
  std::int64_t key = choices.below(5);
  const std::int64_t row_count = 1 + choices.below(12);
  bool is_missing = false;
  for (std::int64_t i = 0; i < row_count; ++i) {
    if (choices.once_in(3)) {
      key += 1 + choices.below(100);
      is_missing = may_miss && choices.once_in(3);
    }
    if (choices.once_in(12)) text += eol;
    const auto number = [&] {
      const bool misses = choices.once_in(30) ? !is_missing : is_missing;
      return misses ? std::string(choices.pick({"", "NA"})) : random_csv_number(choices);
    };
    text += std::to_string(key) + d + number() + d + number() + d;
    text += (choices.once_in(30) ? "" : random_csv_text(choices)) + eol;
  }
  if (choices.once_in(3)) text.resize(text.size() - eol.size());
  if (choices.once_in(2)) damage_csv(choices, text);
  return text;
}

StreamOptions numbers_of(std::string name, std::int64_t dim, ElementType type) {
  return {.name = std::move(name), .sample_shape = Shape{dim}, .dtype = type};
}

StreamOptions texts_of(std::string name) {
  return {.name = std::move(name),
          .sample_shape = Shape{Shape::kVariable},
          .dtype = ElementType::bytes};
}

}  // namespace

FormatUnderTest csv_under_test() {
  std::vector<OptionSet> sets;
  {
    OptionSet set{.name = "plain", .options = {}, .alphabets = {}};
    set.options.streams = {numbers_of("c1", 1, ElementType::f32), texts_of("c0")};
    set.options.extra = {{"csv.header", "no"}};
    set.alphabets = {{.letters = {"1", ",", "\"", "\n", "\r", "a"}, .length_max = 6},
                     {.letters = {"a,1\n", "\"b\"", "\"\"", ",", "2", "\n"}, .length_max = 5}};
    sets.push_back(set);
  }
  {
    OptionSet set{.name = "keyed", .options = {}, .alphabets = {}};
    set.options.streams = {numbers_of("x", 2, ElementType::f64), texts_of("name")};
    set.options.extra = {{"csv.key", "key"}};
    set.alphabets = {{.letters = {"key,x0,x1,name\n", "1,2,3,a\n", "2,", "1,", ",", "4", "\n"},
                      .length_max = 5}};
    sets.push_back(set);
  }
  {
    OptionSet set{.name = "text_keys_absent", .options = {}, .alphabets = {}};
    set.options.streams = {numbers_of("c1", 1, ElementType::f32), texts_of("c3")};
    set.options.keys = KeyType::text;
    set.options.extra = {{"csv.header", "no"},
                         {"csv.key", "c0"},
                         {"csv.missing", "absent"},
                         {"csv.missing_text", "NA"}};
    set.alphabets = {
        {.letters = {"a,1,1,b\n", "a,,,\n", "b,", "NA,", "\"\"", "\n"}, .length_max = 5}};
    sets.push_back(set);
  }
  {
    OptionSet set{.name = "classes", .options = {}, .alphabets = {}, .one_in = 2};
    set.options.streams = {numbers_of("names", 1, ElementType::i64),
                           numbers_of("pair", 2, ElementType::f16)};
    set.options.streams[0].alias = "name";
    set.options.extra = {{"csv.columns", "name,pair=x0..x1"},
                         {"csv.classes", "name"},
                         {"csv.missing", "-1"},
                         {"csv.missing_text", "NA|b"}};
    set.alphabets = {{.letters = {"key,x0,x1,name\n", "1,2,3,a\n", "7,,,", "b\n", "c", "\"c\""},
                      .length_max = 5}};
    sets.push_back(set);
  }
  {
    OptionSet set{.name = "types", .options = {}, .alphabets = {}, .one_in = 2};
    set.options.streams = {numbers_of("x0", 1, ElementType::i64),
                           numbers_of("x1", 1, ElementType::f32)};
    set.options.streams[1].defines_minibatch_size = true;
    set.options.skip_sequence_ids = true;
    set.options.extra = {
        {"csv.key", "key"}, {"csv.missing", "nan"}, {"csv.delimiter", "semicolon"}};
    set.alphabets = {
        {.letters = {"key;x0;x1;name\n", "1;2;3;4\n", "1;", "2.5;", "\n", "x"}, .length_max = 4}};
    sets.push_back(set);
  }
  return {.name = "csv",
          .option_sets = std::move(sets),
          .generate = generate,
          .reference = csv_reference,
          .writing_options = {{},
                              {.write = {{"csv.key", "the key"}}, .read = {{"csv.key", "the key"}}},
                              {.write = {{"csv.header", "yes"}, {"csv.delimiter", "tab"}},
                               .read = {{"csv.delimiter", "tab"}}}}};
}

}  // namespace sheaf::conformance
