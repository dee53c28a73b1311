#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/format_under_test.h"
#include "reference/ctf_reference.h"

namespace sheaf::conformance {

FormatUnderTest ctf_under_test();

namespace {

std::string random_number(Choices& choices) {
  switch (choices.below(6)) {
    case 0:
      return std::to_string(choices.below(10));
    case 1:
      return std::to_string(choices.below(2000) - 1000);
    case 2:
      return "0." + std::to_string(choices.below(1'000'000));
    case 3: {
      // Enough digits to need more than a quick conversion.
      std::string digits;
      for (std::int64_t n = 1 + choices.below(30); n > 0; --n) {
        digits += static_cast<char>('0' + choices.below(10));
      }
      digits.insert(static_cast<std::size_t>(choices.below(std::ssize(digits))), ".");
      return std::string(choices.pick({"", "-", "+"})) + digits;
    }
    case 4:
      return std::to_string(choices.below(100'000)) + 'e' + std::to_string(choices.below(76) - 45);
    default:
      return std::string(choices.pick({".5", "5.", "5.e3", "-0", "+1", "007", "1e-50", "1e-400",
                                       "4.9e-324", "1.17549435e-38", "3.4028235e38", "16777217.0",
                                       "33554436", "0e400", "1.00000017881393432617187499",
                                       "9007199254740993.", "147573952589676412928"}));
  }
}

/// Returns a value of the type in most cases: one wrong number loses the whole sequence.
std::string random_whole_number(Choices& choices, ElementType type) {
  const int bits = type == ElementType::u8    ? 8
                   : type == ElementType::u16 ? 16
                   : type == ElementType::i32 ? 31
                                              : 62;
  if (!choices.once_in(40)) {
    const bool has_sign = type == ElementType::i32 || type == ElementType::i64;
    return std::string(has_sign ? choices.pick({"", "", "-", "+"}) : choices.pick({"", "0"})) +
           std::to_string(choices.below(std::int64_t{1} << (1 + choices.below(bits))));
  }
  switch (choices.below(3)) {
    case 0:
      return std::to_string(choices.below(256));
    case 1:
      return std::string(choices.pick(
          {"255", "256", "65535", "65536", "2147483647", "2147483648", "-2147483648", "-2147483649",
           "9223372036854775807", "9223372036854775808", "-9223372036854775808", "9007199254740993",
           "-0", "007", "00000000012345678", "99999999999999999999999"}));
    default:
      return std::string(choices.pick({"7", "12", "254", "1e2", "3.0", "5."}));
  }
}

/// Returns numbers in the middle between two f16 or bf16 numbers, or a little beside the middle.
std::string random_middle(Choices& choices) {
  return std::string(
      choices.pick({"1.00048828125", "1.000488281250000000000000000000001",
                    "1.00048828124999999999999999999999", "65519.99999999999999999999", "65520.0",
                    "0.0000000298023223876953125", "2.98023223876953125000000000000000001e-8",
                    "1.00390625", "1.0039062500000000000000000000001", "3.3961775292304957e38",
                    "3.39617752923046e38", "2049", "2050", "257", "-258", "65504",
                    "4.591774807899560578e-41", "4.59177480789956057e-41", "6.1e-5"}));
}

std::string random_number_of(Choices& choices, const StreamOptions& stream) {
  const ElementType type = stream.dtype.value_or(ElementType::f32);
  if (is_whole(type)) return random_whole_number(choices, type);
  const bool is_half = type == ElementType::f16 || type == ElementType::bf16;
  if (!is_half) return random_number(choices);
  if (choices.once_in(40)) return random_middle(choices);
  return choices.once_in(40) ? random_number(choices) : std::to_string(choices.below(250)) + ".5";
}

std::string random_sample(Choices& choices, const StreamOptions& stream) {
  std::string text = "|" + (stream.alias.empty() ? stream.name : stream.alias);
  const auto gap = [&choices] { return std::string(choices.pick({" ", " ", " ", "\t", "  "})); };
  const std::int64_t dim = stream.sample_shape->size();
  if (stream.storage == Storage::dense) {
    for (std::int64_t i = 0; i < dim; ++i) text += gap() + random_number_of(choices, stream);
  } else {
    // Most indices ascend. Others ascend from the middle, which is valid, too.
    std::vector<std::int64_t> indices;
    for (std::int64_t i = choices.below(3); i < dim; i += 1 + choices.below(4))
      indices.push_back(i);
    const std::size_t turn = choices.once_in(4) && !indices.empty() ? indices.size() / 2 : 0;
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const std::int64_t index = indices[(i + turn) % indices.size()];
      text += gap() + std::to_string(index) + ':' + random_number_of(choices, stream);
    }
  }
  return text;
}

/// Changes some bytes in the ways that people and programs do.
void damage(Choices& choices, std::string& text) {
  const auto at = [&] { return static_cast<std::size_t>(choices.below(std::ssize(text))); };
  for (std::int64_t n = 1 + choices.below(3); n > 0 && !text.empty(); --n) {
    switch (choices.below(5)) {
      case 0:
        text[at()] =
            choices.pick({"0", "|", " ", "\n", ":", ".", "#", "\r", "x", "-", "\x01", "\xE9"})[0];
        break;
      case 1:
        text.erase(at(), 1);
        break;
      case 2:
        text.insert(at(), choices.pick({"|", "1.2.3", " 7", "3:1 3:2", "inf", "1e99 ", "1e400 ",
                                        "ab", "|# c", "\n", "\n\n", "0", "\r", "||", "1-2",
                                        " 16777217", " 9007199254740993 ", "1:-33554435"}));
        break;
      case 3: {
        const std::size_t begin = at();
        text.insert(at(), text.substr(begin, 1 + static_cast<std::size_t>(choices.below(20))));
        break;
      }
      default:
        text.resize(at() + 1);
    }
  }
}

std::string generate(std::uint64_t seed, const FormatOptions& options) {
  Choices choices(seed);
  const bool has_ids = options.keys == KeyType::text || !choices.once_in(3);
  const std::string eol(choices.pick({"\n", "\n", "\r\n"}));
  std::string text(choices.once_in(5) ? "\xEF\xBB\xBF" : "");
  if (choices.once_in(4)) text += std::string(choices.pick({" ", "|# made by hand", "\t"})) + eol;

  std::int64_t id = choices.below(5);
  const std::int64_t sequence_count = 1 + choices.below(10);
  for (std::int64_t i = 0; i < sequence_count; ++i, id += 1 + choices.below(100)) {
    const std::int64_t row_count = has_ids ? 1 + choices.below(4) : 1;
    for (std::int64_t r = 0; r < row_count; ++r) {
      if (choices.once_in(12)) text += std::string(choices.pick({"", "  ", "|# x |# y"})) + eol;
      if (choices.once_in(8)) text += ' ';
      if (has_ids && (r == 0 || choices.once_in(2))) {
        if (options.keys != KeyType::text) text += choices.pick({"", "", "0"});
        if (options.keys == KeyType::text) text += choices.pick({"utt", "an4-#:", "\xC3\xA9"});
        text += std::to_string(id);
      }
      bool is_empty = true;
      for (const StreamOptions& stream : options.streams) {
        // The first row of a sequence has all streams. Later rows have some.
        const bool may_lack = r > 0 || options.missing_streams == MissingStreams::allow;
        if (may_lack && choices.once_in(3)) continue;
        text += std::string(choices.pick({"", " ", "\t"})) + random_sample(choices, stream);
        is_empty = false;
        if (choices.once_in(8)) text += choices.pick({" |# note", "|Unknown 1:x", "|#", "|C"});
      }
      if (is_empty) text += choices.pick({" |C 5", "|# only this"});
      text += std::string(choices.pick({"", "", " "})) + eol;
    }
  }
  if (choices.once_in(3)) text.resize(text.size() - eol.size());
  if (choices.once_in(3)) damage(choices, text);
  return text;
}

StreamOptions dense(std::string name, std::int64_t dim) {
  StreamOptions stream;
  stream.name = std::move(name);
  stream.sample_shape = Shape{dim};
  return stream;
}

StreamOptions sparse(std::string name, std::int64_t dim) {
  StreamOptions stream = dense(std::move(name), dim);
  stream.storage = Storage::sparse;
  return stream;
}

/// Adds sets of the options other than streams.
void add_sets_of_options(std::vector<OptionSet>& sets) {
  {
    OptionSet set{.name = "missing_streams", .options = {}, .alphabets = {}};
    set.options.streams = {dense("A", 1), sparse("B", 3)};
    set.options.missing_streams = MissingStreams::allow;
    set.alphabets = {{.letters = {"0", "1", "|A 1", "|B 1:1", "|C", "\n", " x"}, .length_max = 6}};
    sets.push_back(set);
  }
  {
    OptionSet set{.name = "text_keys", .options = {}, .alphabets = {}};
    set.options.streams = {dense("A", 1)};
    set.options.keys = KeyType::text;
    set.alphabets = {
        {.letters = {"u", "0", "|A 1", " ", "\n", "|#", "\x01", "\r"}, .length_max = 5}};
    sets.push_back(set);
  }
  {
    OptionSet set{.name = "skipped_ids", .options = {}, .alphabets = {}};
    set.options.streams = {dense("A", 1), sparse("B", 3)};
    set.options.skip_sequence_ids = true;
    set.options.missing_streams = MissingStreams::allow;
    set.alphabets = {{.letters = {"0", "u", "|A 1", "|B", " ", "\n", "|#"}, .length_max = 6}};
    sets.push_back(set);
  }
  {
    OptionSet set{.name = "cntk", .options = {}, .alphabets = {}};
    set.options.compatibility = Compatibility::cntk;
    set.options.streams = {dense("A", 2), sparse("B", 3)};
    set.options.streams[0].dtype = ElementType::f64;
    set.alphabets = {
        {.letters = {"0", "|", "A", " ", "\n", "-", "\r", "1e"}, .length_max = 6},
        {.letters = {"0", "|A 1", "|B ", "2:", "\n", "|#", "\x01", "."}, .length_max = 6}};
    sets.push_back(set);
  }
  {
    OptionSet set{.name = "cntk_options", .options = {}, .alphabets = {}};
    set.options.compatibility = Compatibility::cntk;
    set.options.missing_streams = MissingStreams::allow;
    set.options.keys = KeyType::text;
    set.options.streams = {dense("A", 1), sparse("longer name", 9)};
    set.options.streams[1].alias = "B";
    set.options.streams[1].index_dtype = ElementType::i64;
    set.options.streams[1].defines_minibatch_size = true;
    set.alphabets = {{.letters = {"u", "1", "|A 1", "|B", " ", "\n", "\v", "|#"}, .length_max = 5}};
    sets.push_back(set);
  }
}

/// Adds sets with numbers of every type. They come last, because the inputs of fuzzers contain the
/// numbers of the sets.
void add_sets_of_types(std::vector<OptionSet>& sets) {
  {
    OptionSet set{.name = "types", .options = {}, .alphabets = {}, .one_in = 30};
    set.options.streams = {dense("A", 3), dense("B", 1), dense("C", 2), sparse("D", 9)};
    constexpr ElementType kTypes[] = {ElementType::i64, ElementType::u8, ElementType::f16,
                                      ElementType::bf16};
    for (std::size_t i = 0; i < 4; ++i) set.options.streams[i].dtype = kTypes[i];
    set.alphabets = {{.letters = {"|A 1 2 -3", "|B 25", "6", "|C .1 1", "|D 1:2", ".", "e9", " "},
                      .length_max = 4}};
    sets.push_back(set);
  }
  {
    OptionSet set{.name = "cntk_types", .options = {}, .alphabets = {}, .one_in = 10};
    set.options.compatibility = Compatibility::cntk;
    set.options.streams = {dense("A", 2), dense("B", 1), sparse("C", 5)};
    constexpr ElementType kTypes[] = {ElementType::u16, ElementType::bf16, ElementType::i32};
    for (std::size_t i = 0; i < 3; ++i) set.options.streams[i].dtype = kTypes[i];
    set.alphabets = {
        {.letters = {"|A 1", "|B 25", "6", "|C 1:2", ".", "e39", " ", "-"}, .length_max = 4}};
    sets.push_back(set);
  }
}

}  // namespace

FormatUnderTest ctf_under_test() {
  std::vector<OptionSet> sets;
  {
    OptionSet set{.name = "dense", .options = {}, .alphabets = {}};
    set.options.streams = {dense("A", 1)};
    set.alphabets = {
        {.letters = {"0", "|", "A", " ", "\n", ".", "#", "-", "\r"}, .length_max = 6},
        {.letters = {"0", "|A", " ", "\n", "1 ", "1e999", "x", "\x01"}, .length_max = 6}};
    sets.push_back(set);
  }
  {
    OptionSet set{.name = "sparse", .options = {}, .alphabets = {}};
    set.options.streams = {sparse("A", 2)};
    set.options.streams[0].dtype = ElementType::f64;
    set.options.streams[0].index_dtype = ElementType::i64;
    set.alphabets = {{.letters = {"0", "|", "A", " ", "\n", ":", "2"}, .length_max = 6},
                     {.letters = {"|A ", "0", ":", " ", "\n", "1:1 ", "2", "\r"}, .length_max = 5}};
    sets.push_back(set);
  }
  {
    OptionSet set{.name = "both", .options = {}, .alphabets = {}};
    set.options.streams = {dense("A", 1), sparse("longer name", 9)};
    set.options.streams[1].alias = "B";
    set.alphabets = {
        {.letters = {"|A 1", "|B ", "3:1 ", "0", "1", "\n", "|#", " "}, .length_max = 5}};
    sets.push_back(set);
  }
  {
    OptionSet set{.name = "several", .options = {}, .alphabets = {}};
    set.options.streams = {dense("features", 3), dense("x", 2), sparse("labels", 50)};
    set.options.streams[1].dtype = ElementType::f64;
    set.options.streams[1].defines_minibatch_size = true;
    set.options.streams[2].alias = "L#:";
    set.alphabets = {{.letters = {"|features 1 2 3", "|x 1 2", "|L#: 4:1 ", "7", "8", "\n", "|"},
                      .length_max = 5}};
    sets.push_back(set);
  }
  add_sets_of_options(sets);
  add_sets_of_types(sets);
  return {
      .name = "ctf",
      .option_sets = std::move(sets),
      .generate = generate,
      .reference = ctf_reference,
      .writing_options = {{}, {.write = {{"ctf.ids", "first"}}}, {.write = {{"ctf.ids", "none"}}}}};
}

}  // namespace sheaf::conformance
