#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/format_under_test.h"
#include "reference/jsonl_reference.h"

namespace sheaf::conformance {

FormatUnderTest jsonl_under_test();

namespace {

std::string random_json_number(Choices& choices, ElementType type) {
  const bool is_half = type == ElementType::f16 || type == ElementType::bf16;
  if (is_half && !choices.once_in(8)) return std::to_string(choices.below(250)) + ".5";
  const bool is_integer = is_whole(type);
  switch (choices.below(is_integer ? 2 : 4)) {
    case 0:
      return std::to_string(choices.below(100));
    case 1:
      if (!choices.once_in(8)) return std::to_string(choices.below(200));
      return std::string(choices.pick({"-0", "255", "256", "-1", "2147483648",
                                       "9223372036854775808", "9007199254740993", "1.5", "1e400",
                                       "1e-400", "16777217", "1.00000017881393432617187499"}));
    case 2:
      return "-0." + std::to_string(choices.below(1'000'000));
    default:
      return std::to_string(choices.below(1'000'000'000)) + "." +
             std::to_string(choices.below(1'000'000'000)) + 'e' +
             std::to_string(choices.below(60) - 45);
  }
}

std::string random_json_text(Choices& choices) {
  std::string text = "\"";
  for (std::int64_t n = choices.below(5); n > 0; --n) {
    text += choices.pick({"a", "\\n", "\\u00e9", "\xC3\xA9", "\\ud83d\\ude00", "{", "]", ",", " ",
                          "\\\"", "\\\\", "long enough to be more than eight bytes"});
  }
  return text + '"';
}

/// Returns the elements in brackets, with random spaces.
template <typename Make>
std::string random_list(Choices& choices, std::int64_t count, const Make& make) {
  std::string text = "[";
  for (std::int64_t i = 0; i < count; ++i) {
    if (i > 0) text += choices.pick({",", ", ", " ,"});
    text += make();
  }
  return text + (choices.once_in(10) ? " ]" : "]");
}

std::string random_sparse(Choices& choices, std::int64_t dim, ElementType type) {
  std::vector<std::int64_t> indices;
  for (std::int64_t i = choices.below(3); i < dim; i += 1 + choices.below(5)) indices.push_back(i);
  if (choices.once_in(3) && indices.size() > 1) std::swap(indices.front(), indices.back());
  std::size_t next = 0;
  const auto count = static_cast<std::int64_t>(indices.size());
  std::string text = "{\"indices\": " +
                     random_list(choices, count, [&] { return std::to_string(indices[next++]); });
  if (!choices.once_in(3)) {
    text += ",\"values\":" +
            random_list(choices, count, [&] { return random_json_number(choices, type); });
  }
  return text + '}';
}

std::string random_value(Choices& choices, const StreamOptions& stream, ElementType type) {
  if (choices.once_in(20)) return std::string(choices.pick({"null", "[]", "{}", "true", "\"\""}));
  if (type == ElementType::bytes) {
    if (!choices.once_in(4)) return random_json_text(choices);
    return random_list(choices, choices.below(4), [&] { return random_json_text(choices); });
  }
  const std::int64_t dim = stream.sample_shape->size();
  if (stream.storage == Storage::sparse) {
    if (choices.once_in(3)) return random_sparse(choices, dim, type);
    return random_list(choices, choices.below(4),
                       [&] { return random_sparse(choices, dim, type); });
  }
  const bool is_truth = choices.once_in(8);
  const auto scalar = [&] {
    return is_truth ? std::string(choices.pick({"true", "false"}))
                    : random_json_number(choices, type);
  };
  if (dim == 1 && choices.once_in(3)) return scalar();
  if (choices.once_in(2)) return random_list(choices, dim == 1 ? choices.below(5) : dim, scalar);
  return random_list(choices, choices.below(4), [&] { return random_list(choices, dim, scalar); });
}

/// Changes some bytes in the ways that people and programs do.
void damage_json(Choices& choices, std::string& text) {
  const auto at = [&] { return static_cast<std::size_t>(choices.below(std::ssize(text))); };
  for (std::int64_t n = 1 + choices.below(3); n > 0 && !text.empty(); --n) {
    switch (choices.below(4)) {
      case 0:
        text[at()] =
            choices.pick({"0", ":", " ", "\n", ",", "\"", "\\", "}", "]", "\x01", "\xC3"})[0];
        break;
      case 1:
        text.erase(at(), 1);
        break;
      case 2:
        text.insert(at(), choices.pick({",\"x\":1", "\"", "[", "]", "{", "}", "NaN", "null", "1.5",
                                        "\\u", "\\ud800", "\xFF", "\n\n", "\r", "01", "-", "1e",
                                        "{\"a\":{\"b\":[1,{}]}}"}));
        break;
      default:
        text.resize(at() + 1);
    }
  }
}

ElementType json_type_of(const StreamOptions& stream) {
  if (!stream.sample_shape->is_fixed()) return ElementType::bytes;
  return stream.dtype.value_or(ElementType::f32);
}

std::string generate_jsonl(std::uint64_t seed, const FormatOptions& options) {
  Choices choices(seed);
  const std::string eol(choices.pick({"\n", "\n", "\r\n"}));
  std::string text(choices.once_in(5) ? "\xEF\xBB\xBF" : "");
  const auto key = options.extra.find("jsonl.key");
  std::int64_t id = choices.below(5);
  for (std::int64_t lines = 1 + choices.below(10); lines > 0; --lines) {
    if (choices.once_in(12)) text += std::string(choices.pick({"", "  ", "\t\r"})) + eol;
    std::string comma;
    text += choices.pick({"{", "{", " { "});
    const auto name = [&](const std::string& field) {
      text += std::exchange(comma, ",") + '"' + field + "\":";
      if (choices.once_in(4)) text += ' ';
    };
    if (key != options.extra.end() && !choices.once_in(20)) {
      name(key->second);
      const bool is_text = options.keys != KeyType::numeric;
      text += is_text ? "\"k" + std::to_string(id) + '"' : std::to_string(id);
      if (!choices.once_in(20)) id += 1 + choices.below(3);
    }
    for (const StreamOptions& stream : options.streams) {
      if (choices.once_in(6)) continue;
      if (choices.once_in(8)) {
        name("other");
        text += choices.pick({"1", "{\"a\":[1,2,{\"b\":null}]}", "\"}\"", "[[],{}]"});
      }
      name(stream.alias.empty() ? stream.name : stream.alias);
      text += random_value(choices, stream, json_type_of(stream));
    }
    text += "}" + eol;
  }
  if (choices.once_in(3)) text.resize(text.size() - eol.size());
  if (choices.once_in(2)) damage_json(choices, text);
  return text;
}

StreamOptions json_stream(std::string name, Storage storage, std::int64_t dim, ElementType type) {
  return {.name = std::move(name), .storage = storage, .sample_shape = Shape{dim}, .dtype = type};
}

StreamOptions json_texts(std::string name) {
  return {.name = std::move(name),
          .sample_shape = Shape{Shape::kVariable},
          .dtype = ElementType::bytes};
}

}  // namespace

FormatUnderTest jsonl_under_test() {
  std::vector<OptionSet> sets;
  {
    OptionSet set{.name = "plain", .options = {}, .alphabets = {}};
    set.options.streams = {json_stream("x", Storage::dense, 1, ElementType::f32)};
    set.alphabets = {
        {.letters = {"{", "\"x\":", "1", ",", "[", "]", "}", "\n", "\""}, .length_max = 5},
        {.letters = {"{\"x\":", "-", "0", ".5", "e1", "}", "null", "\r\n"}, .length_max = 5}};
    sets.push_back(set);
  }
  {
    OptionSet set{.name = "several", .options = {}, .alphabets = {}};
    set.options.streams = {json_stream("y", Storage::dense, 2, ElementType::i64),
                           json_stream("s", Storage::sparse, 9, ElementType::f32), json_texts("t"),
                           json_stream("b", Storage::dense, 1, ElementType::u8)};
    set.options.streams[1].alias = "features";
    set.options.missing_streams = MissingStreams::allow;
    set.alphabets = {
        {.letters = {"{\"y\":", "[[1,2]", "[3", ",[", ",4]", "]", "}", "true"}, .length_max = 4},
        {.letters = {"{\"features\":", "{\"indices\":[", "1", ",0", "]", "}", ",\"values\":[",
                     "2.5"},
         .length_max = 5}};
    sets.push_back(set);
  }
  {
    OptionSet set{.name = "texts", .options = {}, .alphabets = {}};
    set.options.streams = {json_texts("t")};
    set.alphabets = {{.letters = {"{\"t\":\"", "\\", "\"}", "n", "\xC3", "\xA9", "u00e9", "\x1F"},
                      .length_max = 5},
                     {.letters = {"{\"t\":\"", "\"}", "\\ud83d", "\\ude00", "\xED\xA0\x80",
                                  "\xF0\x9F", "\x98\x80"},
                      .length_max = 4}};
    sets.push_back(set);
  }
  {
    OptionSet set{.name = "text_keys", .options = {}, .alphabets = {}};
    set.options.streams = {json_stream("x", Storage::dense, 1, ElementType::f64)};
    set.options.extra["jsonl.key"] = "id";
    set.alphabets = {
        {.letters = {"{\"id\":", "\"a\"", ",\"x\":", "1", "}", "\n", "null"}, .length_max = 5}};
    sets.push_back(set);
  }
  {
    OptionSet set{.name = "numeric_keys", .options = {}, .alphabets = {}};
    set.options.streams = {json_stream("x", Storage::dense, 1, ElementType::f16),
                           json_stream("y", Storage::sparse, 4, ElementType::i32)};
    set.options.streams[0].defines_minibatch_size = true;
    set.options.streams[1].index_dtype = ElementType::i64;
    set.options.extra["jsonl.key"] = "id";
    set.options.keys = KeyType::numeric;
    set.options.missing_streams = MissingStreams::allow;
    set.alphabets = {{.letters = {"{\"id\":", "18446744073709551615", "7", ",\"x\":", "1}", "\n"},
                      .length_max = 5}};
    sets.push_back(set);
  }
  return {.name = "jsonl",
          .option_sets = std::move(sets),
          .generate = generate_jsonl,
          .reference = jsonl_reference,
          .writing_options = {{.read = {{"jsonl.key", "key"}}},
                              {.write = {{"jsonl.key", "id"}}, .read = {{"jsonl.key", "id"}}},
                              {.write = {{"jsonl.keys", "none"}}}},
          .keeps_empty_streams = true};
}

}  // namespace sheaf::conformance
