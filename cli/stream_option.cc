#include "stream_option.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "sheaf/error.h"

namespace sheaf::cli {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

[[noreturn]] void refuse(std::string_view option, std::string_view why) {
  throw ConfigError(fmt::format(
      "--stream {}: {}; a stream is NAME:dense|sparse:DIM[:alias=A][:mb], as features:dense:64",
      option, why));
}

Shape parse_shape(std::string_view option, std::string_view text, Storage storage) {
  std::vector<std::int64_t> extents;
  for (const std::string_view part : split(text, 'x')) {
    std::int64_t extent = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), extent);
    if (error != std::errc() || end != part.data() + part.size() || extent < 1) {
      refuse(option, fmt::format("DIM is a positive number, or for dense streams several as 8x8: "
                                 "got \"{}\"",
                                 text));
    }
    extents.push_back(extent);
  }
  if (storage == Storage::sparse && extents.size() != 1) {
    refuse(option, fmt::format("a sparse stream has a single DIM: got \"{}\"", text));
  }
  return Shape(extents);
}

}  // namespace

StreamOptions parse_stream_option(std::string_view text) {
  constexpr std::string_view kAlias = "alias=";
  const std::vector<std::string_view> parts = split(text, ':');
  if (parts.size() < 3) refuse(text, "NAME, dense or sparse, and DIM are needed");

  StreamOptions stream;
  stream.name = parts[0];
  if (stream.name.empty()) refuse(text, "NAME is empty");
  if (parts[1] == "sparse") {
    stream.storage = Storage::sparse;
  } else if (parts[1] != "dense") {
    refuse(text, fmt::format("expected dense or sparse, got \"{}\"", parts[1]));
  }
  stream.sample_shape = parse_shape(text, parts[2], stream.storage);
  for (std::size_t i = 3; i < parts.size(); ++i) {
    if (parts[i] == "mb") {
      stream.defines_minibatch_size = true;
    } else if (parts[i].starts_with(kAlias) && parts[i].size() > kAlias.size()) {
      stream.alias = parts[i].substr(kAlias.size());
    } else {
      refuse(text, fmt::format("expected alias=A or mb, got \"{}\"", parts[i]));
    }
  }
  return stream;
}

}  // namespace sheaf::cli
