#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/format_under_test.h"
#include "reference/libsvm_reference.h"

namespace sheaf::conformance {

FormatUnderTest libsvm_under_test();

namespace {

std::string random_number(Choices& choices) {
  switch (choices.below(4)) {
    case 0:
      return std::to_string(choices.below(10));
    case 1:
      return "-0." + std::to_string(choices.below(1'000'000));
    case 2:
      return std::to_string(choices.below(1'000'000'000)) + "." +
             std::to_string(choices.below(1'000'000'000)) + 'e' +
             std::to_string(choices.below(60) - 45);
    default:
      return std::string(
          choices.pick({"+1", ".5", "5.", "007", "-0", "1e-400", "16777217.0", "33554436",
                        "3.4028235e38", "1.00000017881393432617187499"}));
  }
}

std::string random_number_of(Choices& choices, ElementType type) {
  const bool is_half = type == ElementType::f16 || type == ElementType::bf16;
  if (is_half && !choices.once_in(8)) return std::to_string(choices.below(250)) + ".5";
  if (!is_whole(type)) return random_number(choices);
  switch (choices.below(32)) {
    case 0:
      return std::string(
          choices.pick({"255", "256", "-1", "2147483648", "9223372036854775808", "+7",
                        "-9223372036854775808", "9007199254740993", "1.5", "2e1"}));
    case 1:
      return std::to_string(choices.below(std::int64_t{1} << (1 + choices.below(31))));
    default:
      return std::to_string(choices.below(100));
  }
}

/// Returns the first index.
std::int64_t base_of(const FormatOptions& options) {
  const auto base = options.extra.find("libsvm.base");
  return base != options.extra.end() && base->second == "0" ? 0 : 1;
}

ElementType type_of(std::string_view wanted, const FormatOptions& options) {
  for (const StreamOptions& stream : options.streams) {
    const std::string& name = stream.alias.empty() ? stream.name : stream.alias;
    if (name == wanted) return stream.dtype.value_or(ElementType::f32);
  }
  return ElementType::f32;
}

std::string random_label(Choices& choices, const FormatOptions& options) {
  for (const StreamOptions& stream : options.streams) {
    const std::string& name = stream.alias.empty() ? stream.name : stream.alias;
    if (name != "label" || stream.storage == Storage::dense) continue;
    if (choices.once_in(5)) return "";
    const std::int64_t dim = stream.sample_shape->size();
    std::int64_t label = choices.below(dim);
    std::string text = std::to_string(label);
    // Ascending labels that wrap around at the dim.
    for (std::int64_t n = choices.below(3); n > 0 && dim > 4; --n) {
      label = (label + 1) % dim;
      text += ',' + std::to_string(label);
    }
    return text;
  }
  return choices.once_in(3) ? std::string(choices.pick({"+1", "-1", "0"}))
                            : random_number_of(choices, type_of("label", options));
}

std::int64_t features_dim(const FormatOptions& options) {
  for (const StreamOptions& stream : options.streams) {
    const std::string& name = stream.alias.empty() ? stream.name : stream.alias;
    if (name == "features") return stream.sample_shape->size();
  }
  return 20;
}

/// Changes some bytes in the ways that people and programs do.
void damage(Choices& choices, std::string& text) {
  const auto at = [&] { return static_cast<std::size_t>(choices.below(std::ssize(text))); };
  for (std::int64_t n = 1 + choices.below(3); n > 0 && !text.empty(); --n) {
    switch (choices.below(5)) {
      case 0:
        text[at()] = choices.pick({"0", ":", " ", "\n", ",", ".", "#", "\r", "x", "\x01"})[0];
        break;
      case 1:
        text.erase(at(), 1);
        break;
      case 2:
        text.insert(at(), choices.pick({" 0:1", " 1:1.2.3", " 3:1 3:2", " 4:inf ", "\n1 5:1e400\n",
                                        " qid:3 ", " qid:x", "1,2", "# c", "\n\n", "\r",
                                        "::", " 9999999999999999999999:1", " 4:16777217 ",
                                        " 4:-9007199254740993 "}));
        break;
      case 3: {
        const std::size_t row = text.rfind('\n', at());
        text.insert(row == std::string::npos ? 0 : row + 1,
                    choices.pick({"x", ",", "1,", "7,7 ", "-", "qid:1 ", "1e400 "}));
        break;
      }
      default:
        text.resize(at() + 1);
    }
  }
}

std::string generate(std::uint64_t seed, const FormatOptions& options) {
  Choices choices(seed);
  const bool has_qids = choices.once_in(2);
  const std::string eol(choices.pick({"\n", "\n", "\r\n"}));
  const std::int64_t base = base_of(options);
  const std::int64_t dim = features_dim(options);
  std::string text(choices.once_in(5) ? "\xEF\xBB\xBF" : "");
  if (choices.once_in(4)) text += std::string(choices.pick({" ", "# made by hand", "\t#"})) + eol;

  std::int64_t qid = choices.below(5);
  const std::int64_t sequence_count = 1 + choices.below(10);
  for (std::int64_t i = 0; i < sequence_count; ++i, qid += 1 + choices.below(100)) {
    for (std::int64_t rows = has_qids ? 1 + choices.below(4) : 1; rows > 0; --rows) {
      if (choices.once_in(12)) text += std::string(choices.pick({"", "  ", "# x # y"})) + eol;
      if (choices.once_in(8)) text += ' ';
      const std::string label = random_label(choices, options);
      text += label;
      std::string gap = label.empty() ? "" : " ";
      if (has_qids) text += std::exchange(gap, " ") + "qid:" + std::to_string(qid);
      std::int64_t index = base + choices.below(3);
      // Without a label, a row needs something else in order not to be empty.
      if (text.ends_with('\n') || text.ends_with(' ') || text.empty()) index = base;
      for (; index < base + dim; index += 1 + choices.below(4)) {
        text += std::exchange(gap, std::string(choices.pick({" ", " ", "\t", "  "}))) +
                std::to_string(index) + ':' +
                random_number_of(choices, type_of("features", options));
      }
      text += std::string(choices.pick({"", "", " ", " # note", "#1:1"})) + eol;
    }
  }
  if (choices.once_in(3)) text.resize(text.size() - eol.size());
  if (choices.once_in(2)) damage(choices, text);
  return text;
}

StreamOptions stream_of(std::string name, Storage storage, std::int64_t dim) {
  return {.name = std::move(name), .storage = storage, .sample_shape = Shape{dim}};
}

}  // namespace

FormatUnderTest libsvm_under_test() {
  std::vector<OptionSet> sets;
  {
    OptionSet set{.name = "plain", .options = {}, .alphabets = {}};
    set.options.streams = {stream_of("label", Storage::dense, 1),
                           stream_of("features", Storage::sparse, 3)};
    set.alphabets = {
        {.letters = {"0", "1", " ", ":", "\n", "#", "-", "\r", "."}, .length_max = 6},
        {.letters = {"1 ", "1:1 ", "3:", "2:.5", "qid:1 ", "qid:2 ", "\n", "x"}, .length_max = 6}};
    sets.push_back(set);
  }
  {
    OptionSet set{.name = "from_zero", .options = {}, .alphabets = {}};
    set.options.streams = {stream_of("y", Storage::dense, 1), stream_of("x", Storage::sparse, 9)};
    set.options.streams[0].alias = "label";
    set.options.streams[1].alias = "features";
    set.options.streams[1].index_dtype = ElementType::i64;
    for (StreamOptions& stream : set.options.streams) stream.dtype = ElementType::f64;
    set.options.extra["libsvm.base"] = "0";
    set.alphabets = {
        {.letters = {"1 ", "0:1 ", "9", "8:", "e400", "\n", "\t", "0"}, .length_max = 5}};
    sets.push_back(set);
  }
  {
    OptionSet set{.name = "label_lists", .options = {}, .alphabets = {}};
    set.options.streams = {stream_of("features", Storage::dense, 4),
                           stream_of("label", Storage::sparse, 12)};
    set.options.streams[1].dtype = ElementType::f64;
    set.alphabets = {{.letters = {"1", ",", "2", " ", "1:", "\n", "#", "qid:7"}, .length_max = 6}};
    sets.push_back(set);
  }
  {
    OptionSet set{.name = "features_alone", .options = {}, .alphabets = {}};
    set.options.streams = {stream_of("features", Storage::dense, 2)};
    set.options.streams[0].defines_minibatch_size = true;
    set.options.skip_sequence_ids = true;
    set.options.missing_streams = MissingStreams::allow;
    set.alphabets = {
        {.letters = {"a", "1:1", " ", "2:0", "\n", "qid:", "0", "#"}, .length_max = 5}};
    sets.push_back(set);
  }
  {
    OptionSet set{.name = "label_alone", .options = {}, .alphabets = {}};
    set.options.streams = {stream_of("label", Storage::sparse, 2)};
    set.options.streams[0].index_dtype = ElementType::i64;
    set.alphabets = {
        {.letters = {"0", ",1", " qid:", "18446744073709551615", ":", "\n", "6"}, .length_max = 6}};
    sets.push_back(set);
  }
  // These come last, because the inputs of fuzzers contain the numbers of the sets.
  {
    OptionSet set{.name = "types", .options = {}, .alphabets = {}, .one_in = 10};
    set.options.streams = {stream_of("label", Storage::dense, 1),
                           stream_of("features", Storage::dense, 4)};
    set.options.streams[0].dtype = ElementType::i64;
    set.options.streams[1].dtype = ElementType::f16;
    set.alphabets = {{.letters = {"1", " 1:1", " 3:", "2.5", "e4", "\n"}, .length_max = 4}};
    sets.push_back(set);
  }
  {
    OptionSet set{.name = "sparse_types", .options = {}, .alphabets = {}, .one_in = 10};
    set.options.streams = {stream_of("label", Storage::sparse, 12),
                           stream_of("features", Storage::sparse, 9)};
    set.options.streams[0].dtype = ElementType::bf16;
    set.options.streams[1].dtype = ElementType::i32;
    set.alphabets = {{.letters = {"1", ",2", " 1:1", " 3:", "2.5", "\n"}, .length_max = 4}};
    sets.push_back(set);
  }
  return {.name = "libsvm",
          .option_sets = std::move(sets),
          .generate = generate,
          .reference = libsvm_reference,
          .writing_options = {{},
                              {.write = {{"libsvm.base", "0"}}, .read = {{"libsvm.base", "0"}}},
                              {.write = {{"libsvm.qid", "none"}}}}};
}

}  // namespace sheaf::conformance
