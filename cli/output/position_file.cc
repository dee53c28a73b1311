#include "output/position_file.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sheaf/error.h"

#include "options/file_text.h"

namespace sheaf::cli {
namespace {

constexpr const char* kOutputBytes = "output_bytes";
constexpr const char* kPosition = "position";
constexpr std::uint64_t kBytesMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kFileBytesMax = std::int64_t{64} << 20;  // a larger file is no position

// Parses the text that to_json() makes.
SavedPosition saved_position_from_json(const std::string& text) {
  using Json = nlohmann::ordered_json;
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains(kPosition)) return {position_from_json(text), 0};
  const auto bytes = json.find(kOutputBytes);
  const bool is_count = bytes != json.end() && bytes->is_number_integer() &&
                        (!bytes->is_number_unsigned() || bytes->get<std::uint64_t>() <= kBytesMax);
  if (!is_count || bytes->get<std::int64_t>() < 0) {
    throw ConfigError(fmt::format("field \"{}\" must be there, a whole number from 0 to {}",
                                  kOutputBytes, kBytesMax));
  }
  for (const auto& [name, value] : json.items()) {
    if (name == kPosition || name == kOutputBytes) continue;
    throw ConfigError(
        fmt::format("field \"{}\" is neither \"{}\" nor \"{}\"", name, kOutputBytes, kPosition));
  }
  return {position_from_json(json.at(kPosition).dump()), bytes->get<std::int64_t>()};
}

}  // namespace

std::string to_json(const SavedPosition& saved) {
  return fmt::format("{{\"{}\":{},\"{}\":{}}}", kOutputBytes, saved.output_bytes, kPosition,
                     to_json(saved.position));
}

SavedPosition load_position(const std::string& path) {
  const std::optional<std::string> text = file_text(path, kFileBytesMax);
  if (!text) {
    throw ConfigError(
        fmt::format("{}: is no position: it has more than {} bytes", path, kFileBytesMax));
  }
  try {
    return saved_position_from_json(*text);
  } catch (const ConfigError& error) {
    throw ConfigError(path + ": " + error.what());
  }
}

void check_position_path(const std::string& path) {
  if (!check_output_path(path)) return;
  try {
    static_cast<void>(load_position(path));
  } catch (const ConfigError&) {
    throw ConfigError(fmt::format(
        "{}: exists and holds no position, so it is not replaced: name another file", path));
  }
}

void save_position(const std::string& path, const SavedPosition& saved, Durability durability) {
  const std::string text = to_json(saved) + "\n";
  const std::unique_ptr<ByteSink> file = create_file(path, {.durability = durability});
  file->write(std::as_bytes(std::span(text)));
  file->finish();
}

}  // namespace sheaf::cli
