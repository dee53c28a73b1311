#include "options/stream_option.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "sheaf/dtype.h"
#include "sheaf/error.h"

namespace sheaf::cli {
namespace {

constexpr std::string_view kAlias = "alias=";
constexpr std::string_view kDtype = "dtype=";
constexpr std::string_view kIndex = "index=";

// Splits a text at its colons and resolves `\:` and `\\`.
std::vector<std::string> split_parts(std::string_view text) {
  std::vector<std::string> parts(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_escape =
        text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == ':' || text[i + 1] == '\\');
    if (is_escape) {
      parts.back() += text[++i];
    } else if (text[i] == ':') {
      parts.emplace_back();
    } else {
      parts.back() += text[i];
    }
  }
  return parts;
}

[[noreturn]] void refuse_stream(std::string_view option, std::string_view why) {
  throw ConfigError(fmt::format("--stream {}: {}; a stream is {}, as features:dense:64", option,
                                why, kStreamSyntax));
}

Shape parse_shape(std::string_view option, std::string_view text, Storage storage) {
  std::vector<std::int64_t> extents;
  for (const char* begin = text.data();; ++begin) {
    const char* const text_end = text.data() + text.size();
    const char* const part_end = std::find(begin, text_end, 'x');
    std::int64_t extent = 0;
    const bool is_variable = std::string_view(begin, part_end) == "*";
    const auto [end, error] = is_variable ? std::from_chars_result{part_end, std::errc()}
                                          : std::from_chars(begin, part_end, extent);
    if (is_variable) extent = Shape::kVariable;
    if (!is_variable && (error != std::errc() || end != part_end || extent < 1)) {
      refuse_stream(option,
                    fmt::format("DIM is a positive number, for dense streams also several as "
                                "8x8, or ? to find it in the data: got \"{}\"",
                                text));
    }
    extents.push_back(extent);
    if (part_end == text_end) break;
    begin = part_end;
  }
  if (storage == Storage::sparse && (extents.size() != 1 || extents[0] == Shape::kVariable)) {
    refuse_stream(option, fmt::format("a sparse stream has a single DIM: got \"{}\"", text));
  }
  return Shape(extents);
}

// Returns whether a part is one of the settings after DIM.
bool is_setting(std::string_view part) {
  return part == "mb" || part.starts_with(kAlias) || part.starts_with(kDtype) ||
         part.starts_with(kIndex);
}

void set(StreamOptions& stream, std::string_view option, const std::string& part) {
  if (part == "mb") {
    stream.defines_minibatch_size = true;
  } else if (part.starts_with(kAlias) && part.size() > kAlias.size()) {
    stream.alias = part.substr(kAlias.size());
  } else if (part.starts_with(kDtype)) {
    stream.dtype = stream_dtype_named(std::string_view(part).substr(kDtype.size()));
    if (stream.dtype) return;
    std::vector<std::string_view> words;
    words.reserve(kDtypeNames.size() + 1);
    for (const DtypeName& each : kDtypeNames) words.push_back(each.word);
    words.push_back(dtype_word(ElementType::bytes));
    refuse_stream(option, fmt::format("dtype is one of {}: got \"{}\"", fmt::join(words, ", "),
                                      part.substr(kDtype.size())));
  } else if (part == "index=i64") {
    stream.index_dtype = ElementType::i64;
  } else if (part != "index=i32") {
    refuse_stream(
        option,
        fmt::format("expected alias=A, mb, dtype=T, index=i32 or index=i64, got \"{}\"", part));
  }
}

// Escapes the characters that end a part.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string dim_text(const Shape& shape) {
  std::string text;
  for (const std::int64_t extent : shape.extents()) {
    text += text.empty() ? "" : "x";
    text += extent == Shape::kVariable ? "*" : std::to_string(extent);
  }
  return text.empty() ? "1" : text;
}

}  // namespace

std::string quoted_for_shell(const std::string& text) {
  const auto is_plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           std::string_view("_-+.,:=/@%").find(c) != std::string_view::npos;
  };
  if (std::ranges::all_of(text, is_plain)) return text;
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

StreamOptions parse_stream_option(std::string_view text) {
  const std::vector<std::string> parts = split_parts(text);
  StreamOptions stream;
  stream.name = parts[0];
  if (stream.name.empty()) refuse_stream(text, "NAME is empty");
  if (parts.size() < 2) refuse_stream(text, "dense or sparse is missing");
  if (parts[1] == "sparse") {
    stream.storage = Storage::sparse;
  } else if (parts[1] != "dense") {
    refuse_stream(text, fmt::format("expected dense or sparse, got \"{}\"", parts[1]));
  }
  std::size_t i = 2;
  if (parts.size() > 2 && !is_setting(parts[2])) {
    if (parts[2] != "?") stream.sample_shape = parse_shape(text, parts[2], stream.storage);
    ++i;
  }
  for (; i < parts.size(); ++i) set(stream, text, parts[i]);
  if (stream.storage == Storage::dense && stream.index_dtype == ElementType::i64) {
    refuse_stream(text, "index=i64 is for sparse streams");
  }
  return stream;
}

std::string stream_option(const Stream& stream) {
  std::string text = fmt::format("{}:{}:{}", escaped(stream.name), to_string(stream.storage),
                                 dim_text(stream.sample_shape));
  if (stream.defines_minibatch_size) text += ":mb";
  // float32 and float64 need no dtype: stored types are read unchanged, and text is float32 by
  // default.
  if (stream.element_type != ElementType::f32 && stream.element_type != ElementType::f64) {
    text += fmt::format(":dtype={}", dtype_word(stream.element_type));
  }
  if (stream.storage == Storage::sparse && stream.index_type == ElementType::i64) {
    text += ":index=i64";
  }
  return text;
}

std::string stream_options_for_shell(std::span<const Stream> streams) {
  std::string text;
  for (const Stream& stream : streams) {
    if (!text.empty()) text += ' ';
    text += "--stream " + quoted_for_shell(stream_option(stream));
  }
  return text;
}

}  // namespace sheaf::cli
